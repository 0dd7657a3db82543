"""The command line as processes of their own, that can be killed."""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import digideck

LONGEST = 120.0  # seconds: a command that takes longer hangs
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, or the signal that ended it, below 0; what it said."""

    code: int
    out: str
    err: str

    @property
    def crashed(self) -> bool:
        """Whether it ended in a traceback."""
        return "Traceback" in self.err or "Exception ignored" in self.err


class Process:
    """``digideck WORDS`` in ``folder``, on the database d.db there.

    It is a fork of this process, which has the modules loaded, so that most of its time is
    the work; a ``cold`` one starts a new Python, as a user does. ``wrapped`` are the words of a
    program that starts it.
    """

    def __init__(
        self,
        folder: Path,
        words: tuple[str, ...],
        *,
        cold: bool = False,
        wrapped: tuple[str, ...] = (),
    ) -> None:
        self.folder, self.words = folder, words
        self._streams = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
        _load_once()
        sys.stdout.flush()
        cold = cold or words[:2] == ("scan", "photos")  # which starts Pythons of its own
        python = (*wrapped, sys.executable, "-m", "digideck") if cold or wrapped else ()
        self.pid = os.fork()
        if self.pid == 0:
            _become(folder, (*python, *words), [stream.fileno() for stream in self._streams])

    def signal(self, number: int) -> bool:
        """Send a signal; whether it still ran."""
        running = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        if running:
            os.kill(self.pid, number)
        return running

    def children(self) -> list[int]:
        """The processes that it has started."""
        try:
            return [
                int(pid)
                for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
            ]
        except OSError:
            return []

    def wait(self) -> Ended:
        """Wait for its end; one that hangs is killed, with a code that no command has."""
        hung, limit, pause = False, time.monotonic() + LONGEST, 0.001
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > limit:
                hung = True
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        texts = []
        for stream in self._streams:
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
            stream.close()
        if hung:
            return Ended(999, texts[0], texts[1] + f"\nhung for {LONGEST:.0f} s")
        return Ended(os.waitstatus_to_exitcode(status), *texts)


def command(folder: Path, *words: str) -> Ended:
    """Run a command to its end."""
    return Process(folder, words).wait()


def environment() -> Mapping[str, str]:
    """What a command sees: a database and a home of the case alone."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return {
        **kept,
        "DIGIDECK_DB": "d.db",
        "HOME": "/nonexistent",
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
    }


@cache
def _load_once() -> None:
    """Have every module here, that no fork need load it; but not what starts threads."""
    importlib.import_module("sqlite_utils")
    for module in pkgutil.walk_packages(digideck.__path__, "digideck."):
        if not any(word in module.name for word in ("scan", "enrol", "camera", "__main__")):
            importlib.import_module(module.name)


def _become(folder: Path, words: tuple[str, ...], streams: list[int]) -> None:
    """In the fork: be the command, or the program that the ``words`` begin with."""
    code = 70
    try:
        os.setsid()
        os.chdir(folder)
        seen = environment()
        os.environ.clear()
        os.environ.update(seen)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for place, stream in enumerate(streams, start=1):
            os.dup2(stream, place)
        if sys.executable in words:
            os.execvp(words[0], words)
        sys.stdin, sys.stdout, sys.stderr = (
            open(place, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - until the end
            for place, mode in enumerate("rww")
        )
        sys.argv = ["digideck", *words]
        from digideck.__main__ import main

        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1 if ended.code else 0
    except KeyboardInterrupt:  # before or behind main: a cold start tells what users see of it
        code = 130
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
