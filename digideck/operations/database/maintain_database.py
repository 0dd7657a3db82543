"""The database described, proved whole, copied, and put back."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.sets import GameFacts, game_facts
from digideck.collection.ledger import ledger_problems, sum_again
from digideck.core.results import Answer, Result, json_field
from digideck.schema.backups import back_up, backups_of, named_in
from digideck.schema.connection import (
    closing_connections,
    create,
    default_path,
    open_to_read,
    open_to_write,
    transaction,
)
from digideck.schema.maintenance import copy_to, integrity_problems, restore
from digideck.schema.sqlite_errors import Opened


@dataclass(frozen=True, slots=True)
class DatabaseInfo(Result):
    """Where a database is and what it holds; ``bytes`` is its size."""

    file: Path
    bytes: int
    tables_version: int
    data_version: str
    games: tuple[GameFacts, ...]
    corrections: int
    imports: int


@dataclass(frozen=True, slots=True)
class Verification(Result):
    """Whether a database is whole, and its ledger in figures.

    ``backup`` is from before a repair.
    """

    whole: bool
    entries: int
    copies: int
    cards: int
    backup: Path | None = json_field(None, default=None)

    @property
    def answer(self) -> Answer:
        """No where something is wrong."""
        return Answer.OK if self.whole else Answer.NO


@dataclass(frozen=True, slots=True)
class DatabaseCopy(Result):
    """A copy that was made; ``bytes`` is its size."""

    file: Path
    bytes: int


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy from before a change: why it was made (import, update, ...) and when."""

    file: Path
    reason: str
    made_at: str
    bytes: int


@dataclass(frozen=True, slots=True)
class BackupList(Result):
    """The backups of a database, the newest first, and the folder that they are in."""

    folder: Path
    backups: tuple[Backup, ...]


@dataclass(frozen=True, slots=True)
class Restoration(Result):
    """The database that was put in place, and where the one before is kept, if there was one."""

    file: Path
    kept: Path | None


@closing_connections()
def describe_database(db: Path | None = None) -> DatabaseInfo:
    """What the database holds, and where it is."""
    path = db or default_path()
    connection = open_to_read(db)
    (tables,) = connection.execute("PRAGMA user_version").fetchone()
    data, corrections, imports = connection.execute(
        """SELECT (SELECT value FROM meta WHERE key = 'data_version'),
             (SELECT COUNT(*) FROM correction),
             (SELECT COUNT(*) FROM source WHERE kind = 'import')"""
    ).fetchone()
    games = tuple(game_facts(connection))
    return DatabaseInfo(path, path.stat().st_size, tables, data, games, corrections, imports)


def was_written() -> bool:
    """Whether this process has written anything into a database."""
    return Opened.written


@closing_connections()
def create_database(file: Path) -> DatabaseCopy:
    """Make a database with the cards that ship. Raises InputError where a file is there."""
    create(file)
    return DatabaseCopy(file, file.stat().st_size)


@closing_connections()
def verify_database(db: Path | None = None, *, repair: bool = False) -> Verification:
    """Prove that the file is whole, that every key names something, and that what is held is
    the sum of the ledger; with ``repair``, sum the ledger again first, after a backup.
    """
    connection = open_to_read(db)
    backup = None
    if repair:
        backup = back_up(db or default_path(), "repair")
        writer = open_to_write(db)
        with transaction(writer):
            sum_again(writer)
    problems = (*integrity_problems(connection), *ledger_problems(connection))
    entries, copies, cards = connection.execute(
        """SELECT (SELECT COUNT(*) FROM entry),
             (SELECT COALESCE(SUM(count), 0) FROM holding),
             (SELECT COUNT(DISTINCT card_id) FROM entry)"""
    ).fetchone()
    return Verification(not problems, entries, copies, cards, backup, problems=problems)


@closing_connections()
def back_up_database(
    target: Path | None = None, *, force: bool = False, db: Path | None = None
) -> DatabaseCopy:
    """Copy the database to ``target``, else into the folder backups beside it."""
    path = db or default_path()
    open_to_read(db).close()
    if target is None:
        target = back_up(path, "backup")
    else:
        copy_to(path, target, force=force)
    return DatabaseCopy(target, target.stat().st_size)


def list_backups(db: Path | None = None) -> BackupList:
    """The backups beside a database."""
    path = db or default_path()
    found = []
    for each in backups_of(path):
        status = each.stat()
        made_at = datetime.datetime.fromtimestamp(status.st_mtime).isoformat(" ", "minutes")
        reason = named_in(each).removeprefix(f"{path.stem}-")
        found.append(Backup(each, reason, made_at, status.st_size))
    return BackupList(path.parent / "backups", tuple(found))


@closing_connections()
def restore_database(source: Path, db: Path | None = None) -> Restoration:
    """Put a copy in the place of the database, which is kept."""
    path = db or default_path()
    kept = restore(source, path)
    open_to_read(path).close()
    return Restoration(path, kept)
