"""Cards as records, and finding them in the database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from digideck.core.names import alike, search_key
from digideck.core.numbers import edition_key, number_key, plain, sort_key
from digideck.schema.games.game import Game, game_called, game_from_row

MOST_REMEMBERED = 100_000  # look-ups, so that a folder of decks is checked in constant memory
_Known = dict[str, str]  # keys, and a text that each is of


@dataclass(frozen=True, slots=True)
class Name:
    """One name of a card. ``role``: name, species, also or alias (see the table)."""

    language: str
    text: str
    role: str


@dataclass(frozen=True, slots=True)
class Printing:
    """A set that a card is in. ``released`` is a date, partial where only that is known."""

    set_code: str
    set_name: str | None
    released: str | None

    @property
    def shown(self) -> str:
        """Code, name and date, for people."""
        date = f" ({self.released})" if self.released else ""
        return f"{self.set_code}  {self.set_name or ''}{date}".rstrip()


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
        return f"{self.game}/{self.written_number}"

    @property
    def written_number(self) -> str:
        """Number and edition, as a deck line may write them."""
        return f"{self.number}@{self.edition}" if self.edition else self.number

    @property
    def name(self) -> str:
        """The name to show: printed before species, English before Japanese."""
        return self.names[0].text if self.names else "(name unknown)"

    @property
    def title(self) -> str:
        """Number and name, for messages."""
        return f"{self.written_number} {self.name}"

    def also_named(self) -> list[str]:
        """Its second names."""
        return [name.text for name in self.names if name.role == "also"]

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
        self._found: dict[tuple[str, str, str], tuple[int, ...]] = {}
        self._games: dict[str, Game] | None = None
        self._choices: dict[tuple[str, str], _Known] = {}

    @property
    def games(self) -> dict[str, Game]:
        """The games by code."""
        if self._games is None:
            rows = self.connection.execute("SELECT * FROM game ORDER BY code")
            self._games = {row["code"]: game_from_row(row) for row in rows}
        return self._games

    def by_ids(self, ids: Iterable[int]) -> list[Card]:
        """The cards with these ids, in that order."""
        wanted = list(ids)
        missing = [card_id for card_id in wanted if card_id not in self._cards]
        for start in range(0, len(missing), 500):
            self._load(missing[start : start + 500])
        return [self._cards[card_id] for card_id in wanted]

    def _load(self, ids: Sequence[int]) -> None:
        marks = ",".join("?" * len(ids))
        names: dict[int, list[Name]] = {}
        for card_id, language, text, role in self.connection.execute(
            f"SELECT card_id, language, name, role FROM card_name WHERE card_id IN ({marks})", ids
        ):
            names.setdefault(card_id, []).append(Name(language, text, role))
        doubts: dict[int, dict[str, str]] = {}
        for card_id, field_code, reason in self.connection.execute(
            f"SELECT card_id, field, reason FROM doubt WHERE card_id IN ({marks})", ids
        ):
            doubts.setdefault(card_id, {})[field_code] = reason
        printings = self._printings(marks, ids)
        for row in self.connection.execute(f"SELECT * FROM card WHERE id IN ({marks})", ids):
            self._cards[row["id"]] = Card(
                row["id"],
                row["game"],
                row["number"],
                row["edition"],
                row["kind"],
                row["level"],
                row["limit_key"],
                tuple(sorted(names.get(row["id"], ()), key=name_order)),
                json.loads(row["fields"]),
                doubts.get(row["id"], {}),
                tuple(printings.get(row["id"], ())),
            )

    def _printings(self, marks: str, ids: Sequence[int]) -> dict[int, list[Printing]]:
        found: dict[int, list[Printing]] = {}
        for card_id, *printing in self.connection.execute(
            f"""SELECT card_id, code, COALESCE(name_en, name_ja), released FROM printing
                JOIN card_set ON card_set.game = printing.game AND code = set_code
                WHERE card_id IN ({marks}) ORDER BY released IS NULL, released, position""",
            ids,
        ):
            found.setdefault(card_id, []).append(Printing(*printing))
        return found

    def _ids(self, kind: str, key: str, game: str | None, sql: str, *values: str) -> list[Card]:
        memory_key = (kind, key, game or "")
        found = self._found.get(memory_key)
        if found is None:
            where = " AND card.game = ?" if game else ""
            rows = self.connection.execute(
                sql + where + " ORDER BY card.game, card.number_sort, card.edition",
                (*values, *((game,) if game else ())),
            )
            if len(self._found) >= MOST_REMEMBERED:
                self._found.clear()
            found = self._found[memory_key] = tuple(dict.fromkeys(row[0] for row in rows))
        return self.by_ids(found)

    def by_number(self, number: str, game: str | None = None) -> list[Card]:
        """Every card of this number: as printed, else in any tolerant spelling.

        Variant suffixes of printings are taken off only when nothing matches as
        written. Several cards mean several games or editions.
        """
        tried: set[str] = set()
        for text in self._spellings(number, game):
            if text in tried:
                continue
            tried.add(text)
            exact = self._ids("=", text, game, "SELECT id FROM card WHERE number = ?", text)
            if exact:
                return exact
            near = self._tolerantly(text, game or self._printing_game(text))
            # Da-65 is how the 1999 game would print it, and how Dα-065 is typed.
            near = near or [card for card in self._tolerantly(text, game) if "α" in card.number]
            if near:
                return near
        return []

    def _tolerantly(self, text: str, game: str | None) -> list[Card]:
        key = number_key(text)
        found = self._ids("~", key, game, "SELECT id FROM card WHERE number_key = ?", key)
        if "α" in plain(text):  # Da-65 can mean Dα-065, but Dα-002 is no slip for Da-2
            return [card for card in found if "α" in card.number]
        return found

    def _printing_game(self, number: str) -> str | None:
        """The one game that prints such numbers: they are no slip for another game's."""
        printing = [
            code for code, game in self.games.items() if game.numbers.prints_as_typed(number)
        ]
        return printing[0] if len(printing) == 1 else None

    def _spellings(self, number: str, game: str | None) -> Iterator[str]:
        """As written, then without the variant that each game would take off it."""
        yield number
        yield plain(number)
        games = [self.games[game]] if game in self.games else self.games.values()
        for entry in games:
            yield entry.numbers.without_variant(number)

    def by_name(self, name: str, game: str | None = None) -> list[Card]:
        """Every card that has this name in some language, spelling aside.

        A printed name goes before a species, a second name or another spelling.
        """
        key = search_key(name)
        if not key:
            return []
        cards = self._ids(
            "n",
            key,
            game,
            "SELECT card.id FROM card_name JOIN card ON card.id = card_id WHERE search_key = ?",
            key,
        )
        return _best_named(cards, key)

    def meant_by(self, text: str, game: str | None = None) -> list[Card]:
        """Every card that an argument can mean: a number, a name, or game/number@edition."""
        game, text = self.game_and_rest(text, game)
        number, _, edition = text.partition("@")
        cards = self.by_number(number, game) or self.by_name(text, game)
        if edition:
            return [card for card in cards if card.edition == edition_key(edition)]
        plain_prints = [card for card in cards if not card.edition]
        one_number = len({card.number for card in cards}) == 1
        return plain_prints if one_number and len(plain_prints) == 1 else cards

    def game_called(self, text: str) -> str | None:
        """The code of the game that ``text`` names."""
        game = game_called(self.games.values(), text)
        return game.code if game else None

    def game_and_rest(self, text: str, game: str | None) -> tuple[str | None, str]:
        """The game and the rest of ``game/number@edition``; ``game`` where none is written."""
        prefix, _, rest = text.partition("/")
        named = self.game_called(prefix) if rest else None
        return (named, rest) if named else (game, text)

    def namesakes(self, name: str, game: str) -> list[Card]:
        """The cards of ``game`` under another name that what is called ``name`` has elsewhere.

        The Digimon are the same in all games, but Japanese names are recorded for some only.
        """
        names = {
            other.text: None
            for card in self.by_name(name)
            for other in card.names
            if other.role in ("name", "species")
        }
        found = {card.id: card for other in names for card in self.by_name(other, game)}
        return list(found.values())

    def has_japanese(self, game: str) -> bool:
        """Whether Japanese names of a game's cards are recorded."""
        found = self.connection.execute(
            """SELECT 1 FROM card JOIN card_name ON card_id = card.id
               WHERE game = ? AND language = 'ja' LIMIT 1""",
            (game,),
        )
        return found.fetchone() is not None

    def is_part_of_a_name(self, text: str, game: str | None = None) -> bool:
        """Whether a card has ``text`` somewhere in a name, as `find` looks for it."""
        where, values = (" AND game = ?", (game,)) if game else ("", ())
        found = self.connection.execute(
            f"""SELECT 1 FROM card_name JOIN card ON card.id = card_id
                WHERE instr(search_key, ?) > 0{where} LIMIT 1""",
            (search_key(text), *values),
        )
        return bool(search_key(text)) and found.fetchone() is not None

    def is_set(self, name: str, game: str | None = None) -> bool:
        """Whether a set is known under this name or code."""
        where, values = (" AND game = ?", (game,)) if game else ("", ())
        found = self.connection.execute(
            f"SELECT 1 FROM set_name WHERE search_key = ?{where}", (search_key(name), *values)
        )
        return found.fetchone() is not None

    def all_ids(self, game: str | None = None) -> list[int]:
        """The ids of all cards, or of a game's, in their printed order."""
        where, values = (" WHERE game = ?", (game,)) if game else ("", ())
        rows = self.connection.execute(
            f"SELECT id FROM card{where} ORDER BY game, number_sort, edition", values
        )
        return [row[0] for row in rows]

    def near_misses(self, text: str, game: str | None = None, limit: int = 5) -> list[str]:
        """Names and numbers that ``text`` may have meant, the nearest first."""
        choices = [(search_key(text), self._known_names(game))]
        if any(char.isdigit() for char in text):
            choices.append((number_key(text), self._known_numbers(game)))
        found = [
            (score, known[key])
            for query, known in choices
            for score, key in alike(query, list(known), limit)
        ]
        found.sort(key=lambda pair: -pair[0])
        return list(dict.fromkeys(choice for _, choice in found))[:limit]

    def _known_names(self, game: str | None) -> _Known:
        return self._known(
            "name",
            game,
            search_key,
            "SELECT DISTINCT name FROM card_name JOIN card ON card.id = card_id",
        )

    def _known_numbers(self, game: str | None) -> _Known:
        return self._known("number", game, number_key, "SELECT DISTINCT number FROM card")

    def _known(self, what: str, game: str | None, key: Callable[[str], str], sql: str) -> _Known:
        """Every name or number by its key, read once; of equal ones the first."""
        place = (what, game or "")
        if place not in self._choices:
            where, values = (" WHERE game = ?", (game,)) if game else ("", ())
            shown = [row[0] for row in self.connection.execute(sql + where, values)]
            self._choices[place] = {key(text): text for text in reversed(shown)}
        return self._choices[place]


def _best_named(cards: list[Card], key: str) -> list[Card]:
    """Of ``cards``, those that bear the name in the strongest sense.

    Somebody who writes "Leomon" means the cards printed so, not the one that
    counts as Leomon as well; a species name or slip serves when nothing better does.
    """

    def strength(card: Card) -> int:
        roles = [_ROLE_ORDER[name.role] for name in card.names if search_key(name.text) == key]
        return max(0, min(roles) - 1) if roles else 3

    strengths = [strength(card) for card in cards]
    best = min(strengths, default=0)
    return [card for card, rank in zip(cards, strengths, strict=True) if rank == best]
