"""Tables in delimited text, for every reader: their header, their delimiter, their rows.

Only the header decides on the delimiter, since data may hold anything.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TextIO, TypeVar

from digideck.core.codes import Code
from digideck.core.problems import Problem, RowError, Severity, input_error

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LONGEST_LINE = 1_000_000  # characters
WIDEST_FIELD = 100_000  # characters
HEADER_WITHIN = 30  # lines from the top
_TALLEST_HEADER = 5  # lines
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_ERROR_VALUE = re.compile(r"#(?:REF!|N/A|VALUE!|NAME\?|DIV/0!|NULL!|NUM!|SPILL!|CALC!|#+)")
_BROKEN = "put quotes around values that hold the delimiter, a quote or a line break"

_LOOK_TWICE = ("", "#", " ", "\t")  # what a row begins with that may be none

Rate = Callable[[Sequence[str]], int]  # how many titles of a row are known; 0: it is no header
Made = TypeVar("Made")


class LineTooLong(csv.Error):
    """A line that is too long for a list of cards."""


class FoundHeader(NamedTuple):
    """Where a header is (lines from 0), what separates its titles, and its lines."""

    place: int
    delimiter: str
    titles: list[str]
    height: int


def bounded_lines(file: TextIO) -> Iterator[str]:
    """Lines of a bounded length, so that a file without line ends does not fill the memory."""
    readline = file.readline
    with file:
        while line := readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE and line[-1] not in "\r\n":
                raise LineTooLong(f"a line of more than {LONGEST_LINE:,} characters")
            yield line


def is_error_value(text: str) -> bool:
    """Whether a cell holds a spreadsheet's error, such as #REF!."""
    return bool(_ERROR_VALUE.match(text.strip()))


class DelimitedTable:
    """The table in a stream of text. ``header`` is None where ``rate`` takes no row for one.

    ``comments`` counts the lines left out for their #, while rows are read. Raises
    InputError where there are no lines.
    """

    def __init__(self, stream: TextIO, file: str, rate: Rate, delimiter: str | None = None) -> None:
        self.file = file
        self.comments = 0
        self._at_end = False
        self._stream = bounded_lines(stream)
        self.preview: list[str] = []
        try:
            self.preview.extend(itertools.islice(self._stream, HEADER_WITHIN))
        except LineTooLong as error:
            line = len(self.preview) + 1
            raise input_error(Code.NOT_CSV, f"not CSV: {error}", file=file, line=line) from None
        self.header = find_header(self.preview, rate, delimiter)

    def _lines(self, offset: int) -> Iterator[str]:
        yield from self.preview[offset:]
        yield from self._stream
        self._at_end = True

    @property
    def words(self) -> str:
        """How the table is laid out."""
        if self.header is None:
            return "no header"
        mark, place = self.header.delimiter, self.header.place
        above = f", header on line {place + 1}" if place else ""
        return f"columns separated by {DELIMITERS.get(mark, repr(mark))}{above}"

    @property
    def first_titles(self) -> list[str]:
        """What the first line with several cells holds, to name it where there is no header."""
        for line in self.preview:
            for mark in DELIMITERS:
                titles = [title.strip() for title in _record([line], mark)[0]]
                if len(titles) > 1 and all(len(title) < 40 for title in titles):
                    return titles
        return []

    def rows(self, make: Callable[[int, list[str]], Made]) -> Iterator[Made | RowError]:
        """What ``make`` gives for the line and cells of each row below the header that holds
        anything, and what is wrong with the others.

        The header may come again, as it does on each page of a printed list.
        """
        assert self.header
        place, delimiter, titles, height = self.header
        offset, width = place + height, len(titles)
        csv.field_size_limit(WIDEST_FIELD)
        reader = csv.reader(self._lines(offset), delimiter=delimiter, strict=True)
        while True:
            line = offset + reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                too_long = isinstance(error, LineTooLong)
                if self._at_end:
                    message = (
                        "a quote opens here that never ends: "
                        f"lines {line} to {offset + reader.line_num} were not read"
                    )
                    yield RowError(Code.ROW_UNREADABLE, message, line=line)
                else:
                    yield RowError(Code.ROW_UNREADABLE, f"not CSV: {error}", _BROKEN, line=line)
                if self._at_end or too_long:
                    return
                continue
            if len(cells) == width and cells[0][:1] not in _LOOK_TWICE and cells != titles:
                yield make(line, cells)  # nearly all rows
            elif not "".join(cells).strip() or cells == titles:
                continue
            elif cells[0].lstrip()[:1] == "#" and not is_error_value(cells[0]):
                self.comments += 1
            elif len(cells) > width and "".join(cells[width:]).strip():
                wide = f"{len(cells)} values for {width} columns"
                yield RowError(Code.ROW_UNREADABLE, wide, _BROKEN, line=line)
            else:
                yield make(line, cells)

    def comments_left_out(self) -> Iterator[Problem]:
        """The note that there were comments, after all rows."""
        if self.comments:
            what = "1 line that begins with # was"
            if self.comments > 1:
                what = f"{self.comments} lines that begin with # were"
            message = f"{what} taken as comments"
            yield Problem(Code.COMMENTS_SKIPPED, Severity.NOTE, message, self.file)


def find_header(
    lines: Sequence[str], rate: Rate, delimiter: str | None = None
) -> FoundHeader | None:
    """The first row that ``rate`` takes for a header; of delimiters the one with most titles."""
    for place, line in enumerate(lines):
        text = line.strip().lstrip("\ufeff")
        separator = _SEPARATOR_LINE.fullmatch(text)
        if separator:
            delimiter = delimiter or separator[1]
        if separator or not text or text.startswith(("#", "//")) or len(line) > WIDEST_FIELD:
            continue
        marks = [delimiter] if delimiter else [m for m in DELIMITERS if m in line] or [","]
        best, most = None, 0
        for mark in marks:
            titles, height = _record(lines[place : place + _TALLEST_HEADER], mark)
            known = rate(titles)
            if known > most:
                best, most = FoundHeader(place, mark, titles, height), known
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
