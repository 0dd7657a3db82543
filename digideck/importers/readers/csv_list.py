"""CSV and other delimited lists. The header row decides what is what."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TextIO

from digideck.core.codes import Code
from digideck.core.problems import Problem, RowError, Severity, input_error
from digideck.files.input import InputFile
from digideck.importers.columns import Columns, Header, is_header, no_header, read_header
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Head, Row, Table
from digideck.importers.values import is_error_value

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LONGEST_LINE = 1_000_000  # characters
WIDEST_FIELD = 100_000  # characters
_HEADER_WITHIN = 30  # lines from the top
_SEP = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_BROKEN = "put quotes around values that hold the delimiter, a quote or a line break"


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether one of the first lines is a header with a column for the number."""
    return _find_header(sample.lines[:_HEADER_WITHIN], columns, sample.how.delimiter) is not None


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The rows below the header. Raises InputError where there is none or a column stands twice."""
    encoding, words = source.encoding(how.encoding)
    lines = bounded_lines(source.text(encoding))
    preview: list[str] = []
    try:
        preview.extend(itertools.islice(lines, _HEADER_WITHIN))
    except csv.Error as error:
        line = len(preview) + 1
        raise input_error(Code.NOT_CSV, f"not CSV: {error}", file=source.name, line=line) from None
    found = _find_header(preview, columns, how.delimiter)
    if found is None:
        raise no_header(source.name, _any_titles(preview))
    place, delimiter, titles, height = found
    name = DELIMITERS.get(delimiter, repr(delimiter))
    above = f", header on line {place + 1}" if place else ""
    table = Table(source.name, "csv", f"CSV, {words}, columns separated by {name}{above}", iter(()))
    header = read_header(titles, columns, table, place + 1)
    rest = itertools.chain(preview[place + height :], lines)
    table.rows = _rows(rest, place + height, delimiter, header, table)
    return table


def bounded_lines(file: TextIO) -> Iterator[str]:
    """Lines of a bounded length, so that a file without line ends does not fill the memory."""
    readline = file.readline
    with file:
        while line := readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE and line[-1] not in "\r\n":
                raise csv.Error(f"a line of more than {LONGEST_LINE:,} characters")
            yield line


def _find_header(
    lines: Sequence[str], columns: Columns, delimiter: str | None
) -> tuple[int, str, list[str], int] | None:
    """Line, delimiter, titles and height of the header: the first row that names a card's
    number in a column of its own. Only the header decides, since data may hold anything.
    """
    told = _SEP.fullmatch(lines[0].lstrip("\ufeff")) if lines else None
    marks = [delimiter] if delimiter else [told[1]] if told else list(DELIMITERS)
    for place, line in enumerate(lines):
        if not line.strip() or (told and place == 0) or len(line) > WIDEST_FIELD:
            continue
        best, most = None, 0
        for mark in marks:
            titles, height = _record(lines[place : place + 5], mark)
            known = sum(columns.known(title) for title in titles if title.strip())
            if known > most and is_header(titles, columns):
                best, most = (place, mark, titles, height), known
        if best:
            return best
    return None


def _record(lines: Sequence[str], delimiter: str) -> tuple[list[str], int]:
    """The first record, which may go over several lines, and how many."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        return next(reader, []), reader.line_num
    except csv.Error:
        return [], 1


def _any_titles(lines: Sequence[str]) -> list[str]:
    """What the first line with several cells holds, to name it in a message."""
    for line in lines:
        for mark in DELIMITERS:
            titles = [title.strip() for title in _record([line], mark)[0]]
            if len(titles) > 1 and all(len(title) < 40 for title in titles):
                return titles
    return []


def _rows(
    lines: Iterator[str], offset: int, delimiter: str, header: Header, table: Table
) -> Iterator[Row | RowError]:
    csv.field_size_limit(WIDEST_FIELD)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    head = Head(header.named)
    # Only the columns that mean something are looked at in each row.
    places = [
        (place, column) for place, column in enumerate(header.columns) if column in head.columns
    ]
    width, titles, skipped = len(header.columns), list(header.titles), 0
    while True:
        line = offset + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            if "end of data" in str(error):
                yield RowError(
                    Code.ROW_UNREADABLE, _endless(line, offset + reader.line_num), line=line
                )
                break
            yield RowError(Code.ROW_UNREADABLE, f"not CSV: {error}", _BROKEN, line=line)
            if "a line of more than" in str(error):
                break
            continue
        if len(cells) == width:
            values = {column: text for place, column in places if (text := cells[place].strip())}
        elif len(cells) > width and any(cell.strip() for cell in cells[width:]):
            wide = f"{len(cells)} values for {width} columns"
            yield RowError(Code.ROW_UNREADABLE, wide, _BROKEN, line=line)
            continue
        else:
            values = {
                column: text
                for place, column in places
                if place < len(cells) and (text := cells[place].strip())
            }
        first = cells[0] if cells else ""
        if first[:1] == "#" and not is_error_value(first):
            skipped += 1
        elif (values or any(cell.strip() for cell in cells)) and cells != titles:
            yield Row(line, values, head)
    if skipped:
        table.notes.append(_comments(table.file, skipped))


def _endless(first: int, last: int) -> str:
    return f"a quote opens here that never ends: lines {first} to {last} were not read"


def _comments(file: str, count: int) -> Problem:
    what = (
        "1 line that begins with # was" if count == 1 else f"{count} lines that begin with # were"
    )
    return Problem(Code.COMMENTS_SKIPPED, Severity.NOTE, f"{what} taken as comments", file)
