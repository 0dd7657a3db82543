"""What a batch of the ledger changed, for people."""

from __future__ import annotations

from collections.abc import Sequence

from digideck.cli.render.output import Report
from digideck.cli.render.paging import MOST_ROWS, say_first
from digideck.core.text import pluralize
from digideck.operations.collection.edit_collection import CollectionEdit
from digideck.operations.collection.holding_rows import WrittenChange


def show_edit(report: Report, edit: CollectionEdit) -> None:
    """What adding, removing or setting came to."""
    report.show(edit)
    if edit.problems:
        report.say("Nothing was changed.")
        return
    say_changes(report, edit.changes, edit.batch)
    if not edit.changes:
        report.say("Nothing to change: it is so already.")


def say_changes(report: Report, changes: Sequence[WrittenChange], batch: int | None) -> None:
    """The changes that were written, with what is held now, and how to take them back."""
    say_first(report, [f"{row.shown}; owned: {row.owned}" for row in changes], MOST_ROWS)
    if batch:
        copies = sum(row.change for row in changes)
        report.say(
            f"{pluralize(len(changes), 'change')}, {copies:+,d} in all: batch {batch} "
            "(digideck collection undo takes it back)"
        )
