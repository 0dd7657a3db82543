"""What the columns of lists are called: one table of header words for every reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, input_error

# By the name that a column has here. Spaces, case, dashes and underscores do not count.
HEADER_WORDS: Mapping[str, tuple[str, ...]] = {
    "number": (
        "number", "card number", "card no", "no", "no.", "num", "card id", "cardid", "id",
        "card code", "code", "collector number", "collector #",
        "番号", "カード番号", "カードNo", "ナンバー",
    ),
    "edition": ("edition", "print", "region", "版"),
    "game": ("game", "product line", "card game", "ゲーム"),
    "set": (
        "set", "sets", "set code", "set name", "edition code", "edition name", "expansion",
        "expansion code", "expansion name", "pack", "booster", "series name",
        "セット", "収録", "収録弾", "弾",
    ),
    "name": (
        "name", "card name", "card", "simple name", "product name", "title", "名前", "カード名",
        "名称",
    ),
    "name_en": ("name_en", "english name", "name english", "name (en)", "english", "英名"),
    "name_ja": ("name_ja", "japanese name", "name japanese", "name (ja)", "japanese", "日本語名"),
    "name_dub": ("name_dub", "dub name", "dub", "name (dub)"),
    "species_ja": ("species_ja", "japanese species"),
    "also_named": ("also_named", "second name", "also named"),
    "alias": ("alias", "other spelling"),
    "kind": ("kind", "card kind", "card type", "種類", "カード種類"),
    "level": ("level", "lv", "lv.", "card level", "レベル", "世代"),
    "count": (
        "count", "quantity", "qty", "copies", "amount", "owned", "have", "card count", "枚数",
    ),
    "zone": ("zone", "section", "board", "deck", "ゾーン"),
    "variant": ("variant", "alternate art", "printing mark"),
    "condition": ("condition", "grade", "状態"),
    "language": ("language", "lang", "言語"),
    "finish": ("finish", "foil", "printing"),
    "place": ("place", "location", "binder", "folder", "box", "場所"),
    "note": ("note", "notes", "comment", "comments", "備考"),
}  # fmt: skip
NAMES = ("name", "name_en", "name_ja", "name_dub")  # of a card, for readers that take any

# Titles that give way where another names the same column: a row's own id, a set's name
# beside its code.
_WEAK = {
    search_key(title)
    for title in ("id", "no", "num", "code", "title", "card", "pack", "set name", "edition name",
                  "expansion name", "expansion")
}  # fmt: skip

NOTHING = ""


class HeaderWords:
    """What titles mean to a reader that takes ``columns`` of the table.

    ``more`` are words of its own with their columns; the table's and earlier ones come first.
    """

    def __init__(self, columns: Iterable[str], more: Iterable[tuple[str, str]] = ()) -> None:
        self.meanings = {
            search_key(title): column for column in columns for title in HEADER_WORDS[column]
        }
        for title, column in more:
            self.meanings.setdefault(search_key(title), column)

    def known(self, title: str) -> bool:
        """Whether ``title`` is one of the words."""
        return search_key(title) in self.meanings

    def meaning(self, title: str) -> str:
        """The column that ``title`` names, NOTHING if unknown."""
        return self.meanings.get(search_key(title), NOTHING)

    def columns_of(self, titles: Iterable[str]) -> set[str]:
        """The columns that a row of titles names."""
        return {self.meaning(title) for title in titles if self.known(title)}

    def header(
        self, titles: Sequence[str], file: str, line: int, *, repeated: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """The column of each title, NOTHING for none. "id" gives way to "card number"; where
        two titles mean one column otherwise, raises InputError naming both. ``repeated``
        columns may come again.
        """
        free = {NOTHING, *repeated}
        columns: list[str] = []
        for title in titles:
            column = self.meaning(title) if title.strip() else NOTHING
            if column not in free and column in columns:
                first = columns.index(column)
                if search_key(titles[first]) in _WEAK:
                    columns[first] = NOTHING
                elif search_key(title) in _WEAK:
                    column = NOTHING
                else:
                    raise column_twice(titles[first], title, column, file, line)
            columns.append(column)
        return tuple(columns)


def column_twice(first: str, second: str, column: str, file: str, line: int) -> InputError:
    """The error for two titles of which nobody can tell which one serves."""
    return input_error(
        Code.COLUMN_TWICE,
        f"the columns {first!r} and {second!r} both mean {column}",
        file=file,
        line=line,
        next_step="take one of them out, or rename it",
    )
