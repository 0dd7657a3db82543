"""Which files a scan is about: those named, those in folders, those in a list."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from digideck.core.codes import Code
from digideck.core.numbers import sort_key
from digideck.core.problems import Problem, Severity
from digideck.core.text import shown_path


@dataclass
class Walk:
    """Goes through paths. ``hidden`` counts the files left out since their names begin with
    a dot; ``problems`` are folders that cannot be read.
    """

    hidden: int = 0
    problems: list[Problem] = field(default_factory=list)
    _folders: set[tuple[int, int]] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)

    def files(self, paths: Iterable[str]) -> Iterator[str]:
        """Every file once, folders gone through in the natural order of names.

        A path that does not exist is given as well: reading it says so. A folder
        that is reached again, by a link that leads back, is gone through once.
        """
        for path in paths:
            if _is_folder(path):
                yield from self._folder(path)
            else:
                yield from self._file(path)

    def _file(self, path: str) -> Iterator[str]:
        place = os.path.abspath(path) if "\0" not in path else path
        if place not in self._files:
            self._files.add(place)
            yield path

    def _folder(self, top: str) -> Iterator[str]:
        waiting = [top]  # a stack and no recursion: folders may be nested a thousand deep
        while waiting:
            path = waiting.pop()
            if not _is_folder(path):
                yield from self._file(path)
                continue
            entries = self._entries(path)
            waiting.extend(reversed(entries))

    def _entries(self, folder: str) -> list[str]:
        try:
            found = os.stat(folder)
            identity = (found.st_dev, found.st_ino)
            if identity in self._folders:
                return []
            self._folders.add(identity)
            names = os.listdir(folder)
        except OSError as error:
            self.problems.append(
                Problem(
                    Code.FOLDER_UNREADABLE,
                    Severity.ERROR,
                    f"the folder cannot be read: {(error.strerror or str(error)).lower()}",
                    shown_path(folder),
                )
            )
            return []
        shown = [name for name in names if not name.startswith(".")]
        self.hidden += len(names) - len(shown)
        return [os.path.join(folder, name) for name in sorted(shown, key=_natural)]


def _natural(name: str) -> tuple[str, bytes]:
    return sort_key(shown_path(name)), os.fsencode(name)


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def listed_paths(data: bytes) -> list[str]:
    """The paths of a list: one a line, or with NUL bytes between them (``find -print0``)."""
    separator = b"\0" if b"\0" in data else b"\n"
    lines = (line.removesuffix(b"\r") for line in data.split(separator))
    return [os.fsdecode(line) for line in lines if line.strip()]
