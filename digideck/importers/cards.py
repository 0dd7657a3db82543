"""From rows to cards: what each row would change, and doing it in one transaction.

The plan is made by carrying it out: every row is written inside the one
transaction, which is rolled back for a dry run or when a row was refused. So
what is reported is what happens.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from digideck.importers.rows import Row, Table
from digideck.schema.cards import Card, CardIndex
from digideck.schema.database import transaction
from digideck.schema.games import Game, parse_field
from digideck.schema.names import search_key
from digideck.schema.problems import Problem, Severity
from digideck.schema.shipped import (
    NAME_COLUMNS,
    CardValues,
    Store,
    apply_corrections,
    write_correction,
)

NEAR_ENOUGH = 80
NAMED = ("name_en", "name_ja", "name_dub", "also_named")


class Outcome(StrEnum):
    """What became of a row."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Change:
    """One row's outcome; ``details`` are the values that changed, old and new."""

    line: int
    outcome: Outcome
    card: str
    details: tuple[tuple[str, Any, Any], ...] = ()
    new_set: str | None = None


@dataclass
class Report:
    """What an import did, or would do."""

    changes: list[Change] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    written: bool = False

    def count(self, change: Change) -> None:
        """Add one row's outcome."""
        self.counts["read"] += 1
        self.counts[change.outcome] += 1
        self.counts["printings"] += change.new_set is not None
        if change.outcome is not Outcome.UNCHANGED:
            self.changes.append(change)


@dataclass(frozen=True)
class Options:
    """How to import: into which game and set, what to do with refused rows."""

    game: str | None = None
    set_code: str | None = None
    dry_run: bool = False
    partial: bool = False
    new_sets: bool = False


class _Refused(Exception):
    def __init__(self, message: str, next_step: str | None = None) -> None:
        super().__init__(message)
        self.next_step = next_step


class _RolledBack(Exception):
    """Leaves the transaction without writing."""


def field_spellings(games: Mapping[str, Game], only: str | None = None) -> dict[str, list[str]]:
    """The columns that carry a game's own fields: code and label of each."""
    spellings: dict[str, list[str]] = {}
    for game in games.values():
        if only in (None, game.code):
            for code, entry in game.fields.items():
                spellings.setdefault(code, []).append(entry.label)
    return spellings


def import_cards(
    connection: sqlite3.Connection, table: Table, options: Options, sha256: str
) -> Report:
    """Import ``table``. Nothing is written on a dry run, nor when a row is
    refused unless ``options.partial``.
    """
    report = Report()
    try:
        with transaction(connection):
            source_id = _record_source(connection, table, sha256)
            importer = _Importer(connection, table, options, source_id, report)
            importer.run()
            connection.execute(
                "UPDATE source SET counts = ? WHERE id = ?",
                (json.dumps(report.counts), source_id),
            )
            refused = report.counts[Outcome.REFUSED] > 0
            nothing = not (report.counts[Outcome.ADDED] or report.counts[Outcome.CHANGED])
            if options.dry_run or nothing or (refused and not options.partial):
                raise _RolledBack
        report.written = True
    except _RolledBack:
        pass
    return report


def _record_source(connection: sqlite3.Connection, table: Table, sha256: str) -> int:
    cursor = connection.execute(
        """INSERT INTO source (kind, name, sha256, reader, imported_at)
           VALUES ('import', ?, ?, 'csv', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))""",
        (table.file, sha256),
    )
    return int(cursor.lastrowid or 0)


class _Importer:
    def __init__(
        self,
        connection: sqlite3.Connection,
        table: Table,
        options: Options,
        source_id: int,
        report: Report,
    ) -> None:
        self.connection = connection
        self.table = table
        self.options = options
        self.source_id = source_id
        self.report = report
        self.index = CardIndex(connection)
        self.store = Store(connection, self.index.games)
        self.games = self._possible_games()
        self.seen: dict[int, Row] = {}

    def _possible_games(self) -> list[Game]:
        """The games whose cards have all the columns of the file."""
        games = self.index.games
        if self.options.game:
            return [games[self.options.game]]
        all_fields = {code for game in games.values() for code in game.fields}
        asked = all_fields.intersection(self.table.columns)
        return [game for game in games.values() if asked <= game.fields.keys()]

    def run(self) -> None:
        for row in self.table.rows:
            self._take_broken_rows()
            try:
                self.report.count(self._import_row(row))
            except _Refused as refusal:
                self._refuse(row.line, str(refusal), row, refusal.next_step)
        self._take_broken_rows()

    def _take_broken_rows(self) -> None:
        for problem in self.table.problems:
            self.report.problems.append(problem)
            self.report.count(Change(problem.line or 0, Outcome.REFUSED, ""))
        self.table.problems.clear()

    def _refuse(self, line: int, message: str, row: Row, next_step: str | None) -> None:
        self.report.problems.append(
            Problem(
                "row-refused",
                Severity.ERROR,
                message,
                self.table.file,
                line,
                next_step=next_step,
            )
        )
        self.report.count(Change(line, Outcome.REFUSED, row.values.get("number", "")))

    def _import_row(self, row: Row) -> Change:
        number = row.values.get("number")
        if not number:
            raise _Refused("no card number in this row")
        game, card = self._identify(row, number)
        said = self._values(game, row)
        set_code = self._set(game, row)
        if card is None:
            return self._add(row, game, number, said, set_code)
        self._compare_name(row, card)
        self._refuse_contradiction(row, card)
        if "game" in card.doubts and "name" in row.values:  # the user has the card: it exists
            said.setdefault(_name_column(card.name), card.name)
        details = self._update(card, said)
        new_set = self._print(card.id, game, set_code)
        outcome = Outcome.CHANGED if details or new_set else Outcome.UNCHANGED
        return Change(row.line, outcome, card.title, tuple(details), new_set)

    def _identify(self, row: Row, number: str) -> tuple[Game, Card | None]:
        games = self._named_game(row) or self.games
        printing = [game for game in games if game.numbers.prints(number)]
        edition = row.values.get("edition", "")
        found: list[Card] = []
        for game in games:
            prints = self.index.by_number(number, game.code)
            chosen = [card for card in prints if card.edition == edition]
            if not edition and not chosen and len(prints) > 1:
                editions = ", ".join(card.edition for card in prints)
                raise _Refused(
                    f"{number} has several editions: {editions}",
                    "add a column edition with one of them",
                )
            found += chosen
        printed = [card for card in found if card.number == number]
        found = printed or found
        if len(found) > 1:
            raise _Refused(
                f"{number} is a card of several games: {', '.join(card.game for card in found)}",
                "add --game, or a column game",
            )
        if found:
            self._refuse_other_game(number, found[0], printing)
            return self.index.games[found[0].game], found[0]
        fitting = printing
        if len(fitting) != 1:
            shapes = ", ".join(games[0].numbers.templates[:8]) if len(games) == 1 else ""
            raise _Refused(
                f"{number} fits the numbers of several games: "
                f"{', '.join(game.code for game in fitting)}"
                if fitting
                else f"{number!r} is not how card numbers are printed"
                + (f" in {games[0].code} ({shapes} ...)" if shapes else ""),
                "add --game, or a column game" if fitting else "correct the number",
            )
        if edition and edition not in fitting[0].editions:
            known = ", ".join(fitting[0].editions) or "none"
            raise _Refused(f"edition {edition!r} is unknown in {fitting[0].code}; known: {known}")
        return fitting[0], None

    @staticmethod
    def _refuse_other_game(number: str, card: Card, printing: list[Game]) -> None:
        """A number as one game prints it must not change a card of another silently."""
        if printing and card.game not in [game.code for game in printing]:
            games = ", ".join(game.code for game in printing)
            raise _Refused(
                f"{number} is how {games} prints numbers, but the only card near it is {card.key}",
                "add --game, or a column game",
            )

    def _named_game(self, row: Row) -> list[Game]:
        code = row.values.get("game")
        if not code:
            return []
        if code not in self.index.games:
            raise _Refused(f"no game is called {code!r}", f"one of: {', '.join(self.index.games)}")
        if self.options.game and code != self.options.game:
            raise _Refused(f"the row is of {code}, --game says {self.options.game}")
        return [self.index.games[code]]

    def _values(self, game: Game, row: Row) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for column, text in row.values.items():
            if column in NAMED:
                said[column] = text
            elif column in ("kind", "level"):
                words = game.kinds if column == "kind" else game.levels
                known = {search_key(word): word for word in words}
                if search_key(text) not in known:
                    raise _Refused(f"{column}: {text!r} is not one of: {', '.join(words)}")
                said[column] = known[search_key(text)]
            elif column in game.fields:
                value, problem = parse_field(game.fields[column], text)
                if problem:
                    raise _Refused(problem)
                said[column] = value
        return said

    def _set(self, game: Game, row: Row) -> str | None:
        name = row.values.get("set") or self.options.set_code
        if not name:
            return None
        found = self.connection.execute(
            "SELECT set_code FROM set_name WHERE game = ? AND search_key = ?",
            (game.code, search_key(name)),
        ).fetchone()
        if found:
            return str(found["set_code"])
        if not self.options.new_sets:
            near = self._near_sets(game, name)
            hint = f"did you mean {', '.join(near)}? " if near else ""
            raise _Refused(
                f"{game.code} has no set {name!r}", f"{hint}--new-sets adds it as a new one"
            )
        return self._new_set(game, name)

    def _near_sets(self, game: Game, name: str) -> list[str]:
        import difflib

        rows = self.connection.execute(
            "SELECT code, name_en FROM card_set WHERE game = ?", (game.code,)
        )
        names = [text for row in rows for text in (row["code"], row["name_en"]) if text]
        return difflib.get_close_matches(name, names, n=3)

    def _new_set(self, game: Game, name: str) -> str:
        self.connection.execute(
            """INSERT INTO card_set (game, code, position, shipped, source_id) VALUES (?, ?,
               (SELECT COALESCE(MAX(position), 0) + 1 FROM card_set WHERE game = ?), 0, ?)""",
            (game.code, name, game.code, self.source_id),
        )
        self.connection.execute(
            "INSERT INTO set_name VALUES (?, ?, ?)", (game.code, search_key(name), name)
        )
        return name

    def _add(
        self, row: Row, game: Game, number: str, said: dict[str, Any], set_code: str | None
    ) -> Change:
        name = row.values.get("name")
        if name:
            said.setdefault(_name_column(name), name)
        if not any(column in said for column in NAME_COLUMNS):
            raise _Refused(
                f"{number} is a new card, but the row gives no name",
                "add a column name, or check the number",
            )
        edition = row.values.get("edition", "")
        card = CardValues(game.code, number, edition, "", [], said)
        card_id = self.store.write_card(card, source_id=self.source_id, shipped=False)
        self.index = CardIndex(self.connection)
        self.seen[card_id] = row
        new_set = self._print(card_id, game, set_code)
        details = tuple((column, None, value) for column, value in said.items())
        title = f"{number} {said.get('name_en') or name or ''}".strip()
        return Change(row.line, Outcome.ADDED, title, details, new_set)

    def _compare_name(self, row: Row, card: Card) -> None:
        """The column "name" tells which card is meant; it corrects nothing."""
        name = row.values.get("name")
        if not name or not card.names or card.is_named(search_key(name)):
            return
        from rapidfuzz import fuzz

        key = search_key(name)
        best = max(fuzz.ratio(key, search_key(known.text)) for known in card.names)
        others = self.index.by_name(name, card.game)
        if others or best < NEAR_ENOUGH:
            other = f" ({others[0].title})" if others else ""
            raise _Refused(
                f"{card.number} is {card.name}, but the row says {name}{other}",
                "correct the number; to correct the name itself, call the column name_en",
            )
        self.report.problems.append(
            Problem(
                "name-differs",
                Severity.WARNING,
                f"{card.number} is {card.name}; {name!r} was taken as a spelling of it",
                self.table.file,
                row.line,
                next_step="to correct the name itself, call the column name_en",
            )
        )

    def _refuse_contradiction(self, row: Row, card: Card) -> None:
        earlier = self.seen.setdefault(card.id, row)
        for column, text in row.values.items():
            before = earlier.values.get(column)
            if before is not None and before != text and column not in ("set", "number"):
                raise _Refused(
                    f"{card.number} stands twice, and line {earlier.line} says {column} {before!r}",
                    "take one of the two rows out",
                )

    def _update(self, card: Card, said: dict[str, Any]) -> list[tuple[str, Any, Any]]:
        stored = self.store.values_of(card.id)
        shipped = self.connection.execute(
            "SELECT shipped, source_id FROM card WHERE id = ?", (card.id,)
        ).fetchone()
        settled = [column for column in said if column in stored.doubts]
        confirms_game = "game" in stored.doubts and any(column in NAME_COLUMNS for column in said)
        changed = {
            column: value for column, value in said.items() if stored.values.get(column) != value
        }
        details = [(column, stored.values.get(column), value) for column, value in changed.items()]
        details += [(f"doubt of {column}", stored.doubts[column], None) for column in settled]
        if confirms_game:
            details.append(("doubt of game", stored.doubts["game"], None))
        if not details:
            return []
        if shipped["shipped"]:
            for column, value in said.items():
                write_correction(self.connection, stored, column, value, self.source_id)
            apply_corrections(self.connection, self.store, card.id)
        else:
            stored.values.update(changed)
            self.store.write_card(stored, source_id=shipped["source_id"], shipped=False)
        self.index = CardIndex(self.connection)
        return details

    def _print(self, card_id: int, game: Game, set_code: str | None) -> str | None:
        """Put the card into the set; the set's code where that is new."""
        if set_code is None:
            return None
        known = self.connection.execute(
            "SELECT 1 FROM printing WHERE card_id = ? AND set_code = ?", (card_id, set_code)
        ).fetchone()
        if known:
            return None
        self.store.write_printing(
            card_id, game.code, set_code, source_id=self.source_id, shipped=False
        )
        return set_code


def _name_column(name: str) -> str:
    """English or Japanese, by whether the name has any kana or kanji."""
    return "name_ja" if any(ord(char) >= 0x3040 for char in name) else "name_en"
