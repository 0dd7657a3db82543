"""What a card evolves from: the alternatives on it, and who meets them.

The sources write requirements in grammars of their own ("Agumon + OO",
"Jogress: A + B", "Groundramon [with Wingdramon]", "Red/Lv3/2"). What cannot be
read as one is kept as a phrase, and whoever asks is told that nobody can tell.
The words of a game's grammar are in its YAML file under ``evolution``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

from digideck.schema.cards import Card, CardIndex
from digideck.schema.games import Game
from digideck.schema.names import search_key

_PARTNERS = re.compile(r"(.+?)\s*\[with (.+)\]")
_COST = re.compile(r"[OX]+")
_COLOUR_LEVEL = re.compile(r"([A-Za-z]+)/Lv([0-9])/([0-9]+)")
_QUALIFIED = re.compile(r"(.+?)\s*\(([^()]+)\)")


class Known(IntEnum):
    """No, nobody can tell, yes: the lesser of two is that of both together."""

    NO = 0
    UNKNOWN = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that an evolution takes. Which keys count depends on the kind:

    ``name`` is a card by name, with ``qualifier`` a property that it must have;
    ``level`` (and ``colour``) any Digimon of it; ``cost`` cards that every deck
    can pay; a ``phrase`` nobody can judge. ``others`` are names that do as well.
    """

    text: str
    name: str | None = None
    qualifier: str | None = None
    level: str | None = None
    colour: str | None = None
    cost: bool = False
    others: tuple[str, ...] = ()

    @property
    def phrase(self) -> bool:
        """Whether it is words that cannot be judged."""
        return not (self.name or self.level or self.cost)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to evolve: everything that it needs, and what it is called."""

    text: str
    kind: str | None
    needs: tuple[Need, ...]


def level_key(level: str) -> str:
    """How "any Digimon of this level" is written in the table evolution."""
    return f"level {level}"


class Evolution:
    """How evolution works in one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.words: dict[str, Any] = game.definition.get("evolution") or {}
        self.kinds: list[str] = self.words.get("kinds") or []
        self.field: str = self.words.get("field", "evolves_from")
        self._ways: dict[int, tuple[Way, ...]] = {}
        self._keys: dict[int, set[str]] = {}

    @cached_property
    def start_levels(self) -> frozenset[str]:
        """The levels of Digimon that are put into play as they are."""
        return frozenset(self.words.get("start_levels") or self.game.levels[:1])

    @cached_property
    def levels(self) -> dict[str, str]:
        """The words for "any Digimon of this level"."""
        return dict(self.words.get("level_words") or {})

    def ways(self, card: Card) -> tuple[Way, ...]:
        """The alternatives on a card; none where the data has none."""
        if card.id not in self._ways:
            texts = card.fields.get(self.field) or []
            self._ways[card.id] = tuple(self.read(text) for text in texts)
        return self._ways[card.id]

    def read(self, text: str) -> Way:
        """One alternative as the sources write it."""
        head, colon, rest = text.partition(": ")
        kind = head if colon and head in self.kinds else None
        body = rest if kind else text
        if body in self.kinds:
            return Way(text, body, (Need(body),))
        colour = _COLOUR_LEVEL.fullmatch(body)
        if colour:
            return Way(text, None, (Need(body, level=colour[2], colour=colour[1]),))
        partners = _PARTNERS.fullmatch(body)
        if partners:
            first, *others = partners[2].split("/")
            both = (self._need(partners[1]), Need(partners[2], name=first, others=tuple(others)))
            return Way(text, "Jogress", both)
        return Way(text, kind, tuple(self._need(part) for part in body.split(" + ")))

    def index_keys(self, texts: Iterable[str]) -> set[str]:
        """What the alternatives of a card ask for, as the table evolution holds it."""
        keys: set[str] = set()
        for need in (need for text in texts for need in self.read(text).needs):
            if need.level:
                keys.add(level_key(need.level))
            for name in (need.name, *need.others):
                if name:
                    qualified = _QUALIFIED.fullmatch(name)
                    keys |= {
                        search_key(text) for text in (name, qualified and qualified[1]) if text
                    }
        return keys

    def offered_keys(self, card: Card) -> set[str]:
        """The keys under which a card may be what others ask for."""
        level = {level_key(card.level)} if card.level else set()
        return self.evolving_keys(card) | level

    def _need(self, text: str) -> Need:
        if _COST.fullmatch(text):
            return Need(text, cost=True)
        if text in self.levels:
            return Need(text, level=self.levels[text])
        if text.startswith("Any ") or "Digimon" in text.split()[1:]:
            return Need(text)
        return Need(text, name=text)

    def meets(self, card: Card, need: Need) -> Known:
        """Whether a card is what an evolution needs."""
        if need.level:
            return has_level(need, card.kind, card.level, card.fields.get("colour"))
        if not need.name:
            return Known.UNKNOWN
        keys = self.evolving_keys(card)
        if any(search_key(name) in keys for name in (need.name, *need.others)):
            return Known.YES
        qualified = _QUALIFIED.fullmatch(need.name)
        if qualified and search_key(qualified[1]) in keys:
            return self._has_property(card, qualified[2])
        return Known.NO

    def evolving_keys(self, card: Card) -> set[str]:
        """The names that a card has when something evolves from it.

        Its own, its second names, those it counts as when evolving, and its
        base's where an X-Antibody Digimon counts as that.
        """
        if card.id not in self._keys:
            keys = {search_key(name.text) for name in card.names}
            keys |= {search_key(name) for name in card.fields.get("evolves_as") or ()}
            self._keys[card.id] = keys | ({card.limit_key} if card.limit_key else set())
        return self._keys[card.id]

    def _has_property(self, card: Card, qualifier: str) -> Known:
        """Whether a name's bracket, such as "(Red Frame)", fits the card."""
        words = self.words.get("qualifiers") or {}
        if qualifier not in words:
            return Known.NO  # the bracket is part of another card's name
        field, value = words[qualifier].split("=")
        found = card.level if field == "level" else card.fields.get(field)
        if found is None:
            return Known.UNKNOWN
        return Known.YES if value in re.split(r"[/|]", str(found)) else Known.NO


def has_level(need: Need, kind: str | None, level: str | None, colour: str | None) -> Known:
    """Whether a card of this kind, level and colour is the Digimon that a level asks for."""
    if kind not in ("Digimon", "Digi-Egg"):
        return Known.NO
    if level is None:
        return Known.UNKNOWN
    right_colour = need.colour in (None, "All") or need.colour in (colour or "").split("|")
    return Known.YES if level == need.level and right_colour else Known.NO


def evolving_from(index: CardIndex, sources: Sequence[Card]) -> list[Card]:
    """The cards that can evolve from one of ``sources``."""
    return index.by_ids(ids_evolving_from(index, sources))


def ids_evolving_from(index: CardIndex, sources: Sequence[Card]) -> list[int]:
    """The ids of the cards that can evolve from one of ``sources``."""
    found: list[int] = []
    for game, own in _by_game(index, sources):
        evolution = Evolution(game)
        keys = {key for card in own for key in evolution.offered_keys(card)}
        rows = index.connection.execute(
            """SELECT DISTINCT id, json_extract(fields, '$.' || ?1) FROM evolution
               JOIN card ON id = card_id
               WHERE game = ?2 AND need IN (SELECT value FROM json_each(?3))
               ORDER BY number_sort, edition""",
            (evolution.field, game.code, json.dumps(sorted(keys))),
        )
        met: dict[str, bool] = {}  # by the text of an alternative; cards share most of them
        for card_id, texts in rows:
            for text in json.loads(texts or "[]"):
                if text not in met:
                    needs = evolution.read(text).needs
                    met[text] = any(
                        evolution.meets(card, need) is Known.YES for need in needs for card in own
                    )
                if met[text]:
                    found.append(card_id)
                    break
    return found


def evolving_into(index: CardIndex, targets: Sequence[Card]) -> list[Card]:
    """The cards from which one of ``targets`` can evolve."""
    return index.by_ids(ids_evolving_into(index, targets))


def ids_evolving_into(index: CardIndex, targets: Sequence[Card]) -> list[int]:
    """The ids of the cards from which one of ``targets`` can evolve."""
    found: list[int] = []
    for game, own in _by_game(index, targets):
        evolution = Evolution(game)
        needs = {need for card in own for way in evolution.ways(card) for need in way.needs}
        names = [need for need in needs if need.name]
        levels = [need for need in needs if need.level]
        rows = _offering(index, evolution, names, levels)
        # A level is told by the row; only what may be meant by name is loaded.
        met = {
            row[0]: any(has_level(need, *row[1:4]) is Known.YES for need in levels) for row in rows
        }
        for card in index.by_ids(row[0] for row in rows if row[4] and not met[row[0]]):
            met[card.id] = any(evolution.meets(card, need) is Known.YES for need in names)
        found += [card_id for card_id, is_met in met.items() if is_met]
    return found


def _by_game(index: CardIndex, cards: Sequence[Card]) -> list[tuple[Game, list[Card]]]:
    codes = dict.fromkeys(card.game for card in cards)
    return [(index.games[code], [card for card in cards if card.game == code]) for code in codes]


def _offering(
    index: CardIndex, evolution: Evolution, names: Iterable[Need], levels: Iterable[Need]
) -> list[tuple[int, str, str | None, str | None, bool]]:
    """The Digimon that may be what is needed, in printed order.

    Each as id, kind, level, colour, and whether it may be meant by a name: one
    that it has, or one that it counts as.
    """
    keys = {key for need in names for key in evolution.index_keys([need.text])}
    keys |= {search_key(name) for need in names for name in (need.name, *need.others) if name}
    rows = index.connection.execute(
        """SELECT * FROM (
             SELECT id, kind, level, json_extract(fields, '$.colour'), number_sort, edition,
               ifnull(limit_key IN (SELECT value FROM json_each(?3)), 0)
               OR instr(fields, '"evolves_as"') > 0
               OR id IN (SELECT card_id FROM card_name
                         WHERE search_key IN (SELECT value FROM json_each(?3))) AS named
             FROM card WHERE game = ?1 AND kind <> 'Option')
           WHERE named OR level IN (SELECT value FROM json_each(?2))
           ORDER BY number_sort, edition""",
        (
            evolution.game.code,
            json.dumps(sorted({need.level for need in levels if need.level})),
            json.dumps(sorted(keys)),
        ),
    )
    return [(row[0], row[1], row[2], row[3], bool(row["named"])) for row in rows]
