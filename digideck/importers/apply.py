"""An import: planned and written in one transaction, which only a plan without fault keeps."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.files.input import InputFile
from digideck.importers.list_columns import Columns
from digideck.importers.outcomes import Options, Plan
from digideck.importers.plan import RowPlanner
from digideck.importers.rows import Table
from digideck.schema.card_store import write_game
from digideck.schema.games.game import Game
from digideck.schema.sqlite_errors import primary_code

_CACHE_KB = 48_000  # for one large transaction; SQLite's own 2 MB make it write twice
_TICKS = 100_000  # steps of SQLite between looks at Ctrl-C


@dataclass(frozen=True)
class NewGame:
    """A game of the user's own, made from a list's columns: numbers of any form, fields of text."""

    code: str
    columns: Columns

    def game(self) -> Game:
        """The game with the fields that the columns have shown so far."""
        fields = {
            code: {"label": entry.label, "type": entry.type}
            for code, entry in self.columns.new_fields.items()
        }
        definition = {
            "game": self.code,
            "name": self.code,
            "years": "",
            "numbers": [],
            "levels": [],
            "kinds": [],
            "fields": fields,
            "zones": {"main": {"words": ["Deck", "Main"]}},
        }
        return Game(self.code, self.code, "", definition)


class TableImport:
    """One file's way into the database.

    ``begin`` opens the transaction before the first row is written, ``progress`` is told
    the rows read.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        games: dict[str, Game],
        options: Options,
        new_game: NewGame | None,
        begin: Callable[[], None],
        progress: Callable[[int], None],
    ) -> None:
        self.connection = connection
        self.games = dict(games)
        self.options = options
        self.new_game = new_game
        self.begin = begin
        self.progress = progress
        self._learn_fields()
        self._version = _version(connection)
        self._sets_written = 0

    def run(self, table: Table, source: InputFile) -> Plan:
        """Plan the rows of ``table`` and write them; what something stands against is
        rolled back.

        ``plan.counts["written"]`` is 1 where the database has changed. Raises InputError
        if the file or the database changed meanwhile; then nothing is written.
        """
        self.connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        with _interruptible(self.connection):
            planner = RowPlanner(
                self.connection, self.games, table, self.options, source.path, self._learn_fields
            )
            for cards in planner.batches():
                changing = any(not c.stored or c.changes or c.new_printings for c in cards)
                if changing and not self.connection.in_transaction:
                    self._begin(planner, table, source)
                if self.connection.in_transaction:
                    self._write_new_sets(planner)
                    planner.states.write(cards)
                planner.states.remember(cards)
                self.progress(planner.plan.counts["read"])
            source.check_unchanged()
            if self._is_kept(planner.plan):
                self._finish(planner)
            elif self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        return planner.plan

    def _learn_fields(self) -> None:
        """The fields of a new game are all that its columns have shown so far."""
        new = self.new_game
        if new and (
            new.code not in self.games
            or len(self.games[new.code].fields) < len(new.columns.new_fields)
        ):
            self.games[new.code] = new.game()

    def _is_kept(self, plan: Plan) -> bool:
        if self.options.dry_run or (plan.refused and not self.options.partial):
            return False
        return self.connection.in_transaction

    def _begin(self, planner: RowPlanner, table: Table, source: InputFile) -> None:
        """From here on others have to wait; what they wrote since the first row is in the way."""
        self.begin()
        if _version(self.connection) != self._version:
            raise input_error(
                Code.DATABASE_CHANGED,
                "another digideck wrote to the database while this file was read; "
                "nothing was written",
                next_step="import it again",
            )
        cursor = self.connection.execute(
            """INSERT INTO source (kind, name, path, sha256, reader, imported_at)
               VALUES ('import', ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))""",
            (table.file, source.path, source.sha256, table.reader),
        )
        planner.states.source_id = int(cursor.lastrowid or 0)
        self._write_new_game(planner)

    def _write_new_game(self, planner: RowPlanner) -> None:
        if self.new_game:
            write_game(self.connection, self.new_game.game(), source_id=planner.states.source_id)

    def _write_new_sets(self, planner: RowPlanner) -> None:
        new = list(planner.plan.new_sets.items())
        for (game, key), name in new[self._sets_written :]:
            self.connection.execute(
                """INSERT INTO card_set (game, code, position, shipped, source_id) VALUES (?, ?,
                   (SELECT COALESCE(MAX(position), 0) + 1 FROM card_set WHERE game = ?), 0, ?)""",
                (game, name, game, planner.states.source_id),
            )
            self.connection.execute("INSERT INTO set_name VALUES (?, ?, ?)", (game, key, name))
        self._sets_written = len(new)

    def _finish(self, planner: RowPlanner) -> None:
        source_id = planner.states.source_id
        self._write_new_game(planner)  # with the fields of all rows
        self._count_with_others(planner)
        self.connection.execute(
            "UPDATE source SET counts = ? WHERE id = ?",
            (json.dumps(planner.plan.counts), source_id),
        )
        planner.plan.counts["written"] = 1

    def _count_with_others(self, planner: RowPlanner) -> None:
        """Cards whose first name is Japanese, or a dub name with X, count as the Digimon that
        other cards of that name are: those may have come with the same file.
        """
        store, source_id = planner.states.store, planner.states.source_id
        for card_id, code, key in self.connection.execute(
            """SELECT id, game, limit_key FROM card WHERE EXISTS (
                 SELECT 1 FROM card_name WHERE card_id = card.id
                 AND (language = 'ja' OR name LIKE '% X'))
               AND ((source_id = :source AND shipped = 0)
                    OR id IN (SELECT card_id FROM import_change WHERE source_id = :source))""",
            {"source": source_id},
        ).fetchall():
            found = store.limit_key_of(self.games[code], store.values_of(card_id).values)
            if found != key:
                self.connection.execute(
                    "UPDATE card SET limit_key = ? WHERE id = ?", (found, card_id)
                )


def _version(connection: sqlite3.Connection) -> int:
    """Changes whenever another connection has written."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


@contextmanager
def _interruptible(connection: sqlite3.Connection) -> Iterator[None]:
    """Let Python look at Ctrl-C also while one long statement runs."""
    connection.set_progress_handler(lambda: 0, _TICKS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if primary_code(error) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        raise
    finally:
        connection.set_progress_handler(None, 0)
