"""``digideck scan review``"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import one_card
from digideck.cli.collection.copy_options import Condition, Finish, Language, Note, Place, details
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command
from digideck.cli.scan.answers import DISMISS, Answer, Review
from digideck.cli.scan.entering import Wanted, enter, undone_batches
from digideck.cli.scan.questions import ask, files
from digideck.cli.scan.table import alike
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.text import STDIN, pluralize, shown_path
from digideck.files.input import decode, read_bytes
from digideck.operations.holding_rows import summary_of
from digideck.scan.store.links import (
    Barcode,
    Link,
    add_links,
    cards_by_code,
    code_named,
    cut,
    escaped,
)
from digideck.scan.store.read_store import (
    DISMISSED,
    NOTED,
    PROPOSED,
    WAITING,
    codes_read,
    reads_of,
    settle,
)
from digideck.schema.connection import open_to_write, transaction

LARGEST_LIST = 20_000_000  # bytes


def run(
    file: Annotated[
        str,
        typer.Argument(metavar="[FILE]", help='Lines "CODE CARD"; - is standard input.'),
    ] = "",
    add: Annotated[
        bool, typer.Option("--add/--no-add", help="Enter the reads that were waiting.")
    ] = True,
    condition: Condition = None,
    language: Language = None,
    finish: Finish = None,
    place: Place = None,
    note: Note = None,
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
    with command("scan review", json) as report:
        given = details(
            condition=condition, language=language, finish=finish, place=place, note=note
        )
        index = CardIndex(open_to_write(db))
        review = Review(index, check_game(index, game), add)
        report.data = {
            "waiting": [],
            "proposed": [],
            "linked": [],
            "agreed": [],
            "refused": [],
            "dismissed": [],
            "batch": None,
            "changes": [],
        }
        lines = _lines(file, json)
        if not review.waiting and not review.matches and not lines:
            report.exit_code = Exit.NO
            report.say("Nothing is waiting: every code that was read is linked or dismissed.")
            return
        if lines is None:
            ask(report, review)
        else:
            _take(report, review, lines)
        _carry_out(report, review, given)
        _list(report, review, listed=lines is not None and not lines)


Numbered = tuple[str, int, str]  # file, line, text


def _lines(file: str, as_json: bool) -> list[Numbered] | None:
    """The lines to go by; None where a person sits at the terminal."""
    if not file:
        if sys.stdin is None or sys.stdin.closed:
            return []
        if sys.stdin.isatty():
            return [] if as_json or not sys.stdout.isatty() else None
    path = file or STDIN
    data = read_bytes(path, limit=LARGEST_LIST, what="a list of codes and cards")
    shown = shown_path(path)
    text, _ = decode(data, file=shown)
    return [
        (shown, number, line.strip("\r"))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _take(report: Report, review: Review, lines: list[Numbered]) -> None:
    """Go by the lines; what is wrong with one is reported, and the others count."""
    spellings = _Spellings(review)
    said: dict[Barcode, Card | None] = {}
    repeated = 0
    for file, number, line in lines:
        try:
            code, text = spellings.split(line)
            card = None if text == DISMISS else one_card(review.index, text, review.game)
            _refuse_second(said, code, card)
            if _open(review, code, card):
                if card:
                    review.check(code, card)
                said[code] = card
            else:
                repeated += 1
        except InputError as failure:
            report.failed(failure.at(file, number))
    for code, card in said.items():
        if code in review.waiting and card:
            review.named[code] = card
        elif code in review.waiting:
            review.dismissed.append(code)
    review.keep(
        Answer(match, card)
        for code, card in said.items()
        if card is None or card in review.cards(code)
        for match in review.matches.get(code, ())
    )
    if repeated:
        report.say(f"{pluralize(repeated, 'line')} of what was so before")


def _open(review: Review, code: Barcode, card: Card | None) -> bool:
    """Whether there is something to do with a line; False where it says what is so already.

    Raises InputError if nothing of the code waits, or not for this card.
    """
    linked = review.cards(code)
    if code in review.waiting or (code in review.matches and (card is None or card in linked)):
        return True
    if card in linked:
        return False
    if code in review.matches:
        assert card is not None
        raise _other_card(code, linked, card)
    reads = reads_of(review.index.connection, code, ())
    if card is None and any(read.status == DISMISSED for read in reads):
        return False
    if linked:
        titles = " and ".join(other.title for other in linked)
        raise input_error(
            Code.CODE_NOT_WAITING,
            f"{code.short} is linked already, to {titles}",
            next_step="digideck barcode unlink forgets a link",
        )
    raise input_error(
        Code.CODE_NOT_WAITING,
        f"no read of {code.short} is waiting",
        next_step="digideck scan review lists the codes that wait",
    )


def _other_card(code: Barcode, linked: list[Card], card: Card) -> InputError:
    titles = " or ".join(other.title for other in linked)
    return input_error(
        Code.MATCH_OF_OTHER,
        f"the bars were matched to {code.short}, which is {titles or 'no card now'}, "
        f"not {card.title}",
        next_step=f'expected "{code.short} CARD" with that card, or - to refuse the match',
    )


def _refuse_second(said: dict[Barcode, Card | None], code: Barcode, card: Card | None) -> None:
    if code not in said or said[code] == card:
        return
    before, now = (one.title if one else "no card's" for one in (said[code], card))
    raise input_error(
        Code.NAMED_TWICE,
        f"{code.short} was named {before} before, and {now} here",
        next_step="keep one of the lines",
    )


class _Spellings:
    """The codes that were read, or are linked, by each way to write them: they tell where
    in a line a code ends.
    """

    def __init__(self, review: Review) -> None:
        self._review = review
        self._codes: dict[str, set[Barcode]] = {}
        connection = review.index.connection
        for code in (*codes_read(connection), *cards_by_code(connection)):
            for spelling in (code.written, escaped(code.payload), code.short):
                self._codes.setdefault(spelling, set()).add(code)
        self._longest = max(map(len, self._codes), default=0)

    def split(self, line: str) -> tuple[Barcode, str]:
        """The code of a line, and the rest. Raises InputError."""
        payload, tab, text = line.partition("\t")
        if not tab:
            ends = (at for at in range(self._longest, 0, -1) if line[at : at + 1] == " ")
            end = next((at for at in ends if line[:at] in self._codes), None)
            if end is None:
                payload, _, text = line.strip().partition(" ")
            else:
                payload, text = line[:end], line[end:]
        if not text.strip():
            raise input_error(
                Code.NO_CARD_NAMED,
                f"{cut(escaped(line.strip()))!r} is one word",
                next_step='expected "CODE CARD", or "CODE -" for a code of no card',
            )
        return self._code(payload.strip()), text.strip()

    def _code(self, text: str) -> Barcode:
        """The code that is spelled so, one that waits before others."""
        codes, review = self._codes.get(text, set()), self._review
        open_ = {code for code in codes if code in review.waiting or code in review.matches}
        found = open_ or codes
        return next(iter(found)) if len(found) == 1 else code_named(review.index.connection, text)


# --- what comes of it -------------------------------------------------------------


def _carry_out(report: Report, review: Review, given: dict[str, str]) -> None:
    connection = review.index.connection
    answered = {answer.match.read.id: answer.card for answer in review.answers}
    cards: dict[int, Card] = {}
    with transaction(connection):
        undone = undone_batches(connection)
        add_links(
            connection, (Link(code, card.id, "review") for code, card in review.named.items())
        )
        for code in review.dismissed:
            reads = reads_of(connection, code, undone)
            open_ = [one.id for one in reads if one.status in (WAITING, NOTED)]
            settle(connection, (one for one in open_ if one not in answered), DISMISSED)
        for code, card in review.named.items():
            reads = reads_of(connection, code, undone)
            cards |= {one.id: card for one in reads if one.status == WAITING}
    # A match that was answered waits by now as the reads of its code do.
    cards |= {read_id: card for read_id, card in answered.items() if card}
    _say_answers(report, review)
    if review.named:
        report.say(f"{pluralize(len(review.named), 'code')} linked")
    if not review.add or not (cards or review.named):
        return
    wanted = [Wanted(read_id, card.id) for read_id, card in cards.items()]
    confirm = [read_id for read_id, card in answered.items() if card]
    said = summary_of([*review.named.values(), *cards.values()])
    enter(report, review.index, wanted, given, said, confirm=confirm)


def _say_answers(report: Report, review: Review) -> None:
    report.data["linked"] = [
        {"code": code.written, "card": card.key} for code, card in review.named.items()
    ]
    report.data["dismissed"] = [code.written for code in review.dismissed]
    agreed = [answer for answer in review.answers if answer.card]
    refused = [answer for answer in review.answers if not answer.card]
    report.data["agreed"] = [_answer_json(review, answer) for answer in agreed]
    report.data["refused"] = [_answer_json(review, answer) for answer in refused]
    if review.dismissed:
        report.say(f"{pluralize(len(review.dismissed), 'code')} dismissed")
    if refused:
        report.say(f"{pluralize(len(refused), 'match', 'matches')} refused")
    if agreed:
        report.say(f"{pluralize(len(agreed), 'match', 'matches')} confirmed")


def _answer_json(review: Review, answer: Answer) -> dict[str, str | None]:
    """The card of a match that was refused is the one it was matched to, if it is one."""
    code = answer.match.read.code
    linked = review.cards(code)
    card = answer.card or (linked[0] if len(linked) == 1 else None)
    return {
        "code": code.written,
        "card": card.key if card else None,
        "file": answer.match.path,
    }


# --- what is left -----------------------------------------------------------------


def _list(report: Report, review: Review, *, listed: bool) -> None:
    review.look()
    _list_matches(report, review, listed=listed)
    left = review.waiting
    report.data["waiting"] = [
        {
            "code": entry.code.written,
            "kind": entry.code.kind,
            "payload": entry.code.payload,
            "reads": len(entry.read_ids),
            "files": list(dict.fromkeys(entry.paths)),
        }
        for entry in left.values()
    ]
    if listed:
        for entry in left.values():
            report.say(f"{entry.code.short}  {pluralize(len(entry.read_ids), 'read')}")
            for path in files(entry):
                report.say(f"    {path}")
    if left:
        report.say(f"{pluralize(len(left), 'code')} waiting")
    if listed and left:
        report.say('To name cards: digideck scan review at a terminal, or lines "CODE CARD"')
    elif listed and review.matches:
        report.say('To answer: digideck scan review at a terminal, or lines "CODE CARD", "CODE -"')
    for problem in _several(review):
        report.problem(problem)


def _list_matches(report: Report, review: Review, *, listed: bool) -> None:
    """The proposals; those that were confirmed and are not entered can still be refused."""
    counts = {PROPOSED: 0, WAITING: 0}
    certain = 0  # confirmed matches whose card is known
    for code, matches in review.matches.items():
        cards = review.cards(code)
        titles = " or ".join(card.title for card in cards) or "no card any more"
        for match in matches:
            read = match.read
            counts[read.status] += 1
            certain += read.status == WAITING and len(cards) == 1
            report.data["proposed"].append(
                {
                    "code": code.written,
                    "cards": [card.key for card in cards],
                    "status": read.status,
                    "likeness": read.similarity,
                    "margin": read.margin,
                    "weakest": read.weakest,
                    "file": match.path,
                }
            )
            if listed:
                what = "proposed" if read.status == PROPOSED else "confirmed"
                report.say(f"{code.short}  {what} for {match.path}: {titles}, {alike(read)}")
    if counts[PROPOSED]:
        still = "" if listed else "still "
        report.say(f"{pluralize(counts[PROPOSED], 'match', 'matches')} {still}proposed")
    if counts[WAITING]:
        report.say(f"{pluralize(counts[WAITING], 'match', 'matches')} confirmed and not entered")
        report.say('To refuse one: a line "CODE -"')
    if certain:
        report.say("To enter them: digideck scan photos --add")


def _several(review: Review) -> list[Problem]:
    """Codes that are on several cards wait although they are linked."""
    linked = cards_by_code(review.index.connection)
    return [
        Problem(
            Code.CODE_ON_SEVERAL,
            Severity.NOTE,
            f"{code.short} is on {len(linked[code])} cards: say which one was photographed",
            have=len(linked[code]),
        )
        for code in review.waiting
        if len(linked.get(code, ())) > 1
    ]
