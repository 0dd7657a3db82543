"""What every test stands on: a database of its own, and the command line run in-process."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import digideck
from digideck.catalog.cards import CardIndex
from digideck.cli.main import main
from digideck.decks.model import DeckVocabulary
from digideck.decks.rules.rule_files import FormatTable
from digideck.decks.rules.verdict import Judge
from digideck.schema.connection import create, open_to_read
from digideck.schema.shipped_files import games

# No time limits: a loaded machine is not a failure. The same examples on every run.
settings.register_profile(
    "digideck",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("digideck")


@dataclass(frozen=True)
class Result:
    """How a command ended and what it printed."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        """The object it printed under --json."""
        answer: dict[str, Any] = json.loads(self.stdout)
        return answer

    @property
    def output(self) -> str:
        """Both streams, one after the other."""
        return self.stdout + self.stderr


Run = Callable[..., Result]
Write = Callable[[str, str | bytes], Path]
Shell = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="session", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home folder of the tests' own, so that nothing of the user's is read or written."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
            patch.setenv(name, str(home))
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(home / name.lower()))
        for name in ("DIGIDECK_DB", "NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING"):
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(scope="session")
def built(_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database as first use builds it. Read it, never write: it is everybody's."""
    path = tmp_path_factory.mktemp("database") / "built.db"
    create(path)
    path.chmod(0o444)
    return path


@pytest.fixture
def database(built: Path, tmp_path: Path) -> Path:
    """A fresh copy of the database, to write to."""
    path = tmp_path / "digideck.db"
    shutil.copyfile(built, path)
    return path


@pytest.fixture
def run(database: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("show", "St-1")``: the command line in this process, on `database`."""

    def run(
        *args: str | Path,
        stdin: str | bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin or b""
        streams = {
            "stdin": io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"),
            "stdout": io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True),
            "stderr": io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True),
        }
        with monkeypatch.context() as patch:
            patch.setenv("DIGIDECK_DB", str(database))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as ended:
                main([str(argument) for argument in args])
        out, err = (
            streams[name].buffer.getvalue().decode()  # type: ignore[attr-defined]
            for name in ("stdout", "stderr")
        )
        code = ended.value.code
        return Result(code if isinstance(code, int) else 1, out, err)

    return run


@pytest.fixture
def shell(database: Path, tmp_path: Path) -> Shell:
    """``shell("show", "St-1")``: the command line as a process of its own, on `database`.

    ``python`` takes the place of ``-m digideck``; other keywords go to subprocess.run.
    """
    base = {
        **os.environ,
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
        "DIGIDECK_DB": str(database),
    }

    def shell(
        *args: str | bytes | Path,
        env: Mapping[str, str] | None = None,
        python: tuple[str, ...] = ("-m", "digideck"),
        **settings: Any,
    ) -> subprocess.CompletedProcess[bytes]:
        command: list[Any] = [sys.executable, *python, *args]
        settings = {"capture_output": True, "cwd": tmp_path, "timeout": 120} | settings
        return subprocess.run(command, env=base | dict(env or {}), check=False, **settings)

    return shell


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """``write("deck.txt", "3 Agumon")``: a file of this test's, and its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def words() -> DeckVocabulary:
    """The words and number shapes of every game that ships; no database."""
    return DeckVocabulary(games())


@pytest.fixture(scope="session")
def index(built: Path) -> Iterator[CardIndex]:
    """The shipped cards."""
    connection = open_to_read(built)
    yield CardIndex(connection)
    connection.close()


@pytest.fixture(scope="session")
def judge(index: CardIndex) -> Judge:
    """Judges decks by the shipped formats and cards."""
    return Judge(index, FormatTable(index.connection, index.games))
