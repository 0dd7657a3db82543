"""The tables, and how each version of them became the next.

Never edit a migration that has shipped: add one. Each sets
``PRAGMA user_version`` to its own number, which is checked at every open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from digideck.core.names import search_key
from digideck.core.numbers import number_key
from digideck.schema.version_scripts import STEPS

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

LATEST = len(STEPS)


def migrations() -> Migrations:
    """All migrations, in order."""
    from sqlite_utils import Migrations

    steps = Migrations("digideck")
    for version, (name, script) in enumerate(STEPS.items(), start=1):
        steps(name=name)(_step(version, script))
    return steps


def _step(version: int, script: str) -> Callable[[Database], None]:
    def apply(db: Database) -> None:
        for function in (search_key, number_key):
            db.register_function(function, deterministic=True)
        for statement in _statements(script):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {version}")

    return apply


def _statements(script: str) -> list[str]:
    """The statements of a script, since executescript would commit each by itself."""
    import sqlite3

    statements, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if current.strip() and sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements
