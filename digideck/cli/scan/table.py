"""What was seen in pictures as a table and as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence

from digideck.cli.render.output import styled, table
from digideck.operations.scans.scan_rows import ScanRow, ScanState

_STYLES = {
    ScanState.CONFIRMED: "good",
    ScanState.PROPOSED: "warning",
    ScanState.UNCONFIRMED: "warning",
    ScanState.SEVERAL: "warning",
}


def scan_table(rows: Sequence[ScanRow]) -> Iterator[str]:
    """The lines of the table."""
    cells = [
        (
            row.file,
            row.shown_cards or "?" * bool(row.code),
            row.shown_state,
            "  ".join(filter(None, (row.shown_code, row.note))),
        )
        for row in rows
    ]
    lines = table(cells, ("file", "card", "", "code"))
    yield next(lines)
    for line, row in zip(lines, rows, strict=True):
        style = _STYLES.get(row.state)
        yield styled(line, style) if style else line


def print_csv(rows: Iterable[ScanRow]) -> None:
    """The table as CSV on standard output."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["file", "state", "card", "name", "symbology", "payload", "batch", "reason"])
    for row in rows:
        writer.writerow(
            [
                row.file,
                row.shown_state,
                "; ".join(row.cards),
                "; ".join(name for _, name in row.titles),
                row.symbology or "",
                (row.code or "").partition(":")[2],
                row.batch or "",
                row.reason or "",
            ]
        )
