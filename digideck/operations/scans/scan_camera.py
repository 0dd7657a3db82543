"""Cards held before a camera: read, kept, entered when they are seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from digideck.catalog.cards import CardIndex
from digideck.collection.ledger import Holding, extend, record
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.results import Result, json_field
from digideck.operations.collection.copy_details import CopyDetails
from digideck.scan.camera.sources import Frame, FrameSource
from digideck.scan.camera.watching import Accepted, Watch
from digideck.scan.decode.engines import zbar_is_there
from digideck.scan.decode.locate import Quad, bar_boxes
from digideck.scan.decode.reading import as_grey, read_picture
from digideck.scan.images.libraries import require_libraries
from digideck.scan.images.thumbnails import drawn
from digideck.scan.store.links import cards_by_code, itf_lengths
from digideck.scan.store.read_store import ENTERED, NOTED, WAITING, remember, settle
from digideck.schema.connection import closing_connections, open_to_write, transaction

_LONGEST_SIDE = 960  # pixels, of a frame that is shown


@dataclass(frozen=True, slots=True)
class CameraAsked:
    """A camera's number, a video file, numbered pictures or a URL; whether each confirmed
    card is entered, and as copies with which details.
    """

    source: str = "0"
    add: bool = False
    details: CopyDetails = field(default_factory=CopyDetails)


@dataclass(frozen=True, slots=True)
class SeenCode:
    """A code that was held before the camera; ``shown`` is what it is, for people."""

    seconds: float
    code: str
    symbology: str
    payload: str
    cards: tuple[str, ...]
    shown: str = json_field(None)


@dataclass(frozen=True, slots=True, eq=False)
class SeenFrame:
    """A frame that was read, with the places of its codes."""

    image: Any
    quads: Sequence[Quad]

    def jpeg(self) -> bytes:
        """The frame, not too large, with its codes drawn."""
        return drawn(self.image, self.quads, longest=_LONGEST_SIDE, quality=70)


@dataclass(frozen=True, slots=True)
class CameraWatcher:
    """Who watches a camera scan: told that the source is open, of each code and of each
    frame, and asked after each whether to end.
    """

    started: Callable[[], None] = lambda: None
    code: Callable[[SeenCode], None] = lambda seen: None
    frame: Callable[[SeenFrame], None] = lambda frame: None
    ended: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class CameraScan(Result):
    """What one run saw. ``different``: of the confirmed cards."""

    source: str
    frames: int
    seconds: float
    seen: tuple[SeenCode, ...]
    confirmed: int
    unconfirmed: int
    batch: int | None
    different: int = json_field(None)
    interrupted: bool = json_field(None)


@closing_connections()
def scan_camera(
    asked: CameraAsked, watcher: CameraWatcher | None = None, *, db: Path | None = None
) -> CameraScan:
    """Read frames until the source ends, the watcher ends it, or Ctrl-C does.

    Each code is kept, and entered where that is asked for, before the watcher is told.
    """
    require_libraries()
    details = asked.details.recorded() if asked.add else None
    index = CardIndex(open_to_write(db))
    source = FrameSource(asked.source)
    scan = _Scan(index, source.name, details, watcher or CameraWatcher())
    scan.watcher.started()
    try:
        for frame in source.frames():
            scan.frame(frame)
            if scan.watcher.ended():
                break
    except KeyboardInterrupt:  # what was seen until then is kept
        return scan.result(interrupted=True)
    return scan.result()


class _Scan:
    """What one run saw so far. ``details`` describe the copies to enter; None: none are."""

    def __init__(
        self,
        index: CardIndex,
        source: str,
        details: Mapping[str, str] | None,
        watcher: CameraWatcher,
    ) -> None:
        self.watcher = watcher
        self._index = index
        self._source = source
        self._details = details
        linked = cards_by_code(index.connection)
        self._watch = Watch(linked)
        self._lengths = itf_lengths(linked)
        self._zbar = zbar_is_there()
        self._batch: int | None = None
        self._frames = 0
        self._seconds = 0.0
        self._seen: list[SeenCode] = []

    def frame(self, frame: Frame) -> None:
        """Read one frame, and take what it shows."""
        grey = as_grey(frame.image)
        reads = read_picture(grey, zbar=self._zbar, itf_lengths=self._lengths)
        self._frames += 1
        self._seconds = frame.seconds

        def bars() -> list[tuple[float, float]]:
            return [(box.x, box.y) for box in bar_boxes(grey, work_size=640, most=8)]

        for one in self._watch.see(reads, frame.seconds, bars):
            self._keep(one)
            seen = self._row(one)
            self._seen.append(seen)
            self.watcher.code(seen)
        self.watcher.frame(SeenFrame(frame.image, [read.quad for read in reads]))

    def _keep(self, one: Accepted) -> None:
        """Write the read, and the copy where it is to be entered."""
        adding, confirmed = self._details is not None, len(one.cards) == 1
        if confirmed and not adding:
            return
        connection = self._index.connection
        minutes, seconds = divmod(one.seconds, 60)
        place = f"{self._source} at {int(minutes)}:{seconds:04.1f}"
        with transaction(connection):
            status = WAITING if adding else NOTED
            picture = remember(connection, None, place, [one.read], status=status)
            if self._details is not None and confirmed:
                self._enter(picture, Holding(one.cards[0], **self._details))

    def _enter(self, picture: int, holding: Holding) -> None:
        connection = self._index.connection
        if self._batch is None or not extend(connection, self._batch, holding, 1):
            self._batch = record(connection, "scan", f"camera {self._source}", {holding: 1})
        rows = connection.execute("SELECT id FROM read WHERE picture_id = ?", (picture,))
        settle(connection, [row[0] for row in rows], ENTERED, self._batch)

    def _row(self, one: Accepted) -> SeenCode:
        cards = self._index.by_ids(one.cards)
        shown = " or ".join(f"{card.key}  {card.name}" for card in cards)
        if not cards:
            shown = f"{one.code.short}: not linked yet, waits for review"
        elif len(cards) > 1:
            shown = f"{one.code.short}: {shown}, waits for review"
        return SeenCode(
            round(one.seconds, 3),
            one.code.written,
            str(one.read.symbology),
            one.read.payload,
            tuple(card.key for card in cards),
            shown,
        )

    def result(self, *, interrupted: bool = False) -> CameraScan:
        """What was seen in all."""
        confirmed = [seen.cards for seen in self._seen if len(seen.cards) == 1]
        nothing = Problem(
            Code.NO_FRAMES,
            Severity.ERROR,
            f"{self._source} gave no picture",
            next_step="expected a camera that is on, or a video with frames",
        )
        return CameraScan(
            source=self._source,
            frames=self._frames,
            seconds=round(self._seconds, 3),
            seen=tuple(self._seen),
            confirmed=len(confirmed),
            unconfirmed=len(self._seen) - len(confirmed),
            batch=self._batch,
            different=len(set(confirmed)),
            interrupted=interrupted,
            problems=() if self._frames else (nothing,),
        )
