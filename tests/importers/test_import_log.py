"""Other sources, where values are from, taking imports back, and games of the user's own."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.schema.card_store import CardStore
from tests.cli.typed import needs_terminal, terminal
from tests.conftest import Run, Write

GAME = """
game: mygame
name: A game of mine
years: "2026"
numbers: [MG-###]
levels: [One, Two]
kinds: [Monster]
fields:
  power: {label: Power, type: integer}
zones:
  main: {words: [Deck]}
sources:
  me: I made it up
default_format: mygame
formats:
  mygame:
    title: My game
    revised: 2026-11-30
    rules:
      - id: size
        says: A deck has exactly 2 cards.
        check: size
        zone: main
        least: 2
        most: 2
        source: me
        certainty: sure
"""


def card(run: Run, number: str) -> dict[str, Any]:
    cards = run("show", number, "--json").json["data"]["cards"]
    return cards[0] if cards else {}


def everything(database: Path) -> list[str]:
    connection = sqlite3.connect(database)
    lines = sorted(connection.iterdump())
    connection.close()
    return lines


# Other sources --------------------------------------------------------------


@pytest.fixture
def two_files(write: Write) -> tuple[Path, Path]:
    """Two lists that disagree on a shipped card and on one that only they have."""
    first = "number,name_en,attack_a\nSt-1,,361\nSt-4001,Ownmon,100\n"
    second = "number,name_en,attack_a,attack_b\nSt-1,,362,231\nSt-4001,Ownmon,200,20\n"
    return write("first.csv", first), write("second.csv", second)


def test_another_source_that_disagrees_is_refused(run: Run, two_files: tuple[Path, Path]) -> None:
    first, second = two_files
    assert run("import", first).exit_code == 0
    result = run("import", second)
    assert result.exit_code == 3
    assert f"St-1 Agumon: attack_a is 361 by {first} of 20" in result.stderr
    assert "this row says 362" in result.stderr
    assert "--on-conflict replace" in result.stderr
    assert card(run, "St-1")["fields"]["attack_a"] == 361


def test_keep_takes_only_what_is_new(run: Run, two_files: tuple[Path, Path]) -> None:
    first, second = two_files
    assert run("import", first).exit_code == 0
    result = run("import", second, "--on-conflict", "keep")
    assert result.exit_code == 0
    assert "2 values kept from other sources" in result.stdout
    for number in ("St-1", "St-4001"):
        fields = card(run, number)["fields"]
        assert (fields["attack_a"], fields["attack_b"]) in [(361, 231), (100, 20)]


def test_replace_takes_all_and_sources_tell_which(run: Run, two_files: tuple[Path, Path]) -> None:
    first, second = two_files
    assert run("import", first).exit_code == 0
    assert run("import", second, "--on-conflict", "replace").exit_code == 0
    for number in ("St-1", "St-4001"):
        found = run("show", number, "--sources", "--json").json["data"]["cards"][0]
        sources = {entry["field"]: entry["source"] for entry in found["sources"]}
        assert sources["attack_a"] == sources["attack_b"] == str(second)
        assert sources["name_en"] == (str(first) if number == "St-4001" else sources["kind"])
    text = run("show", "St-4001", "--sources").stdout
    assert f"{first} (csv, imported 20" in text
    assert f"{second} (csv, imported 20" in text


def test_the_same_file_brought_up_to_date_is_no_other_source(run: Run, write: Write) -> None:
    path = write("list.csv", "number,name,attack_a\nSt-1,,361\nSt-4001,Ownmon,100\n")
    assert run("import", path).exit_code == 0
    write("list.csv", "number,name,attack_a\nSt-1,,363\nSt-4001,Ownmon,103\n")
    assert run("import", path).exit_code == 0
    assert card(run, "St-1")["fields"]["attack_a"] == 363
    assert card(run, "St-4001")["fields"]["attack_a"] == 103


def test_a_wrong_word_for_conflicts(run: Run) -> None:
    assert run("import", "-", "--on-conflict", "shrug").exit_code == 2


# Taking back ----------------------------------------------------------------


def test_imports_are_taken_back_one_after_the_other(
    run: Run, database: Path, write: Write, two_files: tuple[Path, Path]
) -> None:
    states = [everything(database)]
    sets = "number,name,set,level,evolves_from\nSt-4001,Ownmon,My box,IV,Agumon + OO\nDM-185,,,,\n"
    steps = [
        (two_files[0],),
        (two_files[1], "--on-conflict", "replace"),
        (write("sets.csv", sets), "--new-sets", "-g", "hyper-colosseum", "--partial"),
        (write("doubt.csv", "number,name,game\nDM-185,Gabumon,alpha\n"),),
        (write("own.csv", "number,name,colour\n1,One,red\n2,Two,blue\n"), "--new-game", "mine"),
        (write("own2.csv", "number,colour\n2,green\n"), "-g", "mine", "--on-conflict", "replace"),
        (write("game.yaml", GAME),),
        (write("game2.yaml", GAME.replace("A game of mine", "Another name")),),
    ]
    for step in steps:
        assert run("import", *step).exit_code in (0, 3)
        states.append(everything(database))
        assert states[-1] != states[-2], step
    while len(states) > 1:
        assert states.pop() == everything(database)
        assert "Would take back" in run("import", "--undo", "--dry-run").stdout
        assert run("import", "--undo").exit_code == 0
        assert everything(database) == states[-1]
    result = run("import", "--undo")
    assert result.exit_code == 3
    assert "no import is recorded" in result.stderr


CARD = "hyper-colosseum/St-4001"


@pytest.mark.parametrize(
    ("works", "says", "next_step"),
    [
        (
            [("collection", "add", "St-4001")],
            "have 1 change in the history of the collection",
            "digideck db restore FILE",
        ),
        (
            [("barcode", "link", "QR:a", "St-4001"), ("barcode", "link", "QR:b", "St-4001")],
            "have 2 links of barcodes",
            f"digideck barcode unlink CODE; digideck show {CARD} lists the codes",
        ),
        (
            [("collection", "wants", "St-4001", "2")],
            "have 1 want",
            f"digideck collection wants {CARD} 0",
        ),
    ],
)
def test_undo_refuses_where_something_stands_on_it(
    run: Run,
    database: Path,
    write: Write,
    works: list[tuple[str, ...]],
    says: str,
    next_step: str,
) -> None:
    path = write("a.csv", "number,name\nSt-4001,Ownmon\n")
    assert run("import", path).exit_code == 0
    for work in works:
        run(*work)
    before = everything(database)
    result = run("import", "--undo")
    assert result.exit_code == 3
    assert f"{path} cannot be taken back: its cards, such as {CARD}, {says}\n" in result.stderr
    assert next_step in result.stderr
    assert everything(database) == before


def test_undo_goes_on_where_its_advice_was_followed(run: Run, write: Write) -> None:
    assert run("import", write("a.csv", "number,name\nSt-4001,Ownmon\n")).exit_code == 0
    run("barcode", "link", "QR:a", "St-4001")
    run("collection", "wants", "St-4001", "2")
    refused = run("import", "--undo", "--json").json
    assert [one["code"] for one in refused["problems"]] == ["undo-blocked"] * 2
    run("barcode", "unlink", "QR:a")
    run("collection", "wants", CARD, "0")
    assert run("import", "--undo").exit_code == 0


@pytest.mark.parametrize("arguments", [("--undo", "x.csv"), ()])
def test_wrong_usage_of_undo(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("import", *arguments).exit_code == 2


def test_what_is_recorded(run: Run, database: Path, write: Write) -> None:
    import hashlib

    path = write("list.csv", "number,attack_a\nSt-1,361\nSt-2,440\n")
    run("import", path)
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT * FROM source WHERE kind = 'import'").fetchone()
    connection.close()
    assert (row["name"], row["path"], row["reader"]) == (str(path), str(path), "csv")
    assert row["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert row["imported_at"].startswith("20")
    counts = json.loads(row["counts"])
    assert (counts["read"], counts["changed"], counts["unchanged"]) == (2, 1, 1)


# Games of the user's own ----------------------------------------------------


def test_a_game_from_the_columns_of_a_list(run: Run) -> None:
    text = "number,name,power level,effect\n007,Bond,high,secret\n75a,Lamp,low,secret\n"
    result = run("import", "-", "--new-game", "my-game", stdin=text)
    assert result.exit_code == 0, result.stderr
    assert "card texts, which are never stored: effect" in result.stderr
    found = card(run, "my-game/007")
    assert (found["name"], found["fields"]) == ("Bond", {"powerlevel": "high"})
    assert card(run, "my-game/75a")["name"] == "Lamp"
    assert "my-game" in run("db", "info").stdout
    assert run("import", "-", "-g", "my-game", stdin=text).exit_code == 0
    again = run("import", "-", "-g", "my-game", stdin="number,name,other\n8,Eight,x\n")
    assert "columns without a meaning here: other" in again.stderr


def test_a_game_from_a_yaml_file(run: Run, write: Write) -> None:
    result = run("import", write("game.yaml", GAME))
    assert result.exit_code == 0, result.stderr
    assert "the game mygame (A game of mine), formats: mygame" in result.stdout
    rows = "number,name,level,kind,power\nMG-001,Alpha,One,Monster,5\nMG-002,Beta,Two,Monster,6\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    assert card(run, "MG-002")["fields"] == {"power": 6}
    assert run("deck", "check", "-", stdin="1 MG-001\n1 Beta\n").exit_code == 0
    assert run("deck", "check", "-", stdin="3 MG-001\n").exit_code == 1
    assert run("import", write("game.yaml", GAME)).exit_code == 0
    assert "lost?" in run("import", "-", stdin="number,name\nMG-3,Gamma\n").stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(GAME.replace("mygame", "alpha"), "a game that ships", id="shipped"),
        pytest.param(GAME.replace("mygame", "My Game!"), "cannot be the code", id="code"),
        pytest.param(GAME.replace("check: size", "check: luck"), "check: 'luck'", id="check"),
        pytest.param(
            GAME + "variants: ['_P(']\n", "is no regular expression", id="variant"
        ),
        pytest.param(GAME + "surprise: yes\n", "unknown key 'surprise'", id="unknown-key"),
        pytest.param(GAME.replace("numbers: [MG-###]\n", ""), "numbers is missing", id="missing"),
        pytest.param(
            GAME.replace("formats:\n  mygame:", "formats:\n  dccg:"), "called 'dccg' already",
            id="format-taken",
        ),
    ],
)  # fmt: skip
def test_games_that_are_refused(
    run: Run, write: Write, database: Path, text: str, message: str
) -> None:
    before = everything(database)
    result = run("import", write("game.yaml", text))
    assert result.exit_code == 3
    assert message in result.stderr
    assert everything(database) == before


@pytest.mark.parametrize("code", ["alpha", "Ä", "x", "a b"])
def test_codes_that_no_new_game_can_have(run: Run, code: str) -> None:
    result = run("import", "-", "--new-game", code, stdin="number,name\n1,One\n")
    assert result.exit_code == 3


def test_own_games_survive_new_data(
    run: Run, database: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", write("game.yaml", GAME))
    run("import", "-", stdin="number,name\nMG-001,Alpha\n")
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("UPDATE meta SET value = 'older' WHERE key = 'data_version'")
    connection.close()
    assert card(run, "MG-001")["name"] == "Alpha"
    assert "My game" in run("formats", "mygame").stdout


# Interrupted ----------------------------------------------------------------

WAITING = """
import sys
from digideck.importers import apply
apply._CACHE_KB = 500  # so that pages reach the file before the end
def wait(*arguments):
    print("written", flush=True)
    sys.stdin.read()  # which nobody ends: the signal comes here
apply.TableImport._finish = wait
from digideck.cli.main import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals differ there")
@pytest.mark.parametrize("signal_sent", [signal.SIGINT, signal.SIGKILL])
def test_a_kill_in_the_middle_leaves_the_database_as_it_was(
    run: Run, shell: Any, database: Path, tmp_path: Path, signal_sent: signal.Signals
) -> None:
    """Enough rows that SQLite has written part of them into the file already."""
    before = everything(database)
    size = database.stat().st_size
    path = tmp_path / "list.csv"
    rows = "".join(f"N-{place},Name {place},{'x' * 90}\n" for place in range(120_000))
    path.write_text("number,name,note\n" + rows)
    environment = {
        **os.environ,
        "DIGIDECK_DB": str(database),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, "import", str(path), "--new-game", "own"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == b"written\n"
    process.send_signal(signal_sent)
    process.wait(60)
    process.stdout.close()
    process.stdin.close()
    if signal_sent is signal.SIGKILL:
        assert database.with_name(database.name + "-journal").exists()
        assert database.stat().st_size > 2 * size
    assert run("sets", "dccg").exit_code == 0
    assert everything(database) == before


def test_the_progress_bar_is_only_on_a_terminal(run: Run) -> None:
    result = run("import", "-", stdin="number,attack_a\nSt-1,361\n")
    assert "\r" not in result.output


@needs_terminal
def test_the_progress_bar_leaves_nothing_behind(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("number,name\n" + "".join(f"N-{n},Name {n}\n" for n in range(30_000)))
    words = ("import", path, "--new-game", "own")
    with terminal(database, *words, stdout=subprocess.DEVNULL) as typed:
        seen = typed.rest()
    assert "rows" in seen
    assert seen.endswith("\r\x1b[K")


# Values as they are stored --------------------------------------------------


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8),
        st.text() | st.integers() | st.booleans() | st.lists(st.text(), max_size=3),
        max_size=5,
    )
)
def test_fields_are_stored_as_json_has_them(values: dict[str, Any]) -> None:
    assert json.loads(CardStore.fields_json(values)) == {
        key: value for key, value in values.items() if key not in ("kind", "level", "alias")
    }


def test_rows_of_one_card_far_apart_in_a_file(run: Run) -> None:
    """Further than the rows that are looked at together; nothing of the first is lost."""
    others = [f"N-{place},Name {place},,\n" for place in range(450)]
    text = "".join(
        ["number,name,set,colour\nX-1,Xmon,Set A,\n", *others[:250], "X-1,,Set B,red\n",
         *others[250:], "X-1,Xmon,Set C,\nX-1,,Set A,red\nN-7,,Set B,\n"]
    )  # fmt: skip
    result = run("import", "-", "--new-game", "own", "--new-sets", "--json", stdin=text)
    assert result.exit_code == 0, result.json["problems"]
    found = card(run, "own/X-1")
    assert (found["name"], found["fields"]) == ("Xmon", {"colour": "red"})
    assert [entry["set"] for entry in found["printings"]] == ["Set A", "Set B", "Set C"]
    assert [entry["set"] for entry in card(run, "own/N-7")["printings"]] == ["Set B"]
    again = run("import", "-", "-g", "own", "--json", stdin=text)
    assert again.json["data"]["files"][0]["unchanged"] == 455
    late = text + "X-1,,,blue\n"
    result = run("import", "-", "-g", "own", "--on-conflict", "replace", stdin=late)
    assert result.exit_code == 3
    assert "X-1 stands twice, and line " in result.stderr
    undone = run("import", "--undo", "--json").json["data"]["undone"]
    assert (undone["cards"], undone["values"]) == (451, 0)  # what a file adds, it has not changed


def test_a_contradiction_is_found_however_far_apart_its_rows_are(run: Run) -> None:
    others = "".join(f"N-{place},Name {place},\n" for place in range(300))
    text = f"number,name,colour\nX-1,Xmon,red\n{others}X-1,Xmon,blue\n"
    result = run("import", "-", "--new-game", "own", stdin=text)
    assert result.exit_code == 3
    assert "X-1 stands twice, and line 2 says colour 'red', not 'blue'" in result.stderr


def test_a_field_that_comes_late_is_a_field_of_the_new_game(run: Run) -> None:
    rows = [{"number": f"N-{place}", "name": f"Name {place}"} for place in range(300)]
    rows[299]["colour"] = "red"
    listed = run("import", "-", "--new-game", "own", stdin=json.dumps(rows))
    assert listed.exit_code == 0, listed.stderr
    assert run("find", "-g", "own", "colour:red", "--numbers").stdout == "own/N-299\n"


def test_known_cards_far_apart_in_a_file(run: Run) -> None:
    others = "".join(f"St-{place},,\n" for place in range(2, 320))
    text = f"number,set,attack_a\nSt-1,Bo1,\n{others}St-1,,361\n{others}St-1,Bo2,361\n"
    result = run("import", "-", "-g", "hyper-colosseum", "--json", stdin=text)
    assert result.exit_code == 0, result.stdout
    found = card(run, "hyper-colosseum/St-1")
    assert found["fields"]["attack_a"] == 361
    assert {entry["set"] for entry in found["printings"]} == {"St1", "St2", "Bo1", "Bo2"}
    assert run("import", "--undo").exit_code == 0
    found = card(run, "hyper-colosseum/St-1")
    assert found["fields"]["attack_a"] == 360
    assert [entry["set"] for entry in found["printings"]] == ["St1", "St2"]


def printings(run: Run, number: str) -> list[tuple[str, bool]]:
    (shown,) = run("show", number, "--json").json["data"]["cards"]
    return [(entry["set"], entry["inferred"]) for entry in shown["printings"]]


@pytest.mark.parametrize(
    ("stated", "code"),
    [("Alpha Evolve 7", "AE7"), ("Battle Terminal 02 Ver. 3", "BT02-3")],
    ids=["another", "the-same"],
)
def test_an_inferred_set_gives_way_to_one_that_a_list_states(
    run: Run, write: Write, stated: str, code: str
) -> None:
    number = "DM02-083"
    before = printings(run, number)
    assert before == [("BT02-3", True)]
    assert (
        "BT02-3  Battle Terminal 02 Version 3 (2007-12-20)  inferred" in run("show", number).stdout
    )
    assert "inferred: between DM02-081 and DM02-084" in run("show", number, "--sources").stdout
    rows = write("rows.csv", f"number,set\n{number},{stated}\n")
    assert run("import", rows, "-g", "alpha").exit_code == 0
    assert printings(run, number) == [(code, False)]
    assert run("find", f"set:{code}", "number:DM02-083", "--numbers").stdout == f"alpha/{number}\n"
    again = write("again.csv", f"number,set,name\n{number},{stated},Garurumon (Black)\n")
    assert "1 unchanged" in run("import", again, "-g", "alpha").stdout
    assert run("import", "--undo").exit_code == 0
    assert printings(run, number) == before
