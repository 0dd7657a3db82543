"""How fast a long list of a user's own game goes into the database, and comes again.

python -m benchmarks.importing [ROWS]
"""

from __future__ import annotations

import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEADER = ("number", "name", "set", "kind", "level", "cost", "power")
LEVELS = ("I", "II", "III", "IV")


def main() -> None:
    """Print rows a second, by the clock and by CPU time, and peak memory, of each run."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path, mixed, wrong = (Path(folder) / name for name in ("own.csv", "mixed.csv", "wrong.csv"))
        write(path, rows)
        write(mixed, rows, shuffled=True)
        write(wrong, rows, prefix="?")
        print(f"{rows:,} rows, {path.stat().st_size / 1e6:.0f} MB, {os.cpu_count()} processors")
        bare(path, rows)
        own = ("--new-game", "own", "--new-sets")
        show("first import", rows, command(folder, "a.db", path, *own))
        show("the same file again", rows, command(folder, "a.db", path, "--game", "own"))
        show("first, in no order", rows, command(folder, "b.db", mixed, *own))
        show("every row refused", rows, command(folder, "b.db", wrong, "--game", "alpha"))


def write(path: Path, rows: int, *, prefix: str = "OWN", shuffled: bool = False) -> None:
    """Made-up cards, a thousand to a set."""
    places = list(range(rows))
    if shuffled:
        random.Random(7).shuffle(places)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(HEADER)
        for place in places:
            level = LEVELS[place % len(LEVELS)]
            out.writerow(
                (f"{prefix}-{place:07}", f"Monster {place}", f"Set {place // 1000}", "Monster",
                 level, place % 10, 10 * (place % 100))
            )  # fmt: skip


def bare(path: Path, rows: int) -> None:
    """The loop that any reader of CSV has."""
    start, cpu = time.perf_counter(), time.process_time()
    with path.open(newline="", encoding="utf-8") as file:
        for _ in csv.reader(file):
            pass
    show("bare csv.reader loop", rows, (time.perf_counter() - start, time.process_time() - cpu, 0))


def command(folder: str, database: str, *words: str | Path) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak MB of one ``digideck import``, on a database that is built."""
    environment = {**os.environ, "DIGIDECK_DB": str(Path(folder) / database)}
    digideck = [sys.executable, "-m", "digideck"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    subprocess.run([*digideck, "db", "info"], check=True, **quiet)  # type: ignore[call-overload]
    start = time.perf_counter()
    process = subprocess.Popen([*digideck, "import", *words], **quiet)  # type: ignore[call-overload]
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    seconds = time.perf_counter() - start
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def show(what: str, rows: int, cost: tuple[float, float, float]) -> None:
    """One line."""
    seconds, cpu, memory = cost
    peak = f"{memory:6.0f} MB" if memory else ""
    print(
        f"{what:22} {seconds:6.1f} s {rows / seconds:10,.0f} rows/s   "
        f"{cpu:6.1f} s CPU {rows / cpu:10,.0f} rows/s {peak}",
        flush=True,
    )


if __name__ == "__main__":
    main()
