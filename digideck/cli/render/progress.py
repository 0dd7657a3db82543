"""A progress bar on stderr, only where that is a terminal."""

from __future__ import annotations

import sys
import time

_WIDTH = 30
_EVERY = 0.1  # seconds


class Progress:
    """One line that is drawn over itself and leaves nothing behind."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self._last = 0.0
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, text: str, fraction: float | None = None) -> None:
        """Draw ``text``, behind a bar where the ``fraction`` that is done is known."""
        now = time.monotonic()
        if not self.shown or now - self._last < _EVERY:
            return
        self._last = now
        bar = ""
        if fraction is not None:
            full = int(_WIDTH * min(1.0, fraction))
            bar = f"[{'#' * full}{'.' * (_WIDTH - full)}] {min(100, int(100 * fraction)):3} %  "
        self._drawn = True
        print(f"\r\033[K{bar}{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away, before anything else is printed."""
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._drawn = False
