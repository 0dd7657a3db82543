"""JSON: a list of objects, or an object that holds one, read object by object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import RowError
from digideck.files.columns import NOTHING, TableHeader
from digideck.files.input import InputFile
from digideck.importers.columns import TEXT, Columns, named_columns, no_header, read_header
from digideck.importers.readers.json_stream import no_object, objects, texts
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Head, Row, Table


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether the text begins as a list or an object does; JSON Lines are recognised before."""
    text = sample.text.lstrip()
    return text.startswith("[") or (text.startswith("{") and not text.startswith("{{"))


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The objects as rows. Raises InputError for what is no JSON."""
    encoding, words = source.encoding(how.encoding)
    table = Table(source.name, "json", f"JSON, {words}", iter(()))
    table.rows = rows(objects(source.text(encoding), source.name), columns, table)
    return table


def rows(
    entries: Iterable[tuple[int, str, Any]], columns: Columns, table: Table
) -> Iterator[Row | RowError]:
    """Rows of the objects; a key of the object around them serves as their number."""
    mapper = Mapper(columns, table)
    for line, key, value in entries:
        if not isinstance(value, dict):
            yield no_object(line)
            continue
        values, problem = texts(value)
        if problem:
            yield RowError(Code.ROW_UNREADABLE, problem, "take one of the two out", line=line)
            continue
        row = mapper.row(line, values)
        if key and "number" not in row.values:
            row.values["number"] = key
            mapper.numbered = True
        yield row
    if mapper.rows and not mapper.numbered:
        raise no_header(table.file, list(mapper.titles))


class Mapper:
    """Gives the keys of objects, which may differ from one to the next, their columns."""

    def __init__(self, columns: Columns, table: Table) -> None:
        self.columns = columns
        self.table = table
        self.titles: dict[str, None] = {}
        self.rows = 0
        self.numbered = False
        self._heads: dict[tuple[str, ...], tuple[TableHeader, Head]] = {}

    def row(self, line: int, values: dict[str, str]) -> Row:
        """The row of one object. Raises InputError where two of its keys mean one column."""
        keys = tuple(values)
        found = self._heads.get(keys)
        if found is None:
            header = read_header(keys, self.columns, self.table, line)
            self.titles |= dict.fromkeys(keys)
            found = (header, Head(named_columns(header)))
            if len(self._heads) < 1000:
                self._heads[keys] = found
        header, head = found
        named = {
            column: values[title]
            for title, column in zip(header.titles, header.columns, strict=True)
            if column not in (NOTHING, TEXT)
        }
        self.rows += 1
        self.numbered = self.numbered or "number" in named
        return Row(line, named, head)
