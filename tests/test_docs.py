"""What README and docs show is what happens: every example is run.

In a block, a line that begins with ``$ `` is typed and the lines below it are
what it prints ("..." stands for any lines). Lines of a block without ``$`` that
begin with ``digideck`` only have to work. With DIGIDECK_UPDATE_DOCS=1 the
outputs are written anew, and the test is skipped so that nobody takes it for green.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.pictures import bars, photo
from tests.conftest import Run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
UPDATE = os.environ.get("DIGIDECK_UPDATE_DOCS") == "1"
# Files that a page speaks of as the reader's own, in the folder where it is run.
READERS_FILES = {
    "mydeck.txt": "examples/decks/hyper-colosseum-legal.txt",
    "mylist.csv": "examples/alpha-evolve-8.csv",
}
ANSWERS = "Code128:DM-013A alpha/DM-013\nCode128:BO-12 hyper-colosseum/Bo-12\n"
_BLOCK = re.compile(r"^```(?:text)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Example:
    """A command of a page with what it is said to print (None: not said)."""

    command: str
    output: list[str] | None


def examples(block: str) -> Iterator[Example]:
    shown: Example | None = None
    for line in block.splitlines():
        if line.startswith("$ "):
            if shown:
                yield shown
            shown = Example(line[2:], [])
        elif shown and shown.output is not None:
            shown.output.append(line)
        elif line.startswith("digideck "):
            yield Example(line.partition("  #")[0].strip(), None)
    if shown:
        yield shown


def printed(run: Run, command: str) -> tuple[int, list[str]]:
    words = shlex.split(command)
    assert words[0] == "digideck", command
    piped = "|" in words or ">" in words
    assert not piped, f"{command}: show commands without pipes"
    result = run(*words[1:])
    return result.exit_code, (result.stdout + result.stderr).splitlines()


def alike(said: list[str], real: list[str]) -> bool:
    """Whether the output is what is said, "..." standing for any lines or none."""
    lines = (r"(?:.*\n)*" if line.strip() == "..." else re.escape(line) + r"\n" for line in said)
    return bool(re.fullmatch("".join(lines), "".join(f"{line}\n" for line in real)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the pages are tried: the examples, and what is the reader's own."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, original in READERS_FILES.items():
        shutil.copyfile(ROOT / original, tmp_path / name)
    photo(tmp_path / "box" / "001.png", "DM-013A")
    photo(tmp_path / "box" / "002.png", "BO-12")
    photo(tmp_path / "box" / "003.png")
    photo(tmp_path / "labelled" / "St-1.png", "ST-0001")
    bars(tmp_path / "sharp.png", 1)
    bars(tmp_path / "again.png", 1, 2.0)
    (tmp_path / "answers.txt").write_text(ANSWERS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page: Path, run: Run, folder: Path) -> None:
    text = page.read_text("utf-8")
    found = [example for block in _BLOCK.findall(text) for example in examples(block)]
    for example in found:
        code, real = printed(run, example.command)
        assert code in (0, 1, 3, 4), f"{example.command} ended with {code}: {real}"
        if example.output is None:
            assert code in (0, 1, 4), f"{example.command} ended with {code}: {real}"
        elif UPDATE and "..." not in example.output:
            said = "\n".join([f"$ {example.command}", *example.output])
            text = text.replace(said, "\n".join([f"$ {example.command}", *real]))
        else:
            assert alike(example.output, real), "\n".join([example.command, *real])
    if UPDATE:
        page.write_text(text, "utf-8")
        pytest.skip("outputs were written anew")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples(
    page: Path, database: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIGIDECK_DB", str(database))
    blocks = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S))
    example = doctest.DocTestParser().get_doctest(blocks, {}, page.name, str(page), 0)
    printed: list[str] = []
    assert doctest.DocTestRunner().run(example, out=printed.append).failed == 0, "".join(printed)


def test_every_path_that_contributors_are_told_of_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:digideck|tests|docs|benchmarks)/[a-z0-9_/.-]+)`", text)
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []
