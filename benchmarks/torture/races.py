"""Two commands at once: every pair of those that write, and several at first use."""

from __future__ import annotations

import random
import time
from itertools import combinations_with_replacement

from benchmarks.torture.figures import Figures
from benchmarks.torture.process import Process, command
from benchmarks.torture.world import OPENING, WRITING, State, Task, World, leftovers, state, world

PAIRS = tuple(combinations_with_replacement(WRITING, 2))
CROWD = 4  # processes that come to a database that is not there yet, or of an earlier version
Outcome = tuple[list[int], State]


def run(
    seconds: float, seed: int, pairs: tuple[tuple[Task, Task], ...] = PAIRS, fewest: int = 1
) -> Figures:
    """Let two commands run at once, a different pair each time, and in between a crowd open a
    database, until the time is over.
    """
    figures, chance = Figures("races"), random.Random(seed)
    end, here = time.monotonic() + seconds, world()
    serial: dict[tuple[Task, ...], Outcome] = {}
    while True:
        for place, pair in enumerate(chance.sample(pairs, len(pairs))):
            if time.monotonic() >= end and figures.tried.total() >= fewest:
                return figures
            if place % 4 == 0:
                _race(here, [chance.choice(OPENING)] * CROWD, chance, serial, figures)
            _race(here, list(pair), chance, serial, figures)


def _race(
    here: World,
    tasks: list[Task],
    chance: random.Random,
    serial: dict[tuple[Task, ...], Outcome],
    figures: Figures,
) -> None:
    """Each must end as it does before or after the other, and leave what the two orders leave."""
    folder = here.folder(tasks[0])
    delay = chance.random() * 0.06  # seconds: where one begins to work while the other does
    processes = []
    for task in tasks:
        processes.append(Process(folder, task.words))
        time.sleep(delay)
    ended = [process.wait() for process in processes]
    name = (
        f"{len(tasks)} x {tasks[0].name}" if len(tasks) > 2 else " | ".join(t.name for t in tasks)
    )
    figures.tried[name] += 1
    how = f"{delay * 1000:.0f} ms apart"
    for one in ended:
        if one.crashed:
            figures.found("traceback", name, f"{how}: {one.err.strip()[-300:]}")
    orders = [_serial(here, tuple(tasks), serial), _serial(here, tuple(tasks[::-1]), serial)]
    codes = [one.code for one in ended]
    allowed = [orders[0][0], orders[1][0][::-1]]
    if sorted(codes) not in [sorted(one) for one in allowed]:
        said = " / ".join(one.err.strip() for one in ended if one.code)
        figures.found("failed without cause", name, f"{how}: {codes} for {allowed}: {said}")
        return
    verified = command(folder, "db", "verify")
    if verified.code:
        figures.found("unverifiable", name, f"{how}: {verified.err or verified.out}")
    found = state(folder)
    if found not in [after for _, after in orders]:
        odd = [key for key, value in found.items() if value not in (o[1].get(key) for o in orders)]
        figures.found("lost", name, f"{how}: {odd or 'parts of both orders'}")
    if over := leftovers(folder, {*found, *here.before(tasks[0])}):
        figures.found("left behind", name, f"{how}: {', '.join(over)}")


def _serial(
    here: World, tasks: tuple[Task, ...], known: dict[tuple[Task, ...], Outcome]
) -> Outcome:
    """The exit codes and the state if one runs after the other."""
    if tasks not in known:
        folder = here.folder(tasks[0], "serial")
        known[tasks] = [command(folder, *task.words).code for task in tasks], state(folder)
    return known[tasks]
