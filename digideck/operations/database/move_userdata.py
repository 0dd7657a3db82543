"""All that is the user's as plain text, and a database from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.cards import CardIndex
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.results import Result
from digideck.core.text import shown_path
from digideck.files.atomic_write import write_file
from digideck.files.input import read_text
from digideck.scan.store.userdata_checks import check_code, check_picture
from digideck.schema.card_store import CardStore
from digideck.schema.connection import (
    closing_connections,
    default_path,
    open_to_read,
    open_to_write,
    transaction,
)
from digideck.schema.userdata import export_lines, import_lines, is_empty

LARGEST_FILE = 1_000_000_000  # bytes
_CHECKS = {"link": check_code, "picture": check_picture}


@dataclass(frozen=True, slots=True)
class UserdataExport(Result):
    """The text, one JSON object a line, and the file that it was written to, if any."""

    records: int
    file: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class UserdataImport(Result):
    """The database that was filled, and how many records of each kind."""

    file: Path
    records: dict[str, int]


@closing_connections()
def export_userdata(
    target: Path | None = None, *, force: bool = False, db: Path | None = None
) -> UserdataExport:
    """The ledger, wants, links, scans, imports and corrections as text; into ``target``
    where one is named.
    """
    index = CardIndex(open_to_read(db))
    lines = list(export_lines(index.connection, CardStore(index.connection, index.games)))
    text = "".join(lines)
    if target is None:
        return UserdataExport(len(lines) - 1, None, text)
    write_file(target, text, force=force)
    return UserdataExport(len(lines) - 1, shown_path(str(target)), None)


@closing_connections()
def import_userdata(file: str, db: Path | None = None) -> UserdataImport:
    """Read what was exported, all or nothing, into a database that holds nothing of a user's."""
    path = db or default_path()
    shown = shown_path(file)
    text, _ = read_text(file, limit=LARGEST_FILE, what="an export of user data")
    index = CardIndex(open_to_write(path))
    with transaction(index.connection):
        if not is_empty(index.connection):
            raise input_error(
                Code.DATABASE_USED,
                "this database holds data of yours already",
                file=str(path),
                next_step="read it into a new one, --db NEWFILE, and look at that first",
            )
        store = CardStore(index.connection, index.games)
        records = import_lines(index.connection, store, text, shown, _CHECKS)
    return UserdataImport(path, records)
