"""``digideck doctor``"""

from __future__ import annotations

import platform
import sqlite3
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from digideck import __version__
from digideck.cli.options import Db, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command, table
from digideck.core.problems import InputError
from digideck.schema.connection import default_path, open_to_read
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


@dataclass(frozen=True)
class Finding:
    """One thing looked at: ``state`` is ok, missing or wrong; ``advice`` what to do."""

    what: str
    state: str
    found: str
    advice: str = ""


def run(db: Db = None, json: Json = False) -> None:
    """Exit code 1: something that is needed is missing."""
    with command("doctor", json) as report:
        findings = [*_programs(), *_packages(), _zbar(), *_opencv_twice(), _database(db)]
        report.data["findings"] = [asdict(finding) for finding in findings]
        rows = [(_mark(finding), finding.what, finding.found) for finding in findings]
        for line, finding in zip(table(rows, ("", "", "")), [None, *findings], strict=True):
            if finding:
                report.say(line)
                if finding.advice:
                    report.say(f"      {finding.advice}")
        if any(finding.state == "wrong" for finding in findings):
            report.exit_code = Exit.NO


def _mark(finding: Finding) -> str:
    return {"ok": "ok", "missing": "--", "wrong": "!!"}[finding.state]


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


def _packages() -> list[Finding]:
    findings = []
    for package in NEEDED:
        version = _version(package)
        findings.append(
            Finding(package, "ok", version)
            if version
            else Finding(package, "wrong", "missing", f"pip install {package}")
        )
    for package, (extra, what) in EXTRAS.items():
        version = _version(package)
        findings.append(
            Finding(package, "ok", version)
            if version
            else Finding(
                package,
                "missing",
                "missing",
                f"{what}: pip install 'digideck[{extra}]'",
            )
        )
    for package in SCANNING:
        version = _version(package)
        findings.append(
            Finding(package, "ok", version)
            if version
            else Finding(package, "missing", "missing", f"for scanning: pip install {package}")
        )
    return findings


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
        path = path or default_path()
        connection = open_to_read(path)
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
