"""Keeping the database: proving that it is whole, copying it, putting a copy back."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.schema.backups import back_up, free_name
from digideck.schema.connection import APPLICATION_ID, absolute
from digideck.schema.migrations import LATEST, migrations
from digideck.schema.sqlite_errors import BUSY_SECONDS, explain, explained, primary_code

_MOST_OF_A_KIND = 20

# Keys that no foreign key holds: what names a card or set must name one that exists.
_UNRESOLVED = {
    "corrections": """SELECT COUNT(*) FROM correction AS c WHERE NOT EXISTS (
        SELECT 1 FROM card WHERE card.game = c.game AND card.number = c.number
        AND card.edition = c.edition)""",
    "printings": """SELECT COUNT(*) FROM printing JOIN card ON card.id = card_id
        WHERE card.game <> printing.game""",
}


def integrity_problems(connection: sqlite3.Connection) -> list[Problem]:
    """What is wrong with the file, its foreign keys and the keys that name cards."""
    problems = [
        _problem(Code.DATABASE_CORRUPT, f"the file is damaged: {row[0]}")
        for row in connection.execute(f"PRAGMA integrity_check({_MOST_OF_A_KIND})")
        if row[0] != "ok"
    ]
    for row in connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST_OF_A_KIND):
        message = f"a row of {row['table']} names a row of {row['parent']} that does not exist"
        problems.append(_problem(Code.KEY_UNRESOLVED, message))
    for what, sql in _UNRESOLVED.items():
        (count,) = connection.execute(sql).fetchone()
        if count:
            message = f"{count:,} {what} name a card or game that does not exist"
            problems.append(_problem(Code.KEY_UNRESOLVED, message))
    return problems


def missing_tables(connection: sqlite3.Connection) -> list[str]:
    """The tables and indexes that this program makes and the database does not have, by name."""
    from sqlite_utils import Database

    fresh = Database(memory=True)
    try:
        migrations().apply(fresh)
        expected = _names(fresh.conn)
    finally:
        fresh.close()
    return sorted(expected - _names(connection))


def _names(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {row[0] for row in rows}


def _problem(code: Code, message: str) -> Problem:
    return Problem(
        code,
        Severity.ERROR,
        message,
        next_step="put back a backup: digideck db restore FILE",
    )


def copy_to(path: Path, target: Path, *, force: bool = False) -> None:
    """Copy the database to ``target``, whole or not at all. Raises InputError."""
    if target.exists() and not force:
        raise input_error(
            Code.FILE_EXISTS,
            "there is such a file already",
            file=str(target),
            next_step="name another, or add --force",
        )
    new = _temporary(target)
    try:
        _copy(path, new)
        os.replace(new, target)
    finally:
        new.unlink(missing_ok=True)


def restore(source: Path, path: Path) -> Path | None:
    """Put the database ``source`` in the place of ``path``; where the old one is kept.

    Refuses what is not a whole database of ours. Commands that are running
    see either the old one or the new one.
    """
    if path.exists() and source.exists() and os.path.samefile(source, path):
        raise input_error(Code.SAME_FILE, "this is the database itself", file=str(source))
    _refuse_foreign(source)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = _temporary(path)
    try:
        _copy(source, new)
        if _is_ours(path):
            kept = back_up(path, "restore")
            _copy(new, path)
            return kept
        moved = _move_away(path)
        os.replace(new, path)
        return moved
    finally:
        new.unlink(missing_ok=True)


def _temporary(beside: Path) -> Path:
    try:
        handle, name = tempfile.mkstemp(prefix=".digideck-", suffix=".db", dir=beside.parent)
        os.close(handle)
    except OSError as error:
        raise input_error(
            Code.FILE_UNWRITABLE,
            f"cannot be written: {(error.strerror or str(error)).lower()}",
            file=str(beside),
        ) from None
    return Path(name)


def _copy(source: Path, target: Path) -> None:
    """Copy by SQLite's own means: one state of the source, in one transaction of the target."""
    with (
        explained(target),
        closing(sqlite3.connect(source, timeout=BUSY_SECONDS)) as original,
        closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as copy,
    ):
        original.backup(copy)


def _refuse_foreign(source: Path) -> None:
    """Raises InputError for what is not a whole database of this program's or an older one's."""
    if not source.is_file():
        kind = "a folder" if source.is_dir() else "no such file"
        raise input_error(Code.FILE_MISSING, kind, file=str(source))
    try:
        with closing(sqlite3.connect(f"{absolute(source).as_uri()}?mode=ro", uri=True)) as found:
            (application,) = found.execute("PRAGMA application_id").fetchone()
            (version,) = found.execute("PRAGMA user_version").fetchone()
            (state,) = found.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        if primary_code(error) != sqlite3.SQLITE_NOTADB:
            raise explain(error, source) from None
        application = version = 0
    if application != APPLICATION_ID or not version:
        raise input_error(
            Code.DATABASE_FOREIGN,
            "this is not a digideck database; nothing was changed",
            file=str(source),
            next_step="backups are in the folder backups beside the database (digideck db info)",
        )
    if version > LATEST:
        raise input_error(
            Code.DATABASE_NEWER,
            f"made by a newer digideck (tables {version}, this one knows {LATEST})",
            file=str(source),
            next_step="update digideck: pipx upgrade digideck",
        )
    if state != "ok":
        raise input_error(Code.DATABASE_CORRUPT, f"this copy is damaged: {state}", file=str(source))


def _is_ours(path: Path) -> bool:
    if not path.exists() or not path.stat().st_size:
        return False
    try:
        _refuse_foreign(path)
    except InputError:
        return False
    return True


def _move_away(path: Path) -> Path | None:
    """Keep a file that is damaged or not ours; with it what SQLite may have left beside it."""
    if not path.exists():
        return None
    kept = free_name(path.with_name(f"{path.stem}-replaced{path.suffix}"))
    for ending in ("-journal", "-wal", "-shm"):
        beside = Path(f"{path}{ending}")
        if beside.exists():
            os.replace(beside, f"{kept}{ending}")
    os.replace(path, kept)
    return kept
