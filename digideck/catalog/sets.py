"""Sets and games with how much of them the database holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetFacts:
    """A set: ``printed`` new cards and ``reprints`` by the sources (None: unknown),
    ``known`` cards that are in it, of which for ``inferred`` no source states it.
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
    inferred: int
    note: str | None

    @property
    def complete(self) -> bool | None:
        """Whether every printed card is known; None where the printed count is not."""
        return None if self.printed is None else self.known >= self.printed


def set_facts(connection: sqlite3.Connection, game: str | None = None) -> Iterator[SetFacts]:
    """The sets of a game, or of all, in their order."""
    rows = connection.execute(
        """SELECT card_set.*, (SELECT COUNT(*) FROM in_set
                               WHERE in_set.game = card_set.game AND set_code = code) AS known,
             (SELECT COUNT(*) FROM in_set WHERE in_set.game = card_set.game
                AND set_code = code AND inferred) AS inferred
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
