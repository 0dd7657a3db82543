"""The disk is full, read-only or broken from some change of a file on, or for one alone.

A small library in C, preloaded, lets the calls of a command fail; this module compiles it and
runs itself once more under it, so that its forks have it too.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.torture.figures import Figures, Finding
from benchmarks.torture.process import ROOT, Ended, Process
from benchmarks.torture.world import TASKS, Task, World, leftovers, world

SOURCE = Path(__file__).with_name("full.c")
WAYS = ("full", "full", "readonly", "broken")
NEVER = 10**9


def run(seconds: float, seed: int, tasks: tuple[Task, ...] = TASKS, fewest: int = 1) -> Figures:
    """Let changes of files fail in ``tasks``, in rounds of random order, until the time is over."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler or not sys.platform.startswith("linux"):
        return Figures("full", skipped="there is no C compiler (apt-get install gcc libc6-dev)")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "full.so"
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"]
        subprocess.run(command, check=True)
        names = [TASKS.index(task) for task in tasks]
        what = json.dumps([seconds, seed, names, fewest])
        ended = subprocess.run(
            [sys.executable, "-m", "benchmarks.torture.full", what],
            env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
    found = json.loads(ended.stdout)
    return Figures(
        "full", Counter(found["tried"]), findings=[Finding(*one) for one in found["findings"]]
    )


def main() -> None:
    """Under the library: print the figures as JSON."""
    seconds, seed, names, fewest = json.loads(sys.argv[1])
    figures = _under_library(seconds, seed, tuple(TASKS[place] for place in names), fewest)
    findings = [(one.kind, one.subject, one.how) for one in figures.findings]
    print(json.dumps({"tried": figures.tried, "findings": findings}))


def _under_library(seconds: float, seed: int, tasks: tuple[Task, ...], fewest: int) -> Figures:
    figures, chance = Figures("full"), random.Random(seed)
    end, here = time.monotonic() + seconds, world()
    changes: dict[tuple[Task, str], int] = {}
    while True:
        for task in chance.sample(tasks, len(tasks)):
            if time.monotonic() >= end and figures.tried.total() >= fewest:
                return figures
            way = chance.choice(WAYS)
            if (task, way) not in changes:
                changes[task, way] = _changes(here, task, way)
            if changes[task, way]:
                _fail(here, task, way, _place(changes[task, way], chance), figures, chance)
        if not any(changes.values()):
            return Figures("full", skipped="no change of a file is seen by the preloaded library")


def _place(most: int, chance: random.Random) -> int:
    """Which change fails: any, but more often one near the start or the end."""
    near = int(math.exp(chance.random() * math.log(most + 1)))
    return chance.choice((near, most + 1 - near, chance.randint(1, most)))


def _changes(here: World, task: Task, way: str) -> int:
    """How many changes a command makes that could fail this way."""
    log = here.root / "log"
    log.unlink(missing_ok=True)
    _run(here, task, {"TORTURE_WAY": way, "TORTURE_AT": str(NEVER), "TORTURE_LOG": str(log)})
    return log.stat().st_size if log.exists() else 0


def _run(here: World, task: Task, settings: dict[str, str]) -> tuple[Path, Ended]:
    folder = here.folder(task)
    os.environ.update(settings, TORTURE_FOLDER=str(folder))
    try:
        process = Process(folder, task.words)
    finally:
        for name in (*settings, "TORTURE_FOLDER"):
            del os.environ[name]
    return folder, process.wait()


def _fail(
    here: World, task: Task, way: str, at: int, figures: Figures, chance: random.Random
) -> None:
    last = chance.choice((0, at))
    settings = {"TORTURE_WAY": way, "TORTURE_AT": str(at), "TORTURE_LAST": str(last)}
    folder, ended = _run(here, task, settings)
    figures.tried[f"{way}: {task.name}"] += 1
    expected, after = here.after(task)
    how = f"{way} at {at}{' alone' if last else ' and on'}, ended with {ended.code}"
    if ended.crashed:
        figures.found("traceback", task.name, f"{how}: {ended.err.strip()[-400:]}")
    elif ended.code not in (expected.code, 3) or (ended.code == 3 and not ended.err.strip()):
        figures.found("failed without cause", task.name, f"{how}: {ended.err.strip()}")
    over = leftovers(folder, {*here.before(task), *after})
    if over and way != "readonly" and not last:  # what cannot be removed may stay
        figures.found("left behind", task.name, f"{how}, at once: {', '.join(over)}")
    for kind, what in here.judge(task, folder, done=ended.code == expected.code):
        figures.found(kind, task.name, f"{how}: {what} (it said: {ended.err.strip()[:200]})")


if __name__ == "__main__":
    main()
