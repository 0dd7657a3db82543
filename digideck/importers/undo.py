"""The last import taken back: what it added goes, what it changed is as it was."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from digideck.importers.own_games import restore_game
from digideck.schema.database import transaction
from digideck.schema.games import Game
from digideck.schema.problems import Unusable, unusable
from digideck.schema.shipped import Store, restore_shipped

# What hangs on a card and goes with it; anything else that points at one is somebody's work.
_PARTS_OF_A_CARD = ("card_name", "printing", "evolution", "doubt", "field_source", "import_change")


@dataclass(frozen=True)
class Undone:
    """The import that was taken back, and how much of what it had done."""

    name: str
    imported_at: str
    cards: int
    values: int
    printings: int
    sets: int
    game: str | None


def undo_last(
    connection: sqlite3.Connection,
    games: dict[str, Game],
    back_up: Callable[[], None],
    *,
    dry_run: bool,
) -> Undone:
    """Take the last import back, in one transaction, or only say what that would do.

    Raises Unusable where there is no import, or where something of the user's
    stands on a card that would go.
    """
    last = connection.execute(
        "SELECT * FROM source WHERE kind = 'import' ORDER BY id DESC LIMIT 1"
    ).fetchone()
    if last is None:
        raise unusable(
            "nothing-to-undo", "no import is recorded", next_step="digideck db info counts them"
        )
    undone = _measure(connection, last)
    _refuse_if_used(connection, last)
    if not dry_run:
        back_up()
        with transaction(connection):
            _take_back(connection, games, last["id"])
    return undone


def _measure(connection: sqlite3.Connection, last: sqlite3.Row) -> Undone:
    def count(table: str, more: str = "") -> int:
        sql = f"SELECT COUNT(*) FROM {table} WHERE source_id = ?{more}"
        return int(connection.execute(sql, (last["id"],)).fetchone()[0])

    game = connection.execute("SELECT code FROM game WHERE source_id = ?", (last["id"],)).fetchone()
    return Undone(
        last["name"],
        last["imported_at"],
        count("card", " AND shipped = 0"),
        count("import_change"),
        count("printing", " AND shipped = 0"),
        count("card_set", " AND shipped = 0"),
        game["code"] if game else None,
    )


def _refuse_if_used(connection: sqlite3.Connection, last: sqlite3.Row) -> None:
    """Refuse where another table points at a card that would go: a holding, a barcode."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        if table in _PARTS_OF_A_CARD:
            continue
        for key in connection.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():
            if key["table"] != "card" or (key["to"] or "id") != "id":
                continue
            used = connection.execute(
                f"""SELECT COUNT(*), MIN(number) FROM "{table}" JOIN card
                    ON card.id = "{table}"."{key["from"]}"
                    WHERE card.source_id = ? AND card.shipped = 0""",
                (last["id"],),
            ).fetchone()
            if used[0]:
                raise _used(last["name"], table, used[0], used[1])
    other = connection.execute(
        """SELECT COUNT(*) FROM card JOIN game ON game.code = card.game
           WHERE game.source_id = ? AND card.source_id != ?""",
        (last["id"], last["id"]),
    ).fetchone()
    if other[0]:
        raise _used(last["name"], "card", other[0], "of the game that it added")


def _used(name: str, table: str, rows: int, card: str) -> Unusable:
    return unusable(
        "undo-blocked",
        f"{name} cannot be taken back: {rows:,} rows of {table} stand on its cards, as on {card}",
        next_step="take those back first; or put a backup in place of the database",
    )


def _take_back(connection: sqlite3.Connection, games: dict[str, Game], source_id: int) -> None:
    changes = connection.execute(
        """SELECT import_change.*, game, number, edition, shipped FROM import_change
           JOIN card ON card.id = card_id WHERE import_change.source_id = ? ORDER BY card_id""",
        (source_id,),
    ).fetchall()
    by_card: dict[int, list[sqlite3.Row]] = {}
    for change in changes:
        by_card.setdefault(change["card_id"], []).append(change)
    store = Store(connection, games)
    for card_id, of_card in by_card.items():
        if not of_card[0]["shipped"]:
            _restore_own(connection, store, card_id, of_card)
        for change in of_card:
            _restore_correction(connection, change, source_id)
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS restored (card_id INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM restored")
    connection.executemany("INSERT INTO restored VALUES (?)", [(card_id,) for card_id in by_card])
    restore_shipped(connection, games)
    (counts,) = connection.execute(
        "SELECT counts FROM source WHERE id = ?", (source_id,)
    ).fetchone()
    restore_game(connection, counts)
    for statement in _REMOVALS:
        connection.execute(statement, {"source": source_id})


def _restore_own(
    connection: sqlite3.Connection, store: Store, card_id: int, changes: list[sqlite3.Row]
) -> None:
    """A card of the user's own has no other copy: its values come from the log."""
    card = store.values_of(card_id)
    for change in changes:
        _put(card.values, change["field"], change["old"])
        if change["old_source_id"] is None:
            connection.execute(
                "DELETE FROM field_source WHERE card_id = ? AND field = ?",
                (card_id, change["field"]),
            )
        else:
            connection.execute(
                "INSERT OR REPLACE INTO field_source VALUES (?, ?, ?)",
                (card_id, change["field"], change["old_source_id"]),
            )
    (source,) = connection.execute("SELECT source_id FROM card WHERE id = ?", (card_id,)).fetchone()
    store.write_card(card, source_id=source, shipped=False)


def _put(values: dict[str, Any], column: str, old: str | None) -> None:
    if old is None:
        values.pop(column, None)
    else:
        values[column] = json.loads(old)


def _restore_correction(
    connection: sqlite3.Connection, change: sqlite3.Row, source_id: int
) -> None:
    """What an earlier import said comes back; else what ships, which is loaded again."""
    key = (change["game"], change["number"], change["edition"], change["field"])
    connection.execute(
        """DELETE FROM correction WHERE game = ? AND number = ? AND edition = ? AND field = ?
           AND source_id = ?""",
        (*key, source_id),
    )
    if change["old_source_id"] is not None and change["old"] is not None and change["shipped"]:
        connection.execute(
            "INSERT INTO correction VALUES (?, ?, ?, ?, ?, ?)",
            (*key, change["old"], change["old_source_id"]),
        )


_REMOVALS = (
    "DELETE FROM import_change WHERE source_id = :source",
    "DELETE FROM printing WHERE source_id = :source AND shipped = 0",
    "DELETE FROM card WHERE source_id = :source AND shipped = 0",
    """DELETE FROM set_name WHERE EXISTS (SELECT 1 FROM card_set WHERE card_set.game = set_name.game
         AND code = set_code AND source_id = :source AND shipped = 0)""",
    "DELETE FROM card_set WHERE source_id = :source AND shipped = 0",
    "DELETE FROM format WHERE game IN (SELECT code FROM game WHERE source_id = :source)",
    "DELETE FROM game WHERE source_id = :source",
    "DELETE FROM source WHERE id = :source",
)
