"""``digideck doctor``"""

from __future__ import annotations

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command, table
from digideck.operations.database.check_installation import check_installation

_MARKS = {"ok": "ok", "missing": "--", "wrong": "!!"}


def run(db: Db = None, json: Json = False) -> None:
    """Exit code 1: something that is needed is missing."""
    with command("doctor", json) as report:
        found = check_installation(db)
        report.show(found)
        rows = [(_MARKS[finding.state], finding.what, finding.found) for finding in found.findings]
        lines = list(table(rows, ("", "", "")))[1:]
        for line, finding in zip(lines, found.findings, strict=True):
            report.say(line)
            if finding.advice:
                report.say(f"      {finding.advice}")
