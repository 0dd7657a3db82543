"""How long the collection takes with 100,000 entries over 8,000 cards.

python -m benchmarks.collection [RUNS]

Whole processes, the median of some runs, beside `digideck --version` (the start of
the program) and bare Python's own start. On a machine that does other work as
well, the CPU time is the one to go by.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from digideck.collection.ledger import Holding, record
from digideck.schema.connection import open_to_read, open_to_write, transaction

DECKS = Path(__file__).parent.parent / "examples" / "decks"
ENTRIES, CARDS, ROWS = 100_000, 8_000, 10_000
# The installed script's own work, without -m's extra look-ups.
PROGRAM = [sys.executable, "-c", "from digideck.cli.main import main; main()"]


def main() -> None:
    """Build a collection and print what each command takes on it."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digideck.db"
        # As installed: with compiled modules, whatever the environment says.
        for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"):
            os.environ.pop(name, None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")
        os.environ["DIGIDECK_DB"] = str(path)
        holdings = fill(path)
        print(f"{ENTRIES:,} entries over {CARDS:,} cards, {holdings:,} holdings")
        bare = measure([sys.executable, "-c", "pass"], runs)
        start = measure([*PROGRAM, "--version"], runs)
        print(f"{'python -c pass':44} {bare}")
        print(f"{'digideck --version':44} {start}")
        deck = str(DECKS / "hyper-colosseum-legal.txt")
        three = [str(DECKS / f"{name}-legal.txt") for name in ("hyper-colosseum", "alpha", "dcg")]
        for words in (
            ["collection", "list"],
            ["collection", "list", "greymon"],
            ["collection", "list", "--by", "place"],
            ["collection", "list", "--json"],
            ["collection", "progress"],
            ["collection", "progress", "--all"],
            ["collection", "trades", "--deck", deck],
            ["collection", "history"],
            ["deck", "missing", deck],
            ["deck", "missing", *three],
            ["db", "verify"],
            ["db", "export"],
        ):
            say(words, measure([*PROGRAM, *words], runs), start)
        add = ["collection", "add", "St-1", "3", "--condition", "NM", "--place", "binder 2"]
        took = measure([*PROGRAM, *add], runs)
        say(add, took, start)
        print(f"    {took.cpu / bare.cpu:.1f} times the CPU time of bare Python")
        importing(path, Path(folder), start)


def fill(path: Path) -> int:
    """A collection as it grows over years: purchases, then some copies given away."""
    chance = random.Random(1999)
    connection = open_to_write(path)
    ids = [row[0] for row in connection.execute("SELECT id FROM card ORDER BY id")]
    cards = chance.sample(ids, CARDS)
    have: dict[Holding, int] = {}
    written = 0
    while written < ENTRIES:
        changes: dict[Holding, int] = {}
        while len(changes) < min(100, ENTRIES - written):
            card = (
                cards[(written + len(changes)) % CARDS] if written < CARDS else chance.choice(cards)
            )
            holding = Holding(
                card,
                condition=chance.choice(("NM", "NM", "LP")),
                language=("ja", "en")[card % 2],
                place=f"binder {card % 12}" if chance.random() < 0.9 else "trade box",
            )
            if have.get(holding, 0) > 3 and chance.random() < 0.5:
                changes[holding] = -1
            elif holding not in changes:
                changes[holding] = chance.randint(1, 3)
        with transaction(connection):
            record(connection, "add", "the benchmark", changes)
        for holding, count in changes.items():
            have[holding] = have.get(holding, 0) + count
        written += len(changes)
    (holdings,) = connection.execute("SELECT COUNT(*) FROM holding").fetchone()
    connection.close()
    return int(holdings)


def importing(path: Path, folder: Path, start: Took) -> None:
    """Add 10,000 rows from CSV, each time to a fresh copy of the database."""
    connection = open_to_read(path)
    rows = connection.execute(
        "SELECT game, number, edition FROM card ORDER BY id LIMIT ?", (ROWS,)
    ).fetchall()
    connection.close()
    file = folder / "rows.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["game", "number", "edition", "count", "condition", "place"])
        for place in range(ROWS):
            row = rows[place % len(rows)]
            writer.writerow([*row, 1 + place % 4, "NM", f"box {place % 30}"])
    took = []
    for _ in range(3):
        copy = folder / "copy.db"
        shutil.copyfile(path, copy)
        words = ["collection", "import", str(file), "--add", "--db", str(copy)]
        took.append(measure([*PROGRAM, *words], 0))
    say(["collection", "import", f"{ROWS:,} rows", "--add"], sorted(took)[1], start)


def say(words: list[str], took: Took, start: Took) -> None:
    """One line of the report."""
    shown = " ".join(Path(word).name for word in words)
    beyond = Took(took.cpu - start.cpu, took.wall - start.wall)
    print(f"{shown[:44]:44} {took}   beyond the start {beyond}")


class Took(NamedTuple):
    """What a command took, in milliseconds."""

    cpu: float
    wall: float

    def __str__(self) -> str:
        return f"CPU {self.cpu:7.1f} ms, wall {self.wall:7.1f} ms"


def measure(command: list[str], runs: int) -> Took:
    """The medians of some runs of a command, after one that does not count."""
    took = []
    for _ in range(runs + 1):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        wall = time.perf_counter() - begin
        took.append((usage.ru_utime + usage.ru_stime, wall))
    cpus, walls = zip(*took[1:] or took, strict=True)
    return Took(statistics.median(cpus) * 1000, statistics.median(walls) * 1000)


if __name__ == "__main__":
    main()
