"""Scanning many files: by worker processes, each result kept as it comes."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from digideck.catalog.cards import Card, CardIndex
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.text import shown_path
from digideck.core.workers import Died, each
from digideck.scan.images.picture_worker import PictureResult, ScanSettings, Worker
from digideck.scan.store.links import Barcode, cards_by_code
from digideck.scan.store.read_store import PROPOSED, StoredPicture, StoredRead, remember, stored
from digideck.schema.connection import transaction

CONFIRMED, SEVERAL, UNCONFIRMED = "confirmed", "several", "unconfirmed"
PROPOSED_STATE = "proposed"


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


def require_libraries() -> None:
    """Raises InputError, naming what to install, where reading pictures is impossible."""
    from importlib.util import find_spec

    packages = {"numpy": "numpy", "cv2": "opencv-python-headless", "zxingcpp": "zxing-cpp"}
    missing = [package for module, package in packages.items() if find_spec(module) is None]
    if missing:
        raise input_error(
            Code.SCANNING_NEEDS,
            f"scanning needs {' and '.join(missing)}, which cannot be found",
            next_step=f"pip install {' '.join(missing)} (digideck doctor shows what is there)",
        )


def scan_files(
    connection: sqlite3.Connection, files: Sequence[str], settings: ScanSettings, workers: int
) -> Iterator[Scanned]:
    """The files as they are done, in no fixed order, each written to the database before.

    Ending early loses what the workers have in hand and nothing else.
    """
    try:
        for answer in each(files, Worker, settings, workers):
            if isinstance(answer, Died):
                yield _died(answer)
            else:
                yield _kept(connection, answer)
    except RuntimeError as error:
        raise input_error(
            Code.WORKERS_END, str(error), next_step="digideck doctor shows what is missing"
        ) from None


def _died(answer: Died[str]) -> Scanned:
    problem = Problem(
        Code.WORKER_DIED,
        Severity.ERROR,
        f"the process that read it was ended by the system ({answer.how}); "
        "too little memory is the usual reason",
        shown_path(answer.job),
        next_step="scan it again with --workers 1, or make it smaller",
    )
    return Scanned(answer.job, None, False, None, problem)


def _kept(connection: sqlite3.Connection, result: PictureResult) -> Scanned:
    if result.sha256 and not result.known:
        refused = result.problem.message if result.problem else ""
        with transaction(connection):
            remember(
                connection,
                result.sha256,
                shown_path(result.path),
                result.reads,
                refused,
                proposals=result.proposals,
            )
    picture = None
    if result.sha256 and not result.problem:
        picture = stored(connection, result.sha256)
    return Scanned(
        result.path, result.sha256, result.known, picture, result.problem, result.thumbnail
    )


@dataclass(frozen=True, slots=True)
class Learnt:
    """What the names of files teach: codes with their card, and what stays open."""

    links: dict[Barcode, Card]
    problems: list[Problem]


def learn(index: CardIndex, labelled: Iterable[tuple[Scanned, Card]]) -> Learnt:
    """The links that pictures teach, each given with the card that its file is named by.

    A picture teaches if one code was read in it. A code that is linked to another
    card, or that two labels claim, is a problem and teaches nothing.
    """
    claims: dict[Barcode, dict[int, tuple[Card, str]]] = {}  # by the id of the card
    problems = []
    for scanned, card in labelled:
        codes = {read.code for read in scanned.reads if read.status != PROPOSED}
        shown = shown_path(scanned.path)
        if len(codes) > 1:
            problems.append(_several_codes(shown, codes))
        elif codes:
            claims.setdefault(codes.pop(), {}).setdefault(card.id, (card, shown))
    linked = cards_by_code(index.connection)
    learnt = {}
    for code, cards in claims.items():
        if len(cards) > 1:
            problems.append(_claimed_twice(code, [shown for _, shown in cards.values()]))
            continue
        (card, shown), = cards.values()  # fmt: skip
        known = index.by_ids(linked.get(code, ()))
        if known and card not in known:
            problems.append(_linked_elsewhere(code, shown, card, known))
        elif not known:
            learnt[code] = card
    return Learnt(learnt, problems)


def _several_codes(shown: str, codes: Iterable[Barcode]) -> Problem:
    written = sorted(code.short for code in codes)
    return Problem(
        Code.CODES_SEVERAL,
        Severity.WARNING,
        f"{len(written)} different codes, of which none is learnt: {', '.join(written)}",
        shown,
        next_step="digideck barcode link CODE CARD says which one is the card's",
    )


def _claimed_twice(code: Barcode, files: Sequence[str]) -> Problem:
    return Problem(
        Code.LINK_CONFLICT,
        Severity.ERROR,
        f"{code.short} would be learnt for different cards: {', '.join(sorted(files))}",
        next_step="look at the pictures, then digideck barcode link CODE CARD",
    )


def _linked_elsewhere(code: Barcode, shown: str, card: Card, known: Sequence[Card]) -> Problem:
    titles = " and ".join(other.title for other in known)
    return Problem(
        Code.LINK_CONFLICT,
        Severity.ERROR,
        f"{code.short} is linked to another card already, {titles}: it was not learnt for "
        f"{card.title}",
        shown,
        next_step="if the link is wrong, digideck barcode unlink CODE CARD forgets it",
    )
