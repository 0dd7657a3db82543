"""The card list of the digimoncard.io API: JSON objects of three games, told apart by "series"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import RowError
from digideck.files.columns import NOTHING
from digideck.files.input import InputFile
from digideck.importers.list_columns import TEXT, Columns, note
from digideck.importers.readers.json_stream import no_object, objects, texts
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Head, Row, Table

_GAMES = {
    search_key(name): code
    for name, code in (
        ("Digimon Card Game", "dcg"),
        ("Digimon Digi-Battle Card Game", "digi-battle"),
        ("Digimon Collectible Card Game", "dccg"),
    )
}
_KEYS = {
    "id", "name", "series", "set", "set_name", "type", "level", "stage", "color", "color2",
    "color3", "play_cost", "dp", "evolution_cost", "evolution_color", "evolution_level",
    "attribute", "form", "rarity", "digi_type", "digi_type2", "digi_type3", "digi_type4",
}  # fmt: skip
_TEXTS = re.compile(r".*effect.*|.*text.*")
_MARKS = ('"digi_type"', '"set_name"', '"evolution_cost"', '"play_cost"', '"series"')
_RARITIES = {
    "common": "C", "uncommon": "U", "rare": "R", "super rare": "SR", "secret rare": "SEC",
    "ultra rare": "UR", "promo": "P", "promotion": "P",
}  # fmt: skip
_LEVELS = ("Rookie", "Champion", "Ultimate", "Mega")
# The API gives one way to digivolve where a card may have more, and colours of
# the old games in its own words: they fill gaps and correct nothing.
_WEAK = frozenset({"digivolve", "form", "type", "attribute", "colour", "battle_colour", "rarity"})
_HEADS = {
    "dcg": Head(
        ("number", "game", "set", "name", "kind", "level", "colour", "cost", "dp", "digivolve",
         "form", "attribute", "type", "rarity"), weak=_WEAK,
    ),
    "digi-battle": Head(
        ("number", "game", "set", "name", "kind", "level", "battle_colour", "type", "attribute"),
        weak=_WEAK,
    ),
    "dccg": Head(("number", "game", "set", "name", "kind", "level", "attribute"), weak=_WEAK),
}  # fmt: skip


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether it is JSON whose first object has the API's keys."""
    text = sample.text.lstrip()
    if text[:1] not in ("[", "{") or text.startswith("{{"):
        return False
    beginning = text[:20_000]
    return '"id"' in beginning and sum(mark in beginning for mark in _MARKS) >= 2


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The cards as rows."""
    encoding, words = source.encoding(how.encoding)
    table = Table(source.name, "digimoncard-io", f"digimoncard.io card list, {words}", iter(()))
    table.rows = _rows(objects(source.text(encoding), source.name), table)
    return table


def _rows(entries: Iterator[tuple[int, str, Any]], table: Table) -> Iterator[Row | RowError]:
    for line, _, value in entries:
        if not isinstance(value, dict):
            yield no_object(line)
            continue
        for key in (key for key in value if key not in _KEYS):
            note(table, key, TEXT if _TEXTS.fullmatch(key.lower()) else NOTHING)
        given, problem = texts({key: value[key] for key in value if key in _KEYS})
        if problem:
            yield RowError(Code.ROW_UNREADABLE, problem, line=line)
            continue
        series = given.get("series", "Digimon Card Game")
        game = _GAMES.get(search_key(series))
        if game is None:
            known = ", ".join(_GAMES.values())
            yield RowError(Code.UNKNOWN_GAME, f"series {series!r} is none of: {known}", line=line)
            continue
        yield Row(line, _values(game, given), _HEADS[game])


def _values(game: str, given: dict[str, str]) -> dict[str, str]:
    named = {
        "number": given.get("id"),
        "game": game,
        "set": given.get("set_name") or given.get("set"),
        "name": given.get("name"),
        "kind": _kind(given.get("type", "")),
        "attribute": given.get("attribute"),
        "type": _joined(given, "digi_type"),
    }
    named |= _facts_of_dcg(given) if game == "dcg" else _facts_of_old(game, given)
    columns = _HEADS[game].columns
    return {column: text for column, text in named.items() if text and column in columns}


def _facts_of_dcg(given: dict[str, str]) -> dict[str, str | None]:
    colour, level, cost = (given.get(f"evolution_{key}") for key in ("color", "level", "cost"))
    rarity = given.get("rarity", "")
    return {
        "level": given.get("level"),
        "colour": _joined(given, "color"),
        "cost": given.get("play_cost"),
        "dp": given.get("dp"),
        "digivolve": f"{colour}/Lv{level}/{cost}" if colour and level and cost else None,
        "form": given.get("stage") or given.get("form"),
        "rarity": _RARITIES.get(rarity.lower(), rarity.upper()),
    }


def _facts_of_old(game: str, given: dict[str, str]) -> dict[str, str | None]:
    stage = given.get("stage") or given.get("level") or ""
    return {
        "level": stage if stage.capitalize() in _LEVELS else None,
        "battle_colour": given.get("color"),
    }


def _kind(text: str) -> str:
    return "Option" if "option" in text.lower() else text


def _joined(given: dict[str, str], key: str) -> str:
    return "|".join(given[name] for name in (key, f"{key}2", f"{key}3", f"{key}4") if name in given)
