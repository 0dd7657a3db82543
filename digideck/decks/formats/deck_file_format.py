"""What a form of deck file is: how it is told from others, read, and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.decks.model import MOST_ON_A_LINE, Deck, DeckLine, DeckVocabulary

# What a form may have no place for.
VARIANTS = "variants"
EDITIONS = "editions"
SETS = "sets"
NAMES = "names"
GAME_2020 = "dcg"


class Written(NamedTuple):
    """A deck in some form, and what had to be changed to get there."""

    text: str
    problems: tuple[Problem, ...] = ()


Recogniser = Callable[[str], bool]
Reader = Callable[[str, str, DeckVocabulary], Deck]
Writer = Callable[[Deck, DeckVocabulary], Written]


def _never(text: str) -> bool:
    return False


class DeckFileFormat(NamedTuple):
    """One form of deck file.

    ``recognise(text)`` tells by content, with the space around ``text`` taken
    off. ``read(text, file, words)`` gives the deck; it raises InputError for what
    is not of the form at all. ``write(deck, words)`` is the way back, None where
    there is none; its decks have been through `digideck.decks.formats.convert`. ``lacks``
    is what the form has no place for, ``zones`` the zones that it tells apart beside
    those that a card's kind decides (None: any), ``details`` the keys of a deck's
    details that it holds (None: any). ``game`` is the game of the program whose form it is;
    ``numbers`` the pattern of the numbers that it can spell, where not any;
    ``copy_by_copy`` whether it writes each copy of a card for itself.
    """

    code: str
    title: str
    extension: str
    read: Reader
    recognise: Recogniser = _never
    write: Writer | None = None
    lacks: frozenset[str] = frozenset()
    zones: tuple[str, ...] | None = ()
    details: tuple[str, ...] | None = ()
    game: str | None = None
    needs_number: bool = False
    numbers: str = ""
    copy_by_copy: bool = False


class Copies:
    """Collects cards that stand one by one into lines with a count, in their order."""

    def __init__(self) -> None:
        self._counts: Counter[DeckLine] = Counter()
        self._places: dict[DeckLine, int | None] = {}

    def add(self, line: DeckLine, copies: int = 1) -> None:
        """``copies`` more of ``line``, whose own count and place do not matter."""
        key = replace(line, count=0, line=None)
        self._counts[key] += copies
        self._places.setdefault(key, line.line)

    def lines(self) -> Iterator[DeckLine]:
        """Lines of at most as many copies as one line may have."""
        for key, count in self._counts.items():
            for start in range(0, count, MOST_ON_A_LINE):
                copies = min(MOST_ON_A_LINE, count - start)
                yield replace(key, count=copies, line=self._places[key])


def each_copy(lines: Iterable[DeckLine]) -> Iterator[DeckLine]:
    """Every line once for each of its copies."""
    for line in lines:
        for _ in range(line.count):
            yield line


def loss(code: Code, message: str, file: str, next_step: str | None = None) -> Problem:
    """The warning for something that a form has no place for."""
    return Problem(code, Severity.WARNING, message, file, next_step=next_step)


def zones_in_order(deck: Deck) -> dict[str, list[DeckLine]]:
    """The lines by zone, zones in the order in which they first come."""
    found: dict[str, list[DeckLine]] = {}
    for line in deck.lines:
        found.setdefault(line.zone, []).append(line)
    return found


def known_zone(
    name: str, words: DeckVocabulary, deck_zone: str, file: str, place: int | None
) -> tuple[str, Problem | None]:
    """The zone called ``name``; a zone of no game counts as ``deck_zone``, which is reported."""
    zone = words.zone_of(name) if name else deck_zone
    if zone is not None:
        return zone, None
    problem = Problem(
        Code.ZONE_UNKNOWN,
        Severity.WARNING,
        f"no game has a zone called {name!r}: its cards are read as part of the main deck",
        file,
        place,
        next_step=f"if that is wrong, rename it, such as {words.zone_titles['side']}",
    )
    return deck_zone, problem
