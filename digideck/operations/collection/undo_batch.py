"""A batch of the ledger taken back by its opposite."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.cards import CardIndex
from digideck.collection.ledger import (
    Batch,
    Shortage,
    batch_before,
    brought_back,
    entries_of,
    origin,
    undo,
)
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.results import Answer, Result, answer_of, json_field
from digideck.operations.collection.holding_rows import WrittenChange, written_rows
from digideck.scan.store.read_store import still_accounts_for
from digideck.schema.connection import closing_connections, open_to_write, transaction


@dataclass(frozen=True, slots=True)
class UndoneBatch(Result):
    """What was taken back. ``batch`` is the one that does it, ``undone`` the one it takes
    back, ``summary`` what that was, ``older`` the one to undo next; None: there is none.
    """

    batch: int | None
    undone: int | None
    changes: tuple[WrittenChange, ...] = ()
    summary: str = json_field(None, default="")
    older: Batch | None = json_field(None, default=None)
    restored: bool = json_field(None, default=False)  # what had been undone is in effect again

    @property
    def answer(self) -> Answer:
        """No where copies that the batch added are not held any more."""
        return answer_of(self.problems, no=(Code.TOO_FEW,))


@closing_connections()
def undo_batch(batch: int | None = None, db: Path | None = None) -> UndoneBatch:
    """Take a batch back, the last one if none is named.

    Raises InputError for one that cannot be taken back.
    """
    index = CardIndex(open_to_write(db))
    connection = index.connection
    try:
        with transaction(connection):
            new, undone = undo(connection, batch)
            _refuse_counting_twice(index, undone)
    except Shortage as shortage:
        return UndoneBatch(None, None, problems=_too_few(index, shortage))
    changes = {entry.holding: entry.count for entry in entries_of(connection, new)}
    first = origin(connection, undone)
    restored = brought_back(connection, undone) is not None
    older = batch_before(connection, first)
    rows = written_rows(index, changes)
    return UndoneBatch(new, undone.id, rows, f"batch {first.id}, {first.title}", older, restored)


def _too_few(index: CardIndex, shortage: Shortage) -> tuple[Problem, ...]:
    problems = []
    for holding, have, asked in shortage.holdings:
        (card,) = index.by_ids([holding.card_id])
        kind = f" ({holding.shown})" if holding.shown else ""
        problems.append(
            Problem(
                Code.TOO_FEW,
                Severity.ERROR,
                f"{card.title}{kind}: {have} held, {asked} to take back",
                have=have,
                allowed=asked,
                next_step=f"digideck collection history {card.key} shows where they went",
            )
        )
    return tuple(problems)


def _refuse_counting_twice(index: CardIndex, undone: Batch) -> None:
    """Raises InputError where undoing ``undone`` has brought a scan back whose reads, which
    waited again, were entered or dismissed since.
    """
    connection = index.connection
    scan = brought_back(connection, undone)
    if scan is None or scan.command != "scan":
        return
    copies: Counter[int] = Counter()
    for entry in entries_of(connection, scan.id):
        copies[entry.holding.card_id] += entry.count
    if not still_accounts_for(connection, scan.id, copies):
        raise input_error(
            Code.SCAN_USED_AGAIN,
            f"what batch {scan.id} entered was entered again or dismissed since",
            next_step="what waits still is entered by digideck scan photos --add and "
            "digideck scan review; digideck collection history shows what was entered",
        )
