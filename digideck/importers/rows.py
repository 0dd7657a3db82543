"""What every reader yields: rows of named values with their place in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from digideck.schema.problems import Problem

# What the columns of card lists are called, by the name they have here.
# Spaces, case, dashes and underscores do not count.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "number": ("number", "card number", "card no", "no", "no.", "card id", "番号", "カード番号"),
    "edition": ("edition", "print", "region"),
    "game": ("game", "product line"),
    "set": ("set", "set code", "set name", "expansion", "セット", "収録"),
    "name": ("name", "card name", "card", "名前", "カード名"),
    "name_en": ("name_en", "english name", "name english"),
    "name_ja": ("name_ja", "japanese name", "name japanese"),
    "name_dub": ("name_dub", "dub name"),
    "also_named": ("also_named", "second name"),
    "kind": ("kind", "card kind", "card type", "種類"),
    "level": ("level", "lv", "レベル"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: ``values`` by column, blank ones left out; ``line`` where it begins."""

    line: int
    values: dict[str, str]


@dataclass(frozen=True)
class Table:
    """A file's rows, read one after the other.

    ``columns`` are the names by which values are found in the rows, ``ignored``
    the headers that mean nothing here. ``problems`` fill while rows are read.
    """

    file: str
    columns: tuple[str, ...]
    ignored: tuple[str, ...]
    rows: Iterator[Row]
    problems: list[Problem]
    reading: str  # how the file was read, in words: encoding and delimiter
