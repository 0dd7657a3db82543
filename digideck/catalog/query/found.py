"""What no column tells: cards found beforehand by spelling, suffix or evolution."""

from __future__ import annotations

import json

from digideck.catalog.cards import CardIndex
from digideck.catalog.evolution import ids_evolving_from, ids_evolving_into
from digideck.catalog.lookup import meant_by
from digideck.catalog.query.nodes import OneOf
from digideck.core.names import search_key, without_x_antibody
from digideck.core.suggestions import similar


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
    rows = index.connection.execute("SELECT DISTINCT search_key FROM card_name").fetchall()
    near = json.dumps([key for _, key in similar(search_key(text), [row[0] for row in rows])])
    found = index.connection.execute(
        "SELECT card_id FROM card_name WHERE search_key IN (SELECT value FROM json_each(?))",
        (near,),
    )
    return OneOf(frozenset(row[0] for row in found))


def evolves_from(index: CardIndex, name: str) -> OneOf:
    """The cards that can evolve from a Digimon of this name or number."""
    sources = meant_by(index, name).cards
    found = set(ids_evolving_from(index, sources))
    # Cards ask for Digimon of which no card is known yet.
    rows = index.connection.execute(
        "SELECT card_id FROM evolution WHERE need = ?", (search_key(name),)
    )
    return OneOf(frozenset(found.union(row[0] for row in rows)))


def evolves_into(index: CardIndex, name: str) -> OneOf:
    """The cards from which a Digimon of this name or number can evolve."""
    return OneOf(frozenset(ids_evolving_into(index, meant_by(index, name).cards)))
