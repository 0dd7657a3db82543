"""The ledger: every change an entry, what is held their sum, nothing overwritten."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.results import Listing


class Holding(NamedTuple):
    """Copies that are alike in all that is recorded of them; blank: not recorded."""

    card_id: int
    set_code: str = ""
    variant: str = ""
    condition: str = ""
    language: str = ""
    finish: str = ""
    place: str = ""
    note: str = ""

    @property
    def shown(self) -> str:
        """What tells it from other copies of the card, for people."""
        return ", ".join(filter(None, self[1:]))

    def matches(self, details: Mapping[str, str]) -> bool:
        """Whether it has all of ``details``."""
        return all(getattr(self, field) == value for field, value in details.items())


DETAILS = Holding._fields[1:]
_COLUMNS = ", ".join(Holding._fields)


class Batch(NamedTuple):
    """What one command did. ``undone_by`` is the batch that took it back and holds."""

    id: int
    made_at: str
    command: str
    summary: str
    undoes: int | None
    undone_by: int | None

    @property
    def title(self) -> str:
        """The command and what it was about."""
        return f"{self.command} {self.summary}"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One entry of the ledger."""

    batch: int
    holding: Holding
    count: int


def held(connection: sqlite3.Connection, ids: Iterable[int] | None = None) -> dict[Holding, int]:
    """What is held, of these cards or of all."""
    return dict(holdings(connection, ids))


def holdings(
    connection: sqlite3.Connection, ids: Iterable[int] | None = None
) -> Iterator[tuple[Holding, int]]:
    """What is held, one after the other."""
    for row in _by_ids(connection, f"SELECT {_COLUMNS}, count FROM holding", ids):
        yield Holding._make(row[:-1]), row[-1]


def counts(connection: sqlite3.Connection, ids: Iterable[int] | None = None) -> dict[int, int]:
    """The copies held of each card; cards that are not held are left out."""
    sql = "SELECT card_id, SUM(count) FROM holding"
    return dict(_by_ids(connection, sql, ids, " GROUP BY card_id").fetchall())


def _by_ids(
    connection: sqlite3.Connection, sql: str, ids: Iterable[int] | None, tail: str = ""
) -> sqlite3.Cursor:
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples, for the speed of a large collection
    if ids is None:
        return cursor.execute(sql + tail)
    wanted = json.dumps(list(dict.fromkeys(ids)))
    where = " WHERE card_id IN (SELECT value FROM json_each(?))"
    return cursor.execute(f"{sql}{where}{tail}", (wanted,))


def record(
    connection: sqlite3.Connection,
    command: str,
    summary: str,
    changes: Mapping[Holding, int],
    undoes: int | None = None,
) -> int:
    """Write one batch and give its id. To be called inside a transaction.

    Raises Shortage, having written nothing, if a holding would fall below zero.
    """
    wanted = {holding: count for holding, count in changes.items() if count}
    missing = shortages(connection, wanted)
    if missing:
        raise Shortage(missing)
    cursor = connection.execute(
        """INSERT INTO batch (made_at, command, said, undoes)
           VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?)""",
        (command, summary, undoes),
    )
    batch_id = int(cursor.lastrowid or 0)
    connection.executemany(
        f"INSERT INTO entry (batch_id, {_COLUMNS}, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((batch_id, *holding, count) for holding, count in wanted.items()),
    )
    return batch_id


def extend(connection: sqlite3.Connection, batch_id: int, holding: Holding, count: int) -> bool:
    """Add copies to a batch of a command that still runs, so that it stays one to undo.

    To be called inside a transaction. Writes nothing and gives False if the batch was
    taken back meanwhile.
    """
    batch = next(batches(connection, batch_id), None)
    if batch is None or batch.undone_by:
        return False
    marks = ", ".join("?" * (len(holding) + 2))
    connection.execute(
        f"INSERT INTO entry (batch_id, {_COLUMNS}, count) VALUES ({marks})",
        (batch_id, *holding, count),
    )
    return True


class Shortage(Exception):
    """More copies to take away than are held: (holding, held, asked) of each."""

    def __init__(self, holdings: Sequence[tuple[Holding, int, int]]) -> None:
        super().__init__(f"{len(holdings)} holdings would fall below zero")
        self.holdings = holdings


def shortages(
    connection: sqlite3.Connection, changes: Mapping[Holding, int]
) -> list[tuple[Holding, int, int]]:
    """The holdings that have fewer copies than ``changes`` take away: (holding, held, asked)."""
    taken = {holding: -count for holding, count in changes.items() if count < 0}
    if not taken:
        return []
    have = held(connection, (holding.card_id for holding in taken))
    return [
        (holding, have.get(holding, 0), asked)
        for holding, asked in taken.items()
        if have.get(holding, 0) < asked
    ]


def batches(connection: sqlite3.Connection, only: int | None = None) -> Iterator[Batch]:
    """Every batch, the newest first, or only one."""
    takers = _in_effect(connection)
    for row in connection.execute(
        """SELECT id, made_at, command, said AS summary, undoes FROM batch
           WHERE ? IS NULL OR id = ? ORDER BY id DESC""",
        (only, only),
    ):
        yield Batch(**dict(row), undone_by=takers.get(row["id"]))


def _in_effect(connection: sqlite3.Connection) -> dict[int, int]:
    """The undone batches, each with the one that undid it and was not undone itself."""
    undone: dict[int, int] = {}
    gone: set[int] = set()
    rows = connection.execute(
        "SELECT id, undoes FROM batch WHERE undoes IS NOT NULL ORDER BY id DESC"
    )
    for taker, taken in rows:  # whoever undoes a batch comes after it
        if taker not in gone:
            gone.add(taken)
            undone[taken] = taker
    return undone


def entries_of(connection: sqlite3.Connection, batch_id: int) -> list[LedgerEntry]:
    """The entries of a batch, in their order."""
    rows = connection.execute(
        f"SELECT {_COLUMNS}, count FROM entry WHERE batch_id = ? ORDER BY id", (batch_id,)
    )
    return [LedgerEntry(batch_id, Holding._make(tuple(row)[:-1]), row["count"]) for row in rows]


def history(
    connection: sqlite3.Connection,
    card_ids: Iterable[int] | None = None,
    since: str = "",
    limit: int | None = None,
) -> Listing[tuple[Batch, list[LedgerEntry]]]:
    """Batches with their entries, the newest first, at most ``limit`` of them.

    With ``card_ids``: the batches that touch one of these cards, with those
    entries alone. ``since`` is the start of a time, such as 2026-11.
    """
    wanted = None if card_ids is None else set(card_ids)
    touched = None if wanted is None else _batches_of(connection, wanted)
    found = [
        batch
        for batch in batches(connection)
        if batch.made_at >= since and (touched is None or batch.id in touched)
    ]
    rows = []
    for batch in found[:limit]:
        entries = entries_of(connection, batch.id)
        if wanted is not None:
            entries = [entry for entry in entries if entry.holding.card_id in wanted]
        rows.append((batch, entries))
    return Listing(tuple(rows), len(found))


def _batches_of(connection: sqlite3.Connection, card_ids: Iterable[int]) -> set[int]:
    found: set[int] = set()
    for sql in ("SELECT batch_id FROM entry", "SELECT id FROM batch"):
        found |= {row[0] for row in _by_ids(connection, sql, card_ids)}
    return found


def undo(connection: sqlite3.Connection, batch_id: int | None) -> tuple[int, Batch]:
    """Take back a batch, the last one if None: the new batch's id, and what it undid.

    To be called inside a transaction. Raises InputError for a batch that cannot
    be taken back, Shortage where copies it added are gone.
    """
    batch = _to_undo(connection, batch_id)
    if batch.undone_by:
        raise input_error(
            Code.BATCH_UNDONE,
            f"batch {batch.id} was undone already, by batch {batch.undone_by}",
            next_step=f"to bring it back: digideck collection undo {batch.undone_by}",
        )
    if batch.command == "update":
        raise input_error(
            Code.BATCH_OF_DATA, f"batch {batch.id} is a data update, which cannot be undone"
        )
    changes: Counter[Holding] = Counter()
    for entry in entries_of(connection, batch.id):  # one holding may come more than once
        changes[entry.holding] -= entry.count
    what = "" if batch.command == "undo" else f": {batch.title}"
    summary = f"batch {batch.id}{what}"
    return record(connection, "undo", summary, changes, undoes=batch.id), batch


def _to_undo(connection: sqlite3.Connection, batch_id: int | None) -> Batch:
    found = next(
        (
            batch
            for batch in batches(connection, batch_id)
            if batch_id is not None or batch.command != "update"
        ),
        None,
    )
    if found is None:
        raise input_error(
            Code.NO_BATCH,
            "nothing to undo" if batch_id is None else f"there is no batch {batch_id}",
            next_step="digideck collection history lists them",
        )
    return found


def origin(connection: sqlite3.Connection, batch: Batch) -> Batch:
    """What a chain of undos began with: the batch that is now in effect or is not."""
    while batch.undoes is not None:
        (batch,) = batches(connection, batch.undoes)
    return batch


def brought_back(connection: sqlite3.Connection, undone: Batch) -> Batch | None:
    """What is in effect again since ``undone``, an undo of it, was undone itself."""
    wanted: int | None = undone.id
    for batch in batches(connection):  # whoever undoes a batch comes after it
        if batch.id == wanted:
            if batch.undoes is None:
                return None if batch.undone_by else batch
            wanted = batch.undoes
    return None


def batch_before(connection: sqlite3.Connection, batch: Batch) -> Batch | None:
    """The last batch before ``batch`` that is still in effect: the next to undo."""
    return next(
        (
            older
            for older in batches(connection)
            if older.id < batch.id
            and not older.undone_by
            and older.command not in ("undo", "update")
        ),
        None,
    )


def differences(connection: sqlite3.Connection) -> list[tuple[Holding, int, int]]:
    """Where what is held is not the sum of the ledger: (holding, held, sum)."""
    rows = connection.execute(
        f"""SELECT {_COLUMNS}, SUM(held) AS held, SUM(added) AS added FROM (
              SELECT {_COLUMNS}, count AS held, 0 AS added FROM holding
              UNION ALL SELECT {_COLUMNS}, 0, count FROM entry)
            GROUP BY {_COLUMNS} HAVING SUM(held) <> SUM(added)"""
    )
    return [(Holding._make(tuple(row)[:-2]), row["held"], row["added"]) for row in rows]


def ledger_problems(connection: sqlite3.Connection) -> list[Problem]:
    """What is wrong with the collection: sums, cards and sets that do not resolve."""
    problems = [
        Problem(
            Code.HOLDING_DIFFERS,
            Severity.ERROR,
            f"{have} copies are held of card {holding.card_id} ({holding.shown or 'no details'}), "
            f"but the ledger adds up to {added}",
            have=have,
            allowed=added,
            next_step="digideck db verify --repair sums the ledger again",
        )
        for holding, have, added in differences(connection)
    ]
    lost_cards = connection.execute(
        "SELECT COUNT(*) FROM entry LEFT JOIN card ON card.id = card_id WHERE card.id IS NULL"
    ).fetchone()[0]
    if lost_cards:
        problems.append(_unresolved(lost_cards, "entries", "a card that does not exist"))
    for row in connection.execute(
        """SELECT card.game, set_code, COUNT(*) AS entries FROM entry
           JOIN card ON card.id = card_id
           LEFT JOIN card_set ON card_set.game = card.game AND code = set_code
           WHERE set_code <> '' AND code IS NULL GROUP BY 1, 2"""
    ):
        name = f"a set that does not exist: {row['game']} {row['set_code']}"
        problems.append(_unresolved(row["entries"], "entries", name))
    for row in connection.execute(
        """SELECT a.id FROM batch AS a LEFT JOIN batch AS b ON b.id = a.undoes
           WHERE a.undoes IS NOT NULL AND (b.id IS NULL OR b.id >= a.id)"""
    ):
        problems.append(
            _unresolved(1, "batches", f"batch {row['id']} undoes what is not before it")
        )
    return problems


def _unresolved(count: int, what: str, name: str) -> Problem:
    return Problem(
        Code.KEY_UNRESOLVED,
        Severity.ERROR,
        f"{count:,} {what} of the ledger: {name}",
        have=count,
        allowed=0,
        next_step="put back a backup: digideck db restore FILE",
    )


def sum_again(connection: sqlite3.Connection) -> None:
    """Make what is held the sum of the ledger. To be called inside a transaction."""
    connection.execute("DELETE FROM holding")
    connection.execute(
        f"""INSERT INTO holding SELECT {_COLUMNS}, SUM(count) FROM entry
            GROUP BY {_COLUMNS} HAVING SUM(count) <> 0"""
    )
