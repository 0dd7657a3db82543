"""The data that ships, loaded into the database and laid under what the user says.

A load replaces what shipped before and keeps what is the user's: cards, sets
and printings of their own, and corrections, which win over shipped values.
Cards keep their ids, so that whatever points at a card goes on pointing at it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from digideck.core.names import search_key
from digideck.schema.card_store import (
    CardStore,
    CardValues,
    apply_corrections,
    write_correction,
    write_game,
)
from digideck.schema.data_folder import DATA, shipped_version
from digideck.schema.games.game import Game
from digideck.schema.renumber import KEPT_BY, renumber
from digideck.schema.shipped_files import games, rows, shipped_cards


def load(connection: sqlite3.Connection) -> None:
    """Load all shipped data. To be called inside a transaction."""
    _Loader(connection, DATA).run()


class _Loader:
    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self.games = {game.code: game for game in games(folder)}
        self.store = CardStore(connection, self.games)

    def run(self) -> None:
        self._write_games()
        renumber(self.connection, self.store, self.folder)
        users_own = self._users_own_values()
        self.connection.execute("DELETE FROM printing WHERE shipped = 1")
        for game in self.games.values():
            self._write_sets(game)
        self._write_set_names()
        stale = {row[0] for row in self.connection.execute("SELECT id FROM card WHERE shipped = 1")}
        for game in self.games.values():
            for card in shipped_cards(game, self.folder):
                stale.discard(self._write_card(card))
        self._retire(stale)
        self._keep_as_corrections(users_own)
        apply_corrections(self.connection, self.store)
        self.connection.execute(
            "INSERT OR REPLACE INTO meta VALUES ('data_version', ?)", (shipped_version(),)
        )

    def _write_games(self) -> None:
        for game in self.games.values():
            self.connection.execute("DELETE FROM format WHERE game = ?", (game.code,))
        for game in self.games.values():
            write_game(self.connection, game, source_id=None)

    def _users_own_values(self) -> dict[tuple[str, str, str], tuple[int, CardValues]]:
        """The user's own cards: those that ship from now on keep their values as corrections.

        A game of the user's own never ships; its cards, perhaps a million, stay where they are.
        """
        own = {}
        for code in self.games:
            found = self.connection.execute(
                """SELECT card.id, source_id FROM card JOIN source ON source.id = source_id
                   WHERE shipped = 0 AND source.kind = 'import' AND game = ?""",
                (code,),
            )
            for row in found.fetchall():
                card = self.store.values_of(row["id"])
                own[card.game, card.number, card.edition] = (row["source_id"], card)
        return own

    def _write_sets(self, game: Game) -> None:
        for position, row in enumerate(rows(self.folder / "sets" / f"{game.code}.csv")):
            self.connection.execute(
                """INSERT INTO card_set VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                   ON CONFLICT (game, code) DO UPDATE SET
                     name_en = excluded.name_en, name_ja = excluded.name_ja,
                     series = excluded.series, kind = excluded.kind,
                     released = excluded.released, printed = excluded.printed,
                     reprints = excluded.reprints, note = excluded.note,
                     position = excluded.position, shipped = 1, source_id = excluded.source_id""",
                (
                    game.code,
                    row["code"],
                    *(row[key] or None for key in ("name_en", "name_ja", "series", "kind")),
                    row["released"] or None,
                    *(int(row[key]) if row[key] else None for key in ("printed", "reprints")),
                    row["note"] or None,
                    position,
                    self.store.citation(row["source"]),
                ),
            )
            for name in (row["code"], row["name_en"], row["name_ja"]):
                self._write_set_name(game.code, name, row["code"])
        self.connection.execute("DELETE FROM set_range WHERE game = ?", (game.code,))
        for position, row in enumerate(rows(self.folder / "sets" / f"{game.code}-ranges.csv")):
            self.connection.execute(
                "INSERT INTO set_range VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    game.code,
                    row["set"],
                    position,
                    *(row[key] or None for key in ("name", "first_number", "last_number")),
                    int(row["cards"]) if row["cards"] else None,
                    *(row[key] or None for key in ("released", "note")),
                    self.store.citation(row["source"]),
                ),
            )

    def _write_set_names(self) -> None:
        for row in rows(self.folder / "sets" / "names.csv"):
            self._write_set_name(row["game"], row["name"], row["set"])

    def _write_set_name(self, game: str, name: str, code: str) -> None:
        if name:
            self.connection.execute(
                "INSERT OR REPLACE INTO set_name VALUES (?, ?, ?)", (game, search_key(name), code)
            )

    def _write_card(self, card: CardValues) -> int:
        source_id = self.store.citation(card.source)
        card_id = self.store.write_card(card, source_id=source_id, shipped=True)
        self.store.write_shipped_printings(card_id, card)
        return card_id

    def _retire(self, stale: set[int]) -> None:
        """Cards that ship no longer: gone, unless the user has them or something to say of them."""
        held = "".join(
            f" OR EXISTS (SELECT 1 FROM {table} WHERE card_id = card.id)" for table in KEPT_BY
        )
        for card_id in stale:
            kept = self.connection.execute(
                f"""SELECT EXISTS (SELECT 1 FROM printing WHERE card_id = card.id AND shipped = 0)
                       OR EXISTS (SELECT 1 FROM correction AS c WHERE c.game = card.game
                                  AND c.number = card.number AND c.edition = card.edition){held}
                   FROM card WHERE id = ?""",
                (card_id,),
            ).fetchone()[0]
            statement = "UPDATE card SET shipped = 0" if kept else "DELETE FROM card"
            self.connection.execute(f"{statement} WHERE id = ?", (card_id,))

    def _keep_as_corrections(
        self, users_own: dict[tuple[str, str, str], tuple[int, CardValues]]
    ) -> None:
        for (game, number, edition), (source_id, card) in users_own.items():
            now_shipped = self.connection.execute(
                "SELECT 1 FROM card WHERE game = ? AND number = ? AND edition = ? AND shipped = 1",
                (game, number, edition),
            ).fetchone()
            if now_shipped:
                said_by = dict(
                    self.connection.execute(
                        """SELECT field, field_source.source_id FROM field_source JOIN card
                           ON card.id = card_id WHERE game = ? AND number = ? AND edition = ?""",
                        (game, number, edition),
                    ).fetchall()
                )
                for column, value in card.values.items():
                    said_in = said_by.get(column, source_id)
                    write_correction(self.connection, card, column, value, said_in)


def restore_shipped(
    connection: sqlite3.Connection, games_by_code: dict[str, Game], ids: Iterable[int]
) -> None:
    """Write cards and their sets as they ship, with the corrections that are left laid over
    them; ``ids`` of others are left alone.
    """
    store = CardStore(connection, games_by_code)
    wanted: dict[str, dict[tuple[str, str], int]] = {}
    for row in connection.execute(
        """SELECT game, number, edition, id FROM card
           WHERE id IN (SELECT value FROM json_each(?)) AND shipped = 1""",
        (json.dumps(list(ids)),),
    ).fetchall():
        wanted.setdefault(row["game"], {})[row["number"], row["edition"]] = row["id"]
    for code, cards in wanted.items():
        for card in shipped_cards(games_by_code[code]):
            card_id = cards.get((card.number, card.edition))
            if card_id is not None:
                store.write_card(card, source_id=store.citation(card.source), shipped=True)
                store.write_shipped_printings(card_id, card)
                apply_corrections(connection, store, card_id)
