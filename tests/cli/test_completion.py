"""Completion: the scripts, and the words that they ask for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from digideck.cli.main import COMMANDS, GROUPS
from tests.conftest import Run, Shell


@pytest.mark.parametrize(
    ("kind", "prefix", "word"),
    [
        ("cards", "Dα-06", "Dα-065"),
        ("cards", "da-06", "Dα-065"),
        ("cards", "st-1", "St-1"),
        ("sets", "ae", "AE1"),
        ("games", "", "dcg"),
        ("formats", "hyper-colosseum-t", "hyper-colosseum-tamers"),
    ],
)
def test_words(kind: str, prefix: str, word: str, shell: Shell) -> None:
    result = shell("__complete", kind, prefix)
    assert word in result.stdout.decode().splitlines()
    assert result.stderr == b""


@pytest.mark.parametrize("arguments", [(), ("cards",), ("nonsense", "x"), ("cards", "'; DROP")])
def test_whatever_is_typed_nothing_is_said(arguments: tuple[str, ...], shell: Shell) -> None:
    result = shell("__complete", *arguments)
    assert (result.returncode, result.stderr) == (0, b"")


def test_no_database_is_built_at_the_press_of_a_key(shell: Shell, tmp_path: Path) -> None:
    result = shell("__complete", "cards", "St", env={"DIGIDECK_DB": str(tmp_path / "new.db")})
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    assert not (tmp_path / "new.db").exists()


def test_completing_loads_no_typer(shell: Shell) -> None:
    code = (
        "import sys; sys.argv = ['digideck', '__complete', 'cards', 'St-1'];"
        "from digideck.__main__ import main; main();"
        "assert 'typer' not in sys.modules and 'yaml' not in sys.modules"
    )
    assert shell(python=("-c", code)).returncode == 0


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_scripts_know_every_command_and_parse(name: str, run: Run, tmp_path: Path) -> None:
    script = run("completion", name).stdout
    for command in (*COMMANDS, *(sub for group in GROUPS.values() for sub in group)):
        assert command in script
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"no {name} here")
    path = tmp_path / "script"
    path.write_text(script, "utf-8")
    subprocess.run([program, "-n", path], check=True)


def test_bash_completes(run: Run, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = tmp_path / "script"
    script.write_text(run("completion", "bash").stdout, "utf-8")
    fake = tmp_path / "digideck"
    fake.write_text('#!/bin/sh\necho "$2:$3"\n')
    fake.chmod(0o755)
    typed = {
        "digideck sh": "show",
        "digideck deck ch": "check",
        "digideck show St-1": "cards:St-1",
        "digideck deck check --forma": "--format",
        "digideck deck check --format hyp": "formats:hyp",
        "digideck sets al": "games:al",
        "digideck import --set AE": "sets:AE",
    }
    for line, wanted in typed.items():
        words = " ".join(f"'{word}'" for word in line.split(" "))
        test = (
            f"PATH={tmp_path}:$PATH; source {script}; COMP_WORDS=({words}); "
            f"COMP_CWORD={len(line.split(' ')) - 1}; _digideck; echo ${{COMPREPLY[*]}}"
        )
        result = subprocess.run([bash, "-c", test], capture_output=True, text=True, check=True)
        assert wanted in result.stdout.split(), line
