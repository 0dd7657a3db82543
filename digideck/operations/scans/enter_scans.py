"""What was scanned entered in the collection: one batch, and each read once."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from digideck.catalog.cards import CardIndex
from digideck.collection.ledger import Holding, batches, record
from digideck.operations.collection.holding_rows import WrittenChange, written_rows
from digideck.scan.store.read_store import ENTERED, WAITING, answer_matches, settle, still_waiting
from digideck.schema.connection import transaction


class Count(StrEnum):
    """What two reads of one card mean: two copies, or one copy seen twice."""

    EACH = "each"
    ONCE = "once"


@dataclass(frozen=True, slots=True)
class ReadsToEnter:
    """Reads, by their id, with the id of the card each is of, and what their batch is about.

    ``details`` describe the copies. ``counted``: cards that ``once`` has counted.
    ``confirm``: reads of matches that are confirmed by being entered.
    """

    cards: Mapping[int, int]
    summary: str
    details: Mapping[str, str] = field(default_factory=dict)
    count: Count = Count.EACH
    counted: frozenset[int] = frozenset()
    confirm: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EnteredReads:
    """The batch, None where nothing was entered, its changes, and the ids of its reads."""

    batch: int | None
    changes: tuple[WrittenChange, ...]
    reads: frozenset[int]


def undone_batches(connection: sqlite3.Connection) -> frozenset[int]:
    """The batches that were taken back: what they entered waits again."""
    return frozenset(batch.id for batch in batches(connection) if batch.undone_by)


def enter_reads(index: CardIndex, asked: ReadsToEnter) -> EnteredReads:
    """Enter reads as one batch, but for those that are entered or dismissed by now."""
    connection = index.connection
    changes: Counter[Holding] = Counter()
    batch: int | None = None
    with transaction(connection):
        undone = undone_batches(connection)
        answer_matches(connection, asked.confirm, WAITING, undone)
        waiting = still_waiting(connection, asked.cards, undone)
        seen = set(asked.counted)
        for read_id, card_id in asked.cards.items():
            if read_id in waiting:
                if asked.count is Count.EACH or card_id not in seen:
                    changes[Holding(card_id, **asked.details)] += 1
                seen.add(card_id)
        if changes:
            batch = record(connection, "scan", asked.summary, changes)
            settle(connection, waiting, ENTERED, batch)
    entered = frozenset(waiting) if changes else frozenset()
    return EnteredReads(batch, written_rows(index, changes), entered)
