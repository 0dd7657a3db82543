"""Cards as values, and writing them: the one way for what ships, imports and exports."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from digideck.core.names import limit_key, search_key, without_x_antibody
from digideck.core.numbers import number_key, sort_key
from digideck.schema.games.evolution_grammar import EvolutionGrammar
from digideck.schema.games.game import Game

# A set that was inferred becomes one that is stated.
WRITE_PRINTING = """INSERT INTO printing (card_id, game, set_code, shipped, source_id)
    VALUES (?, ?, ?, 0, ?) ON CONFLICT DO UPDATE
    SET shipped = 0, source_id = excluded.source_id, inferred = 0 WHERE inferred"""
NAME_COLUMNS = {
    "name_en": ("en", "name"),
    "name_dub": ("dub", "name"),
    "name_ja": ("ja", "name"),
    "species_ja": ("ja", "species"),
    "also_named": ("en", "also"),
    "alias": ("en", "alias"),
}
PLAIN_COLUMNS = ("kind", "level")
_NOT_FIELDS = frozenset([*NAME_COLUMNS, *PLAIN_COLUMNS])
_quoted = json.encoder.encode_basestring
_as_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


@lru_cache(maxsize=1000)
def _field_keys(keys: tuple[str, ...]) -> list[tuple[str, str]]:
    """The game's own fields among ``keys``, sorted, each with how it begins in JSON."""
    return [(key, f"{_quoted(key)}: ") for key in sorted(keys) if key not in _NOT_FIELDS]


@dataclass
class CardValues:
    """A card as a row of values, before it is stored: names and fields by column."""

    game: str
    number: str
    edition: str
    source: str
    sets: list[str]
    values: dict[str, Any]
    doubts: dict[str, str] = field(default_factory=dict)
    inferred_sets: tuple[tuple[str, str], ...] = ()  # each with what it is inferred from


class StorableCard(Protocol):
    """A card with its id, however its values came together."""

    id: int
    game: str
    number: str
    edition: str
    values: dict[str, Any]
    doubts: Mapping[str, str]
    source_id: int
    shipped: bool


_INSERT = """INSERT INTO card (id, game, number, edition, number_key, number_sort, kind, level,
                  limit_key, fields, shipped, source_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPSERT = f"""{_INSERT}
    ON CONFLICT (game, number, edition) DO UPDATE SET
      number_key = excluded.number_key, number_sort = excluded.number_sort,
      kind = excluded.kind, level = excluded.level, limit_key = excluded.limit_key,
      fields = excluded.fields, shipped = excluded.shipped, source_id = excluded.source_id"""


class CardStore:
    """Writes cards, names, sets and sources; used by the load and by imports."""

    def __init__(self, connection: sqlite3.Connection, games_by_code: dict[str, Game]) -> None:
        self.connection = connection
        self.games = games_by_code
        self._citations: dict[str, int] = {}
        self._evolution = {code: EvolutionGrammar(game) for code, game in games_by_code.items()}

    def add_game(self, game: Game) -> None:
        """Know one more game, so that cards of it can be written."""
        self.games[game.code] = game
        self._evolution[game.code] = EvolutionGrammar(game)

    def citation(self, name: str) -> int:
        """The id of a source of the shipped data."""
        if name not in self._citations:
            self.connection.execute(
                "INSERT OR IGNORE INTO source (kind, name) VALUES ('shipped', ?)", (name,)
            )
            (self._citations[name],) = self.connection.execute(
                "SELECT id FROM source WHERE kind = 'shipped' AND name = ?", (name,)
            ).fetchone()
        return self._citations[name]

    def write_card(self, card: CardValues, *, source_id: int, shipped: bool) -> int:
        """Insert or replace a card's values; its id, which never changes."""
        row = self._row(None, card, source_id, shipped)
        (card_id,) = self.connection.execute(f"{_UPSERT} RETURNING id", row).fetchone()
        self._write_parts([(card_id, card)], replace=True)
        return int(card_id)

    def write_cards(self, cards: Sequence[StorableCard], *, new: bool) -> None:
        """Insert cards, or replace the values of those that are there, many at once."""
        self.connection.executemany(
            _INSERT if new else _UPSERT,
            [self._row(card.id, card, card.source_id, card.shipped) for card in cards],
        )
        self._write_parts([(card.id, card) for card in cards], replace=not new)

    def _row(
        self, card_id: int | None, card: CardValues | StorableCard, source_id: int, shipped: bool
    ) -> tuple[Any, ...]:
        return (
            card_id,
            card.game,
            card.number,
            card.edition,
            number_key(card.number),
            sort_key(card.number),
            card.values.get("kind"),
            card.values.get("level"),
            self.limit_key_of(self.games[card.game], card.values),
            self.fields_json(card.values),
            int(shipped),
            source_id,
        )

    def _write_parts(
        self, cards: Sequence[tuple[int, CardValues | StorableCard]], *, replace: bool
    ) -> None:
        """Names, doubts and what the cards can evolve from."""
        many = self.connection.executemany
        if replace:
            ids = [(card_id,) for card_id, _ in cards]
            for table in ("card_name", "evolution", "doubt"):
                many(f"DELETE FROM {table} WHERE card_id = ?", ids)
        many(
            "INSERT OR IGNORE INTO card_name VALUES (?, ?, ?, ?, ?)",
            [(card_id, *name) for card_id, card in cards for name in self.names_of(card.values)],
        )
        evolution = [(card_id, key) for card_id, card in cards for key in self._needs(card)]
        if evolution:
            many("INSERT INTO evolution VALUES (?, ?)", evolution)
        doubts = [(card_id, *doubt) for card_id, card in cards for doubt in card.doubts.items()]
        if doubts:
            many("INSERT INTO doubt VALUES (?, ?, ?)", doubts)

    def _needs(self, card: CardValues | StorableCard) -> Iterable[str]:
        evolution = self._evolution[card.game]
        texts = card.values.get(evolution.field)
        return evolution.index_keys(texts) if texts else ()

    def write_shipped_printings(self, card_id: int, card: CardValues) -> None:
        """Put a card into its sets, unless the user did so."""
        self.connection.executemany(
            """INSERT OR IGNORE INTO printing (card_id, game, set_code, shipped, source_id,
                 inferred) VALUES (?, ?, ?, 1, ?, ?)""",
            [
                (card_id, card.game, code, self.citation(reason or card.source), bool(reason))
                for code, reason in ((*((code, "") for code in card.sets), *card.inferred_sets))
            ],
        )

    @staticmethod
    def names_of(values: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
        """Language, text, search key and role of each name among ``values``."""
        for column, (language, role) in NAME_COLUMNS.items():
            text = values.get(column)
            if text:
                yield language, text, search_key(text), role

    @staticmethod
    def fields_json(values: dict[str, Any]) -> str:
        """The game's own fields among ``values``, as the table holds them."""
        parts = [
            beginning + (_quoted(value) if type(value := values[key]) is str else _as_json(value))
            for key, beginning in _field_keys(tuple(values))
        ]
        return f"{{{', '.join(parts)}}}"  # as json.dumps writes it, in a third of the time

    def limit_key_of(self, game: Game, values: dict[str, Any]) -> str | None:
        """The key of the first name; where only a Japanese or dub name is known, that
        of the one Digimon that other cards give it.
        """
        for column in NAME_COLUMNS:
            name = values.get(column)
            if name:
                break
        else:
            return None
        kind = values.get("kind") or ""
        key = limit_key(name, kind=kind, folds_x_antibody=game.folds_x_antibody)
        if NAME_COLUMNS[column][0] == "ja":
            return self._only_limit_key(game, key, key) or key
        if game.folds_x_antibody and kind in ("Digimon", "") and key == search_key(name):
            base = search_key(without_x_antibody(name, dub=True))
            return (self._only_limit_key(game, base, key) if base != key else None) or key
        return key

    def _only_limit_key(self, game: Game, name_key: str, own_key: str) -> str | None:
        """The limit key of the other cards with this name, if they share one."""
        found = self.connection.execute(
            """SELECT DISTINCT limit_key FROM card JOIN card_name ON card_id = card.id
               WHERE card.game = ? AND search_key = ? AND role IN ('name', 'species')
                 AND limit_key <> ? LIMIT 2""",
            (game.code, name_key, own_key),
        ).fetchall()
        return found[0][0] if len(found) == 1 else None

    def values_of(self, card_id: int) -> CardValues:
        """A stored card as values again."""
        row = self.connection.execute("SELECT * FROM card WHERE id = ?", (card_id,)).fetchone()
        values: dict[str, Any] = json.loads(row["fields"])
        for column in PLAIN_COLUMNS:
            if row[column] is not None:
                values[column] = row[column]
        columns = {key: column for column, key in NAME_COLUMNS.items()}
        for name in self.connection.execute(
            "SELECT * FROM card_name WHERE card_id = ?", (card_id,)
        ):
            values[columns[name["language"], name["role"]]] = name["name"]
        doubts = {
            doubt["field"]: doubt["reason"]
            for doubt in self.connection.execute(
                "SELECT field, reason FROM doubt WHERE card_id = ?", (card_id,)
            )
        }
        return CardValues(row["game"], row["number"], row["edition"], "", [], values, doubts)


def write_game(connection: sqlite3.Connection, game: Game, *, source_id: int | None) -> None:
    """Insert or replace a game and add its formats; ``source_id`` is None where it ships."""
    connection.execute(
        """INSERT INTO game (code, name, years, definition, source_id) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (code) DO UPDATE SET name = excluded.name, years = excluded.years,
             definition = excluded.definition, source_id = excluded.source_id""",
        (
            game.code,
            game.name,
            game.years,
            json.dumps(game.definition, ensure_ascii=False),
            source_id,
        ),
    )
    for code, definition in (game.definition.get("formats") or {}).items():
        connection.execute(
            "INSERT INTO format VALUES (?, ?, ?, ?)",
            (code, game.code, definition["title"], json.dumps(definition, ensure_ascii=False)),
        )


def write_correction(
    connection: sqlite3.Connection, card: CardValues, column: str, value: Any, source_id: int
) -> None:
    """Keep what the user says of one column of a shipped card."""
    connection.execute(
        "INSERT OR REPLACE INTO correction VALUES (?, ?, ?, ?, ?, ?)",
        (
            card.game,
            card.number,
            card.edition,
            column,
            json.dumps(value, ensure_ascii=False),
            source_id,
        ),
    )


def apply_corrections(
    connection: sqlite3.Connection, store: CardStore, card_id: int | None = None
) -> None:
    """Lay the corrections over the shipped values, of one card or of all.

    A corrected column is no longer in doubt; a corrected name settles which
    game the card is of.
    """
    one, values = (" AND card.id = ?", (card_id,)) if card_id else ("", ())
    changes: dict[int, dict[str, Any]] = {}
    for row in connection.execute(
        """SELECT card.id, correction.field, correction.value FROM correction JOIN card
           USING (game, number, edition) WHERE card.shipped = 1"""
        + one,
        values,
    ).fetchall():
        changes.setdefault(row["id"], {})[row["field"]] = json.loads(row["value"])
    for changed_id, corrected in changes.items():
        card = store.values_of(changed_id)
        card.values.update(corrected)
        for column in corrected:
            card.doubts.pop(column, None)
        if any(column.startswith("name_") for column in corrected):
            card.doubts.pop("game", None)
        source_id = connection.execute(
            "SELECT source_id FROM card WHERE id = ?", (changed_id,)
        ).fetchone()[0]
        store.write_card(card, source_id=source_id, shipped=True)
