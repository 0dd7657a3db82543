"""What SQLite's errors mean to a user, told by their codes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import shown_path

BUSY_SECONDS = 10
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# What is plainly wrong with one of our statements is wrong with the tables: some are missing.
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_UNWRITABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)


def primary_code(error: sqlite3.Error) -> int | None:
    """SQLite's own code of an error, without what it says more closely; None where Python
    raised it.
    """
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


class Opened:
    """What this process has opened: the last path, for what SQLite says of it later,
    and the connections that end with the command.
    """

    path: Path | None = None
    connections: list[sqlite3.Connection] | None = None

    @classmethod
    def add(cls, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Give ``connection`` rows with names, and close it when the command ends."""
        connection.row_factory = sqlite3.Row
        if cls.connections is not None:
            cls.connections.append(connection)
        return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what to tell the user."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from None


def explain(error: sqlite3.Error, path: Path | None = None) -> InputError:
    """The problem behind an SQLite error on the database at ``path``, else the one opened last."""
    path = path or Opened.path
    file = shown_path(str(path)) if path else None
    code = primary_code(error)
    if code in _BUSY:
        return input_error(
            Code.DATABASE_LOCKED,
            f"another digideck has been writing for {BUSY_SECONDS} seconds",
            file=file,
            next_step="wait for it to end, then try again",
        )
    if code in _DAMAGED:
        return input_error(
            Code.DATABASE_CORRUPT,
            f"the database is damaged: {error}",
            file=file,
            next_step="put back a copy from the folder backups beside it, or move it away "
            "and run digideck again to build a new one",
        )
    if code in _UNWRITABLE:
        return input_error(
            Code.DATABASE_UNWRITABLE,
            f"the database cannot be used: {error}",
            file=file,
            next_step="check the folder, its permissions and the free space, or use --db FILE",
        )
    return input_error(Code.DATABASE_ERROR, f"the database answered: {error}", file=file)
