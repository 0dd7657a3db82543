"""``digideck scan photos``"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import Card, CardIndex
from digideck.cli.collection.copy_options import Condition, Finish, Language, Note, Place, details
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit, worst
from digideck.cli.render.output import Report, command
from digideck.cli.scan.entering import Count, Wanted, enter, undone_batches
from digideck.cli.scan.progress import Progress
from digideck.cli.scan.table import Sight, print_csv, print_table, sights_of
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.text import STDIN, pluralize, shown_path
from digideck.files.atomic_write import write_file
from digideck.files.input import read_bytes
from digideck.scan.images.file_discovery import Walk, listed_paths
from digideck.scan.images.folders import (
    CONFIRMED,
    PROPOSED_STATE,
    SEVERAL,
    UNCONFIRMED,
    Scanned,
    learn,
    require_libraries,
    scan_files,
)
from digideck.scan.images.picture_worker import ScanSettings
from digideck.scan.images.report_page import page
from digideck.scan.match.auto_confirm import auto_confirmed
from digideck.scan.store.links import Link, add_links, cards_by_code, itf_lengths
from digideck.scan.store.read_store import (
    DISMISSED,
    ENTERED,
    WAITING,
    count_pictures,
    unread_before_links,
)
from digideck.schema.connection import default_path, open_to_write, transaction

LARGEST_LIST = 100_000_000  # bytes
_MOST_UNNAMED = 5  # files that are shown
_COPY_MARK = re.compile(r"\s*\([0-9]+\)$|[ _](?:[0-9]{1,2}|front|back|copy)$", re.IGNORECASE)


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
    csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the page.")] = False,
    condition: Condition = None,
    language: Language = None,
    finish: Finish = None,
    place: Place = None,
    note: Note = None,
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
    with command("scan photos", json) as report:
        require_libraries()
        given = details(
            condition=condition, language=language, finish=finish, place=place, note=note
        )
        _refuse_overwriting(report_file, force)
        index = CardIndex(open_to_write(db))
        wanted_game = check_game(index, game)
        walk = Walk()
        files = list(walk.files(_all_paths(paths)))
        for problem in walk.problems:
            report.problem(problem)
        scanned = _scan(report, index, files, db, workers, again, bool(report_file))
        _report_problems(report, scanned, {path for path in paths if path != STDIN})
        undone = undone_batches(index.connection)
        if learn_:
            _learn(report, index, [one.reopened(undone) for one in scanned], wanted_game)
        if trust_matches:
            scanned = auto_confirmed(index.connection, scanned)
        scanned = [one.reopened(undone) for one in scanned]
        sights = sights_of(index, scanned)
        if csv:
            print_csv(sights)
        ids = [one.picture.id for one in scanned if one.picture]
        older = unread_before_links(index.connection, ids)
        _summary(report, walk, scanned, sights, older=older, silent=csv)
        if add:
            _enter(report, index, sights, given, count, paths)
        if report_file:
            text = page((one.as_page_row() for one in sights), title=_title(paths))
            write_file(Path(report_file), text, force=force)
            report.say(f"{shown_path(report_file)}: a page with every picture")
        report.exit_code = _exit_code(report, scanned, walk)


def _refuse_overwriting(report_file: str, force: bool) -> None:
    """Before hours of work, not after them."""
    if report_file and not force and Path(report_file).exists():
        raise input_error(
            Code.FILE_EXISTS,
            "is there already and is not overwritten",
            file=shown_path(report_file),
            next_step="name another file, or add --force",
        )


def _all_paths(paths: list[str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        if path == STDIN:
            found += listed_paths(read_bytes(STDIN, limit=LARGEST_LIST, what="a list of files"))
        else:
            found.append(path)
    return found


def _scan(
    report: Report,
    index: CardIndex,
    files: list[str],
    db: Path | None,
    workers: int,
    again: bool,
    thumbnails: bool,
) -> list[Scanned]:
    """Every file, in the order of ``files``."""
    from digideck.scan.decode.engines import zbar_is_there

    settings = ScanSettings(
        str(db or default_path()),
        itf_lengths(cards_by_code(index.connection)),
        zbar_is_there(),
        again,
        thumbnails,
    )
    progress = Progress(len(files))
    done: dict[str, Scanned] = {}
    before = count_pictures(index.connection)
    results = scan_files(index.connection, files, settings, workers or os.cpu_count() or 1)
    try:
        for one in results:
            done[one.path] = one
            progress.show(len(done))
    except KeyboardInterrupt:
        progress.clear()
        results.close()  # type: ignore[attr-defined]
        # Counted where they are kept: the last one may not have been handed on.
        kept = count_pictures(index.connection) - before + sum(one.known for one in done.values())
        print(
            f"{kept:,} of {len(files):,} pictures are read and kept, none was entered; "
            "the same command goes on from here",
            file=sys.stderr,
        )
        raise
    progress.clear()
    return [done[path] for path in files if path in done]


def _report_problems(report: Report, scanned: list[Scanned], named: set[str]) -> None:
    """What is wrong with files; that a file in a folder is no picture is in the table."""
    for one in scanned:
        problem = one.problem
        if problem and (problem.code != Code.NOT_A_PICTURE or one.path in named):
            report.problem(problem)


def _learn(
    report: Report, index: CardIndex, scanned: list[Scanned], game: str | None
) -> None:  # fmt: skip
    labelled, unnamed = [], []
    linked = cards_by_code(index.connection)
    for one in scanned:
        card = _labelled(index, one.path, game) if one.reads else None
        if card:
            labelled.append((one, card))
        elif any(read.code not in linked for read in one.reads):
            unnamed.append(shown_path(one.path))
    with transaction(index.connection):
        learnt = learn(index, labelled)
        new = [Link(code, card.id, "label") for code, card in learnt.links.items()]
        add_links(index.connection, new)
    for problem in learnt.problems:
        report.problem(problem)
    report.data["learnt"] = [
        {"code": code.written, "card": card.key} for code, card in learnt.links.items()
    ]
    report.data["unnamed"] = unnamed
    report.say(f"{pluralize(len(new), 'code')} learnt from the names of files")
    if unnamed:
        more = len(unnamed) - _MOST_UNNAMED
        report.say(
            f"{pluralize(len(unnamed), 'file')} with a new code and no name of exactly one card: "
            f"{', '.join(unnamed[:_MOST_UNNAMED])}{f' and {more:,} more' if more > 0 else ''}"
        )


def _labelled(index: CardIndex, path: str, game: str | None) -> Card | None:
    """The card whose number a file is named by; its folder may name the game."""
    name = Path(shown_path(path))
    folder = name.parent.name
    game = game or (folder if folder in index.games else None)
    for stem in dict.fromkeys((name.stem, _COPY_MARK.sub("", name.stem))):
        number, _, edition = stem.partition("@")
        found = index.by_number(number, game)
        if edition:
            found = [card for card in found if card.edition == edition]
        if len(found) == 1:
            return found[0]
    return None


def _summary(
    report: Report,
    walk: Walk,
    scanned: list[Scanned],
    sights: list[Sight],
    *,
    older: int,
    silent: bool,
) -> None:
    states = Counter(sight.state for sight in sights)
    report.data |= {
        "pictures": len(scanned),
        "known": sum(one.known for one in scanned),
        "hidden": walk.hidden,
        "counts": dict(states),
        "seen": [sight.as_json() for sight in sights],
    }
    if silent:
        return
    for line in print_table(sights):
        report.say(line)
    report.say(f"{_of_files(scanned, sights)}{_of_codes(sights)}")
    if walk.hidden:
        report.say(f"{pluralize(walk.hidden, 'hidden file')} left out")
    open_ = {sight.state for sight in sights if sight.read and sight.read.status != ENTERED}
    asked = [words for state, words in _ASKED.items() if state in open_]
    if asked:
        report.say(f"To say {', and '.join(dict.fromkeys(asked))}: digideck scan review")
    if older:
        report.say(
            f"{pluralize(older, 'picture')} with nothing read "
            f"{'was' if older == 1 else 'were'} scanned before some codes were linked: "
            "--again compares their bars with those too"
        )


def _of_files(scanned: list[Scanned], sights: list[Sight]) -> str:
    """``24 files (3 read before), 5 with nothing read``"""
    contents: dict[str, bool] = {}  # whether each was read before this run
    copies = 0
    for one in scanned:
        if one.sha256 and one.picture:
            copies += one.sha256 in contents
            contents[one.sha256] = one.known and contents.get(one.sha256, True)
    before = sum(contents.values())
    others = Counter(
        Code.NOT_A_PICTURE if sight.no_picture else sight.state
        for sight in sights
        if not sight.read
    )
    counts = {"read before": before, "the same as another picture": copies}
    known = ", ".join(f"{number:,} {words}" for words, number in counts.items() if number)
    parts = [
        pluralize(len(scanned), "file") + (f" ({known})" if known else ""),
        *(f"{others[state]:,} {words}" for state, words in _OF_FILES.items() if others[state]),
    ]
    return ", ".join(parts)


def _of_codes(sights: list[Sight]) -> str:
    """``: 17 codes unconfirmed, 2 dismissed``, nothing if no code was read."""
    states = Counter(sight.state for sight in sights if sight.read)
    parts = [(states[state], words) for state, words in _OF_CODES.items() if states[state]]
    shown = [
        f"{number:,} {words}" if place else f"{pluralize(number, 'code')} {words}"
        for place, (number, words) in enumerate(parts)
    ]
    return f": {', '.join(shown)}" if shown else ""


_OF_FILES = {
    "nothing": "with nothing read",
    Code.NOT_A_PICTURE: "that is no picture",
    "refused": "that could not be read",
}
_ASKED = {
    UNCONFIRMED: "which cards the unconfirmed codes are",
    SEVERAL: "which cards the unconfirmed codes are",
    PROPOSED_STATE: "whether proposed cards are right",
}
_OF_CODES = {
    CONFIRMED: "confirmed",
    SEVERAL: "linked to several cards",
    UNCONFIRMED: "unconfirmed",
    PROPOSED_STATE: "proposed",
    DISMISSED: "dismissed",
}


def _enter(
    report: Report,
    index: CardIndex,
    sights: list[Sight],
    given: dict[str, str],
    count: Count,
    paths: list[str],
) -> None:
    wanted: dict[int, Wanted] = {}  # a picture that is there under two names is entered once
    before = set()
    for sight in sights:
        if sight.read is None or sight.state != CONFIRMED:
            continue
        if sight.read.status == WAITING:
            wanted[sight.read.id] = Wanted(sight.read.id, sight.cards[0].id)
        elif sight.read.batch is not None:
            before.add(sight.cards[0].id)
    enter(
        report,
        index,
        list(wanted.values()),
        given,
        _title(paths),
        count=count,
        counted=frozenset(before),
    )
    if report.data["batch"]:
        for seen, sight in zip(report.data["seen"], sights, strict=True):
            if sight.read and sight.read.id in wanted:
                seen |= {"status": ENTERED, "batch": report.data["batch"]}


def _title(paths: list[str]) -> str:
    """The paths of a scan, in a few words."""
    shown = ", ".join(map(shown_path, paths[:3]))
    return f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown


def _exit_code(report: Report, scanned: list[Scanned], walk: Walk) -> Exit:
    codes = [Exit.OK]
    if any(problem.code == Code.LINK_CONFLICT for problem in report.problems):
        codes.append(Exit.NO)
    unread = [problem for problem in report.problems if problem.code not in _NOT_OF_FILES]
    if unread or not any(one.picture for one in scanned):
        codes.append(Exit.UNUSABLE)
    if not scanned and not walk.problems:
        report.problem(
            Problem(
                Code.NO_PICTURES,
                Severity.ERROR,
                "no files there",
                next_step="name pictures, folders with pictures, or - for a list",
            )
        )
    return worst(codes)


_NOT_OF_FILES = (Code.LINK_CONFLICT, Code.CODES_SEVERAL)
