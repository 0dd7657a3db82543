"""Many files read by worker processes, each result kept as it comes."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.text import shown_path
from digideck.core.workers import Died, each
from digideck.scan.photos.picture_worker import PictureResult, ScanSettings, Worker
from digideck.scan.store.read_store import StoredPicture, StoredRead, remember, stored


@dataclass(frozen=True, slots=True)
class Scanned:
    """One file that was scanned. ``picture`` is None, and ``problem`` says why, where
    nothing could be read at all. ``known``: this content was read before.
    """

    path: str
    sha256: str | None
    known: bool
    picture: StoredPicture | None
    problem: Problem | None
    thumbnail: bytes = b""

    @property
    def reads(self) -> tuple[StoredRead, ...]:
        """What was read in it."""
        return self.picture.reads if self.picture else ()

    def reopened(self, undone: Collection[int]) -> Scanned:
        """What it counts as with these batches taken back."""
        if self.picture is None:
            return self
        reads = tuple(read.reopened(undone) for read in self.reads)
        return replace(self, picture=replace(self.picture, reads=reads))


def read_files(
    files: Sequence[str], settings: ScanSettings, workers: int
) -> Iterator[PictureResult]:
    """What came of the files as they are done, in no fixed order.

    Ending early loses what the workers have in hand and nothing else.
    """
    try:
        for answer in each(files, Worker, settings, workers):
            yield _died(answer) if isinstance(answer, Died) else answer
    except RuntimeError as error:
        raise input_error(
            Code.WORKERS_END, str(error), next_step="digideck doctor shows what is missing"
        ) from None


def _died(answer: Died[str]) -> PictureResult:
    problem = Problem(
        Code.WORKER_DIED,
        Severity.ERROR,
        f"the process that read it was ended by the system ({answer.how}); "
        "too little memory is the usual reason",
        shown_path(answer.job),
        next_step="scan it again with --workers 1, or make it smaller",
    )
    return PictureResult(answer.job, problem=problem)


def kept(connection: sqlite3.Connection, result: PictureResult) -> Scanned:
    """A file whose result is written to the database. To be called in a transaction."""
    if result.sha256 and not result.known:
        remember(
            connection,
            result.sha256,
            shown_path(result.path),
            result.reads,
            result.problem.message if result.problem else "",
            proposals=result.proposals,
        )
    picture = None
    if result.sha256 and not result.problem:
        picture = stored(connection, result.sha256)
    return Scanned(
        result.path, result.sha256, result.known, picture, result.problem, result.thumbnail
    )
