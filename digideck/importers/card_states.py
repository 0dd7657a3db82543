"""The cards that rows mean: as they are stored, and as the rows let them be."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from digideck.schema.card_store import NAME_COLUMNS, WRITE_PRINTING, CardStore
from digideck.schema.games.game import Game

_STORED = """SELECT card.id, game, number, edition, number_key, kind, level, fields, shipped,
      source_id FROM json_each(?) JOIN card ON number_key = value"""
_COLUMN_OF_ROLE = {key: column for column, key in NAME_COLUMNS.items()}
_PLACES = 1 << 20  # how many different sets of columns are told apart
_NOTHING: frozenset[str] = frozenset()
_NO_VALUES: Mapping[str, Any] = MappingProxyType({})


def _no_values() -> Mapping[str, Any]:
    return _NO_VALUES  # one for all: most of a million cards need none of their own


@dataclass(slots=True, eq=False)
class CardState:
    """A card with its values by column, as they are stored and then as the rows say.

    ``line`` is that of the row of this import which named it first (0: none yet), ``given``
    the columns that its rows have given. ``changes`` are the values before, with the import
    that they were from. ``is_new`` cards were added by this import.
    """

    id: int
    game: str
    number: str
    edition: str
    key: str
    values: dict[str, Any]
    is_new: bool = False
    stored: bool = True
    shipped: bool = False
    source_id: int = 0
    line: int = 0
    given: Set[str] = _NOTHING
    printings: Set[str] = _NOTHING
    new_printings: Set[str] = _NOTHING
    doubts: Mapping[str, str] = field(default_factory=_no_values)
    changes: Mapping[str, tuple[Any, int | None]] = field(default_factory=_no_values)

    @property
    def full_number(self) -> str:
        """Number and edition."""
        return f"{self.number}@{self.edition}" if self.edition else self.number

    @property
    def names(self) -> list[str]:
        """Its names, the one to show first."""
        return [self.values[column] for column in NAME_COLUMNS if self.values.get(column)]

    @property
    def title(self) -> str:
        """Number and name, for messages."""
        return f"{self.full_number} {next(iter(self.names), '(name unknown)')}"


class CardStates:
    """Loads the cards of a batch of rows and stores what becomes of them.

    All of it happens inside one transaction, so that a later batch finds what an earlier
    one has written. Of the earlier ones only lines and columns are kept, eight bytes a card.
    """

    def __init__(self, connection: sqlite3.Connection, games: Mapping[str, Game]) -> None:
        self.connection = connection
        self.store = CardStore(connection, dict(games))
        self.source_id = 0  # of this import, once it writes
        highest = connection.execute("SELECT COALESCE(MAX(id), 0) FROM card").fetchone()[0]
        self._seen = array("Q", bytes(8 * (highest + 1)))  # by id: line and place of columns
        self._columns: list[frozenset[str]] = []
        self._place: dict[frozenset[str], int] = {}

    def load(self, keys: Iterable[str], *, with_sets: bool) -> dict[str, list[CardState]]:
        """The stored cards by the keys of their numbers."""
        found: dict[str, list[CardState]] = {}
        by_id: dict[int, CardState] = {}
        for row in self.connection.execute(_STORED, (json.dumps(list(keys)),)):
            card_id, game, number, edition, key, kind, level, fields, shipped, source_id = row
            values: dict[str, Any] = json.loads(fields)
            if kind is not None:
                values["kind"] = kind
            if level is not None:
                values["level"] = level
            state = CardState(card_id, game, number, edition, key, values)
            state.shipped, state.source_id = bool(shipped), source_id
            state.is_new = source_id == self.source_id and not shipped
            seen = self._seen[card_id] if card_id < len(self._seen) else 0  # another's, meanwhile
            if seen:
                state.line, place = divmod(seen, _PLACES)
                state.given = self._columns[place]
            by_id[card_id] = state
            found.setdefault(key, []).append(state)
        if by_id:
            self._load_parts(by_id, with_sets)
        return found

    def _load_parts(self, by_id: Mapping[int, CardState], with_sets: bool) -> None:
        ids = json.dumps(list(by_id))
        for card_id, language, name, role in self.connection.execute(
            """SELECT card_id, language, name, role
               FROM json_each(?) JOIN card_name ON card_id = value""",
            (ids,),
        ):
            by_id[card_id].values[_COLUMN_OF_ROLE[language, role]] = name
        if with_sets:
            for card_id, code in self.connection.execute(
                """SELECT card_id, set_code FROM json_each(?) JOIN printing ON card_id = value
                   WHERE NOT inferred""",
                (ids,),
            ):
                by_id[card_id].printings |= {code}
        for card_id, column, reason in self.connection.execute(
            "SELECT card_id, field, reason FROM json_each(?) JOIN doubt ON card_id = value", (ids,)
        ):
            by_id[card_id].doubts = {**by_id[card_id].doubts, column: reason}

    def next_id(self) -> int:
        """The id of one more card."""
        self._seen.append(0)
        return len(self._seen) - 1

    def remember(self, states: Sequence[CardState]) -> None:
        """Keep what later rows must not contradict."""
        for state in states:
            given = frozenset(state.given)
            place = self._place.get(given)
            if place is None:
                place = self._place[given] = len(self._columns)
                self._columns.append(given)
            self._seen[state.id] = state.line * _PLACES + place

    def write(self, states: Sequence[CardState]) -> None:
        """Store the cards of a batch that change, with what they were before."""
        whole = [state for state in states if not state.stored or state.changes]
        new = [state for state in whole if not state.stored]
        for state in new:
            state.source_id = self.source_id
        if new:
            self.store.write_cards(new, new=True)
        if len(new) < len(whole):
            self.store.write_cards([state for state in whole if state.stored], new=False)
        self._many(
            WRITE_PRINTING,
            [
                (state.id, state.game, code, self.source_id)
                for state in states
                for code in state.new_printings
            ],
        )
        changes = [
            (state, column, old, source_id)
            for state in whole
            if not state.is_new
            for column, (old, source_id) in state.changes.items()
        ]
        self._many(  # of several rows the first knows how it was
            "INSERT OR IGNORE INTO import_change VALUES (?, ?, ?, ?, ?)",
            [
                (self.source_id, state.id, column, _json(old), source_id)
                for state, column, old, source_id in changes
            ],
        )
        self._many(
            "INSERT OR REPLACE INTO correction VALUES (?, ?, ?, ?, ?, ?)",
            [
                (state.game, state.number, state.edition, column,
                 json.dumps(state.values.get(column), ensure_ascii=False), self.source_id)
                for state, column, _, _ in changes if state.shipped
            ],
        )  # fmt: skip
        self._many(
            "INSERT OR REPLACE INTO field_source VALUES (?, ?, ?)",
            [
                (state.id, column, self.source_id)
                for state, column, _, _ in changes
                if not state.shipped
            ],
        )

    def _many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            self.connection.executemany(statement, rows)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
