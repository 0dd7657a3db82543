"""Putting a database file in its place: whole, lasting, with no journal of another beside it.

A journal is the other half of the file that it was written for. SQLite plays one that lies
beside a file into it, whatever that file is by now.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import shown_path
from digideck.schema.sqlite_errors import BUSY_SECONDS, DAMAGED, explain, explained, primary_code

_COMPANIONS = ("-journal", "-wal", "-shm")
_TEMPORARY = re.compile(r"\.digideck-(?:([0-9]+)-)?[^-]+\.(?:db|part)(?:-journal|-wal|-shm)?")
_ABANDONED = 24 * 3600  # seconds, for a file that does not say which process made it


def temporary(folder: Path, suffix: str = ".db") -> Path:
    """An empty file in ``folder``, to be filled and put in its place. Raises OSError."""
    handle, name = tempfile.mkstemp(suffix, f".digideck-{os.getpid()}-", folder)
    os.close(handle)
    return Path(name)


def remove(path: Path) -> None:
    """Remove a temporary file with all that SQLite put beside it."""
    for each in (path, *_beside(path)):
        each.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove temporary files that processes left in ``folder`` when they were killed."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            found = _TEMPORARY.fullmatch(entry.name)
            if found and _is_abandoned(Path(entry.path), found[1]):
                Path(entry.path).unlink(missing_ok=True)


def _is_abandoned(path: Path, process: str | None) -> bool:
    if process is None or sys.platform == "win32":
        return time.time() - path.stat().st_mtime > _ABANDONED
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # it runs, and is another user's
        pass
    return False


def refuse_lone_journal(path: Path) -> None:
    """Raises InputError where the journal of a database lies at ``path``, and no database.

    The database was moved or deleted after a command was killed; one that is put here would
    be destroyed by it, and the one that was moved needs it.
    """
    if path.exists() and path.stat().st_size:
        return
    for journal in _beside(path):
        raise input_error(
            Code.JOURNAL_ALONE,
            "half of a database whose other half is not here: a command was killed while it "
            f"wrote to {path.name}, which was then moved or deleted",
            file=shown_path(str(journal)),
            next_step="if it was moved, move this beside it before it is used, under its new "
            f"name with {journal.name.removeprefix(path.name)} behind it; else delete this",
        )


def settle(path: Path) -> None:
    """Undo what a killed command began in the database at ``path``, so that its journal ends.

    Raises InputError where another process is writing. What is no database stays as it is.
    """
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
    except sqlite3.Error as error:
        if primary_code(error) not in DAMAGED:
            raise explain(error, path) from None


def put_in_place(new: Path, path: Path, *, replace: bool = True) -> bool:
    """Move the database ``new`` to ``path``; without ``replace`` only if nothing is there.

    Whether it was moved. It is proved whole first, and lasts once this returns. Raises
    InputError where another process is writing to the one that is there.
    """
    _prove_whole(new)
    _sync(new)
    there = path.exists() and path.stat().st_size > 0
    if not there:
        refuse_lone_journal(path)
    elif not replace:
        return False
    else:
        settle(path)
        for journal in _beside(path):  # of what is no database: it goes with it
            journal.unlink(missing_ok=True)
    moved = _moved(new, path, replace=replace or path.exists())
    _sync(path.parent)
    return moved


def _moved(new: Path, path: Path, *, replace: bool) -> bool:
    """Whether it was moved. Another process may have put its own there meanwhile, which may
    hold what its user has imported since.
    """
    if replace:
        os.replace(new, path)
        return True
    try:
        if sys.platform == "win32":
            os.rename(new, path)  # refuses to overwrite
        else:
            os.link(new, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if path.exists():
            return False
        os.replace(new, path)
    return True


def move_away(path: Path, kept: Path) -> None:
    """Move what is no database of ours, and what lies beside it, to ``kept``."""
    journals = list(_beside(path))  # after it: a journal without its file is told of
    if path.exists():
        os.replace(path, kept)
    for journal in journals:
        os.replace(journal, f"{kept}{journal.name.removeprefix(path.name)}")
    _sync(path.parent)


def _beside(path: Path) -> Iterator[Path]:
    for ending in _COMPANIONS:
        found = Path(f"{path}{ending}")
        if found.exists():
            yield found


def _prove_whole(path: Path) -> None:
    with explained(path), closing(sqlite3.connect(path)) as connection:
        (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise input_error(
            Code.DATABASE_CORRUPT,
            f"what was written is damaged: {state}",
            file=str(path),
            next_step="look after the disk, then try again",
        )


def _sync(path: Path) -> None:
    """Have the disk keep a file, or the names in a folder, before more is done."""
    with suppress(OSError):  # no system can do it for all of both
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
