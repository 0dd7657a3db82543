"""The tables of a saved web page. A table is taken if one of its first rows is a header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from digideck.core.codes import Code
from digideck.core.problems import InputError, RowError, input_error
from digideck.files.input import InputFile
from digideck.files.tables import WIDEST_FIELD
from digideck.importers.list_columns import Columns, TitledRows, no_header
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Row, Table

_CHUNK = 1 << 16
_HEADER_WITHIN = 5  # rows of a table
_DEEPEST = 20
_WIDEST_SPAN = 100
# What is left unparsed is looked through again from each "<" in it: twice as much, four times
# as long. Pictures in a page are tags of megabytes, of which there is an end.
_LONGEST_TAG, _LONGEST_REST = 4_000_000, 10_000  # characters; those at the end of the page
_SKIPPED = ("script", "style")
_BEGINNING = re.compile(
    r"\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body|table)\b", re.I | re.S
)
_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?\s*([A-Za-z0-9_-]+)", re.IGNORECASE)


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether it begins as a web page or a table does."""
    return bool(_BEGINNING.match(sample.text))


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The rows of every table with a column for the number."""
    declared = _CHARSET.search(source.sample[:4096])
    name = declared[1].decode() if declared else None
    if name and name.lower() in ("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"):
        name = "cp932"  # what pages of that name hold
    encoding, words = source.encoding(how.encoding, name)
    table = Table(source.name, "html", f"HTML tables, {words}", iter(()))
    table.rows = _rows(source, encoding, columns, table)
    return table


@dataclass
class _Cell:
    text: str
    columns: int = 1
    rows: int = 1


@dataclass
class _Open:
    """A table that has not ended yet."""

    index: int
    line: int
    cells: list[_Cell] | None = None
    parts: list[str] | None = None
    span: tuple[int, int] = (1, 1)
    below: dict[int, tuple[int, str]] = field(default_factory=dict)  # column: rows to go, text


class _Tables(HTMLParser):
    """Collects finished rows: table, line, texts, and whether a cell went over several columns."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[tuple[int, int, list[str], bool]] = []
        self.open: list[_Open] = []
        self.count = 0
        self.skipping = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self.skipping += 1
        elif tag == "table":
            self.count += 1
            if len(self.open) < _DEEPEST:
                self.open.append(_Open(self.count, self.getpos()[0]))
        elif self.open:
            self._in_table(tag, dict(attrs))

    def _in_table(self, tag: str, attrs: dict[str, str | None]) -> None:
        table = self.open[-1]
        if tag == "tr":
            self._end_row()
            table.cells, table.line = [], self.getpos()[0]
        elif tag in ("td", "th"):
            self._end_cell()
            if table.cells is None:
                table.cells, table.line = [], self.getpos()[0]
            table.parts = []
            table.span = (_span(attrs.get("colspan")), _span(attrs.get("rowspan")))
        elif tag in ("br", "p", "li") and table.parts is not None:
            table.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self.skipping = max(0, self.skipping - 1)
        elif not self.open:
            return
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag == "tr":
            self._end_row()
        elif tag == "table":
            self._end_row()
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1].parts is not None and not self.skipping:
            self.open[-1].parts.append(data)

    def _end_cell(self) -> None:
        table = self.open[-1]
        if table.parts is not None and table.cells is not None and len(table.cells) < 1000:
            text = " ".join("".join(table.parts).split())[:WIDEST_FIELD]
            table.cells.append(_Cell(text, *table.span))
        table.parts = None

    def _end_row(self) -> None:
        self._end_cell()
        table = self.open[-1]
        if table.cells:
            texts, merged = _spread(table)
            self.rows.append((table.index, table.line, texts, merged))
        table.cells = None


def _span(text: str | None) -> int:
    if not text or not re.fullmatch("[0-9]+", text):
        return 1
    return min(int(text[:4]), _WIDEST_SPAN)


def _spread(table: _Open) -> tuple[list[str], bool]:
    """The row's texts by column: cells from above reach down, wide ones count once."""
    texts: list[str] = []
    cells = iter(table.cells or ())
    merged = False
    while True:
        above = table.below.get(len(texts))
        if above:
            rows, text = above
            table.below.pop(len(texts))
            if rows > 1:
                table.below[len(texts)] = (rows - 1, text)
            texts.append(text)
            continue
        cell = next(cells, None)
        if cell is None:
            return texts, merged
        merged = merged or cell.columns > 1
        for place in range(max(1, cell.columns)):
            if cell.rows > 1:
                table.below[len(texts)] = (cell.rows - 1, cell.text if place == 0 else "")
            texts.append(cell.text if place == 0 else "")


def _rows(
    source: InputFile, encoding: str, columns: Columns, table: Table
) -> Iterator[Row | RowError]:
    headers: dict[int, TitledRows | int] = {}  # by table; rows seen until there is one
    last, with_header = 0, 0
    for index, line, texts, merged in _table_rows(source, encoding):
        if index > last:
            headers, last = {key: headers[key] for key in list(headers)[-_DEEPEST:]}, index
        found = headers.get(index, 0)
        if not isinstance(found, int):
            if texts == found.titles or (merged and sum(map(bool, texts)) < 2):
                continue  # the header again, or a heading between rows
            row = found.row(line, texts)
            if row.values:
                yield row
        elif found < _HEADER_WITHIN and columns.rate(texts):
            part = f"table {index}"
            headers[index] = TitledRows(texts, columns, table, line, part)
            with_header += 1
            if merged:
                yield RowError(
                    Code.HEADER_MERGED,
                    "a cell of the header goes over several columns",
                    "give each column a title of its own",
                    line=line,
                    part=part,
                )
        else:
            headers[index] = found + 1
    if not with_header:
        raise no_header(table.file)


def _cut(source: InputFile, parser: _Tables) -> InputError:
    return input_error(
        Code.HTML_CUT,
        f"a tag begins here and does not end within {len(parser.rawdata):,} characters",
        file=source.name,
        line=parser.getpos()[0],
        next_step="save the page again; it may have been cut off",
    )


def _table_rows(source: InputFile, encoding: str) -> Iterator[tuple[int, int, list[str], bool]]:
    parser = _Tables()
    with source.text(encoding) as stream:
        while chunk := stream.read(_CHUNK):
            parser.feed(chunk)
            yield from parser.rows
            parser.rows.clear()
            if len(parser.rawdata) > _LONGEST_TAG:
                raise _cut(source, parser)
    if len(parser.rawdata) > _LONGEST_REST:
        raise _cut(source, parser)
    parser.close()
    while parser.open:
        parser.handle_endtag("table")
    yield from parser.rows
