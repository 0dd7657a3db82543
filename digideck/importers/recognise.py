"""Which reader a file is for: told by its content, or named with --as."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

from digideck.core import plugins
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import no_such
from digideck.files.encodings import encoding_by_mark
from digideck.files.input import InputFile
from digideck.importers.list_columns import Columns
from digideck.importers.rows import Table


@dataclass(frozen=True)
class How:
    """What the user told about reading: encoding, delimiter, sheet; None where not."""

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
    "lackey": "lackey_cards",
    "csv": "csv_list",
    "yaml": "yaml_list",
}
ALSO_CALLED = {"tsv": "csv", "json-lines": "jsonl", "lackeyccg": "lackey", "yml": "yaml"}


class Reader(Protocol):
    """A source of cards: a module of `readers`, or of another package that names it as an
    entry point of the group digideck.readers.
    """

    def recognises(self, sample: Sample, columns: Columns) -> bool:
        """Whether a file that begins so is for this reader."""

    def read(self, source: InputFile, columns: Columns, how: How) -> Table:
        """The rows of the file. Raises InputError where it has none."""


def open_table(source: InputFile, columns: Columns, how: How, named: str | None = None) -> Table:
    """The rows of ``source``. Raises InputError where no reader knows the content."""
    if source.size == 0:
        raise input_error(
            Code.FILE_EMPTY, "the file is empty, expected a card list", file=source.name
        )
    sample = Sample(source, how)
    if named:
        return _module(reader_named(named)).read(source, columns, how)
    for reader in chain(map(_module, READERS), _added()):
        if reader.recognises(sample, columns):
            return reader.read(source, columns, how)
    raise _unknown(source, columns, how)


def reader_named(name: str) -> str:
    """The reader called ``name``. Raises InputError listing them."""
    wanted = name.strip().lower()
    wanted = ALSO_CALLED.get(wanted, wanted)
    if wanted not in READERS and wanted not in (others := plugins.added(plugins.READERS)):
        known = [*READERS, *ALSO_CALLED, *others]
        raise no_such(Code.UNKNOWN_READER, f"no reader is called {name!r}", wanted, known)
    return wanted


def _module(name: str) -> Reader:
    if name not in READERS:
        reader: Reader = plugins.load(plugins.added(plugins.READERS)[name])
        return reader
    module: Any = importlib.import_module(f"digideck.importers.readers.{READERS[name]}")
    return module  # type: ignore[no-any-return]


def _added() -> Iterator[Reader]:
    """The readers of other packages."""
    yield from plugins.loaded(plugins.READERS)


def _unknown(source: InputFile, columns: Columns, how: How) -> InputError:
    """Nothing recognised: read it as CSV, which says what is missing, or is not text at all."""
    try:
        _module("csv").read(source, columns, how)
    except InputError as error:
        return error
    return input_error(
        Code.NOT_RECOGNISED,
        "not recognised as a card list",
        file=source.name,
        next_step=f"name the reader: --as {', '.join(READERS)}",
    )
