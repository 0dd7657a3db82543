"""Entering what was scanned in the collection: one batch, and each read once."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from digideck.catalog.cards import CardIndex
from digideck.cli.render.changes import say_changes
from digideck.cli.render.output import Report
from digideck.collection.ledger import Holding, batches, record
from digideck.core.results import to_json
from digideck.operations.holding_rows import written_rows
from digideck.scan.store.read_store import ENTERED, WAITING, answer_matches, settle, still_waiting
from digideck.schema.connection import transaction


class Count(StrEnum):
    """What two reads of one card mean: two copies, or one copy seen twice."""

    EACH = "each"
    ONCE = "once"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A read to enter, and the card it is of."""

    read_id: int
    card_id: int


def undone_batches(connection: sqlite3.Connection) -> frozenset[int]:
    """The batches that were taken back: what they entered waits again."""
    return frozenset(batch.id for batch in batches(connection) if batch.undone_by)


def enter(
    report: Report,
    index: CardIndex,
    wanted: Sequence[Wanted],
    details: dict[str, str],
    said: str,
    *,
    count: Count = Count.EACH,
    counted: frozenset[int] = frozenset(),
    confirm: Iterable[int] = (),
) -> None:
    """Enter reads as one batch, and report it. ``counted``: cards that ``once`` has counted.
    ``confirm``: reads of matches that are confirmed by being entered.
    """
    connection = index.connection
    changes: Counter[Holding] = Counter()
    batch: int | None = None
    with transaction(connection):
        undone = undone_batches(connection)
        answer_matches(connection, confirm, WAITING, undone)
        waiting = still_waiting(connection, (one.read_id for one in wanted), undone)
        entering = [one for one in wanted if one.read_id in waiting]
        seen = set(counted)
        for one in entering:
            if count is Count.EACH or one.card_id not in seen:
                changes[Holding(one.card_id, **details)] += 1
            seen.add(one.card_id)
        if entering and changes:
            batch = record(connection, "scan", said, changes)
            settle(connection, (one.read_id for one in entering), ENTERED, batch)
    report.data["batch"] = batch
    rows = written_rows(index, changes)
    report.data["changes"] = to_json(rows)
    say_changes(report, rows, batch)
    if not changes:
        report.say("Nothing to enter: all that is confirmed was entered before.")
