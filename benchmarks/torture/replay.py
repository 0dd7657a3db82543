"""What is on a disk after the power went: what was synced, and any of the rest.

The model is ALICE's (Pillai et al., 2014) for a file system that keeps changes of names in
their order, as those with a journal or copy-on-write do: data that was not synced may be
there or not, in any order, and torn; names may be there up to any moment since the folder
was synced, whether the data of their files is or not.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from pathlib import Path

from benchmarks.torture.trace import Op

SECTOR = 512  # bytes that a disk writes whole or not
WAYS = ("all", "synced", "names alone", "data alone", "some")


class Disk:
    """Files by their names, now and as they are known to last."""

    def __init__(self, folder: Path) -> None:
        self.folders = {"."}
        self.names: dict[str, _File] = {}
        for path in folder.rglob("*"):
            name = path.relative_to(folder).as_posix()
            if path.is_dir():
                self.folders.add(name)
            else:
                self.names[name] = _File(path.read_bytes())
        self.lasting = (set(self.folders), dict(self.names))
        # What names were after each change of them that is not yet sure to last, and where it was.
        self.changes: list[tuple[str, tuple[set[str], dict[str, _File]]]] = []

    def apply(self, ops: Iterable[Op]) -> Disk:
        """Do what a command did."""
        for op in ops:
            if op.kind == "write":
                self.names[op.path].pending.append((op.at, op.data))
            elif op.kind == "truncate":
                self.names[op.path].pending.append((op.at, None))
            elif op.kind == "sync" and op.path in self.folders:
                self._sync_names(op.path)
            elif op.kind == "sync":
                self.names[op.path].sync()
            elif op.kind != "said":
                self._rename(op)
        return self

    def _rename(self, op: Op) -> None:
        if op.kind == "create":
            if op.path in self.names:
                return
            self.names[op.path] = _File(b"")
        elif op.kind == "link":
            self.names[op.to] = self.names[op.path]
        elif op.kind == "rename":
            self.names[op.to] = self.names.pop(op.path)
        elif op.kind == "unlink":
            del self.names[op.path]
        elif op.kind == "mkdir":
            self.folders.add(op.path)
        elif op.kind == "rmdir":
            self.folders.remove(op.path)
        self.changes.append((_folder(op.to or op.path), (set(self.folders), dict(self.names))))

    def _sync_names(self, folder: str) -> None:
        """All changes up to the last one in ``folder`` last."""
        touched = [place for place, (where, _) in enumerate(self.changes) if where == folder]
        if touched:
            self.lasting = self.changes[touched[-1]][1]
            del self.changes[: touched[-1] + 1]

    def after(self, way: str, chance: random.Random) -> tuple[set[str], dict[str, bytes]]:
        """What may be left, in one of WAYS: the folders, and the files with what is in them."""
        states = [self.lasting, *(after for _, after in self.changes)]
        folders, names = {
            "all": states[-1], "names alone": states[-1], "synced": states[0],
            "data alone": states[0], "some": chance.choice(states),
        }[way]  # fmt: skip
        left = {id(file): file.after(way, chance) for file in names.values()}
        return folders, {name: left[id(file)] for name, file in names.items()}


class _File:
    def __init__(self, data: bytes) -> None:
        self.lasting = data
        self.pending: list[tuple[int, bytes | None]] = []

    def sync(self) -> None:
        self.lasting, self.pending = _applied(self.lasting, self.pending), []

    def after(self, way: str, chance: random.Random) -> bytes:
        if way in ("all", "data alone"):
            return _applied(self.lasting, self.pending)
        if way in ("synced", "names alone"):
            return self.lasting
        share = chance.random()
        some = [change for change in self.pending if chance.random() < share]
        if chance.random() < 0.5:
            chance.shuffle(some)
        if some and some[-1][1] is not None:
            some[-1] = _torn(some[-1][0], some[-1][1], chance)
        return _applied(self.lasting, some)


def _applied(data: bytes, changes: list[tuple[int, bytes | None]]) -> bytes:
    if not changes:
        return data
    result = bytearray(data)
    for at, new in changes:
        end = at if new is None else at + len(new)
        if len(result) < end:
            result.extend(bytes(end - len(result)))
        if new is None:
            del result[at:]
        else:
            result[at:end] = new
    return bytes(result)


def _torn(at: int, data: bytes, chance: random.Random) -> tuple[int, bytes]:
    """The first sectors of a write, or its last."""
    cut = chance.randrange(0, len(data) + 1, SECTOR) if data else 0
    return (at, data[:cut]) if chance.random() < 0.5 else (at + cut, data[cut:])


def _folder(name: str) -> str:
    return os.path.dirname(name) or "."
