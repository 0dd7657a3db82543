"""The help of every command and the codes of problems as Markdown, for the pages here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from digideck.cli.main import COMMANDS, GROUPS
from digideck.core.codes import Code


def commands() -> str:
    """A section a command, in the order of ``digideck --help``."""
    return "\n".join(_sections())


def problems() -> str:
    """A row of a table for each code."""
    rows = [f"| `{code}` | {code.meaning} |" for code in sorted(Code)]
    return "\n".join(["| code | what it means |", "| --- | --- |", *rows, ""])


def _sections() -> Iterator[str]:
    yield _section("")
    for name in COMMANDS:
        if name in GROUPS:
            yield from (_section(f"{name} {sub}") for sub in GROUPS[name])
        else:
            yield _section(name)


def _section(command: str) -> str:
    words = command.split()
    environment = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1"}
    shown = subprocess.run(
        [sys.executable, "-m", "digideck", *words, "--help"],
        capture_output=True,
        check=True,
        env=environment,
        encoding="utf-8",
    ).stdout
    title = f"## digideck {command}".rstrip()
    return f"{title}\n\n```\n{shown.strip()}\n```\n"
