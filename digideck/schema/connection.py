"""The one SQLite file: where it is, opening it, keeping it whole.

Reading uses plain ``sqlite3``, read-only, so that a command that only reads
stays quick to start. Building, migrating and refreshing import sqlite-utils.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import shown_path
from digideck.core.user_folders import user_folder
from digideck.schema.backups import back_up
from digideck.schema.data_folder import shipped_version
from digideck.schema.migrations import LATEST
from digideck.schema.placement import put_in_place, refuse_lone_journal, remove, sweep, temporary
from digideck.schema.sqlite_errors import BUSY_SECONDS, LASTING, Opened, explain, explained

APPLICATION_ID = 0x4447444B  # "DGDK", in the file's header


def default_path() -> Path:
    """``$DIGIDECK_DB``, else digideck.db in the user's data directory.

    Raises InputError for a user without a home folder.
    """
    named = os.environ.get("DIGIDECK_DB")
    if named:
        return Path(named)
    folder = user_folder("data")
    if folder is None:
        raise input_error(
            Code.NO_HOME,
            "no place for the database: this user has no home folder",
            next_step="name a file: --db FILE or DIGIDECK_DB",
        )
    return folder / "digideck.db"


def absolute(path: Path) -> Path:
    """``path`` from the root. Raises InputError where the current folder has been deleted."""
    try:
        return path.absolute()
    except FileNotFoundError:
        raise input_error(
            Code.FOLDER_GONE,
            "the folder that this shell is in no longer exists",
            file=shown_path(str(path)),
            next_step="go to another with cd, then try again",
        ) from None


def open_to_read(path: Path | None = None) -> sqlite3.Connection:
    """A read-only connection to an up-to-date database: the one at ``path``, which must be
    there, else the usual one, which is built on first use.

    Raises InputError for a file that is missing, not ours, corrupt, locked or newer.
    """
    if path is not None and not _has_content(path):
        refuse_lone_journal(path)
        raise input_error(
            Code.DATABASE_MISSING,
            "there is no such database",
            file=shown_path(str(path)),
            next_step=f"make one with: digideck db create {shlex.quote(str(path))}",
        )
    return _opened(path or default_path())


def create(path: Path) -> None:
    """Build the database at ``path``. Raises InputError where a file is there."""
    if _has_content(path):
        raise input_error(
            Code.FILE_EXISTS,
            "there is such a file already",
            file=shown_path(str(path)),
            next_step="name another",
        )
    _opened(path).close()


def _opened(path: Path) -> sqlite3.Connection:
    connection = _connect_readonly(path) if _has_content(path) else None
    if connection is None:
        _build(path)
        connection = _connect_readonly(path)
    elif not _is_current(connection, path):
        connection.close()
        _bring_up_to_date(path)
        connection = _connect_readonly(path)
    return connection


def open_to_write(path: Path | None = None) -> sqlite3.Connection:
    """A connection that may write, in autocommit mode: use `transaction`. The database is
    built first if need be.
    """
    path = path or default_path()
    _opened(path).close()
    for folder in (path.parent, path.parent / "backups"):
        sweep(folder)
    with explained(path):
        connection = Opened.add(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None))
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(LASTING)
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, whatever interrupts it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    if connection.in_transaction:  # not rolled back by what it was for
        connection.execute("COMMIT")
        Opened.written = True


def _has_content(path: Path) -> bool:
    """Whether there is a file with something in it. Raises InputError for what is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise input_error(
            Code.DATABASE_UNREADABLE,
            f"cannot be read: {reason.lower()}",
            file=shown_path(str(path)),
        ) from None
    if not stat.S_ISREG(found.st_mode):  # a device or a pipe must not be replaced by a database
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise input_error(
            Code.DATABASE_UNREADABLE,
            f"{kind}, expected a database file",
            file=shown_path(str(path)),
            next_step="name a file with --db FILE or DIGIDECK_DB",
        )
    return found.st_size > 0


@contextmanager
def closing_connections() -> Iterator[None]:
    """Close every connection that is opened inside, however it ends.

    What SQLite says meanwhile becomes an InputError.
    """
    before, Opened.connections = Opened.connections, []
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error) from None
    finally:
        for connection in Opened.connections:
            connection.close()
        Opened.connections = before


def _connect_readonly(path: Path) -> sqlite3.Connection:
    Opened.path = path
    with explained(path):
        try:
            return _readonly(path)
        except sqlite3.OperationalError:
            if not Path(f"{path}-journal").exists():
                raise
        # A command was killed while it wrote. What it left is undone by whoever may write.
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            writer.rollback()
        return _readonly(path)


def _readonly(path: Path) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(absolute(path).as_posix()))}?mode=ro"
    connection = Opened.add(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS))
    with _closed_on_error(connection):
        connection.execute("PRAGMA schema_version").fetchone()
    return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether tables and shipped data are this program's. Refuses what is not ours."""
    with _closed_on_error(connection), explained(path):
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise input_error(
                Code.DATABASE_FOREIGN,
                "this SQLite file is not a digideck database",
                file=str(path),
                next_step="name another file with --db, or leave --db out",
            )
        if version > LATEST:
            raise input_error(
                Code.DATABASE_NEWER,
                f"made by a newer digideck (tables {version}, this one knows {LATEST})",
                file=str(path),
                next_step="update digideck: pipx upgrade digideck",
            )
        return _has_current_data(connection)


def _has_current_data(connection: sqlite3.Connection) -> bool:
    """Whether tables and shipped data are this program's."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != LATEST:
        return False
    row = connection.execute("SELECT value FROM meta WHERE key = 'data_version'").fetchone()
    return row is not None and row[0] == shipped_version()


def _build(path: Path) -> None:
    """Make the database beside its place and move it there, so that it is whole or absent."""
    path = absolute(path).resolve()  # a link stays a link
    refuse_lone_journal(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path.parent)
        new = temporary(path.parent)
    except OSError as error:
        raise input_error(
            Code.DATABASE_UNWRITABLE,
            f"the database cannot be created here: {error.strerror}",
            file=str(path),
            next_step="name a file that can be written: --db FILE or DIGIDECK_DB",
        ) from None
    try:
        _make_current(new)
        put_in_place(new, path, replace=False)
    finally:
        remove(new)


def _bring_up_to_date(path: Path) -> None:
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise input_error(
            Code.DATABASE_UNWRITABLE,
            "made by an earlier digideck and cannot be brought up to date: read-only",
            file=str(path),
            next_step="make the file and its folder writable, or use a copy with --db",
        )
    with explained(path):
        _make_current(path, before=lambda: back_up(path, "update"))


def _make_current(path: Path, before: Callable[[], object] = lambda: None) -> None:
    """Bring tables and shipped data up to date, after ``before``, in one transaction.

    Of several processes one works; the others wait, and find nothing left to do.
    """
    from sqlite_utils import Database

    from digideck.schema.migrations import migrations  # start-up
    from digideck.schema.shipped import load  # start-up

    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(LASTING)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        with transaction(connection):
            if not _has_current_data(connection):
                before()
                migrations().apply(Database(connection))
                load(connection)
    Opened.written = False  # that is not what a command was asked for
