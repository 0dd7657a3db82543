"""The words that a shell offers while one is typed."""

from __future__ import annotations

import sqlite3
from urllib.parse import quote

from digideck.core.numbers import plain
from digideck.core.problems import InputError
from digideck.schema.connection import default_path

MOST = 200

_WORDS = {
    "games": "SELECT code FROM game ORDER BY code",
    "formats": "SELECT code FROM format ORDER BY code",
    "sets": "SELECT DISTINCT code FROM card_set ORDER BY code",
}


def complete_words(kind: str, prefix: str) -> list[str]:
    """The cards, games, formats, forms or sets (``kind``) that begin like ``prefix``.

    Reads the database as it is, builds none, and has no words where something is wrong.
    """
    if kind == "forms":  # of deck files; the only words that are not in the database
        from digideck.decks.formats.registry import DECK_FILE_FORMATS  # start-up

        return [code for code in sorted(DECK_FILE_FORMATS) if code.startswith(prefix.casefold())]
    try:
        uri = f"file:{quote(default_path().absolute().as_posix())}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, timeout=1)
        return _numbers(connection, prefix) if kind == "cards" else _words(connection, kind, prefix)
    except (sqlite3.Error, OSError, ValueError, InputError):  # ValueError: bytes that are no text
        return []


def _words(connection: sqlite3.Connection, kind: str, prefix: str) -> list[str]:
    if kind not in _WORDS:
        return []
    words = [row[0] for row in connection.execute(_WORDS[kind])]
    return [word for word in words if word.casefold().startswith(prefix.casefold())]


def _numbers(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """Card numbers as printed, else those that begin so but for case and the Greek alpha."""
    exact = connection.execute(
        "SELECT DISTINCT number FROM card WHERE substr(number, 1, ?) = ?"
        " ORDER BY number_sort LIMIT ?",
        (len(prefix), prefix, MOST),
    ).fetchall()
    if exact:
        return [row[0] for row in exact]
    folded = _folded(prefix)
    rows = connection.execute("SELECT DISTINCT number FROM card ORDER BY number_sort")
    return [row[0] for row in rows if _folded(row[0]).startswith(folded)][:MOST]


def _folded(number: str) -> str:
    return plain(number).casefold().replace("α", "a")
