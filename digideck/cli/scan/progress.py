"""The progress of long work, on standard error and only on a terminal."""

from __future__ import annotations

import sys
import time

_WIDTH = 24
_EVERY = 0.1  # seconds


class Progress:
    """``[####      ] 120/400  18.2 pictures/s``, on one line that is written over."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._shown = sys.stderr.isatty()
        self._start = self._last = time.monotonic()

    def show(self, done: int) -> None:
        """So many pictures are done."""
        now = time.monotonic()
        if not self._shown or (now - self._last < _EVERY and done < self._total):
            return
        self._last = now
        filled = _WIDTH * done // max(self._total, 1)
        rate = done / max(now - self._start, 1e-6)
        bar = "#" * filled + " " * (_WIDTH - filled)
        line = f"[{bar}] {done:,}/{self._total:,}  {rate:.1f} pictures/s"
        print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
