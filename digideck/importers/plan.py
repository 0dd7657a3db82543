"""What each row of a file would change, staged in temporary tables.

Rows are taken in batches: the cards that a batch may mean are fetched with one
query, each row is compared with its card, and what is to be written goes into
tables shaped like those it will go to. So memory stays the same for a file of
any length, nothing is written while planning, and applying is a handful of
statements.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from digideck.importers.rows import BadRow, Head, Row, Table
from digideck.importers.values import (
    LONGEST_ITEM,
    LONGEST_TEXT,
    figure,
    mended,
    number_damage,
    serial_damage,
)
from digideck.schema.games import Field, Game, parse_field
from digideck.schema.names import search_key
from digideck.schema.numbers import number_key, plain, sort_key
from digideck.schema.problems import Problem, Severity
from digideck.schema.shipped import NAME_COLUMNS, Store

BATCH = 5_000  # rows
MOST_LISTED = 1_000  # changes that are listed, and problems of each kind
MOST_NEW_SETS = 5_000
NEAR_ENOUGH = 80
ON_CONFLICT = ("fail", "keep", "replace")
_CONFLICT_STEP = "--on-conflict replace takes this file's value, --on-conflict keep the other"
_TABLES = """
CREATE TEMP TABLE plan_card (
    id INTEGER PRIMARY KEY, game TEXT, number TEXT, edition TEXT, number_key TEXT,
    number_sort TEXT, kind TEXT, level TEXT, limit_key TEXT, fields TEXT,
    is_new INTEGER, line INTEGER, said TEXT);
CREATE INDEX temp.plan_card_key ON plan_card (number_key);
CREATE TEMP TABLE plan_name (
    card_id INTEGER, language TEXT, name TEXT, search_key TEXT, role TEXT,
    PRIMARY KEY (card_id, language, name)) WITHOUT ROWID;
CREATE TEMP TABLE plan_printing (
    card_id INTEGER, game TEXT, set_code TEXT, PRIMARY KEY (card_id, set_code)) WITHOUT ROWID;
CREATE TEMP TABLE plan_change (
    card_id INTEGER, field TEXT, old TEXT, new TEXT, old_source_id INTEGER, settles INTEGER,
    PRIMARY KEY (card_id, field)) WITHOUT ROWID;
CREATE TEMP TABLE plan_seen (card_id INTEGER PRIMARY KEY, line INTEGER, said TEXT);
"""
_NAMES_BY_ROLE = {key: column for column, key in NAME_COLUMNS.items()}


class Outcome(StrEnum):
    """What becomes of a row."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Change:
    """One row's outcome; ``details`` are the values that change, old and new."""

    line: int
    outcome: Outcome
    card: str
    details: tuple[tuple[str, Any, Any], ...] = ()
    new_sets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """How to import: into which game and set, what to do with refusals and conflicts."""

    game: str | None = None
    set_code: str | None = None
    dry_run: bool = False
    partial: bool = False
    new_sets: bool = False
    on_conflict: str = "fail"


@dataclass
class Plan:
    """What an import would do. ``counts`` is of rows by outcome, and "read",
    "printings" (cards new in their set) and "kept" (values left to another source).

    At most MOST_LISTED changes, and as many problems of each code, are listed;
    ``problem_counts`` has all.
    """

    counts: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    problem_counts: Counter[str] = field(default_factory=Counter)
    last_lines: dict[str, int] = field(default_factory=dict)
    new_sets: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether any row was refused."""
        return self.counts[Outcome.REFUSED] > 0

    @property
    def has_work(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.counts[Outcome.ADDED] or self.counts[Outcome.CHANGED])

    def add(self, change: Change) -> None:
        """Count one row's outcome, and list it if it says something."""
        self.counts["read"] += 1
        self.counts[change.outcome] += 1
        self.counts["printings"] += len(change.new_sets)
        if change.outcome is not Outcome.UNCHANGED and len(self.changes) < MOST_LISTED:
            self.changes.append(change)

    def report(self, problem: Problem) -> None:
        """Keep a problem, or count it with those of its code."""
        self.problem_counts[problem.code] += 1
        if self.problem_counts[problem.code] <= MOST_LISTED:
            self.problems.append(problem)
        elif problem.line:
            self.last_lines[problem.code] = problem.line

    def grouped(self) -> Iterator[Problem]:
        """The problems, those beyond MOST_LISTED of a code as one."""
        yield from self.problems
        for code, count in self.problem_counts.items():
            if count > MOST_LISTED:
                yield Problem(
                    "more-of-a-kind",
                    Severity.NOTE,
                    f"{count - MOST_LISTED:,} more rows as with {code}, "
                    f"the last on line {self.last_lines.get(code, 0):,}",
                    self.problems[0].file,
                    have=count,
                )


class Refused(Exception):
    """A row that cannot be taken, and why."""

    def __init__(self, code: str, message: str, next_step: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.next_step = next_step


class _Entry:
    """A card that rows mean: as stored, or new, with what the file says so far."""

    __slots__ = (
        "after", "changes", "doubts", "edition", "game", "id", "is_new", "key", "line", "name_keys",
        "new_printings", "number", "planned", "printings", "said", "settled", "shipped",
        "source_id", "touched",
    )  # fmt: skip

    def __init__(self, card_id: int, game: str, number: str, edition: str, key: str) -> None:
        self.id, self.game, self.number, self.edition, self.key = (
            card_id, game, number, edition, key,
        )  # fmt: skip
        self.is_new = False
        self.shipped = False
        self.planned = False  # in plan_card already
        self.source_id = 0
        self.line = 0  # of the row that named it first
        self.said: set[str] = set()  # the columns that rows of this file have given
        self.after: dict[str, Any] = {}
        self.name_keys: set[str] = set()
        self.doubts: dict[str, str] = {}
        self.printings: set[str] = set()
        self.new_printings: set[str] = set()
        self.changes: dict[str, tuple[Any, int | None]] = {}
        self.settled: set[str] = set()
        self.touched = False

    @property
    def written_number(self) -> str:
        return f"{self.number}@{self.edition}" if self.edition else self.number

    @property
    def name(self) -> str:
        return next((self.after[c] for c in NAME_COLUMNS if self.after.get(c)), "(name unknown)")

    @property
    def title(self) -> str:
        return f"{self.written_number} {self.name}"


_Parse = Callable[[str], Any]


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
        self.games = dict(games)
        self.table = table
        self.options = options
        self.path = path
        self.progress = progress
        self.plan = Plan()
        self._next_id = (
            1 + connection.execute("SELECT COALESCE(MAX(id), 0) FROM card").fetchone()[0]
        )
        self._touched: list[_Entry] = []
        self._parsers: dict[tuple[str, Head], tuple[tuple[str, _Parse], ...]] = {}
        self._fitting_games: dict[tuple[Head, str], tuple[Game, ...]] = {}
        self._sets: dict[tuple[str, str], tuple[str, ...] | Refused] = {}
        self._set_names: dict[str, dict[str, str]] = {}
        self._sources: dict[int, tuple[str, str | None, str | None]] = {}

    def run(self) -> Plan:
        """Read all rows and stage what they change."""
        _make_tables(self.connection)
        rows = iter(self.table.rows)
        self.connection.execute("BEGIN")  # of the temporary tables; nothing else is written
        try:
            while batch := list(itertools.islice(rows, BATCH)):
                self._batch(batch)
                self.progress(self.plan.counts["read"])
        finally:
            self.connection.execute("COMMIT")
        return self.plan

    # One batch ------------------------------------------------------------

    def _batch(self, batch: Sequence[Row | BadRow]) -> None:
        wanted: list[tuple[Row, str, str]] = []
        for row in batch:
            if isinstance(row, BadRow):
                self._refuse(row.line, row.part, row.code, row.message, row.next_step, "")
                continue
            try:
                self._mend(row)
                number = self._number(row)
            except Refused as refusal:
                self._refuse_row(row, refusal)
                continue
            wanted.append((row, number, number_key(number)))
        entries = self._entries(wanted)
        for row, number, key in wanted:
            try:
                self.plan.add(self._row(row, number, key, entries))
            except Refused as refusal:
                self._refuse_row(row, refusal)
        self._flush()

    @staticmethod
    def _mend(row: Row) -> None:
        """Clean the values, nearly all of which need nothing."""
        values = row.values
        for column, text in values.items():
            if text.isascii() and text.isprintable() and text[0] not in "=#'":
                continue
            values[column], damage = mended(text)
            if damage:
                raise Refused(
                    "value-damaged", f"{column}: {damage}", "put the value itself into the cell"
                )

    @staticmethod
    def _number(row: Row) -> str:
        number = plain(row.values.get("number", ""))
        if not number:
            raise Refused(
                "no-number", "no card number in this row", "fill it in, or take the row out"
            )
        if len(number) > 40:
            raise Refused("number-shape", f"{number[:40]!r}... is no card number")
        return number

    def _refuse_row(self, row: Row, refusal: Refused) -> None:
        number = row.values.get("number", "")
        self._refuse(row.line, row.head.part, refusal.code, str(refusal), refusal.next_step, number)

    def _refuse(
        self, line: int, part: str, code: str, message: str, next_step: str | None, number: str
    ) -> None:
        file = f"{self.table.file}[{part}]" if part else self.table.file
        self.plan.report(Problem(code, Severity.ERROR, message, file, line, next_step=next_step))
        self.plan.add(Change(line, Outcome.REFUSED, number))

    def _warn(self, row: Row, code: str, message: str, next_step: str) -> None:
        part = row.head.part
        file = f"{self.table.file}[{part}]" if part else self.table.file
        self.plan.report(
            Problem(code, Severity.WARNING, message, file, row.line, next_step=next_step)
        )

    # The cards that a batch may mean --------------------------------------

    def _entries(self, wanted: Sequence[tuple[Row, str, str]]) -> dict[str, list[_Entry]]:
        """Stored and planned cards by the keys of the batch's numbers."""
        keys = {key for _, _, key in wanted}
        for game in self.games.values():
            if game.numbers.variants:
                bare = game.numbers.without_variant
                keys |= {number_key(bare(number)) for _, number, _ in wanted}
        keys_json = json.dumps(sorted(keys))
        by_id: dict[int, _Entry] = {}
        for row in self.connection.execute(
            """SELECT card.id, game, number, edition, number_key, kind, level, fields, shipped,
                 source_id, line, said
               FROM json_each(?) JOIN card ON number_key = value
               LEFT JOIN plan_seen ON card_id = card.id""",
            (keys_json,),
        ):
            entry = by_id[row[0]] = _Entry(*row[:5])
            entry.after = _values(row[5], row[6], row[7])
            entry.shipped, entry.source_id = bool(row[8]), row[9]
            if row[10] is not None:
                entry.line, entry.said = row[10], set(json.loads(row[11]))
        for row in self.connection.execute(
            """SELECT plan_card.id, game, number, edition, number_key, kind, level, fields,
                 is_new, line, said
               FROM json_each(?) JOIN plan_card ON number_key = value""",
            (keys_json,),
        ):
            entry = by_id.setdefault(row[0], _Entry(*row[:5]))
            entry.after = _values(row[5], row[6], row[7])
            entry.is_new, entry.planned = bool(row[8]), True
            entry.line, entry.said = row[9], set(json.loads(row[10]))
        self._add_names(by_id)
        self._add_printings(by_id)
        self._add_doubts(by_id)
        found: dict[str, list[_Entry]] = {}
        for entry in by_id.values():
            found.setdefault(entry.key, []).append(entry)
        return found

    def _add_names(self, by_id: Mapping[int, _Entry]) -> None:
        for name_table, planned in (("card_name", False), ("plan_name", True)):
            ids = [entry.id for entry in by_id.values() if entry.planned is planned]
            if ids:
                for card_id, language, name, key, role in self.connection.execute(
                    f"""SELECT card_id, language, name, search_key, role
                        FROM json_each(?) JOIN {name_table} ON card_id = value""",
                    (json.dumps(ids),),
                ):
                    entry = by_id[card_id]
                    entry.after[_NAMES_BY_ROLE[language, role]] = name
                    entry.name_keys.add(key)

    def _add_printings(self, by_id: Mapping[int, _Entry]) -> None:
        if by_id:
            ids = json.dumps(list(by_id))
            for card_id, code in self.connection.execute(
                """SELECT card_id, set_code FROM json_each(?1) JOIN printing ON card_id = value
                   UNION ALL
                   SELECT card_id, set_code FROM json_each(?1) JOIN plan_printing
                   ON card_id = value""",
                (ids,),
            ):
                by_id[card_id].printings.add(code)

    def _add_doubts(self, by_id: Mapping[int, _Entry]) -> None:
        ids = [entry.id for entry in by_id.values() if entry.shipped]
        if ids:
            for card_id, column, reason in self.connection.execute(
                """SELECT card_id, field, reason FROM json_each(?) JOIN doubt ON card_id = value""",
                (json.dumps(ids),),
            ):
                entry = by_id[card_id]
                if column not in entry.said or not entry.planned:
                    entry.doubts[column] = reason

    # One row --------------------------------------------------------------

    def _row(self, row: Row, number: str, key: str, entries: dict[str, list[_Entry]]) -> Change:
        games = self._games_of(row)
        edition = row.values.get("edition", "")
        entry = self._find(number, key, edition, games, entries)
        if entry is None:
            game = self._game_of_new(row, number, edition, games)
            return self._add(row, game, number, key, edition, entries)
        game = self.games[entry.game]
        said = self._said(game, row)
        sets = self._sets_of(game, row)
        self._compare_name(row, entry)
        if "game" in entry.doubts and "name" in row.values:  # the user has the card: it exists
            said.setdefault(_name_column(entry.name), entry.name)
        return self._update(row, entry, said, sets)

    def _games_of(self, row: Row) -> tuple[Game, ...]:
        """The games the row may be of: named, else those that have all its columns."""
        code = row.values.get("game", "")
        found = self._fitting_games.get((row.head, code))
        if found is None:
            found = self._fitting_games[row.head, code] = self._possible_games(row.head, code)
        return found

    def _possible_games(self, head: Head, code: str) -> tuple[Game, ...]:
        named = code.lower() or self.options.game
        if named:
            game = self.games.get(named) or self._game_called(code)
            if self.options.game and game.code != self.options.game:
                raise Refused(
                    "other-game", f"the row is of {game.code}, --game says {self.options.game}"
                )
            return (game,)
        every_field = {field for game in self.games.values() for field in game.fields}
        asked = every_field.intersection(head.columns)
        return tuple(game for game in self.games.values() if asked <= game.fields.keys())

    def _game_called(self, name: str) -> Game:
        """A game by its name or one of the tags that other tools give it."""
        key = search_key(name)
        for game in self.games.values():
            words = (game.code, game.name, *(game.definition.get("tags") or ()))
            if key in {search_key(word) for word in words}:
                return game
        raise Refused(
            "unknown-game", f"no game is called {name!r}", f"one of: {', '.join(self.games)}"
        )

    def _find(
        self,
        number: str,
        key: str,
        edition: str,
        games: Iterable[Game],
        entries: Mapping[str, list[_Entry]],
    ) -> _Entry | None:
        """The card with this number: as printed, else in any tolerant spelling."""
        found: list[_Entry] = []
        for game in games:
            prints = _of_game(entries.get(key, ()), game.code, number)
            if not prints and game.numbers.variants:
                bare = game.numbers.without_variant(number)
                prints = _of_game(entries.get(number_key(bare), ()), game.code, bare)
            chosen = [entry for entry in prints if entry.edition == edition]
            if not edition and not chosen and len(prints) > 1:
                editions = ", ".join(sorted(entry.edition for entry in prints))
                raise Refused(
                    "several-editions",
                    f"{number} has several editions: {editions}",
                    "add a column edition with one of them",
                )
            found += chosen
        if len(found) > 1:
            found = [entry for entry in found if entry.number == number] or found
        if len(found) > 1:
            raise Refused(
                "several-games",
                f"{number} is a card of several games: {', '.join(e.game for e in found)}",
                "add --game, or a column game",
            )
        return found[0] if found else None

    def _game_of_new(self, row: Row, number: str, edition: str, games: tuple[Game, ...]) -> Game:
        told = bool(row.values.get("game") or self.options.game)
        free = told and not games[0].numbers.templates
        damage = number_damage(number)
        fitting = games if free and not damage else [g for g in games if g.numbers.prints(number)]
        if len(fitting) > 1:
            raise Refused(
                "several-games",
                f"{number} fits the numbers of several games: {', '.join(g.code for g in fitting)}",
                "add --game, or a column game",
            )
        if not fitting:
            raise _no_number(number, games, damage)
        game = fitting[0]
        if edition and edition not in game.editions:
            known = ", ".join(game.editions) or "none"
            raise Refused(
                "unknown-edition",
                f"edition {edition!r} is unknown in {game.code}",
                f"known: {known}",
            )
        return game

    # Values ---------------------------------------------------------------

    def _said(self, game: Game, row: Row) -> dict[str, Any]:
        """What the row says of the card, by column."""
        parsers = self._parsers.get((game.code, row.head))
        if parsers is None:
            parsers = self._parsers[game.code, row.head] = tuple(self._columns(game, row.head))
        values, said = row.values, {}
        for column, parse in parsers:
            text = values.get(column)
            if text is not None:
                said[column] = parse(text)
        return said

    def _columns(self, game: Game, head: Head) -> Iterator[tuple[str, _Parse]]:
        for column in head.columns:
            if column in NAME_COLUMNS:
                yield column, _fact(column)
            elif column in ("kind", "level"):
                yield column, _word(column, game.kinds if column == "kind" else game.levels)
            elif column in game.fields:
                yield column, _parser(game.fields[column])

    def _sets_of(self, game: Game, row: Row) -> tuple[str, ...]:
        name = row.values.get("set") or self.options.set_code
        if not name:
            return ()
        found = self._sets.get((game.code, name))
        if found is None:
            try:
                found = self._find_sets(game, name)
            except Refused as refusal:
                found = refusal
            if len(self._sets) < 10 * MOST_NEW_SETS:
                self._sets[game.code, name] = found
        if isinstance(found, Refused):
            raise found
        return found

    def _find_sets(self, game: Game, name: str) -> tuple[str, ...]:
        """The set called ``name``, else each of the sets that ; separates in it."""
        whole = self._set_code(game, name)
        if whole:
            return (whole,)
        names = [part.strip() for part in name.split(";") if part.strip()]
        return tuple(
            dict.fromkeys(self._set_code(game, part) or self._new_set(game, part) for part in names)
        )

    def _set_code(self, game: Game, name: str) -> str | None:
        names = self._set_names.get(game.code)
        if names is None:
            names = self._set_names[game.code] = dict(
                self.connection.execute(
                    "SELECT search_key, set_code FROM set_name WHERE game = ?", (game.code,)
                ).fetchall()
            )
        found = names.get(search_key(name))
        if found is None and ":" in name:  # "BT-05: Booster Battle Of Omni" is BT5
            wanted = number_key(name.split(":", maxsplit=1)[0])
            found = next((code for code in names.values() if number_key(code) == wanted), None)
        return found

    def _new_set(self, game: Game, name: str) -> str:
        if not self.options.new_sets:
            near = self._near_sets(game, name)
            hint = f"did you mean {', '.join(near)}? " if near else ""
            raise Refused(
                "unknown-set",
                f"{game.code} has no set {name!r}",
                f"{hint}--new-sets adds it as a new one",
            )
        if len(self.plan.new_sets) >= MOST_NEW_SETS:
            raise Refused(
                "too-many-sets",
                f"{name!r} would be new set number {MOST_NEW_SETS + 1:,}",
                "check that the column called set holds sets",
            )
        if len(name) > LONGEST_TEXT:
            raise Refused("value-too-long", f"set: {len(name)} characters are no name of a set")
        self.plan.new_sets[game.code, search_key(name)] = name
        self._set_names[game.code][search_key(name)] = name
        return name

    def _near_sets(self, game: Game, name: str) -> list[str]:
        import difflib

        if self.plan.problem_counts["unknown-set"] > 20:
            return []
        names = [
            text
            for row in self.connection.execute(
                "SELECT code, name_en FROM card_set WHERE game = ?", (game.code,)
            )
            for text in row
            if text
        ]
        return difflib.get_close_matches(name, names, n=3)

    # Outcomes -------------------------------------------------------------

    def _add(
        self,
        row: Row,
        game: Game,
        number: str,
        key: str,
        edition: str,
        entries: dict[str, list[_Entry]],
    ) -> Change:
        said = self._said(game, row)
        sets = self._sets_of(game, row)
        name = row.values.get("name")
        if name:
            _fact("name")(name)
            said.setdefault(_name_column(name), name)
        if not any(column in said for column in NAME_COLUMNS):
            raise Refused(
                "no-name",
                f"{number} is a new card, but the row gives no name",
                "add a column name, or check the number",
            )
        entry = _Entry(self._next_id, game.code, number, edition, key)
        self._next_id += 1
        entry.is_new = True
        entry.line = row.line
        entry.said = set(said)
        entry.after = said
        entry.name_keys = {search_key(said[c]) for c in NAME_COLUMNS if c in said}
        entry.printings = set(sets)
        entry.new_printings = set(sets)
        entries.setdefault(key, []).append(entry)
        self._touch(entry)
        listed = len(self.plan.changes) < MOST_LISTED
        details = tuple((column, None, value) for column, value in said.items()) if listed else ()
        title = entry.title if listed else number
        return Change(row.line, Outcome.ADDED, title, details, sets)

    def _compare_name(self, row: Row, entry: _Entry) -> None:
        """The column "name" tells which card is meant; it corrects nothing."""
        name = row.values.get("name")
        if not name or not entry.name_keys or search_key(name) in entry.name_keys:
            return
        known = [entry.after[column] for column in NAME_COLUMNS if entry.after.get(column)]
        if search_key(name) in {search_key(text.split("(")[0]) for text in known}:
            return  # "Agumon" for Agumon (2006 Anime Version): the bracket is not printed
        from rapidfuzz import fuzz

        key = search_key(name)
        best = max(fuzz.ratio(key, search_key(text)) for text in known)
        other = self._other_card(key, entry)
        if other or best < NEAR_ENOUGH:
            raise Refused(
                "name-clash",
                f"{entry.number} is {entry.name}, but the row says {name}"
                + (f" ({other})" if other else ""),
                "correct the number; to correct the name itself, call the column name_en",
            )
        self._warn(
            row,
            "name-differs",
            f"{entry.number} is {entry.name}; {name!r} was taken as a spelling of it",
            "to correct the name itself, call the column name_en",
        )

    def _other_card(self, key: str, entry: _Entry) -> str | None:
        found = self.connection.execute(
            """SELECT number, name FROM card_name JOIN card ON card.id = card_id
               WHERE search_key = ? AND game = ? AND role != 'alias' AND card.id != ? LIMIT 1""",
            (key, entry.game, entry.id),
        ).fetchone()
        return f"{found[0]} {found[1]}" if found else None

    def _update(
        self, row: Row, entry: _Entry, said: dict[str, Any], sets: tuple[str, ...]
    ) -> Change:
        self._refuse_contradiction(row, entry, said)
        changed: dict[str, tuple[Any, int | None]] = {}
        left: set[str] = set()
        for column, value in said.items():
            before = entry.after.get(column)
            if before == value:
                continue
            if before is not None and column in row.head.weak:
                left.add(column)
                continue
            source_id = None if entry.is_new else self._said_by(entry, column)
            if self._yields(row, entry, column, before, value, source_id):
                left.add(column)
                continue
            changed[column] = (before, source_id)
        settled = {column for column in said if column in entry.doubts and column not in left}
        details = [(column, old, said[column]) for column, (old, _) in changed.items()]
        details += [(f"doubt of {column}", entry.doubts[column], None) for column in settled]
        if "game" in entry.doubts and any(c in NAME_COLUMNS and c not in left for c in said):
            details.append(("doubt of game", entry.doubts.pop("game"), None))
            settled |= {column for column in said if column in NAME_COLUMNS}
        self._take(row, entry, said, changed, settled, left)
        new_sets = tuple(code for code in sets if code not in entry.printings)
        entry.printings.update(new_sets)
        entry.new_printings.update(new_sets)
        self.plan.counts["kept"] += len(left - row.head.weak)
        outcome = Outcome.CHANGED if details or new_sets else Outcome.UNCHANGED
        if outcome is Outcome.UNCHANGED:
            return Change(row.line, outcome, "")
        return Change(row.line, outcome, entry.title, tuple(details), new_sets)

    def _refuse_contradiction(self, row: Row, entry: _Entry, said: Mapping[str, Any]) -> None:
        if not entry.line:
            return
        for column, value in said.items():
            if column in entry.said and entry.after.get(column) != value:
                raise Refused(
                    "row-twice",
                    f"{entry.number} stands twice, and line {entry.line} says "
                    f"{column} {entry.after.get(column)!r}, not {value!r}",
                    "take one of the two rows out",
                )

    def _take(
        self,
        row: Row,
        entry: _Entry,
        said: Mapping[str, Any],
        changed: Mapping[str, tuple[Any, int | None]],
        settled: set[str],
        left: set[str],
    ) -> None:
        """Let the card be as the row says."""
        entry.line = entry.line or row.line
        entry.said |= said.keys() - left
        for column, (old, source_id) in changed.items():
            entry.after[column] = said[column]
            entry.changes.setdefault(column, (old, source_id))
            if column in NAME_COLUMNS:
                entry.name_keys.add(search_key(said[column]))
        for column in settled:
            entry.doubts.pop(column, None)
            entry.settled.add(column)
            entry.changes.setdefault(column, (entry.after.get(column), None))
        self._touch(entry)

    # Other sources --------------------------------------------------------

    def _said_by(self, entry: _Entry, column: str) -> int | None:
        """The import that the card's present value is from; None if it ships."""
        if entry.shipped:
            found = self.connection.execute(
                """SELECT source_id FROM correction
                   WHERE game = ? AND number = ? AND edition = ? AND field = ?""",
                (entry.game, entry.number, entry.edition, column),
            ).fetchone()
            return int(found[0]) if found else None
        found = self.connection.execute(
            "SELECT source_id FROM field_source WHERE card_id = ? AND field = ?", (entry.id, column)
        ).fetchone()
        return int(found[0]) if found else None

    def _yields(
        self,
        row: Row,
        entry: _Entry,
        column: str,
        before: Any,
        value: Any,
        source_id: int | None,
    ) -> bool:
        """Whether the value of another import stays. Raises Refused if that is to be asked.

        An earlier version of the same file is no other source: it is brought up to date.
        """
        if entry.is_new or before is None or self.options.on_conflict == "replace":
            return False
        kind, name, path, date = self._source(source_id or entry.source_id)
        if kind != "import" or (path is not None and path == self.path):
            return False
        if source_id is None and entry.shipped:
            return False
        if self.options.on_conflict == "keep":
            return True
        raise Refused(
            "conflict",
            f"{entry.title}: {column} is {_shown(before)} by {name} of {date}, "
            f"this row says {_shown(value)}",
            _CONFLICT_STEP,
        )

    def _source(self, source_id: int) -> tuple[str, str, str | None, str]:
        found = self.connection.execute(
            "SELECT kind, name, path, imported_at FROM source WHERE id = ?", (source_id,)
        ).fetchone()
        return found[0], found[1], found[2], (found[3] or "")[:10]

    # Staging --------------------------------------------------------------

    def _touch(self, entry: _Entry) -> None:
        if not entry.touched:
            entry.touched = True
            self._touched.append(entry)

    def _flush(self) -> None:
        """Stage the cards that this batch's rows have named."""
        entries, self._touched = self._touched, []
        written = [entry for entry in entries if entry.is_new or entry.changes or entry.planned]
        self.connection.executemany(
            "INSERT OR REPLACE INTO plan_card VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            map(self._card_row, written),
        )
        again = [(entry.id,) for entry in written if entry.planned]
        if again:
            self.connection.executemany("DELETE FROM plan_name WHERE card_id = ?", again)
        self.connection.executemany(
            "INSERT OR IGNORE INTO plan_name VALUES (?, ?, ?, ?, ?)",
            [(entry.id, *name) for entry in written for name in Store.names_of(entry.after)],
        )
        self.connection.executemany(
            "INSERT OR IGNORE INTO plan_printing VALUES (?, ?, ?)",
            [(entry.id, entry.game, code) for entry in entries for code in entry.new_printings],
        )
        self.connection.executemany(
            "INSERT OR REPLACE INTO plan_seen VALUES (?, ?, ?)",
            [
                (entry.id, entry.line, json.dumps(sorted(entry.said)))
                for entry in entries
                if not entry.is_new
            ],
        )
        self.connection.executemany(
            """INSERT INTO plan_change VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
               SET new = excluded.new, settles = max(settles, excluded.settles)""",
            [
                (entry.id, column, _json(old), _json(entry.after.get(column)), source_id,
                 int(column in entry.settled))
                for entry in entries
                if not entry.is_new
                for column, (old, source_id) in entry.changes.items()
            ],
        )  # fmt: skip
        for entry in entries:
            entry.touched = False

    def _card_row(self, entry: _Entry) -> tuple[Any, ...]:
        values = entry.after
        return (
            entry.id,
            entry.game,
            entry.number,
            entry.edition,
            entry.key,
            sort_key(entry.number),
            values.get("kind"),
            values.get("level"),
            Store.limit_key_of(self.games[entry.game], values),
            Store.fields_json(values),
            int(entry.is_new),
            entry.line,
            json.dumps(sorted(entry.said)),
        )


def _make_tables(connection: sqlite3.Connection) -> None:
    for table in ("card", "name", "printing", "change", "seen"):
        connection.execute(f"DROP TABLE IF EXISTS temp.plan_{table}")
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)


def _values(kind: str | None, level: str | None, fields: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(fields) if fields != "{}" else {}
    if kind is not None:
        values["kind"] = kind
    if level is not None:
        values["level"] = level
    return values


def _of_game(entries: Iterable[_Entry], game: str, number: str) -> list[_Entry]:
    """Those of the game; only those of exactly this number where there are any."""
    near = [entry for entry in entries if entry.game == game]
    return [entry for entry in near if entry.number == number] or near


def _fact(column: str) -> _Parse:
    def parse(text: str) -> str:
        if len(text) > LONGEST_TEXT:
            raise _too_long(column, text)
        return text

    return parse


def _word(column: str, words: Sequence[str]) -> _Parse:
    """One of a game's own words; any short text where the game has none."""
    if not words:
        return _fact(column)
    known = {search_key(word): word for word in words}

    def parse(text: str) -> str:
        found = known.get(search_key(text))
        if found is None:
            raise Refused(
                "unknown-word",
                f"{column}: {text[:60]!r} is not one of: {', '.join(words)}",
                f"write the {column} as one of these, or leave it blank",
            )
        return found

    return parse


def _parser(entry: Field) -> _Parse:
    if entry.type == "text":
        return _fact(entry.code)

    def parse(text: str) -> Any:
        damage = None
        if entry.type in ("integer", "flag", "limit"):
            text, damage = figure(text)
        value, problem = parse_field(entry, text)
        if damage or problem:
            raise Refused(
                "value-damaged" if damage else "value-wrong",
                f"{entry.code}: {damage}" if damage else str(problem),
                "correct the value, or leave it blank if it is unknown",
            )
        if isinstance(value, list) and any(len(item) > LONGEST_ITEM for item in value):
            raise _too_long(entry.code, text)
        return value

    return parse


def _too_long(column: str, text: str) -> Refused:
    return Refused(
        "value-too-long",
        f"{column}: {len(text):,} characters are too many for a fact",
        "texts of cards are not stored: leave the column out, or call it effect",
    )


def _no_number(number: str, games: Sequence[Game], damage: tuple[str, str] | None) -> Refused:
    """Why ``number`` is none: what a spreadsheet did to it, or how it would be printed."""
    damage = damage or serial_damage(number)
    if damage:
        return Refused("number-damaged", *damage)
    whole = [form for game in games for form in game.numbers.padded(number) if form != number]
    if whole:
        return Refused(
            "number-zeros",
            f"{number} is not how the number is printed: leading zeros lost?",
            f"printed as {', '.join(whole[:3])}; format the column as text",
        )
    templates = games[0].numbers.templates if len(games) == 1 else ()
    shapes = f" in {games[0].code} ({', '.join(templates[:8])} ...)" if templates else ""
    without = [game.code for game in games if not game.numbers.templates]
    also = f"; --game {without[0]} if it is of that game" if without else ""
    return Refused(
        "number-shape",
        f"{number!r} is not how card numbers are printed{shapes}",
        f"correct the number{also}; a game of your own: --new-game CODE",
    )


def _name_column(name: str) -> str:
    """English or Japanese, by whether the name has any kana or kanji."""
    return "name_ja" if any(ord(char) >= 0x3040 for char in name) else "name_en"


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _shown(value: Any) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
