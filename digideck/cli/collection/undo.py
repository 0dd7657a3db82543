"""``digideck collection undo``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.changes import say_changes
from digideck.cli.render.output import command
from digideck.operations.collection.undo_batch import undo_batch


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
        done = undo_batch(batch, db)
        report.show(done)
        if done.batch is None:
            report.say("Nothing was changed.")
            return
        if done.restored:
            report.say(f"In effect again: {done.summary}; its undo is undone")
        else:
            report.say(f"Undone: {done.summary}")
        say_changes(report, done.changes, done.batch)
        if done.older:
            older = done.older
            back = "To go further back" if not done.restored else "To undo the one before"
            report.say(f"{back}: digideck collection undo {older.id} ({older.title})")
