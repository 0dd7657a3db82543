"""What SQLite says, told by its codes and not by its words."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from digideck.schema.sqlite_errors import explain, primary_code

CODES = {
    sqlite3.SQLITE_BUSY: "database-locked",
    sqlite3.SQLITE_BUSY_SNAPSHOT: "database-locked",
    sqlite3.SQLITE_LOCKED: "database-locked",
    sqlite3.SQLITE_CORRUPT: "database-corrupt",
    sqlite3.SQLITE_NOTADB: "database-corrupt",
    sqlite3.SQLITE_ERROR: "database-corrupt",
    sqlite3.SQLITE_FULL: "database-unwritable",
    sqlite3.SQLITE_READONLY: "database-unwritable",
    sqlite3.SQLITE_CANTOPEN: "database-unwritable",
    sqlite3.SQLITE_PERM: "database-unwritable",
    sqlite3.SQLITE_IOERR_FSYNC: "database-unwritable",
    sqlite3.SQLITE_CONSTRAINT: "database-error",
}


@pytest.mark.parametrize(("code", "expected"), CODES.items())
def test_an_error_is_told_by_its_code(code: int, expected: str) -> None:
    error = sqlite3.OperationalError("in words that no version of SQLite has")
    error.sqlite_errorcode = code
    (problem,) = explain(error, Path("x.db")).problems
    assert (problem.code, problem.file) == (expected, "x.db")
    assert problem.next_step or expected == "database-error"


def test_an_error_of_pythons_own_has_no_code() -> None:
    assert primary_code(sqlite3.ProgrammingError("closed")) is None
    assert explain(sqlite3.ProgrammingError("closed")).problems[0].code == "database-error"
