"""What the columns of card lists are called: one table of spellings for every reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, input_error
from digideck.importers.rows import Table
from digideck.schema.games.fields import Field
from digideck.schema.games.game import Game

# By the name that a column has here. Spaces, case, dashes and underscores do not count.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "number": (
        "number", "card number", "card no", "no", "no.", "num", "card id", "cardid", "id",
        "card code", "code", "collector number", "番号", "カード番号", "カードNo", "ナンバー",
    ),
    "edition": ("edition", "print", "region", "版"),
    "game": ("game", "product line", "card game", "ゲーム"),
    "set": (
        "set", "sets", "set code", "set name", "expansion", "pack", "booster", "series name",
        "セット", "収録", "収録弾", "弾",
    ),
    "name": ("name", "card name", "card", "title", "名前", "カード名", "名称"),
    "name_en": ("name_en", "english name", "name english", "name (en)", "english", "英名"),
    "name_ja": ("name_ja", "japanese name", "name japanese", "name (ja)", "japanese", "日本語名"),
    "name_dub": ("name_dub", "dub name", "dub", "name (dub)"),
    "species_ja": ("species_ja", "japanese species"),
    "also_named": ("also_named", "second name", "also named"),
    "alias": ("alias", "other spelling"),
    "kind": ("kind", "card kind", "card type", "種類", "カード種類"),
    "level": ("level", "lv", "lv.", "card level", "レベル", "世代"),
}  # fmt: skip

# Further spellings of fields, where a game has the field.
FIELD_ALIASES: Mapping[str, tuple[str, ...]] = {
    "attack_a": ("a attack", "attack a", "atk a", "攻撃A"),
    "attack_b": ("b attack", "attack b", "atk b", "攻撃B"),
    "attack_c": ("c attack", "attack c", "atk c", "攻撃C"),
    "battle_type": ("battletype", "バトルタイプ"),
    "colour": ("color", "colors", "colours", "色"),
    "cost": ("play cost", "コスト"),
    "hp": ("hit points", "ＨＰ"),
    "speed": ("スピード",),
    "field": ("フィールド",),
    "type": ("digimon type", "種族", "タイプ"),
    "attribute": ("属性",),
    "evolves_from": ("evolution", "evolution sources", "evolves from", "進化元", "進化条件"),
    "rarity": ("card rarity", "レア度", "レアリティ"),
    "lost_points": ("lost points", "lost point"),
    "digivolve": ("digivolves from", "digivolve cost"),
}

# Facts are stored, the texts of cards never.
TEXTS = (
    "effect", "effects", "card effect", "main effect", "maineffect", "source effect",
    "soureeffect", "sourceeffect", "inherited effect", "security effect", "alt effect",
    "option effect", "digivolve effect", "special effect", "special evolution text", "ability",
    "abilities", "special ability", "special abilities", "skill", "skills", "text", "card text",
    "rules text", "rule text", "flavor", "flavour", "flavor text", "flavour text", "description",
    "効果", "テキスト", "能力", "特殊能力", "カードテキスト", "フレーバーテキスト",
)  # fmt: skip

# Titles that give way where another names the same column: often a row's own id.
_WEAK = {search_key(title) for title in ("id", "no", "num", "code", "title", "card", "pack")}

TEXT = "\0text"
NOTHING = ""


class Columns:
    """What a title means, for the games in question.

    With ``open_fields`` (a new game) every title that has no meaning becomes a
    field of text; they gather in ``new_fields``.
    """

    def __init__(self, games: Iterable[Game], *, open_fields: bool = False) -> None:
        self.open_fields = open_fields
        self.new_fields: dict[str, Field] = {}
        self._meanings: dict[str, str] = {}
        for game in games:
            for code, field in game.fields.items():
                for title in (code, field.label, *field.words, *FIELD_ALIASES.get(code, ())):
                    self._meanings.setdefault(search_key(title), code)
        self._meanings |= {search_key(title): TEXT for title in TEXTS}
        self._meanings |= {
            search_key(title): column for column, titles in ALIASES.items() for title in titles
        }

    def meaning(self, title: str) -> str:
        """The column that ``title`` names, TEXT for card text, NOTHING if unknown."""
        key = search_key(title)
        known = self._meanings.get(key)
        if known is not None:
            return known
        if not self.open_fields or not key:
            return NOTHING
        self._meanings[key] = key
        self.new_fields[key] = Field(key, title.strip(), "text")
        return key

    def known(self, title: str) -> bool:
        """Whether ``title`` is in the table, a new field aside."""
        return search_key(title) in self._meanings


@dataclass(frozen=True)
class Header:
    """The titles of a table and the column that each names, NOTHING or TEXT for none."""

    titles: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that values are taken from."""
        return tuple(column for column in self.columns if column not in (NOTHING, TEXT))


def is_header(titles: Sequence[str], columns: Columns) -> bool:
    """Whether a row of titles names the column of the cards' numbers."""
    if titles and titles[0].lstrip().startswith("#"):
        return False
    return any(
        columns.known(title) and columns.meaning(title) == "number"
        for title in titles
        if title.strip() and len(title) < 100
    )


def read_header(
    titles: Sequence[str], columns: Columns, table: Table, line: int, part: str = ""
) -> Header:
    """The header, its unknown and text titles noted in ``table``.

    "id" gives way to "card number"; where two titles mean one column otherwise,
    raises Unusable naming both.
    """
    meanings: list[str] = []
    for title in titles:
        meaning = columns.meaning(title) if title.strip() else NOTHING
        if meaning not in (NOTHING, TEXT) and meaning in meanings:
            first = meanings.index(meaning)
            if search_key(titles[first]) in _WEAK:
                meanings[first] = NOTHING
            elif search_key(title) in _WEAK:
                meaning = NOTHING
            else:
                raise _twice(titles, meanings, title, meaning, table.file, line, part)
        meanings.append(meaning)
    for title, meaning in zip(titles, meanings, strict=True):
        note(table, title, meaning)
    return Header(tuple(titles), tuple(meanings))


def note(table: Table, title: str, meaning: str) -> None:
    """Keep a title that nothing is stored of, to be said."""
    if meaning == TEXT:
        table.texts[title.strip()] = None
    elif meaning == NOTHING and title.strip():
        table.ignored[title.strip()] = None


def _twice(
    titles: Sequence[str],
    meanings: list[str],
    title: str,
    meaning: str,
    file: str,
    line: int,
    part: str,
) -> InputError:
    first = titles[meanings.index(meaning)]
    return input_error(
        Code.COLUMN_TWICE,
        f"the columns {first!r} and {title!r} both mean {meaning}",
        file=f"{file}[{part}]" if part else file,
        line=line,
        next_step="take one of them out, or rename it",
    )


def no_header(file: str, unknown: Sequence[str] = ()) -> InputError:
    """The problem of a list without a column for the number: found and accepted names, once."""
    accepted = ", ".join(ALIASES["number"][:9])
    found = f"; found: {', '.join(unknown[:12])}" if unknown else ""
    return input_error(
        Code.NO_HEADER,
        f"no header row with a column for the card's number{found}",
        file=file,
        allowed=f"a column called one of: {accepted}",
        next_step="add a first row such as: number,name,set (the number column is called one of: "
        f"{accepted})",
    )
