"""Dumps and pages of the wiki: the facts of its card templates, and never their texts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.conftest import Run, Write
from tests.importers.made import CARD_TEXT, alpha_pages, mediawiki_dump, wiki_template

HC_PARAMETERS = {"l": "Adult", "t": "Beast", "at": "Data", "f": "NSp", "bt": "B"}


def card(run: Run, number: str) -> dict:  # type: ignore[type-arg]
    return run("show", number, "--json").json["data"]["cards"][0]


def test_fifty_pages_end_to_end(run: Run, write: Write, database: Path) -> None:
    """A dump fills what the Alpha data lacks, and decks are judged by it."""
    path = write("wiki.xml", mediawiki_dump(alpha_pages()))
    result = run("import", path, "--json")
    assert result.exit_code == 0, result.stdout
    (file,) = result.json["data"]["files"]
    assert (file["reader"], file["rows"], file["added"], file["refused"]) == ("wikimon", 48, 48, 0)
    assert file["printings"] == 32 + 1 + 8 + 6
    assert {"s1", "b1", "note"} <= set(file["card_text_columns"])
    assert "50 pages, 3 of them without a card template" in result.stdout

    sets = {s["code"]: s["known"] for s in run("sets", "alpha", "--json").json["data"]["sets"]}
    assert (sets["AE2"], sets["AE3"], sets["AEX"]) == (1 + 32, 8, 6)

    found = card(run, "Dα-708")
    assert (found["name"], found["kind"], found["level"]) == ("Testmon 7", "Digimon", "Ultimate")
    assert found["fields"] == {
        "cost": 7, "speed": 2, "hp": 470, "battle_type": "B", "attack_a": 307, "attack_b": 257,
        "attack_c": 207, "type": "Reptile", "attribute": "Vaccine", "field": "DR",
        "evolves_from": ["Testmon 6 [with Partnermon]", "Testmon 5", "Any Perfect"],
    }  # fmt: skip
    assert card(run, "Dα-706")["fields"]["type"] == "Reptile Dragon"
    assert card(run, "Oα-801")["kind"] == "Option"
    assert card(run, "Cα-901")["name"] == "Test Command & 0"
    assert card(run, "DM02-801")["name"] == "Asiamon"
    assert card(run, "DM02-802@asia")["edition"] == "asia"
    assert CARD_TEXT.encode() not in database.read_bytes()

    deck = "# format: alpha\n" + "".join(f"3 Testmon {place}\n" for place in range(10))
    assert "legal in alpha" in run("deck", "check", "-", stdin=deck + "2 Testmon 10\n").stdout
    result = run("deck", "check", "-", stdin=deck.replace("3 Testmon 1\n", "5 Testmon 1\n"))
    assert result.exit_code == 1
    assert "5" in result.stdout

    again = run("import", path, "--json").json["data"]["files"][0]
    assert (again["unchanged"], again["written"]) == (48, False)


def test_undo_takes_the_dump_back(run: Run, write: Write, database: Path) -> None:
    def everything() -> list[str]:
        connection = sqlite3.connect(database)
        lines = [line for line in connection.iterdump() if "sqlite_sequence" not in line]
        connection.close()
        return sorted(lines)

    before = everything()
    run("import", write("wiki.xml", mediawiki_dump(alpha_pages())))
    assert everything() != before
    assert run("import", "--undo").exit_code == 0
    assert everything() == before


def test_a_known_card_is_filled_in_and_not_renamed(run: Run) -> None:
    page = wiki_template("AE", n="Agumon", x="(2006 Anime Version)", sn="DM", i="001", l="Child",
                         cs=3, sp=2, hp=450, bt="A", apt=320)  # fmt: skip
    result = run("import", "-", "--dry-run", stdin=page)
    assert result.exit_code == 0, result.stderr
    assert "changed: DM-001 Agumon (2006 Anime Version)" in result.stdout
    assert "hp: unknown -> 450" in result.stdout


@pytest.mark.parametrize(
    ("level", "want"),
    [
        ("Child", "III"), ("Adult", "IV"), ("Perfect", "Perfect"), ("Ultimate", "Ultimate"),
        ("Hybrid", "Hybrid"), ("Baby I", "I"), ("Baby II", "II"), ("Level III/IV", "III/IV"),
    ],
)  # fmt: skip
def test_each_level(run: Run, level: str, want: str) -> None:
    result = run("import", "-", stdin=wiki_template("AE", n="Levelmon", i="777", l=level))
    assert result.exit_code == 0, result.stderr
    assert card(run, "Dα-777")["level"] == want


@pytest.mark.parametrize(
    ("template", "number", "want"),
    [
        ("AE", {"i": "2"}, "Dα-002"),
        ("AE", {"i": "777", "sn": "SPα"}, "SPα-777"),
        ("AE", {"i": "777", "sn": "DM02-"}, "DM02-777"),
        ("AE", {"i": "DM02-777"}, "DM02-777"),
        ("AE", {"i": "７７７"}, "Dα-777"),
        ("CAE", {"i": "777"}, "Cα-777"),
        ("OAE", {"i": "777"}, "Oα-777"),
        ("HC", {"i": "4777", "sn": "Bo"}, "Bo-4777"),
        ("HC", {"i": "Bo-4777t"}, "Bo-4777t"),
        ("HCO", {"i": "St-4777"}, "St-4777"),
    ],
)
def test_each_template_and_number(
    run: Run, template: str, number: dict[str, str], want: str
) -> None:
    result = run("import", "-", stdin=wiki_template(template, n="Numbermon", **number))
    assert result.exit_code == 0, result.stderr
    assert card(run, want)["number"] == want


def test_the_1999_game_and_its_options(run: Run) -> None:
    page = (
        wiki_template("HC", n="Hyper Testmon", i="Bo-4001", apt=400, bpt=300, cpt=200,
                      **HC_PARAMETERS, s1=CARD_TEXT)
        + "\nThen\n"
        + wiki_template("HCO", n="Testing!", i="Bo-4002", note=CARD_TEXT)
    )  # fmt: skip
    assert run("import", "-", stdin=page).exit_code == 0
    assert card(run, "Bo-4001")["fields"]["attack_a"] == 400
    assert card(run, "Bo-4002")["kind"] == "Option"


def test_a_refused_card_names_its_page_and_line(run: Run, write: Write) -> None:
    bad = ("Badmon", "one\ntwo\n" + wiki_template("AE", n="Badmon", i="1", hp="lots"))
    path = write("wiki.xml", mediawiki_dump([*alpha_pages()[:3], bad]))
    result = run("import", path)
    assert result.exit_code == 3
    where = path.read_text().splitlines().index("{{AE", 90) + 1
    assert f"{path}[Badmon]:{where}: hp: 'lots' is not a whole number" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "aaaa">'
            + "".join(f'<!ENTITY a{n} "{"&a;" * 10}">' for n in range(9))
            + "]>\n<mediawiki><page><title>&a8;</title></page></mediawiki>",
            ":2: the XML declares a document type",
            id="entities",
        ),
        pytest.param(
            mediawiki_dump(alpha_pages())[:9000], "not XML: no element found", id="cut-short"
        ),
        pytest.param(
            "<mediawiki><page><title>x</page></mediawiki>", "not XML: mismatched tag", id="broken"
        ),
        pytest.param(
            "<mediawiki><page><text>" + "x" * 2_100_000 + "</text></page></mediawiki>",
            "a page of more than 2,000,000 characters",
            id="endless-page",
        ),
    ],
)
def test_hostile_dumps(run: Run, write: Write, text: str, message: str) -> None:
    path = write("wiki.xml", text)
    result = run("import", path)
    assert result.exit_code == 3
    assert message in result.stderr
    assert len(result.output) < 2000


def test_templates_nested_without_end(run: Run) -> None:
    page = "{{AE|n=" + "{{x|" * 5000 + "}}" * 5000 + "|i=777}}"
    assert run("import", "-", stdin=page).exit_code in (0, 3)


def test_a_missing_library_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    result = run("import", "-", stdin=wiki_template("AE", n="X", i="777"))
    assert result.exit_code == 3
    assert "reading wikimon pages needs mwparserfromhell" in result.stderr
    assert "pip install 'digideck[wiki]'" in result.stderr
