"""Cards whose number was corrected, and cards that turned out to be one.

Each line of data/fixes/renumbered.yaml is carried out once on every database.
The card keeps its id, and what points at it goes on doing so; of two cards that
become one, what points at the old one is moved. If the user holds or ever held
the card, its history gets a line.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from digideck.core.numbers import number_key, sort_key
from digideck.core.strict_yaml import load
from digideck.schema.card_store import CardStore, CardValues, write_correction

Key = tuple[str, str, str]  # game, number, edition


@dataclass(frozen=True, slots=True)
class Renumbering:
    """One corrected number. ``reason`` is for people."""

    game: str
    old: tuple[str, str]  # number, edition
    new: tuple[str, str]
    reason: str

    @property
    def old_key(self) -> Key:
        """What the card was called."""
        return (self.game, *self.old)

    @property
    def new_key(self) -> Key:
        """What it is called now."""
        return (self.game, *self.new)


def renumberings(folder: Path) -> list[Renumbering]:
    """The renumberings that ship, in their order. Raises InputError."""
    path = folder / "fixes" / "renumbered.yaml"
    if not path.exists():
        return []
    file = load(path.read_text("utf-8"), path.name)
    found = []
    for entry in file.mappings("renumbered"):
        game, old, new = entry.text("game"), entry.text("from"), entry.text("to")
        entry.text("source")
        found.append(Renumbering(game, _key(old), _key(new), entry.text("reason")))
        entry.done()
        if old == new:
            raise entry.problem("from and to are the same", "to")
    file.done()
    return found


def _key(text: str) -> tuple[str, str]:
    number, _, edition = text.partition("@")
    return number, edition


def renumber(connection: sqlite3.Connection, store: CardStore, folder: Path) -> None:
    """Carry out the renumberings that this database has not been through."""
    done = set(
        map(
            tuple,
            connection.execute(
                "SELECT game, old_number, old_edition, new_number, new_edition FROM renumbered"
            ),
        )
    )
    for entry in renumberings(folder):
        key = (entry.game, *entry.old, *entry.new)
        if key not in done:
            _carry_out(connection, store, entry)
            connection.execute(
                """INSERT INTO renumbered
                     (game, old_number, old_edition, new_number, new_edition)
                   VALUES (?, ?, ?, ?, ?)""",
                key,
            )
            done.add(key)


def todays_key(connection: sqlite3.Connection, key: Key, after: int = 0) -> Key:
    """What the card ``key`` is called after the renumberings behind position ``after``."""
    for row in connection.execute(
        "SELECT * FROM renumbered WHERE position > ? ORDER BY position", (after,)
    ):
        if key == (row["game"], row["old_number"], row["old_edition"]):
            key = (row["game"], row["new_number"], row["new_edition"])
    return key


def _carry_out(connection: sqlite3.Connection, store: CardStore, entry: Renumbering) -> None:
    old, new = _id(connection, entry.old_key), _id(connection, entry.new_key)
    if old is None:
        return
    if new is None:
        number, edition = entry.new
        connection.execute(
            """UPDATE card SET number = ?, edition = ?, number_key = ?, number_sort = ?
               WHERE id = ?""",
            (number, edition, number_key(number), sort_key(number), old),
        )
        _move_corrections(connection, entry)
        _tell(connection, entry, old, "is now")
        return
    _keep_own_values(connection, store, old, new)
    _move_corrections(connection, entry)
    for table, move in MOVES.items():
        move(connection, table, old, new)
    connection.execute("DELETE FROM card WHERE id = ?", (old,))
    _tell(connection, entry, new, "turned out to be")


def _id(connection: sqlite3.Connection, key: Key) -> int | None:
    row = connection.execute(
        "SELECT id FROM card WHERE game = ? AND number = ? AND edition = ?", key
    ).fetchone()
    return None if row is None else int(row[0])


def _tell(connection: sqlite3.Connection, entry: Renumbering, card_id: int, verb: str) -> None:
    """A line in the history of a card that has one."""
    if connection.execute("SELECT 1 FROM entry WHERE card_id = ?", (card_id,)).fetchone():
        old, new = ("@".join(filter(None, pair)) for pair in (entry.old, entry.new))
        said = f"{entry.game}/{old} {verb} {entry.game}/{new}: {entry.reason}"
        connection.execute(
            """INSERT INTO batch (made_at, command, said, card_id)
               VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 'update', ?, ?)""",
            (said, card_id),
        )


def _move_corrections(connection: sqlite3.Connection, entry: Renumbering) -> None:
    """What the user says of the new number wins over what they said of the old one."""
    connection.execute(
        """UPDATE OR IGNORE correction SET number = ?, edition = ?
           WHERE game = ? AND number = ? AND edition = ?""",
        (*entry.new, *entry.old_key),
    )
    connection.execute(
        "DELETE FROM correction WHERE game = ? AND number = ? AND edition = ?", entry.old_key
    )


def _keep_own_values(connection: sqlite3.Connection, store: CardStore, old: int, new: int) -> None:
    """What the user entered of a card of their own stays where the other card is blank."""
    row = connection.execute(
        """SELECT source_id FROM card JOIN source ON source.id = source_id
           WHERE card.id = ? AND shipped = 0 AND source.kind = 'import'""",
        (old,),
    ).fetchone()
    if row is None:
        return
    theirs, kept = store.values_of(old), store.values_of(new)
    for column, value in theirs.values.items():
        if column not in kept.values:
            write_correction(connection, _renamed(theirs, kept), column, value, row["source_id"])


def _renamed(values: CardValues, like: CardValues) -> CardValues:
    return replace(values, number=like.number, edition=like.edition)


def _repoint(connection: sqlite3.Connection, table: str, old: int, new: int) -> None:
    connection.execute(f"UPDATE OR IGNORE {table} SET card_id = ? WHERE card_id = ?", (new, old))
    connection.execute(f"DELETE FROM {table} WHERE card_id = ?", (old,))


def _move_entries(connection: sqlite3.Connection, table: str, old: int, new: int) -> None:
    connection.execute(f"UPDATE {table} SET card_id = ? WHERE card_id = ?", (new, old))


def _sum_again(connection: sqlite3.Connection, table: str, old: int, new: int) -> None:
    connection.execute(
        f"""INSERT INTO {table}
            SELECT ?, set_code, variant, condition, language, finish, place, note, count
            FROM {table} WHERE card_id = ?
            ON CONFLICT DO UPDATE SET count = count + excluded.count""",
        (new, old),
    )
    connection.execute(f"DELETE FROM {table} WHERE card_id = ?", (old,))


def _most_wanted(connection: sqlite3.Connection, table: str, old: int, new: int) -> None:
    connection.execute(
        f"""UPDATE {table} SET count = max(count, (SELECT count FROM {table} WHERE card_id = ?))
            WHERE card_id = ? AND EXISTS (SELECT 1 FROM {table} WHERE card_id = ?)""",
        (old, new, old),
    )
    _repoint(connection, table, old, new)


# How each table that points at cards follows when two of them become one. What
# only describes the old card (names, doubts) goes with it.
MOVES: dict[str, Callable[[sqlite3.Connection, str, int, int], None]] = {
    "printing": _repoint,
    "batch": _move_entries,
    "entry": _move_entries,
    "holding": _sum_again,
    "want": _most_wanted,
    "link": _repoint,
}
# A card that one of these names is never dropped by a data update.
KEPT_BY = ("entry", "batch", "want", "link")
