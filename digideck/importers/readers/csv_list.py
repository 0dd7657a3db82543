"""CSV and other delimited lists. The header row decides what is what."""

from __future__ import annotations

import io
from collections.abc import Iterator

from digideck.core.problems import RowError
from digideck.files.columns import TableHeader
from digideck.files.input import InputFile
from digideck.files.tables import DelimitedTable
from digideck.importers.columns import Columns, named_columns, no_header, read_header
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Head, Row, Table


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
    header = read_header(lines.header.titles, columns, table, lines.header.place + 1)
    table.rows = _rows(lines, header, table)
    return table


def _rows(lines: DelimitedTable, header: TableHeader, table: Table) -> Iterator[Row | RowError]:
    head = Head(named_columns(header))
    # Only the columns that mean something are looked at in each row.
    places = [
        (place, column) for place, column in enumerate(header.columns) if column in head.columns
    ]
    width = len(header.columns)
    for found in lines.rows():
        if isinstance(found, RowError):
            yield found
            continue
        line, cells = found
        if len(cells) < width:
            cells += [""] * (width - len(cells))
        values = {column: text for place, column in places if (text := cells[place].strip())}
        yield Row(line, values, head)
    table.notes += lines.comments_left_out()
