"""``digideck scan review``"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from digideck.cli.exits import Exit, worst
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.output import Report, command, counted
from digideck.cli.pile_options import Condition, Finish, Language, Note, Place, details
from digideck.cli.resolve import check_game
from digideck.cli.scan_entering import Wanted, enter, undone_batches
from digideck.scan.drawing import shaded
from digideck.scan.links import (
    Code,
    Link,
    add_links,
    cards_by_code,
    cards_of,
    code_named,
    escaped,
)
from digideck.scan.memory import (
    DISMISSED,
    WAITING,
    StoredRead,
    WaitingCode,
    proposed_reads,
    settle,
    waiting_codes,
    waiting_reads,
)
from digideck.schema.cards import Card, CardIndex
from digideck.schema.database import open_to_write, transaction
from digideck.schema.problems import Problem, Severity, Unusable, unusable
from digideck.schema.resolve import no_card, several_cards
from digideck.schema.textfile import STDIN, decode, read_bytes, shown_path

LARGEST_LIST = 20_000_000  # bytes
_DISMISS = "-"
_MOST_FILES = 3
_MOST_CHOICES = 9


@dataclass
class Review:
    """What is named in one review: links to make, cards of reads, codes to dismiss."""

    index: CardIndex
    game: str | None
    waiting: dict[Code, WaitingCode]
    proposed: dict[Code, list[tuple[StoredRead, str]]] = field(default_factory=dict)
    named: dict[Code, Card] = field(default_factory=dict)
    agreed: dict[int, Card] = field(default_factory=dict)  # ids of matches that are right
    refused: list[int] = field(default_factory=list)  # and of those that are not
    dismissed: list[Code] = field(default_factory=list)


def run(
    file: Annotated[
        str,
        typer.Argument(metavar="[FILE]", help='Lines "PAYLOAD CARD"; - is standard input.'),
    ] = "",
    add: Annotated[
        bool, typer.Option("--add/--no-add", help="Enter the reads that were waiting.")
    ] = True,
    condition: Condition = "",
    language: Language = "",
    finish: Finish = "",
    place: Place = "",
    note: Note = "",
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

    Bars that were matched and not read are proposed: y confirms one, - refuses it.
    In lines, the code and its card, or -, say the same.

    Exit codes: 1 nothing is waiting, 3 a line cannot be used, 4 a card in it can be
    any of several.
    """
    with command("scan review", json) as report:
        given = details(
            condition=condition, language=language, finish=finish, place=place, note=note
        )
        index = CardIndex(open_to_write(db))
        review = Review(index, check_game(index, game), _waiting(index), _proposed(index))
        report.data = {
            "waiting": [],
            "proposed": [],
            "linked": [],
            "agreed": [],
            "dismissed": [],
            "batch": None,
            "changes": [],
        }
        lines = _lines(file, json)
        if not review.waiting and not review.proposed and not lines:
            report.exit_code = Exit.NO
            report.say("Nothing is waiting: every code that was read is linked or dismissed.")
            return
        if lines is None:
            if _ask_proposed(report, review):
                _ask(report, review)
        else:
            codes = [_take(report, review, *line) for line in lines]
            report.exit_code = worst([Exit.OK, *codes])
        _carry_out(report, review, given, add=add)
        _list_waiting(report, review, listed=lines is not None and not lines)


def _waiting(index: CardIndex) -> dict[Code, WaitingCode]:
    undone = undone_batches(index.connection)
    linked = cards_by_code(index.connection)
    return {entry.code: entry for entry in waiting_codes(index.connection, linked, undone)}


def _proposed(index: CardIndex) -> dict[Code, list[tuple[StoredRead, str]]]:
    found: dict[Code, list[tuple[StoredRead, str]]] = {}
    for read, path in proposed_reads(index.connection):
        found.setdefault(read.code, []).append((read, path))
    return found


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


def _take(report: Report, review: Review, file: str, number: int, line: str) -> Exit:
    """Go by one line; what is wrong with it is reported."""
    try:
        code, text = _split(review, line)
        matched = review.proposed.get(code, [])
        if text == _DISMISS:
            review.refused += [read.id for read, _ in matched]
            if code in review.waiting:
                review.dismissed.append(code)
            return Exit.OK
        found = review.index.meant_by(text, review.game)
        if len(found) != 1:
            make = several_cards(text, found) if found else no_card(review.index, text, review.game)
            raise Unusable(make)
        _refuse_second(review, code, found[0])
        if matched and found[0].id in cards_of(review.index.connection, code):
            review.agreed |= {read.id: found[0] for read, _ in matched}
        elif matched and code not in review.waiting:
            raise _other_card(review, code, found[0])
        if code in review.waiting:
            review.named[code] = found[0]
    except Unusable as failure:
        from dataclasses import replace

        for problem in failure.problems:
            report.problem(replace(problem, file=file, line=number))
        unknown = all(problem.severity is Severity.UNKNOWN for problem in failure.problems)
        return Exit.UNDECIDED if unknown else Exit.UNUSABLE
    return Exit.OK


def _other_card(review: Review, code: Code, card: Card) -> Unusable:
    ids = cards_of(review.index.connection, code)
    titles = " or ".join(other.title for other in review.index.by_ids(ids))
    return unusable(
        "match-of-other",
        f"the bars were matched to {code.short}, which is {titles or 'no card now'}, "
        f"not {card.title}",
        next_step=f'expected "{code.short} CARD" with that card, or - to refuse the match',
    )


def _split(review: Review, line: str) -> tuple[Code, str]:
    """The code and the card of a line. The waiting codes tell where a payload ends."""
    if "\t" in line:
        payload, _, card = line.partition("\t")
        return _code(review, payload.strip()), card.strip()
    codes = [*review.waiting, *review.proposed]
    written = {spelling: code for code in codes for spelling in _spellings(code)}
    fitting = [text for text in written if line.startswith(f"{text} ")]
    if fitting:
        longest = max(fitting, key=len)
        same = {code for code in codes if longest in _spellings(code)}
        code = next(iter(same)) if len(same) == 1 else _code(review, longest)
        return code, line[len(longest) :].strip()
    payload, _, card = line.strip().partition(" ")
    return _code(review, payload), card.strip()


def _spellings(code: Code) -> tuple[str, ...]:
    return code.written, escaped(code.payload), code.short


def _code(review: Review, text: str) -> Code:
    code = code_named(review.index.connection, text)
    if code in review.waiting or code in review.proposed:
        return code
    if len(cards_by_code(review.index.connection).get(code, ())) == 1:
        raise unusable(
            "code-not-waiting",
            f"{code.written} is linked already",
            next_step=f"digideck barcode list {code.written} shows to what",
        )
    raise unusable(
        "code-not-waiting",
        f"no read of {text!r} is waiting",
        next_step='expected "PAYLOAD CARD"; digideck scan review lists the payloads',
    )


def _refuse_second(review: Review, code: Code, card: Card) -> None:
    other = review.named.get(code)
    if other and other.id != card.id:
        raise unusable(
            "named-twice",
            f"{code.written} was named {other.title} before, and {card.title} here",
            next_step="keep one of the lines",
        )


# --- at the terminal ------------------------------------------------------------


def _ask_proposed(report: Report, review: Review) -> bool:
    """Ask whether matches are right; whether to go on."""
    entries = [entry for entries in review.proposed.values() for entry in entries]
    if entries:
        report.say("Bars that nothing could read are like those of a known code. Is it this card?")
        report.say("y is yes, - is no, Enter leaves it for later, q ends.")
    for place, (read, path) in enumerate(entries, start=1):
        cards = review.index.by_ids(cards_of(review.index.connection, read.code))
        report.say()
        report.say(f"{place}/{len(entries)}  {path}")
        report.say(f"    like {read.code.short} by {read.likeness:.2f}, "
                   f"{read.margin:.2f} more than any other")  # fmt: skip
        for name, line in zip(("photo", "code"), shaded(read.drawing or b""), strict=False):
            report.say(f"    {name:6}{line}")
        for card in cards:
            report.say(f"    {card.key}  {card.name}")
        answer = _typed("  right? ") if len(cards) == 1 else _none_or_several(report, cards)
        if answer == "q":
            return False
        if answer == _DISMISS:
            review.refused.append(read.id)
        elif answer.lower() in ("y", "yes"):
            review.agreed[read.id] = cards[0]
            with transaction(review.index.connection):
                settle(review.index.connection, [read.id], WAITING)
    return True


def _none_or_several(report: Report, cards: Sequence[Card]) -> str:
    report.say(
        "    the code is on several cards now, so that this cannot be answered here"
        if cards
        else "    the code is linked to no card any more"
    )
    return ""


def _typed(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        return "q"


def _ask(report: Report, review: Review) -> None:
    """Ask about one code after the other, until the last or until q."""
    report.say("The card of each code: a number or a name. Enter leaves it for later,")
    report.say("- says that it is no card's, q ends.")
    for place, entry in enumerate(review.waiting.values(), start=1):
        report.say()
        report.say(f"{place}/{len(review.waiting)}  {entry.code.written}")
        for path in _files(entry):
            report.say(f"    {path}")
        answer = _answer(report, review)
        if answer == "q":
            return
        if answer == _DISMISS:
            review.dismissed.append(entry.code)
        elif isinstance(answer, Card):
            review.named[entry.code] = answer
            with transaction(review.index.connection):  # at once: typing it was work
                add_links(review.index.connection, [Link(entry.code, answer.id, "review")])
            report.say(f"    {answer.key}  {answer.name}")


def _files(entry: WaitingCode) -> list[str]:
    counts = Counter(entry.paths)
    shown = [f"{path} ({n} times)" if n > 1 else path for path, n in counts.items()]
    more = len(shown) - _MOST_FILES
    return [*shown[:_MOST_FILES], *([f"and {more} more"] if more > 0 else [])]


def _answer(report: Report, review: Review) -> Card | str:
    """What was typed: a card, "-", "q", or "" for later."""
    choices: list[Card] = []
    while True:
        try:
            text = input("  card: ").strip()
        except (EOFError, KeyboardInterrupt):  # what was named so far is carried out
            report.say()
            return "q"
        if text in ("", _DISMISS, "q"):
            return text
        if text.isdecimal() and 1 <= int(text) <= len(choices):
            return choices[int(text) - 1]
        found = review.index.meant_by(text, review.game)
        if len(found) == 1:
            return found[0]
        choices = (found or _near(review, text))[:_MOST_CHOICES]
        if not choices:
            report.say("    no card is called so, or nearly so")
        for number, card in enumerate(choices, start=1):
            report.say(f"    {number}  {card.key}  {card.name}")
        if len(found) > len(choices):
            report.say(f"    and {len(found) - len(choices)} more: name a number")


def _near(review: Review, text: str) -> list[Card]:
    near = review.index.near_misses(text, review.game)
    cards = [card for name in near for card in review.index.meant_by(name, review.game)]
    return list({card.id: card for card in cards}.values())


# --- what comes of it -------------------------------------------------------------


def _carry_out(report: Report, review: Review, given: dict[str, str], *, add: bool) -> None:
    connection = review.index.connection
    undone = undone_batches(connection)
    with transaction(connection):
        settle(connection, review.agreed, WAITING)
        settle(connection, review.refused, DISMISSED)
        add_links(
            connection, (Link(code, card.id, "review") for code, card in review.named.items())
        )
        for code in review.dismissed:
            ids = [read.id for read in waiting_reads(connection, code, undone)]
            settle(connection, ids, DISMISSED)
    report.data["linked"] = [
        {"code": code.written, "card": card.key} for code, card in review.named.items()
    ]
    report.data["dismissed"] = [code.written for code in review.dismissed]
    if review.dismissed:
        report.say(f"{counted(len(review.dismissed), 'code')} dismissed")
    report.data["agreed"] = sorted({card.key for card in review.agreed.values()})
    if review.refused:
        report.say(f"{counted(len(review.refused), 'match', 'matches')} refused")
    if not review.named and not review.agreed:
        return
    if review.agreed:
        report.say(f"{counted(len(review.agreed), 'match', 'matches')} confirmed")
    if review.named:
        report.say(f"{counted(len(review.named), 'code')} linked")
    if add:
        wanted = [Wanted(read_id, card.id) for read_id, card in review.agreed.items()]
        wanted += [
            Wanted(read.id, card.id)
            for code, card in review.named.items()
            for read in waiting_reads(connection, code, undone)
        ]
        cards = [*review.named.values(), *review.agreed.values()]
        enter(report, review.index, wanted, given, _said(cards))


def _said(cards: Sequence[Card]) -> str:
    titles = list(dict.fromkeys(card.title for card in cards))
    return titles[0] if len(titles) == 1 else f"{titles[0]} and {len(titles) - 1} more"


def _list_waiting(report: Report, review: Review, *, listed: bool) -> None:
    left = _waiting(review.index)
    _list_proposed(report, review, listed=listed)
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
            report.say(f"{entry.code.written}  {counted(len(entry.read_ids), 'read')}")
            for path in _files(entry):
                report.say(f"    {path}")
    if left:
        report.say(f"{counted(len(left), 'code')} waiting")
    if listed and left:
        report.say('To name cards: digideck scan review at a terminal, or lines "PAYLOAD CARD"')
    for problem in _several(left, review):
        report.problem(problem)


def _list_proposed(report: Report, review: Review, *, listed: bool) -> None:
    found = _proposed(review.index)
    for code, entries in found.items():
        cards = review.index.by_ids(cards_of(review.index.connection, code))
        for read, path in entries:
            report.data["proposed"].append(
                {
                    "code": code.written,
                    "cards": [card.key for card in cards],
                    "likeness": read.likeness,
                    "margin": read.margin,
                    "weakest": read.weakest,
                    "file": path,
                }
            )
            if listed:
                titles = " or ".join(card.title for card in cards)
                report.say(f"{code.short}  proposed for {path}: {titles}, like by "
                           f"{read.likeness:.2f}")  # fmt: skip
    if found:
        report.say(f"{counted(sum(map(len, found.values())), 'match', 'matches')} proposed")


def _several(left: dict[Code, WaitingCode], review: Review) -> list[Problem]:
    """Codes that are on several cards wait although they are linked."""
    linked = cards_by_code(review.index.connection)
    return [
        Problem(
            "code-on-several",
            Severity.NOTE,
            f"{code.written} is on {len(linked[code])} cards: say which one was photographed",
            have=len(linked[code]),
        )
        for code in left
        if len(linked.get(code, ())) > 1
    ]
