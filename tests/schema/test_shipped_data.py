"""The build check: nothing of what ships is lost, doubled, misfiled or without a source."""

from __future__ import annotations

import csv
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from digideck.catalog.cards import CardIndex
from digideck.core.names import search_key
from digideck.core.problems import InputError
from digideck.core.strict_yaml import Mapping, load
from digideck.schema.data_folder import DATA, shipped_version
from digideck.schema.games.game import Game
from digideck.schema.shipped_files import data_hash, games, rows, shipped_cards
from tests.conftest import Run

COUNTS = {"alpha": 822, "dccg": 100, "dcg": 4397, "digi-battle": 714, "hyper-colosseum": 3079}
GAMES = {game.code: game for game in games()}
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
PARTIAL_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?")


def card_rows(game: Game) -> list[dict[str, str]]:
    return list(rows(DATA / "cards" / f"{game.code}.csv"))


def fixes(game: Game) -> list[Mapping]:
    path = DATA / "fixes" / f"{game.code}.yaml"
    return load("fixes:\n" + path.read_text("utf-8"), path.name).mappings("fixes")


def plain_text(path: Path) -> Iterator[dict[str, str]]:
    """The rows as csv alone reads them, without the project's reader."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def test_every_game_has_its_files() -> None:
    assert set(GAMES) == set(COUNTS)
    for folder in ("cards", "sets"):
        names = {path.stem for path in (DATA / folder).glob("*.csv")}
        assert names - {"names", *(f"{code}-ranges" for code in COUNTS)} == set(COUNTS)


@each_game
def test_no_row_is_lost(game: Game, index: CardIndex) -> None:
    lines = list(plain_text(DATA / "cards" / f"{game.code}.csv"))
    assert len(lines) == COUNTS[game.code]
    stored = {(card.number, card.edition) for card in index.by_ids(index.all_ids(game.code))}
    assert stored == {(row["number"], row["edition"]) for row in lines}


@each_game
def test_no_key_stands_twice(game: Game) -> None:
    keys = Counter((row["number"], row["edition"]) for row in card_rows(game))
    assert [key for key, count in keys.items() if count > 1] == []


@each_game
def test_every_value_of_a_row_is_stored(game: Game, index: CardIndex) -> None:
    """Each name, word and figure of each row, repairs applied, is in the database again."""
    for values in shipped_cards(game):
        (card,) = (
            found
            for found in index.by_number(values.number, game.code)
            if found.number == values.number and found.edition == values.edition
        )
        stored = {(name.language, name.text) for name in card.names}
        for column, value in values.values.items():
            if column in ("kind", "level"):
                assert getattr(card, column) == value
            elif column in game.fields:
                assert card.fields[column] == value
            else:
                assert value in {text for _, text in stored}, (card.key, column)
        assert card.doubts == values.doubts
        inferred = {code for code, _ in values.inferred_sets}
        assert {entry.set_code for entry in card.printings} == {*values.sets, *inferred}
        assert {entry.set_code for entry in card.printings if entry.inferred} == inferred


@each_game
def test_numbers_levels_kinds_and_editions_are_the_games_words(game: Game) -> None:
    for row in card_rows(game):
        assert game.numbers.prints(row["number"]), row["number"]
        assert row["level"] in ("", *game.levels), row["number"]
        assert row["kind"] in game.kinds, row["number"]
        assert row["edition"] in ("", *game.editions), row["number"]


@each_game
def test_every_number_shape_and_word_is_used(game: Game) -> None:
    """A shape or word that nothing bears is a slip, but for those that only sources tell of."""
    lines = card_rows(game)
    unused = {shape for shape in game.numbers.templates if not any(
        type(game.numbers)([shape]).prints(row["number"]) for row in lines
    )}  # fmt: skip
    assert unused <= {"SP-###", "DMTV-###", "DMJ-###", "DMP-###", "UN-##"}
    assert set(game.editions) == {row["edition"] for row in lines if row["edition"]}
    assert set(game.kinds) == {row["kind"] for row in lines}


@each_game
def test_every_row_has_a_name_or_says_nothing_of_it(game: Game) -> None:
    nameless = [
        row["number"]
        for row in card_rows(game)
        if not any(row[column] for column in ("name_en", "name_ja", "name_dub"))
    ]
    assert nameless == (["Cα-054", "Cα-055"] if game.code == "alpha" else [])


@each_game
def test_every_row_and_set_has_a_source(game: Game, index: CardIndex) -> None:
    for folder, name in (
        ("cards", game.code),
        ("sets", game.code),
        ("sets", f"{game.code}-ranges"),
    ):
        for row in rows(DATA / folder / f"{name}.csv"):
            assert row["source"].strip(), row
    for table in ("card", "card_set", "set_range"):
        nameless = index.connection.execute(
            f"SELECT COUNT(*) FROM {table} JOIN source ON source.id = source_id WHERE source.name = ''"
        )
        assert nameless.fetchone()[0] == 0


@each_game
def test_every_set_of_a_card_is_a_set(game: Game) -> None:
    codes = {row["code"] for row in rows(DATA / "sets" / f"{game.code}.csv")}
    used = {code for row in card_rows(game) for code in row["set"].split("; ") if code}
    ranged = {row["set"] for row in rows(DATA / "sets" / f"{game.code}-ranges.csv")}
    assert used | ranged <= codes


def test_every_name_of_a_set_leads_to_it(index: CardIndex) -> None:
    found = {
        (row["game"], row["search_key"]): row["set_code"]
        for row in index.connection.execute("SELECT * FROM set_name")
    }
    for row in rows(DATA / "sets" / "names.csv"):
        assert found[row["game"], search_key(row["name"])] == row["set"]
    for code in GAMES:
        for row in rows(DATA / "sets" / f"{code}.csv"):
            for name in (row["code"], row["name_en"], row["name_ja"]):
                if name:
                    assert found[code, search_key(name)] == row["code"], name


def test_no_set_name_means_two_sets() -> None:
    said: dict[tuple[str, str], set[str]] = {}
    for row in rows(DATA / "sets" / "names.csv"):
        said.setdefault((row["game"], search_key(row["name"])), set()).add(row["set"])
    for code in GAMES:
        for row in rows(DATA / "sets" / f"{code}.csv"):
            for name in filter(None, {row["code"], row["name_en"], row["name_ja"]}):
                said.setdefault((code, search_key(name)), set()).add(row["code"])
    assert {key: codes for key, codes in said.items() if len(codes) > 1} == {}


@each_game
def test_dates_stay_as_partial_as_they_are(game: Game, index: CardIndex) -> None:
    for row in rows(DATA / "sets" / f"{game.code}.csv"):
        assert not row["released"] or PARTIAL_DATE.fullmatch(row["released"]), row["code"]
        stored = index.connection.execute(
            "SELECT released, printed, reprints FROM card_set WHERE game = ? AND code = ?",
            (game.code, row["code"]),
        ).fetchone()
        shown = ["" if value is None else str(value) for value in stored]
        assert shown == [row["released"], row["printed"], row["reprints"]]


def test_a_month_is_shown_as_a_month_and_reprints_apart(run: Run) -> None:
    (line,) = [line for line in run("sets", "alpha").stdout.splitlines() if "Seven Devil" in line]
    assert "2007-05 " in line
    assert line.split()[-4:] == ["35", "14", "0", "?"]


def test_unknown_sets_are_shown_as_unknown(run: Run) -> None:
    """Which is so for nearly every Alpha card, and is not the same as none."""
    card = run("show", "DM02-002", "--json").json["data"]["cards"][0]
    assert card["printings"] == []
    assert "Set                    unknown" in run("show", "DM02-002").stdout
    assert "alpha: the set of 735 of 822 cards is unknown" in run("sets").stdout
    promo = [
        entry
        for entry in run("sets", "alpha", "--json").json["data"]["sets"]
        if entry["code"] == "promo"
    ]
    assert (promo[0]["printed"], promo[0]["released"]) == (None, None)


def test_the_version_is_the_hash_of_the_data() -> None:
    """After a change of the data: python -m digideck.schema.shipped_files"""
    assert shipped_version() == data_hash()


def test_the_hash_knows_every_byte_but_line_ends(tmp_path: Path) -> None:
    for name, text in (("games/a.yaml", "a: 1\n"), ("cards/b.csv", "x\n"), ("note.md", "no data")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    first = data_hash(tmp_path)
    (tmp_path / "games/a.yaml").write_bytes(b"a: 1\r\n")
    (tmp_path / "note.md").write_text("other")
    assert data_hash(tmp_path) == first
    (tmp_path / "cards/b.csv").write_bytes(b"y\n")
    assert data_hash(tmp_path) != first


@each_game
def test_every_repair_has_a_reason_a_source_and_something_to_repair(game: Game) -> None:
    before = {
        f"{row['number']}@{row['edition']}" if row["edition"] else row["number"]: row
        for row in card_rows(game)
    }
    for fix in fixes(game):
        row = before[fix.text("card")]
        assert fix.text("reason").strip()
        assert fix.text("source").strip()
        assert row.get(fix.text("field"), "") == fix.text("was", "")
        assert fix.text("value") != fix.text("was", "") or fix.text("doubt").strip()


@each_game
def test_no_repaired_slip_is_left_to_count_by(game: Game, index: CardIndex) -> None:
    """A misspelt name would split the copies of its Digimon in two."""
    for fix in fixes(game):
        if fix.text("field") != "name_en":
            continue
        slip, right = search_key(fix.text("was", "")), search_key(fix.text("value"))
        (card,) = index.by_number(fix.text("card").partition("@")[0], game.code)
        assert card.name == fix.text("value")
        if slip != right:
            assert card.limit_key == right
            query = "SELECT number FROM card WHERE game = ? AND limit_key = ?"
            left = index.connection.execute(query, (game.code, slip)).fetchall()
            assert [found["number"] for found in left] == []


def test_repaired_slips_are_still_found(run: Run) -> None:
    for slip, number in (("Wizardmon", "St-44"), ("Blacgrowlmon", "DM-056")):
        result = run("find", slip)
        assert result.exit_code == 0
        assert number in result.stdout


@each_game
def test_no_evolution_names_a_repaired_slip(game: Game) -> None:
    """The evolution columns name cards too."""
    slips = {
        fix.text("was"): fix.text("value")
        for fix in fixes(game)
        if fix.text("field") == "name_en"
    }  # fmt: skip
    right = {row["name_en"] for row in card_rows(game)} | set(slips.values())
    left = [
        (card.number, part)
        for card in shipped_cards(game)
        for part in card.values.get("evolves_from") or ()
        for slip in slips
        if slip not in right and re.search(rf"(?<!\w){re.escape(slip)}(?!\w)", part)
    ]
    assert left == []


@each_game
def test_every_doubt_changes_a_verdict_or_a_message(game: Game, run: Run) -> None:
    """A doubt is shown with its reason; those that a verdict hangs on are in test_verdicts."""
    doubtful = [card for card in shipped_cards(game) if card.doubts]
    expected = {"alpha": 40, "dccg": 1, "dcg": 0, "digi-battle": 0, "hyper-colosseum": 4}
    assert len(doubtful) == expected[game.code]
    for card in doubtful[:3] + doubtful[-1:]:
        shown = run("show", f"{game.code}/{card.number}").stdout
        for name, reason in card.doubts.items():
            assert f"{name}: {reason}" in shown


def test_doubts_are_of_columns_that_exist() -> None:
    for game in GAMES.values():
        known = {"game", "figures", "kind", "level", "name_en", "name_ja", "name_dub", *game.fields}
        for card in shipped_cards(game):
            assert set(card.doubts) <= known
            assert all(reason.strip() for reason in card.doubts.values())


def broken_copy(tmp_path: Path, file: str, old: str, new: str) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        pytest.param("fixes/dccg.yaml", "Blacgrowlmon", "Blakgrowlmon", "not", id="repair-without-need"),
        pytest.param("fixes/dccg.yaml", "DM-056", "DM-999", "no card for the fix", id="repair-of-nothing"),
        pytest.param("fixes/dccg.yaml", "reason:", "raeson:", "reason", id="repair-without-reason"),
        pytest.param("cards/dcg.csv", ",5000,", ",five,", "not a whole number", id="figure-in-words"),
        pytest.param("games/dccg.yaml", "levels:", "lvls:", "levels", id="game-without-levels"),
    ],
)  # fmt: skip
def test_a_slip_in_the_data_stops_the_build(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = broken_copy(tmp_path, file, old, new)

    def build() -> None:
        for game in games(folder):
            list(shipped_cards(game, folder))

    with pytest.raises(InputError, match=message):
        build()


def test_the_database_says_no_to_what_breaks_its_keys(database: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA foreign_keys = ON")
    for statement in (
        "INSERT INTO card SELECT id + 90000, game, number, edition, number_key, number_sort, kind, level,"
        " limit_key, fields, shipped, source_id FROM card LIMIT 1",
        "UPDATE card SET game = 'nope'",
        "UPDATE card SET fields = 'no json'",
        "UPDATE card SET shipped = 'yes'",
        "INSERT INTO printing SELECT id, game, 'no-set', 0, source_id, 0 FROM card LIMIT 1",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    connection.close()
