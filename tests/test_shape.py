"""The shape of the code: sizes that a reader can hold, and names that mean one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import digideck

PACKAGE = Path(digideck.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES = 400
MOST_FILES = 20
MOST_PARAMETERS = 7
LATE = "# start-up"  # behind an import inside a function: a command that reads must start fast

every_file = pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return sum(entry.arg not in ("self", "cls") for entry in named)


@every_file
def test_a_file_fits_the_eye(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


@every_file
def test_a_function_takes_few_parameters(path: Path) -> None:
    commands = "cli" in path.relative_to(PACKAGE).parts  # their options are what they take
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef) and not (commands and node.name == "run"):
            assert parameters(node) <= MOST_PARAMETERS, f"{path.name}:{node.lineno} {node.name}"


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in FILES}), ids=lambda path: path.name
)
def test_a_folder_has_few_files(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.stem != "__init__"]) <= MOST_FILES


def test_a_class_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_rooms_have_no_files_of_one_name() -> None:
    """Commands are named as they are typed, in cli and nowhere else."""
    rooms = defaultdict(set)
    for path in FILES:
        room, *rest = path.relative_to(PACKAGE).parts
        if rest and room != "cli" and path.stem != "__init__":
            rooms[path.name].add(room)
    assert {name: found for name, found in rooms.items() if len(found) > 1} == {}


def late_imports(path: Path) -> Iterator[ast.ImportFrom]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for inner in ast.walk(node):
                if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith(
                    "digideck"
                ):
                    yield inner


@every_file
def test_imports_inside_functions_say_why(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    for node in late_imports(path):
        assert LATE in lines[node.lineno - 1], f"{path.name}:{node.lineno}"
