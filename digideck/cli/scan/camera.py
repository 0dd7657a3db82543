"""``digideck scan camera``"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from digideck.cli.collection.copy_options import copy_options
from digideck.cli.keypress import Keys
from digideck.cli.options import Db, Json
from digideck.cli.render.output import command, styled
from digideck.cli.scan.preview import Preview
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import pluralize
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.scans.scan_camera import (
    CameraAsked,
    CameraWatcher,
    SeenCode,
    SeenFrame,
    scan_camera,
)

_BELL = "\a"


@copy_options("set_name", "variant")
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
    details: CopyDetails = NO_DETAILS,
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
        pages: list[Preview] = []

        def seen(code: SeenCode) -> None:
            for page in pages:
                page.add(code.shown, linked=len(code.cards) == 1)
            if not json:
                print(styled(code.shown, "good" if code.cards else "warning"), flush=True)
                print(_BELL, end="", file=sys.stderr, flush=True)

        def show(frame: SeenFrame) -> None:
            for page in pages:
                page.show(frame.jpeg)

        try:
            with Keys() as keys:
                watcher = CameraWatcher(
                    lambda: pages.extend([_page(port)] if preview else []), seen, show, keys.quit
                )
                done = scan_camera(CameraAsked(source, add, details), watcher, db=db)
        finally:
            for page in pages:
                page.close()
        if done.interrupted:
            report.say()
        report.show(done)
        report.say(
            f"{pluralize(done.confirmed, 'card')} ({done.different:,} different), "
            f"{done.unconfirmed:,} unconfirmed, in {pluralize(done.frames, 'frame')}"
        )
        if done.batch is not None:
            report.say(f"Entered as batch {done.batch} (digideck collection undo takes it back)")
        elif done.confirmed:
            report.say("Nothing was entered: --add does that")
        if done.unconfirmed:
            report.say("To say which cards the unconfirmed codes are: digideck scan review")


def _page(port: int) -> Preview:
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
