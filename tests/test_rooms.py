"""The rooms of the house: which may import which, and what data may hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import digideck

PACKAGE = Path(digideck.__file__).parent
MAY_IMPORT = {
    "core": {"core"},
    "schema": {"schema", "core"},
    "files": {"files", "core"},
    "catalog": {"catalog", "schema", "files", "core"},
    "importers": {"importers", "catalog", "schema", "files", "core"},
    "decks": {"decks", "catalog", "schema", "files", "core"},
    "collection": {"collection", "catalog", "schema", "files", "core"},
    "scan": {"scan", "catalog", "schema", "files", "core"},
    "operations": {
        "operations",
        "importers",
        "decks",
        "collection",
        "scan",
        "catalog",
        "schema",
        "files",
        "core",
    },
    "cli": {"cli", "operations", "catalog", "core"},
}
STORAGE = {"sqlite_utils", "sqlite_migrate"}  # the schema room is the only door to the database


def imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield node.module or "", node.lineno


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    for module, line in imports(path):
        parts = module.split(".")
        if parts[0] == "digideck" and len(parts) > 1:
            assert parts[1] in MAY_IMPORT[room], f"{path}:{line} imports {module}"
        if parts[0] in STORAGE:
            assert room == "schema", f"{path}:{line} imports {module}"


def test_every_room_has_its_rule() -> None:
    rooms = {
        path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert rooms - {"data"} <= set(MAY_IMPORT)


def test_data_is_no_code() -> None:
    suffixes = {path.suffix for path in (PACKAGE / "data").rglob("*") if path.is_file()}
    assert suffixes <= {".csv", ".yaml", ".txt", ".json", ""}
