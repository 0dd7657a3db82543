"""Games of the user's own: a YAML file like those that ship, imported like any other."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.strict_yaml import Mapping
from digideck.files.input import InputFile
from digideck.importers.readers.yaml_list import read_document
from digideck.importers.recognise import How
from digideck.schema.card_store import write_game
from digideck.schema.games.game import Game, game_from_row, read_game

_GAME = re.compile(rb"^game:[ \t]+\S", re.MULTILINE)
_PARTS = re.compile(rb"^(?:numbers|fields|kinds|levels|formats):", re.MULTILINE)
_CODE = re.compile(r"[a-z][a-z0-9-]{1,30}")


def describes_game(source: InputFile) -> bool:
    """Whether the file has the keys of a game at its top."""
    return bool(_GAME.search(source.sample) and _PARTS.search(source.sample))


def read_own_game(source: InputFile, how: How) -> Game:
    """The game that a YAML file describes. Raises InputError with line and column."""
    document, _ = read_document(source, how)
    if not isinstance(document, Mapping):
        raise input_error(Code.YAML_TYPE, "expected the keys of a game", file=source.name, line=1)
    return read_game(document)


def check_code(connection: sqlite3.Connection, code: str, file: str | None = None) -> bool:
    """Whether a game of the user's own has this code already. Raises InputError for a
    code that is none, or that a game which ships has.
    """
    if not _CODE.fullmatch(code):
        raise input_error(
            Code.GAME_CODE,
            f"{code!r} cannot be the code of a game",
            file=file,
            allowed="2 to 31 of a-z, 0-9 and -, beginning with a letter",
            next_step="write it with small letters, digits and - only, such as my-game",
        )
    row = connection.execute("SELECT source_id FROM game WHERE code = ?", (code,)).fetchone()
    if row and row["source_id"] is None:
        raise input_error(
            Code.GAME_SHIPS,
            f"{code} is a game that ships with digideck",
            file=file,
            next_step=f"choose another code; to import cards of it: --game {code}",
        )
    return row is not None


def define_game(
    connection: sqlite3.Connection,
    source: InputFile,
    game: Game,
    writing: Callable[[], AbstractContextManager[None]],
) -> bool:
    """Store the game with its formats, inside ``writing``; whether that changed anything.

    A game that is there already is replaced, its cards stay.
    """
    check_code(connection, game.code, source.name)
    row = connection.execute("SELECT * FROM game WHERE code = ?", (game.code,)).fetchone()
    if row and json.loads(row["definition"]) == game.definition:
        return False
    _refuse_taken_formats(connection, source.name, game)
    source.check_unchanged()
    before = dict(row) if row else None
    with writing():
        cursor = connection.execute(
            """INSERT INTO source (kind, name, path, sha256, reader, imported_at, counts)
               VALUES ('import', ?, ?, ?, 'game', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)""",
            (
                source.name,
                source.path,
                source.sha256,
                json.dumps({"game": game.code, "game_before": before}, ensure_ascii=False),
            ),
        )
        connection.execute("DELETE FROM format WHERE game = ?", (game.code,))
        write_game(connection, game, source_id=row["source_id"] if row else cursor.lastrowid)
    return True


def restore_game(connection: sqlite3.Connection, counts: str | None) -> None:
    """Put back the game as it was before an import replaced it, if it did."""
    before = json.loads(counts or "{}").get("game_before")
    if before:
        connection.execute("DELETE FROM format WHERE game = ?", (before["code"],))
        write_game(connection, game_from_row(before), source_id=before["source_id"])


def _refuse_taken_formats(connection: sqlite3.Connection, file: str, game: Game) -> None:
    for code in game.definition.get("formats") or {}:
        row = connection.execute(
            "SELECT game FROM format WHERE code = ? AND game != ?", (code, game.code)
        ).fetchone()
        if row:
            raise input_error(
                Code.FORMAT_TAKEN,
                f"a format of {row['game']} is called {code!r} already",
                file=file,
                next_step="give the format another name",
            )
