"""The temporary tables that hold a plan, and the cards that a batch of rows may mean.

The tables are shaped like those that they will go to, so that applying the plan is
a handful of statements. Indexes that few files need are made when first needed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

from digideck.core.names import limit_key, search_key
from digideck.core.numbers import sort_key
from digideck.schema.card_store import NAME_COLUMNS, CardStore
from digideck.schema.games.evolution_grammar import EvolutionGrammar
from digideck.schema.games.game import Game

_CACHE_KB = 32_000
_TABLES = """
CREATE TEMP TABLE plan_card (
    id INTEGER PRIMARY KEY, game TEXT, number TEXT, edition TEXT, number_key TEXT,
    number_sort TEXT, kind TEXT, level TEXT, limit_key TEXT, fields TEXT,
    is_new INTEGER, line INTEGER, said TEXT,
    language TEXT, name TEXT, search_key TEXT, role TEXT, set_code TEXT);
CREATE INDEX temp.plan_card_key ON plan_card (number_key);
-- Names and new printings beyond the first, which stands with its card.
CREATE TEMP TABLE plan_name (
    card_id INTEGER, language TEXT, name TEXT, search_key TEXT, role TEXT);
CREATE TEMP TABLE plan_printing (card_id INTEGER, game TEXT, set_code TEXT);
CREATE TEMP TABLE plan_need (card_id INTEGER, need TEXT, PRIMARY KEY (card_id, need)) WITHOUT ROWID;
CREATE TEMP TABLE plan_change (
    card_id INTEGER, field TEXT, old TEXT, new TEXT, old_source_id INTEGER,
    PRIMARY KEY (card_id, field)) WITHOUT ROWID;
CREATE TEMP VIEW plan_card_name AS
    SELECT id AS card_id, language, name, search_key, role FROM plan_card WHERE name IS NOT NULL;
CREATE TEMP VIEW plan_card_printing AS
    SELECT id AS card_id, game, set_code FROM plan_card WHERE set_code IS NOT NULL;
CREATE TEMP TABLE plan_seen (card_id INTEGER PRIMARY KEY, line INTEGER, said TEXT);
"""
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS temp.plan_name_card ON plan_name (card_id)",
    "CREATE INDEX IF NOT EXISTS temp.plan_printing_card ON plan_printing (card_id)",
)
_STORED = """SELECT card.id, game, number, edition, number_key, kind, level, fields, shipped,
      source_id, line, said
    FROM json_each(?) JOIN card ON number_key = value LEFT JOIN plan_seen ON card_id = card.id"""
_PLANNED = """SELECT plan_card.id, game, number, edition, number_key, kind, level, fields,
      is_new, line, said
    FROM json_each(?) JOIN plan_card ON number_key = value"""
_COLUMN_OF_ROLE = {key: column for column, key in NAME_COLUMNS.items()}
_ORDER_OF_ROLE = {key: place for place, key in enumerate(NAME_COLUMNS.values())}
_NOTHING: frozenset[str] = frozenset()
_scan = json.JSONDecoder().raw_decode  # json.loads without its look at what stands around
# A million names that come once each are not worth remembering.
_fresh_search_key = search_key.__wrapped__


class Entry:
    """A card that rows mean: as it is stored, or new, with what the file says so far.

    ``after`` are its values by column. ``line`` is that of the row which named it
    first (0: none yet), ``said`` the columns that rows have given. ``changes`` are
    the values before, with the import that had said them.
    """

    # Most cards need no more than __init__ sets.
    is_new = shipped = touched = False
    planned = False  # in the stage already
    source_id = 0
    line = 0
    said: Set[str] = _NOTHING
    printings: Set[str] = _NOTHING
    new_printings: Set[str] = _NOTHING
    doubts: Mapping[str, str] = MappingProxyType({})
    changes: Mapping[str, tuple[Any, int | None]] = MappingProxyType({})

    def __init__(
        self,
        card_id: int,
        game: str,
        number: str,
        edition: str,
        key: str,
        after: dict[str, Any],
    ) -> None:
        self.id = card_id
        self.game = game
        self.number = number
        self.edition = edition
        self.key = key
        self.after = after

    @property
    def written_number(self) -> str:
        """Number and edition."""
        return f"{self.number}@{self.edition}" if self.edition else self.number

    @property
    def names(self) -> list[str]:
        """Its names, the one to show first."""
        return [self.after[column] for column in NAME_COLUMNS if self.after.get(column)]

    @property
    def title(self) -> str:
        """Number and name, for messages."""
        return f"{self.written_number} {next(iter(self.names), '(name unknown)')}"


class Stage:
    """The plan's tables in one connection."""

    def __init__(self, connection: sqlite3.Connection, games: Mapping[str, Game]) -> None:
        self.connection = connection
        self.games = games
        self._said: dict[str, frozenset[str]] = {}
        self._said_text: dict[frozenset[str], str] = {}
        self._indexed = False
        self._evolution = {code: EvolutionGrammar(game) for code, game in games.items()}
        self._evolving = {
            code for code, game in games.items() if self._evolution[code].field in game.fields
        }
        connection.execute(f"PRAGMA temp.cache_size = -{_CACHE_KB}")
        connection.execute("PRAGMA temp.journal_mode = OFF")  # a plan is made anew, never mended
        for view in ("name", "printing"):
            connection.execute(f"DROP VIEW IF EXISTS temp.plan_card_{view}")
        for table in ("card", "name", "printing", "need", "change", "seen"):
            connection.execute(f"DROP TABLE IF EXISTS temp.plan_{table}")
        for statement in _TABLES.split(";"):
            if statement.strip():
                connection.execute(statement)

    def entries(self, keys: Iterable[str], *, with_sets: bool) -> dict[str, list[Entry]]:
        """Stored and planned cards by the keys of their numbers."""
        wanted = json.dumps(list(keys))
        by_id: dict[int, Entry] = {}
        for row in self.connection.execute(_STORED, (wanted,)):
            entry = by_id[row[0]] = Entry(
                row[0], row[1], row[2], row[3], row[4], _values(row[5], row[6], row[7])
            )
            entry.source_id = row[9]
            if row[8]:
                entry.shipped = True
            if row[10] is not None:
                entry.line = row[10]
                entry.said = self._columns(row[11])
        planned = self._planned(wanted, by_id)
        stored = [card_id for card_id in by_id if card_id not in planned]
        self._add_names("card_name", stored, by_id)
        self._add_names("plan_name", planned, by_id)
        self._add_names("plan_card_name", planned, by_id)
        if with_sets:
            self._add_printings("printing", list(by_id), by_id)
            self._add_printings("plan_printing", planned or self._seen(by_id), by_id)
            self._add_printings("plan_card_printing", planned, by_id)
        self._add_doubts(by_id)
        found: dict[str, list[Entry]] = {}
        for entry in by_id.values():
            found.setdefault(entry.key, []).append(entry)
        return found

    def _planned(self, wanted: str, by_id: dict[int, Entry]) -> list[int]:
        """Cards of earlier batches, as they will be."""
        planned = []
        for row in self.connection.execute(_PLANNED, (wanted,)):
            after = _values(row[5], row[6], row[7])
            stored = by_id.get(row[0])
            entry = by_id[row[0]] = Entry(row[0], row[1], row[2], row[3], row[4], after)
            entry.is_new = row[8] == 1
            if stored:
                entry.shipped, entry.source_id = stored.shipped, stored.source_id
            entry.planned, entry.line, entry.said = True, row[9], self._columns(row[10])
            planned.append(entry.id)
        if planned and not self._indexed:
            self._indexed = True
            for statement in _INDEXES:
                self.connection.execute(statement)
        return planned

    @staticmethod
    def _seen(by_id: Mapping[int, Entry]) -> list[int]:
        return [entry.id for entry in by_id.values() if entry.line]

    def _add_names(self, table: str, ids: Sequence[int], by_id: Mapping[int, Entry]) -> None:
        if ids:
            for card_id, language, name, role in self.connection.execute(
                f"""SELECT card_id, language, name, role
                    FROM json_each(?) JOIN {table} ON card_id = value""",
                (json.dumps(ids),),
            ):
                by_id[card_id].after[_COLUMN_OF_ROLE[language, role]] = name

    def _add_printings(self, table: str, ids: Sequence[int], by_id: Mapping[int, Entry]) -> None:
        if ids:
            for card_id, code in self.connection.execute(
                f"SELECT card_id, set_code FROM json_each(?) JOIN {table} ON card_id = value",
                (json.dumps(ids),),
            ):
                entry = by_id[card_id]
                entry.printings = {*entry.printings, code} if entry.printings else {code}

    def _add_doubts(self, by_id: Mapping[int, Entry]) -> None:
        ids = [entry.id for entry in by_id.values() if entry.shipped]
        if ids:
            for card_id, column, reason in self.connection.execute(
                "SELECT card_id, field, reason FROM json_each(?) JOIN doubt ON card_id = value",
                (json.dumps(ids),),
            ):
                entry = by_id[card_id]
                if not (entry.planned and column in entry.said):
                    entry.doubts = {**entry.doubts, column: reason}

    def flush(self, entries: Sequence[Entry]) -> None:
        """Stage the cards that a batch's rows have named."""
        cards: list[tuple[Any, ...]] = []
        more: list[tuple[Entry, list[tuple[Any, ...]], list[str]]] = []
        for entry in entries:
            whole = entry.is_new or entry.changes or entry.planned
            names = _names(entry) if whole else []
            sets = [*entry.new_printings]
            if whole:
                cards.append(self._card_row(entry, names, sets))
            if not entry.is_new or entry.planned or len(names) > 1 or len(sets) > 1:
                more.append((entry, names[1:], sets[1:] if whole else sets))
        self._make_way([(entry.id,) for entry, _, _ in more if entry.planned])
        many = self.connection.executemany
        many(f"INSERT OR REPLACE INTO plan_card VALUES ({_marks(18)})", cards)
        needs = [row for e in entries if e.game in self._evolving for row in self._needs(e)]
        if needs:
            many(f"INSERT OR IGNORE INTO plan_need VALUES ({_marks(2)})", needs)
        if more:
            self._flush_more(more)

    def _make_way(self, planned: list[tuple[int]]) -> None:
        """Before cards of earlier batches are staged again: keep their printings."""
        if not planned:
            return
        many = self.connection.executemany
        many(
            "INSERT INTO plan_printing SELECT * FROM plan_card_printing WHERE card_id = ?", planned
        )
        many("DELETE FROM plan_name WHERE card_id = ?", planned)
        many("DELETE FROM plan_need WHERE card_id = ?", planned)

    def _flush_more(self, more: list[tuple[Entry, list[tuple[Any, ...]], list[str]]]) -> None:
        """What does not stand with a card's own row."""
        many = self.connection.executemany
        names = [name for _, names, _ in more for name in names]
        many(f"INSERT INTO plan_name VALUES ({_marks(5)})", names)
        printings = [(entry.id, entry.game, code) for entry, _, sets in more for code in sets]
        many(f"INSERT INTO plan_printing VALUES ({_marks(3)})", printings)
        seen = [(e.id, e.line, self._text(e.said)) for e, _, _ in more if not e.is_new]
        many(f"INSERT OR REPLACE INTO plan_seen VALUES ({_marks(3)})", seen)
        changes = [row for e, _, _ in more if not e.is_new for row in _change_rows(e)]
        many(
            f"""INSERT INTO plan_change VALUES ({_marks(5)})
                ON CONFLICT DO UPDATE SET new = excluded.new""",
            changes,
        )

    def _needs(self, entry: Entry) -> list[tuple[int, str]]:
        """What the card can evolve from, for the table that is looked up the other way round."""
        evolution = self._evolution[entry.game]
        texts = entry.after.get(evolution.field)
        whole = entry.is_new or entry.changes or entry.planned
        if not whole or not isinstance(texts, list):
            return []
        return [(entry.id, key) for key in evolution.index_keys(texts)]

    def _card_row(
        self, entry: Entry, names: list[tuple[Any, ...]], sets: list[str]
    ) -> tuple[Any, ...]:
        values = entry.after
        counted_by = names[0][3] if names else None
        if names and self.games[entry.game].folds_x_antibody:
            counted_by = limit_key(
                names[0][2], kind=values.get("kind") or "", folds_x_antibody=True
            )
        return (
            entry.id,
            entry.game,
            entry.number,
            entry.edition,
            entry.key,
            sort_key(entry.number),
            values.get("kind"),
            values.get("level"),
            counted_by,
            CardStore.fields_json(values),
            entry.is_new,
            entry.line,
            self._text(entry.said),
            *(names[0][1:] if names else (None, None, None, None)),
            sets[0] if sets else None,
        )

    def _text(self, said: Set[str]) -> str:
        frozen = frozenset(said)
        text = self._said_text.get(frozen)
        if text is None:
            text = self._said_text[frozen] = "\0".join(sorted(said))
        return text

    def _columns(self, text: str) -> frozenset[str]:
        said = self._said.get(text)
        if said is None:
            said = self._said[text] = frozenset(text.split("\0")) if text else _NOTHING
        return said


def _names(entry: Entry) -> list[tuple[Any, ...]]:
    """Rows of the table of names, the one that copies are counted by first."""
    names = []
    for column, text in entry.after.items():
        if column in NAME_COLUMNS:
            language, role = NAME_COLUMNS[column]
            names.append((entry.id, language, text, _fresh_search_key(text), role))
    if len(names) > 1:
        names.sort(key=lambda name: _ORDER_OF_ROLE[name[1], name[4]])
    return names


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _values(kind: str | None, level: str | None, fields: str) -> dict[str, Any]:
    values: dict[str, Any] = _scan(fields, 0)[0] if fields != "{}" else {}
    if kind is not None:
        values["kind"] = kind
    if level is not None:
        values["level"] = level
    return values


def _change_rows(entry: Entry) -> list[tuple[Any, ...]]:
    return [
        (entry.id, column, _json(old), _json(entry.after.get(column)), source_id)
        for column, (old, source_id) in entry.changes.items()
    ]


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
