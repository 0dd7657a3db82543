"""Set lists and card lists into the database: what is read, what is refused, what is kept."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.conftest import Result, Run, Write

ST1 = "number,attack_a\nSt-1,361\n"


def counts(result: Result) -> dict[str, int]:
    (file,) = result.json["data"]["files"]
    return {
        name: file[name]
        for name in ("rows", "added", "changed", "unchanged", "refused", "printings")
    }


def dump(database: Path) -> str:
    connection = sqlite3.connect(database)
    text = "\n".join(connection.iterdump())
    connection.close()
    return text


def card(run: Run, number: str) -> dict:  # type: ignore[type-arg]
    return run("show", number, "--json").json["data"]["cards"][0]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        pytest.param("number,name,attack_a\nSt-1,Agumon,361\n", (), id="plain"),
        pytest.param("number;name;attack_a\nSt-1;Agumon;361\n", (), id="D1-semicolon"),
        pytest.param("number\tname\tattack_a\nSt-1\tAgumon\t361\n", (), id="D1-tab"),
        pytest.param("number|name|attack_a\nSt-1|Agumon|361\n", (), id="D1-bar"),
        pytest.param("number~attack_a\nSt-1~361\n", ("--delimiter", "~"), id="D1-named"),
        pytest.param("number;attack_a\nSt-1;361\n", ("--delimiter", ";"), id="D1-named-usual"),
        pytest.param("number;note;attack_a\nSt-1;1,5,2,5;361\n", (), id="D3-commas-in-values"),
        pytest.param("Card Number,CardName,Attack A\nSt-1,Agumon,361\n", (), id="D4-other-headers"),
        pytest.param("CARD_NO,name,attack-a\nSt-1,Agumon,361\n", (), id="D4-case-and-dashes"),
        pytest.param(
            "カード番号,カード名,attack_a\nSt-1,アグモン,361\n", (), id="D4-japanese-headers"
        ),
        pytest.param("attack_a,name,number\n361,Agumon,St-1\n", (), id="D15-any-order"),
        pytest.param("\ufeffnumber,attack_a\nSt-1,361\n", (), id="E2-bom"),
        pytest.param("number,attack_a\r\nSt-1,361\r\n", (), id="crlf"),
        pytest.param("number,attack_a\rSt-1,361\r", (), id="cr"),
        pytest.param("# a list\n\nMy cards 2026\nnumber,attack_a\nSt-1,361\n", (), id="preamble"),
        pytest.param("number,attack_a\n# note\n\nSt-1,361\n,,\n", (), id="comments-and-blank-rows"),
        pytest.param('number,name,attack_a\nSt-1,"Agu\nmon",361\n', (), id="line-end-in-a-value"),
        pytest.param(
            "number,note,attack_a\nSt-1,a\u2028b\x0cc\x85,361\n",
            (),
            id="unicode-line-ends-in-a-value",
        ),
        pytest.param("number,attack_a\nＳｔ－１,361\n", (), id="full-width-number"),
        pytest.param("number,attack_a,name\nSt-1,361\n", (), id="short-row"),
    ],
)
def test_lists_that_are_read(run: Run, write: Write, text: str, arguments: tuple[str, ...]) -> None:
    result = run("import", write("list.csv", text), "--json", *arguments)
    assert result.exit_code == 0, result.stdout
    assert counts(result) == {
        "rows": 1, "added": 0, "changed": 1, "unchanged": 0, "refused": 0, "printings": 0
    }  # fmt: skip
    assert card(run, "St-1")["fields"]["attack_a"] == 361


def test_how_a_file_was_read_is_said(run: Run) -> None:
    result = run("import", "-", stdin="number;colour of my sleeve;attack_a\nSt-1;red;361\n")
    assert "<stdin>: read as CSV, UTF-8, columns separated by semicolon" in result.stdout
    assert "columns without a meaning here: colour of my sleeve" in result.stderr


def test_identifiers_stay_text(run: Run) -> None:
    """D7."""
    rows = "number,name\nBO-001,Zerocard\n"
    result = run("import", "-", "--game", "digi-battle", stdin=rows)
    assert result.exit_code == 3  # BO-01 is MetalGreymon: zeros never make it another card silently
    assert "BO-001 is MetalGreymon" in result.stderr or "BO-01 is MetalGreymon" in result.stderr
    rows = "number,name,level\nDα-002,Sevenmon,III\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    assert card(run, "Dα-002")["number"] == "Dα-002"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(
            "number,attack_a\nSt-2,441\nSt-1,many\n",
            3,
            "attack_a: 'many' is not a whole number",
            id="D18-figure",
        ),
        pytest.param(
            "number,attack_a\nSt-2,441\nSt-1,-5\n",
            3,
            "attack_a: '-5' is not a whole number",
            id="negative",
        ),
        pytest.param(
            "number,attack_a\nSt-2,441\nSt-1,1162167999999\n",
            3,
            "is not a whole number",
            id="D15-count-column",
        ),
        pytest.param(
            "number,gigapower\nDM-001,no\nDM-035,perhaps\n", 3, "neither yes nor no", id="flag"
        ),
        pytest.param(
            "number,level,game\nSt-2,IV,hyper-colosseum\nSt-1,Rookie,hyper-colosseum\n",
            3,
            "level: 'Rookie' is not one of: III",
            id="level",
        ),
        pytest.param(
            "number,kind,game\nSt-2,Digimon,hyper-colosseum\nSt-1,Spell,hyper-colosseum\n",
            3,
            "kind: 'Spell'",
            id="kind",
        ),
        pytest.param(
            "number,name\nSt-2,Greymon\nSt-1,Gabumon\n",
            3,
            "St-1 is Agumon, but the row says Gabumon",
            id="C8-name-of-another",
        ),
        pytest.param(
            "number,name\nSt-2,Greymon\nSt-1,Zzzz\n",
            3,
            "St-1 is Agumon, but the row says Zzzz",
            id="no-such-name",
        ),
        pytest.param(
            "number,set\nSt-2,St1\nSt-1,Nowhere\n",
            3,
            "hyper-colosseum has no set 'Nowhere'",
            id="set",
        ),
        pytest.param(
            "number,name\nSt-2,Greymon\n,Agumon\n", 3, "no card number in this row", id="no-number"
        ),
        pytest.param(
            "number,name\nSt-2,Greymon\nQx-1,Agumon\n",
            3,
            "'Qx-1' is not how card numbers are printed",
            id="shape",
        ),
        pytest.param(
            "number\nSt-2\nDM-036\n",
            3,
            "DM-036 is a card of several games: alpha, dccg",
            id="several-games",
        ),
        pytest.param(
            "number\nSt-2\nBO-109\n",
            3,
            "BO-109 has several editions: bandai, upper-deck",
            id="editions",
        ),
        pytest.param(
            "number,edition,name\nSt-2,,\nMP-111,asia,Foomon\n",
            3,
            "edition 'asia' is unknown in digi-battle",
            id="edition",
        ),
        pytest.param(
            "number\nSt-2\nSt-4000\n",
            3,
            "St-4000 is a new card, but the row gives no name",
            id="new-without-name",
        ),
        pytest.param(
            "number,game\nSt-2,hyper-colosseum\nSt-1,chess\n",
            3,
            "no game is called 'chess'",
            id="game",
        ),
        pytest.param(
            "number,name\nSt-2,Greymon\nSt-1,Agumon,,7\n",
            3,
            "4 values for 2 columns",
            id="wide-row",
        ),
        pytest.param('number,name\nSt-2,Greymon\nSt-1,"Agu"mon\n', 3, "not CSV", id="broken-quote"),
        pytest.param(
            'number,name\nSt-2,Greymon\nSt-1,"Agumon\nSt-3,x\n',
            3,
            "lines 3 to 4 were not read",
            id="endless-quote",
        ),
        pytest.param(
            "number,attack_a\nSt-1,361\nSt-1,362\n",
            3,
            "St-1 stands twice, and line 2 says attack_a 361, not 362",
            id="D14-contradiction",
        ),
    ],
)
def test_a_refused_row_is_named_and_keeps_the_file_out(
    run: Run, write: Write, database: Path, text: str, line: int, message: str
) -> None:
    """G1, D18: one bad row, nothing written; with --partial the rest, and exit 3 all the same."""
    path = write("list.csv", text)
    before = dump(database)
    result = run("import", path)
    assert result.exit_code == 3
    assert f"{path}:{line}: " in result.stderr
    assert message in result.stderr
    assert "Nothing was written" in result.stdout
    assert dump(database) == before
    assert not list(database.parent.glob("backups/*"))
    (problem,) = [
        found
        for found in run("import", path, "--json").json["problems"]
        if found["severity"] == "error"
    ]
    assert (problem["file"], problem["line"]) == (str(path), line)
    partial = run("import", path, "--partial", "--json")
    assert partial.exit_code == 3
    assert counts(partial)["refused"] == 1
    assert partial.json["data"]["files"][0]["written"] == (counts(partial)["changed"] > 0)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        pytest.param("", "file-empty", "the file is empty", id="empty"),
        pytest.param(
            "Quantity,Price\n3,4\n",
            "no-header",
            "the number column is called one of: number",
            id="D6-wrong-columns",
        ),
        pytest.param("name,level\nAgumon,III\n", "no-header", "number", id="missing-column"),
        pytest.param("St-1,Agumon\nSt-2,Greymon\n", "no-header", "number", id="no-header"),
        pytest.param(
            "number,Card No.,name\nSt-1,1,Agumon\n",
            "column-twice",
            "'number' and 'Card No.' both mean number",
            id="column-twice",
        ),
        pytest.param("number,name\n", "no-rows", "no rows below the header", id="no-rows"),
        pytest.param(
            "number,name\n\n# nothing\n", "no-rows", "no rows below the header", id="only-comments"
        ),
        pytest.param(b"\0\1\2" * 50, "not-text", "NUL", id="binary"),
        pytest.param(
            "number,name\nSt-1,アグモン\n".encode("cp932"), "wrong-encoding", "cp932", id="E5-cp932"
        ),
        pytest.param(
            "number,name\nSt-1,Agumon’s\n".encode("cp1252"),
            "wrong-encoding",
            "0x92",
            id="E6-cp1252",
        ),
    ],
)
def test_files_that_are_no_lists(
    run: Run, write: Write, database: Path, text: str | bytes, code: str, message: str
) -> None:
    path = write("list.csv", text)
    before = dump(database)
    result = run("import", path)
    assert result.exit_code == 3
    assert f"{path}" in result.stderr
    assert message in result.output
    assert code in [problem["code"] for problem in run("import", path, "--json").json["problems"]]
    assert dump(database) == before


def test_the_encoding_can_be_named(run: Run, write: Write) -> None:
    path = write("list.csv", "number,name_ja,attack_a\nSt-1,アグモン,361\n".encode("cp932"))
    assert run("import", path, "--encoding", "cp932").exit_code == 0


def test_a_dry_run_says_everything_and_writes_nothing(run: Run, database: Path) -> None:
    before = dump(database)
    result = run("import", "-", "--dry-run", stdin=ST1)
    assert result.exit_code == 0
    assert "line 2: would be changed: St-1 Agumon (attack_a: 360 -> 361)" in result.stdout
    assert "Nothing was written (--dry-run)." in result.stdout
    assert dump(database) == before
    assert not (database.parent / "backups").exists()


def test_an_import_is_backed_up_and_says_where(run: Run, database: Path) -> None:
    before = dump(database)
    result = run("import", "-", "--json", stdin=ST1)
    backup = Path(result.json["data"]["files"][0]["backup"])
    assert backup.parent == database.parent / "backups"
    assert dump(backup) == before
    assert (
        str(backup.parent)
        in run(
            "import", "-", "--on-conflict", "replace", stdin="number,attack_a\nSt-1,362\n"
        ).stdout
    )


def test_a_second_import_of_the_same_list_changes_nothing(run: Run, database: Path) -> None:
    rows = "number,name,kind,level,set\nDα-002,Yukimibotamon,Digimon,II,AE1\nDα-065,,,III,AE2\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    before = dump(database)
    again = run("import", "-", "--json", stdin=rows)
    assert again.exit_code == 0
    assert counts(again)["unchanged"] == 2
    assert not again.json["data"]["files"][0]["written"]
    assert dump(database) == before


def test_the_same_row_twice_is_one_card(run: Run) -> None:
    """D14."""
    result = run("import", "-", "--json", stdin="number,name\nDα-002,Foo\nDα-002,Foo\n")
    assert counts(result) == {
        "rows": 2, "added": 1, "changed": 0, "unchanged": 1, "refused": 0, "printings": 0
    }  # fmt: skip


def test_a_card_in_two_sets_has_two_printings(run: Run) -> None:
    rows = "number,set,game\nDα-065,AE1,alpha\nDα-065,Alpha Evolve 3,alpha\n"
    result = run("import", "-", "--json", stdin=rows)
    assert counts(result)["printings"] == 2
    assert {entry["set"] for entry in card(run, "Dα-065")["printings"]} == {"AE1", "AE2", "AE3"}


def test_the_set_of_a_whole_list(run: Run) -> None:
    result = run(
        "import", "-", "--set", "alpha evolve 3", "--game", "alpha", stdin="number\nDα-065\n"
    )
    assert result.exit_code == 0
    assert "now in set AE3" in result.stdout
    sets = run("sets", "alpha", "--json").json["data"]["sets"]
    assert {entry["code"]: entry["known"] for entry in sets}["AE3"] == 1


def test_a_set_of_the_users_own(run: Run) -> None:
    rows = "number,set\nDα-065,My binder\n"
    refused = run("import", "-", stdin=rows)
    assert refused.exit_code == 3
    assert "--new-sets" in refused.stderr
    assert run("import", "-", "--new-sets", stdin=rows).exit_code == 0
    assert "My binder" in run("sets", "alpha").stdout


def test_a_set_nearly_named(run: Run) -> None:
    result = run(
        "import", "-", "--set", "Alpha Evolve 33", "--game", "alpha", stdin="number\nDα-065\n"
    )
    assert result.exit_code == 3
    assert "did you mean" in result.stderr


def test_a_blank_says_nothing(run: Run) -> None:
    result = run("import", "-", "--json", stdin="number,attack_a,level,name\nSt-1,,,\n")
    assert counts(result)["unchanged"] == 1
    assert card(run, "St-1")["fields"]["attack_a"] == 360


def test_a_near_spelling_is_said_and_corrects_nothing(run: Run) -> None:
    result = run("import", "-", stdin="number,name,attack_a\nSt-1,Agumonn,361\n")
    assert result.exit_code == 0
    assert "'Agumonn' was taken as a spelling of it" in result.stderr
    assert card(run, "St-1")["name"] == "Agumon"


def test_a_name_is_corrected_by_its_own_column(run: Run) -> None:
    assert run("import", "-", stdin="number,name_en\nSt-1,Aguboy\n").exit_code == 0
    found = card(run, "St-1")
    assert found["name"] == "Aguboy"
    assert found["corrections"] == {"name_en": "<stdin>"}
    assert "Yours" in run("show", "St-1").stdout


def test_a_doubt_is_settled_by_who_has_the_card(run: Run) -> None:
    assert card(run, "alpha/DM-185")["doubts"]
    rows = "number,name,game\nDM-185,Gabumon,alpha\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    assert card(run, "alpha/DM-185")["doubts"] == {}


def test_numbers_of_two_games_never_meet(run: Run) -> None:
    """St-1 and ST-01, Dα-002 (which nobody has listed) and Da-2."""
    rows = "number,attack_a\nDα-002,5\n"
    result = run("import", "-", stdin=rows)
    assert result.exit_code == 3
    assert "Dα-002 is a new card" in result.stderr
    for number in ("Da-002", "ST-900"):  # Dα-002 is not known, St-900 is another game's
        result = run("import", "-", stdin=f"number,type\n{number},Dragon\n")
        assert result.exit_code == 3
        assert "add --game, or a column game" in result.stderr
    assert run("import", "-", "-g", "alpha", stdin="number,hp\nDa-065,391\n").exit_code == 0
    rows = "number,level\nST-01,Champion\nSt-1,IV\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    assert card(run, "ST-01")["level"] == "Champion"
    assert card(run, "St-1")["level"] == "IV"


def test_many_rows_are_reported_in_few_lines(run: Run) -> None:
    rows = "number,attack_a\n" + "".join(f"St-{number},x\n" for number in range(1, 60))
    result = run("import", "-", stdin=rows)
    assert result.exit_code == 3
    assert len(result.stderr.splitlines()) < 20
    assert "and 54 more like it (value-wrong)" in result.stderr


def test_several_files_each_count(run: Run, write: Write, tmp_path: Path) -> None:
    good, bad = write("good.csv", ST1), write("bad.csv", "number,attack_a\nSt-2,x\n")
    result = run("import", tmp_path / "none.csv", bad, good)
    assert result.exit_code == 3
    assert "none.csv: no such file" in result.stderr
    assert card(run, "St-1")["fields"]["attack_a"] == 361  # each file is a transaction of its own


def test_an_interrupt_leaves_the_database_whole(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from digideck.importers.plan import RowPlanner

    def interrupted(self: object, *args: object) -> None:
        raise KeyboardInterrupt

    before = dump(database)
    monkeypatch.setattr(RowPlanner, "_update", interrupted)
    result = run("import", "-", stdin=ST1)
    assert result.exit_code == 130
    assert "nothing was left half written" in result.stderr
    assert dump(database) == before


def test_the_example_set_list_is_an_alpha_set(run: Run) -> None:
    example = Path(__file__).parent.parent.parent / "examples" / "alpha-evolve-8.csv"
    result = run("import", example, "--json")
    assert result.exit_code == 0
    assert counts(result)["printings"] > 0
    assert counts(result)["refused"] == 0


@pytest.mark.parametrize("arguments", [("--delimiter", ";;"), ("--bogus",), ()])
def test_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("import", *arguments, *(["x.csv"] if arguments else [])).exit_code == 2


def test_a_game_nobody_knows(run: Run) -> None:
    result = run("import", "-", "--game", "chess", stdin=ST1)
    assert result.exit_code == 3
    assert "one of: alpha, dccg" in result.stderr


def test_a_set_given_twice_must_be_the_same(run: Run, write: Write) -> None:
    """--set is compared with the sets of the file, and has to be one."""
    path = write("list.csv", "number,set\nDα-065,Alpha Evolve 3\n")
    args = ("import", path, "--game", "alpha", "--dry-run", "--set")
    differs = run(*args, "Alpha Evolve 4")
    assert differs.exit_code == 3
    assert "of the set Alpha Evolve 3, but --set says Alpha Evolve 4" in differs.stderr
    assert "has no set 'Alpha Evolve 33'" in run(*args, "Alpha Evolve 33").stderr
    assert run(*args, "AE3").exit_code == 0


def test_what_is_said_of_an_import_is_in_words(run: Run) -> None:
    rows = "number,gigapower\nDD-001,yes\n"
    dry = run("import", "-", "--game", "dccg", "--dry-run", stdin=rows).stdout
    assert "line 2: would be changed: DD-001 Tai (gigapower: unknown -> yes)" in dry
    assert "1 row: 0 added, 1 changed" in dry
    assert "into a set" not in dry
    assert "line 2: changed DD-001 Tai" in run("import", "-", "--game", "dccg", stdin=rows).stdout


def test_a_doubt_that_a_file_settles_is_settled_once(run: Run, write: Write) -> None:
    """However far apart the rows of a card are; two rows say the same of DM-046 here."""
    numbers = run("find", "kind:Digimon", "--game", "alpha", "--numbers", "--limit", "250").stdout
    others = [key.removeprefix("alpha/") for key in numbers.split() if key != "alpha/DM-046"]
    others = [number for number in others if "@" not in number]
    assert len(others) > 200
    rows = ["number,level", "DM-046,IV", *(f"{number}," for number in others), "DM-046,IV"]
    path = write("levels.csv", "\n".join(rows) + "\n")
    result = run("import", path, "--game", "alpha", "--json")
    assert (result.exit_code, counts(result)["changed"]) == (0, 1)
    assert card(run, "alpha/DM-046")["level"] == "IV"
