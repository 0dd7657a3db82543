"""A command that ends as an error has changed nothing."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digideck.cli.main import COMMANDS, GROUPS
from tests.conftest import Run, Write

READ = {
    "sets", "find", "show", "formats", "completion", "doctor", "deck check", "deck missing",
    "deck convert", "deck diff", "deck hand", "deck lines", "deck odds", "deck show",
    "collection list", "collection export", "collection trades", "collection progress",
    "collection buildable", "collection history", "barcode list", "barcode export", "db info",
    "db backup", "db create", "db export",
}  # fmt: skip
GOOD, BAD = "number,count\nhyper-colosseum/St-1,3\n", "number,count\nSt-1,2\nSt-99999,1\n"
# What each command that writes refuses, with what it is given on standard input.
REFUSED: dict[str, list[tuple[list[str], str]]] = {
    "import": [
        (["-"], ""), (["-"], "number,level\nSt-1,nonsense\n"), (["-"], "\0\1\2"),
        (["no-such-file.csv"], ""), (["-", "-g", "nonsense"], "number,level\nSt-1,III\n"),
    ],
    "collection add": [(["St-99999"], ""), (["St-1", "St-99999"], ""), (["-"], "3 St-1\n2 Zzz\n")],
    "collection remove": [(["St-99999"], ""), (["-"], "1 St-2\n1 Zzz\n")],
    "collection set": [(["St-1", "5", "St-99999", "1"], "")],
    "collection import": [
        (["-", "--replace"], "number,count\n"), (["-", "--replace"], "number,count\nSt-2,0\n"),
        (["-", "--add"], BAD), (["-", "--set"], BAD), (["-", "--replace"], BAD),
        (["-", "--replace"], ""), (["-", "--add"], "Bo-12,1\n"),
    ],
    "collection wants": [(["St-99999", "2"], ""), (["St-1", "2", "St-99999", "1"], "")],
    "collection undo": [(["99"], "")],
    "scan photos": [(["no-such-folder"], "")],
    "scan camera": [(["--source", "no-such-file.mp4"], "")],
    "scan review": [(["-"], "4901234567894 St-99999\n")],
    "barcode enrol": [(["no-such-photo.png", "St-1"], "")],
    "barcode link": [(["4901234567894", "St-99999"], ""), (["4901234567895", "St-1"], "")],
    "barcode unlink": [(["4901234567894"], "")],
    "barcode import": [(["-"], "nonsense\n"), (["-"], "")],
    "barcode labels": [(["St-99999", "--out", "labels.svg"], "")],
    "db verify": [],
    "db restore": [(["no-such-file.db"], "")],
    "db import": [(["-"], "nonsense\n"), (["-"], "")],
}  # fmt: skip


def content(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


@pytest.fixture
def used(run: Run, database: Path) -> Path:
    """A database with a collection, a want and a link."""
    run("collection", "add", "hyper-colosseum/St-1", "3", "hyper-colosseum/St-2", "1")
    run("collection", "wants", "hyper-colosseum/St-44", "2")
    run("barcode", "link", "4902425612345", "hyper-colosseum/St-1")
    return database


def test_every_command_is_known_to_read_or_to_write() -> None:
    """A new one belongs into one of the two tables."""
    commands = {name for name in COMMANDS if name not in GROUPS}
    commands |= {f"{group} {name}" for group, table in GROUPS.items() for name in table}
    assert READ | REFUSED.keys() == commands
    assert READ & REFUSED.keys() == set()


@pytest.mark.parametrize(
    ("command", "words", "stdin"),
    [(command, *case) for command, cases in REFUSED.items() for case in cases],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_what_is_refused_changes_nothing(
    run: Run, used: Path, command: str, words: list[str], stdin: str
) -> None:
    before = content(used)
    refused = run(*command.split(), *words, stdin=stdin)
    assert refused.exit_code in (1, 3), refused.output
    assert content(used) == before


LINES = st.lists(
    st.sampled_from(
        ["number,count", "St-1,2", "St-2,0", "St-99999,1", "Agumon,1", "3 St-1", "x", "", "St-1,x",
         "number,level", "St-1,III", "game,number,edition,count,place", '{"kind": "want"}',
         "profile:zzz St-1", "4902425612345 hyper-colosseum/St-2", "\ufeff", "St-1;2"]
    ) | st.text(max_size=12),
    max_size=5,
)  # fmt: skip
TAKING_FILES = (
    ("import", "-"), ("collection", "add", "-"), ("collection", "remove", "-"),
    ("collection", "set", "-"), ("collection", "import", "-", "--add"),
    ("collection", "import", "-", "--set"), ("collection", "import", "-", "--replace"),
    ("scan", "review", "-"), ("barcode", "import", "-"), ("db", "import", "-"),
)  # fmt: skip


@settings(max_examples=60)
@given(command=st.sampled_from(TAKING_FILES), lines=LINES)
def test_whatever_a_file_holds_an_error_writes_nothing(
    run: Run, used: Path, command: tuple[str, ...], lines: list[str]
) -> None:
    before = content(used)
    done = run(*command, stdin="\n".join(lines))
    if done.exit_code in (2, 3):
        assert content(used) == before, (command, lines)


def test_a_replacement_that_leaves_nothing_wants_a_yes(run: Run, used: Path, write: Write) -> None:
    nothing = write("nothing.csv", "number,count\nhyper-colosseum/St-1,0\n")
    refused = run("collection", "import", nothing, "--replace")
    assert refused.exit_code == 3
    assert "every copy of the collection would be removed" in refused.stderr
    assert "add --yes if that is meant" in refused.stderr
    assert "Nothing was written." in refused.stdout
    assert run("collection", "import", nothing, "--replace", "--yes").exit_code == 0
    assert run("collection", "list").exit_code == 1


def test_a_header_alone_replaces_nothing(run: Run, used: Path, write: Write) -> None:
    empty = write("empty.csv", "number,count\n")
    for more in ([], ["--yes"]):
        refused = run("collection", "import", empty, "--replace", *more)
        assert refused.exit_code == 3
        assert "no rows below the header" in refused.stderr
    assert len(run("collection", "list", "--json").json["data"]["cards"]) == 2
