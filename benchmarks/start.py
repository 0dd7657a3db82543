"""How long whole commands take, in times of bare Python's own start.

python -m benchmarks.start [RUNS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

DECK = Path(__file__).parent.parent / "examples" / "decks" / "hyper-colosseum-legal.txt"
COMMANDS = (
    ("show", "Dα-065"),
    ("find", "greymon"),
    ("__complete", "cards", "St-1"),
    ("sets", "alpha"),
    ("formats", "alpha"),
    ("deck", "check", str(DECK)),
    ("--help",),
)


def main() -> None:
    """Print the median of user and system time, and the peak memory, of each command."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIGIDECK_DB"] = str(Path(folder) / "digideck.db")
        first, memory = cost([sys.executable, "-m", "digideck", "db", "info"], 1)
        print(f"first use, building the database: {first * 1000:.0f} ms CPU, {memory:.0f} MB")
        bare, memory = cost([sys.executable, "-c", "pass"], runs)
        print(f"{'python -c pass':40} {bare * 1000:6.1f} ms    1.0 x {memory:6.1f} MB")
        for words in COMMANDS:
            # The installed script's own work, without -m's extra look-ups.
            program = "from digideck.__main__ import main; main()"
            seconds, memory = cost([sys.executable, "-c", program, *words], runs)
            shown = " ".join(Path(word).name for word in words)
            print(f"{shown:40} {seconds * 1000:6.1f} ms {seconds / bare:6.1f} x {memory:6.1f} MB")


def cost(command: list[str], runs: int) -> tuple[float, float]:
    """Median CPU seconds and peak MB of a command over some runs."""
    results = sorted(_once(command) for _ in range(runs))
    return results[len(results) // 2][0], max(memory for _, memory in results)


def _once(command: list[str]) -> tuple[float, float]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
