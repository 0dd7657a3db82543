"""What one worker process does with one picture: check, decode, read, draw."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.text import shown_path
from digideck.core.workers import limit_memory
from digideck.scan.decode.engines import Read
from digideck.scan.decode.reading import Seen, as_grey, look
from digideck.scan.images.budget import most_pixels
from digideck.scan.images.libraries import cv2
from digideck.scan.images.pictures import Picture, decode_picture, no_memory, read_file
from digideck.scan.images.thumbnails import drawn
from digideck.scan.match.known_bars import KnownBars
from digideck.scan.match.matching import matches
from digideck.scan.match.outline import bar_areas
from digideck.scan.match.profile_drawing import both_profiles
from digideck.scan.store.links import cards_by_code
from digideck.scan.store.read_store import Proposal, in_reading_order, is_done, stored

THUMBNAIL = 320  # pixels of the longer side, of a picture of one card
PAGE_THUMBNAIL = 640  # of several
_MOST_MEMORY = 3 * 2**30  # bytes, where a picture takes half a gigabyte at most
_TRIES = 3
_PAUSE = 0.3  # seconds, for a file that is being written


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """What all pictures of a scan share. ``again``: read also what was read before."""

    database: str
    itf_lengths: frozenset[int]
    zbar: bool
    again: bool
    thumbnails: bool


@dataclass(frozen=True, slots=True)
class PictureResult:
    """What came of one file.

    ``known``: it was read before, and ``reads`` is empty. ``thumbnail`` is a JPEG with
    the found quads drawn, if that was asked for.
    """

    path: str
    sha256: str | None = None
    known: bool = False
    reads: tuple[Read, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    problem: Problem | None = None
    thumbnail: bytes = b""


class Worker:
    """Reads pictures one after the other, in a process of its own."""

    def __init__(self, settings: ScanSettings) -> None:
        # The processes share the cores already. numpy reads it when it is imported first.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        cv2.setNumThreads(1)
        limit_memory(_MOST_MEMORY)
        self.settings = settings
        uri = f"{Path(settings.database).absolute().as_uri()}?mode=ro"
        self._connection = sqlite3.connect(uri, uri=True, timeout=60)
        self._known: KnownBars | None = None

    def __call__(self, path: str) -> PictureResult:
        """What came of the file at ``path``. Never raises for a file."""
        sha256 = None
        try:
            data = read_file(path)
            sha256 = hashlib.sha256(data).hexdigest()
            if not self.settings.again and self._is_done(sha256):
                thumbnail = self._known_thumbnail(path, data, sha256)
                return PictureResult(path, sha256, known=True, thumbnail=thumbnail)
            data, picture = self._decoded(path, data, sha256)
            return self._reads(path, data, picture)
        except InputError as failure:
            return PictureResult(path, sha256, problem=failure.problems[0])
        except MemoryError:
            return PictureResult(path, sha256, problem=no_memory(path).problems[0])

    def _is_done(self, sha256: str) -> bool:
        try:
            return is_done(self._connection, sha256)
        except sqlite3.Error:  # locked for long, or its writer was killed: reading again is safe
            return False

    def _reads(self, path: str, data: bytes, picture: Picture) -> PictureResult:
        try:
            seen = look(
                picture.image, zbar=self.settings.zbar, itf_lengths=self.settings.itf_lengths
            )
            proposals: tuple[Proposal, ...] = ()
            if len(seen.reads) != 1:  # a card was read; else a miss, or a page with more on it
                proposals = self._proposals(picture, seen)
        except cv2.error as error:
            problem = Problem(
                Code.PICTURE_UNREAD,
                Severity.ERROR,
                f"reading it failed: {str(error).strip().splitlines()[-1]}",
                shown_path(path),
                next_step="please report this picture",
            )
            return PictureResult(path, picture.sha256, problem=problem)
        reads = tuple(in_reading_order(seen.reads, lambda read: read.quad))
        thumbnail = b""
        if self.settings.thumbnails:
            quads = [*(read.quad for read in reads), *(one.quad for one in proposals)]
            thumbnail = _thumbnail(data, path, in_reading_order(quads, tuple))
        return PictureResult(
            path, picture.sha256, reads=reads, proposals=proposals, thumbnail=thumbnail
        )

    def _proposals(self, picture: Picture, seen: Seen) -> tuple[Proposal, ...]:
        """What bars that nothing read are most like, among the linked codes."""
        known = self._known_bars()
        if not known:
            return ()
        grey, boxes = as_grey(picture.image), seen.unread
        if not seen.reads and known.has_profiles:
            boxes = (*boxes, *bar_areas(grey))
        return tuple(
            Proposal(
                found.code,
                found.quad,
                found.similarity,
                found.margin,
                found.weakest,
                both_profiles(found.seen, found.model),
            )
            for found in matches(grey, boxes, known)
        )

    def _known_bars(self) -> KnownBars | None:
        if self._known is None:
            with suppress(sqlite3.Error):  # locked for long: the decoders' answers stand
                self._known = KnownBars(cards_by_code(self._connection))
        return self._known

    def _decoded(self, path: str, data: bytes, sha256: str | None) -> tuple[bytes, Picture]:
        """The picture; a file that is being written is waited for a moment."""
        for _ in range(_TRIES):
            try:
                most = most_pixels(data)
                return data, decode_picture(data, path=path, most_pixels=most, sha256=sha256)
            except InputError as failure:
                if failure.problems[0].code == Code.PICTURE_NEEDS_EXTRA or not _grows(path, data):
                    raise
            time.sleep(_PAUSE)
            data, sha256 = read_file(path), None
        raise input_error(
            Code.PICTURE_GROWING,
            "is still being written",
            file=shown_path(path),
            next_step="scan it again when it is complete",
        )

    def _known_thumbnail(self, path: str, data: bytes, sha256: str) -> bytes:
        if not self.settings.thumbnails:
            return b""
        try:
            picture = stored(self._connection, sha256)
            return _thumbnail(data, path, [read.quad for read in picture.reads] if picture else [])
        except (InputError, sqlite3.Error):
            return b""


def _grows(path: str, data: bytes) -> bool:
    try:
        return os.stat(path).st_size != len(data)
    except OSError:
        return False


def _thumbnail(data: bytes, path: str, quads: Sequence[Sequence[tuple[float, float]]]) -> bytes:
    """A small JPEG with the quads drawn."""
    most = most_pixels(data)
    picture = decode_picture(data, path=path, most_pixels=most)
    if picture.header.pixels * 3 <= most:
        picture = decode_picture(data, path=path, colour=True, most_pixels=most)
    several = len(quads) > 1
    longest = PAGE_THUMBNAIL if several else THUMBNAIL
    return drawn(picture.image, quads, longest=longest, numbered=several)
