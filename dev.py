"""Tasks for working on digideck: python3 dev.py demo | test | newest | lint | docs | wheel.

Needs Python 3.11 or newer and the package index, nothing else. Each task makes
the virtual environment it needs below build/.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
BUILD = ROOT / "build"
DECKS = "examples/decks"
GENERATED = ("docs/commands.md", "docs/operations.md", "docs/problems.md")

# What the demo types, with the exit code that it must give.
DEMO: Sequence[tuple[int, str]] = (
    (0, "digideck db info"),
    (0, "digideck sets dccg"),
    (0, "digideck show Dα-592"),
    (0, "digideck import examples/alpha-evolve-8.csv"),
    (0, "digideck show Dα-592"),
    (0, f"digideck deck check {DECKS}/alpha-legal.txt {DECKS}/alpha-japanese-legal.txt"),
    (1, f"digideck deck check {DECKS}/alpha-x-antibody-illegal.txt"),
    (4, f"digideck deck check {DECKS}/alpha-undecided.txt"),
    (0, f"digideck deck check {DECKS}/hyper-colosseum-legal.txt"),
    (1, f"digideck deck check {DECKS}/hyper-colosseum-illegal.txt"),
    (4, f"digideck deck check {DECKS}/hyper-colosseum-undecided.txt"),
    (0, f"digideck deck check {DECKS}/digi-battle-legal.yaml"),
    (1, f"digideck deck check {DECKS}/digi-battle-illegal.txt"),
    (4, f"digideck deck check {DECKS}/digi-battle-undecided.txt"),
    (0, f"digideck deck check {DECKS}/dccg-legal.txt"),
    (1, f"digideck deck check {DECKS}/dccg-illegal.txt"),
    (4, f"digideck deck check {DECKS}/dccg-undecided.txt"),
    (0, f"digideck deck check {DECKS}/dcg-legal.txt"),
    (1, f"digideck deck check {DECKS}/dcg-illegal.txt"),
    (0, f"digideck deck check {DECKS}/dcg-illegal.txt --as-of 2025-08-31"),
    (4, f"digideck deck check {DECKS}/dcg-undecided.txt"),
    (1, f"digideck deck check {DECKS} --brief"),
)


def main() -> None:
    tasks = {
        "demo": demo,
        "test": test,
        "newest": newest,
        "lint": lint,
        "docs": docs,
        "wheel": wheel,
    }
    if len(sys.argv) < 2 or sys.argv[1] not in tasks:
        sys.exit(f"usage: {Path(sys.argv[0]).name} {'|'.join(tasks)}")
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(f"digideck needs Python 3.11 or newer, this is {sys.version.split()[0]}")
    tasks[sys.argv[1]](sys.argv[2:])


def demo(_: list[str]) -> None:
    """Install as a user would, and use it on the examples with a database of its own."""
    environment = Environment(BUILD / "demo")
    environment.install(str(ROOT), "--force-reinstall", "--no-deps", after=[str(ROOT)])
    database = BUILD / "demo" / "digideck.db"
    database.unlink(missing_ok=True)
    settings = {**os.environ, "DIGIDECK_DB": str(database), "PYTHONUTF8": "1"}
    for expected, line in DEMO:
        print(f"\n$ {line}", flush=True)
        words = shlex.split(line)
        code = subprocess.run(
            [environment.script(words[0]), *words[1:]], env=settings, cwd=ROOT, check=False
        ).returncode
        print(f"(exit code {code})", flush=True)
        if code != expected:
            sys.exit(f"the demo expected exit code {expected}")


def test(arguments: list[str]) -> None:
    """Run the test suite on all cores with its coverage, or the part that the arguments name."""
    whole = ["-n", "auto", "--cov", "--cov-report", "term"]
    development().run("-m", "pytest", *(arguments or whole))


def newest(arguments: list[str]) -> None:
    """The tests with the newest of each dependency and every other Python that is here.

    The bounds in pyproject.toml are for speed or for caution: this tells what is beyond
    them. The newest Python runs all tests, the others a part.
    """
    *others, last = other_pythons() or [sys.executable]
    names = [re.split(r"[<>=!~;\[]", line)[0].strip() for line in (*dependencies(), *tools())]
    for python in (*others, last):
        part = ["tests/cli/test_app.py", "tests/decks"] if python != last else []
        environment = Environment(BUILD / f"newest-{Path(python).name}", python)
        environment.install("--upgrade", *dict.fromkeys(names))
        environment.run("-m", "pytest", "-q", *(arguments or ["-n", "auto", *part]))


def lint(_: list[str]) -> None:
    """Style and types."""
    environment = development()
    environment.run("-m", "ruff", "check", ".")
    environment.run("-m", "ruff", "format", "--check", ".")
    environment.run("-m", "mypy")
    environment.run("-c", "from importlinter.cli import lint_imports_command as lint; lint()")
    environment.run("-m", "cogapp", "--check", *GENERATED)


def docs(_: list[str]) -> None:
    """Write the reference pages and the outputs in README and docs anew."""
    environment = development()
    environment.run("-m", "cogapp", "-r", *GENERATED)
    os.environ["DIGIDECK_UPDATE_DOCS"] = "1"
    environment.run("-m", "pytest", "-q", "tests/test_docs.py")


def wheel(_: list[str]) -> None:
    """Build the wheel and use it from an environment that knows nothing else."""
    dist = BUILD / "dist"
    for old in dist.glob("*.whl"):
        old.unlink()
    development().run("-m", "build", "--wheel", "--outdir", str(dist), str(ROOT))
    built = next(dist.glob("*.whl"))
    with tempfile.TemporaryDirectory(prefix="digideck-wheel-") as folder:
        environment = Environment(Path(folder) / "venv")
        environment.install(str(built))
        deck = Path(folder) / "deck.txt"
        deck.write_bytes((ROOT / DECKS / "hyper-colosseum-legal.txt").read_bytes())
        settings = {**os.environ, "DIGIDECK_DB": str(Path(folder) / "digideck.db")}
        command = [environment.script("digideck"), "deck", "check", str(deck)]
        subprocess.run(command, env=settings, cwd=folder, check=True)


def development() -> Environment:
    """The environment with the package, editable, and the tools."""
    environment = Environment(BUILD / "venv")
    environment.install("--editable", str(ROOT), *tools())
    return environment


def dependencies() -> list[str]:
    """What the package asks for."""
    return list(project()["project"]["dependencies"])


def tools() -> list[str]:
    """What work on it asks for besides."""
    return list(project()["dependency-groups"]["dev"])


def project() -> dict[str, Any]:
    """What pyproject.toml says."""
    import tomllib  # not in the Pythons that main() turns away

    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def other_pythons() -> list[str]:
    """Every other Python from 3.11 to 3.14 that is on the PATH or known to pyenv, the
    newest last.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for minor in range(11, 15):
        on_path = shutil.which(f"python3.{minor}")
        for program in [*pyenv.glob(f"3.{minor}.*/bin/python3.{minor}"), *filter(None, [on_path])]:
            starts = subprocess.run([program, "-c", ""], capture_output=True, check=False)
            if starts.returncode == 0:  # pyenv has programs of versions that are not chosen
                found[minor] = str(program)
                break
    return [found[minor] for minor in sorted(found) if minor != sys.version_info[1]]


class Environment:
    """A virtual environment, made when it is first needed."""

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        self.folder = folder
        self.bin = folder / ("Scripts" if sys.platform == "win32" else "bin")
        if not (self.bin / self._name("python")).exists():
            print(f"making {folder.name}: a virtual environment, a minute or so", flush=True)
            subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)

    @staticmethod
    def _name(program: str) -> str:
        return f"{program}.exe" if sys.platform == "win32" else program

    def script(self, program: str) -> str:
        """The path of a program in this environment."""
        return str(self.bin / self._name(program))

    def run(self, *arguments: str) -> None:
        """Run its Python here; end with its exit code if that is not 0."""
        settings = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [self.script("python"), *arguments]
        code = subprocess.run(command, cwd=ROOT, env=settings, check=False).returncode
        if code:
            sys.exit(code)

    def install(self, *arguments: str, after: Iterable[str] = ()) -> None:
        """pip install, once for each state of pyproject.toml.

        ``after`` are the arguments of a first full install; once that is done,
        ``arguments`` alone bring the package up to date.
        """
        first = list(after) or list(arguments)
        state = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + repr(first).encode())
        stamp = self.folder / "installed"
        done = stamp.exists() and stamp.read_text() == state.hexdigest()
        if not done:
            self._pip(*first)
            stamp.write_text(state.hexdigest())
        elif after:
            self._pip(*arguments)

    def _pip(self, *arguments: str) -> None:
        self.run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments)


if __name__ == "__main__":
    main()
