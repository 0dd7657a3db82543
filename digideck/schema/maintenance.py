"""Keeping the database: proving that it is whole, copying it, putting a copy back."""

from __future__ import annotations

import functools
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.schema.backups import back_up, copy_database, names_from
from digideck.schema.connection import APPLICATION_ID, absolute
from digideck.schema.games.game import game_from_row
from digideck.schema.migrations import LATEST, migrations
from digideck.schema.placement import (
    move_away,
    put_in_place,
    remove,
    settle,
    sweep,
    temporary,
)
from digideck.schema.sqlite_errors import BUSY_SECONDS, explain, primary_code

_MOST_OF_A_KIND = 20
_NOT_OURS = (Code.DATABASE_FOREIGN, Code.DATABASE_NEWER)

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
    for strange in strange_objects(connection):
        message = f"the file has the {strange}, which no digideck makes: somebody put it there"
        problems.append(_problem(Code.DATABASE_STRANGE, message))
    for row in connection.execute("SELECT * FROM game").fetchall():
        try:
            game_from_row(row)
        except InputError as error:
            problems += error.problems
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
    return sorted(name for _, name in _made_here().keys() - _objects(connection).keys())


def strange_objects(connection: sqlite3.Connection) -> list[str]:
    """What is in the database and is not made by this program: a trigger or a view would act
    in its name.
    """
    expected = _made_here()
    return [
        f"{kind} {name}"
        for (kind, name), sql in sorted(_objects(connection).items())
        if (kind, name) not in expected
        or (kind in ("trigger", "view") and sql != expected[kind, name])
    ]


@functools.cache
def _made_here() -> dict[tuple[str, str], str]:
    from sqlite_utils import Database

    fresh = Database(memory=True)
    try:
        migrations().apply(fresh)
        return _objects(fresh.conn)
    finally:
        fresh.close()


def _objects(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Tables, indexes, triggers and views by kind and name, each with what makes it."""
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    )
    return {(row[0], row[1]): row[2] or "" for row in rows}


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
        copy_database(path, new)
        put_in_place(new, target)
    finally:
        remove(new)


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
        copy_database(source, new)
        if _is_ours(path):
            kept = back_up(path, "restore")
            copy_database(new, path)
            return kept
        moved = _moved_away(path)
        put_in_place(new, path)
        return moved
    finally:
        remove(new)


def _temporary(beside: Path) -> Path:
    try:
        sweep(beside.parent)
        return temporary(beside.parent)
    except OSError as error:
        raise input_error(
            Code.FILE_UNWRITABLE,
            f"cannot be written: {(error.strerror or str(error)).lower()}",
            file=str(beside),
        ) from None


def _refuse_foreign(source: Path) -> None:
    """Raises InputError for what is not a whole database of this program's or an older one's."""
    if not source.is_file():
        kind = "a folder" if source.is_dir() else "no such file"
        raise input_error(Code.FILE_MISSING, kind, file=str(source))
    try:
        uri = f"{absolute(source).as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as found:
            (application,) = found.execute("PRAGMA application_id").fetchone()
            (version,) = found.execute("PRAGMA user_version").fetchone()
            (state,) = found.execute("PRAGMA integrity_check(1)").fetchone()
            strange = strange_objects(found) if application == APPLICATION_ID else []
    except sqlite3.Error as error:
        if primary_code(error) != sqlite3.SQLITE_NOTADB:
            raise explain(error, source) from None
        application, version, strange = 0, 0, []
    if application != APPLICATION_ID or not version:
        raise input_error(
            Code.DATABASE_FOREIGN,
            "this is not a digideck database; nothing was changed",
            file=str(source),
            next_step="backups are in the folder backups beside the database (digideck db info)",
        )
    if strange and version <= LATEST:
        raise input_error(
            Code.DATABASE_STRANGE,
            f"it has the {', the '.join(strange[:3])}, which no digideck makes; not restored",
            file=str(source),
            next_step="do not use this file; ask whoever sent it for what db export writes",
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
    """Whether a whole database of ours is there. Raises InputError where that cannot be seen:
    one that another program is writing to is no stranger's.
    """
    if not path.exists() or not path.stat().st_size:
        return False
    try:
        settle(path)
        _refuse_foreign(path)
    except InputError as error:
        if error.problems[0].code in (*_NOT_OURS, Code.DATABASE_CORRUPT):
            return False
        raise
    return True


def _moved_away(path: Path) -> Path | None:
    """Keep a file that is damaged or not ours; where it is kept."""
    if not path.exists() and not any(Path(f"{path}{end}").exists() for end in ("-journal", "-wal")):
        return None
    wanted = path.with_name(f"{path.stem}-replaced{path.suffix}")
    kept = next(name for name in names_from(wanted) if not name.exists())
    move_away(path, kept)
    return kept
