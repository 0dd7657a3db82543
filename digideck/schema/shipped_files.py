"""The data that ships, as files: games, sets, cards with their repairs."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.strict_yaml import Mapping
from digideck.core.strict_yaml import load as load_yaml
from digideck.schema.card_store import NAME_COLUMNS, PLAIN_COLUMNS, CardValues
from digideck.schema.data_folder import DATA
from digideck.schema.games.fields import parse_field
from digideck.schema.games.game import Game, read_game

CARD_COLUMNS = ("number", "edition", *NAME_COLUMNS, "set", *PLAIN_COLUMNS, "doubt", "source")
_INFERRED_SET = "inferred_set"  # "AE6: what it is inferred from", in files that have some


def data_hash(folder: Path = DATA) -> str:
    """What data/VERSION must hold: the hash of every data file, line ends aside."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".csv", ".yaml"):
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]


def games(folder: Path = DATA) -> list[Game]:
    """Every game that ships. Raises InputError for a file that breaks a rule."""
    paths = sorted((folder / "games").glob("*.yaml"))
    return [read_game(load_yaml(path.read_text("utf-8"), path.name)) for path in paths]


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a shipped CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, strict=True)


def shipped_cards(game: Game, folder: Path = DATA) -> Iterator[CardValues]:
    """The cards of a game as they are stored, repairs applied."""
    repairs = _repairs(folder / "fixes" / f"{game.code}.yaml")
    name = f"{game.code}.csv"
    for row in rows(folder / "cards" / name):
        yield _card_values(game, row, repairs.pop(_written(row), []), name)
    if repairs:
        raise input_error(
            Code.FIX_UNUSED, f"no card for the fix of {next(iter(repairs))}", file=name
        )


def _written(row: dict[str, str]) -> str:
    return f"{row['number']}@{row['edition']}" if row["edition"] else row["number"]


def _repairs(path: Path) -> dict[str, list[Mapping]]:
    repairs: dict[str, list[Mapping]] = {}
    if path.exists():
        file = load_yaml("fixes:\n" + path.read_text("utf-8"), path.name)
        for repair in file.mappings("fixes"):
            repairs.setdefault(repair.text("card"), []).append(repair)
    return repairs


def _card_values(game: Game, row: dict[str, str], repairs: list[Mapping], file: str) -> CardValues:
    doubts = dict(part.split(": ", 1) for part in row["doubt"].split(" | ") if part)
    for repair in repairs:
        _repair(row, repair, doubts)
    values: dict[str, Any] = {}
    for column, text in row.items():
        if column in NAME_COLUMNS or column in PLAIN_COLUMNS:
            if text:
                values[column] = text
        elif column not in (*CARD_COLUMNS, _INFERRED_SET):
            value, problem = parse_field(game.fields[column], text)
            if problem:
                raise input_error(Code.DATA_VALUE, f"{row['number']}: {problem}", file=file)
            if value is not None:
                values[column] = value
    sets = [code for code in row["set"].split("; ") if code]
    inferred = _inferred_sets(row.get(_INFERRED_SET) or "")
    return CardValues(
        game.code, row["number"], row["edition"], row["source"], sets, values, doubts, inferred
    )


def _inferred_sets(text: str) -> tuple[tuple[str, str], ...]:
    if not text:
        return ()
    code, reason = text.split(": ", 1)
    return ((code, f"inferred: {reason}"),)


def _repair(row: dict[str, str], repair: Mapping, doubts: dict[str, str]) -> None:
    column, was = repair.text("field"), repair.text("was", "")
    if row.get(column, "") != was:
        raise repair.problem(f"{row['number']} {column} is {row[column]!r}, not {was!r}", "was")
    value = repair.text("value")
    if column == "name_en" and was != value:
        row["alias"] = row["alias"] or was
    row[column] = value
    doubt = repair.optional_text("doubt")
    if doubt:
        doubts[column] = doubt
    repair.text("card"), repair.text("reason"), repair.text("source")
    repair.done()


if __name__ == "__main__":
    (DATA / "VERSION").write_text(data_hash() + "\n", encoding="ascii")
