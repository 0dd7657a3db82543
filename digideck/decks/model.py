"""A deck as its file gives it, before any card is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.schema.games.game import Game

BRACKETS = re.compile(r"[\[(]([^\[\]()]*)[\])]")  # a set, a number, or part of a name
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
MOST_REMEMBERED = 50_000  # words, so that a folder of decks is read in constant memory


@dataclass(frozen=True, slots=True)
class DeckLine:
    """Some copies of one card.

    ``text`` is what stands for the card, ``number`` and ``name`` what was told
    apart in it (either may be missing). ``bare_name`` is the name without the
    bracketed words that may not belong to it. ``whole`` is the line read as a
    name alone: "Shoutmon X4" is a card, not four of a Shoutmon. ``variant`` is
    the mark of a printing behind the number ("_P1" of BT5-001_P1), ``set_code``
    the set that was written beside the card.
    """

    count: int
    text: str
    number: str | None = None
    name: str = ""
    edition: str | None = None
    game: str | None = None
    zone: str = MAIN
    line: int | None = None
    bare_name: str | None = None
    whole: str | None = None
    explicit: bool = True  # a count or a number was written
    variant: str | None = None
    set_code: str | None = None

    @property
    def full_number(self) -> str:
        """Number, printing and edition, as readers take it; empty without a number."""
        if not self.number:
            return ""
        edition = f"@{self.edition}" if self.edition else ""
        return f"{self.number}{self.variant or ''}{edition}"

    @property
    def written_number(self) -> str:
        """The number with the edition, as far as they were written."""
        number = self.number or ""
        return f"{number}@{self.edition}" if number and self.edition else number

    @property
    def shown(self) -> str:
        """Number and name as written, for messages."""
        return " ".join(part for part in (self.full_number, self.name) if part) or self.text


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


class DeckVocabulary:
    """The words and numbers that deck files use, of one game or of all.

    ``zones`` maps a heading to its zone, ``zone_titles`` a zone to the heading to
    write, ``headings`` stand over lines without moving them, ``tags`` are words in
    brackets that name a game, ``formats`` the codes of the formats.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        self.games = {game.code: game for game in games}
        self.zones = {search_key(word): zone for word, zone in _COMMON_ZONES.items()}
        self._is_number: dict[str, bool] = {}
        self.zone_titles = {MAIN: "Main Deck", SIDE: "Sideboard"}
        self.formats: set[str] = set()
        self.headings: set[str] = set()
        self.tags: set[str] = set()
        self.editions: set[str] = set()
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
            self.tags |= {search_key(word) for word in game.definition.get("tags") or ()}
            self.tags.add(search_key(game.code))
            self.editions |= set(game.editions)
        self._with_variants = [game for game in self.games.values() if game.numbers.variants]

    def is_number(self, text: str) -> bool:
        """Whether some game writes its card numbers like this."""
        known = self._is_number.get(text)
        if known is None:
            if len(self._is_number) >= MOST_REMEMBERED:
                self._is_number.clear()
            known = any(game.numbers.reads(text) for game in self.games.values())
            self._is_number[text] = known
        return known

    def split_variant(self, number: str) -> tuple[str, str | None]:
        """A number without the mark of its printing, and that mark: BT5-001 and _P1."""
        for game in self._with_variants:
            bare = game.numbers.without_variant(number)
            if bare != number and game.numbers.reads(bare):
                return bare, number[len(bare) :]
        return number, None

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
