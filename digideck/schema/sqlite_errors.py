"""What SQLite's errors mean to a user, told by their codes."""

from __future__ import annotations

import os
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
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
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


# The folder is synced too once a journal has ended: else it may be there again after a power
# cut, and undo what was said to be done.
LASTING = "PRAGMA synchronous = EXTRA"


class Opened:
    """What this process has opened: the last path, for what SQLite says of it later,
    and the connections that end with the command.
    """

    path: Path | None = None
    written = False  # whether a transaction of this process has ended well
    connections: list[sqlite3.Connection] | None = None

    @classmethod
    def add(cls, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Give ``connection`` rows with names, and close it when the command ends."""
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA cell_size_check = ON")
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


def _holders(path: Path) -> Iterator[str]:
    """The processes that hold locks on a file, as far as this system tells."""
    try:
        inode = str(path.stat().st_ino)
        locks = Path("/proc/locks").read_text("ascii").splitlines()
    except OSError:
        return
    held = (line.split() for line in locks)
    pids = {row[4] for row in held if len(row) > 5 and row[5].rpartition(":")[2] == inode}
    for pid in sorted(pids - {str(os.getpid()), "-1"}):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        command = " ".join(os.fsdecode(word) for word in words if word)
        yield f"process {pid} ({shown_path(command[:60])})"


def explain(error: sqlite3.Error, path: Path | None = None) -> InputError:
    """The problem behind an SQLite error on the database at ``path``, else the one opened last."""
    path = path or Opened.path
    file = shown_path(str(path)) if path else None
    code = primary_code(error)
    if code in _BUSY:
        holders = ", ".join(_holders(path)) if path else ""
        return input_error(
            Code.DATABASE_LOCKED,
            f"another digideck has been writing for {BUSY_SECONDS} seconds"
            + (f": {holders}" if holders else ""),
            file=file,
            next_step="wait for it to end, or end it, then try again",
        )
    if code in DAMAGED:
        return input_error(
            Code.DATABASE_CORRUPT,
            f"the database is damaged: {error}",
            file=file,
            next_step="put back a copy from the folder backups beside it (digideck db restore "
            "FILE); if it was moved here from another place, and a file with -journal behind "
            "its name was left there, move that here too, under the new name",
        )
    if code in _UNWRITABLE:
        return input_error(
            Code.DATABASE_UNWRITABLE,
            f"the database cannot be used: {error}",
            file=file,
            next_step="check the folder, its permissions and the free space, or use --db FILE",
        )
    return input_error(Code.DATABASE_ERROR, f"the database answered: {error}", file=file)
