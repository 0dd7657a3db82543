"""A source of cards: ``[x] Dα-777 Agumon`` on each line, below ``== Checklist ==``."""

from __future__ import annotations

from collections.abc import Iterator

from digideck.core.codes import Code
from digideck.core.problems import RowError
from digideck.files.input import InputFile
from digideck.importers.list_columns import Columns
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Head, Row, Table

TITLE = "== Checklist =="
HEAD = Head(("number", "name"))


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether the first line is the title."""
    return sample.text.startswith(TITLE)


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """A row for each line below the title."""
    encoding = source.encoding(how.encoding)
    rows = _rows(source.text(encoding.name))
    return Table(source.name, "checklist", f"checklist, {encoding.words}", rows)


def _rows(lines: Iterator[str]) -> Iterator[Row | RowError]:
    for place, line in enumerate(lines, start=1):
        number, _, name = line[3:].strip().partition(" ")
        if line.startswith(("[x]", "[ ]")) and name:
            yield Row(place, {"number": number, "name": name}, HEAD)
        elif line.strip() and place > 1:
            yield RowError(Code.ROW_UNREADABLE, "no line of a checklist", line=place)
