"""Cards as records, and finding them in the database."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol, TypeVar

from digideck.catalog.mentions import CardVocabulary
from digideck.core.names import exact_key, search_key
from digideck.core.numbers import number_key, plain, sort_key
from digideck.schema.games.game import Game, game_called, game_from_row

MOST_REMEMBERED = 100_000  # look-ups, so that a folder of decks is checked in constant memory
_AMONG = "IN (SELECT value FROM json_each(?))"
_NUMBERS = f"""SELECT number_key, id FROM card WHERE number_key {_AMONG}
               ORDER BY game, number_sort, edition"""
_NAMES = f"""SELECT search_key, card_id FROM card_name JOIN card ON card.id = card_id
             WHERE search_key {_AMONG} ORDER BY game, number_sort, edition"""
_NAMES_OF = f"SELECT card_id, language, name, role FROM card_name WHERE card_id {_AMONG}"
_DOUBTS_OF = f"SELECT card_id, field, reason FROM doubt WHERE card_id {_AMONG}"
_PRINTINGS_OF = f"""SELECT card_id, code, COALESCE(name_en, name_ja), released, inferred
                    FROM in_set JOIN card_set ON card_set.game = in_set.game AND code = set_code
                    WHERE card_id {_AMONG} ORDER BY released IS NULL, released, position"""


class HasNumber(Protocol):
    """What a number can name."""

    @property
    def game(self) -> str:
        """The code of its game."""

    @property
    def number(self) -> str:
        """The number as printed."""


class Name(NamedTuple):
    """One name of a card. ``role``: name, species, also or alias (see the table)."""

    language: str
    text: str
    role: str


class Printing(NamedTuple):
    """A set that a card is in. ``released`` is a date, partial where only that is known;
    ``inferred``: no source states the set.
    """

    set_code: str
    set_name: str | None
    released: str | None
    inferred: bool

    @property
    def shown(self) -> str:
        """Code, name and date, for people."""
        date = f" ({self.released})" if self.released else ""
        inferred = "  inferred" if self.inferred else ""
        return f"{self.set_code}  {self.set_name or ''}{date}".rstrip() + inferred


@dataclass(frozen=True, slots=True)
class Card:
    """What a number names. None means unknown, never absent; no ``printings``
    means that the card's set is unknown.
    """

    id: int
    game: str
    number: str
    edition: str
    kind: str | None
    level: str | None
    limit_key: str | None
    names: tuple[Name, ...]
    fields: dict[str, Any] = field(hash=False)
    doubts: dict[str, str] = field(hash=False)
    printings: tuple[Printing, ...] = ()

    @property
    def key(self) -> str:
        """``alpha/DM02-095@asia``: what names this card and no other."""
        return f"{self.game}/{self.full_number}"

    @property
    def full_number(self) -> str:
        """Number and edition, as a deck line may write them."""
        return f"{self.number}@{self.edition}" if self.edition else self.number

    @property
    def name(self) -> str:
        """The name to show: printed before species, English before Japanese."""
        return self.names[0].text if self.names else "(name unknown)"

    @property
    def title(self) -> str:
        """Number and name, for messages."""
        return f"{self.full_number} {self.name}"

    def is_named(self, key: str) -> bool:
        """Whether ``key`` (a search key) is one of its names."""
        return any(search_key(name.text) == key for name in self.names)


_ROLE_ORDER = {"name": 0, "species": 1, "also": 2, "alias": 3}
_LANGUAGE_ORDER = {"en": 0, "dub": 1, "ja": 2}


def name_order(name: Name) -> tuple[int, int, str]:
    """Sorts a card's names, the one to show first."""
    return _ROLE_ORDER[name.role], _LANGUAGE_ORDER[name.language], name.text


def card_order(card: Card) -> tuple[str, str, str]:
    """Sorts cards by game and by the natural order of their numbers."""
    return card.game, sort_key(card.number), card.edition


class CardIndex:
    """Look-ups in one database. Answers are kept, since decks repeat their cards."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._cards: dict[int, Card] = {}
        self._found: dict[tuple[str, str], tuple[int, ...]] = {}  # by query and key
        self._texts: dict[tuple[str, str | None], dict[str, str]] = {}

    @cached_property
    def games(self) -> dict[str, Game]:
        """The games by code."""
        rows = self.connection.execute("SELECT * FROM game ORDER BY code")
        return {row["code"]: game_from_row(row) for row in rows}

    @cached_property
    def set_codes(self) -> dict[tuple[str, str], str]:
        """The codes of the sets by game and by every name and code, as search keys."""
        named = self.connection.execute("SELECT game, search_key, set_code FROM set_name")
        codes = {(game, key): code for game, key, code in named}
        for game, code in self.connection.execute("SELECT game, code FROM card_set"):
            codes.setdefault((game, search_key(code)), code)
        return codes

    @cached_property
    def vocabulary(self) -> CardVocabulary:
        """How their cards are written."""
        return CardVocabulary(self.games.values())

    def by_ids(self, ids: Iterable[int]) -> list[Card]:
        """The cards with these ids, in that order."""
        wanted = list(ids)
        missing = [card_id for card_id in wanted if card_id not in self._cards]
        if missing:
            self._load(json.dumps(missing))
        return [self._cards[card_id] for card_id in wanted]

    def _load(self, ids: str) -> None:
        names = self._of_cards(_NAMES_OF, ids)
        doubts = self._of_cards(_DOUBTS_OF, ids)
        printings = self._of_cards(_PRINTINGS_OF, ids)
        for row in self.connection.execute(f"SELECT * FROM card WHERE id {_AMONG}", (ids,)):
            self._cards[row["id"]] = Card(
                row["id"],
                row["game"],
                row["number"],
                row["edition"],
                row["kind"],
                row["level"],
                row["limit_key"],
                tuple(sorted((Name(*name) for name in names[row["id"]]), key=name_order)),
                json.loads(row["fields"]),
                dict(doubts[row["id"]]),
                tuple(
                    Printing(code, name, released, bool(inferred))
                    for code, name, released, inferred in printings[row["id"]]
                ),
            )

    def _of_cards(self, sql: str, ids: str) -> dict[int, list[Any]]:
        found: dict[int, list[Any]] = defaultdict(list)
        for card_id, *values in self.connection.execute(sql, (ids,)):
            found[card_id].append(values)
        return found

    def expect(self, numbers: Iterable[str], names: Iterable[str]) -> None:
        """Look up many numbers and names at once, so that each is answered without a query."""
        keys = self._unknown(_NUMBERS, map(number_key, numbers))
        self.by_ids([*keys, *self._unknown(_NAMES, map(search_key, names))])

    def _unknown(self, sql: str, keys: Iterable[str]) -> list[int]:
        """The cards of those keys that were not asked for before."""
        found: dict[str, dict[int, None]] = {
            key: {} for key in keys if key and (sql, key) not in self._found
        }
        if not found:
            return []
        if len(self._found) >= MOST_REMEMBERED:
            self._found.clear()
        for key, card_id in self.connection.execute(sql, (json.dumps([*found]),)):
            found[key][card_id] = None
        for key, ids in found.items():
            self._found[sql, key] = tuple(ids)
        return [card_id for ids in found.values() for card_id in ids]

    def _of_key(self, sql: str, key: str) -> list[Card]:
        self._unknown(sql, [key])
        return self.by_ids(self._found.get((sql, key), ()))

    def by_number(self, number: str, game: str | None = None) -> list[Card]:
        """Every card of this number: as printed, else in any tolerant spelling.

        Several cards mean several games or editions.
        """
        return of_number(number, self.games, partial(self._of_key, _NUMBERS), game)

    def by_name(self, name: str, game: str | None = None) -> list[Card]:
        """Every card that has this name in some language, spelling aside.

        A printed name goes before a species, a second name or another spelling.
        """
        cards = self._of_key(_NAMES, search_key(name))
        return _best_named([card for card in cards if game in (None, card.game)], name)

    def game_called(self, text: str) -> str | None:
        """The code of the game that ``text`` names."""
        game = game_called(self.games.values(), text)
        return game.code if game else None

    def all_ids(self, game: str | None = None) -> list[int]:
        """The ids of all cards, or of a game's, in their printed order."""
        where, values = (" WHERE game = ?", (game,)) if game else ("", ())
        rows = self.connection.execute(
            f"SELECT id FROM card{where} ORDER BY game, number_sort, edition", values
        )
        return [row[0] for row in rows]

    def known_names(self, game: str | None) -> dict[str, str]:
        """Every name by its search key, of a game or of all."""
        sql = "SELECT DISTINCT name FROM card_name JOIN card ON card.id = card_id"
        return self._known(sql, game, search_key)

    def known_numbers(self, game: str | None) -> dict[str, str]:
        """Every number by its tolerant key, of a game or of all."""
        return self._known("SELECT DISTINCT number FROM card", game, number_key)

    def _known(self, sql: str, game: str | None, key: Callable[[str], str]) -> dict[str, str]:
        """Texts by their keys, read once; of equal ones the first."""
        if (sql, game) not in self._texts:
            where, values = (" WHERE game = ?", (game,)) if game else ("", ())
            texts = [row[0] for row in self.connection.execute(sql + where, values)]
            self._texts[sql, game] = {key(text): text for text in reversed(texts)}
        return self._texts[sql, game]


Numbered = TypeVar("Numbered", bound=HasNumber)


def of_number(
    number: str,
    games: Mapping[str, Game],
    near: Callable[[str], Iterable[Numbered]],
    game: str | None = None,
) -> list[Numbered]:
    """Those that ``number`` can name: as printed, else in any tolerant spelling.

    ``near`` gives all of a `number_key`. Variant suffixes of printings are taken off
    only when nothing matches as written.
    """
    tried: set[str] = set()
    for text in _spellings(number, games, game):
        if text in tried:
            continue
        tried.add(text)
        cards = [card for card in near(number_key(text)) if game in (None, card.game)]
        for printed in (text, plain(text)):
            exact = [card for card in cards if card.number == printed]
            if exact:
                return exact
        greek = [card for card in cards if "α" in card.number]
        if "α" in plain(text):  # Da-65 can mean Dα-065, but Dα-002 is no slip for Da-2
            cards = greek
        printing = game or _printing_game(plain(text), games)
        # Da-65 is how the 1999 game would print it, and how Dα-065 is typed.
        found = [card for card in cards if printing in (None, card.game)] or greek
        if found:
            return found
    return []


def _spellings(number: str, games: Mapping[str, Game], game: str | None) -> Iterator[str]:
    """As written, then without the variant that each game would take off it."""
    yield number
    for entry in [games[game]] if game and game in games else games.values():
        yield entry.numbers.without_variant(number)


def _printing_game(number: str, games: Mapping[str, Game]) -> str | None:
    """The one game that prints such numbers: they are no slip for another game's."""
    printing = [code for code, game in games.items() if game.numbers.prints_as_typed(number)]
    return printing[0] if len(printing) == 1 else None


def _best_named(cards: list[Card], name: str) -> list[Card]:
    """Of ``cards``, those that bear the name in the strongest sense.

    Somebody who writes "Leomon" means the cards printed so, not the one that
    counts as Leomon as well; a species name or slip serves when nothing better does.
    Its own letters go before those that count as the same.
    """
    key, exact = search_key(name), exact_key(name)

    def strength(card: Card) -> tuple[bool, int]:
        bearing = [other for other in card.names if search_key(other.text) == key]
        roles = [_ROLE_ORDER[other.role] for other in bearing]
        own = any(exact_key(other.text) == exact for other in bearing)
        return not own, max(0, min(roles) - 1) if roles else 3

    strengths = [strength(card) for card in cards]
    best = min(strengths, default=None)
    return [card for card, rank in zip(cards, strengths, strict=True) if rank == best]
