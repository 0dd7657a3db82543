"""The data that ships, loaded into the database and laid under what the user says.

A load replaces what shipped before and keeps what is the user's: cards, sets
and printings of their own, and corrections, which win over shipped values.
Cards keep their ids, so that whatever points at a card goes on pointing at it.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from digideck.core.codes import Code
from digideck.core.names import limit_key, search_key, without_x_antibody
from digideck.core.numbers import number_key, sort_key
from digideck.core.problems import input_error
from digideck.core.strict_yaml import Mapping
from digideck.core.strict_yaml import load as load_yaml
from digideck.schema.connection import BUSY_SECONDS, DATA, shipped_version, transaction
from digideck.schema.games.evolution_grammar import EvolutionGrammar
from digideck.schema.games.fields import parse_field
from digideck.schema.games.game import Game, read_game
from digideck.schema.renumber import KEPT_BY, renumber

NAME_COLUMNS = {
    "name_en": ("en", "name"),
    "name_dub": ("dub", "name"),
    "name_ja": ("ja", "name"),
    "species_ja": ("ja", "species"),
    "also_named": ("en", "also"),
    "alias": ("en", "alias"),
}
PLAIN_COLUMNS = ("kind", "level")
CARD_COLUMNS = ("number", "edition", *NAME_COLUMNS, "set", *PLAIN_COLUMNS, "doubt", "source")
_NOT_FIELDS = frozenset([*NAME_COLUMNS, *PLAIN_COLUMNS])
_quoted = json.encoder.encode_basestring
_as_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


@lru_cache(maxsize=1000)
def _field_keys(keys: tuple[str, ...]) -> list[tuple[str, str]]:
    """The game's own fields among ``keys``, sorted, each with how it begins in JSON."""
    return [(key, f"{_quoted(key)}: ") for key in sorted(keys) if key not in _NOT_FIELDS]


@dataclass
class CardValues:
    """A card as a row of values, before it is stored: names and fields by column."""

    game: str
    number: str
    edition: str
    source: str
    sets: list[str]
    values: dict[str, Any]
    doubts: dict[str, str] = field(default_factory=dict)


def data_hash(folder: Path = DATA) -> str:
    """What data/VERSION must hold: the hash of every data file, line ends aside."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".csv", ".yaml"):
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]


def games(folder: Path = DATA) -> list[Game]:
    """Every game that ships. Raises InputError for a file that breaks a rule."""
    paths = sorted((folder / "games").glob("*.yaml"))
    return [read_game(load_yaml(path.read_text("utf-8"), path.name)) for path in paths]


def load(path: Path) -> None:
    """Load all shipped data into the database at ``path``, in one transaction."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        with transaction(connection):
            _Loader(connection, DATA).run()
    finally:
        connection.close()


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a shipped CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, strict=True)


def shipped_cards(game: Game, folder: Path = DATA) -> Iterator[CardValues]:
    """The cards of a game as they are stored, repairs applied."""
    repairs = _repairs(folder / "fixes" / f"{game.code}.yaml")
    name = f"{game.code}.csv"
    for row in rows(folder / "cards" / name):
        yield _card_values(game, row, repairs.pop(_written(row), []), name)
    if repairs:
        raise input_error(
            Code.FIX_UNUSED, f"no card for the fix of {next(iter(repairs))}", file=name
        )


def _written(row: dict[str, str]) -> str:
    return f"{row['number']}@{row['edition']}" if row["edition"] else row["number"]


def _repairs(path: Path) -> dict[str, list[Mapping]]:
    repairs: dict[str, list[Mapping]] = {}
    if path.exists():
        file = load_yaml("fixes:\n" + path.read_text("utf-8"), path.name)
        for repair in file.mappings("fixes"):
            repairs.setdefault(repair.text("card"), []).append(repair)
    return repairs


def _card_values(game: Game, row: dict[str, str], repairs: list[Mapping], file: str) -> CardValues:
    doubts = dict(part.split(": ", 1) for part in row["doubt"].split(" | ") if part)
    for repair in repairs:
        _repair(row, repair, doubts)
    values: dict[str, Any] = {}
    for column, text in row.items():
        if column in NAME_COLUMNS or column in PLAIN_COLUMNS:
            if text:
                values[column] = text
        elif column not in CARD_COLUMNS:
            value, problem = parse_field(game.fields[column], text)
            if problem:
                raise input_error(Code.DATA_VALUE, f"{row['number']}: {problem}", file=file)
            if value is not None:
                values[column] = value
    sets = [code for code in row["set"].split("; ") if code]
    return CardValues(game.code, row["number"], row["edition"], row["source"], sets, values, doubts)


def _repair(row: dict[str, str], repair: Mapping, doubts: dict[str, str]) -> None:
    column, was = repair.text("field"), repair.text("was", "")
    if row.get(column, "") != was:
        raise repair.problem(f"{row['number']} {column} is {row[column]!r}, not {was!r}", "was")
    value = repair.text("value")
    if column == "name_en" and was != value:
        row["alias"] = row["alias"] or was
    row[column] = value
    doubt = repair.optional_text("doubt")
    if doubt:
        doubts[column] = doubt
    repair.text("card"), repair.text("reason"), repair.text("source")
    repair.done()


class Store:
    """Writes cards, names, sets and sources; used by the load and by imports."""

    def __init__(self, connection: sqlite3.Connection, games_by_code: dict[str, Game]) -> None:
        self.connection = connection
        self.games = games_by_code
        self._citations: dict[str, int] = {}
        self._evolution = {code: EvolutionGrammar(game) for code, game in games_by_code.items()}

    def add_game(self, game: Game) -> None:
        """Know one more game, so that cards of it can be written."""
        self.games[game.code] = game
        self._evolution[game.code] = EvolutionGrammar(game)

    def citation(self, name: str) -> int:
        """The id of a source of the shipped data."""
        if name not in self._citations:
            self.connection.execute(
                "INSERT OR IGNORE INTO source (kind, name) VALUES ('shipped', ?)", (name,)
            )
            (self._citations[name],) = self.connection.execute(
                "SELECT id FROM source WHERE kind = 'shipped' AND name = ?", (name,)
            ).fetchone()
        return self._citations[name]

    def write_card(self, card: CardValues, *, source_id: int, shipped: bool) -> int:
        """Insert or replace a card's values; its id, which never changes."""
        game = self.games[card.game]
        (card_id,) = self.connection.execute(
            """INSERT INTO card (game, number, edition, number_key, number_sort, kind, level,
                                 limit_key, fields, shipped, source_id)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (game, number, edition) DO UPDATE SET
                 number_key = excluded.number_key, number_sort = excluded.number_sort,
                 kind = excluded.kind, level = excluded.level, limit_key = excluded.limit_key,
                 fields = excluded.fields, shipped = excluded.shipped,
                 source_id = excluded.source_id
               RETURNING id""",
            (
                card.game,
                card.number,
                card.edition,
                number_key(card.number),
                sort_key(card.number),
                card.values.get("kind"),
                card.values.get("level"),
                self.limit_key_of(game, card.values),
                self.fields_json(card.values),
                int(shipped),
                source_id,
            ),
        ).fetchone()
        self.connection.execute("DELETE FROM card_name WHERE card_id = ?", (card_id,))
        self.connection.executemany(
            "INSERT OR IGNORE INTO card_name VALUES (?, ?, ?, ?, ?)",
            [(card_id, *name) for name in self.names_of(card.values)],
        )
        self._write_evolution(card_id, game, card.values)
        self.connection.execute("DELETE FROM doubt WHERE card_id = ?", (card_id,))
        self.connection.executemany(
            "INSERT INTO doubt VALUES (?, ?, ?)",
            [(card_id, name, reason) for name, reason in card.doubts.items()],
        )
        return int(card_id)

    def _write_evolution(self, card_id: int, game: Game, values: dict[str, Any]) -> None:
        self.connection.execute("DELETE FROM evolution WHERE card_id = ?", (card_id,))
        evolution = self._evolution[game.code]
        keys = evolution.index_keys(values.get(evolution.field) or ())
        self.connection.executemany(
            "INSERT INTO evolution VALUES (?, ?)", [(card_id, key) for key in keys]
        )

    def write_printing(
        self, card_id: int, game: str, code: str, *, source_id: int, shipped: bool
    ) -> None:
        """Put a card into a set."""
        self.connection.execute(
            "INSERT OR IGNORE INTO printing VALUES (?, ?, ?, ?, ?)",
            (card_id, game, code, int(shipped), source_id),
        )

    @staticmethod
    def names_of(values: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
        """Language, text, search key and role of each name among ``values``."""
        for column, (language, role) in NAME_COLUMNS.items():
            text = values.get(column)
            if text:
                yield language, text, search_key(text), role

    @staticmethod
    def fields_json(values: dict[str, Any]) -> str:
        """The game's own fields among ``values``, as the table holds them."""
        parts = [
            beginning + (_quoted(value) if type(value := values[key]) is str else _as_json(value))
            for key, beginning in _field_keys(tuple(values))
        ]
        return f"{{{', '.join(parts)}}}"  # as json.dumps writes it, in a third of the time

    def limit_key_of(self, game: Game, values: dict[str, Any]) -> str | None:
        """The key of the first name; where only a Japanese or dub name is known, that
        of the one Digimon that other cards give it.
        """
        column = next((column for column in NAME_COLUMNS if values.get(column)), None)
        if column is None:
            return None
        name, kind = values[column], values.get("kind") or ""
        key = limit_key(name, kind=kind, folds_x_antibody=game.folds_x_antibody)
        if NAME_COLUMNS[column][0] == "ja":
            return self._only_limit_key(game, key, key) or key
        if game.folds_x_antibody and kind in ("Digimon", "") and key == search_key(name):
            base = search_key(without_x_antibody(name, dub=True))
            return (self._only_limit_key(game, base, key) if base != key else None) or key
        return key

    def _only_limit_key(self, game: Game, name_key: str, own_key: str) -> str | None:
        """The limit key of the other cards with this name, if they share one."""
        found = self.connection.execute(
            """SELECT DISTINCT limit_key FROM card JOIN card_name ON card_id = card.id
               WHERE card.game = ? AND search_key = ? AND role IN ('name', 'species')
                 AND limit_key <> ? LIMIT 2""",
            (game.code, name_key, own_key),
        ).fetchall()
        return found[0][0] if len(found) == 1 else None

    def values_of(self, card_id: int) -> CardValues:
        """A stored card as values again."""
        row = self.connection.execute("SELECT * FROM card WHERE id = ?", (card_id,)).fetchone()
        values: dict[str, Any] = json.loads(row["fields"])
        for column in PLAIN_COLUMNS:
            if row[column] is not None:
                values[column] = row[column]
        columns = {key: column for column, key in NAME_COLUMNS.items()}
        for name in self.connection.execute(
            "SELECT * FROM card_name WHERE card_id = ?", (card_id,)
        ):
            values[columns[name["language"], name["role"]]] = name["name"]
        doubts = {
            doubt["field"]: doubt["reason"]
            for doubt in self.connection.execute(
                "SELECT field, reason FROM doubt WHERE card_id = ?", (card_id,)
            )
        }
        return CardValues(row["game"], row["number"], row["edition"], "", [], values, doubts)


class _Loader:
    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self.games = {game.code: game for game in games(folder)}
        self.store = Store(connection, self.games)

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
        for code in card.sets:
            self.store.write_printing(card_id, card.game, code, source_id=source_id, shipped=True)
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


def write_game(connection: sqlite3.Connection, game: Game, *, source_id: int | None) -> None:
    """Insert or replace a game and add its formats; ``source_id`` is None where it ships."""
    connection.execute(
        """INSERT INTO game (code, name, years, definition, source_id) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (code) DO UPDATE SET name = excluded.name, years = excluded.years,
             definition = excluded.definition, source_id = excluded.source_id""",
        (
            game.code,
            game.name,
            game.years,
            json.dumps(game.definition, ensure_ascii=False),
            source_id,
        ),
    )
    for code, definition in (game.definition.get("formats") or {}).items():
        connection.execute(
            "INSERT INTO format VALUES (?, ?, ?, ?)",
            (code, game.code, definition["title"], json.dumps(definition, ensure_ascii=False)),
        )


def restore_shipped(connection: sqlite3.Connection, games_by_code: dict[str, Game]) -> None:
    """Write the cards of the temporary table ``restored`` (card_id) as they ship,
    with the corrections that are left laid over them.
    """
    store = Store(connection, games_by_code)
    wanted: dict[str, dict[tuple[str, str], int]] = {}
    for row in connection.execute(
        """SELECT game, number, edition, card.id FROM card
           JOIN restored ON card_id = card.id WHERE shipped = 1"""
    ).fetchall():
        wanted.setdefault(row["game"], {})[row["number"], row["edition"]] = row["id"]
    for code, cards in wanted.items():
        for card in shipped_cards(games_by_code[code]):
            card_id = cards.get((card.number, card.edition))
            if card_id is not None:
                store.write_card(card, source_id=store.citation(card.source), shipped=True)
                apply_corrections(connection, store, card_id)


def write_correction(
    connection: sqlite3.Connection, card: CardValues, column: str, value: Any, source_id: int
) -> None:
    """Keep what the user says of one column of a shipped card."""
    connection.execute(
        "INSERT OR REPLACE INTO correction VALUES (?, ?, ?, ?, ?, ?)",
        (
            card.game,
            card.number,
            card.edition,
            column,
            json.dumps(value, ensure_ascii=False),
            source_id,
        ),
    )


def apply_corrections(
    connection: sqlite3.Connection, store: Store, card_id: int | None = None
) -> None:
    """Lay the corrections over the shipped values, of one card or of all.

    A corrected column is no longer in doubt; a corrected name settles which
    game the card is of.
    """
    one, values = (" AND card.id = ?", (card_id,)) if card_id else ("", ())
    changes: dict[int, dict[str, Any]] = {}
    for row in connection.execute(
        """SELECT card.id, correction.field, correction.value FROM correction JOIN card
           USING (game, number, edition) WHERE card.shipped = 1"""
        + one,
        values,
    ).fetchall():
        changes.setdefault(row["id"], {})[row["field"]] = json.loads(row["value"])
    for changed_id, corrected in changes.items():
        card = store.values_of(changed_id)
        card.values.update(corrected)
        for column in corrected:
            card.doubts.pop(column, None)
        if any(column.startswith("name_") for column in corrected):
            card.doubts.pop("game", None)
        source_id = connection.execute(
            "SELECT source_id FROM card WHERE id = ?", (changed_id,)
        ).fetchone()[0]
        store.write_card(card, source_id=source_id, shipped=True)


if __name__ == "__main__":
    (DATA / "VERSION").write_text(data_hash() + "\n", encoding="ascii")
