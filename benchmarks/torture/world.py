"""The folders that commands are run in, and what may be in them afterwards."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.torture.process import ROOT, Ended, command, environment

DATABASE = "d.db"
VERSIONS = ROOT / "tests/schema/versions"
LEDGER = ("batch", "entry", "holding", "want", "link")
INPUTS = {
    "own.csv": "number,count\nSt-2,3\nSt-7,1\n",
    "cards.csv": "number,name,kind,level,set,game\nDα-002,Yukimibotamon,Digimon,II,My box,alpha\n",
    "game.csv": "number,name,set,kind\n"
    + "".join(f"N-{n},M {n},S {n // 50},Monster\n" for n in range(600)),
    "links.yaml": "links:\n- {kind: EAN-13, payload: '4912345678904', cards: [St-5]}\n",
    "answers.txt": "WAITING St-6\n",
}
PICTURES = """
from pathlib import Path
from tests.cli.pictures import bars, photo
bars(Path("bars.png"), 5)
photo(Path("photos/one.png"), "KNOWN")
photo(Path("photos/two.png"), "KNOWN", "WAITING")
photo(Path("waiting/three.png"), "WAITING")
"""  # fmt: skip
HISTORY = (
    "collection add St-1 3", "collection add Dα-065 2 --condition NM", "collection wants St-44 2",
    "barcode link Code128:KNOWN St-3", "barcode link EAN-13:4901234567894 St-1",
    "scan photos waiting --workers 1", "db export userdata.jsonl", "db backup copy.db",
    "db backup taken.db", "collection add St-1 1",
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """A command that writes. It starts from the database of ``start``: now, v1 ..., or none.

    ``steps``: it keeps what it has done so far, as it promises, and only its change of the
    ledger is one; the rest of what it writes is looked at when it has run again.
    """

    line: str
    start: str = "now"
    steps: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """As the shell would give them."""
        return tuple(self.line.split())

    @property
    def name(self) -> str:
        """Short, for the figures."""
        return self.line if self.start == "now" else f"{self.line} ({self.start})"


WRITING = tuple(
    Task(line)
    for line in (
        "collection add St-2 2",
        "collection remove St-1 1",
        "collection set St-1 5",
        "collection import own.csv --replace",
        "collection wants St-2 4",
        "collection undo",
        "collection export out.csv",
        "import cards.csv --new-sets",
        "import game.csv --new-game own --new-sets",
        "barcode link EAN-13:4912345678904 St-4",
        "barcode unlink EAN-13:4901234567894 St-1",
        "barcode enrol bars.png St-8",
        "barcode import links.yaml",
        "barcode export out.yaml",
        "barcode labels St-9 --out out.svg",
        "scan review answers.txt",
        "deck convert deck.txt --to csv --out out.csv",
        "db verify --repair",
        "db backup",
        "db backup out.db",
        "db backup taken.db --force",
        "db restore copy.db",
        "db export out.jsonl",
    )
)
SCANS = (
    Task("scan photos photos --workers 1 --add", steps=True),
    Task("scan photos photos --workers 2 --add", steps=True),
)
OPENING = (
    Task("collection add St-2 2", start="none"),
    Task("db import userdata.jsonl", start="none"),
    Task("db restore copy.db", start="none"),
    *(Task("db info", start=path.stem) for path in sorted(VERSIONS.glob("v*.sql"))),
)
TASKS = (*WRITING, *SCANS, *OPENING)
# Commands that write nothing of the user's; a test holds that every command is here or above.
READING = """
    sets find show formats completion doctor deck/check deck/missing deck/diff deck/hand deck/lines
    deck/odds deck/show collection/list collection/trades collection/progress
    collection/buildable collection/history barcode/list db/info"""
UNTRIED = ["scan/camera"]  # writes as scan photos does, and wants a video

State = dict[str, str]


@cache
def world() -> World:
    """The world of this process: what it has worked out of commands is of use to all parts."""
    return World()


class World:
    """Folders for commands, in memory where the system has such a place; gone with the process."""

    def __init__(self) -> None:
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._place = tempfile.TemporaryDirectory(prefix="digideck-torture-", dir=memory)
        self.root = Path(self._place.name)
        self._templates: dict[str, Path] = {}
        self._starts: dict[str, State] = {}
        self._ends: dict[Task, tuple[Ended, State]] = {}
        self._make_now()

    def folder(self, task: Task, name: str = "case") -> Path:
        """A fresh folder in the state that ``task`` starts from."""
        target = self.empty_folder(name)
        shutil.copytree(self.start(task), target, dirs_exist_ok=True)
        return target

    def empty_folder(self, name: str = "case") -> Path:
        """A fresh folder with nothing in it."""
        target = self.root / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        return target

    def start(self, task: Task) -> Path:
        """The folder that ``task`` starts from, not to be written to."""
        if task.start not in self._templates:
            folder = self.root / f"template-{task.start}"
            shutil.copytree(self._templates["now"], folder)
            (folder / DATABASE).unlink()
            if task.start != "none":
                with closing(sqlite3.connect(folder / DATABASE)) as connection:
                    connection.executescript((VERSIONS / f"{task.start}.sql").read_text("utf-8"))
            self._templates[task.start] = folder
        return self._templates[task.start]

    def before(self, task: Task) -> State:
        """The state that it starts from."""
        if task.start not in self._starts:
            self._starts[task.start] = state(self.start(task))
        return self._starts[task.start]

    def after(self, task: Task) -> tuple[Ended, State]:
        """How it ends if nothing comes in between, and the state then."""
        if task not in self._ends:
            folder = self.folder(task, "reference")
            ended = command(folder, *task.words)
            if ended.code not in (0, 1) or ended.crashed:
                raise RuntimeError(f"digideck {task.line} ends with {ended.code}: {ended.err}")
            self._ends[task] = ended, state(folder)
        return self._ends[task]

    def judge(self, task: Task, folder: Path, *, done: bool) -> Iterator[tuple[str, str]]:
        """What is wrong with ``folder`` after ``task`` was stopped in it, or is ``done``: each
        the kind and how. Whatever comes next is run there as well.
        """
        verified = command(folder, "db", "verify")
        if verified.code or verified.crashed:
            yield (
                "unverifiable",
                f"db verify: {verified.code} {verified.err.strip() or verified.out}",
            )
            return
        before, after, found = self.before(task), self.after(task)[1], state(folder)
        allowed = [after] if done or task.start != "now" else [before, after]
        if task.start == "none" and not done:  # built, whichever of the two commands did it
            allowed.append(self._empty())
        if task.steps and not done:
            allowed = [_part(one) for one in allowed]
            found = _part(found)
        if found not in allowed:
            yield _difference(found, allowed)
        again = task.steps and command(folder, *task.words)
        if again and (again.code or _part(state(folder)) != _part(after)):
            yield "half-written", f"run again: {again.code} {again.err.strip()}"
        following = command(folder, "collection", "add", "St-10", "1")
        if following.code or following.crashed:
            yield (
                "failed without cause",
                f"collection add: {following.code} {following.err.strip()}",
            )
        known = {*self.before(task), *after}
        if over := leftovers(folder, known):
            yield "left behind", ", ".join(over)

    def _make_now(self) -> None:
        folder = self._templates["now"] = self.root / "template-now"
        folder.mkdir()
        for name, text in INPUTS.items():
            (folder / name).write_text(text, "utf-8")
        shutil.copy(ROOT / "examples/decks/alpha-legal.txt", folder / "deck.txt")
        subprocess.run([sys.executable, "-c", PICTURES], cwd=folder, env=environment(), check=True)
        for line in HISTORY:
            ended = command(folder, *line.split())
            if ended.code:
                raise RuntimeError(f"digideck {line} ends with {ended.code}: {ended.err}")

    @cache  # noqa: B019 - one world for a run
    def _empty(self) -> State:
        folder = self.folder(Task("db verify", start="none"), "empty")
        command(folder, "db", "verify")
        return state(folder)


def state(folder: Path) -> State:
    """What is in a folder: of databases each table's rows and of all else the bytes, in short.

    Backups count if they are whole, and not by their names; the journals of SQLite do not.
    """
    found: State = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or _is_leftover(name) or path.suffix == ".png":
            continue
        if path.suffix != ".db":
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        elif name == DATABASE:
            found |= {f"{name} {table}": rows for table, rows in content(path).items()}
        elif path.parent == folder:
            found[name] = _digest(repr(content(path)))
        elif "damaged" in (kept := content(path)):
            found[name] = f"damaged: {kept['damaged']}"
    return found


def content(path: Path) -> dict[str, str]:
    """Each table's number of rows and a digest of them, but for times and places."""
    if any(Path(f"{path}{end}").exists() for end in ("-journal", "-wal")):
        return _content(path)
    digest = hashlib.sha256(path.read_bytes()).digest()
    if digest not in _CONTENTS:
        _CONTENTS[digest] = _content(path)
    return _CONTENTS[digest]


_CONTENTS: dict[bytes, dict[str, str]] = {}


def _content(path: Path) -> dict[str, str]:
    tables = {}
    try:
        with closing(sqlite3.connect(path)) as connection:
            # What `db verify` is for in the database itself.
            check = "SELECT 'ok'" if path.name == DATABASE else "PRAGMA quick_check(1)"
            (whole,) = connection.execute(check).fetchone()
            if whole != "ok":
                return {"damaged": whole}
            named = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            for (table,) in connection.execute(named).fetchall():
                columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
                kept = [name for _, name, *_ in columns if not name.endswith("_at")]
                row = " || '|' || ".join(f"ifnull({name}, '~')" for name in kept if name != "path")
                count, rows = connection.execute(
                    f"SELECT COUNT(*), group_concat({row}, char(10)) FROM {table}"
                ).fetchone()
                tables[table] = f"{count} {_digest(rows or '')}"
    except sqlite3.Error as error:
        return {"damaged": str(error)}
    return tables


def leftovers(folder: Path, known: set[str]) -> list[str]:
    """Files that no command should leave: ``known`` are the names in its states."""
    names = {name.split(" ")[0] for name in known} | {DATABASE}
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        backup = name.startswith("backups/") and path.suffix == ".db"
        odd = _is_leftover(name) or (name not in names and not backup)
        if path.is_file() and path.suffix != ".png" and odd:
            found.append(name)
    return found


def _is_leftover(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return last.startswith(".") or last.endswith((".part", "-journal", "-wal", "-shm"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _part(whole: State) -> State:
    return {name: rows for name, rows in whole.items() if name.split(" ")[-1] in LEDGER}


def _difference(found: State, allowed: list[State]) -> tuple[str, str]:
    """Whether rows or files are missing or something is between two states, and where."""
    odd = [name for name, rows in found.items() if all(one.get(name) != rows for one in allowed)]
    gone = [name for name in {n for one in allowed for n in one} if name not in found]
    fewest = {
        name: min(_rows(one[name]) for one in allowed if name in one)
        for name in odd
        if any(name in one for one in allowed)
    }
    lost = [name for name in odd if name in fewest and _rows(found[name]) < fewest[name]]
    mixed = not odd and not gone
    how = "each part is of one state, not all of the same" if mixed else f"{sorted(odd + gone)}"
    details = "; ".join(
        f"{n}: {found.get(n)} for {[one.get(n) for one in allowed]}" for n in (odd + gone)[:3]
    )
    return ("lost" if lost or (gone and not odd) else "half-written"), f"{how} {details}"


def _rows(value: str) -> int:
    first, space, _ = value.partition(" ")
    return int(first) if space and first.isdigit() else 0
