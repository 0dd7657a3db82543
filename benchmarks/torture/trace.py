"""What a command does to the files of a folder, call by call, as strace saw it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.torture.process import Ended, Process

# close and lseek keep the places of write().
CALLS = (
    "openat,close,lseek,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,"
    "unlink,unlinkat,link,linkat,mkdir,mkdirat,rmdir"
)
# What the replay has no model of: watched as well, and refused on a file of the folder.
REFUSED = (
    "dup,dup2,dup3,truncate,writev,pwritev,pwritev2,sendfile,copy_file_range,fallocate,"
    "symlink,symlinkat,mmap"
)


@dataclass(frozen=True)
class Op:
    """One change: write, truncate, sync, create, mkdir, unlink, rename, link, or said (output).

    ``path`` and ``to`` are relative to the folder; ``at`` is an offset or a length in bytes.
    """

    kind: str
    path: str = ""
    data: bytes = b""
    at: int = 0
    to: str = ""


def available() -> str:
    """Why nothing can be recorded here; empty if it can."""
    return "" if shutil.which("strace") else "strace is not installed (apt-get install strace)"


def record(folder: Path, words: tuple[str, ...]) -> tuple[list[Op], Ended]:
    """Run a command in ``folder`` and tell what it did there."""
    log = folder.parent / "trace"
    options = (
        "-f",
        "-qq",
        "-y",
        "-xx",
        "-s",
        "99999999",
        "-e",
        f"trace={CALLS},{REFUSED}",
        "-o",
        str(log),
    )
    ended = Process(folder, words, wrapped=("strace", *options)).wait()
    ops = list(_Reader(folder).ops(log.read_text("ascii")))
    log.unlink()
    return ops, ended


_CALL = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?")
_ARGUMENT = re.compile(r'"[^"]*"|[^,"<]*<[^>]*>|[^,]+')


class _Reader:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places: dict[tuple[str, str], int] = {}  # of (process, fd): where write() writes

    def ops(self, log: str) -> Iterator[Op]:
        waiting: dict[str, str] = {}
        for line in log.splitlines():
            process = line.split(" ", 1)[0]
            if line.endswith("<unfinished ...>"):
                waiting[process] = line.removesuffix("<unfinished ...>")
                continue
            if resumed := re.match(r"\d+ +<\.\.\. \w+ resumed>(.*)", line):
                line = waiting.pop(process) + resumed[1]  # noqa: PLW2901
            found = _CALL.match(line)
            if found and int(found[4]) >= 0:
                arguments = [part.strip() for part in _ARGUMENT.findall(found[3])]
                yield from self._op(process, found[2], arguments, (int(found[4]), found[5] or ""))

    def _op(
        self, process: str, call: str, arguments: list[str], answer: tuple[int, str]
    ) -> Iterator[Op]:
        if call == "mmap":  # what is only read, or a copy of its own, is no change
            changes = "PROT_WRITE" in arguments[2] and "MAP_SHARED" in arguments[3]
            arguments = arguments[4:5] if changes else [""]
        number, _, of = arguments[0].partition("<")
        path, key = self._inside(_plain(of.removesuffix(">"))), (process, number)
        if call == "close":
            self.places.pop(key, None)
        elif call == "openat":
            self.places[process, str(answer[0])] = 0
            flags, opened = arguments[2], self._inside(_plain(answer[1]))
            kinds = {"O_CREAT": "create", "O_TRUNC": "truncate"}
            yield from (
                Op(kind, opened) for flag, kind in kinds.items() if opened and flag in flags
            )
        elif call == "write" and number == "1" and not path:
            yield Op("said")
        elif call.startswith(("rename", "link")):
            old, new = self._named(arguments)
            if old and new:
                yield Op("rename" if "rename" in call else "link", old, to=new)
            elif old or new:
                raise NotImplementedError(f"{call} into the folder or out of it")
        elif call.startswith(("unlink", "rmdir", "mkdir")):
            for name in filter(None, self._named(arguments)):
                yield Op(call.removesuffix("at"), name)
        elif path:
            yield from self._on_file(call, path, key, arguments, answer[0])

    def _on_file(
        self, call: str, path: str, key: tuple[str, str], arguments: list[str], result: int
    ) -> Iterator[Op]:
        if call == "write":
            place = self.places.get(key, 0)
            self.places[key] = place + result
            yield Op("write", path, _bytes(arguments[1])[:result], place)
        elif call == "pwrite64":
            yield Op("write", path, _bytes(arguments[1])[:result], int(arguments[3]))
        elif call == "lseek":
            self.places[key] = result
        elif call == "ftruncate":
            yield Op("truncate", path, at=int(arguments[1]))
        elif call in ("fsync", "fdatasync"):
            yield Op("sync", path)
        else:
            raise NotImplementedError(f"{call} on {path}")

    def _named(self, arguments: list[str]) -> list[str]:
        """The paths that a call names, each behind the folder it is relative to, if any."""
        names, base = [], str(self.folder)
        for argument in arguments:
            if argument.startswith('"'):
                names.append(self._inside(os.path.join(base, _bytes(argument).decode())))
            elif argument.endswith(">"):
                base = _plain(argument.partition("<")[2][:-1])
        return names

    def _inside(self, path: str) -> str:
        """``path`` relative to the folder, "." for itself, empty outside of it."""
        path = os.path.normpath(path) if path else ""
        if path != str(self.folder) and not path.startswith(f"{self.folder}/"):
            return ""
        return os.path.relpath(path, self.folder)


def _bytes(quoted: str) -> bytes:
    """A string as strace's -xx writes it: in quotes, every byte as hexadecimal digits."""
    return bytes.fromhex(quoted.strip('"').replace("\\x", ""))


def _plain(path: str) -> str:
    """What -y says a descriptor leads to: in hexadecimal digits, unless it is no file."""
    return _bytes(path).decode() if path.startswith("\\x") else ""
