"""One file for each reader with every spelling, order and form in it once; facts in, texts out."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from digideck.importers.list_columns import FIELD_ALIASES, TEXTS
from tests.conftest import Result, Run, Write
from tests.importers.made import CARD_TEXT, api_card, as_json, lackey_table, workbook

# Twenty-one cards that nobody has listed, of every shape that is told apart.
ROWS = [
    {"number": f"Dα-{701 + place}", "name": f"Testmon {place}", "level": level, "hp": str(hp),
     "cost": str(place % 9), "set": f"Alpha Evolve {1 + place % 8}", "kind": "Digimon",
     "effect": CARD_TEXT}
    for place, (level, hp) in enumerate(
        zip(["III", "IV", "Perfect", "Ultimate", "III/IV", "Hybrid", "II"] * 3,
            range(300, 1350, 50), strict=True)
    )
]  # fmt: skip
COLUMNS = list(ROWS[0])


def only_file(result: Result) -> dict[str, Any]:
    (file,) = result.json["data"]["files"]
    return file  # type: ignore[no-any-return]


def card(run: Run, number: str) -> dict[str, Any]:
    return run("show", number, "--json").json["data"]["cards"][0]  # type: ignore[no-any-return]


def separated(mark: str, columns: list[str] = COLUMNS) -> str:
    lines = [mark.join(columns), *(mark.join(row[column] for column in columns) for row in ROWS)]
    return "\n".join(lines) + "\n"


def yaml_text() -> str:
    return "".join(
        "- " + "\n  ".join(f"{key}: {value}" for key, value in row.items()) + "\n" for row in ROWS
    )


def html_text() -> str:
    titles = "".join(f"<th>{column}</th>" for column in COLUMNS)
    rows = "".join(
        f"<tr>{''.join(f'<td>{value}<br></td>' for value in row.values())}</tr>\n" for row in ROWS
    )
    return (
        "<!DOCTYPE html>\n<html><head><style>td {x}</style></head><body><table><tr><td>menu</td>"
        f"</tr></table><table><caption>Set</caption><tr>{titles}</tr>\n{rows}</table></body></html>"
    )


FILES: dict[str, tuple[str, str | bytes]] = {
    "csv": ("csv", separated(",")),
    "csv-backwards": ("csv", separated(",", COLUMNS[::-1])),
    "tsv": ("csv", separated("\t")),
    "semicolon-sep-line": ("csv", "sep=;\n" + separated(";")),
    "bar": ("csv", separated("|")),
    "json": ("json", as_json(ROWS)),
    "json-in-an-object": ("json", as_json({"title": "list", "cards": ROWS})),
    "json-by-number": (
        "json",
        as_json({row["number"]: {k: v for k, v in row.items() if k != "number"} for row in ROWS}),
    ),
    "jsonl": ("jsonl", "\n".join(as_json(row).replace("\n", "") for row in ROWS)),
    "yaml": ("yaml", yaml_text()),
    "yaml-under-a-key": ("yaml", "cards:\n" + yaml_text()),
    "html": ("html", html_text()),
    "xlsx": ("xlsx", workbook({"Set": [COLUMNS, *(list(row.values()) for row in ROWS)]})),
}


@pytest.mark.parametrize(("reader", "content"), FILES.values(), ids=FILES)
def test_the_same_cards_from_every_kind_of_file(
    run: Run, write: Write, database: Path, reader: str, content: str | bytes
) -> None:
    result = run("import", write("list.dat", content), "-g", "alpha", "--json")
    assert result.exit_code == 0, result.stdout
    file = only_file(result)
    assert file["reader"] == reader
    assert (file["rows"], file["added"], file["printings"]) == (21, 21, 21)
    assert file["card_text_columns"] == ["effect"]
    assert CARD_TEXT.encode() not in database.read_bytes()
    for place, row in enumerate(ROWS):
        found = card(run, row["number"])
        assert (found["name"], found["level"]) == (row["name"], row["level"])
        assert found["fields"] == {"hp": int(row["hp"]), "cost": place % 9}
        assert found["printings"][0]["set"] == f"AE{1 + place % 8}"
    again = only_file(run("import", write("list.dat", content), "-g", "alpha", "--json"))
    assert (again["unchanged"], again["written"]) == (21, False)


@pytest.mark.parametrize("field", FIELD_ALIASES)
def test_each_spelling_of_a_field(run: Run, field: str) -> None:
    games = {"colour": "dcg", "rarity": "dcg", "digivolve": "dcg", "lost_points": "hyper-colosseum"}
    game = games.get(field, "alpha")
    number = {"alpha": "Dα-777", "dcg": "BT1-999", "hyper-colosseum": "St-4001"}[game]
    for title in FIELD_ALIASES[field]:
        text = f"number,name,{title}\n{number},Fieldmon,7\n"
        result = run("import", "-", "-g", game, "--dry-run", "--json", stdin=text)
        (change,) = only_file(result)["changes"]
        assert field in [entry["column"] for entry in change["changes"]], title


@pytest.mark.parametrize("title", TEXTS)
def test_card_texts_are_left_out_whatever_they_are_called(run: Run, title: str) -> None:
    text = f"number,name,{title}\nDα-777,Textmon,{CARD_TEXT}\n"
    result = run("import", "-", "-g", "alpha", "--dry-run", "--json", stdin=text)
    assert only_file(result)["card_text_columns"] == [title]
    assert CARD_TEXT not in result.stdout


def test_a_text_under_another_name_is_too_long_for_a_fact(run: Run) -> None:
    text = f"number,name,type\nDα-777,Textmon,{CARD_TEXT * 10}\n"
    result = run("import", "-", "-g", "alpha", stdin=text)
    assert result.exit_code == 3
    assert "type: 270 characters are too many for a fact" in result.stderr


def test_an_id_gives_way_to_a_number(run: Run) -> None:
    text = "id,number,name\n1,Dα-777,Idmon\n"
    result = run("import", "-", "--json", stdin=text)
    assert only_file(result)["ignored_columns"] == ["id"]
    assert card(run, "Dα-777")["name"] == "Idmon"


def test_a_header_over_two_lines_and_its_repetition(run: Run) -> None:
    text = 'My list\n"Card\nNumber",name\nDα-777,Amon\n"Card\nNumber",name\nDα-778,Bmon\n# done\n'
    result = run("import", "-", stdin=text)
    assert result.exit_code == 0, result.stderr
    assert "header on line 2" in result.stdout
    assert "2 rows: 2 added" in result.stdout
    assert "1 line that begins with # was taken as comments" in result.stderr


def test_the_reader_can_be_named(run: Run, write: Write) -> None:
    path = write("list.txt", separated(","))
    assert only_file(run("import", path, "--as", "csv", "--dry-run", "--json"))["reader"] == "csv"
    assert run("import", path, "--as", "json").exit_code == 3
    result = run("import", path, "--as", "floppy")
    assert result.exit_code == 3
    assert "one of: xlsx, wikimon, html" in result.stderr


# LackeyCCG ------------------------------------------------------------------

LACKEY_COLUMNS = [
    "Name", "Set", "ImageFile", "Card Number", "Evo/Activation", "Level", "Frame", "Group", "Type",
    "Attribute", "Field", "AT", "AP", "BP", "CP", "Abilities", "LostPoint",
]  # fmt: skip


def lackey_rows() -> list[dict[str, str]]:
    digimon = [
        {"Name": f"Testmon{' (2)' if place == 3 else ''}", "Set": "St1",
         "ImageFile": f"St-{4001 + place}", "Card Number": f"St-{4001 + place}",
         "Evo/Activation": f"Agumon + OO Mad Leomon + Winning Percentage: 40%! {CARD_TEXT * 0}",
         "Level": ("III", "IV", "Perfect", "Ultimate")[place % 4], "Frame": "Blue",
         "Type": "Reptile", "Attribute": "Vaccine", "Field": "NSp NSo", "AT": "ABC"[place % 3],
         "AP": str(300 + place), "BP": "200", "CP": "100", "Abilities": CARD_TEXT,
         "LostPoint": "III20 IV10 P10 U10"}
        for place in range(16)
    ]  # fmt: skip
    digimon[0]["Evo/Activation"] = f"Unless {CARD_TEXT}, it cannot be sent away."
    digimon[1]["Evo/Activation"] = "Jogress Evolution Agumon + Gabumon"
    options = [
        {"Name": f"Test Plug-In {place}", "Set": "St1", "ImageFile": f"St-{4101 + place}",
         "Card Number": f"St-{4101 + place}", "Group": ("Item", "Program")[place % 2],
         "Evo/Activation": f"Battle Phase (O){CARD_TEXT}.", "Abilities": CARD_TEXT}
        for place in range(6)
    ]  # fmt: skip
    return digimon + options


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param(LACKEY_COLUMNS, id="as-in-the-plugin"),
        pytest.param([c for c in LACKEY_COLUMNS if c != "Card Number"], id="number-from-picture"),
        pytest.param(LACKEY_COLUMNS[:3] + LACKEY_COLUMNS[:2:-1], id="another-order"),
    ],
)
def test_a_lackey_table(run: Run, write: Write, database: Path, columns: list[str]) -> None:
    path = write("CardDataTest.txt", lackey_table(lackey_rows(), columns))
    result = run("import", path, "--json")
    assert result.exit_code == 0, result.stdout
    file = only_file(result)
    assert (file["reader"], file["rows"], file["added"]) == ("lackey", 22, 22)
    assert CARD_TEXT.encode() not in database.read_bytes()
    found = card(run, "St-4004")
    assert (found["name"], found["kind"], found["level"]) == ("Testmon", "Digimon", "Ultimate")
    assert found["fields"] == {
        "attack_a": 303, "attack_b": 200, "attack_c": 100, "attribute": "Vaccine",
        "battle_type": "A", "field": "NSp/NSo", "frame": "Blue", "lost_points": "20/10/10/10",
        "type": "Reptile",
        "evolves_from": ["Agumon + OO", "Mad Leomon + Winning Percentage: 40%!"],
    }  # fmt: skip
    assert "evolves_from" not in card(run, "St-4001")["fields"]
    option = card(run, "St-4102")
    assert (option["kind"], option["level"]) == ("Option", None)
    assert option["fields"] == {"category": "Program", "frame": option["fields"].get("frame")} | {
        "timing": "Battle Phase"
    } or option["fields"] == {"category": "Program", "timing": "Battle Phase"}
    assert "the evolution of 1 rows" in result.stdout


def test_a_lackey_table_of_another_plugin(run: Run) -> None:
    text = "Name\tSet\tImageFile\tColor\tCost\tText\nRedmon\tBT1\tBT1-999.jpg\tRed\t3\tx\n"
    result = run("import", "-", "-g", "dcg", stdin=text)
    assert result.exit_code == 0, result.stderr
    assert card(run, "BT1-999")["fields"] == {"colour": "Red", "cost": 3}


# digimoncard.io -------------------------------------------------------------


def api_cards() -> list[dict[str, object]]:
    dcg = [
        api_card(f"BT1-{900 + place}", name=f"Apimon {place}", level=3 + place % 4, dp=1000 * place,
                 play_cost=place, color2="Blue" if place % 2 else None, evolution_cost=2,
                 evolution_color="Red", evolution_level=2, digi_type2="Dragon",
                 rarity=("c", "u", "Rare", "sr", "Secret Rare")[place % 5])
        for place in range(15)
    ]  # fmt: skip
    old = [
        api_card(f"ST-{900 + place}", name=f"Oldmon {place}", stage="Champion", color="Yellow",
                 series="Digimon Digi-Battle Card Game", set_name=["Series 1 Starter Set"])
        for place in range(6)
    ]  # fmt: skip
    middle = [
        api_card(f"DM-{900 + place}", name=f"Midmon {place}", stage="Mega", set_name="Starter Set 1",
                 series="Digimon Collectible Card Game")
        for place in range(3)
    ]  # fmt: skip
    option = api_card("BT1-950", name="Api Beam", type="Option", stage=None, digi_type=None)
    return [*dcg, *old, *middle, option]


def test_the_api_card_list(run: Run, write: Write, database: Path) -> None:
    path = write("cards.json", as_json(api_cards()))
    result = run("import", path, "--json")
    assert result.exit_code == 0, result.stdout
    file = only_file(result)
    assert (file["reader"], file["rows"], file["added"]) == ("digimoncard-io", 25, 25)
    assert set(file["card_text_columns"]) == {"main_effect", "source_effect", "alt_effect"}
    assert CARD_TEXT.encode() not in database.read_bytes()
    found = card(run, "BT1-904")
    assert (found["name"], found["level"], found["printings"][0]["set"]) == ("Apimon 4", "3", "BT1")
    assert found["fields"] == {
        "colour": "Red", "cost": 4, "dp": 4000, "digivolve": ["Red/Lv2/2"], "form": "Rookie",
        "attribute": "Vaccine", "type": "Reptile|Dragon", "rarity": "SEC",
    }  # fmt: skip
    assert card(run, "BT1-905")["fields"]["colour"] == "Red|Blue"
    assert card(run, "digi-battle/ST-901")["level"] == "Champion"
    assert card(run, "dccg/DM-901")["level"] == "Mega"
    assert card(run, "BT1-950")["kind"] == "Option"


def test_what_the_api_says_of_known_cards_fills_gaps_only(run: Run) -> None:
    known = card(run, "BT1-001")
    again = api_card("BT1-001", name=known["name"], type=known["kind"], level=known["level"],
                     color="Green", rarity="sr")  # fmt: skip
    result = run("import", "-", "--json", stdin=as_json([again]))
    assert result.exit_code == 0, result.stdout
    assert card(run, "BT1-001")["fields"]["colour"] == known["fields"]["colour"]


def test_a_series_nobody_knows(run: Run) -> None:
    result = run("import", "-", stdin=as_json([api_card("X-1", series="Digimon Chess")]))
    assert result.exit_code == 3
    assert "series 'Digimon Chess' is none of: dcg, digi-battle, dccg" in result.stderr


# HTML and workbooks ---------------------------------------------------------


def test_spans_links_and_nested_tables(run: Run) -> None:
    page = """<table><tr><th>No.</th><th>Name</th><th>Set</th></tr>
    <tr><td>D&alpha;-777</td><td><a href="x">Span&shy;mon</a></td><td rowspan="2">AE1</td></tr>
    <tr><td>Dα-778</td><td>Row<b>mon</b><table><tr><td>inner</td></tr></table></td></tr>
    <tr><td colspan="3">Second part</td></tr>
    <tr><td>Dα-779<td>Openmon<td>AE2</table>"""
    result = run("import", "-", stdin=page)
    assert result.exit_code == 0, result.stderr
    assert card(run, "Dα-777")["name"] == "Spanmon"
    assert [card(run, f"Dα-{n}")["printings"][0]["set"] for n in (777, 778, 779)] == [
        "AE1", "AE1", "AE2",
    ]  # fmt: skip


def test_a_page_declares_its_encoding(run: Run, write: Write) -> None:
    page = '<html><meta charset="Shift_JIS"><table><tr><th>番号</th><th>名前</th></tr>' \
           "<tr><td>Oα-777</td><td>テスト</td></tr></table>"  # fmt: skip
    result = run("import", write("page.html", page.encode("cp932")))
    assert result.exit_code == 0, result.stderr
    assert "CP932 as the file declares" in result.stdout
    assert card(run, "Oα-777")["name"] == "テスト"


def test_sheets_hidden_unknown_and_named(run: Run, write: Write) -> None:
    rows = [["number", "name"], ["Dα-777", "Shownmon"]]
    more = [["number", "name"], ["Dα-778", "Hiddenmon"]]
    book = workbook({"Cards": rows, "Secret": more, "Notes": [["hello"]]}, hidden=["Secret"])
    path = write("book.xlsx", book)
    result = run("import", path)
    assert result.exit_code == 0, result.stderr
    assert "the sheet 'Secret' is hidden and was left out" in result.stderr
    assert "the sheet 'Notes' has no header with a number" in result.stderr
    assert "1 row: 1 added" in result.stdout
    assert run("import", path, "--sheet", "Secret").exit_code == 0
    assert card(run, "Dα-778")["name"] == "Hiddenmon"
    assert "one of: Cards, Secret, Notes" in run("import", path, "--sheet", "Cads").stderr


def test_a_missing_library_for_workbooks(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    path = write("book.xlsx", workbook({"Cards": [["number"], ["St-1"]]}))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    result = run("import", path)
    assert result.exit_code == 3
    assert "pip install 'digideck[xlsx]'" in result.stderr


def test_an_imported_row_never_shrinks_a_set(run: Run, database: Path) -> None:
    before = {s["code"]: s["known"] for s in run("sets", "--json").json["data"]["sets"]}
    rows = "number,name,set,game\nSt-1,Agumon,Bo1,hyper-colosseum\nSt-2,Greymon,,\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    after = {s["code"]: s["known"] for s in run("sets", "--json").json["data"]["sets"]}
    assert after == before | {"Bo1": before["Bo1"] + 1}
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
