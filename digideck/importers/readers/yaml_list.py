"""YAML: a list of cards, or keys of which one holds such a list. Read at once, strictly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import RowError, input_error
from digideck.core.strict_yaml import Mapping, load_any
from digideck.files.input import InputFile
from digideck.importers.columns import Columns, no_header
from digideck.importers.readers.json_list import Mapper
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import DAMAGE, Row, Table

LARGEST = 20_000_000  # bytes
_BEGINNING = re.compile(r"(?:%YAML.*|---.*|- ?\S+.*|-|[^\s:,;|\t]+:(?: .*)?)", re.ASCII)


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether the first line that is no comment looks like YAML."""
    for line in sample.lines:
        if line.strip() and not line.lstrip().startswith("#"):
            return bool(_BEGINNING.fullmatch(line.rstrip()))
    return False


def read_document(source: InputFile, how: How) -> tuple[Any, str]:
    """What the file holds, and its encoding in words. Raises InputError with line and column."""
    encoding, words = source.encoding(how.encoding)
    text = source.whole(LARGEST, "YAML").decode(encoding)
    return load_any(text, source.name), words


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The entries as rows."""
    document, words = read_document(source, how)
    table = Table(source.name, "yaml", f"YAML, {words}", iter(()))
    table.rows = _rows(_entries(document, source.name), columns, table)
    return table


def _entries(document: Any, file: str) -> list[Any]:
    if isinstance(document, list):
        return document
    if isinstance(document, Mapping):
        for value in document.entries.values():
            if isinstance(value, list):
                return value
    raise input_error(
        Code.YAML_TYPE,
        "expected a list of cards",
        file=file,
        line=1,
        next_step="write each card as: - number: St-1, with its other values below",
    )


def _rows(entries: list[Any], columns: Columns, table: Table) -> Iterator[Row | RowError]:
    mapper = Mapper(columns, table)
    for place, entry in enumerate(entries, start=1):
        if isinstance(entry, Mapping):
            yield mapper.row(entry.line or place, _texts(entry))
        else:
            line = getattr(entry, "line", 0) or place
            yield RowError(
                Code.ROW_UNREADABLE, "not keys with values, such as number: St-1", line=line
            )
    if mapper.rows and not mapper.numbered:
        raise no_header(table.file, list(mapper.titles))


def _texts(entry: Mapping) -> dict[str, str]:
    found = {}
    for key, value in entry.entries.items():
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            text = "; ".join(value)
        elif value is None or isinstance(value, str):
            text = value or ""
        else:
            text = f"{DAMAGE}keys with values of their own, not a value"
        if text.strip():
            found[key] = text.strip()
    return found
