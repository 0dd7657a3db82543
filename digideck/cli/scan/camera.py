"""``digideck scan camera``"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.collection.copy_options import Condition, Finish, Language, Note, Place, details
from digideck.cli.keypress import Keys
from digideck.cli.options import Db, Json
from digideck.cli.render.output import Report, command, styled
from digideck.collection.ledger import Holding, extend, record
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.text import pluralize
from digideck.scan.camera.preview import Preview
from digideck.scan.camera.sources import Frame, FrameSource
from digideck.scan.camera.watching import Accepted, Watch
from digideck.scan.images.pictures import require_libraries
from digideck.scan.store.links import cards_by_code, itf_lengths
from digideck.scan.store.read_store import ENTERED, NOTED, WAITING, remember, settle
from digideck.schema.connection import open_to_write, transaction

_BELL = "\a"


def run(
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="A camera's number, a video file, pictures such as frames/%03d.png, or a URL.",
        ),
    ] = "0",
    add: Annotated[
        bool, typer.Option("--add", help="Enter each confirmed card, all in one batch.")
    ] = False,
    preview: Annotated[
        bool, typer.Option("--preview/--no-preview", help="Serve a page that shows the frames.")
    ] = True,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Of that page; 0: any that is free.")
    ] = 0,
    condition: Condition = None,
    language: Language = None,
    finish: Finish = None,
    place: Place = None,
    note: Note = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Hold one card after the other before the camera; each rings the bell. A code that
    is linked is taken at once, another one where two frames in a row agree; it waits
    for digideck scan review. A card that stays, or comes back within 3 seconds without
    having left the picture, counts once.

    q, Ctrl-C or the end of the source ends it. --add enters each card when it is seen,
    and once more when the same video is run again.
    """
    with command("scan camera", json) as report:
        require_libraries()
        given = details(
            condition=condition, language=language, finish=finish, place=place, note=note
        )
        index = CardIndex(open_to_write(db))
        frames = FrameSource(source)
        session = Session(report, index, frames.name, given if add else None)
        page = _preview(port) if preview else None
        try:
            _run(session, frames, page)
        finally:
            if page:
                page.close()
        session.summary()


def _preview(port: int) -> Preview:
    try:
        page = Preview(port)
    except OSError as error:
        raise input_error(
            Code.PREVIEW_PORT,
            f"no page can be served at port {port}: {(error.strerror or str(error)).lower()}",
            next_step="leave out --port, or add --no-preview",
        ) from None
    print(f"Preview: {page.address}", file=sys.stderr, flush=True)
    return page


def _run(session: Session, frames: FrameSource, page: Preview | None) -> None:
    """Until the source ends, or somebody ends it."""
    from digideck.scan.decode.engines import zbar_is_there

    zbar = zbar_is_there()
    with Keys() as keys:
        try:
            for frame in frames.frames():
                session.frame(frame, zbar, page)
                if keys.quit():
                    break
        except KeyboardInterrupt:
            session.report.say()
            session.interrupted = True


@dataclass
class Session:
    """What one run saw. ``details`` describe the copies to enter; None: nothing is entered."""

    report: Report
    index: CardIndex
    source: str
    details: dict[str, str] | None
    batch: int | None = None
    frames: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    accepted: list[Accepted] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._linked = cards_by_code(self.index.connection)
        self._watch = Watch(self._linked)
        self._itf = itf_lengths(self._linked)

    def frame(self, frame: Frame, zbar: bool, page: Preview | None) -> None:
        """Read one frame, and take what it shows."""
        from digideck.scan.decode.reading import as_grey, read_picture

        grey = as_grey(frame.image)
        reads = read_picture(grey, zbar=zbar, itf_lengths=self._itf)
        self.frames += 1
        self.seconds = frame.seconds
        for one in self._watch.see(reads, frame.seconds, lambda: _bars(grey)):
            self._take(one, page)
        if page:
            page.show(frame.image, [read.quad for read in reads])

    def _take(self, one: Accepted, page: Preview | None) -> None:
        self.accepted.append(one)
        self._keep(one)
        text = self._shown(one)
        if page:
            page.add(text, linked=len(one.cards) == 1)
        if not self.report.as_json:
            print(styled(text, "good" if one.cards else "warning"), flush=True)
            print(_BELL, end="", file=sys.stderr, flush=True)

    def _shown(self, one: Accepted) -> str:
        cards = self.index.by_ids(one.cards)
        if not cards:
            return f"{one.code.short}: not linked yet, waits for review"
        shown = " or ".join(f"{card.key}  {card.name}" for card in cards)
        return shown if len(cards) == 1 else f"{one.code.short}: {shown}, waits for review"

    def _keep(self, one: Accepted) -> None:
        """Write the read, and the copy where it is to be entered, before anything is said."""
        adding, confirmed = self.details is not None, len(one.cards) == 1
        if confirmed and not adding:
            return
        connection = self.index.connection
        minutes, seconds = divmod(one.seconds, 60)
        place = f"{self.source} at {int(minutes)}:{seconds:04.1f}"
        with transaction(connection):
            status = WAITING if adding else NOTED
            picture = remember(connection, None, place, [one.read], status=status)
            if self.details is not None and confirmed:
                self._enter(picture, Holding(one.cards[0], **self.details))

    def _enter(self, picture: int, holding: Holding) -> None:
        connection = self.index.connection
        if self.batch is None or not extend(connection, self.batch, holding, 1):
            self.batch = record(connection, "scan", f"camera {self.source}", {holding: 1})
        rows = connection.execute("SELECT id FROM read WHERE picture_id = ?", (picture,))
        settle(connection, [row[0] for row in rows], ENTERED, self.batch)

    def summary(self) -> None:
        """What was seen, and what comes next."""
        report = self.report
        confirmed = [one for one in self.accepted if len(one.cards) == 1]
        open_ = len(self.accepted) - len(confirmed)
        cards = Counter(one.cards[0] for one in confirmed)
        report.data = {
            "source": self.source,
            "frames": self.frames,
            "seconds": round(self.seconds, 3),
            "seen": [self._json(one) for one in self.accepted],
            "confirmed": len(confirmed),
            "unconfirmed": open_,
            "batch": self.batch,
        }
        if not self.frames:
            report.problem(
                Problem(
                    Code.NO_FRAMES,
                    Severity.ERROR,
                    f"{self.source} gave no picture",
                    next_step="expected a camera that is on, or a video with frames",
                )
            )
            report.exit_code = 3
        report.say(
            f"{pluralize(len(confirmed), 'card')} ({len(cards):,} different), "
            f"{open_:,} unconfirmed, in {pluralize(self.frames, 'frame')}"
        )
        if self.batch is not None:
            report.say(f"Entered as batch {self.batch} (digideck collection undo takes it back)")
        elif confirmed:
            report.say("Nothing was entered: --add does that")
        if open_:
            report.say("To say which cards the unconfirmed codes are: digideck scan review")

    def _json(self, one: Accepted) -> dict[str, object]:
        return {
            "seconds": round(one.seconds, 3),
            "code": one.code.written,
            "symbology": str(one.read.symbology),
            "payload": one.read.payload,
            "cards": [card.key for card in self.index.by_ids(one.cards)],
        }


def _bars(grey: object) -> Sequence[tuple[float, float]]:
    """Where in a frame there is something with bars."""
    from digideck.scan.decode.locate import bar_boxes

    return [(box.x, box.y) for box in bar_boxes(grey, work_size=640, most=8)]  # type: ignore[arg-type]
