"""Which lists have gone into the collection, so that none goes in twice unawares."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from digideck.collection.ledger import Batch, batches
from digideck.collection.list_reader import ListRow


class EarlierImport(NamedTuple):
    """A batch that a list went in with. ``same``: its content is the same to the letter;
    ``rows`` are the keys of those that went in, where others were refused.
    """

    batch: Batch
    same: bool
    rows: frozenset[str]


def content_hash(text: str) -> str:
    """What tells a list's content from others."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def row_keys(rows: Iterable[ListRow]) -> list[str]:
    """A key for what each row says; of equal rows the second, third ... have others."""
    seen: Counter[str] = Counter()
    keys = []
    for row in rows:
        said = json.dumps(row.values, sort_keys=True)
        seen[said] += 1
        keys.append(hashlib.sha256(f"{seen[said]} {said}".encode()).hexdigest()[:16])
    return keys


def earlier_import(connection: sqlite3.Connection, content: str, path: str) -> EarlierImport | None:
    """The last import of a list of this content, else of a file at this path, that holds."""
    rows = connection.execute(
        """SELECT batch_id, sha256, rows FROM imported_list WHERE sha256 = ? OR path = ?
           ORDER BY sha256 = ? DESC, batch_id DESC""",
        (content, path or None, content),
    ).fetchall()
    for row in rows:
        batch = next(batches(connection, row["batch_id"]), None)
        if batch and not batch.undone_by:
            keys = frozenset(json.loads(row["rows"]))
            return EarlierImport(batch, row["sha256"] == content, keys)
    return None


def remember_list(
    connection: sqlite3.Connection, batch_id: int, content: str, path: str, rows: Sequence[str]
) -> None:
    """Keep that a list went in; ``rows`` where not all of it did. Inside a transaction."""
    connection.execute(
        "INSERT INTO imported_list VALUES (?, ?, ?, ?)",
        (batch_id, content, path, json.dumps(rows)),
    )
