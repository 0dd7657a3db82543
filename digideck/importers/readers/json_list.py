"""JSON: a list of objects, or an object that holds one, read object by object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import RowError
from digideck.files.input import InputFile
from digideck.importers.list_columns import Columns, TitledRows, no_header
from digideck.importers.readers.json_stream import no_object, objects, texts
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Row, Table

_MOST_KEPT = 1_000  # sets of keys


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
    """Rows of the objects; a key of the object around them serves as their number. Raises
    InputError where two keys of one mean one column, or none has a number.
    """
    titles: dict[str, None] = {}
    mappers: dict[tuple[str, ...], TitledRows] = {}  # keys may differ from one to the next
    numbered = False
    for line, key, value in entries:
        if not isinstance(value, dict):
            yield no_object(line)
            continue
        values, problem = texts(value)
        if problem:
            yield RowError(Code.ROW_UNREADABLE, problem, "take one of the two out", line=line)
            continue
        keys = tuple(values)
        mapper = mappers.get(keys)
        if mapper is None:
            mapper = TitledRows(keys, columns, table, line)
            titles |= dict.fromkeys(keys)
            if len(mappers) < _MOST_KEPT:
                mappers[keys] = mapper
        row = mapper.row(line, list(values.values()))
        if key:
            row.values.setdefault("number", key)
        numbered = numbered or "number" in row.values
        yield row
    if titles and not numbered:
        raise no_header(table.file, list(titles))
