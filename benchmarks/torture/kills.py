"""Signals at random moments of every command that writes, to it and to its workers."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.torture.figures import Figures
from benchmarks.torture.process import Process
from benchmarks.torture.world import TASKS, Task, World, leftovers, world

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
COLD = 6  # one in so many starts a Python of its own


def run(seconds: float, seed: int, tasks: tuple[Task, ...] = TASKS, fewest: int = 1) -> Figures:
    """Kill ``tasks`` in rounds of random order until the time is over, ``fewest`` times or more."""
    figures, chance = Figures("kills"), random.Random(seed)
    end, here = time.monotonic() + seconds, world()
    lengths: dict[tuple[Task, bool], float] = {}
    while True:
        for task in chance.sample(tasks, len(tasks)):
            if time.monotonic() >= end and figures.tried.total() >= fewest:
                return figures
            _kill(here, task, chance, lengths, figures)


def _kill(
    here: World,
    task: Task,
    chance: random.Random,
    lengths: dict[tuple[Task, bool], float],
    figures: Figures,
) -> None:
    number, cold, part = chance.choice(SIGNALS), chance.randrange(COLD) == 0, chance.random()
    worker = "--workers" in task.words and chance.random() < 0.5
    expected = here.after(task)[0].code
    if (task, cold) not in lengths:
        folder, began = here.folder(task), time.monotonic()
        Process(folder, task.words, cold=cold).wait()
        lengths[task, cold] = time.monotonic() - began
    wait = part * 1.1 * lengths[task, cold]
    how = f"{number.name} {'to a worker ' * worker}after {wait * 1000:.0f} ms{' cold' * cold}"
    folder = here.folder(task)
    process = Process(folder, task.words, cold=cold)
    time.sleep(wait)
    if worker:
        _kill_worker(process, chance)
        hit = False
    else:
        hit = process.signal(number)
    ended = process.wait()
    figures.tried[task.name] += 1
    figures.running += hit
    if ended.crashed:
        figures.found("traceback", task.name, f"{how}: {ended.err.strip()[-300:]}")
    if ended.code not in _codes(number if hit else None, expected, worker):
        figures.found("failed without cause", task.name, f"{how}: {ended.code} {ended.err.strip()}")
    if number != signal.SIGKILL and (left := _odd(here, task, folder)):
        figures.found("left behind", task.name, f"{how}, at once: {', '.join(left)}")
    for kind, what in here.judge(task, folder, done=ended.code == expected and not worker):
        figures.found(kind, task.name, f"{how}, ended with {ended.code}: {what}")


def _kill_worker(process: Process, chance: random.Random) -> None:
    children = process.children()
    if children:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(children), signal.SIGKILL)


def _codes(number: signal.Signals | None, expected: int, worker: bool) -> set[int]:
    """The exit codes that are right: of one that was killed, or too late for that."""
    if worker:  # the picture in its hand is told of as one that cannot be read
        return {expected, 3}
    return {expected} if number is None else {expected, -number, 128 + number}


def _odd(here: World, task: Task, folder: Path) -> list[str]:
    return leftovers(folder, {*here.before(task), *here.after(task)[1]})
