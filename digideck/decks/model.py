"""A deck as its file gives it, before any card is looked up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from digideck.catalog.mentions import CardVocabulary, Mention
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.schema.games.game import Game

MAIN = "main"
SIDE = "side"
MOST_ON_A_LINE = 99
MOST_CARDS = 1000  # of a deck that is shuffled or written copy by copy
# What a text list can tell of a deck beside its cards; other forms may tell more.
TEXT_DETAILS = (
    "name",
    "game",
    "format",
    "author",
    "source",
    "language",
    "icon",
    "tags",
    "date",
    "player",
    "event",
    "comment",
    "key card",
    "sort index",
)


@dataclass(frozen=True, slots=True)
class DeckLine(Mention):
    """Some copies of one card, with the part of the deck under whose heading they stand."""

    zone: str = MAIN


_PLACE = Mention.__slots__.index("line")
_BEFORE_LINE = attrgetter(*Mention.__slots__[:_PLACE])
_BEHIND_LINE = attrgetter(*Mention.__slots__[_PLACE + 1 :])


def deck_line(mention: Mention, zone: str, line: int | None) -> DeckLine:
    """A card as it was read, at its place in a deck."""
    values = (*_BEFORE_LINE(mention), line, *_BEHIND_LINE(mention), zone)
    return DeckLine(*values)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a deck is judged for: a day (YYYY-MM-DD), the lists of a region, and whether as
    a ``draft`` still being built, so that its size is no error.
    """

    day: str = ""
    region: str = ""
    draft: bool = False


TODAY = Occasion()


@dataclass(frozen=True)
class Deck:
    """The lines of one deck file, and what could not be read in it."""

    file: str
    lines: tuple[DeckLine, ...]
    problems: tuple[Problem, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)  # by TEXT_DETAILS and others
    form: str = ""  # the code of the form it was read as

    @property
    def unreadable(self) -> bool:
        """Whether a line was lost: such a deck cannot be judged."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)

    def cards(self, zone: str | None = None) -> int:
        """The number of cards in a zone, or in all."""
        return sum(line.count for line in self.lines if zone in (None, line.zone))


_COMMON_ZONES = {
    "deck": MAIN,
    "main": MAIN,
    "main deck": MAIN,
    "mainboard": MAIN,
    "cards": MAIN,
    "side": SIDE,
    "sideboard": SIDE,
    "side deck": SIDE,
    "サイドデッキ": SIDE,
}


class DeckVocabulary(CardVocabulary):
    """The words that deck files use, of one game or of all.

    ``zones`` maps a heading to its zone, ``zone_titles`` a zone to the heading to
    write, ``headings`` stand over lines without moving them, ``formats`` are the
    codes of the formats.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        super().__init__(games)
        self.zones = {search_key(word): zone for word, zone in _COMMON_ZONES.items()}
        self.zone_titles = {MAIN: "Main Deck", SIDE: "Sideboard"}
        self.formats: set[str] = set()
        self.headings: set[str] = set()
        for game in self.games.values():
            for zone, entry in (game.definition.get("zones") or {}).items():
                words = entry.get("words") or ()
                self.zones |= {search_key(word): zone for word in words}
                if words:
                    self.zone_titles.setdefault(zone, words[0])
            self.formats |= set(game.definition.get("formats") or ())
            self.headings |= {search_key(word) for word in game.definition.get("headings") or ()}
            self.headings |= {key for key in game.word_of if not key.isdigit()}
            for level in game.levels:
                self.headings |= {
                    search_key(f"{before}{level}") for before in ("Level ", "Lv", "レベル", "Lv.")
                }

    def zone_of(self, word: str) -> str | None:
        """The zone that a word of a deck file names, if it does."""
        return self.zones.get(search_key(word))


def too_many_cards(file: str, cards: int, for_what: str) -> InputError:
    """A deck of more than MOST_CARDS, where each copy costs time and space."""
    return input_error(
        Code.TOO_MANY_CARDS,
        f"{cards:,} cards are too many {for_what}",
        file=file,
        have=cards,
        allowed=MOST_CARDS,
        next_step=f"at most {MOST_CARDS:,} cards: check the counts in the file",
    )
