"""From blank and from every earlier version to this one, and newer data under what the user said."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from digideck.schema import data_folder, shipped, shipped_files
from digideck.schema.connection import open_to_read
from digideck.schema.data_folder import DATA
from digideck.schema.migrations import LATEST
from tests.conftest import Run

VERSIONS = sorted((Path(__file__).parent / "versions").glob("v*.sql"))


def earlier(path: Path, script: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(script.read_text("utf-8"))
    connection.close()
    return path


def tables(path: Path) -> dict[str, str]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    result = {name: re.sub(r"\s+", " ", sql) for name, sql in found}
    connection.close()
    return result


def test_every_earlier_version_has_its_dump() -> None:
    versions = [int(path.stem[1:]) for path in VERSIONS]
    assert versions == list(range(1, max(versions) + 1))
    assert max(versions) >= LATEST - 1


@pytest.mark.parametrize("script", VERSIONS, ids=lambda path: path.stem)
def test_an_earlier_version_becomes_this_one(script: Path, tmp_path: Path, built: Path) -> None:
    path = earlier(tmp_path / "old.db", script)
    open_to_read(path).close()
    assert tables(path) == tables(built)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (LATEST,)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("SELECT COUNT(*) FROM card WHERE shipped = 1").fetchone() == (9112,)
    connection.close()


@pytest.mark.parametrize("script", VERSIONS, ids=lambda path: path.stem)
def test_what_is_the_users_is_still_there(script: Path, tmp_path: Path, run: Run) -> None:
    path = earlier(tmp_path / "old.db", script)
    before = ids(path)
    own = run("show", "Dα-002", "--db", path, "--json").json["data"]["cards"][0]
    assert (own["name"], own["level"]) == ("Yukimibotamon", "II")
    assert [entry["set"] for entry in own["printings"]] == ["My box"]
    added = run("show", "Dα-592", "--db", path, "--json").json["data"]["cards"][0]
    assert "AE8" in [entry["set"] for entry in added["printings"]]
    for number, field, value in (("dccg/DM-035", "gigapower", False), ("St-44", "attack_a", 481)):
        card = run("show", number, "--db", path, "--json").json["data"]["cards"][0]
        assert card["fields"][field] == value
        assert field in card["corrections"]
    after = ids(path)
    assert before.items() <= after.items()  # ids are for good
    assert [entry.name for entry in (tmp_path / "backups").iterdir()]


def test_what_was_read_before_there_were_matches_is_still_there(tmp_path: Path, run: Run) -> None:
    path = earlier(tmp_path / "old.db", VERSIONS[3])
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO picture VALUES (7, 'ab', 'a.png', '2026-11-30', 'read', '')")
    rows = [
        (
            3,
            7,
            "UPC-A",
            "0036000291452",
            "[[0,0],[1,0],[1,1],[0,1]]",
            "zxing",
            "whole",
            "waiting",
            None,
        ),
        (5, 7, "Code 128", "AB-1", "[[0,0],[1,0],[1,1],[0,1]]", "zxing", "sharp", "entered", 1),
    ]
    names = "id, picture_id, symbology, payload, quad, engine, rung, status, batch_id"
    connection.executemany(f"INSERT INTO read ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    listed = run("scan", "review", "-", "--db", path, stdin="")
    assert "EAN-13:0036000291452" in listed.stdout
    connection = sqlite3.connect(path)
    assert connection.execute(f"SELECT {names} FROM read ORDER BY id").fetchall() == rows
    connection.close()


def test_keys_made_before_small_kana_counted_as_large_are_renewed(tmp_path: Path, run: Run) -> None:
    path = earlier(tmp_path / "old.db", VERSIONS[4])
    connection = sqlite3.connect(path)
    own = "(SELECT id FROM card WHERE number = 'Dα-002')"
    connection.execute(
        f"INSERT INTO card_name VALUES ({own}, 'ja', 'ユキミボッα', 'ユキミボッα', 'name')"
    )
    connection.execute(f"UPDATE card SET limit_key = 'ユキミボッα' WHERE id = {own}")
    connection.execute(f"INSERT INTO evolution VALUES ({own}, 'チョモン'), ({own}, 'level III')")
    connection.execute("INSERT INTO set_name VALUES ('alpha', 'ボックス', 'My box')")
    connection.commit()
    connection.close()
    assert "Dα-002" in run("find", "ユキミボツAlpha", "set:ボツクス", "--db", path).stdout
    connection = sqlite3.connect(path)
    needs = connection.execute(f"SELECT need FROM evolution WHERE card_id = {own} ORDER BY need")
    assert needs.fetchall() == [("level III",), ("チヨモン",)]
    limit_key = connection.execute(f"SELECT limit_key FROM card WHERE id = {own}").fetchone()
    assert limit_key == ("ユキミボツalpha",)
    connection.close()


@pytest.mark.skipif(os.name == "nt", reason="only the owner's own permissions are kept there")
def test_a_failed_migration_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = earlier(tmp_path / "old.db", VERSIONS[0])

    def fails(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shipped, "load", fails)
    with pytest.raises(KeyboardInterrupt):
        open_to_read(path)
    monkeypatch.undo()
    open_to_read(path).close()  # and the next start takes it up again
    assert tables(path).keys() >= {"card", "correction"}


Edit = Callable[[str], str]


@pytest.fixture
def newer_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``newer_data({"cards/alpha.csv": edit})``: a program that ships other data."""
    rounds = iter(range(100))

    def newer_data(edits: dict[str, Edit]) -> None:
        folder = tmp_path / f"data-{next(rounds)}"
        shutil.copytree(DATA, folder)
        for file, edit in edits.items():
            path = folder / file
            before = path.read_text("utf-8")
            path.write_text(edit(before), "utf-8")
            assert path.read_text("utf-8") != before
        (folder / "VERSION").write_text(shipped_files.data_hash(folder))
        for module in (data_folder, shipped):
            monkeypatch.setattr(module, "DATA", folder)

    return newer_data


def line_of(number: str, old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        lines = text.splitlines(keepends=True)
        (place,) = (index for index, line in enumerate(lines) if line.startswith(f"{number},"))
        assert old in lines[place]
        lines[place] = lines[place].replace(old, new, 1)
        return "".join(lines)

    return edit


def without(number: str) -> Edit:
    return lambda text: "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith(f"{number},")
    )


def card(run: Run, number: str) -> dict:  # type: ignore[type-arg]
    result = run("show", number, "--json")
    return result.json["data"]["cards"][0] if result.exit_code == 0 else {}


def ids(database: Path) -> dict[tuple[str, str, str], int]:
    connection = sqlite3.connect(database)
    found = {
        row[1:]: row[0] for row in connection.execute("SELECT id, game, number, edition FROM card")
    }
    connection.close()
    return found


def test_newer_data_reaches_the_cards_and_keeps_their_ids(
    run: Run, database: Path, newer_data
) -> None:  # type: ignore[no-untyped-def]
    before = ids(database)
    newer_data(
        {
            "cards/hyper-colosseum.csv": line_of("St-2", "440", "445"),
            "sets/alpha.csv": lambda text: text.replace("2006-04-13,79", "2006-04-13,80"),
            "games/alpha.yaml": lambda text: text.replace("least: 32", "least: 31").replace(
                "most: 32", "most: 31"
            ),
        }
    )
    assert card(run, "St-2")["fields"]["attack_a"] == 445
    assert run("sets", "alpha", "--json").json["data"]["sets"][0]["printed"] == 80
    assert "exactly 31" in run("deck", "check", "-", stdin="# format: alpha\n3 Dα-065").stdout
    assert ids(database) == before


def test_newer_data_goes_under_corrections(run: Run, newer_data) -> None:  # type: ignore[no-untyped-def]
    assert run("import", "-", stdin="number,attack_a,name_en\nSt-2,999,Greyboy\n").exit_code == 0
    newer_data({"cards/hyper-colosseum.csv": line_of("St-2", "440,340", "445,345")})
    fields = card(run, "St-2")
    assert (fields["fields"]["attack_a"], fields["fields"]["attack_b"]) == (999, 345)
    assert fields["name"] == "Greyboy"
    assert set(fields["corrections"]) == {"attack_a", "name_en"}


def test_newer_data_leaves_own_cards_printings_and_sets_alone(run: Run, newer_data) -> None:  # type: ignore[no-untyped-def]
    rows = "number,name,set\nDα-002,Yukimibotamon,My box\nDα-065,,My box\n"
    assert run("import", "-", "--game", "alpha", "--new-sets", stdin=rows).exit_code == 0
    newer_data({"cards/alpha.csv": line_of("Dα-065", "Shamamon", "Shaman")})
    assert card(run, "Dα-002")["name"] == "Yukimibotamon"
    assert card(run, "Dα-065")["name"] == "Shaman"
    for number in ("Dα-002", "Dα-065"):
        assert "My box" in [entry["set"] for entry in card(run, number)["printings"]]


def test_an_own_card_that_ships_from_now_on_keeps_what_the_user_said(
    run: Run, newer_data, database: Path
) -> None:  # type: ignore[no-untyped-def]
    rows = "number,name,kind,level\nDα-002,Yukimibotamon,Digimon,II\n"
    assert run("import", "-", "--game", "alpha", stdin=rows).exit_code == 0
    before = ids(database)
    copy = line_of("Dα-065", "Dα-065,,Shamamon", "Dα-002,,Snowbotamon")
    newer_data(
        {
            "cards/alpha.csv": lambda text: (
                text
                + next(
                    line
                    for line in copy(text).splitlines(keepends=True)
                    if line.startswith("Dα-002,")
                )
            )
        }
    )
    found = card(run, "Dα-002")
    assert (found["name"], found["level"]) == ("Yukimibotamon", "II")
    assert found["fields"]["hp"] == 390  # what the user did not say ships
    assert ids(database)["alpha", "Dα-002", ""] == before["alpha", "Dα-002", ""]


def test_a_card_that_ships_no_longer_goes_unless_the_user_spoke_of_it(run: Run, newer_data) -> None:  # type: ignore[no-untyped-def]
    assert run("import", "-", stdin="number,attack_a\nSt-2,999\n").exit_code == 0
    newer_data({"cards/hyper-colosseum.csv": lambda text: without("St-2")(without("St-4")(text))})
    assert card(run, "hyper-colosseum/St-4") == {}
    assert card(run, "St-2")["fields"]["attack_a"] == 999
    newer_data({"cards/dcg.csv": without("BT1-001")})  # and back again
    assert card(run, "hyper-colosseum/St-4")["name"] == "Birdramon"
    assert card(run, "St-2")["fields"]["attack_a"] == 999


def test_corrections_survive_many_updates(run: Run, newer_data) -> None:  # type: ignore[no-untyped-def]
    assert run("import", "-", stdin="number,gigapower\nDM-035,no\n").exit_code == 0
    for count in range(3):
        newer_data({"cards/dccg.csv": line_of("DM-001", "Impmon", f"Impmon{count}")})
        assert card(run, "dccg/DM-035")["fields"]["gigapower"] is False
        assert card(run, "dccg/DM-001")["name"] == f"Impmon{count}"


def test_a_renamed_set_is_found_by_its_new_name(run: Run, newer_data) -> None:  # type: ignore[no-untyped-def]
    newer_data(
        {"sets/alpha.csv": lambda text: text.replace("AE8,Alpha Evolve 8", "AE8,Alpha Evolution 8")}
    )
    rows = "number\nDα-065\n"
    assert (
        run(
            "import",
            "-",
            "--set",
            "Alpha Evolution 8 The Four Holy Beasts' Reign Compilation",
            stdin=rows,
        ).exit_code
        == 0
    )
