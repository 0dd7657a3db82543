"""What was scanned: pictures by their content, and the reads in each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from digideck.scan.links import Code, code_of

if TYPE_CHECKING:
    from digideck.scan.reading import Read

WAITING, NOTED, ENTERED, DISMISSED = "waiting", "noted", "entered", "dismissed"
PROPOSED = "proposed"
MATCH = "match"  # the engine of bars that were matched and not read
READ, NOTHING, REFUSED = "read", "nothing", "refused"


@dataclass(frozen=True, slots=True)
class StoredRead:
    """One read as it was kept. ``batch`` is the batch of the ledger that entered it."""

    id: int
    symbology: str
    payload: str
    quad: tuple[tuple[float, float], ...]
    engine: str
    rung: str
    status: str
    batch: int | None
    likeness: float | None = None  # of a match, as in `scan.matching.Match`
    margin: float | None = None
    weakest: float | None = None
    drawing: bytes | None = None  # a PNG of the two profiles

    @property
    def code(self) -> Code:
        """What links know it by."""
        return code_of(self.symbology, self.payload)

    def waits(self, undone: Collection[int]) -> bool:
        """Whether it is in no batch, or in one that was taken back (``undone``)."""
        return self.status == WAITING or self.batch in undone


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture that was read before, and what was read in it."""

    id: int
    path: str
    outcome: str
    reads: tuple[StoredRead, ...]


@dataclass
class WaitingCode:
    """A code that was read and whose reads are not entered: where, and how often."""

    code: Code
    read_ids: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A known code that unread bars are most like; the figures are those of a `Match`."""

    code: Code
    quad: Sequence[tuple[float, float]]
    likeness: float
    margin: float
    weakest: float
    drawing: bytes


_OPEN = (WAITING, PROPOSED)
_READ_COLUMNS = (
    "id, symbology, payload, quad, engine, rung, status, batch_id, "
    "likeness, margin, weakest, drawing"
)


def is_done(connection: sqlite3.Connection, sha256: str) -> bool:
    """Whether a picture of this content was read, with a code in it or without."""
    row = connection.execute(
        "SELECT 1 FROM picture WHERE sha256 = ? AND outcome <> 'refused'", (sha256,)
    ).fetchone()
    return row is not None


def count_pictures(connection: sqlite3.Connection) -> int:
    """How many pictures are kept."""
    (count,) = connection.execute("SELECT COUNT(*) FROM picture").fetchone()
    return int(count)


def stored(connection: sqlite3.Connection, sha256: str) -> StoredPicture | None:
    """The picture of this content with its reads; None if it was never read."""
    row = connection.execute(
        "SELECT id, path, outcome FROM picture WHERE sha256 = ?", (sha256,)
    ).fetchone()
    if row is None:
        return None
    reads = connection.execute(
        f"SELECT {_READ_COLUMNS} FROM read WHERE picture_id = ? ORDER BY id", (row[0],)
    )
    found = sorted(map(_read, reads), key=lambda read: place(read.quad))
    return StoredPicture(row[0], row[1], row[2], tuple(found))


def place(quad: Sequence[Sequence[float]]) -> tuple[int, int]:
    """Sorts the reads of a picture from the top down, so that they have the same numbers
    in the table and drawn in the picture.
    """
    return round(sum(y for _, y in quad) / 4), round(sum(x for x, _ in quad) / 4)


def _read(row: Sequence[object]) -> StoredRead:
    id_, symbology, payload, quad, engine, rung, status, batch, *match = row
    corners = tuple((x, y) for x, y in json.loads(str(quad)))
    assert isinstance(id_, int)
    assert batch is None or isinstance(batch, int)
    texts = (str(engine), str(rung), str(status))
    return StoredRead(id_, str(symbology), str(payload), corners, *texts, batch, *match)  # type: ignore[arg-type]


def remember(
    connection: sqlite3.Connection,
    sha256: str | None,
    path: str,
    reads: Iterable[Read],
    refused: str = "",
    status: str = WAITING,
    proposals: Iterable[Proposal] = (),
) -> int:
    """Keep what was read in a picture; the picture's id. To be called in a transaction.

    A picture that is read anew keeps what was entered or dismissed of it, so that
    nothing is entered twice.
    """
    reads = list(reads)
    proposals = list(proposals)
    outcome = REFUSED if refused else READ if reads or proposals else NOTHING
    known = None if sha256 is None else stored(connection, sha256)
    settled = [read for read in known.reads if read.status not in _OPEN] if known else []
    if known:
        connection.execute(
            "DELETE FROM read WHERE picture_id = ? AND status IN ('waiting', 'proposed')",
            (known.id,),
        )
    picture_id = _write_picture(connection, sha256, path, outcome, refused)
    for read in reads:
        same = next((old for old in settled if old.code == Code(*read.key)), None)
        if same:
            settled.remove(same)
            continue
        corners = json.dumps([[round(x, 1), round(y, 1)] for x, y in read.quad])
        connection.execute(
            """INSERT INTO read (picture_id, symbology, payload, quad, engine, rung, status)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                picture_id,
                str(read.symbology),
                read.payload,
                corners,
                read.engine,
                read.rung,
                status,
            ),
        )
    for one in proposals:
        same = next((old for old in settled if old.code == one.code), None)
        if same:
            settled.remove(same)
        else:
            _write_proposal(connection, picture_id, one)
    return picture_id


def _write_proposal(connection: sqlite3.Connection, picture_id: int, one: Proposal) -> None:
    corners = json.dumps([[round(x, 1), round(y, 1)] for x, y in one.quad])
    connection.execute(
        """INSERT INTO read (picture_id, symbology, payload, quad, engine, rung, status,
             likeness, margin, weakest, drawing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            picture_id,
            one.code.kind,
            one.code.payload,
            corners,
            MATCH,
            MATCH,
            PROPOSED,
            one.likeness,
            one.margin,
            one.weakest,
            one.drawing,
        ),
    )


def _write_picture(
    connection: sqlite3.Connection, sha256: str | None, path: str, outcome: str, refused: str
) -> int:
    (picture_id,) = connection.execute(
        """INSERT INTO picture (sha256, path, scanned_at, outcome, reason)
           VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?)
           ON CONFLICT (sha256) DO UPDATE SET path = excluded.path,
             scanned_at = excluded.scanned_at, outcome = excluded.outcome, reason = excluded.reason
           RETURNING id""",
        (sha256, path, outcome, refused),
    ).fetchone()
    return int(picture_id)


def still_waiting(
    connection: sqlite3.Connection, read_ids: Iterable[int], undone: Collection[int]
) -> set[int]:
    """Those of the reads that nobody has entered or dismissed meanwhile."""
    wanted = list(read_ids)
    found = set()
    for start in range(0, len(wanted), 500):
        part = wanted[start : start + 500]
        rows = connection.execute(
            f"SELECT {_READ_COLUMNS} FROM read WHERE id IN ({','.join('?' * len(part))})", part
        )
        found |= {read.id for read in map(_read, rows) if read.waits(undone)}
    return found


def settle(
    connection: sqlite3.Connection, read_ids: Iterable[int], status: str, batch: int | None = None
) -> None:
    """Mark reads as entered by a batch, or as dismissed. To be called in a transaction."""
    connection.executemany(
        "UPDATE read SET status = ?, batch_id = ? WHERE id = ?",
        ((status, batch, read_id) for read_id in read_ids),
    )


def waiting_codes(
    connection: sqlite3.Connection,
    linked: Mapping[Code, Sequence[int]],
    undone: Collection[int] = (),
) -> Iterator[WaitingCode]:
    """The codes that were read and mean no card or several, in the order they were read."""
    found: dict[Code, WaitingCode] = {}
    rows = connection.execute(
        f"""SELECT {", ".join(f"read.{name}" for name in _READ_COLUMNS.split(", "))}, path
            FROM read JOIN picture ON picture.id = picture_id
            WHERE status <> 'dismissed' ORDER BY read.id"""
    )
    for *columns, path in rows:
        read = _read(columns)
        if (read.status == NOTED or read.waits(undone)) and len(linked.get(read.code, ())) != 1:
            entry = found.setdefault(read.code, WaitingCode(read.code))
            entry.read_ids.append(read.id)
            entry.paths.append(path)
    yield from found.values()


def waiting_reads(
    connection: sqlite3.Connection, code: Code, undone: Collection[int]
) -> list[StoredRead]:
    """The reads of a code that are to be entered, and are not."""
    rows = connection.execute(
        f"SELECT {_READ_COLUMNS} FROM read WHERE code_kind = ? AND payload = ? ORDER BY id",
        (code.kind, code.payload),
    )
    return [read for read in map(_read, rows) if read.waits(undone)]


def proposed_reads(connection: sqlite3.Connection) -> list[tuple[StoredRead, str]]:
    """The matches that nobody has said yes or no to, each with the path of its picture."""
    names = ", ".join(f"read.{name}" for name in _READ_COLUMNS.split(", "))
    rows = connection.execute(
        f"""SELECT {names}, path FROM read JOIN picture ON picture.id = picture_id
            WHERE status = 'proposed' ORDER BY read.id"""
    )
    return [(_read(columns), path) for *columns, path in rows]
