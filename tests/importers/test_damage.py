"""What spreadsheets do to lists is found and said, and never imported."""

from __future__ import annotations

import datetime
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.catalog.cards import CardIndex
from digideck.core.numbers import plain
from digideck.importers.values import cleaned, number_damage
from tests.conftest import Run, Write
from tests.importers.made import workbook

DATE = "which a spreadsheet makes of card numbers"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("number,name\n1-Sep,A\n", f"1-Sep is a date, {DATE}", id="1-Sep"),
        pytest.param("number,name\nSep-01,A\n", f"Sep-01 is a date, {DATE}", id="Sep-01"),
        pytest.param("number,name\n1-Sep-2001,A\n", "is a date", id="1-Sep-2001"),
        pytest.param("number,name\n2001-09-01,A\n", "2001-09-01 is a date", id="iso"),
        pytest.param("number,name\n2001-09-01 00:00:00,A\n", "is a date", id="iso-time"),
        pytest.param("number,name\n9/1/2001,A\n", "9/1/2001 is a date", id="us"),
        pytest.param("number,name\n01.09.2001,A\n", "01.09.2001 is a date", id="german"),
        pytest.param("number,name\n9月1日,A\n", "9月1日 is a date", id="japanese"),
        pytest.param("number,name\n37135,A\n", "serial number of a date", id="serial"),
        pytest.param("number,name\n45292,A\n", "serial number of a date", id="serial-2024"),
        pytest.param("number,name\n37135.0,A\n", "serial number of a date", id="serial-float"),
        pytest.param("number,name\n1.2E+05,A\n", "scientific form", id="scientific-number"),
        pytest.param(
            "number,name\nDM02-1,A\n", "were zeros lost?\n    printed as DM02-001", id="zeros"
        ),
        pytest.param("number,name\nSt-1,=A1\n", "name: =A1 is a formula", id="formula"),
        pytest.param("number,name\n=B2,A\n", "number: =B2 is a formula", id="formula-number"),
        pytest.param("number,name\n#REF!,A\n", "#REF! is a spreadsheet's error", id="ref"),
        pytest.param("number,name\nSt-1,#N/A\n", "#N/A is a spreadsheet's error", id="na"),
        pytest.param("number,name\nSt-1,#NAME?\n", "#NAME? is a spreadsheet's", id="name"),
        pytest.param("number,name\nSt-1,#DIV/0!\n", "#DIV/0! is a spreadsheet's", id="div"),
        pytest.param("number,name\nSt-1,########\n", "spreadsheet's error", id="too-narrow"),
        pytest.param(
            "number,attack_a\nSt-1,1.16E+06\n",
            "attack_a: 1.16E+06 is in scientific form",
            id="scientific-count",
        ),
    ],
)
def test_damage_in_a_text_list(run: Run, text: str, message: str) -> None:
    result = run("import", "-", stdin=text)
    assert result.exit_code == 3
    assert "<stdin>:2: " in result.stderr
    assert message in result.stderr
    assert "0 added, 0 changed, 0 unchanged, 1 refused" in result.stdout


def test_damage_in_a_workbook(run: Run, write: Write) -> None:
    rows = [
        ["number", "name", "attack_a"],
        [datetime.date(2001, 9, 1), "A", 1],
        [datetime.datetime(2001, 9, 1, 0, 0), "A", 1],
        [37135, "A", 1],
        ["=1+1", "A", 1],
        ["#REF!", "A", 1],
        ["St-1", "Agumon", 1.5],
        ["St-1", "Agumon", 361.0],
        [123456789012345, "A", 1],
    ]
    result = run("import", write("list.xlsx", workbook({"Cards": rows})), "--json")
    assert result.exit_code == 3
    (file,) = result.json["data"]["files"]
    assert (file["refused"], file["changed"]) == (7, 1)
    said = {p["line"]: p["message"] for p in result.json["problems"] if p["severity"] == "error"}
    assert "2001-09-01 is a date" in said[2]
    assert "2001-09-01 is a date" in said[3]
    assert "serial number of a date" in said[4]
    assert "is a formula" in said[5]
    assert "#REF! is a spreadsheet's error" in said[6]
    assert "attack_a: '1.5' is not a whole number" in said[7]
    assert "may have rounded" in said[9]
    assert all(p["file"].endswith("list.xlsx[Cards]") for p in result.json["problems"] if p["line"])


def test_zeros_that_a_format_shows_are_kept(run: Run, write: Write) -> None:
    rows = [["number", "name"], [7, "Seven"], [12, "Twelve"]]
    book = workbook({"Cards": rows}, formats={("Cards", "A2"): "000", ("Cards", "A3"): "000"})
    result = run("import", write("own.xlsx", book), "--new-game", "own", "--json")
    (file,) = result.json["data"]["files"]
    assert [change["card"] for change in file["changes"]] == ["007 Seven", "012 Twelve"]


def test_merged_cells(run: Run, write: Write) -> None:
    rows = [["number", "name", ""], ["St-1", "Agumon", ""], ["St-2", "Greymon", ""]]
    path = write("head.xlsx", workbook({"Cards": rows}, merged={"Cards": ["B1:C1"]}))
    result = run("import", path)
    assert result.exit_code == 3
    assert f"{path}[Cards]:1: merged cells in the header: B1:C1" in result.stderr
    below = write("below.xlsx", workbook({"Cards": rows}, merged={"Cards": ["B2:B3"]}))
    result = run("import", below)
    assert result.exit_code == 0
    assert "merged cells Cards!B2:B3: only the first of them holds the value" in result.stderr


def test_what_this_program_writes_for_spreadsheets_comes_back(run: Run) -> None:
    """D11."""
    text = 'number,name\n"=""Dα-777""",\'+Plusmon\nDα-778,+2 Mace\nDα-779,\'Tis\n'
    result = run("import", "-", "--json", stdin=text)
    assert result.exit_code == 0, result.stdout
    changes = result.json["data"]["files"][0]["changes"]
    assert [change["card"] for change in changes] == [
        "Dα-777 +Plusmon", "Dα-778 +2 Mace", "Dα-779 'Tis",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "name"),
    [
        pytest.param("Ｓｔ－１", "Ａｇｕｍｏｎ", id="full-width"),
        pytest.param("St‐1", "ｱｸﾞﾓﾝ", id="half-width-kana"),
        pytest.param("St−1", "アク\u3099モン", id="decomposed-kana"),
        pytest.param("St–1", "Agu\u00admon", id="soft-hyphen"),
        pytest.param("\u00a0St-1\u3000", "\u00a0Agumon\u2003", id="no-break-spaces"),
        pytest.param("\u200bSt-1", "Agumon\ufeff", id="zero-width"),
        pytest.param("St-01", "AGUMON", id="zeros-and-case"),
    ],
)
def test_every_spelling_finds_its_card(run: Run, number: str, name: str) -> None:
    text = f"number,name,attack_a\n{number},{name},３６１\n"
    result = run("import", "-", "-g", "hyper-colosseum", "--json", stdin=text)
    assert result.exit_code == 0, result.stdout
    (change,) = result.json["data"]["files"][0]["changes"]
    assert change["card"] == "St-1 Agumon"
    assert change["changes"] == [{"column": "attack_a", "old": 360, "new": 361}]


def test_no_shipped_number_looks_damaged(index: CardIndex) -> None:
    numbers = [row[0] for row in index.connection.execute("SELECT number FROM card")]
    assert len(numbers) > 9_000
    assert [number for number in numbers if number_damage(plain(number))] == []


@given(st.text())
def test_cleaning_is_done_once(text: str) -> None:
    once = cleaned(text)
    assert cleaned(once) == once
    assert once.isprintable() or once == ""


@pytest.mark.parametrize("place", range(0, 100, 4))
def test_a_damaged_workbook_is_refused_in_a_sentence(run: Run, write: Write, place: int) -> None:
    """Anywhere in its parts, its directory or their names."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["number", "name", "level"])
    for number in range(1, 40):
        book.active.append([f"St-{number}", "Agumon", "III"])
    whole = io.BytesIO()
    book.save(whole)
    data = bytearray(whole.getvalue())
    directory = data.find(b"PK\x01\x02")
    for at in (len(data) * place // 100, directory + (len(data) - directory) * place // 100):
        damaged = bytearray(data)
        damaged[at : at + 3] = b"\xff\x00\x7f"
        done = run("import", write("damaged.xlsx", bytes(damaged)), "--dry-run")
        assert done.exit_code in (0, 1, 3)
        assert "Traceback" not in done.output


@pytest.mark.parametrize("name", ["list.json", "list.jsonl"])
def test_half_a_character_is_named_with_its_line(run: Run, write: Write, name: str) -> None:
    row = '{"number": "St-1", "game": "hyper-colosseum", "frame": "\\ud800x"}'
    path = write(name, f"[\n{row}\n]" if name == "list.json" else f"{row}\n{row}\n")
    refused = run("import", path)
    assert refused.exit_code == 3
    assert str(path) in refused.stderr
    assert "half a character" in refused.stderr


def test_a_page_that_ends_inside_a_tag_is_refused(run: Run, write: Write) -> None:
    """Looking through it again from each of its tags would take minutes."""
    page = "<table><tr><th>number<th>level</tr><tr><td>St-1<td>III</tr>" + "<a " * 200_000
    refused = run("import", write("page.html", page))
    assert refused.exit_code == 3
    assert "a tag begins here and does not end within" in refused.stderr


def test_a_game_without_fields_has_none(run: Run, write: Write) -> None:
    game = 'game: zz\nname: Z\nyears: "2000"\nnumbers: [Z-#]\nlevels: [I]\nkinds: [A]\n'
    assert run("import", write("zz.yaml", game)).exit_code == 0
    assert run("import", write("cards.csv", "game,number,name\nzz,Z-1,One\n")).exit_code == 0
    assert "Z-1" in run("show", "zz/Z-1").stdout
    assert run("find", "game:zz").exit_code == 0
