"""``digideck collection history``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import Report, command, styled
from digideck.cli.render.paging import MOST_LISTED, Limit, page, say_first, say_rest
from digideck.core.text import pluralize
from digideck.operations.collection.show_history import HistoryBatch, show_history


def run(
    cards: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[CARD...]", help="Only what touched these cards."),
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="DATE", help="Only from then on, such as 2026-11 or 2026-11-30.")
    ] = "",
    limit: Limit = None,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """The batches of the ledger, the newest first, each with its entries. A batch is
    what one command did; its number is what undo takes. Times are UTC.
    """
    with command("collection history", json) as report:
        found = show_history(cards or (), since=since, limit=page(limit, report), game=game, db=db)
        report.show(found)
        for batch in found.batches.rows:
            _say_batch(report, batch, None if cards else MOST_LISTED)
        say_rest(report, found.batches)
        if not found.batches.total:
            report.say("Nothing found." if cards or since else "Nothing was entered yet.")


def _say_batch(report: Report, batch: HistoryBatch, most: int | None) -> None:
    undone = f" (undone by batch {batch.undone_by})" if batch.undone_by else ""
    time = batch.made_at.replace("T", " ").rstrip("Z")
    copies = sum(entry.change for entry in batch.entries)
    total = f": {pluralize(len(batch.entries), 'change')}, {copies:+,d}" if batch.entries else ""
    head = f"{batch.batch}  {time}  {batch.command} {batch.about}"
    report.say(f"{styled(head, 'good')}{total}{undone}")
    say_first(report, [f"    {entry.shown}" for entry in batch.entries], most)
