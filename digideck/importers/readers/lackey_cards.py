"""LackeyCCG card tables (CardData*.txt): tab-separated, no quoting, columns in any order.

Columns as in the plugin of the 1999 game; what other plugins have beside them is
taken by the usual spellings. "Abilities" is card text, and so is much of
"Evo/Activation": only what reads as an evolution requirement or as the name of
a phase is taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import Problem, RowError, Severity, input_error
from digideck.files.columns import NOTHING
from digideck.files.input import InputFile
from digideck.files.tables import LineTooLong, bounded_lines
from digideck.importers.list_columns import TEXT, Columns, note
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Head, Row, Table

# Titles of the 1999 game's plugin; the others are shared by all plugins.
_TITLES = {
    "name": "name", "set": "set", "imagefile": "image", "cardnumber": "number",
    "evoactivation": "evolution", "level": "level", "frame": "frame", "group": "group",
    "type": "type", "attribute": "attribute", "field": "field", "at": "battle_type",
    "ap": "attack_a", "bp": "attack_b", "cp": "attack_c", "lostpoint": "lost_points",
    "abilities": TEXT,
}  # fmt: skip
_TABLE_1999 = {"at", "ap", "bp", "cp", "lostpoint"}
_COLUMNS_1999 = (
    "number", "game", "set", "name", "kind", "level", "frame", "category", "type", "attribute",
    "field", "battle_type", "attack_a", "attack_b", "attack_c", "lost_points", "evolves_from",
    "timing",
)  # fmt: skip
_SAME_NAME = re.compile(r"\s*\([0-9]+\)$")
_POINTS = re.compile(r"III\s*([0-9]+)\s+IV\s*([0-9]+)\s+P\s*([0-9]+)\s+U\s*([0-9]+)")
_PHASE = re.compile(r"((?:Battle|Evolution|Preparation|Point Calculation) Phase)\b")
_NEEDED = re.compile(r"\s*([^+.()]{2,40}?) \+ ([OX]{1,3}|Winning Percentage: [0-9]+%!)(?=\s|$)")


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether the first line has the titles that every plugin's table begins with."""
    first = next((line for line in sample.lines if line.strip()), "")
    titles = {search_key(title) for title in first.split("\t")}
    return {"name", "set", "imagefile"} <= titles


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The rows of one table. Raises InputError where the first line is no header."""
    encoding, words = source.encoding(how.encoding)
    lines = bounded_lines(source.text(encoding))
    table = Table(source.name, "lackey", f"LackeyCCG table, {words}", iter(()))
    try:
        place, first = next(
            ((place, line) for place, line in enumerate(lines, 1) if line.strip()), (1, "")
        )
    except LineTooLong as error:
        raise input_error(
            Code.NOT_LACKEY, f"not a table: {error}", file=source.name, line=1
        ) from None
    titles = [title.strip() for title in first.rstrip("\r\n").split("\t")]
    keys = [search_key(title) for title in titles]
    if not {"name", "imagefile"} <= set(keys):
        raise input_error(
            Code.NO_HEADER,
            "no LackeyCCG table: the first line lacks the columns Name and ImageFile",
            file=source.name,
            line=place,
            next_step="leave --as out, or save the table with its header",
        )
    is_1999 = set(keys) >= _TABLE_1999
    meanings = [
        _meaning(title, key, columns, is_1999) for title, key in zip(titles, keys, strict=True)
    ]
    for title, meaning in zip(titles, meanings, strict=True):
        note(table, title, meaning)
    table.rows = _rows(lines, place, meanings, is_1999, table)
    return table


def _meaning(title: str, key: str, columns: Columns, is_1999: bool) -> str:
    if key in ("name", "set", "imagefile", "cardnumber") or (is_1999 and key in _TITLES):
        return _TITLES[key]
    return columns.meaning(title) if title else NOTHING


def _rows(
    lines: Iterator[str], offset: int, meanings: Sequence[str], is_1999: bool, table: Table
) -> Iterator[Row | RowError]:
    named = tuple(dict.fromkeys(m for m in meanings if m not in (NOTHING, TEXT, "image")))
    head = Head(_COLUMNS_1999 if is_1999 else ("number", *(m for m in named if m != "number")))
    unread = 0
    try:
        for line, text in enumerate(lines, start=offset + 1):
            cells = [" ".join(cell.split()) for cell in text.rstrip("\r\n").split("\t")]
            if not any(cells):
                continue
            if len(cells) > len(meanings) and any(cells[len(meanings) :]):
                wide = f"{len(cells)} values for {len(meanings)} columns"
                yield RowError(Code.ROW_UNREADABLE, wide, "take the extra tabs out", line=line)
                continue
            values = {m: cell for m, cell in zip(meanings, cells, strict=False) if cell}
            values.pop(TEXT, None)
            values.pop(NOTHING, None)
            _name_and_number(values)
            if is_1999:
                unread += _facts_of_1999(values)
            yield Row(line, values, head)
    except LineTooLong as error:
        yield RowError(Code.ROW_UNREADABLE, str(error))
    if unread:
        table.notes.append(
            Problem(
                Code.EVOLUTION_UNREAD,
                Severity.NOTE,
                f"the evolution of {unread} rows is not one of the simple forms and was left out",
                table.file,
            )
        )


def _name_and_number(values: dict[str, str]) -> None:
    """A "(2)" only keeps names apart; the picture's name is the number where no column is."""
    image = values.pop("image", "")
    if "name" in values:
        values["name"] = _SAME_NAME.sub("", values["name"])
    if "number" not in values and image:
        number = image.split(",")[0].replace("\\", "/").rsplit("/", 1)[-1]
        values["number"] = re.sub(r"\.(?:jpe?g|png|gif|webp)$", "", number, flags=re.IGNORECASE)


def _facts_of_1999(values: dict[str, str]) -> bool:
    """Bring the values into the forms of the game's fields; whether an evolution was left out."""
    values["game"] = "hyper-colosseum"
    is_digimon = bool(values.get("level") or values.get("battle_type"))
    values["kind"] = "Digimon" if is_digimon else "Option"
    group = values.pop("group", "")
    if group and not is_digimon:
        values["category"] = group
    if "field" in values:
        values["field"] = "/".join(part for part in re.split(r"[\s,/]+", values["field"]) if part)
    points = _POINTS.fullmatch(values.pop("lost_points", ""))
    if points:
        values["lost_points"] = "/".join(points.groups())
    text = values.pop("evolution", "")
    phase = _PHASE.match(text)
    if not is_digimon:
        if phase:
            values["timing"] = phase[1]
        return False
    needed = evolution_sources(text)
    if needed:
        values["evolves_from"] = "; ".join(needed)
    return bool(text) and needed is None and search_key(values.get("level", "")) != "iii"


def evolution_sources(text: str) -> list[str] | None:
    """``Palmon + OO Agumon + X`` as its alternatives; None for any other text."""
    found, place = [], 0
    while place < len(text.rstrip()):
        match = _NEEDED.match(text, place)
        if not match:
            return None
        found.append(f"{match[1]} + {match[2]}")
        place = match.end()
    return found or None
