"""All that is the user's, as plain text, and a database from it.

The text is one JSON object a line: a line that says what it is, then every
batch and entry of the ledger, wants, the codes linked to cards and what was
scanned, and what the user imported: sources, sets, cards, printings and
corrections. Cards are named by game, number and
edition, never by a number that only one database knows, so that the text
outlives the database and this program.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.schema.card_store import (
    CardStore,
)
from digideck.schema.userdata_kinds import KINDS, Loader, Record, renumbered

VERSION = 1
_BY_NAME = {kind.name: kind for kind in KINDS}
# What a record raises that is not as `export_lines` writes it: AttributeError where a value
# is of another type, OverflowError and ProgrammingError where no column can hold it.
_MISFITS = (
    AttributeError,
    KeyError,
    TypeError,
    ValueError,
    OverflowError,
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
)


def export_lines(connection: sqlite3.Connection, store: CardStore) -> Iterator[str]:
    """The text, line by line, in an order that is the same for equal databases."""
    yield _line(
        {
            "digideck": "user data",
            "version": VERSION,
            "renumbered": [list(row) for row in renumbered(connection)],
        }
    )
    connection.execute("BEGIN")  # one state of the database from the first line to the last
    try:
        for kind in KINDS:
            for record in kind.read(connection, store):
                yield _line({"kind": kind.name, **record})
    finally:
        connection.execute("ROLLBACK")


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether a database holds nothing of the user's."""
    return not any(
        connection.execute(f"SELECT 1 FROM {sql} LIMIT 1").fetchone()
        for sql in (
            "batch",
            "want",
            "collected_set",
            "link",
            "picture",
            "correction",
            "card WHERE shipped = 0",
            "card_set WHERE shipped = 0",
            "printing WHERE shipped = 0",
            "source WHERE kind = 'import'",
        )
    )


def import_lines(
    connection: sqlite3.Connection,
    store: CardStore,
    text: str,
    file: str,
    checks: Mapping[str, Callable[[Record], None]],
) -> dict[str, int]:
    """Write what `export_lines` gave into a database without user data; records by kind.

    ``checks`` are what other rooms ask of records of a kind; they raise InputError.
    To be called inside a transaction. Raises InputError with the line that does not fit.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    head = _parse(lines[0], file, 1) if lines else {}
    if head.get("digideck") != "user data":
        raise input_error(
            Code.NOT_USER_DATA,
            "not an export of digideck's user data",
            file=file,
            line=1,
            next_step="expected what digideck db export writes; "
            "for collections of other programs: digideck collection import",
        )
    if head.get("version") != VERSION:
        raise input_error(
            Code.USER_DATA_NEWER,
            f"version {head.get('version')!r} of the export, this digideck knows {VERSION}",
            file=file,
            line=1,
            next_step="update digideck",
        )
    try:
        loader = Loader(connection, store, head)
    except _MISFITS as error:
        raise _misfit(error, file, 1) from None
    counts: dict[str, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        record = _parse(line, file, number)
        try:
            kind = _BY_NAME[record.pop("kind")]
            if kind.name in checks:
                checks[kind.name](record)
            kind.store(loader, record)
        except InputError as error:
            raise error.at(file, number) from None
        except _MISFITS as error:
            raise _misfit(error, file, number) from None
        counts[kind.name] = counts.get(kind.name, 0) + 1
    loader.finish()
    return counts


def _misfit(error: Exception, file: str, line: int) -> InputError:
    reason = f"{error} is missing or unknown" if isinstance(error, KeyError) else str(error)
    return input_error(
        Code.RECORD_REFUSED,
        f"this record does not fit: {reason}",
        file=file,
        line=line,
        next_step="export again, or fix the line",
    )


def _parse(line: str, file: str, number: int) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise input_error(Code.NOT_JSON, f"not JSON: {error}", file=file, line=number) from None
    if not isinstance(record, dict):
        raise input_error(Code.NOT_JSON, "expected a JSON object", file=file, line=number)
    return record
