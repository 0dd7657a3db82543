"""What a row gives of a card: its values, parsed by the words and fields of the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import RowError
from digideck.importers.rows import Head, Row
from digideck.importers.values import LONGEST_ITEM, LONGEST_TEXT, figure
from digideck.schema.card_store import NAME_COLUMNS
from digideck.schema.games.fields import Field, parse_field
from digideck.schema.games.game import Game

_Parse = Callable[[str], Any]
_Columns = tuple[tuple[str, _Parse | None], ...]  # None: any short text


class Parsers:
    """The parser of each column, made once for a game and a head."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, Head], _Columns] = {}
        self._last: tuple[str, Head, _Columns] | None = None

    def facts(self, game: Game, row: Row) -> dict[str, Any]:
        """The row's values by column. Raises RowError for one that cannot be."""
        last = self._last
        if last is None or last[1] is not row.head or last[0] != game.code:
            key = (game.code, row.head)
            if key not in self._made:
                self._made[key] = tuple(_columns(game, row.head))
            last = self._last = (*key, self._made[key])
        values, facts = row.values, {}
        for column, parse in last[2]:
            text = values.get(column)
            if text is not None:
                facts[column] = parse(text) if parse else fact(column, text)
        return facts


def _columns(game: Game, head: Head) -> Iterator[tuple[str, _Parse | None]]:
    for column in head.columns:
        if column in NAME_COLUMNS:
            yield column, None
        elif column in ("kind", "level"):
            yield column, _word(column, game)
        elif column in game.fields:
            yield column, _parser(game.fields[column])


def name_column(name: str) -> str:
    """English or Japanese, by whether the name has any kana or kanji."""
    if name.isascii():
        return "name_en"
    return "name_ja" if any(ord(char) >= 0x3040 for char in name) else "name_en"


def fact(column: str, text: str) -> str:
    """``text`` if it is short enough for a fact. Raises RowError."""
    if len(text) > LONGEST_TEXT:
        raise _too_long(column, text)
    return text


def _word(column: str, game: Game) -> _Parse | None:
    """One of a game's own words; any short text (None) where the game has none."""
    words = game.kinds if column == "kind" else game.levels
    if not words:
        return None
    known = {key: word for key, word in game.word_of.items() if word in words}

    def parse(text: str) -> str:
        found = known.get(search_key(text))
        if found is None:
            raise RowError(
                Code.UNKNOWN_WORD,
                f"{column}: {text[:60]!r} is not one of: {', '.join(words)}",
                f"write the {column} as one of these, or leave it blank",
            )
        return found

    return parse


def _parser(entry: Field) -> _Parse | None:
    if entry.type == "text":
        return None

    def parse(text: str) -> Any:
        damage = None
        if entry.type in ("integer", "flag", "limit"):
            text, damage = figure(text)
        value, problem = parse_field(entry, text)
        if damage or problem:
            raise RowError(
                Code.VALUE_DAMAGED if damage else Code.VALUE_WRONG,
                f"{entry.code}: {damage}" if damage else str(problem),
                "correct the value, or leave it blank if it is unknown",
            )
        if isinstance(value, list) and any(len(item) > LONGEST_ITEM for item in value):
            raise _too_long(entry.code, text)
        return value

    return parse


def _too_long(column: str, text: str) -> RowError:
    return RowError(
        Code.VALUE_TOO_LONG,
        f"{column}: {len(text):,} characters are too many for a fact",
        "texts of cards are not stored: leave the column out, or call it effect",
    )
