"""A list that names no game is of one, and files of other programs keep all that they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run, Write


def imported(run: Run, path: object, *options: str) -> list[dict[str, Any]]:
    done = run("collection", "import", path, "--add", *options, "--json")
    changes: list[dict[str, Any]] = done.json["data"]["changes"]
    return changes


def test_the_case_of_a_letter_makes_no_card_another_games(run: Run, write: Write) -> None:
    listing = write("list.csv", "number,count\nBo-12,1\nBo-13,1\nBO-80,2\n")
    done = run("collection", "import", listing, "--add")
    assert done.exit_code == 0
    assert "as cards of hyper-colosseum, which 3 of its 3 rows fit" in done.stdout
    assert "hyper-colosseum/Bo-80" in done.stdout
    assert "digi-battle" not in done.stdout
    assert f"{listing}:4: warning: BO-80 was read as Bo-80" in done.stderr
    assert "digi-battle/BO-80 is written so" in done.stderr


def test_a_card_that_only_another_game_has_is_a_question(run: Run, write: Write) -> None:
    listing = write("list.csv", "number,count\nSt-61,1\nSt-2,1\nBT1-010,1\n")
    refused = run("collection", "import", listing, "--add")
    assert refused.exit_code == 3
    assert f"{listing}:4: 'BT1-010' is a card of dcg" in refused.stderr
    assert "the list is of hyper-colosseum, which 2 of its 3 rows fit" in refused.stderr
    assert "write dcg/BT1-010" in refused.stderr
    assert run("collection", "list").exit_code == 1
    answered = write("answered.csv", "number,count\nSt-61,1\nSt-2,1\ndcg/BT1-010,1\n")
    assert [row["card"] for row in imported(run, answered)] == [
        "hyper-colosseum/St-61", "hyper-colosseum/St-2", "dcg/BT1-010",
    ]  # fmt: skip


def test_a_list_that_names_its_games_may_have_several(run: Run, write: Write) -> None:
    listing = write("list.csv", "game,number,count\ndcg,BT1-010,1\nalpha,Dα-065,1\n")
    assert [row["card"] for row in imported(run, listing)] == ["dcg/BT1-010", "alpha/Dα-065"]


def test_names_alone_are_one_line_for_each_open_row(run: Run, write: Write) -> None:
    listing = write("list.csv", "name,count\nAgumon,1\nGabumon,2\nIce Statue,1\n")
    said = run("collection", "import", listing, "--add").stderr.splitlines()
    rows = [line for line in said if line.startswith(str(listing))]
    assert len(rows) == 2
    assert "'Agumon' can be any of " in rows[0]
    assert all("write its number" in said[said.index(row) + 1] for row in rows)


@pytest.mark.parametrize(
    ("text", "set_code"),
    [
        pytest.param("Count,Name,Edition,Collector Number\n2,Agumon,BT1,BT1-010\n", "BT1",
                     id="H9-short-moxfield"),
        pytest.param("Quantity,Name,Edition Code,Collector Number\n2,Agumon,BT1,BT1-010\n", "BT1",
                     id="H8-archidekt"),
        pytest.param("Quantity,Name,Set Code,Collector #\n2,Agumon,BT1,BT1-010\n", "BT1",
                     id="mtgo"),
        pytest.param("Quantity, Card Name, Expansion Code, Card Number\n2,Agumon,BT1,BT1-010\n",
                     "BT1", id="H9-spaces-before-titles"),
        pytest.param("Folder Name,Quantity,Card Name, Expansion Code,Card Number,Printing\n"
                     ",2,Agumon,BT1,BT1-010,Normal\n", "BT1", id="dragon-shield-phone"),
        pytest.param("title,edition,foil,quantity\nAgumon (BT1-010),BT1,FALSE,2\n", "BT1",
                     id="H10-cardkingdom"),
        pytest.param("Name;Count\nBT1-010;2\n", "", id="H11-number-in-the-name"),
        pytest.param("Name,Count\nAgumon (BT1-010),2\n", "", id="number-in-brackets"),
        pytest.param("Name,Set Code,Set Name,Number,Count\nAgumon,BT1,New Evolution,BT1-010,2\n",
                     "BT1", id="set-code-and-name"),
        pytest.param("Number,Count\nBT1-010,2x\n", "", id="H14-2x"),
        pytest.param("Number,Count\nBT1-010,x2\n", "", id="H14-x2"),
    ],
)  # fmt: skip
def test_files_of_other_programs(run: Run, write: Write, text: str, set_code: str) -> None:
    (row,) = imported(run, write("list.csv", text))
    assert (row["card"], row["change"]) == ("dcg/BT1-010", 2)
    assert (row["set"] or "") == set_code
    assert "without a meaning" not in run("collection", "import", "-", "--add", stdin=text).stderr


def test_thousands_and_marks_of_a_finish(run: Run, write: Write) -> None:
    text = 'Number,Count\nBT1-010 *F*,"1,000"\nBT1-029,3\n'
    first, second = imported(run, write("list.csv", text))
    assert (first["change"], first["finish"]) == (1000, "foil")
    assert not second.get("finish")
    assert run("collection", "add", "2 dcg/BT1-010 [foil]").exit_code == 0
    assert run("collection", "list", "--json").json["data"]["cards"][0]["count"] == 1002


def test_two_counts_beside_a_card_are_refused(run: Run) -> None:
    refused = run("collection", "add", "-", stdin="3 St-1 (2)\n")
    assert refused.exit_code == 3
    assert "two counts beside the card: 3 and (2)" in refused.stderr


def copies(run: Run) -> int:
    return sum(card["count"] for card in run("collection", "list", "--json").json["data"]["cards"])


def test_a_list_goes_in_once(run: Run, write: Write) -> None:
    listing = write("list.csv", "game,number,count\ndcg,BT1-010,2\n")
    assert run("collection", "import", listing, "--add").exit_code == 0
    refused = run("collection", "import", listing, "--add")
    assert refused.exit_code == 3
    assert "this list went in before, as batch 1 of " in refused.stderr
    assert "add --again if these are more copies" in refused.stderr
    elsewhere = write("copy.csv", listing.read_text())
    assert run("collection", "import", elsewhere, "--add").exit_code == 3
    assert copies(run) == 2
    assert run("collection", "import", listing, "--add", "--again").exit_code == 0
    assert copies(run) == 4
    for mode in ("--set", "--replace"):  # say how many there are, however often
        assert run("collection", "import", listing, mode).exit_code == 0
        assert copies(run) == 2


def test_a_list_that_was_taken_back_may_go_in_again(run: Run, write: Write) -> None:
    listing = write("list.csv", "game,number,count\ndcg,BT1-010,2\n")
    run("collection", "import", listing, "--add")
    run("collection", "undo")
    assert run("collection", "import", listing, "--add").exit_code == 0
    assert copies(run) == 2


def test_of_a_mended_list_only_the_other_rows_go_in(run: Run, write: Write) -> None:
    head = "game,number,count\ndcg,BT1-010,2\ndcg,BT1-010,2\n"
    listing = write("list.csv", f"{head}dcg,BT1-99999,1\n")
    assert run("collection", "import", listing, "--add", "--partial").exit_code == 3
    assert copies(run) == 4
    assert run("collection", "import", listing, "--add", "--partial").exit_code == 3
    assert copies(run) == 4
    write("list.csv", f"{head}dcg,BT1-029,1\n")
    mended = run("collection", "import", listing, "--add")
    assert mended.exit_code == 0
    assert "2 rows went in before, with batch 1" in mended.stderr
    assert copies(run) == 5
    assert run("collection", "import", listing, "--add").exit_code == 3  # now it is in
    assert copies(run) == 5


def test_another_list_of_the_same_name_is_told_of(run: Run, write: Write) -> None:
    listing = write("list.csv", "game,number,count\ndcg,BT1-010,2\n")
    run("collection", "import", listing, "--add")
    write("list.csv", "game,number,count\ndcg,BT1-029,1\n")
    added = run("collection", "import", listing, "--add")
    assert added.exit_code == 0
    assert "another list of this name went in with batch 1" in added.stderr
    assert copies(run) == 3


def test_what_went_in_is_known_after_a_move(run: Run, write: Write, tmp_path: Path) -> None:
    listing = write("list.csv", "game,number,count\ndcg,BT1-010,2\n")
    run("collection", "import", listing, "--add")
    moved, other = tmp_path / "all.jsonl", tmp_path / "other.db"
    run("db", "export", moved)
    assert run("db", "import", moved, "--db", other).exit_code == 0
    assert run("collection", "import", listing, "--add", "--db", other).exit_code == 3
