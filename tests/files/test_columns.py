"""One list of header words: whatever a column is called, every command that has it takes it."""

from __future__ import annotations

import csv
import io
from collections import Counter

import pytest

from digideck.collection.layouts import FIELDS
from digideck.core.names import search_key
from digideck.files.columns import HEADER_WORDS, NAMES
from digideck.importers.list_columns import COLUMNS
from tests.conftest import Run

DECK = ("count", "number", "zone", "set", "variant", "edition", "game", *NAMES)
# A value of each column, and how deck files and the collection write it.
VALUES = {
    "number": "BT1-010", "name": "Agumon", "name_en": "Agumon", "name_ja": "アグモン",
    "name_dub": "Agumon", "count": "3", "game": "hyper-colosseum", "edition": "asia", "set": "St1",
    "zone": "main", "variant": "P1", "condition": "NM", "language": "ja", "finish": "foil",
    "place": "box 3", "note": "a gift",
}  # fmt: skip


NUMBERS = {"variant": "BT1-010", "edition": "DM02-095"}  # the cards of the other columns: St-1


def words(*columns: str) -> list[tuple[str, str]]:
    return [(column, title) for column in columns for title in HEADER_WORDS[column]]


def table(column: str, title: str, value: str, number: str) -> str:
    """A list whose column of that meaning is called so, with the other columns it needs."""
    others = {"count": "2"} if column in NAMES else {"number": number, "count": "2"}
    row = {key: text for key, text in others.items() if key != column} | {title: value}
    out = io.StringIO()
    writer = csv.DictWriter(out, row)
    writer.writeheader()
    writer.writerow(row)
    return out.getvalue()


def test_no_word_means_two_columns() -> None:
    keys = Counter(
        key for titles in HEADER_WORDS.values() for key in {search_key(title) for title in titles}
    )
    assert [key for key, times in keys.items() if times > 1] == []


@pytest.mark.parametrize(("column", "title"), words(*FIELDS, *NAMES[1:]))
def test_collection_import_takes_every_word(run: Run, column: str, title: str) -> None:
    value = VALUES[column]
    text = table(column, title.upper(), value, NUMBERS.get(column, "St-1"))
    result = run("collection", "import", "-", "--add", "--dry-run", "--json", stdin=text)
    assert result.exit_code in (0, 3), result.output
    data = result.json["data"]
    if column in NAMES:  # of several cards of the name, none is chosen
        assert "no column" not in result.output
        assert data is None or data["ignored_columns"] == []
        return
    assert result.exit_code == 0, result.output
    assert data["ignored_columns"] == []
    (change,) = data["changes"]
    if column in ("number", "edition", "game"):
        assert value in change["card"]
    else:
        assert str(change["change" if column == "count" else column]) == value


@pytest.mark.parametrize(("column", "title"), words(*DECK))
def test_a_deck_takes_every_word(run: Run, column: str, title: str) -> None:
    value = {"variant": "_P1", "zone": "side"}.get(column, VALUES[column])
    text = table(column, title.upper(), value, NUMBERS.get(column, "St-1"))
    result = run("deck", "convert", "-", "--to", "csv", stdin=text)
    assert result.exit_code in (0, 1), result.output
    assert value in result.stdout, result.output


@pytest.mark.parametrize(("column", "title"), words(*COLUMNS))
def test_import_takes_every_word(run: Run, column: str, title: str) -> None:
    values = {"number": "Dα-777", "name": "Spellmon", "set": "AE1", "game": "alpha",
              "edition": "asia", "kind": "Digimon", "level": "IV"}  # fmt: skip
    others = {"number": "Dα-777", "name_en": "Spellmon"}
    if column in ("name", "name_ja", "name_dub"):
        others.pop("name_en")
    for written in (title, f" {title.upper()} "):
        row = {key: value for key, value in others.items() if key != column}
        row[written] = values.get(column, "Spellmon")
        text = ",".join(row) + "\n" + ",".join(row.values()) + "\n"
        result = run("import", "-", "-g", "alpha", "--dry-run", "--json", stdin=text)
        (file,) = result.json["data"]["files"]
        assert (file["added"], file["ignored_columns"]) == (1, []), result.stdout
