"""YAML: a list of cards, or keys of which one holds such a list. Read at once, strictly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.strict_yaml import Mapping, load_any
from digideck.files.input import InputFile
from digideck.importers.list_columns import Columns
from digideck.importers.readers.json_list import rows
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Table

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
    table.rows = rows(_entries(document, source.name), columns, table)
    return table


def _entries(document: Any, file: str) -> Iterator[tuple[int, str, Any]]:
    """Line, no key, and keys with values of each entry; what has none as it is."""
    lists = [document] if isinstance(document, list) else []
    if isinstance(document, Mapping):
        lists = [value for value in document.entries.values() if isinstance(value, list)]
    if not lists:
        raise input_error(
            Code.YAML_TYPE,
            "expected a list of cards",
            file=file,
            line=1,
            next_step="write each card as: - number: St-1, with its other values below",
        )
    for place, entry in enumerate(lists[0], start=1):
        line = getattr(entry, "line", 0) or place
        yield line, "", dict(entry.entries) if isinstance(entry, Mapping) else entry
