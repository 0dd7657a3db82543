"""The one SQLite file: where it is, opening it, keeping it whole.

Reading uses plain ``sqlite3``, read-only, so that a command that only reads
stays quick to start. Building, migrating and refreshing import sqlite-utils.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import shown_path
from digideck.schema.migrations import LATEST

DATA = Path(__file__).parent.parent / "data"
APPLICATION_ID = 0x4447444B  # "DGDK", in the file's header
BUSY_SECONDS = 10
KEPT_BACKUPS = 20
_DAMAGED = ("not a database", "malformed", "corrupt", "no such table")  # as SQLite words it


def default_path() -> Path:
    """``$DIGIDECK_DB``, else digideck.db in the user's data directory.

    Raises InputError for a user without a home folder.
    """
    named = os.environ.get("DIGIDECK_DB")
    if named:
        return Path(named)
    import platformdirs

    try:
        folder = Path(platformdirs.user_data_dir("digideck", appauthor=False))
    except RuntimeError:
        folder = Path("~")
    if not folder.is_absolute():  # a ~ that nothing is known for would be a folder of that name
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


def shipped_version() -> str:
    """What identifies the data that this program ships (see data/VERSION)."""
    return (DATA / "VERSION").read_text("ascii").strip()


def open_to_read(path: Path | None = None) -> sqlite3.Connection:
    """A read-only connection to an up-to-date database, built first if need be.

    Raises InputError for a file that is not ours, corrupt, locked or newer.
    """
    path = path or default_path()
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
    """A connection that may write, in autocommit mode: use `transaction`."""
    path = path or default_path()
    open_to_read(path).close()
    with _explained(path):
        connection = _Opened.add(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None))
        connection.execute("PRAGMA foreign_keys = ON")
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
    connection.execute("COMMIT")


def back_up(path: Path, reason: str) -> Path:
    """Copy the database to ``backups/`` beside it; the path of the copy.

    It ends as the database does, so that those of x.db and of x.sqlite are told apart.
    The newest KEPT_BACKUPS are kept for each reason.
    """
    import datetime

    folder = path.parent / "backups"
    now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    try:
        folder.mkdir(exist_ok=True)
        target = free_name(folder / f"{path.stem}-{reason}-{now}{path.suffix}")
        unfinished = target.with_name(f"{target.name}.part")
        try:
            _copy(path, unfinished)
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise input_error(
            Code.BACKUP_FAILED, f"no backup could be written: {error.strerror}", file=str(folder)
        ) from None
    _prune(target, re.escape(f"{path.stem}-{reason}"))
    return target


def _prune(newest: Path, named: str) -> None:
    """Delete the oldest backups of the kind of ``newest``, whose names begin with ``named``.

    Nothing else is deleted: not what only begins alike, such as another database's.
    """
    ours = re.compile(rf"{named}-\d{{8}}-\d{{6}}(-\d+)?{re.escape(newest.suffix)}", re.ASCII)
    with suppress(OSError):  # one too many is no harm
        others = (path for path in newest.parent.iterdir() if ours.fullmatch(path.name))
        made = sorted((path for path in others if path != newest), key=_age)
        for old in made[: 1 - KEPT_BACKUPS]:
            old.unlink(missing_ok=True)


def _age(path: Path) -> tuple[int, int, str]:
    """Sorts by time, and those of one moment by the number behind it."""
    return path.stat().st_mtime_ns, len(path.name), path.name


def _copy(path: Path, target: Path) -> None:
    with (
        _explained(path),
        closing(sqlite3.connect(target)) as copy,
        closing(sqlite3.connect(path)) as original,
    ):
        original.backup(copy, pages=4096)  # in steps, so that Ctrl-C need not wait for the end


def free_name(path: Path) -> Path:
    """``path``, or with a number behind its name if there is such a file already."""
    candidates = (path.with_name(f"{path.stem}-{count}{path.suffix}") for count in range(2, 1000))
    return path if not path.exists() else next(name for name in candidates if not name.exists())


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


class _Opened:
    """What this process has opened: the last path, for what SQLite says of it later,
    and the connections that end with the command.
    """

    path: Path | None = None
    connections: list[sqlite3.Connection] | None = None

    @classmethod
    def add(cls, connection: sqlite3.Connection) -> sqlite3.Connection:
        connection.row_factory = sqlite3.Row
        if cls.connections is not None:
            cls.connections.append(connection)
        return connection


@contextmanager
def closing_connections() -> Iterator[None]:
    """Close every connection that is opened inside, however it ends."""
    before, _Opened.connections = _Opened.connections, []
    try:
        yield
    finally:
        for connection in _Opened.connections:
            connection.close()
        _Opened.connections = before


def _connect_readonly(path: Path) -> sqlite3.Connection:
    _Opened.path = path
    with _explained(path):
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
    connection = _Opened.add(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS))
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


def _roll_back_what_was_killed(path: Path) -> None:
    """Undo what a killed process had half written: SQLite does, for who may write."""
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
        connection.execute("PRAGMA schema_version").fetchone()


def _is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether tables and shipped data are this program's. Refuses what is not ours."""
    with _closed_on_error(connection), _explained(path):
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
        row = connection.execute("SELECT value FROM meta WHERE key = 'data_version'").fetchone()
    return version == LATEST and row is not None and row["value"] == shipped_version()


def _build(path: Path) -> None:
    """Make the database beside its place and move it there, so that it is whole or absent."""
    import tempfile

    from digideck.schema import shipped

    path = absolute(path).resolve()  # a link stays a link
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".digideck-", suffix=".db", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise input_error(
            Code.DATABASE_UNWRITABLE,
            f"the database cannot be created here: {error.strerror}",
            file=str(path),
            next_step="name a file that can be written: --db FILE or DIGIDECK_DB",
        ) from None
    new = Path(name)
    try:
        _migrate(new)
        shipped.load(new)
        _put_in_place(new, path)
    finally:
        new.unlink(missing_ok=True)


def _put_in_place(new: Path, path: Path) -> None:
    """Move ``new`` to ``path`` unless another process has built its own there meanwhile,
    which may hold what its user has imported since.
    """
    if path.exists() and path.stat().st_size == 0:
        os.replace(new, path)
        return
    try:
        if sys.platform == "win32":
            os.rename(new, path)  # refuses to overwrite
        else:
            os.link(new, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            os.replace(new, path)


def _bring_up_to_date(path: Path) -> None:
    from digideck.schema import shipped

    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise input_error(
            Code.DATABASE_UNWRITABLE,
            "made by an earlier digideck and cannot be brought up to date: read-only",
            file=str(path),
            next_step="make the file and its folder writable, or use a copy with --db",
        )
    back_up(path, "update")
    with _explained(path):
        _migrate(path)
        shipped.load(path)


def _migrate(path: Path) -> None:
    from sqlite_utils import Database

    from digideck.schema.migrations import migrations

    db = Database(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None))
    try:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("BEGIN IMMEDIATE")  # of two processes, the second finds nothing left to do
        migrations().apply(db)
        db.execute("COMMIT")
    finally:
        db.close()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what to tell the user."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from None


def explain(error: sqlite3.Error, path: Path | None = None) -> InputError:
    """The problem behind an SQLite error on the database at ``path``, else the one opened last."""
    text = str(error)
    path = path or _Opened.path
    file = shown_path(str(path)) if path else None
    if "locked" in text or "busy" in text:
        return input_error(
            Code.DATABASE_LOCKED,
            f"another digideck has been writing for {BUSY_SECONDS} seconds",
            file=file,
            next_step="wait for it to end, then try again",
        )
    if any(sign in text for sign in _DAMAGED):
        return input_error(
            Code.DATABASE_CORRUPT,
            f"the database is damaged: {text}",
            file=file,
            next_step="put back a copy from the folder backups beside it, or move it away "
            "and run digideck again to build a new one",
        )
    if "readonly" in text or "unable to open" in text or "disk" in text or "full" in text:
        return input_error(
            Code.DATABASE_UNWRITABLE,
            f"the database cannot be used: {text}",
            file=file,
            next_step="check the folder, its permissions and the free space, or use --db FILE",
        )
    return input_error(Code.DATABASE_ERROR, f"the database answered: {text}", file=file)
