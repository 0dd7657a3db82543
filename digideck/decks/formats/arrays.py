"""Arrays of card numbers, one entry a copy: Tabletop Simulator and Project Drasil.

Programs write them as JSON, people paste them without a bracket or a quote.
So the text is taken apart by commas, whatever it is: there is no nesting to follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

from digideck.catalog.mention_text import looks_like_number
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.decks.formats.deck_file_format import (
    Copies,
    Written,
    each_copy,
)
from digideck.decks.model import Deck, DeckVocabulary
from digideck.decks.parse.text_deck import numbered_line

MOST_PROBLEMS = 20
_ITEM = re.compile(r'("(?:[^"\\\n]|\\.)*"|[^,\n"]*)(,|\n|$)|[^,\n]+')
_QUOTES = "\"'“”‘’ \t\r"
_BANNER = re.compile(r"exported from\b", re.IGNORECASE)


def read_array(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in an array of numbers. Raises InputError where the numbers are not on its
    top level; an item that is no number is a problem.
    """
    copies = Copies()
    problems: list[Problem] = []
    skipped = 0
    for place, item in _items(text, file):
        if _BANNER.match(item):
            continue
        if looks_like_number(item, words):
            copies.add(numbered_line(1, item, words, place=place))
        elif len(problems) < MOST_PROBLEMS:
            problems.append(_no_number(item, file, place))
        else:
            skipped += 1
    if skipped:
        more = f"and {skipped:,} more items that are no card number"
        problems.append(Problem(Code.LINE_UNREADABLE, Severity.ERROR, more, file))
    if not text.rstrip().endswith("]") and not problems:
        problems.append(_lost_bracket(file))
    return Deck(file, tuple(copies.lines()), tuple(problems))


def _items(text: str, file: str) -> Iterator[tuple[int, str]]:
    """The items that are not empty, with their lines."""
    body = text.strip()
    start = 1 if body.startswith("[") else 0
    end = len(body) - 1 if body.endswith("]") else len(body)
    if body[start : start + 100].lstrip().startswith(("[", "{")):
        raise input_error(
            Code.ARRAY_NESTED,
            f"{'arrays inside an array' if start else 'a JSON object'}, expected card numbers",
            file=file,
            allowed='["BT1-001", "BT1-001", ...]',
            next_step='expected one array of card numbers, such as ["BT1-001", "BT1-001"]',
        )
    offset = text.count("\n", 0, len(text) - len(text.lstrip()))
    place = offset + 1
    for match in _ITEM.finditer(body, start, end):
        item = _unquoted(match[1] if match[1] is not None else match[0])
        if item:
            yield place, item
        place += match[0].count("\n")


def _unquoted(item: str) -> str:
    item = item.strip()
    if item.startswith('"') and "\\" in item:
        with suppress(ValueError):  # broken escapes stay, and are named in the message
            item = str(json.loads(item))
    return item.strip(_QUOTES)


def _no_number(item: str, file: str, place: int) -> Problem:
    shown = item if len(item) <= 40 else f"{item[:40]}..."
    return Problem(
        Code.LINE_UNREADABLE,
        Severity.ERROR,
        f"cannot read {shown!r}: no card number",
        file,
        place,
        allowed="card numbers, one for each copy",
        next_step='expected card numbers, such as ["BT1-001", "BT1-001", "BT5-001_P1"]',
    )


def _lost_bracket(file: str) -> Problem:
    return Problem(
        Code.ARRAY_OPEN,
        Severity.WARNING,
        "the closing bracket is missing: the end of the list may be lost",
        file,
        next_step="count the cards",
    )


def write_tts(deck: Deck, words: DeckVocabulary) -> Written:
    """The array for Tabletop Simulator, under the line that names its program."""
    numbers = [line.number or "" for line in each_copy(deck.lines)]
    return Written(_array(["Exported from digideck", *numbers]))


def write_drasil(deck: Deck, words: DeckVocabulary) -> Written:
    """The array for Project Drasil: printings told apart, no line before them."""
    return Written(_array([f"{line.number}{line.variant or ''}" for line in each_copy(deck.lines)]))


def _array(items: list[str]) -> str:
    return json.dumps(items, ensure_ascii=False, separators=(",", ":")) + "\n"
