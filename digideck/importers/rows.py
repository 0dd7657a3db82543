"""What every reader yields: rows of named values with their place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from digideck.core.problems import Problem, RowError

DAMAGE = (
    "\0damage:"  # begins a value that the reader itself knows to be damaged; what follows is why
)


@dataclass(frozen=True, slots=True)
class Head:
    """What a run of rows shares: its columns, and the sheet, table or page they are in.

    ``weak`` columns only fill in what is unknown and correct nothing.
    """

    columns: tuple[str, ...]
    part: str = ""
    weak: frozenset[str] = frozenset()


class Row(NamedTuple):
    """One row: ``values`` by column, blank ones left out; ``line`` where it begins."""

    line: int
    values: dict[str, str]
    head: Head


@dataclass
class Table:
    """A file's rows, read one after the other.

    ``ignored`` are titles that mean nothing here, ``texts`` titles of card texts,
    which are never stored, ``notes`` what else there is to report. They fill while rows
    are read. ``rows_are`` is what a ``line`` counts.
    """

    file: str
    reader: str
    reading: str  # how the file was read, in words: encoding, delimiter
    rows: Iterator[Row | RowError]
    ignored: dict[str, None] = field(default_factory=dict)
    texts: dict[str, None] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)
