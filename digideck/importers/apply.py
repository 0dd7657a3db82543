"""A plan carried out: one transaction, its source recorded, so that it can be taken back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.files.input import InputFile
from digideck.importers.columns import Columns
from digideck.importers.plan import Planner
from digideck.importers.results import Options, Plan
from digideck.importers.rows import Table
from digideck.schema.card_store import CardStore, write_game
from digideck.schema.connection import transaction
from digideck.schema.games.game import Game

_CACHE_KB = 48_000  # for the one large transaction; SQLite's own 2 MB make it write twice


@dataclass(frozen=True)
class Work:
    """What an import needs beside the file: the database, the games, who is told how far it is."""

    connection: sqlite3.Connection
    games: dict[str, Game]
    options: Options
    rows_read: Callable[[int], None]
    back_up: Callable[[], None]
    writing: Callable[[], AbstractContextManager[None]]


def import_table(work: Work, table: Table, source: InputFile, new_game: NewGame | None) -> Plan:
    """Plan the rows of ``table`` and, where nothing stands against it, write them.

    ``plan.counts["written"]`` is 1 where the database has changed. Raises InputError
    if the file or the database changed meanwhile.
    """
    connection, options = work.connection, work.options
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    version = _version(connection)
    games = dict(work.games)
    if new_game:
        games[new_game.code] = new_game.game()
    planner = Planner(connection, games, table, options, source.path, work.rows_read)
    plan = planner.run()
    source.check_unchanged()
    stopped = plan.refused and not options.partial
    if options.dry_run or stopped or not plan.has_work:
        return plan
    work.back_up()
    with _without_key_checks(connection), work.writing(), transaction(connection):
        if _version(connection) != version:
            raise input_error(
                Code.DATABASE_CHANGED,
                "another digideck wrote to the database while this file was read; "
                "nothing was written",
                next_step="import it again",
            )
        source_id = _record(connection, table, source, plan)
        if new_game:
            write_game(connection, new_game.game(), source_id=source_id)
        _write(connection, plan, source_id)
        _count_with_others(connection, games)
    plan.counts["written"] = 1
    return plan


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


@contextmanager
def _without_key_checks(connection: sqlite3.Connection) -> Iterator[None]:
    """The plan points at nothing that it does not bring or has not found; looking
    each of a million references up again takes longer than writing them.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _version(connection: sqlite3.Connection) -> int:
    """Changes whenever another connection has written."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _record(connection: sqlite3.Connection, table: Table, source: InputFile, plan: Plan) -> int:
    cursor = connection.execute(
        """INSERT INTO source (kind, name, path, sha256, reader, imported_at, counts)
           VALUES ('import', ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)""",
        (table.file, source.path, source.sha256, table.reader, json.dumps(plan.counts)),
    )
    return int(cursor.lastrowid or 0)


def _write(connection: sqlite3.Connection, plan: Plan, source_id: int) -> None:
    values = {"source": source_id}
    _write_sets(connection, plan, source_id)
    for statement in _STATEMENTS:
        connection.execute(statement, values)


def _write_sets(connection: sqlite3.Connection, plan: Plan, source_id: int) -> None:
    for (game, key), name in plan.new_sets.items():
        connection.execute(
            """INSERT INTO card_set (game, code, position, shipped, source_id) VALUES (?, ?,
               (SELECT COALESCE(MAX(position), 0) + 1 FROM card_set WHERE game = ?), 0, ?)""",
            (game, name, game, source_id),
        )
        connection.execute("INSERT INTO set_name VALUES (?, ?, ?)", (game, key, name))


def _count_with_others(connection: sqlite3.Connection, games: dict[str, Game]) -> None:
    """Cards whose first name is Japanese, or a dub name with X, count as the Digimon that
    other cards of that name are: those may have come with the same file.
    """
    store = CardStore(connection, games)
    for card_id, code, key in connection.execute(
        "SELECT id, game, limit_key FROM plan_card WHERE language = 'ja' OR name LIKE '% X'"
    ).fetchall():
        found = store.limit_key_of(games[code], store.values_of(card_id).values)
        if found != key:
            connection.execute("UPDATE card SET limit_key = ? WHERE id = ?", (found, card_id))


# From the plan's tables, in the order of the keys, which is much the quickest way in.
_STATEMENTS = (
    """INSERT INTO card (id, game, number, edition, number_key, number_sort, kind, level, limit_key,
         fields, shipped, source_id)
       SELECT id, game, number, edition, number_key, number_sort, kind, level, limit_key,
         fields, 0, :source
       FROM plan_card WHERE is_new ORDER BY id""",
    """INSERT INTO import_change SELECT :source, card_id, field, old, old_source_id
       FROM plan_change""",
    """UPDATE card SET kind = plan.kind, level = plan.level, limit_key = plan.limit_key,
         fields = plan.fields
       FROM plan_card AS plan WHERE plan.id = card.id AND NOT plan.is_new""",
    "DELETE FROM card_name WHERE card_id IN (SELECT id FROM plan_card WHERE NOT is_new)",
    """INSERT OR IGNORE INTO card_name SELECT card_id, language, name, search_key, role
       FROM plan_card_name""",
    """INSERT OR IGNORE INTO card_name SELECT card_id, language, name, search_key, role
       FROM plan_name""",
    "DELETE FROM evolution WHERE card_id IN (SELECT id FROM plan_card WHERE NOT is_new)",
    "INSERT OR IGNORE INTO evolution SELECT card_id, need FROM plan_need",
    """INSERT OR REPLACE INTO correction
       SELECT game, number, edition, field, COALESCE(new, 'null'), :source
       FROM plan_change JOIN card ON card.id = card_id WHERE shipped = 1""",
    """INSERT OR REPLACE INTO field_source SELECT card_id, field, :source
       FROM plan_change JOIN card ON card.id = card_id WHERE shipped = 0""",
    """DELETE FROM doubt WHERE EXISTS (SELECT 1 FROM plan_change
         WHERE plan_change.card_id = doubt.card_id
         AND (plan_change.field = doubt.field
              OR (doubt.field = 'game' AND plan_change.field LIKE 'name_%')))""",
    """INSERT OR IGNORE INTO printing SELECT card_id, game, set_code, 0, :source
       FROM plan_card_printing""",
    """INSERT OR IGNORE INTO printing SELECT card_id, game, set_code, 0, :source
       FROM plan_printing""",
)
