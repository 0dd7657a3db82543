"""The command line of the harness: see the package."""

from __future__ import annotations

import argparse
import importlib
import secrets
import sys
import time

PARTS = ("kills", "power", "races", "full")


def main() -> None:
    """Run parts for equal shares of the time; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}: all")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--all", action="store_true", help="a part that cannot run is a finding")
    options = parser.parse_args()
    parts = options.parts or list(PARTS)
    if unknown := sorted(set(parts) - set(PARTS)):
        parser.error(f"no such part: {', '.join(unknown)}")
    print(
        f"python -m benchmarks.torture {' '.join(options.parts)} --seed {options.seed}", flush=True
    )
    bad = False
    end = time.monotonic() + options.minutes * 60
    for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
        module = importlib.import_module(f"benchmarks.torture.{part}")
        figures = module.run(max(end - time.monotonic(), 0) / left, options.seed)
        print("\n".join(figures.lines()), flush=True)
        bad |= bool(figures.findings) or (options.all and bool(figures.skipped))
    sys.exit(bad)


if __name__ == "__main__":
    main()
