"""What no column tells: cards found beforehand by spelling, suffix or evolution."""

from __future__ import annotations

import json
from collections.abc import Sequence

from digideck.schema.cards import Card, CardIndex
from digideck.schema.evolution import Evolution, Known, Need
from digideck.schema.games import Game
from digideck.schema.names import search_key, without_x_antibody
from digideck.schema.query.nodes import OneOf

FUZZY_ENOUGH = 70  # of 100, as near misses


def x_antibody(index: CardIndex) -> OneOf:
    """The Digimon with the X-Antibody in their name."""
    rows = index.connection.execute(
        """SELECT card.id, name, language FROM card JOIN card_name ON card_id = card.id
           WHERE kind = 'Digimon' AND role <> 'species' AND (
             instr(search_key, 'antibody') > 0 OR instr(search_key, 'x抗体') > 0)"""
    )
    return OneOf(
        frozenset(row["id"] for row in rows if without_x_antibody(row["name"]) != row["name"])
    )


def fuzzy_name(index: CardIndex, text: str) -> OneOf:
    """The cards with a name that is spelt about like ``text``."""
    from rapidfuzz import fuzz, process

    rows = index.connection.execute("SELECT DISTINCT search_key FROM card_name").fetchall()
    keys = [row[0] for row in rows]
    scored = process.extract(
        search_key(text), keys, scorer=fuzz.ratio, limit=None, score_cutoff=FUZZY_ENOUGH
    )
    near = json.dumps([key for key, _, _ in scored])
    found = index.connection.execute(
        "SELECT card_id FROM card_name WHERE search_key IN (SELECT value FROM json_each(?))",
        (near,),
    )
    return OneOf(frozenset(row[0] for row in found))


def evolves_from(index: CardIndex, name: str) -> OneOf:
    """The cards that can evolve from a Digimon of this name."""
    found: set[int] = set()
    for game in index.games.values():
        evolution = Evolution(game)
        sources = index.by_name(name, game.code)
        if sources:
            for card in _evolving_cards(index, game, evolution, sources):
                needs = [need for way in evolution.ways(card) for need in way.needs]
                if any(
                    evolution.meets(source, need) is Known.YES
                    for need in needs
                    for source in sources
                ):
                    found.add(card.id)
    return OneOf(frozenset(found))


def _evolving_cards(
    index: CardIndex, game: Game, evolution: Evolution, sources: Sequence[Card]
) -> list[Card]:
    """The cards whose requirement mentions one of the names, or a level, in any spelling."""
    keys = {key for card in sources for key in evolution.evolving_keys(card)}
    levels = [*evolution.levels, *(f"/Lv{card.level}/" for card in sources if card.level)]
    field = evolution.field
    rows = index.connection.execute(
        """SELECT id, json_extract(fields, ?) AS needs FROM card
           WHERE game = ? AND needs IS NOT NULL""",
        (f"$.{field}", game.code),
    )
    mentioned = [
        row["id"]
        for row in rows
        if any(word in row["needs"] for word in levels)
        or any(key in search_key(row["needs"]) for key in keys)
    ]
    return index.by_ids(mentioned)


def evolves_into(index: CardIndex, name: str) -> OneOf:
    """The cards from which a Digimon of this name can evolve."""
    found: set[int] = set()
    for target in index.by_name(name):
        evolution = Evolution(index.games[target.game])
        for way in evolution.ways(target):
            for need in way.needs:
                found |= _cards_meeting(index, evolution, need)
    return OneOf(frozenset(found))


def _cards_meeting(index: CardIndex, evolution: Evolution, need: Need) -> set[int]:
    game = evolution.game.code
    if need.level:
        rows = index.connection.execute(
            "SELECT id FROM card WHERE game = ? AND level = ?", (game, need.level)
        )
    else:
        names = [text for text in (need.name, *need.others) if text]
        bare = [text.partition(" (")[0] for text in names]
        keys = [search_key(text) for text in (*names, *bare)]
        marks = ", ".join("?" * len(keys)) or "NULL"
        rows = index.connection.execute(
            f"""SELECT id FROM card WHERE game = ? AND kind <> 'Option' AND (
                  limit_key IN ({marks}) OR json_extract(fields, '$.evolves_as') IS NOT NULL
                  OR EXISTS (SELECT 1 FROM card_name WHERE card_id = card.id
                             AND search_key IN ({marks})))""",
            (game, *keys, *keys),
        )
    cards = index.by_ids(row[0] for row in rows)
    return {card.id for card in cards if evolution.meets(card, need) is Known.YES}
