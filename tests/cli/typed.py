"""A command at a terminal of its own, to type at."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parent.parent.parent
_SECONDS = 120
# Standard input becomes the terminal that Ctrl-C is typed at.
_OWN_TERMINAL = (
    "import fcntl, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "from digideck.cli.main import main\n"
    "main()\n"
)

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")


class Terminal:
    """What a command prints at a terminal, and the keys that are typed there."""

    def __init__(self, end: int, running: subprocess.Popen[bytes]) -> None:
        self._end = end
        self._running = running

    def until(self, text: str) -> str:
        """What is printed up to ``text``, which has to come."""
        printed = b""
        end = time.monotonic() + _SECONDS
        while text.encode() not in printed:
            ready, _, _ = select.select([self._end], [], [], max(0.0, end - time.monotonic()))
            assert ready, printed.decode("utf-8", "replace")
            printed += os.read(self._end, 4096)
        return printed.decode("utf-8", "replace")

    def rest(self) -> str:
        """What is printed up to the end of the command."""
        said = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while piece := os.read(self._end, 4096):
                said += piece
        return said.decode("utf-8", "replace")

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._end, keys.encode())

    def modes(self) -> list[Any]:
        """How the terminal is set now."""
        import termios

        return termios.tcgetattr(self._end)

    def ended(self) -> int:
        """Wait for the end of the command; its exit code."""
        return self._running.wait(timeout=_SECONDS)


@contextmanager
def terminal(
    database: Path, *words: str | Path, env: Mapping[str, str] | None = None, **streams: int
) -> Iterator[Terminal]:
    """``digideck`` with these words at a terminal, on ``database``; ``streams`` go elsewhere."""
    import pty

    end, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", _OWN_TERMINAL, *words],
        env={**os.environ, "DIGIDECK_DB": str(database), **(env or {})},
        cwd=_ROOT,
        start_new_session=True,
        **{"stdin": child, "stdout": child, "stderr": child, **streams},
    ) as running:
        os.close(child)
        try:
            yield Terminal(end, running)
        finally:
            running.kill()
            os.close(end)
