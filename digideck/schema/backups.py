"""Copies of the database from before it changes, in the folder backups beside it."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.schema.placement import put_in_place, remove, sweep, temporary
from digideck.schema.sqlite_errors import BUSY_SECONDS, LASTING, explained

KEPT_BACKUPS = 10  # of each reason, and beside them the last of each earlier month
MOST_BYTES = 2 * 2**30  # of all backups of a database for one reason

_STAMPED = re.compile(r"(.*)-[0-9]{8}-[0-9]{6}(?:-[0-9]+)?(?:\.[^.]*)?")


def back_up(path: Path, reason: str) -> Path:
    """Copy the database to ``backups/`` beside it; the path of the copy.

    It ends as the database does, so that those of x.db and of x.sqlite are told apart.
    The newest KEPT_BACKUPS are kept for each reason, and the last of each earlier month,
    as long as they take no more than MOST_BYTES.
    """
    import datetime  # takes longer than the rest of opening a database

    folder = path.parent / "backups"
    now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    try:
        folder.mkdir(exist_ok=True)
        sweep(folder)
        target = folder / f"{path.stem}-{reason}-{now}{path.suffix}"
        unfinished = temporary(folder, ".part")
        try:
            copy_database(path, unfinished)
            target = _put_at_free_name(unfinished, target)
        finally:
            remove(unfinished)
    except OSError as error:
        raise input_error(
            Code.BACKUP_FAILED, f"no backup could be written: {error.strerror}", file=str(folder)
        ) from None
    _prune(target, re.escape(f"{path.stem}-{reason}"))
    return target


def _prune(newest: Path, named: str) -> None:
    """Delete what is no longer kept of the kind of ``newest``, whose names begin with ``named``.

    Nothing else is deleted: not what only begins alike, such as another database's.
    """
    ours = re.compile(rf"{named}-\d{{8}}-\d{{6}}(-\d+)?{re.escape(newest.suffix)}", re.ASCII)
    with suppress(OSError):  # one too many is no harm
        others = (path for path in newest.parent.iterdir() if ours.fullmatch(path.name))
        made = sorted((path for path in others if path != newest), key=_age, reverse=True)
        months, size = set[str](), newest.stat().st_size
        for place, path in enumerate(made, start=1):
            size += path.stat().st_size
            month = path.name.removeprefix(named_in(path)).strip("-")[:6]
            if size > MOST_BYTES or (place >= KEPT_BACKUPS and month in months):
                path.unlink(missing_ok=True)
            months.add(month)


def named_in(path: Path) -> str:
    """What a backup's name begins with: the database's name and the reason."""
    found = _STAMPED.fullmatch(path.name)
    return found[1] if found else ""


def backups_of(path: Path) -> list[Path]:
    """The backups of a database, the newest first."""
    folder = path.parent / "backups"
    named = re.compile(rf"{re.escape(path.stem)}-[a-z]+")
    try:
        found = [
            each
            for each in folder.iterdir()
            if each.suffix == path.suffix and named.fullmatch(named_in(each))
        ]
    except OSError:
        return []
    return sorted(found, key=_age, reverse=True)


def _age(path: Path) -> tuple[int, int, str]:
    """Sorts by time, and those of one moment by the number behind it."""
    return path.stat().st_mtime_ns, len(path.name), path.name


def copy_database(source: Path, target: Path) -> None:
    """Copy by SQLite's own means: one state of the source, in one transaction of the target."""
    with (
        explained(source),
        closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as copy,
        closing(sqlite3.connect(source, timeout=BUSY_SECONDS)) as original,
    ):
        copy.execute(LASTING)
        original.backup(copy, pages=4096)  # in steps, so that Ctrl-C need not wait for the end


def _put_at_free_name(new: Path, path: Path) -> Path:
    """Two backups of one moment get names of their own."""
    for name in names_from(path):
        if not name.exists() and put_in_place(new, name, replace=False):
            return name
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def names_from(path: Path) -> Iterator[Path]:
    """``path``, then with a number behind its name."""
    yield path
    for count in range(2, 1000):
        yield path.with_name(f"{path.stem}-{count}{path.suffix}")
