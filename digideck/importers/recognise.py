"""Which reader a file is for: told by its content, or named with --as."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.files.input import InputFile, encoding_by_mark
from digideck.importers.columns import Columns
from digideck.importers.rows import Table


@dataclass(frozen=True)
class How:
    """What the user said about reading: encoding, delimiter, sheet; None where not."""

    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None


class Sample:
    """The beginning of a file, as bytes and, where it is text, as text."""

    def __init__(self, source: InputFile, how: How) -> None:
        self.data = source.sample
        self._encoding = how.encoding
        self.how = how

    @cached_property
    def text(self) -> str:
        """The text so far; bytes that do not fit are marked, for looking at only."""
        marked = encoding_by_mark(self.data)
        encoding = marked.name if marked else self._encoding or "utf-8"
        try:
            return self.data.decode(encoding, "replace").lstrip("\ufeff")
        except (LookupError, ValueError):  # no encoding of text; reading will say so
            return self.data.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The complete lines of the text so far, or the only one."""
        lines = self.text.splitlines()
        return lines[:-1] if len(lines) > 1 and len(self.data) >= 65_536 else lines


# In this order; each module has recognises(sample, columns) and read(source, columns, how).
READERS = {
    "xlsx": "xlsx_list",
    "wikimon": "wikimon",
    "html": "html_tables",
    "digimoncard-io": "digimoncard_io",
    "jsonl": "json_lines",
    "json": "json_list",
    "lackey": "lackey",
    "csv": "csv_list",
    "yaml": "yaml_list",
}
ALSO_CALLED = {"tsv": "csv", "json-lines": "jsonl", "lackeyccg": "lackey", "yml": "yaml"}

Read = Callable[[InputFile, Columns, How], Table]


def open_table(source: InputFile, columns: Columns, how: How, named: str | None = None) -> Table:
    """The rows of ``source``. Raises InputError where no reader knows the content."""
    if source.size == 0:
        raise input_error(
            Code.FILE_EMPTY, "the file is empty, expected a card list", file=source.name
        )
    sample = Sample(source, how)
    if named:
        return _reader(reader_named(named))(source, columns, how)
    for name in READERS:
        if _module(name).recognises(sample, columns):
            return _reader(name)(source, columns, how)
    raise _unknown(source, columns, how)


def reader_named(name: str) -> str:
    """The reader called ``name``. Raises InputError listing them."""
    wanted = name.strip().lower()
    wanted = ALSO_CALLED.get(wanted, wanted)
    if wanted not in READERS:
        known = ", ".join([*READERS, *ALSO_CALLED])
        raise input_error(
            Code.UNKNOWN_READER,
            f"no reader is called {name!r}",
            allowed=known,
            next_step=f"one of: {known}",
        )
    return wanted


def _module(name: str) -> Any:
    return importlib.import_module(f"digideck.importers.readers.{READERS[name]}")


def _reader(name: str) -> Read:
    return _module(name).read  # type: ignore[no-any-return]


def _unknown(source: InputFile, columns: Columns, how: How) -> InputError:
    """Nothing recognised: read it as CSV, which says what is missing, or is not text at all."""
    try:
        _reader("csv")(source, columns, how)
    except InputError as error:
        return error
    return input_error(
        Code.NOT_RECOGNISED,
        "not recognised as a card list",
        file=source.name,
        next_step=f"name the reader: --as {', '.join(READERS)}",
    )
