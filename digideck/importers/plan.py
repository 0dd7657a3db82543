"""What each row of a file says of its card, and what that changes.

The cards that a batch of rows may mean are loaded with a few queries, and each row is
compared with its card. Nothing is written here.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import edition_key, number_key
from digideck.core.problems import Problem, RowError, Severity
from digideck.core.suggestions import is_near
from digideck.importers.card_states import CardState, CardStates
from digideck.importers.cell_parsers import Parsers, fact, name_column
from digideck.importers.outcomes import MOST_LISTED, Options, Outcome, Plan, RowOutcome, ValueChange
from digideck.importers.row_identity import RowIdentifier
from digideck.importers.rows import Row, Table
from digideck.importers.set_finder import SetFinder
from digideck.importers.values import repaired
from digideck.schema.card_store import NAME_COLUMNS
from digideck.schema.games.game import Game

BATCH = 100  # rows: few enough to stay in the processor's cache
_CONFLICT_STEP = "--on-conflict replace takes this file's value, --on-conflict keep the other"


class RowPlanner:
    """Plans one file's import, batch by batch; ``plan`` is what came of it so far.

    ``games`` may learn of fields while rows are read: ``batch_read`` is called before the
    rows of a batch are looked at.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        games: Mapping[str, Game],
        table: Table,
        options: Options,
        path: str | None,
        batch_read: Callable[[], None] = lambda: None,
    ) -> None:
        self.connection = connection
        self.games = games
        self.table = table
        self.options = options
        self.path = path
        self.batch_read = batch_read
        self.plan = Plan()
        self.states = CardStates(connection, games)
        self.identifier = RowIdentifier(games, options)
        self.parsers = Parsers()
        self.sets = SetFinder(connection, self.plan, new_sets=options.new_sets)
        possible = [games[options.game]] if options.game else games.values()
        self._with_variants = [game for game in possible if game.numbers.variants]

    def batches(self) -> Iterator[list[CardState]]:
        """The cards that each batch of rows has named, as they are to be."""
        rows = iter(self.table.rows)
        while batch := list(itertools.islice(rows, BATCH)):
            self.batch_read()
            yield self._batch(batch)

    def _batch(self, batch: Sequence[Row | RowError]) -> list[CardState]:
        wanted: list[tuple[Row, str, str]] = []
        for row in batch:
            if isinstance(row, RowError):
                self._refuse(row, row.line, row.part, "")
                continue
            try:
                _clean(row.values)
                number = self.identifier.number(row)
            except RowError as refusal:
                self._refuse_row(row, refusal)
                continue
            wanted.append((row, number, number_key(number)))
        states = self.states.load(
            self._keys(wanted),
            with_sets=any("set" in row.values for row, _, _ in wanted)
            or bool(self.options.set_code),
        )
        touched: dict[int, CardState] = {}
        for row, number, key in wanted:
            try:
                state = self._row(row, number, key, states)
                touched[state.id] = state
            except RowError as refusal:
                self._refuse_row(row, refusal)
        return list(touched.values())

    def _keys(self, wanted: Sequence[tuple[Row, str, str]]) -> set[str]:
        """The keys of the numbers, and of what they are without the suffix of a variant."""
        keys = {key for _, _, key in wanted}
        for game in self._with_variants:
            for row, number, _ in wanted:
                if game in self._games_or_none(row):
                    bare = game.numbers.without_variant(number)
                    if bare != number:
                        keys.add(number_key(bare))
        return keys

    def _games_or_none(self, row: Row) -> tuple[Game, ...]:
        try:
            return self.identifier.games_of(row)
        except RowError:
            return ()

    def _refuse_row(self, row: Row, refusal: RowError) -> None:
        self._refuse(refusal, row.line, row.head.part, row.values.get("number", ""))

    def _refuse(self, refusal: RowError, line: int, part: str, number: str) -> None:
        refusal.part = part
        self.plan.report(refusal.problem(self.table.file, line))
        self.plan.add(RowOutcome(line, Outcome.REFUSED, number))

    def _sets(self, row: Row, game: Game) -> tuple[str, ...]:
        """The sets of a row, by itself or by --set, which must not differ."""
        own, wanted = row.values.get("set"), self.options.set_code
        sets = self.sets.codes(game, own) if own else ()
        if not wanted:
            return sets
        named = self.sets.codes(game, wanted)
        if sets and sets != named:
            raise RowError(
                Code.SET_DIFFERS,
                f"the row is of the set {own}, but --set says {wanted}",
                "leave --set out, or take the set out of the file",
            )
        return named

    def _row(
        self, row: Row, number: str, key: str, states: dict[str, list[CardState]]
    ) -> CardState:
        """The card that a row means, as the row lets it be. Raises RowError."""
        games = self.identifier.games_of(row)
        edition = edition_key(row.values.get("edition", ""))
        state = (
            self.identifier.card(number, edition, games, states)
            if key in states or self._with_variants
            else None
        )
        game = (
            self.games[state.game]
            if state
            else self.identifier.game_of_new(row, number, edition, games)
        )
        given = self.parsers.facts(game, row)
        sets = self._sets(row, game)
        if state is None:
            state = self._add(row, game, number, given, sets)
            states.setdefault(key, []).append(state)
            return state
        name = row.values.get("name")
        if name:
            self._compare_name(row, name, state)
            if "game" in state.doubts:  # the user has the card: it exists
                given.setdefault(name_column(state.names[0]), state.names[0])
        self._update(row, state, given, sets)
        return state

    def _add(
        self, row: Row, game: Game, number: str, given: dict[str, Any], sets: tuple[str, ...]
    ) -> CardState:
        name = row.values.get("name")
        if name:
            given.setdefault(name_column(name), fact("name", name))
        if NAME_COLUMNS.keys().isdisjoint(given):
            raise RowError(
                Code.NO_NAME,
                f"{number} is a new card, but the row gives no name",
                "add a column name, or check the number",
            )
        edition = edition_key(row.values.get("edition", ""))
        key = number_key(number)
        state = CardState(self.states.next_id(), game.code, number, edition, key, given)
        state.is_new, state.stored = True, False
        state.line, state.given = row.line, given.keys()
        state.printings = state.new_printings = frozenset(sets)
        if len(self.plan.changes) < MOST_LISTED:
            details = tuple(ValueChange(column, None, value) for column, value in given.items())
            self.plan.add(RowOutcome(row.line, Outcome.ADDED, state.title, details, sets))
        else:
            self.plan.add_unlisted(Outcome.ADDED, len(sets))
        return state

    def _compare_name(self, row: Row, name: str, state: CardState) -> None:
        """The column "name" tells which card is meant; it corrects nothing."""
        known = state.names
        if not known or name in known:
            return
        key, keys = search_key(name), {search_key(text) for text in known}
        if key in keys:
            return
        if key in {search_key(text.split("(")[0]) for text in known}:
            return  # "Agumon" for Agumon (2006 Anime Version): the bracket is not printed
        other = self._other_card(key, state)
        if other or not is_near(key, keys):
            raise RowError(
                Code.NAME_CLASH,
                f"{state.number} is {known[0]}, but the row says {name}"
                + (f" ({other})" if other else ""),
                "correct the number; to correct the name itself, call the column name_en",
            )
        part = row.head.part
        self.plan.report(
            Problem(
                Code.NAME_DIFFERS,
                Severity.WARNING,
                f"{state.number} is {known[0]}; {name!r} was taken as a spelling of it",
                f"{self.table.file}[{part}]" if part else self.table.file,
                row.line,
                next_step="to correct the name itself, call the column name_en",
            )
        )

    def _other_card(self, key: str, state: CardState) -> str | None:
        found = self.connection.execute(
            """SELECT number, name FROM card_name JOIN card ON card.id = card_id
               WHERE search_key = ? AND game = ? AND role != 'alias' AND card.id != ? LIMIT 1""",
            (key, state.game, state.id),
        ).fetchone()
        return f"{found[0]} {found[1]}" if found else None

    def _update(
        self, row: Row, state: CardState, given: dict[str, Any], sets: tuple[str, ...]
    ) -> None:
        _refuse_contradiction(state, given)
        changed, left = self._differences(row, state, given)
        doubts = state.doubts
        settled = {column for column in given if column in doubts and column not in left}
        details = [ValueChange(column, old, given[column]) for column, (old, _) in changed.items()]
        details += [ValueChange(f"doubt of {column}", doubts[column], None) for column in settled]
        names = {column for column in given if column in NAME_COLUMNS and column not in left}
        if "game" in doubts and names:
            details.append(ValueChange("doubt of game", doubts["game"], None))
            settled |= names | {"game"}
        new_sets = tuple(code for code in sets if code not in state.printings)
        self._take(row, state, given, changed, settled, left, new_sets)
        self.plan.counts["kept"] += len(left - row.head.weak)
        if details or new_sets:
            self.plan.add(
                RowOutcome(row.line, Outcome.CHANGED, state.title, tuple(details), new_sets)
            )
        else:
            self.plan.add_unchanged()

    def _differences(
        self, row: Row, state: CardState, given: Mapping[str, Any]
    ) -> tuple[dict[str, tuple[Any, int | None]], set[str]]:
        """The columns that change, with the value before and the import that gave it,
        and those that are left as they are.
        """
        changed: dict[str, tuple[Any, int | None]] = {}
        left: set[str] = set()
        for column, value in given.items():
            before = state.values.get(column)
            if before == value:
                continue
            source_id = None if state.is_new else self._given_by(state, column)
            weak = before is not None and column in row.head.weak
            if weak or self._yields(state, column, before, value, source_id):
                left.add(column)
            else:
                changed[column] = (before, source_id)
        return changed, left

    def _take(
        self,
        row: Row,
        state: CardState,
        given: Mapping[str, Any],
        changed: Mapping[str, tuple[Any, int | None]],
        settled: set[str],
        left: set[str],
        new_sets: tuple[str, ...],
    ) -> None:
        """Let the card be as the row says."""
        state.line = state.line or row.line
        state.given = state.given | (given.keys() - left)
        state.printings = state.printings | set(new_sets)
        state.new_printings = state.new_printings | set(new_sets)
        changes = dict(state.changes)
        for column, (old, source_id) in changed.items():
            state.values[column] = given[column]
            changes.setdefault(column, (old, source_id))
        for column in settled - {"game"}:
            changes.setdefault(column, (state.values.get(column), None))
        state.changes = changes
        if state.doubts:
            state.doubts = {c: text for c, text in state.doubts.items() if c not in settled}

    def _given_by(self, state: CardState, column: str) -> int | None:
        """The import that the card's present value is from, if not the card's own source."""
        if state.shipped:
            sql = """SELECT source_id FROM correction
                     WHERE game = ? AND number = ? AND edition = ? AND field = ?"""
            values: tuple[Any, ...] = (state.game, state.number, state.edition, column)
        else:
            sql = "SELECT source_id FROM field_source WHERE card_id = ? AND field = ?"
            values = (state.id, column)
        found = self.connection.execute(sql, values).fetchone()
        return int(found[0]) if found else None

    def _yields(
        self, state: CardState, column: str, before: Any, value: Any, source_id: int | None
    ) -> bool:
        """Whether the value of another import stays. Raises RowError if that is to be asked.

        An earlier version of the same file is no other source: it is brought up to date.
        """
        if state.is_new or before is None or self.options.on_conflict == "replace":
            return False
        kind, name, path, date = self.connection.execute(
            "SELECT kind, name, path, imported_at FROM source WHERE id = ?",
            (source_id or state.source_id,),
        ).fetchone()
        same = source_id == self.states.source_id or (path is not None and path == self.path)
        if kind != "import" or same:
            return False
        if self.options.on_conflict == "keep":
            return True
        raise RowError(
            Code.CONFLICT,
            f"{state.title}: {column} is {_shown(before)} by {name} of {date[:10]}, "
            f"this row says {_shown(value)}",
            _CONFLICT_STEP,
        )


def _clean(values: dict[str, str]) -> None:
    """Clean the values, nearly all of which need nothing."""
    joined = " ".join(values.values())
    if (
        joined.isascii()
        and joined.isprintable()
        and "=" not in joined
        and "#" not in joined
        and "'" not in joined
    ):
        return
    for column, text in values.items():
        values[column], damage = repaired(text)
        if damage:
            raise RowError(
                Code.VALUE_DAMAGED, f"{column}: {damage}", "put the value itself into the cell"
            )


def _refuse_contradiction(state: CardState, given: Mapping[str, Any]) -> None:
    if not state.line:
        return
    for column, value in given.items():
        if column in state.given and state.values.get(column) != value:
            raise RowError(
                Code.ROW_TWICE,
                f"{state.number} stands twice, and line {state.line} says "
                f"{column} {state.values.get(column)!r}, not {value!r}",
                "take one of the two rows out",
            )


def _shown(value: Any) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
