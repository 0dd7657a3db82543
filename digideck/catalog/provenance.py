"""Cards with all that is recorded of them, and where each value is from."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from digideck.catalog.cards import Card


class NameFacts(NamedTuple):
    """A name of a card. ``role``: name, species, also or alias."""

    language: str
    name: str
    role: str


class PrintingFacts(NamedTuple):
    """A set that a card is in; ``inferred`` where no source states it."""

    set: str
    name: str | None
    released: str | None
    inferred: bool


class CardFacts(NamedTuple):
    """A card as scripts get it: None is unknown. ``corrections`` are the fields that an
    import has corrected, with its name; ``source`` is where the rest is from.
    """

    key: str
    game: str
    number: str
    edition: str | None
    name: str | None
    names: tuple[NameFacts, ...]
    kind: str | None
    level: str | None
    fields: dict[str, Any]
    printings: tuple[PrintingFacts, ...]
    doubts: dict[str, str]
    corrections: dict[str, str]
    source: str


def card_facts(connection: sqlite3.Connection, cards: Sequence[Card]) -> Iterator[CardFacts]:
    """Everything the database has on ``cards``, in their order."""
    ids = json.dumps([card.id for card in cards])
    sources = dict(
        connection.execute(
            """SELECT card.id, name FROM card JOIN source ON source.id = source_id
               WHERE card.id IN (SELECT value FROM json_each(?))""",
            (ids,),
        ).fetchall()
    )
    corrections: dict[int, dict[str, str]] = {}
    for card_id, column, name in connection.execute(
        """SELECT card.id, field, name FROM correction
           JOIN card USING (game, number, edition) JOIN source ON source.id = correction.source_id
           WHERE card.id IN (SELECT value FROM json_each(?))""",
        (ids,),
    ):
        corrections.setdefault(card_id, {})[column] = name
    for card in cards:
        yield CardFacts(
            card.key,
            card.game,
            card.number,
            card.edition or None,
            card.name if card.names else None,
            tuple(NameFacts(name.language, name.text, name.role) for name in card.names),
            card.kind,
            card.level,
            card.fields,
            tuple(PrintingFacts(*p) for p in card.printings),
            card.doubts,
            corrections.get(card.id, {}),
            sources[card.id],
        )


class Provenance(NamedTuple):
    """One value of a card with where it is from. ``imported_at`` is None where it ships."""

    field: str
    value: Any
    source: str
    reader: str | None
    imported_at: str | None

    @property
    def shown(self) -> str:
        """The source, with the date and the reader of an import."""
        if self.imported_at is None:
            return self.source
        return f"{self.source} ({self.reader}, imported {self.imported_at[:10]})"


def provenance_of(connection: sqlite3.Connection, card: Card) -> tuple[Provenance, ...]:
    """Every value of ``card`` with its source: the import that gave it, else the card's own."""
    (own,) = connection.execute("SELECT source_id FROM card WHERE id = ?", (card.id,)).fetchone()
    by_field = dict(
        connection.execute(
            """SELECT field, source_id FROM field_source WHERE card_id = ?
               UNION ALL SELECT field, source_id FROM correction
               WHERE game = ? AND number = ? AND edition = ?""",
            (card.id, card.game, card.number, card.edition),
        ).fetchall()
    )
    values = [*_names(card), ("kind", card.kind), ("level", card.level), *card.fields.items()]
    found = [
        (column, value, by_field.get(column, own)) for column, value in values if value is not None
    ]
    printings = connection.execute(
        "SELECT set_code, source_id FROM in_set WHERE card_id = ? ORDER BY set_code", (card.id,)
    )
    found += [("set", code, source) for code, source in printings]
    sources = _sources(connection, {source for _, _, source in found})
    return tuple(Provenance(column, value, *sources[source]) for column, value, source in found)


def _names(card: Card) -> Iterator[tuple[str, str]]:
    columns = {"name": "name_{}", "species": "species_{}", "also": "also_named", "alias": "alias"}
    for name in card.names:
        yield columns[name.role].format(name.language), name.text


def _sources(
    connection: sqlite3.Connection, ids: Iterable[int]
) -> dict[int, tuple[str, str | None, str | None]]:
    """Name, reader and date of import of sources."""
    rows = connection.execute(
        """SELECT id, name, reader, imported_at FROM source
           WHERE id IN (SELECT value FROM json_each(?))""",
        (json.dumps(sorted(ids)),),
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}
