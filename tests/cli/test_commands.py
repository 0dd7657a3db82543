"""show, find, sets, formats, db info and doctor, as people use them."""

from __future__ import annotations

import pytest

from digideck.cli.render.output import pad, table, width
from digideck.core.text import pluralize
from digideck.operations.database import check_installation as doctor
from digideck.schema.data_folder import DATA
from digideck.schema.shipped_files import games
from tests.conftest import Run


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("St-1", "hyper-colosseum/St-1"),
        ("ST-01", "digi-battle/ST-01"),
        ("Dα-065", "alpha/Dα-065"),
        ("Da-65", "alpha/Dα-065"),
        ("dα65", "alpha/Dα-065"),
        ("Shamamon", "alpha/Dα-065"),
        ("シャーマモン", "alpha/Dα-065"),
        ("ｼｬｰﾏﾓﾝ", "alpha/Dα-065"),
        ("DM02-095", "alpha/DM02-095"),
        ("DM02-095@asia", "alpha/DM02-095@asia"),
        ("alpha/DM02-095@asia", "alpha/DM02-095@asia"),
        ("dccg/DM-035", "dccg/DM-035"),
        ("digi-battle/BO-109@bandai", "digi-battle/BO-109@bandai"),
        ("BT5-001_P1", "dcg/BT5-001"),
        ("ADR-02 Searcher", "dcg/EX2-046"),
        ("Shamamon\n", "alpha/Dα-065"),
    ],
)
def test_show_takes_numbers_names_and_keys(run: Run, text: str, key: str) -> None:
    game = ("-g", "alpha") if "amon" in text or "シャ" in text or "ｼｬ" in text else ()
    result = run("show", text, *game, "--json")
    assert result.exit_code == 0, result.stdout
    assert [card["key"] for card in result.json["data"]["cards"]] == [key]


@pytest.mark.parametrize("text", ["st1", "DM-035", "BO-109", "Agumon"])
def test_show_lists_what_an_argument_can_mean(run: Run, text: str) -> None:
    result = run("show", text)
    assert result.exit_code == 4
    assert "can be any of" in result.stderr
    assert "name one of them" in result.stderr
    listed = [line.split()[0] for line in result.stderr.splitlines() if "/" in line.split()[0]]
    for key in listed[:3]:
        assert run("show", key).exit_code == 0  # what is offered works


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Agumonn", "Agumon"),
        ("Dα-002", "did you mean"),
        ("WarGraymon", "WarGreymon"),
        ("qqqqqq", "digideck find"),
    ],
)
def test_show_of_nothing_helps_on(run: Run, text: str, hint: str) -> None:
    result = run("show", text)
    assert result.exit_code == 1
    assert text in result.stderr
    assert hint in result.stderr


def test_show_never_takes_one_games_number_for_anothers(run: Run) -> None:
    """Nobody has listed Dα-002; the 1999 game has a Da-2."""
    assert run("show", "Da-2", "-g", "hyper-colosseum").exit_code == 0
    assert run("show", "Dα-002").exit_code == 1


def test_show_several(run: Run) -> None:
    result = run("show", "St-1", "St-4000", "St-2")
    assert result.exit_code == 1
    assert "hyper-colosseum/St-1  Agumon" in result.stdout
    assert "hyper-colosseum/St-2  Greymon" in result.stdout
    assert "St-4000" in result.stderr


def test_fields_whose_names_do_not_tell_are_explained_or_not_shown(run: Run) -> None:
    assert (
        "Dual card              yes: can be used as a Digimon or as"
        in run("show", "BT25-043").stdout
    )
    assert "Dual card              no\n" in run("show", "BT1-010").stdout
    plain, sources = (run("show", "alpha/DM-119", *more).stdout for more in ((), ("--sources",)))
    for code, label in (("level_source", "Level known"), ("support", "Number known")):
        assert label not in plain
        assert f"\n  {code}: " in sources
        assert code not in run("find", "xqx:3").stderr
        assert code not in run("find", "agumon", "--sort", "xqx").stderr
        assert run("find", f"{code}:two", "--count").stdout > "0"


def test_show_tells_names_levels_sets_and_sources(run: Run) -> None:
    shown = run("show", "DM02-095").stdout
    for text in (
        "Shine Greymon  (English)",
        "シャイングレイモン  (Japanese, name of the species)",
        "Ultimate",
        "1230",
        "wikimon.net",
    ):
        assert text in shown
    assert "GigaPower              unknown" in run("show", "dccg/DM-035").stdout


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("shamamon",), "Dα-065"), (("シャーマ",), "Dα-065"), (("ｼｬｰﾏ",), "Dα-065"), (("Dα-065",), "Dα-065"),
        (("war", "greymon", "-g", "alpha"), "DM-032"), (("WarGreymon", "-g", "alpha"), "DM-032"),
        (("ウォーグレイモン", "-g", "alpha"), "DM-032"), (("lowemon",), "St-771"),
    ],
)  # fmt: skip
def test_find_in_any_language_and_spelling(run: Run, words: tuple[str, ...], number: str) -> None:
    result = run("find", *words, "--json")
    assert result.exit_code == 0
    assert number in [card["number"] for card in result.json["data"]["cards"]]


def test_find_two_kana(run: Run) -> None:
    """G5: as many cards as have them, whatever the search library does with two letters."""
    result = run("find", "レイ", "--limit", "9999", "--json")
    names = [[name["name"] for name in card["names"]] for card in result.json["data"]["cards"]]
    assert len(names) == result.json["data"]["total"] > 100
    assert all(any("レイ" in name for name in card) for card in names)


def test_find_counts_what_it_does_not_show(run: Run) -> None:
    result = run("find", "greymon", "--limit", "3")
    assert len([line for line in result.stdout.splitlines() if "/" in line]) == 3
    assert "more (--limit 0 shows all)" in result.stdout


def test_find_of_nothing_suggests(run: Run) -> None:
    result = run("find", "Shamamonn")
    assert result.exit_code == 1
    assert "did you mean Shamamon" in result.stderr


def test_sets_say_printed_known_and_unknown(run: Run) -> None:
    entries = {entry["code"]: entry for entry in run("sets", "--json").json["data"]["sets"]}
    assert len(entries) > 100
    assert run("sets", "chess").exit_code == 3
    assert run("sets", "--check").exit_code == 1
    assert run("sets", "dccg", "--check").exit_code == 0


def test_formats_give_every_rule_its_source(run: Run) -> None:
    for entry in run("formats", "--json").json["data"]["formats"]:
        shown = run("formats", entry["code"])
        assert shown.exit_code == 0
        for rule in entry["rules"]:
            assert rule["says"] in shown.stdout
            assert rule["source"] in shown.stdout
            assert rule["certainty"] in shown.stdout


def test_an_unknown_format_names_the_nearest(run: Run) -> None:
    result = run("formats", "alhpa")
    assert result.exit_code == 3
    assert "did you mean alpha" in result.stderr


def test_db_info_counts_every_game(run: Run) -> None:
    result = run("db", "info")
    data = run("db", "info", "--json").json["data"]
    assert {game["code"]: game["cards"] for game in data["games"]} == {
        "alpha": 822, "dccg": 100, "dcg": 4397, "digi-battle": 714, "hyper-colosseum": 3079
    }  # fmt: skip
    assert data["data_version"] == (DATA / "VERSION").read_text().strip()
    for game in games():
        assert game.name in result.stdout


def test_db_info_counts_what_is_the_users(run: Run) -> None:
    rows = "number,name,attack_a,game\nSt-1,,361,hyper-colosseum\nSt-4000,Foo,,hyper-colosseum\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    data = run("db", "info", "--json").json["data"]
    assert (data["corrections"], data["imports"]) == (1, 1)
    assert [game["own_cards"] for game in data["games"] if game["code"] == "hyper-colosseum"] == [1]


def test_doctor_names_what_is_missing_and_how_to_get_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run("doctor", "--json")
    findings = {finding["what"]: finding for finding in result.json["data"]["findings"]}
    assert {"digideck", "Python", "SQLite", "typer", "database"} <= findings.keys()
    version = doctor._version
    monkeypatch.setattr(
        doctor, "_version", lambda name: None if name == "PyYAML" else version(name)
    )
    result = run("doctor")
    assert result.exit_code == 1
    assert "pip install PyYAML" in result.stdout


def test_doctor_sees_two_opencvs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_version", lambda name: "4.10")
    result = run("doctor")
    assert result.exit_code == 1
    assert "overwrite each other" in result.stdout


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("アグモン", 8), ("Dα", 2), ("ｱｸﾞ", 3), ("e\u0301", 1)]
)
def test_widths_are_of_a_terminal(text: str, columns: int) -> None:
    assert width(text) == columns
    assert width(pad(text, 10)) == 10
    assert pad(text, 10, right=True).endswith(text)


def test_tables_line_up() -> None:
    lines = list(table([("アグモン", 1), ("Agumon", 20)], ("name", "n"), right=(1,)))
    assert lines == ["name       n", "アグモン   1", "Agumon    20"]
    assert (pluralize(1, "card"), pluralize(1204, "card")) == ("1 card", "1,204 cards")


def test_a_name_without_quotes_is_seen(run: Run) -> None:
    result = run("show", "War", "Greymon")
    assert result.exit_code == 1
    assert 'did you mean: digideck show "War Greymon"?' in result.stderr
    assert "can be any of" not in result.stderr
    for group in ("add", "remove", "wants"):
        refused = run("collection", group, "War", "Greymon")
        assert refused.exit_code == 3
        assert f'did you mean: digideck collection {group} "War Greymon"?' in refused.stderr


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("War Greymon 3", '"War Greymon" 3'),
        ("3 War Greymon", '3 "War Greymon"'),
        ("War Greymon 3 -g alpha", '"War Greymon" 3 -g alpha'),
        ("St-1 2 War Greymon x3", 'St-1 2 "War Greymon" x3'),
    ],
)
def test_a_name_without_quotes_is_seen_beside_a_count(run: Run, words: str, meant: str) -> None:
    for group in ("add", "remove", "wants"):
        refused = run("collection", group, *words.split())
        assert refused.exit_code == 3
        assert refused.stderr.count("\n") == 2, refused.stderr
        assert f"did you mean: digideck collection {group} {meant}?" in refused.stderr


def test_several_cards_are_not_called_unknown(run: Run) -> None:
    for command in (("show",), ("collection", "add")):
        asked = run(*command, "War Greymon")
        assert asked.exit_code == 4
        assert asked.stderr.startswith("'War Greymon' can be any of")


def test_a_card_of_another_game_is_said_to_be_one(run: Run) -> None:
    for args in (("St-1", "-g", "alpha"), ("alpha/St-1",)):
        result = run("show", *args)
        assert result.exit_code == 1
        assert "no card of alpha has the number or name 'St-1'" in result.stderr
        assert "it is a card of hyper-colosseum" in result.stderr


@pytest.mark.parametrize("text", ["", "qqqqqq", "Nosuch"])
def test_no_look_up_is_advised_that_finds_nothing(run: Run, text: str) -> None:
    assert "digideck find PART" in run("show", text).stderr


def test_a_part_of_a_name_is_looked_up(run: Run) -> None:
    assert "try: digideck find Grey" in run("show", "Grey").stderr
    assert run("find", "Grey").exit_code == 0
