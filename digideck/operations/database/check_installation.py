"""What is installed, what is missing, and how to get it."""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from digideck import __version__
from digideck.core.problems import InputError
from digideck.core.results import Answer, Result
from digideck.schema.connection import closing_connections, default_path, open_to_read
from digideck.schema.maintenance import missing_tables

NEEDED = ("typer", "sqlite-utils", "PyYAML", "platformdirs", "rapidfuzz")
EXTRAS = {  # package: its extra, and what it is for
    "openpyxl": ("xlsx", "imports xlsx files"),
    "mwparserfromhell": ("wiki", "imports wiki files"),
    "reportlab": ("labels", "writes labels as PDF"),
}
SCANNING = ("opencv-python-headless", "zxing-cpp", "pyzbar")
_PUT_BACK = (
    "put back a copy from the folder backups beside it: digideck db restore FILE; or save what "
    "is yours with digideck db export, move the file away, and bring it back with db import"
)
OLDEST_SQLITE = (3, 37, 0)  # STRICT tables


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: ``state`` is ok, missing or wrong; ``advice`` what to do."""

    what: str
    state: str
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Installation(Result):
    """What was looked at."""

    findings: tuple[Finding, ...]

    @property
    def answer(self) -> Answer:
        """No where something that is needed is missing."""
        wrong = any(finding.state == "wrong" for finding in self.findings)
        return Answer.NO if wrong else Answer.OK


@closing_connections()
def check_installation(db: Path | None = None) -> Installation:
    """Look at Python, SQLite, the packages, the libraries and the database."""
    return Installation((*_programs(), *_packages(), _zbar(), *_opencv_twice(), _database(db)))


def _programs() -> list[Finding]:
    new_enough = sqlite3.sqlite_version_info >= OLDEST_SQLITE
    return [
        Finding("digideck", "ok", __version__),
        Finding("Python", "ok", f"{platform.python_version()} on {sys.platform}"),
        Finding(
            "SQLite",
            "ok" if new_enough else "wrong",
            sqlite3.sqlite_version,
            "" if new_enough else "digideck needs 3.37 or newer: use a newer Python",
        ),
    ]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _packages() -> Iterator[Finding]:
    for package in NEEDED:
        yield _package(package, "wrong", f"pip install {package}")
    for package, (extra, what) in EXTRAS.items():
        yield _package(package, "missing", f"{what}: pip install 'digideck[{extra}]'")
    for package in SCANNING:
        yield _package(package, "missing", f"for scanning: pip install {package}")


def _package(name: str, without: str, advice: str) -> Finding:
    version = _version(name)
    return Finding(name, "ok", version) if version else Finding(name, without, "missing", advice)


def _zbar() -> Finding:
    """The shared library that pyzbar needs; its Windows wheels bring it along."""
    from ctypes.util import find_library

    if sys.platform == "win32":
        return Finding("zbar library", "ok", "comes with pyzbar")
    found = find_library("zbar")
    how = {"darwin": "brew install zbar"}.get(
        sys.platform, "apt install libzbar0, dnf install zbar, pacman -S zbar"
    )
    if found:
        return Finding("zbar library", "ok", found)
    return Finding("zbar library", "missing", "missing", f"reads some more barcodes: {how}")


def _opencv_twice() -> list[Finding]:
    if _version("opencv-python") and _version("opencv-python-headless"):
        advice = "pip uninstall opencv-python opencv-python-headless, then install the second again"
        return [
            Finding("OpenCV", "wrong", "opencv-python and -headless overwrite each other", advice)
        ]
    return []


def _database(db: Path | None) -> Finding:
    path = db
    try:
        connection = open_to_read(db)
        path = path or default_path()
        (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        missing = missing_tables(connection)
    except InputError as error:
        problem = error.problems[0]
        found = f"{path}: {problem.message}" if path else problem.message
        return Finding("database", "wrong", found, problem.next_step or "")
    if result != "ok":
        return Finding("database", "wrong", f"{path}: {result}", _PUT_BACK)
    if missing:
        return Finding("database", "wrong", f"{path}: lacks {', '.join(missing)}", _PUT_BACK)
    return Finding("database", "ok", f"{path}: {result}")
