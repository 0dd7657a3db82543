"""CSV and other delimited lists. The header row decides what is what."""

from __future__ import annotations

import io
from collections.abc import Iterator

from digideck.core.problems import RowError
from digideck.files.input import InputFile
from digideck.files.tables import DelimitedTable
from digideck.importers.list_columns import Columns, TitledRows, no_header
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Row, Table


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether one of the first lines is a header with a column for the number."""
    lines = io.StringIO("\n".join(sample.lines))
    return DelimitedTable(lines, "", columns.rate, sample.how.delimiter).header is not None


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The rows below the header. Raises InputError where there is none or a column stands twice."""
    encoding = source.encoding(how.encoding)
    lines = DelimitedTable(source.text(encoding.name), source.name, columns.rate, how.delimiter)
    if lines.header is None:
        raise no_header(source.name, lines.first_titles)
    table = Table(source.name, "csv", f"CSV, {encoding.words}, {lines.words}", iter(()))
    rows = TitledRows(lines.header.titles, columns, table, lines.header.place + 1)
    table.rows = _rows(lines, rows, table)
    return table


def _rows(lines: DelimitedTable, rows: TitledRows, table: Table) -> Iterator[Row | RowError]:
    yield from lines.rows(rows.row)
    table.notes += lines.comments_left_out()
