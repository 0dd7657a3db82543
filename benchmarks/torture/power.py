"""The power goes at any moment of a command: what a disk may hold then, and what it was told."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import count

from benchmarks.torture.figures import Figures
from benchmarks.torture.replay import WAYS, Disk
from benchmarks.torture.trace import Op, available, record
from benchmarks.torture.world import OPENING, WRITING, Task, World, world

ORDER = ("sync", "rename", "link", "unlink", "create", "mkdir", "said")
TASKS = (*OPENING, *WRITING)


def run(seconds: float, seed: int, tasks: tuple[Task, ...] = TASKS, fewest: int = 1) -> Figures:
    """Cut the power in ``tasks``, in rounds of random order, until the time is over; at least
    ``fewest`` rounds of those that there was time to record.
    """
    figures, chance = Figures("power", skipped=available()), random.Random(seed)
    if figures.skipped:
        return figures
    end, here = time.monotonic() + seconds, world()
    cuts: dict[Task, _Cuts] = {}
    for rounds in count():
        for task in chance.sample(tasks, len(tasks)):
            if time.monotonic() >= end and figures.tried and (rounds >= fewest or task not in cuts):
                return figures
            if task not in cuts:
                cuts[task] = _Cuts(here, task, chance)
            cuts[task].next(figures)
    raise AssertionError("the rounds do not end by themselves")


class _Cuts:
    """What a command did, and the moments of it that were tried."""

    def __init__(self, here: World, task: Task, chance: random.Random) -> None:
        self.here, self.task, self.chance = here, task, chance
        self.ops, ended = record(here.folder(task), task.words)
        if ended.code != here.after(task)[0].code:
            raise RuntimeError(f"{task.name} under strace: {ended.code} {ended.err}")
        self.moments = _moments(self.ops, chance)
        self.seen: set[int] = set()

    def next(self, figures: Figures) -> None:
        """Try one more moment; one that leaves what was seen before is not looked at again."""
        place, way = next(self.moments)
        folders, files = (
            Disk(self.here.start(self.task)).apply(self.ops[:place]).after(way, self.chance)
        )
        done = any(op.kind == "said" for op in self.ops[:place]) or place == len(self.ops)
        state = hash((done, frozenset(files.items())))
        if state in self.seen:
            return
        self.seen.add(state)
        figures.tried[self.task.name] += 1
        folder = self.here.empty_folder()
        for name in sorted(folders):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        last = f"{self.ops[place - 1].kind} {self.ops[place - 1].path}" if place else "the start"
        how = f"cut after {place} of {len(self.ops)} ({last}), kept: {way}"
        for kind, what in self.here.judge(self.task, folder, done=done):
            figures.found(
                "lost" if done else kind, self.task.name, f"{how}{', done' * done}: {what}"
            )


def _moments(ops: list[Op], chance: random.Random) -> Iterator[tuple[int, str]]:
    """How many operations were done and what is left of them: the end first, as it was promised,
    then around what orders writes, then any.
    """
    yield from ((len(ops), way) for way in WAYS)
    edges = [n + m for n, op in enumerate(ops) for m in (0, 1) if op.kind in ORDER]
    first = [(place, way) for place in dict.fromkeys(edges) for way in WAYS]
    chance.shuffle(first)
    yield from first
    while True:
        yield chance.randrange(len(ops) + 1), chance.choice(WAYS)
