"""What was scanned: pictures by their content, and the reads in each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from digideck.scan.decode.engines import Read
from digideck.scan.store.links import Barcode, cards_by_code, code_of

Corners = Sequence[Sequence[float]]
Item = TypeVar("Item")
WAITING, NOTED, ENTERED, DISMISSED = "waiting", "noted", "entered", "dismissed"
PROPOSED = "proposed"
MATCH = "match"  # what stands for engine and stage of bars that were matched and not read
READ, NOTHING, REFUSED = "read", "nothing", "refused"


@dataclass(frozen=True, slots=True)
class StoredRead:
    """One read as it was kept. ``batch`` is the batch of the ledger that entered it."""

    id: int
    symbology: str
    payload: str
    quad: tuple[tuple[float, float], ...]
    engine: str
    stage: str
    status: str
    batch: int | None
    similarity: float | None = None  # of a match, as in `matching.Match`
    margin: float | None = None
    weakest: float | None = None
    drawing: bytes | None = None  # a PNG of the two profiles

    @property
    def code(self) -> Barcode:
        """What links know it by."""
        return code_of(self.symbology, self.payload)

    @property
    def matched(self) -> bool:
        """Whether its bars were matched, and not read."""
        return self.similarity is not None

    @property
    def unsettled_match(self) -> bool:
        """Whether it is a match that can still be confirmed or refused."""
        return self.matched and self.status in (PROPOSED, WAITING)

    def reopened(self, undone: Collection[int]) -> StoredRead:
        """What it counts as if these batches were taken back: a read waits again, and a
        match is asked about again, since what was entered may have been wrong.
        """
        if self.batch not in undone:
            return self
        return replace(self, status=PROPOSED if self.matched else WAITING, batch=None)


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

    code: Barcode
    read_ids: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A known code that unread bars are most like; its scores are those of a `Match`."""

    code: Barcode
    quad: Sequence[tuple[float, float]]
    similarity: float
    margin: float
    weakest: float
    drawing: bytes


_READ_COLUMNS = (
    *("id", "symbology", "payload", "quad", "engine", "rung", "status", "batch_id"),
    *("likeness", "margin", "weakest", "drawing"),
)
_READS = f"SELECT {', '.join(f'read.{name}' for name in _READ_COLUMNS)}"


def is_done(connection: sqlite3.Connection, sha256: str) -> bool:
    """Whether a picture of this content was read, with a code in it or without."""
    row = connection.execute(
        "SELECT 1 FROM picture WHERE sha256 = ? AND outcome <> 'refused'", (sha256,)
    ).fetchone()
    return row is not None


def unread_before_links(connection: sqlite3.Connection, ids: Iterable[int]) -> int:
    """How many of these pictures, in which nothing was read, are older than a link.

    Their bars were compared with fewer codes than are known now.
    """
    (count,) = connection.execute(
        """SELECT COUNT(*) FROM picture WHERE outcome = 'nothing'
           AND id IN (SELECT value FROM json_each(?))
           AND scanned_at < (SELECT MAX(linked_at) FROM link)""",
        (json.dumps(list(ids)),),
    ).fetchone()
    return int(count)


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
    reads = connection.execute(f"{_READS} FROM read WHERE picture_id = ? ORDER BY id", (row[0],))
    found = in_reading_order(map(_read, reads), lambda read: read.quad)
    return StoredPicture(row[0], row[1], row[2], tuple(found))


def _read(row: Sequence[object]) -> StoredRead:
    id_, symbology, payload, quad, engine, stage, status, batch, *match = row
    corners = tuple((x, y) for x, y in json.loads(str(quad)))
    assert isinstance(id_, int)
    assert batch is None or isinstance(batch, int)
    texts = (str(engine), str(stage), str(status))
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

    A picture that is read anew keeps what was entered, dismissed or confirmed of it, so
    that nothing is entered twice or asked again; one that cannot be read now, all that was
    read of it before.
    """
    reads = list(reads)
    proposals = list(proposals)
    outcome = REFUSED if refused else READ if reads or proposals else NOTHING
    known = None if sha256 is None else stored(connection, sha256)
    if known and refused and known.outcome != REFUSED:
        return known.id
    settled = [read for read in known.reads if not _replaceable(read)] if known else []
    if known:
        connection.executemany(
            "DELETE FROM read WHERE id = ?",
            ((read.id,) for read in known.reads if _replaceable(read)),
        )
    picture_id = _write_picture(connection, sha256, path, outcome, refused)
    for read in reads:
        code = Barcode(*read.key)
        same = next((old for old in settled if old.code == code and not _wrong_match(old)), None)
        if same:
            settled.remove(same)
            continue
        found = (str(read.symbology), read.payload, _corners(read), read.engine, read.stage)
        _write_read(connection, picture_id, *found, status)
    for one in proposals:
        same = next((old for old in settled if old.code == one.code), None)
        if same:
            settled.remove(same)
        else:
            match = (one.code.kind, one.code.payload, _corners(one), MATCH, MATCH, PROPOSED)
            scores = (one.similarity, one.margin, one.weakest, one.drawing)
            _write_read(connection, picture_id, *match, *scores)
    return picture_id


def _replaceable(read: StoredRead) -> bool:
    """Whether reading the picture again says all that this says. Not of a confirmed match."""
    return read.status == PROPOSED or (read.status == WAITING and not read.matched)


def _wrong_match(read: StoredRead) -> bool:
    """Whether bars are known not to be those of a code; the code may be read elsewhere."""
    return read.matched and read.status == DISMISSED


def _write_read(connection: sqlite3.Connection, *values: object) -> None:
    """A read, with its scores and drawing where it is a match."""
    names = ("picture_id", *_READ_COLUMNS[1:7], *_READ_COLUMNS[8:])[: len(values)]
    connection.execute(
        f"INSERT INTO read ({', '.join(names)}) VALUES ({', '.join('?' * len(values))})", values
    )


def _corners(one: Read | Proposal) -> str:
    return json.dumps([[round(x, 1), round(y, 1)] for x, y in one.quad])


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
    found = _by_ids(connection, read_ids, undone)
    return {read.id for read in found if read.status == WAITING}


def answer_matches(
    connection: sqlite3.Connection, read_ids: Iterable[int], status: str, undone: Collection[int]
) -> set[int]:
    """Confirm matches (status WAITING) or refuse them (DISMISSED): those of them that were
    still to be answered. To be called in a transaction.
    """
    found = {read.id for read in _by_ids(connection, read_ids, undone) if read.unsettled_match}
    settle(connection, found, status)
    return found


def _by_ids(
    connection: sqlite3.Connection, read_ids: Iterable[int], undone: Collection[int]
) -> list[StoredRead]:
    rows = connection.execute(
        f"{_READS} FROM read WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(read_ids)),),
    )
    return [_read(row).reopened(undone) for row in rows]


def settle(
    connection: sqlite3.Connection, read_ids: Iterable[int], status: str, batch: int | None = None
) -> None:
    """Mark reads as entered by a batch, or as dismissed. To be called in a transaction."""
    connection.executemany(
        "UPDATE read SET status = ?, batch_id = ? WHERE id = ?",
        ((status, batch, read_id) for read_id in read_ids),
    )


def still_accounts_for(
    connection: sqlite3.Connection, batch: int, copies: Mapping[int, int]
) -> bool:
    """Whether reads can be those of a batch that entered ``copies`` of cards, as no others
    were: a batch loses its reads where they are entered again or dismissed.

    A read is of the cards that its code is on, or of any where it is on none of them now.
    """
    linked = cards_by_code(connection)
    rows = connection.execute(
        "SELECT code_kind, payload FROM read WHERE batch_id = ?", (batch,)
    ).fetchall()
    cards = [set(linked.get(Barcode(*row), ())) & copies.keys() or copies.keys() for row in rows]
    return len(cards) >= sum(copies.values()) and all(
        sum(card in those for those in cards) >= count for card, count in copies.items()
    )


def waiting_codes(
    connection: sqlite3.Connection,
    linked: Mapping[Barcode, Sequence[int]],
    undone: Collection[int] = (),
) -> Iterator[WaitingCode]:
    """The codes that were read and mean no card or several, in the order they were read."""
    found: dict[Barcode, WaitingCode] = {}
    for read, path in _undismissed(connection, undone):
        if read.status in (NOTED, WAITING) and len(linked.get(read.code, ())) != 1:
            entry = found.setdefault(read.code, WaitingCode(read.code))
            entry.read_ids.append(read.id)
            entry.paths.append(path)
    yield from found.values()


def codes_read(connection: sqlite3.Connection) -> list[Barcode]:
    """Every code that was read or matched."""
    return [
        Barcode(*row) for row in connection.execute("SELECT DISTINCT code_kind, payload FROM read")
    ]


def reads_of(
    connection: sqlite3.Connection, code: Barcode, undone: Collection[int]
) -> list[StoredRead]:
    """Every read of a code, as it counts with the ``undone`` batches taken back."""
    rows = connection.execute(
        f"{_READS} FROM read WHERE code_kind = ? AND payload = ? ORDER BY id",
        (code.kind, code.payload),
    )
    return [_read(row).reopened(undone) for row in rows]


def unsettled_matches(
    connection: sqlite3.Connection, undone: Collection[int]
) -> list[tuple[StoredRead, str]]:
    """The matches that are not entered and not refused, each with the path of its picture."""
    found = _undismissed(connection, undone, "likeness IS NOT NULL")
    return [(read, path) for read, path in found if read.unsettled_match]


def _undismissed(
    connection: sqlite3.Connection, undone: Collection[int], condition: str = "TRUE"
) -> Iterator[tuple[StoredRead, str]]:
    """The reads that are not dismissed, each with the path of its picture."""
    rows = connection.execute(
        f"""{_READS}, path FROM read JOIN picture ON picture.id = picture_id
            WHERE status <> 'dismissed' AND {condition} ORDER BY read.id"""
    )
    for *columns, path in rows:
        yield _read(columns).reopened(undone), path


def in_reading_order(items: Iterable[Item], corners: Callable[[Item], Corners]) -> list[Item]:
    """``items`` by rows. A row is what lies little lower than its first one: by half of that
    one's height, or a quarter of its width, since what a reader gives of bars is often flat.

    ``corners`` gives the points of an item, x to the right and y down.
    """
    rows: list[list[tuple[float, float, Item]]] = []
    lowest = 0.0
    boxes = [(*_box(corners(item)), item) for item in items]
    for x, y, reach, item in sorted(boxes, key=lambda box: (box[1], box[0])):
        if rows and y <= lowest:
            rows[-1].append((x, y, item))
        else:
            rows.append([(x, y, item)])
            lowest = y + reach
    return [item for row in rows for _, _, item in sorted(row, key=lambda one: one[:2])]


def _box(corners: Corners) -> tuple[float, float, float]:
    """The centre of the corners, x and y, and how much lower others of its row may be."""
    if not corners:
        return 0.0, 0.0, 0.0
    xs, ys = ([corner[axis] for corner in corners] for axis in (0, 1))
    reach = max((max(ys) - min(ys)) / 2, (max(xs) - min(xs)) / 4)
    return sum(xs) / len(xs), sum(ys) / len(ys), reach
