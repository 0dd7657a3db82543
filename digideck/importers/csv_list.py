"""CSV and other delimited lists. The header row decides what is what."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from digideck.importers.rows import ALIASES, Row, Table
from digideck.schema.names import search_key
from digideck.schema.problems import Problem, Severity, unusable

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_HEADER_WITHIN = 30  # lines from the top
_WIDEST_FIELD = 100_000  # characters


def read_csv(
    text: str,
    file: str,
    fields: Mapping[str, Sequence[str]],
    encoding: str,
    delimiter: str | None = None,
) -> Table:
    """The rows of a delimited list with a header row.

    ``fields`` gives the spellings of every further column that is accepted, by
    its name. Raises Unusable where no header is found or a column stands twice.
    """
    names = _column_names(fields)
    lines = list(io.StringIO(text, newline=""))  # not splitlines: cells may hold U+2028, FF, NEL
    place, used = _find_header(lines, names, file, delimiter)
    header = next(csv.reader([lines[place]], delimiter=used))
    columns = [names.get(search_key(title), "") for title in header]
    _refuse_doubles(header, columns, file, place + 1)
    ignored = tuple(
        title for title, column in zip(header, columns, strict=True) if title.strip() and not column
    )
    problems: list[Problem] = []
    reading = f"{encoding}, columns separated by {DELIMITERS.get(used, repr(used))}"
    rows = _rows(lines[place + 1 :], place + 1, used, columns, file, problems)
    return Table(file, tuple(filter(None, columns)), ignored, rows, problems, reading)


def _column_names(fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    names = {
        search_key(spelling): column
        for column, spellings in fields.items()
        for spelling in (column, *spellings)
    }
    names |= {
        search_key(spelling): column
        for column, spellings in ALIASES.items()
        for spelling in spellings
    }
    return names


def _find_header(
    lines: list[str], names: dict[str, str], file: str, delimiter: str | None
) -> tuple[int, str]:
    """The line of the header and its delimiter: the first line that names a card's number
    or name in a column of its own. Only the header decides, since data may hold anything.
    """
    candidates = [delimiter] if delimiter else list(DELIMITERS)
    for place, line in enumerate(lines[:_HEADER_WITHIN]):
        best = max(candidates, key=lambda mark: _known_titles(line, mark, names))
        if _has_key_column(line, best, names):
            return place, best
    accepted = ", ".join(ALIASES["number"][:4])
    raise unusable(
        "no-header",
        "no header row with a column for the card's number",
        file=file,
        allowed=f"a column called one of: {accepted}",
        next_step=f"add a first row such as: number,name,set (the number column is called one of: "
        f"{accepted})",
    )


def _titles(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _known_titles(line: str, delimiter: str, names: dict[str, str]) -> int:
    return sum(search_key(title) in names for title in _titles(line, delimiter))


def _has_key_column(line: str, delimiter: str, names: dict[str, str]) -> bool:
    if line.lstrip().startswith("#"):
        return False
    return any(names.get(search_key(title)) == "number" for title in _titles(line, delimiter))


def _refuse_doubles(header: list[str], columns: list[str], file: str, line: int) -> None:
    for index, column in enumerate(columns):
        if column and column in columns[:index]:
            first = header[columns.index(column)]
            raise unusable(
                "column-twice",
                f"the columns {first!r} and {header[index]!r} both mean {column}",
                file=file,
                line=line,
                next_step="take one of them out",
            )


def _rows(
    lines: list[str],
    offset: int,
    delimiter: str,
    columns: list[str],
    file: str,
    problems: list[Problem],
) -> Iterator[Row]:
    csv.field_size_limit(_WIDEST_FIELD)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = offset + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "end of data" in str(error):
                last = offset + len(lines)
                unread = (
                    f"a quote opens here that never ends: lines {start} to {last} were not read"
                )
                problems.append(_broken_row(file, start, unread))
                return
            problems.append(_broken_row(file, start, f"not CSV: {error}"))
            continue
        if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
            continue
        if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
            wide = f"{len(cells)} values for {len(columns)} columns"
            problems.append(_broken_row(file, start, wide))
            continue
        values = {
            column: cell.strip()
            for column, cell in zip(columns, cells, strict=False)
            if column and cell.strip()
        }
        yield Row(start, values)


def _broken_row(file: str, line: int, message: str) -> Problem:
    return Problem(
        "row-unreadable",
        Severity.ERROR,
        message,
        file,
        line,
        next_step="put quotes around values that hold the delimiter or a quote",
    )
