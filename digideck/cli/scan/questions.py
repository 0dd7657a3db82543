"""The questions of ``digideck scan review`` at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from digideck.catalog.cards import Card
from digideck.cli.keypress import Keys
from digideck.cli.render.output import Report
from digideck.core.problems import Problem
from digideck.operations.scans.review_rows import ProposedMatch
from digideck.operations.scans.review_scans import DISMISS, Review

_QUIT, _LATER = "q", ""
_MOST_FILES = 3
_MOST_CHOICES = 9
_KEYS = {
    "y": "y",
    "n": DISMISS,
    DISMISS: DISMISS,
    "\n": _LATER,
    "\r": _LATER,
    " ": _LATER,
    "q": _QUIT,
    "": _QUIT,  # the end of what can be typed
    "\x03": _QUIT,
    "\x04": _QUIT,
}
_ECHO = {"y": "yes", DISMISS: "no", _LATER: "later", _QUIT: "end"}


def ask(report: Report, review: Review) -> None:
    """Ask about each proposed match and each waiting code, until the last or until q."""
    if _ask_matches(report, review) and review.waiting:
        _ask_codes(report, review)


def shown_files(paths: Sequence[str]) -> list[str]:
    """The first files of a code, for people; one is named for each of its reads."""
    counts = Counter(paths)
    shown = [f"{path} ({n} times)" if n > 1 else path for path, n in counts.items()]
    more = len(shown) - _MOST_FILES
    return [*shown[:_MOST_FILES], *([f"and {more} more"] if more > 0 else [])]


# --- matches ----------------------------------------------------------------------


def _ask_matches(report: Report, review: Review) -> bool:
    """Ask whether matches are right; whether to go on."""
    asked = review.proposed
    if asked:
        report.say("Bars that nothing could read are like those of a known code. Is it this card?")
        _explain_keys(report)
    for place, match in enumerate(asked, start=1):
        report.say()
        report.say(f"{place}/{len(asked)}  {match.path}")
        answer = _answer_match(report, review, match)
        if answer == _QUIT:
            return False
        if answer == _LATER:
            continue
        card = answer if isinstance(answer, Card) else None
        if not review.answer(match, card):  # at once: looking at it was work
            report.say("    it was entered or refused by somebody else meanwhile")
    return True


def _explain_keys(report: Report) -> None:
    report.say("One key: y is yes, n or - is no, Enter leaves it for later, q ends, ? says this.")


def _answer_match(report: Report, review: Review, match: ProposedMatch) -> Card | str:
    """What was typed: a card, "-", "q", or "" for later."""
    code = match.read.code
    report.say(f"    {match.shown}")
    for name, line in zip(("photo", "code"), match.shaded, strict=False):
        report.say(f"    {name:6}{line}")
    cards = review.cards(code)
    _show_cards(report, cards)
    while True:
        key = _key("  right? " if len(cards) < 2 else "  which? ")
        answer = _KEYS.get(key)
        if answer == "y" and len(cards) == 1:
            return cards[0]
        if answer not in (None, "y"):
            return str(answer)
        if len(cards) > 1 and key in "123456789" and int(key) <= len(cards):
            if _is_kept(report, review.refusal(code, cards[int(key) - 1])):
                return cards[int(key) - 1]
            continue
        _explain_keys(report)
        _show_cards(report, cards)


def _show_cards(report: Report, cards: Sequence[Card]) -> None:
    if len(cards) == 1:
        report.say(f"    {cards[0].key}  {cards[0].name}")
    elif not cards:
        report.say("    the code is linked to no card any more: y cannot be said, - forgets it")
    else:
        report.say("    the code is on several cards: a number says which, - none of them")
        _show_choices(report, cards[:_MOST_CHOICES])
        if len(cards) > _MOST_CHOICES:
            report.say(f'    and {len(cards) - _MOST_CHOICES} more, to be named in a line "CODE '
                       'CARD"')  # fmt: skip


def _show_choices(report: Report, cards: Sequence[Card]) -> None:
    for number, card in enumerate(cards, start=1):
        report.say(f"    {number}  {card.key}  {card.name}")


def _key(prompt: str) -> str:
    """One key, with what it means shown."""
    with Keys() as keys:  # before the prompt: what was typed ahead answers no question
        try:
            print(prompt, end="", flush=True)
            key = keys.wait().lower()
        except KeyboardInterrupt:  # the answers so far are carried out
            key = _QUIT
    print(_ECHO.get(_KEYS.get(key, key), key if key.isprintable() else ""), flush=True)
    return key


# --- codes ------------------------------------------------------------------------


def _ask_codes(report: Report, review: Review) -> None:
    """Ask about one code after the other, until the last or until q."""
    _explain_codes(report)
    for place, entry in enumerate(review.waiting.values(), start=1):
        report.say()
        report.say(f"{place}/{len(review.waiting)}  {entry.code.short}")
        for path in shown_files(entry.paths):
            report.say(f"    {path}")
        answer = _answer_code(report, review, partial(review.refusal, entry.code))
        if answer == _QUIT:
            return
        if answer == DISMISS:
            review.dismiss(entry.code)
        elif isinstance(answer, Card):
            review.name(entry.code, answer)
            report.say(f"    {answer.key}  {answer.name}")


def _explain_codes(report: Report) -> None:
    report.say("The card of each code: a number or a name. Enter leaves it for later,")
    report.say("- says that it is no card's, q ends, ? says this again.")


def _answer_code(
    report: Report, review: Review, refusal: Callable[[Card], Problem | None]
) -> Card | str:
    """What was typed: a card, "-", "q", or "" for later."""
    choices: list[Card] = []
    while True:
        try:
            text = input("  card: ").strip()
        except (EOFError, KeyboardInterrupt):  # what was named so far is carried out
            report.say()
            return _QUIT
        if text in (_LATER, DISMISS, _QUIT):
            return text
        chosen = text.isdecimal() and 1 <= int(text) <= len(choices)
        found = [choices[int(text) - 1]] if chosen else review.meant(text)
        if len(found) == 1:
            if _is_kept(report, refusal(found[0])):
                return found[0]
            continue
        if not found and text.lower() in ("?", "h", "help"):
            _explain_codes(report)
            continue
        found = found or review.near(text)
        choices = found[:_MOST_CHOICES]
        if not choices:
            report.say("    no card is called so, or nearly so")
        _show_choices(report, choices)
        if len(found) > len(choices):
            report.say(f"    and {len(found) - len(choices)} more: name a card number")


def _is_kept(report: Report, refusal: Problem | None) -> bool:
    """Whether an answer would be kept; why not is told."""
    if refusal:
        report.say(f"    {refusal.message} ({refusal.next_step})")
    return refusal is None
