"""The table of commands, help, wrong usage, exit codes and what JSON always has."""

from __future__ import annotations

import importlib
import sqlite3
from importlib import metadata
from keyword import iskeyword
from pathlib import Path

import pytest

import digideck
from digideck.cli import main as app
from tests.conftest import Run, Shell, Write

LEAVES = [(name,) for name in app.COMMANDS if name not in app.GROUPS] + [
    (group, name) for group, table in app.GROUPS.items() for name in table
]


def module_of(command: tuple[str, ...]) -> str:
    *group, name = command
    return ".".join([*group, f"{name}_" if iskeyword(name) else name])


named = pytest.mark.parametrize("command", LEAVES, ids=" ".join)


@named
def test_every_command_has_help_and_a_module(run: Run, command: tuple[str, ...]) -> None:
    module = importlib.import_module(f"digideck.cli.{module_of(command)}")
    assert module.run.__doc__
    result = run(*command, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    line = (app.GROUPS[command[0]] if len(command) > 1 else app.COMMANDS)[command[-1]]
    assert line in result.stdout
    assert f"Usage: digideck {' '.join(command)}" in result.stdout
    assert "\\b" not in result.stdout


def test_every_command_file_is_in_the_table() -> None:
    folder = Path(app.__file__).parent
    commands = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if "def run(" in path.read_text("utf-8")
    }
    assert commands == set(map(module_of, LEAVES))


@pytest.mark.parametrize("group", [(), *((name,) for name in app.GROUPS)], ids=" ".join)
def test_a_group_lists_its_commands(run: Run, group: tuple[str, ...]) -> None:
    table = app.GROUPS[group[0]] if group else app.COMMANDS
    for arguments in (group, (*group, "--help")):
        shown = run(*arguments).stdout
        for name, line in table.items():
            assert f"  {name}" in shown
            assert line.split()[0] in shown
    assert run(*group, "--help").exit_code == 0


def test_the_exit_codes_are_in_the_help(run: Run) -> None:
    shown = " ".join(run("--help").stdout.split())
    assert "0 yes or done; 1 the answer is no; 2 wrong usage;" in shown
    assert "3 input that cannot be used; 4 undecided." in shown


def test_the_version(run: Run) -> None:
    assert run("--version").stdout == f"digideck {digideck.__version__}\n"


@pytest.mark.parametrize(
    ("words", "message", "next_step"),
    [
        ("frobnicate", "No such command 'frobnicate'", "see digideck --help"),
        ("impot x", "No such command 'impot'", "did you mean import?"),
        ("deck chekc x", "No such command 'chekc'", "did you mean check?"),
        ("deck check", "Missing argument 'DECK...'", "see digideck deck check --help"),
        ("show", "Missing argument 'CARD...'", "see digideck show --help"),
        ("show Agumon --bogus", "No such option: --bogus", "see digideck show --help"),
        ("find x --limit -1", "Invalid value for '--limit'", "see digideck find --help"),
        ("find x --limit many", "Invalid value for '--limit'", "see digideck find --help"),
        ("--bogus", "No such option: --bogus", "see digideck --help"),
        ("--db x.db sets", "No such option: --db", "digideck COMMAND --db"),
    ],
)
def test_wrong_usage(run: Run, words: str, message: str, next_step: str) -> None:
    result = run(*words.split())
    assert result.exit_code == 2
    assert message in result.stderr
    assert next_step in result.stderr
    assert result.stdout == ""
    spoken = run(*words.split(), "--json")
    assert spoken.exit_code == 2
    assert spoken.json["status"] == "usage"


ENVELOPE = ["version", "command", "status", "exit_code", "data", "problems"]
PROBLEM = [
    "code", "severity", "message", "file", "line", "column",
    "cards", "have", "allowed", "rule", "source", "next_step",
]  # fmt: skip
DATA = {
    "show": ["cards"],
    "find": ["total", "cards"],
    "sets": ["sets"],
    "formats": ["formats"],
    "db info": [
        "file",
        "bytes",
        "tables_version",
        "data_version",
        "games",
        "corrections",
        "imports",
    ],
    "doctor": ["findings"],
    "import": ["files"],
    "deck check": ["decks", "rows_to_fill_in", "summary"],
}
VERDICT = [
    "file", "verdict", "format", "rules_of", "format_chosen_by", "as_of", "region", "cards", "assumed",
    "smallest_change", "problems", "unknown_cards",
]  # fmt: skip
CARD = [
    "key",
    "game",
    "number",
    "edition",
    "name",
    "names",
    "kind",
    "level",
    "fields",
    "printings",
    "doubts",
    "corrections",
    "source",
]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("show St-1", "ok"), ("show St-4000", "no"), ("show Agumon", "undecided"), ("show St-1 -g chess", "unusable"),
        ("find greymon", "ok"), ("find xyzzy", "no"), ("sets alpha", "ok"), ("sets chess", "unusable"),
        ("formats", "ok"), ("formats alpha", "ok"), ("formats chess", "unusable"), ("db info", "ok"),
        ("import -", "unusable"), ("deck check -", "unusable"), ("doctor", None),
    ],
)  # fmt: skip
def test_json_has_the_same_keys_whatever_happens(run: Run, words: str, status: str | None) -> None:
    """Scripts rely on these: a change of them is a new version of the envelope."""
    result = run(*words.split(), "--json")
    assert list(result.json) == ENVELOPE
    assert result.json["version"] == 1
    assert result.json["command"] == " ".join(
        word for word in words.split()[:2] if word in result.json["command"].split()
    )
    assert result.json["exit_code"] == result.exit_code
    assert status in (None, result.json["status"])
    assert result.stderr == ""
    for problem in result.json["problems"]:
        assert list(problem) == PROBLEM
    if result.json["status"] != "unusable":
        assert [key for key in result.json["data"] if key in DATA[result.json["command"]]] == DATA[
            result.json["command"]
        ]


def test_the_keys_of_a_verdict(run: Run, write: Write) -> None:
    decks = [write("a.txt", "# format: alpha\n3 Dα-065\n3 Dα-002\n"), write("b.txt", "asdasd")]
    data = run("deck", "check", *decks, "--json").json["data"]
    for deck in data["decks"]:
        assert list(deck) == VERDICT
        for problem in deck["problems"]:
            assert list(problem) == PROBLEM
    assert list(data["summary"]) == ["legal", "illegal", "undecided", "unusable"]
    assert list(data["rows_to_fill_in"][0]) == [
        "game",
        "number",
        "edition",
        "name",
        "kind",
        "level",
    ]


def test_the_keys_of_a_card(run: Run) -> None:
    for words in (("show", "St-1"), ("find", "shamamon")):
        for card in run(*words, "--json").json["data"]["cards"]:
            assert [key for key in card if key in CARD] == CARD


# What a command that only reads must not load: each takes longer than all the rest together.
HEAVY = {
    "sqlite_utils",
    "yaml",
    "numpy",
    "cv2",
    "pyzbar",
    "zxingcpp",
    "rich",
    "rapidfuzz",
    "multiprocessing",
    "asyncio",
    # Typer itself imports it from 0.29 on, which is why an older one is asked for.
    *(
        ()
        if any("pydantic" in line for line in metadata.requires("typer") or ())
        else ("pydantic",)
    ),
}
LIGHT = [
    "show St-1", "show Dα-065", "find greymon", "sets", "sets alpha", "formats", "formats alpha",
    "deck check deck.txt", "deck check deck.txt --json", "db info", "--version", "--help", "deck --help", "show --help",
]  # fmt: skip


@pytest.mark.parametrize("words", LIGHT)
def test_slow_imports_stay_out(shell: Shell, write: Write, words: str) -> None:
    write("deck.txt", "# format: hyper-colosseum\n3 Agumon St-1\n3 Greymon\n")
    script = (
        "import sys\nfrom digideck.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as ended:\n"
        f"    loaded = {sorted(HEAVY)!r}\n"
        "    sys.stderr.write(' '.join(name for name in loaded if name in sys.modules) + ';' + str(ended.code))"
    )
    result = shell(*words.split(), python=("-c", script))
    loaded, _, code = result.stderr.decode().rpartition(";")
    assert loaded == ""
    assert code in ("0", "1")


@pytest.mark.parametrize("table", ["game", "format"])
@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_damaged_description_is_said(run: Run, database: Path, table: str, text: str) -> None:
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute(f"UPDATE {table} SET definition = ?", (text,))
    connection.commit()
    connection.close()
    result = run("formats", "alpha")
    assert result.exit_code == 3
    assert "is damaged" in result.stderr
    assert "db restore" in result.stderr
