"""Who meets what a card evolves from, and the cards both ways."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from enum import IntEnum

from digideck.catalog.cards import Card, CardIndex
from digideck.core.names import search_key
from digideck.schema.games.evolution_grammar import (
    QUALIFIED,
    EvolutionGrammar,
    Need,
    Way,
    level_key,
)
from digideck.schema.games.game import Game


class Tristate(IntEnum):
    """No, nobody can tell, yes: the lesser of two is that of both together."""

    NO = 0
    UNKNOWN = 1
    YES = 2


class Evolution(EvolutionGrammar):
    """How evolution works in one game: which card meets what is needed."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._ways: dict[int, tuple[Way, ...]] = {}
        self._keys: dict[int, set[str]] = {}

    def ways(self, card: Card) -> tuple[Way, ...]:
        """The alternatives on a card; none where the data has none."""
        if card.id not in self._ways:
            texts = card.fields.get(self.field) or []
            self._ways[card.id] = tuple(self.read(text) for text in texts)
        return self._ways[card.id]

    def offered_keys(self, card: Card) -> set[str]:
        """The keys under which a card may be what others ask for."""
        level = {level_key(card.level)} if card.level else set()
        return self.evolving_keys(card) | level

    def meets(self, card: Card, need: Need) -> Tristate:
        """Whether a card is what an evolution needs."""
        if need.level:
            return has_level(need, card.kind, card.level, card.fields.get("colour"))
        if not need.name:
            return Tristate.UNKNOWN
        keys = self.evolving_keys(card)
        if any(search_key(name) in keys for name in (need.name, *need.others)):
            return Tristate.YES
        qualified = QUALIFIED.fullmatch(need.name)
        if qualified and search_key(qualified[1]) in keys:
            return self._has_property(card, qualified[2])
        return Tristate.NO

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

    def _has_property(self, card: Card, qualifier: str) -> Tristate:
        """Whether a name's bracket, such as "(Red Frame)", fits the card."""
        words = self.words.get("qualifiers") or {}
        if qualifier not in words:
            return Tristate.NO  # the bracket is part of another card's name
        field, value = words[qualifier].split("=")
        found = card.level if field == "level" else card.fields.get(field)
        if found is None:
            return Tristate.UNKNOWN
        return Tristate.YES if value in re.split(r"[/|]", str(found)) else Tristate.NO


def has_level(need: Need, kind: str | None, level: str | None, colour: str | None) -> Tristate:
    """Whether a card of this kind, level and colour is the Digimon that a level asks for."""
    if kind not in ("Digimon", "Digi-Egg"):
        return Tristate.NO
    if level is None:
        return Tristate.UNKNOWN
    right_colour = need.colour in (None, "All") or need.colour in (colour or "").split("|")
    return Tristate.YES if level == need.level and right_colour else Tristate.NO


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
            """SELECT DISTINCT id, json_extract(fields, '$.' || ?) FROM evolution
               JOIN card ON id = card_id
               WHERE game = ? AND need IN (SELECT value FROM json_each(?))
               ORDER BY number_sort, edition""",
            (evolution.field, game.code, json.dumps(sorted(keys))),
        )
        met: dict[str, bool] = {}  # by the text of an alternative; cards share most of them
        for card_id, texts in rows:
            for text in json.loads(texts or "[]"):
                if text not in met:
                    needs = evolution.read(text).needs
                    met[text] = any(
                        evolution.meets(card, need) is Tristate.YES
                        for need in needs
                        for card in own
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
            row[0]: any(has_level(need, *row[1:4]) is Tristate.YES for need in levels)
            for row in rows
        }
        for card in index.by_ids(row[0] for row in rows if row[4] and not met[row[0]]):
            met[card.id] = any(evolution.meets(card, need) is Tristate.YES for need in names)
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
               ifnull(limit_key IN (SELECT value FROM json_each(:keys)), 0)
               OR instr(fields, '"evolves_as"') > 0
               OR id IN (SELECT card_id FROM card_name
                         WHERE search_key IN (SELECT value FROM json_each(:keys))) AS named
             FROM card WHERE game = :game AND kind <> 'Option')
           WHERE named OR level IN (SELECT value FROM json_each(:levels))
           ORDER BY number_sort, edition""",
        {
            "game": evolution.game.code,
            "levels": json.dumps(sorted({need.level for need in levels if need.level})),
            "keys": json.dumps(sorted(keys)),
        },
    )
    return [(row[0], row[1], row[2], row[3], bool(row["named"])) for row in rows]
