"""What is known of a card and of a set beyond the card itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from digideck.catalog.cards import Card


@dataclass(frozen=True)
class Facts:
    """A card with who corrected it and where its row is from."""

    card: Card
    corrections: dict[str, str]
    source: str

    def as_json(self) -> dict[str, Any]:
        """The card for scripts; what is unknown is null."""
        card = self.card
        return {
            "key": card.key,
            "game": card.game,
            "number": card.number,
            "edition": card.edition or None,
            "name": card.name if card.names else None,
            "names": [
                {"language": name.language, "name": name.text, "role": name.role}
                for name in card.names
            ],
            "kind": card.kind,
            "level": card.level,
            "fields": card.fields,
            "printings": [
                {"set": entry.set_code, "name": entry.set_name, "released": entry.released}
                for entry in card.printings
            ],
            "doubts": card.doubts,
            "corrections": self.corrections,
            "source": self.source,
        }


def card_facts(connection: sqlite3.Connection, card: Card) -> Facts:
    """Everything the database has on ``card``."""
    corrections = connection.execute(
        """SELECT field, name FROM correction JOIN source ON source.id = source_id
           WHERE game = ? AND number = ? AND edition = ?""",
        (card.game, card.number, card.edition),
    )
    (source,) = connection.execute(
        "SELECT name FROM source JOIN card ON source.id = source_id WHERE card.id = ?", (card.id,)
    ).fetchone()
    return Facts(
        card,
        {row["field"]: row["name"] for row in corrections},
        source,
    )


@dataclass(frozen=True, slots=True)
class Said:
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


def said_of(connection: sqlite3.Connection, card: Card) -> list[Said]:
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
    values = [(column, text) for column, text in _names(card)]
    values += [(column, getattr(card, column)) for column in ("kind", "level")]
    values += card.fields.items()
    said = [
        _said(connection, field, value, by_field.get(field, own))
        for field, value in values
        if value is not None
    ]
    printings = connection.execute(
        "SELECT set_code, source_id FROM printing WHERE card_id = ? ORDER BY set_code", (card.id,)
    ).fetchall()
    return said + [_said(connection, "set", code, source) for code, source in printings]


def _names(card: Card) -> Iterator[tuple[str, str]]:
    columns = {"name": "name_{}", "species": "species_{}", "also": "also_named", "alias": "alias"}
    for name in card.names:
        yield columns[name.role].format(name.language), name.text


def _said(connection: sqlite3.Connection, field: str, value: Any, source_id: int) -> Said:
    name, reader, imported_at = connection.execute(
        "SELECT name, reader, imported_at FROM source WHERE id = ?", (source_id,)
    ).fetchone()
    return Said(field, value, name, reader, imported_at)


@dataclass(frozen=True, slots=True)
class SetFacts:
    """A set: ``printed`` new cards and ``reprints`` by the sources (None: unknown),
    ``known`` cards that are known to be in it.
    """

    game: str
    code: str
    name_en: str | None
    name_ja: str | None
    series: str | None
    kind: str | None
    released: str | None
    printed: int | None
    reprints: int | None
    known: int
    note: str | None

    @property
    def complete(self) -> bool | None:
        """Whether every printed card is known; None where the printed count is not."""
        return None if self.printed is None else self.known >= self.printed


def set_facts(connection: sqlite3.Connection, game: str | None = None) -> Iterator[SetFacts]:
    """The sets of a game, or of all, in their order."""
    rows = connection.execute(
        """SELECT card_set.*, (SELECT COUNT(*) FROM printing
                               WHERE printing.game = card_set.game AND set_code = code) AS known
           FROM card_set WHERE ? IS NULL OR game = ? ORDER BY game, position, code""",
        (game, game),
    )
    keys = SetFacts.__dataclass_fields__
    for row in rows:
        yield SetFacts(**{key: row[key] for key in keys})


@dataclass(frozen=True, slots=True)
class GameFacts:
    """How much of a game the database holds."""

    code: str
    name: str
    cards: int
    sets: int
    cards_without_set: int
    own_cards: int


def game_facts(connection: sqlite3.Connection) -> list[GameFacts]:
    """Every game with its counts."""
    rows = connection.execute(
        """SELECT code, name,
             (SELECT COUNT(*) FROM card WHERE card.game = code) AS cards,
             (SELECT COUNT(*) FROM card_set WHERE card_set.game = game.code) AS sets,
             (SELECT COUNT(*) FROM card WHERE card.game = code AND NOT EXISTS (
                SELECT 1 FROM printing WHERE card_id = card.id)) AS cards_without_set,
             (SELECT COUNT(*) FROM card WHERE card.game = code AND shipped = 0) AS own_cards
           FROM game ORDER BY code"""
    )
    return [GameFacts(**dict(row)) for row in rows]
