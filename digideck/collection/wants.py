"""What is wanted: so many of a card, every card of a set."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from digideck.collection.ledger import counts


class Want(NamedTuple):
    """A card of which more is wanted than held. ``why``: yours, a set, or both."""

    card_id: int
    wanted: int
    owned: int
    why: tuple[str, ...]

    @property
    def missing(self) -> int:
        """The copies to get."""
        return max(0, self.wanted - self.owned)


def wanted_counts(connection: sqlite3.Connection) -> dict[int, int]:
    """What the user said they want of each card."""
    return dict(connection.execute("SELECT card_id, count FROM want").fetchall())


def want(connection: sqlite3.Connection, card_id: int, count: int) -> int:
    """Want so many of a card, 0 for none any more; what was wanted before."""
    before = connection.execute("SELECT count FROM want WHERE card_id = ?", (card_id,)).fetchone()
    if count:
        connection.execute("INSERT OR REPLACE INTO want VALUES (?, ?)", (card_id, count))
    else:
        connection.execute("DELETE FROM want WHERE card_id = ?", (card_id,))
    return before[0] if before else 0


def collected_sets(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """The sets being collected: (game, code)."""
    rows = connection.execute("SELECT game, set_code FROM collected_set")
    return {(row[0], row[1]) for row in rows}


def collect(connection: sqlite3.Connection, game: str, code: str, on: bool) -> None:
    """Begin or cease to collect a set."""
    if on:
        connection.execute("INSERT OR IGNORE INTO collected_set VALUES (?, ?)", (game, code))
    else:
        connection.execute(
            "DELETE FROM collected_set WHERE game = ? AND set_code = ?", (game, code)
        )


def _in_collected_sets(connection: sqlite3.Connection) -> dict[int, list[str]]:
    """The cards of the sets being collected, with these sets."""
    found: dict[int, list[str]] = {}
    for card, code in connection.execute(
        "SELECT card_id, set_code FROM in_set JOIN collected_set USING (game, set_code)"
    ):
        found.setdefault(card, []).append(code)
    return found


def targets(connection: sqlite3.Connection) -> dict[int, tuple[int, tuple[str, ...]]]:
    """By card: the copies to have for wants and collected sets, and why."""
    found: dict[int, tuple[int, tuple[str, ...]]] = {
        card: (count, ("wanted",)) for card, count in wanted_counts(connection).items()
    }
    for card, sets in _in_collected_sets(connection).items():
        count, why = found.get(card, (0, ()))
        found[card] = (max(count, 1), (*why, *(f"set {code}" for code in sets)))
    return found


def wants(connection: sqlite3.Connection) -> list[Want]:
    """The cards of which more is wanted than held."""
    owned = counts(connection)
    found = [
        Want(card, count, owned.get(card, 0), why)
        for card, (count, why) in targets(connection).items()
    ]
    return [entry for entry in found if entry.missing]
