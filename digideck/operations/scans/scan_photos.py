"""Barcodes in photos read, kept, learnt from and entered."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.results import Answer, Result, json_field, worst
from digideck.core.text import STDIN, shown_path, some_of
from digideck.files.atomic_write import write_file
from digideck.files.input import read_bytes
from digideck.operations.barcodes.share_links import NewLink
from digideck.operations.collection.copy_details import CopyDetails
from digideck.operations.collection.holding_rows import WrittenChange
from digideck.operations.scans.enter_scans import (
    Count,
    EnteredReads,
    ReadsToEnter,
    enter_reads,
    undone_batches,
)
from digideck.operations.scans.scan_report import page
from digideck.operations.scans.scan_rows import ScanRow, ScanState, scan_rows
from digideck.scan.decode.engines import zbar_is_there
from digideck.scan.images.file_discovery import Walk, listed_paths
from digideck.scan.images.libraries import require_libraries
from digideck.scan.photos.auto_confirm import auto_confirmed
from digideck.scan.photos.learning import Learnt, learn
from digideck.scan.photos.picture_worker import ScanSettings
from digideck.scan.photos.scan_files import Scanned, kept, read_files
from digideck.scan.store.links import Link, add_links, cards_by_code, itf_lengths
from digideck.scan.store.read_store import ENTERED, WAITING, count_pictures, unread_before_links
from digideck.schema.connection import (
    closing_connections,
    default_path,
    open_to_write,
    transaction,
)

LARGEST_LIST = 100_000_000  # bytes
Progress = Callable[[str, float | None], None]


@dataclass(frozen=True, slots=True)
class PhotosAsked:
    """Pictures and folders ("-": a list of them on standard input), and what to do with them.

    ``workers``: processes, 0 for one a core. ``trust_matches`` takes bars that were matched
    very closely as confirmed, ``again`` reads what was read before, ``learn`` links codes to
    the cards that files are named by, ``report`` is a page to write, with ``force`` over
    another. ``add`` enters the confirmed cards as copies with these ``details``.
    """

    paths: Sequence[str]
    add: bool = False
    count: Count = Count.EACH
    workers: int = 0
    trust_matches: bool = False
    again: bool = False
    learn: bool = False
    report: str = ""
    force: bool = False
    details: CopyDetails = field(default_factory=CopyDetails)
    game: str = ""


@dataclass(frozen=True, slots=True)
class ScannedPhotos(Result):
    """What was seen. ``known`` pictures were read before, ``counts`` are of rows by state.

    ``known_contents`` and ``copies``: pictures that are told from others by their content,
    and those that are there twice. ``older``: pictures with nothing read that are older than
    some link. ``unread``: files and folders that could not be read.
    """

    learnt: tuple[NewLink, ...]
    unnamed: tuple[str, ...]
    pictures: int
    known: int
    hidden: int
    counts: Mapping[str, int]
    seen: tuple[ScanRow, ...]
    batch: int | None
    changes: tuple[WrittenChange, ...]
    known_contents: int = json_field(None)
    copies: int = json_field(None)
    older: int = json_field(None)
    conflicts: int = json_field(None)
    unread: int = json_field(None)

    @property
    def answer(self) -> Answer:
        """No where a label conflicts with a link, unusable where a picture is or none is there."""
        no = Answer.NO if self.conflicts else Answer.OK
        usable = any(row.state is not ScanState.REFUSED for row in self.seen)
        return worst([no, Answer.UNUSABLE if self.unread or not usable else Answer.OK])


class ScanStopped(KeyboardInterrupt):
    """A scan that was interrupted; what was read until then is kept."""

    def __init__(self, kept: int, files: int) -> None:
        super().__init__(
            f"{kept:,} of {files:,} pictures are read and kept, none was entered; "
            "the same command goes on from here"
        )


@closing_connections()
def scan_photos(
    asked: PhotosAsked, *, db: Path | None = None, progress: Progress | None = None
) -> ScannedPhotos:
    """Read the barcodes in photos, and enter, learn or report what was asked for.

    Each result is kept at once: what was read before is not read again, and what was entered
    is never entered twice. Raises ScanStopped where it is interrupted.
    """
    require_libraries()
    details = asked.details.recorded()
    _refuse_overwriting(asked)
    index = CardIndex(open_to_write(db))
    game = check_game(index, asked.game)
    walk = Walk()
    files = list(walk.files(_all_paths(asked.paths)))
    scanned = _scanned(index, files, asked, db or default_path(), progress)
    unread = [*walk.problems, *_unread(scanned, set(asked.paths))]
    if not scanned and not unread:
        unread.append(
            Problem(
                Code.NO_PICTURES,
                Severity.ERROR,
                "no files there",
                next_step="name pictures, folders with pictures, or - for a list",
            )
        )
    undone = undone_batches(index.connection)
    reopened = [one.reopened(undone) for one in scanned]
    learnt = _learn(index, reopened, game) if asked.learn else Learnt({})
    if asked.trust_matches:
        with transaction(index.connection):
            scanned = auto_confirmed(index.connection, scanned)
        reopened = [one.reopened(undone) for one in scanned]
    rows = scan_rows(index, reopened)
    entered = EnteredReads(None, (), frozenset())
    if asked.add:
        entered = _enter(index, rows, details, asked)
        rows = [
            replace(row, status=ENTERED, batch=entered.batch) if row.read_id in entered.reads
            else row
            for row in rows
        ]  # fmt: skip
    if asked.report:
        text = page(rows, title=_title(asked.paths))
        write_file(Path(asked.report), text, force=asked.force)
    contents = _contents(scanned)
    ids = [one.picture.id for one in scanned if one.picture]
    return ScannedPhotos(
        learnt=tuple(NewLink(code.written, card.key) for code, card in learnt.links.items()),
        unnamed=learnt.unnamed,
        pictures=len(scanned),
        known=sum(one.known for one in scanned),
        hidden=walk.hidden,
        counts=Counter(str(row.state) for row in rows),
        seen=tuple(rows),
        batch=entered.batch,
        changes=entered.changes,
        known_contents=sum(contents.values()),
        copies=sum(one.picture is not None for one in scanned) - len(contents),
        older=unread_before_links(index.connection, ids),
        conflicts=len(learnt.conflicts),
        unread=len(unread),
        problems=(*unread, *learnt.several, *learnt.conflicts),
    )


def _refuse_overwriting(asked: PhotosAsked) -> None:
    """Before hours of work, not after them."""
    if asked.report and not asked.force and Path(asked.report).exists():
        raise input_error(
            Code.FILE_EXISTS,
            "is there already and is not overwritten",
            file=shown_path(asked.report),
            next_step="name another file, or add --force",
        )


def _all_paths(paths: Sequence[str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        if path == STDIN:
            found += listed_paths(read_bytes(STDIN, limit=LARGEST_LIST, what="a list of files"))
        else:
            found.append(path)
    return found


def _scanned(
    index: CardIndex, files: Sequence[str], asked: PhotosAsked, db: Path, progress: Progress | None
) -> list[Scanned]:
    """Every file, in the order of ``files``."""
    connection = index.connection
    lengths = itf_lengths(cards_by_code(connection))
    settings = ScanSettings(str(db), lengths, zbar_is_there(), asked.again, bool(asked.report))
    done: dict[str, Scanned] = {}
    before, start = count_pictures(connection), time.monotonic()
    results = read_files(files, settings, asked.workers or os.cpu_count() or 1)
    try:
        for result in results:
            with transaction(connection):
                done[result.path] = kept(connection, result)
            rate = len(done) / max(time.monotonic() - start, 1e-6)
            if progress:
                text = f"{len(done):,}/{len(files):,}  {rate:.1f} pictures/s"
                progress(text, len(done) / len(files))
    except KeyboardInterrupt:
        results.close()  # type: ignore[attr-defined]
        # Counted where they are kept: the last one may not have been noted here.
        new = count_pictures(connection) - before
        raise ScanStopped(new + sum(one.known for one in done.values()), len(files)) from None
    return [done[path] for path in files if path in done]


def _unread(scanned: Sequence[Scanned], named: set[str]) -> list[Problem]:
    """What is wrong with files; that a file in a folder is no picture is in its row."""
    return [
        one.problem
        for one in scanned
        if one.problem and (one.problem.code is not Code.NOT_A_PICTURE or one.path in named)
    ]


def _learn(index: CardIndex, scanned: Sequence[Scanned], game: str | None) -> Learnt:
    with transaction(index.connection):
        learnt = learn(index, scanned, cards_by_code(index.connection), game)
        new = (Link(code, card.id, "label") for code, card in learnt.links.items())
        add_links(index.connection, new)
    return learnt


def _enter(
    index: CardIndex, rows: Sequence[ScanRow], details: Mapping[str, str], asked: PhotosAsked
) -> EnteredReads:
    """Enter what is confirmed; a picture that is there under two names is entered once."""
    confirmed = [row for row in rows if row.read_id and row.state is ScanState.CONFIRMED]
    before = [row for row in confirmed if row.status != WAITING and row.batch is not None]
    return enter_reads(
        index,
        ReadsToEnter(
            {row.read_id: row.card_ids[0] for row in confirmed
             if row.status == WAITING and row.read_id},
            _title(asked.paths),
            details,
            asked.count,
            frozenset(row.card_ids[0] for row in before),
        ),
    )  # fmt: skip


def _title(paths: Sequence[str]) -> str:
    """The paths of a scan, in a few words."""
    return some_of([shown_path(path) for path in paths])


def _contents(scanned: Sequence[Scanned]) -> dict[str, bool]:
    """The contents of the pictures, and whether each was read before this run."""
    known: dict[str, bool] = {}
    for one in scanned:
        if one.sha256 and one.picture:
            known[one.sha256] = one.known and known.get(one.sha256, True)
    return known
