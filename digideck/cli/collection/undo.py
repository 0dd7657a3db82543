"""``digideck collection undo``"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Optional

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.collection.edit_collection import show_changes
from digideck.cli.options import Db, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command
from digideck.collection.ledger import Batch, Shortage, batch_before, brought_back, changes_of, undo
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.scan.store.read_store import still_accounts_for
from digideck.schema.connection import open_to_write, transaction


def run(
    batch: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[BATCH]", help="The batch, as the history numbers it."),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Takes back the last batch, or the one named, by a batch of the opposite
    entries: so an undo can be undone as well, but for that of a scan whose reads
    were entered again or dismissed since.

    Exit code 1: copies that the batch added are not held any more.
    """
    with command("collection undo", json) as report:
        index = CardIndex(open_to_write(db))
        report.data = {"batch": None, "undone": None, "changes": []}
        try:
            with transaction(index.connection):
                new, undone = undo(index.connection, batch)
                _refuse_counting_twice(index, undone)
        except Shortage as shortage:
            report.exit_code = Exit.NO
            for holding, have, asked in shortage.holdings:
                (card,) = index.by_ids([holding.card_id])
                kind = f" ({holding.shown})" if holding.shown else ""
                report.problem(
                    Problem(
                        Code.TOO_FEW,
                        Severity.ERROR,
                        f"{card.title}{kind}: {have} held, {asked} to take back",
                        have=have,
                        allowed=asked,
                        next_step=f"digideck collection history {card.key} shows where they went",
                    )
                )
            report.say("Nothing was changed.")
            return
        report.data |= {"batch": new, "undone": undone.id}
        report.say(f"Undone: batch {undone.id}, {undone.command} {undone.said}")
        changes = {change.holding: change.count for change in changes_of(index.connection, new)}
        show_changes(report, index, changes)
        older = batch_before(index.connection, undone)
        # Of an undone undo the older one would be what it has just brought back.
        if older and not undone.undoes:
            what = f"{older.command} {older.said}"
            report.say(f"To go further back: digideck collection undo {older.id} ({what})")


def _refuse_counting_twice(index: CardIndex, undone: Batch) -> None:
    """Raises InputError where undoing ``undone`` has brought a scan back whose reads, which
    waited again, were entered or dismissed since.
    """
    connection = index.connection
    scan = brought_back(connection, undone)
    if scan is None or scan.command != "scan":
        return
    copies: Counter[int] = Counter()
    for change in changes_of(connection, scan.id):
        copies[change.holding.card_id] += change.count
    if not still_accounts_for(connection, scan.id, copies):
        raise input_error(
            Code.SCAN_USED_AGAIN,
            f"what batch {scan.id} entered was entered again or dismissed since",
            next_step="what waits still is entered by digideck scan photos --add and "
            "digideck scan review; digideck collection history shows what was entered",
        )
