"""``digideck scan photos``"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Annotated

import typer

from digideck.cli.collection.copy_options import copy_options
from digideck.cli.options import Csv, Db, GameOption, Json
from digideck.cli.render.changes import say_changes
from digideck.cli.render.output import Report, command
from digideck.cli.render.paging import MOST_NAMED
from digideck.cli.render.progress import Progress
from digideck.cli.scan.table import print_csv, scan_table
from digideck.core.text import pluralize, shown_path, some_of
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.scans.enter_scans import Count
from digideck.operations.scans.scan_photos import (
    PhotosAsked,
    ScannedPhotos,
    ScanStopped,
    scan_photos,
)
from digideck.operations.scans.scan_rows import ScanState


@copy_options("set_name", "variant")
def run(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...", help="Pictures and folders; - is a list of them on standard input."
        ),
    ],
    add: Annotated[
        bool, typer.Option("--add", help="Enter the confirmed cards, as one batch.")
    ] = False,
    count: Annotated[
        Count,
        typer.Option(
            help="What two reads of a card are: each a copy, or one copy that counts once."
        ),
    ] = Count.EACH,
    workers: Annotated[
        int, typer.Option(min=0, max=256, help="Processes; 0: one for each core.")
    ] = 0,
    trust_matches: Annotated[
        bool,
        typer.Option(
            "--trust-matches", help="Take bars that were matched very closely as confirmed."
        ),
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Read also the pictures that were read before.")
    ] = False,
    learn_: Annotated[
        bool, typer.Option("--learn", help="Link codes to the cards that the files are named by.")
    ] = False,
    report_file: Annotated[
        str, typer.Option("--report", metavar="FILE", help="Write a page with every picture.")
    ] = "",
    csv: Csv = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the page.")] = False,
    details: CopyDetails = NO_DETAILS,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Reads the barcodes in photos, of one card or of a whole page. A code that is linked
    to a card (digideck barcode link, --learn) is confirmed; others wait for
    digideck scan review. Each result is kept at once: a run that was stopped goes
    on where it was, and what was entered is never entered twice.

    Exit codes: 1 --learn met a code that is linked to another card, 3 a picture
    is broken or cannot be read, or nothing was a picture.
    """
    with command("scan photos", json, csv=csv) as report:
        asked = PhotosAsked(
            paths,
            add=add,
            count=count,
            workers=workers,
            trust_matches=trust_matches,
            again=again,
            learn=learn_,
            report=report_file,
            force=force,
            details=details,
            game=game,
        )
        try:
            with Progress() as progress:
                done = scan_photos(asked, db=db, progress=progress.show)
        except ScanStopped as stopped:
            print(stopped, file=sys.stderr)
            raise
        report.show(done)
        if csv:
            print_csv(done.seen)
            return
        if learn_:
            _say_learnt(report, done)
        for line in scan_table(done.seen):
            report.say(line)
        _say_summary(report, done)
        if add:
            say_changes(report, done.changes, done.batch)
            if not done.changes:
                report.say("Nothing to enter: all that is confirmed was entered before.")
        if report_file:
            report.say(f"{shown_path(report_file)}: a page with every picture")


def _say_learnt(report: Report, done: ScannedPhotos) -> None:
    report.say(f"{pluralize(len(done.learnt), 'code')} learnt from the names of files")
    if done.unnamed:
        report.say(
            f"{pluralize(len(done.unnamed), 'file')} with a new code and no name of exactly one "
            f"card: {some_of(done.unnamed, MOST_NAMED)}"
        )


def _say_summary(report: Report, done: ScannedPhotos) -> None:
    report.say(f"{_of_files(done)}{_of_codes(done)}")
    if done.hidden:
        report.say(f"{pluralize(done.hidden, 'hidden file')} left out")
    open_ = {row.state for row in done.seen if row.code and row.batch is None}
    asked = [words for state, words in _ASKED.items() if state in open_]
    if asked:
        report.say(f"To say {', and '.join(dict.fromkeys(asked))}: digideck scan review")
    if done.older:
        report.say(
            f"{pluralize(done.older, 'picture')} with nothing read "
            f"{'was' if done.older == 1 else 'were'} scanned before some codes were linked: "
            "--again compares their bars with those too"
        )


def _of_files(done: ScannedPhotos) -> str:
    """``24 files (3 read before), 5 with nothing read``"""
    counts = {"read before": done.known_contents, "the same as another picture": done.copies}
    known = ", ".join(f"{number:,} {words}" for words, number in counts.items() if number)
    others = Counter((row.state, row.no_picture) for row in done.seen if not row.code)
    parts = [
        pluralize(done.pictures, "file") + (f" ({known})" if known else ""),
        *(f"{others[state]:,} {words}" for state, words in _OF_FILES.items() if others[state]),
    ]
    return ", ".join(parts)


def _of_codes(done: ScannedPhotos) -> str:
    """``: 17 codes unconfirmed, 2 dismissed``, nothing if no code was read."""
    parts = [
        (done.counts[state], words) for state, words in _OF_CODES.items() if done.counts.get(state)
    ]
    shown = [
        f"{number:,} {words}" if place else f"{pluralize(number, 'code')} {words}"
        for place, (number, words) in enumerate(parts)
    ]
    return f": {', '.join(shown)}" if shown else ""


_OF_FILES = {
    (ScanState.NOTHING, False): "with nothing read",
    (ScanState.REFUSED, True): "that is no picture",
    (ScanState.REFUSED, False): "that could not be read",
}
_ASKED = {
    ScanState.UNCONFIRMED: "which cards the unconfirmed codes are",
    ScanState.SEVERAL: "which cards the unconfirmed codes are",
    ScanState.PROPOSED: "whether proposed cards are right",
}
_OF_CODES = {
    ScanState.CONFIRMED: "confirmed",
    ScanState.SEVERAL: "linked to several cards",
    ScanState.UNCONFIRMED: "unconfirmed",
    ScanState.PROPOSED: "proposed",
    ScanState.DISMISSED: "dismissed",
}
