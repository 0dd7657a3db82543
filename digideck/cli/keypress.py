"""Single keys at a terminal: q while a command works, or the answer to a question."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

_MOST = 1024  # bytes that are read of what was typed
_SECONDS = 0.2


class Keys:
    """Reads standard input, a terminal or a pipe, key by key. What was typed at a
    terminal before is dropped; afterwards it is as it was.
    """

    def __init__(self) -> None:
        self._file: int | None = None
        self._before: list[Any] | None = None

    def __enter__(self) -> Keys:
        try:
            self._file = sys.stdin.fileno()
        except (OSError, ValueError, AttributeError):  # no standard input, or one of a test
            return self
        if sys.platform != "win32" and sys.stdin.isatty():
            import termios
            import tty

            self._before = termios.tcgetattr(self._file)
            tty.setcbreak(self._file)  # keys come at once, and Ctrl-C still interrupts
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if sys.platform != "win32" and self._before is not None and self._file is not None:
            import termios

            termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def quit(self) -> bool:
        """Whether q was typed since the last call."""
        if self._file is None:
            return False
        return b"q" in self._typed().lower()

    def wait(self) -> str:
        """The next key; "" at the end of the input. Of a key that sends several
        characters, such as an arrow, the first.
        """
        if self._file is None:
            return ""
        if sys.platform == "win32":
            import msvcrt

            key = msvcrt.getwch()
            if key in "\0\xe0":  # the second half of an arrow or a function key
                msvcrt.getwch()
            return key
        import os
        import select

        try:
            # Looked at again and again: a Ctrl-C just before reading would wait for a key.
            while not select.select([self._file], [], [], _SECONDS)[0]:
                pass
            typed = os.read(self._file, _MOST)
        except OSError:  # a terminal that is gone
            typed = b""
        return typed.decode("utf-8", "replace")[:1]

    def _typed(self) -> bytes:
        if sys.platform == "win32":
            import msvcrt

            typed = b""
            while msvcrt.kbhit():
                typed += msvcrt.getch()
            return typed
        import os
        import select

        assert self._file is not None
        try:
            if not select.select([self._file], [], [], 0)[0]:
                return b""
            typed = os.read(self._file, _MOST)
        except OSError:  # a terminal that is gone, or a process in the background
            typed = b""
        if not typed:  # the end: nothing more will come
            self._file = None if self._before is None else self._file
        return typed
