"""``digideck scan review``"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from digideck.cli.collection.copy_options import copy_options
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.changes import say_changes
from digideck.cli.render.output import Report, command
from digideck.cli.scan.questions import ask, shown_files
from digideck.core.text import STDIN, pluralize
from digideck.operations.collection.copy_details import NO_DETAILS, CopyDetails
from digideck.operations.scans.review_rows import ReviewedScans
from digideck.operations.scans.review_scans import reviewing


@copy_options("set_name", "variant")
def run(
    file: Annotated[
        str,
        typer.Argument(metavar="[FILE]", help='Lines "CODE CARD"; - is standard input.'),
    ] = "",
    add: Annotated[
        bool, typer.Option("--add/--no-add", help="Enter the reads that were waiting.")
    ] = True,
    details: CopyDetails = NO_DETAILS,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """On a terminal each code that was read and is not linked is asked about: name its
    card by a number or a name, or choose one of the nearest.

    Lines on standard input, or in FILE, name cards without questions: a payload and
    a card, with a - for a card where the code is no card's. What is named is linked,
    and its waiting reads are entered as one batch; --no-add only links. Without lines
    the waiting codes are listed.

    Bars that were matched and not read are proposed: one key confirms or refuses each.
    In lines, the code and its card, or -, say the same, also of matches that were
    confirmed before and of those that were entered in a batch that was undone.

    Exit codes: 1 nothing is waiting, 3 a line cannot be used, 4 a card in it can be
    any of several.
    """
    reviewed = reviewing(details, add=add, game=game, db=db)
    with command("scan review", json) as report, reviewed as review:
        source = _source(file, json)
        lines = review.take(source) if source else 0
        if source is None:
            ask(report, review)
        done = review.finish()
        report.show(done)
        if done.idle:
            report.say("Nothing is waiting: every code that was read is linked or dismissed.")
            return
        _say_answers(report, done)
        _say_rest(report, done, listed=source is not None and not lines)


def _source(file: str, as_json: bool) -> str | None:
    """The file of the lines to go by, "" for none; None where a person sits at the terminal."""
    if file:
        return file
    if sys.stdin is None or sys.stdin.closed:
        return ""
    if sys.stdin.isatty():
        return "" if as_json or not sys.stdout.isatty() else None
    return STDIN


def _say_answers(report: Report, done: ReviewedScans) -> None:
    """What was answered, and what was entered by it."""
    counts = (
        (done.repeated, "line", "lines", "of what was so before"),
        (len(done.dismissed), "code", "codes", "dismissed"),
        (len(done.refused), "match", "matches", "refused"),
        (len(done.agreed), "match", "matches", "confirmed"),
        (len(done.linked), "code", "codes", "linked"),
    )
    for count, one, several, what in counts:
        if count:
            report.say(f"{pluralize(count, one, several)} {what}")
    say_changes(report, done.changes, done.batch)
    if done.entering and not done.changes:
        report.say("Nothing to enter: all that is confirmed was entered before.")


def _say_rest(report: Report, done: ReviewedScans, *, listed: bool) -> None:
    """What waits still; ``listed`` with its files."""
    confirmed = [row for row in done.proposed if row.confirmed]
    proposed = len(done.proposed) - len(confirmed)
    for row in done.proposed if listed else ():
        report.say(row.shown)
    if proposed:
        still = "" if listed else "still "
        report.say(f"{pluralize(proposed, 'match', 'matches')} {still}proposed")
    if confirmed:
        report.say(f"{pluralize(len(confirmed), 'match', 'matches')} confirmed and not entered")
        report.say('To refuse one: a line "CODE -"')
    if any(len(row.cards) == 1 for row in confirmed):
        report.say("To enter them: digideck scan photos --add")
    for waiting in done.waiting if listed else ():
        report.say(f"{waiting.shown}  {pluralize(waiting.reads, 'read')}")
        for path in shown_files(waiting.paths):
            report.say(f"    {path}")
    if done.waiting:
        report.say(f"{pluralize(len(done.waiting), 'code')} waiting")
    if listed and done.waiting:
        report.say('To name cards: digideck scan review at a terminal, or lines "CODE CARD"')
    elif listed and done.proposed:
        report.say('To answer: digideck scan review at a terminal, or lines "CODE CARD", "CODE -"')
