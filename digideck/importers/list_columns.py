"""What the columns of card lists mean: those of every list, the fields of games, card texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, input_error
from digideck.files.columns import HEADER_WORDS, NAMES, NOTHING, HeaderWords
from digideck.importers.rows import Head, Row, Table
from digideck.schema.games.fields import Field
from digideck.schema.games.game import Game

COLUMNS = (
    "number", "edition", "game", "set", *NAMES, "species_ja", "also_named", "alias", "kind",
    "level",
)  # fmt: skip

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

TEXT = "\0text"


class Columns(HeaderWords):
    """What a title means, for the games in question: a column, a field, TEXT for card text.

    With ``open_fields`` (a new game) every title that has no meaning becomes a
    field of text; they gather in ``new_fields``.
    """

    def __init__(self, games: Iterable[Game], *, open_fields: bool = False) -> None:
        self.open_fields = open_fields
        self.new_fields: dict[str, Field] = {}
        fields = (
            (title, code)
            for game in games
            for code, field in game.fields.items()
            for title in (code, field.label, *field.words, *FIELD_ALIASES.get(code, ()))
        )
        super().__init__(COLUMNS, (*((title, TEXT) for title in TEXTS), *fields))

    def meaning(self, title: str) -> str:
        """The column that ``title`` names, NOTHING if unknown."""
        key = search_key(title)
        known = self.meanings.get(key)
        if known is not None:
            return known
        if not self.open_fields or not key:
            return NOTHING
        self.meanings[key] = key
        self.new_fields[key] = Field(key, title.strip(), "text")
        return key

    def rate(self, titles: Sequence[str]) -> int:
        """How many titles are known, 0 where none is the column of the cards' numbers."""
        named = [title for title in titles if title.strip() and len(title) < 100]
        if (titles and titles[0].lstrip().startswith("#")) or not any(
            self.known(title) and self.meaning(title) == "number" for title in named
        ):
            return 0
        return sum(self.known(title) for title in named)


class TitledRows:
    """Rows below a header, in ``part`` of a file (a sheet, a table): their cells by column.

    Titles that mean nothing and those of texts are noted in ``table``. Raises InputError
    where two titles mean one column.
    """

    def __init__(
        self, titles: Sequence[str], columns: Columns, table: Table, line: int, part: str = ""
    ) -> None:
        file = f"{table.file}[{part}]" if part else table.file
        meanings = columns.header(titles, file, line, repeated=(TEXT,))
        for title, meaning in zip(titles, meanings, strict=True):
            note(table, title, meaning)
        # Only the columns that mean something are looked at in each row.
        self.places = [
            (at, name) for at, name in enumerate(meanings) if name not in (NOTHING, TEXT)
        ]
        self.titles = list(titles)
        self.head = Head(tuple(name for _, name in self.places), part)

    def row(self, line: int, cells: Sequence[str]) -> Row:
        """The row of these cells, as many as there are."""
        if len(cells) < len(self.titles):
            cells = [*cells, *([""] * (len(self.titles) - len(cells)))]
        values = {name: text for place, name in self.places if (text := cells[place].strip())}
        return Row(line, values, self.head)


def note(table: Table, title: str, meaning: str) -> None:
    """Keep a title that nothing is stored of, for the report."""
    if meaning == TEXT:
        table.texts[title.strip()] = None
    elif meaning == NOTHING and title.strip():
        table.ignored[title.strip()] = None


def no_header(file: str, unknown: Sequence[str] = ()) -> InputError:
    """The problem of a list without a column for the number: found and accepted names, once."""
    accepted = ", ".join(HEADER_WORDS["number"][:9])
    found = f"; found: {', '.join(unknown[:12])}" if unknown else ""
    return input_error(
        Code.NO_HEADER,
        f"no header row with a column for the card's number{found}",
        file=file,
        allowed=f"a column called one of: {accepted}",
        next_step="add a first row such as: number,name,set (the number column is called one of: "
        f"{accepted})",
    )
