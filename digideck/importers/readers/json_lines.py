"""JSON Lines: one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from digideck.files.input import InputFile
from digideck.files.tables import LineTooLong, bounded_lines
from digideck.importers.list_columns import Columns
from digideck.importers.readers.json_list import rows
from digideck.importers.readers.json_stream import decode
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Table


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether the first line is an object of its own: one of several, or one of a card."""
    lines = [line for line in sample.lines if line.strip()]
    if not lines or not lines[0].lstrip().startswith("{"):
        return False
    try:
        first = decode(lines[0].strip())
    except (ValueError, RecursionError):
        return False
    return len(lines) > 1 or any(columns.meaning(key) == "number" for key in first)


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The objects as rows."""
    encoding, words = source.encoding(how.encoding)
    table = Table(source.name, "jsonl", f"JSON Lines, {words}", iter(()))
    table.rows = rows(_objects(source.text(encoding)), columns, table)
    return table


def _objects(stream: TextIO) -> Iterator[tuple[int, str, Any]]:
    """What is no object goes on as it is, to be refused with its line."""
    line = 0
    try:
        for line, text in enumerate(bounded_lines(stream), start=1):
            if text.strip():
                try:
                    yield line, "", decode(text.strip())
                except (ValueError, RecursionError):
                    yield line, "", None
    except LineTooLong:
        yield line + 1, "", None
