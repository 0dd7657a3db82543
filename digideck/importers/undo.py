"""The last import taken back: what it added goes, what it changed is as it was."""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.text import pluralize
from digideck.importers.own_games import restore_game
from digideck.schema.card_store import CardStore
from digideck.schema.games.game import Game
from digideck.schema.shipped import restore_shipped

# What hangs on a card and goes with it; anything else that points at one is somebody's work.
_PARTS_OF_A_CARD = ("card_name", "printing", "evolution", "doubt", "field_source", "import_change")
_SUMS = ("holding",)  # of entries, which point at the same cards
_RESTORE = "digideck db restore FILE, with the copy that was made before the import"
_HISTORY = f"what happened to the collection is never forgotten; to go back before it: {_RESTORE}"
# Somebody's work by its table: what people call it, and how it is taken back.
_WORK = {
    "link": (
        "link of a barcode",
        "links of barcodes",
        "digideck barcode unlink CODE; digideck show {card} lists the codes",
    ),
    "want": ("want", "wants", "digideck collection wants {card} 0"),
    "entry": (
        "change in the history of the collection",
        "changes in the history of the collection",
        _HISTORY,
    ),
    "batch": (
        "note in the history of the collection",
        "notes in the history of the collection",
        _HISTORY,
    ),
}


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
    writing: Callable[[], AbstractContextManager[None]],
    *,
    dry_run: bool,
) -> Undone:
    """Take the last import back inside ``writing``, or only say what that would do.

    Raises InputError where there is no import, or where something of the user's
    stands on a card that would go.
    """
    last = connection.execute(
        "SELECT * FROM source WHERE kind = 'import' ORDER BY id DESC LIMIT 1"
    ).fetchone()
    if last is None:
        raise input_error(
            Code.NOTHING_TO_UNDO, "no import is recorded", next_step="digideck db info counts them"
        )
    undone = _measure(connection, last)
    _refuse_if_used(connection, last)
    if not dry_run:
        with writing():
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
    """Refuse where another table points at a card that would go: a want, a barcode."""
    problems = [
        _used(last["name"], table, *used)
        for table, column in _pointing_at_cards(connection)
        if (used := _used_cards(connection, table, column, last["id"]))[0]
    ]
    (others,) = connection.execute(
        """SELECT COUNT(*) FROM card JOIN game ON game.code = card.game
           WHERE game.source_id = ? AND card.source_id != ?""",
        (last["id"], last["id"]),
    ).fetchone()
    if others:
        problems.append(
            _blocked(
                f"{last['name']} cannot be taken back: the game that it added has "
                f"{pluralize(others, 'card')} of other files",
                f"to go back before it: {_RESTORE}",
            )
        )
    if problems:
        raise InputError(*problems)


def _pointing_at_cards(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """The tables that hold somebody's work on cards, each with its column of cards."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        if table in _PARTS_OF_A_CARD or table in _SUMS:
            continue
        for key in connection.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():
            if key["table"] == "card" and (key["to"] or "id") == "id":
                yield table, key["from"]


def _used_cards(
    connection: sqlite3.Connection, table: str, column: str, source_id: int
) -> tuple[int, str]:
    """How many rows of a table are about cards of an import, and the key of one of them."""
    count, card = connection.execute(
        f"""SELECT COUNT(*), MIN(game || '/' || number || iif(edition = '', '', '@' || edition))
            FROM "{table}" JOIN card ON card.id = "{table}"."{column}"
            WHERE card.source_id = ? AND card.shipped = 0""",
        (source_id,),
    ).fetchone()
    return count, card


def _used(name: str, table: str, rows: int, card: str) -> Problem:
    one, several, next_step = _WORK.get(table, (f"row of {table}", f"rows of {table}", _RESTORE))
    return _blocked(
        f"{name} cannot be taken back: its cards, such as {card}, have "
        f"{pluralize(rows, one, several)}",
        next_step.format(card=shlex.quote(card)),
    )


def _blocked(message: str, next_step: str) -> Problem:
    return Problem(Code.UNDO_BLOCKED, Severity.ERROR, message, next_step=next_step)


def _take_back(connection: sqlite3.Connection, games: dict[str, Game], source_id: int) -> None:
    changes = connection.execute(
        """SELECT import_change.*, game, number, edition, shipped FROM import_change
           JOIN card ON card.id = card_id WHERE import_change.source_id = ? ORDER BY card_id""",
        (source_id,),
    ).fetchall()
    by_card: dict[int, list[sqlite3.Row]] = {}
    for change in changes:
        by_card.setdefault(change["card_id"], []).append(change)
    store = CardStore(connection, games)
    for card_id, of_card in by_card.items():
        if not of_card[0]["shipped"]:
            _restore_own(connection, store, card_id, of_card)
        for change in of_card:
            _restore_correction(connection, change, source_id)
    printed = connection.execute(
        "DELETE FROM printing WHERE source_id = ? AND shipped = 0 RETURNING card_id", (source_id,)
    ).fetchall()
    restore_shipped(connection, games, {*by_card, *(row["card_id"] for row in printed)})
    (counts,) = connection.execute(
        "SELECT counts FROM source WHERE id = ?", (source_id,)
    ).fetchone()
    restore_game(connection, counts)
    for statement in _REMOVALS:
        connection.execute(statement, {"source": source_id})


def _restore_own(
    connection: sqlite3.Connection, store: CardStore, card_id: int, changes: list[sqlite3.Row]
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
    "DELETE FROM card WHERE source_id = :source AND shipped = 0",
    """DELETE FROM set_name WHERE EXISTS (SELECT 1 FROM card_set WHERE card_set.game = set_name.game
         AND code = set_code AND source_id = :source AND shipped = 0)""",
    "DELETE FROM card_set WHERE source_id = :source AND shipped = 0",
    "DELETE FROM format WHERE game IN (SELECT code FROM game WHERE source_id = :source)",
    "DELETE FROM game WHERE source_id = :source",
    "DELETE FROM source WHERE id = :source",
)
