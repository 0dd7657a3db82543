"""``digideck collection history``"""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import no_card
from digideck.cli.collection.edit_collection import pile_json
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.output import Report, command, styled
from digideck.collection.ledger import Batch, Change, history
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import pluralize
from digideck.schema.connection import open_to_read

_MOST_ENTRIES = 10  # of a batch, in text


def run(
    cards: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[CARD...]", help="Only what touched these cards."),
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="DATE", help="Only from then on, such as 2026-11 or 2026-11-30.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="The most batches to print.")] = 20,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """The batches of the ledger, the newest first, each with its entries. A batch is
    what one command did; its number is what undo takes. Times are UTC.
    """
    with command("collection history", json) as report:
        index = CardIndex(open_to_read(db))
        if since and not _is_start_of_time(since):
            raise input_error(
                Code.BAD_DATE, f"{since!r} is not a date", next_step="write it as 2026-11-30"
            )
        ids = _ids(index, cards, check_game(index, game)) if cards else None
        found = history(index.connection, ids, since, limit)
        report.data["batches"] = []
        for batch, changes in found:
            _show(report, index, batch, changes, all_of_them=ids is not None)
        if not found:
            report.say("Nothing was entered yet." if not cards and not since else "Nothing found.")


def _is_start_of_time(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text + "-01" if len(text) == 7 else text)
    except ValueError:
        return len(text) == 4 and text.isascii() and text.isdigit()
    return len(text) in (7, 10)


def _ids(index: CardIndex, texts: list[str], game: str | None) -> list[int]:
    """Every card that the texts can mean: the history of a name is that of all its cards."""
    found: list[int] = []
    for text in texts:
        cards = index.meant_by(text, game)
        if not cards:
            raise InputError(no_card(index, text, game))
        found += [card.id for card in cards]
    return found


def _show(
    report: Report, index: CardIndex, batch: Batch, changes: list[Change], all_of_them: bool
) -> None:
    if report.as_json:
        index.by_ids(change.holding.card_id for change in changes)
        report.data["batches"].append(_as_json(index, batch, changes))
        return
    undone = f" (undone by batch {batch.undone_by})" if batch.undone_by else ""
    time = batch.made_at.replace("T", " ").rstrip("Z")
    copies = sum(change.count for change in changes)
    total = f": {pluralize(len(changes), 'change')}, {copies:+,d}"
    head = f"{batch.id}  {time}  {batch.command} {batch.said}"
    report.say(styled(head, "good") + (total if changes else "") + undone)
    shown = len(changes) if all_of_them else _MOST_ENTRIES
    cards = index.by_ids(change.holding.card_id for change in changes[:shown])
    for change, card in zip(changes[:shown], cards, strict=True):
        kind = f" ({change.holding.shown})" if change.holding.shown else ""
        report.say(f"    {change.count:+d}  {card.key}  {card.name}{kind}")
    if len(changes) > shown:
        report.say(f"    and {len(changes) - shown:,} more; --json lists them all")


def _as_json(index: CardIndex, batch: Batch, changes: list[Change]) -> dict[str, Any]:
    return {
        "batch": batch.id,
        "made_at": batch.made_at,
        "command": batch.command,
        "about": batch.said,
        "undoes": batch.undoes,
        "undone_by": batch.undone_by,
        "entries": [
            pile_json(index, change.holding) | {"change": change.count} for change in changes
        ],
    }
