"""What each row of a file would change, found out batch by batch.

The cards that a batch may mean are fetched with one query, each row is compared
with its card, and what is to be written goes into the stage's tables. So memory
stays the same for a file of any length, and nothing is written while planning.
"""

from __future__ import annotations

import gc
import itertools
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import edition_key, number_key, plain
from digideck.core.problems import Problem, RowError, Severity
from digideck.importers.cell_parsers import Parsers, fact, name_column
from digideck.importers.identify import Identifier
from digideck.importers.results import MOST_LISTED, Change, Options, Outcome, Plan
from digideck.importers.rows import Row, Table
from digideck.importers.set_finder import SetFinder
from digideck.importers.stage import Entry, Stage
from digideck.importers.values import repaired
from digideck.schema.card_store import NAME_COLUMNS
from digideck.schema.games.game import Game

BATCH = 100  # rows: few enough to stay in the processor's cache
LONGEST_NUMBER = 40
NEAR_ENOUGH = 80
# A million numbers that come once each are not worth remembering.
_fresh_number_key = number_key.__wrapped__
_CONFLICT_STEP = "--on-conflict replace takes this file's value, --on-conflict keep the other"


class Planner:
    """Plans one file's import. The connection's temporary tables hold the outcome."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        games: Mapping[str, Game],
        table: Table,
        options: Options,
        path: str | None,
        progress: Callable[[int], None],
    ) -> None:
        self.connection = connection
        self.games = games
        self.table = table
        self.options = options
        self.path = path
        self.progress = progress
        self.plan = Plan()
        self.stage = Stage(connection, games)
        self.identifier = Identifier(games, options)
        self.parsers = Parsers()
        self.sets = SetFinder(connection, self.plan, new_sets=options.new_sets)
        highest = connection.execute("SELECT COALESCE(MAX(id), 0) FROM card").fetchone()[0]
        self._ids = itertools.count(highest + 1)
        self._with_variants = [game for game in games.values() if game.numbers.variants]
        self._touched: list[Entry] = []

    def run(self) -> Plan:
        """Read all rows and stage what they change."""
        rows = iter(self.table.rows)
        self.connection.execute("BEGIN")  # of the temporary tables; nothing else is written
        collecting = gc.isenabled()
        gc.disable()  # nothing here is cyclic, and looking through each batch takes a fifth longer
        try:
            while batch := list(itertools.islice(rows, BATCH)):
                self._batch(batch)
                self.progress(self.plan.counts["read"])
        finally:
            if collecting:
                gc.enable()
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")
        return self.plan

    def _batch(self, batch: Sequence[Row | RowError]) -> None:
        wanted: list[tuple[Row, str, str]] = []
        for row in batch:
            if isinstance(row, RowError):
                self._refuse(row.line, row.part, row.code, str(row), row.next_step, "")
                continue
            try:
                _mend(row.values)
                number = _number(row)
            except RowError as refusal:
                self._refuse_row(row, refusal)
                continue
            wanted.append((row, number, _fresh_number_key(number)))
        entries = self.stage.entries(
            self._keys(wanted),
            with_sets=any("set" in row.values for row, _, _ in wanted)
            or bool(self.options.set_code),
        )
        for row, number, key in wanted:
            try:
                self._row(row, number, key, entries)
            except RowError as refusal:
                self._refuse_row(row, refusal)
        self.stage.flush(self._touched)
        self._touched = []

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
        number = row.values.get("number", "")
        self._refuse(row.line, row.head.part, refusal.code, str(refusal), refusal.next_step, number)

    def _refuse(
        self, line: int, part: str, code: Code, message: str, next_step: str | None, number: str
    ) -> None:
        file = f"{self.table.file}[{part}]" if part else self.table.file
        self.plan.report(Problem(code, Severity.ERROR, message, file, line, next_step=next_step))
        self.plan.add(Change(line, Outcome.REFUSED, number))

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

    def _row(self, row: Row, number: str, key: str, entries: dict[str, list[Entry]]) -> None:
        games = self.identifier.games_of(row)
        edition = edition_key(row.values.get("edition", ""))
        entry = (
            self.identifier.card(number, key, edition, games, entries)
            if key in entries or self._with_variants
            else None
        )
        game = (
            self.games[entry.game]
            if entry
            else self.identifier.game_of_new(row, number, edition, games)
        )
        said = self.parsers.facts(game, row)
        sets = self._sets(row, game)
        if entry is None:
            entries.setdefault(key, []).append(self._add(row, game, number, key, said, sets))
            return
        name = row.values.get("name")
        if name:
            self._compare_name(row, name, entry)
            if "game" in entry.doubts:  # the user has the card: it exists
                said.setdefault(name_column(entry.names[0]), entry.names[0])
        if not entry.line and not entry.doubts and said.items() <= entry.after.items():
            new_sets = [code for code in sets if code not in entry.printings]
            if not new_sets:  # nothing new in it: by far the most rows of a file that comes again
                entry.line = row.line
                entry.said = said.keys()
                self._touch(entry)
                self.plan.add_unchanged()
                return
        self._update(row, entry, said, sets)

    def _add(
        self,
        row: Row,
        game: Game,
        number: str,
        key: str,
        said: dict[str, Any],
        sets: tuple[str, ...],
    ) -> Entry:
        name = row.values.get("name")
        if name:
            said.setdefault(name_column(name), fact("name", name))
        if NAME_COLUMNS.keys().isdisjoint(said):
            raise RowError(
                Code.NO_NAME,
                f"{number} is a new card, but the row gives no name",
                "add a column name, or check the number",
            )
        edition = edition_key(row.values.get("edition", ""))
        entry = Entry(next(self._ids), game.code, number, edition, key, said)
        entry.is_new = True
        entry.line = row.line
        entry.said = said.keys()
        if sets:
            entry.printings = entry.new_printings = frozenset(sets)
        self._touch(entry)
        if len(self.plan.changes) < MOST_LISTED:
            details = tuple((column, None, value) for column, value in said.items())
            self.plan.add(Change(row.line, Outcome.ADDED, entry.title, details, sets))
        else:
            self.plan.add_unlisted(Outcome.ADDED, len(sets))
        return entry

    def _compare_name(self, row: Row, name: str, entry: Entry) -> None:
        """The column "name" tells which card is meant; it corrects nothing."""
        known = entry.names
        if not known or name in known:
            return
        key = search_key(name)
        if key in {search_key(text) for text in known}:
            return
        if key in {search_key(text.split("(")[0]) for text in known}:
            return  # "Agumon" for Agumon (2006 Anime Version): the bracket is not printed
        from rapidfuzz import fuzz

        best = max(fuzz.ratio(key, search_key(text)) for text in known)
        other = self._other_card(key, entry)
        if other or best < NEAR_ENOUGH:
            raise RowError(
                Code.NAME_CLASH,
                f"{entry.number} is {known[0]}, but the row says {name}"
                + (f" ({other})" if other else ""),
                "correct the number; to correct the name itself, call the column name_en",
            )
        part = row.head.part
        self.plan.report(
            Problem(
                Code.NAME_DIFFERS,
                Severity.WARNING,
                f"{entry.number} is {known[0]}; {name!r} was taken as a spelling of it",
                f"{self.table.file}[{part}]" if part else self.table.file,
                row.line,
                next_step="to correct the name itself, call the column name_en",
            )
        )

    def _other_card(self, key: str, entry: Entry) -> str | None:
        found = self.connection.execute(
            """SELECT number, name FROM card_name JOIN card ON card.id = card_id
               WHERE search_key = ? AND game = ? AND role != 'alias' AND card.id != ? LIMIT 1""",
            (key, entry.game, entry.id),
        ).fetchone()
        return f"{found[0]} {found[1]}" if found else None

    def _update(self, row: Row, entry: Entry, said: dict[str, Any], sets: tuple[str, ...]) -> None:
        _refuse_contradiction(entry, said)
        changed, left = self._differences(row, entry, said)
        doubts = entry.doubts
        settled = {column for column in said if column in doubts and column not in left}
        details = [(column, old, said[column]) for column, (old, _) in changed.items()]
        details += [(f"doubt of {column}", doubts[column], None) for column in settled]
        names = {column for column in said if column in NAME_COLUMNS and column not in left}
        if "game" in doubts and names:
            details.append(("doubt of game", doubts["game"], None))
            settled |= names | {"game"}
        new_sets = tuple(code for code in sets if code not in entry.printings)
        self._take(row, entry, said, changed, settled, left, new_sets)
        self.plan.counts["kept"] += len(left - row.head.weak)
        if details or new_sets:
            self.plan.add(Change(row.line, Outcome.CHANGED, entry.title, tuple(details), new_sets))
        else:
            self.plan.add_unchanged()

    def _differences(
        self, row: Row, entry: Entry, said: Mapping[str, Any]
    ) -> tuple[dict[str, tuple[Any, int | None]], set[str]]:
        """The columns that change, with the value before and the import that gave it,
        and those that are left as they are.
        """
        changed: dict[str, tuple[Any, int | None]] = {}
        left: set[str] = set()
        for column, value in said.items():
            before = entry.after.get(column)
            if before == value:
                continue
            source_id = None if entry.is_new else self._said_by(entry, column)
            weak = before is not None and column in row.head.weak
            if weak or self._yields(entry, column, before, value, source_id):
                left.add(column)
            else:
                changed[column] = (before, source_id)
        return changed, left

    def _take(
        self,
        row: Row,
        entry: Entry,
        said: Mapping[str, Any],
        changed: Mapping[str, tuple[Any, int | None]],
        settled: set[str],
        left: set[str],
        new_sets: tuple[str, ...],
    ) -> None:
        """Let the card be as the row says."""
        entry.line = entry.line or row.line
        entry.said = entry.said | (said.keys() - left)
        entry.printings = entry.printings | set(new_sets)
        entry.new_printings = entry.new_printings | set(new_sets)
        changes = dict(entry.changes)
        for column, (old, source_id) in changed.items():
            entry.after[column] = said[column]
            changes.setdefault(column, (old, source_id))
        for column in settled - {"game"}:
            changes.setdefault(column, (entry.after.get(column), None))
        entry.changes = changes
        if entry.doubts:
            entry.doubts = {c: text for c, text in entry.doubts.items() if c not in settled}
        self._touch(entry)

    def _said_by(self, entry: Entry, column: str) -> int | None:
        """The import that the card's present value is from, if not the card's own source."""
        if entry.shipped:
            sql = """SELECT source_id FROM correction
                     WHERE game = ? AND number = ? AND edition = ? AND field = ?"""
            values: tuple[Any, ...] = (entry.game, entry.number, entry.edition, column)
        else:
            sql = "SELECT source_id FROM field_source WHERE card_id = ? AND field = ?"
            values = (entry.id, column)
        found = self.connection.execute(sql, values).fetchone()
        return int(found[0]) if found else None

    def _yields(
        self, entry: Entry, column: str, before: Any, value: Any, source_id: int | None
    ) -> bool:
        """Whether the value of another import stays. Raises RowError if that is to be asked.

        An earlier version of the same file is no other source: it is brought up to date.
        """
        if entry.is_new or before is None or self.options.on_conflict == "replace":
            return False
        kind, name, path, date = self.connection.execute(
            "SELECT kind, name, path, imported_at FROM source WHERE id = ?",
            (source_id or entry.source_id,),
        ).fetchone()
        if kind != "import" or (path is not None and path == self.path):
            return False
        if self.options.on_conflict == "keep":
            return True
        raise RowError(
            Code.CONFLICT,
            f"{entry.title}: {column} is {_shown(before)} by {name} of {date[:10]}, "
            f"this row says {_shown(value)}",
            _CONFLICT_STEP,
        )

    def _touch(self, entry: Entry) -> None:
        if not entry.touched:
            entry.touched = True
            self._touched.append(entry)


def _mend(values: dict[str, str]) -> None:
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


def _number(row: Row) -> str:
    number = plain(row.values.get("number", ""))
    if not number:
        raise RowError(
            Code.NO_NUMBER, "no card number in this row", "fill it in, or take the row out"
        )
    if len(number) > LONGEST_NUMBER:
        raise RowError(Code.NUMBER_SHAPE, f"{number[:LONGEST_NUMBER]!r}... is no card number")
    return number


def _refuse_contradiction(entry: Entry, said: Mapping[str, Any]) -> None:
    if not entry.line:
        return
    for column, value in said.items():
        if column in entry.said and entry.after.get(column) != value:
            raise RowError(
                Code.ROW_TWICE,
                f"{entry.number} stands twice, and line {entry.line} says "
                f"{column} {entry.after.get(column)!r}, not {value!r}",
                "take one of the two rows out",
            )


def _shown(value: Any) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
