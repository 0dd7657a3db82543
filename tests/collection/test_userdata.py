"""All that is the user's, out as plain text and into an equal database; data updates."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digideck.catalog.cards import CardIndex
from digideck.collection.ledger import Holding, Shortage, record, undo
from digideck.collection.wants import collect, want
from digideck.core.problems import InputError
from digideck.scan.decode.engines import Read
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.store.read_store import ENTERED, NOTED, remember, settle
from digideck.schema import data_folder, shipped, shipped_files
from digideck.schema.card_store import CardStore, CardValues, write_correction
from digideck.schema.connection import open_to_read, open_to_write, transaction
from digideck.schema.userdata import KINDS, export_lines, import_lines
from tests.conftest import Run, Write

FROM_IMPORTS = {"game", "field source"}  # which OWN has none of
OWN = """number,game,name,name_ja,kind,level,set,cost
DM-900,alpha,Testmon,テストモン,Digimon,III,My box,3
Dα-065,alpha,,,,,My box,
DM-105,alpha,,,,IV,,7
"""


def exported(path: Path) -> list[str]:
    index = CardIndex(open_to_read(path))
    lines = list(export_lines(index.connection, CardStore(index.connection, index.games)))
    index.connection.close()
    return lines


def test_export_and_import_of_everything(
    run: Run, write: Write, tmp_path: Path, database: Path
) -> None:
    assert run("import", write("own.csv", OWN), "--new-sets").exit_code == 0
    rows = "number,name,level\nX-1,Foomon,3\nX-2,Barmon,4\n"
    assert run("import", write("game.csv", rows), "--new-game", "mine").exit_code == 0
    later = write("later.csv", "number,level\nX-1,5\n")
    assert run("import", later, "-g", "mine", "--on-conflict", "replace").exit_code == 0
    run("collection", "add", "DM-900", "3", "St-1", "2", "--place", "a “place”, b", "--note", "=1")
    run("collection", "add", "DM02-095@asia", "1", "BT1-003_P1", "2")
    run("collection", "remove", "DM-900", "1", "--any")
    run("collection", "undo")
    run("collection", "wants", "--collect", "St1", "--game", "hyper-colosseum")
    run("collection", "import", write("list.csv", "number,count\nDα-065,1\n"), "--add")
    run("collection", "wants", "DM-900", "4")
    run("barcode", "link", "4006381333931", "DM-900")
    run("barcode", "link", r"code128:\x01", "DM02-095@asia")
    connection = open_to_write(database)
    quad = ((0.0, 0.0), (9.5, 0.0), (9.5, 3.0), (0.0, 3.0))
    seen = Read(Symbology.UPC_A, "0012345678905", quad, "zxing", "whole")
    with transaction(connection):
        remember(connection, "a" * 64, "x “1”.jpg", [seen, seen])
        remember(connection, None, "camera 0 at 0:01.0", [seen], status=NOTED)
        settle(connection, [1], ENTERED, 2)
    connection.close()
    text, other = tmp_path / "all.jsonl", tmp_path / "other.db"
    assert run("db", "export", text).exit_code == 0
    done = run("db", "import", text, "--db", other, "--json")
    assert done.exit_code == 0
    assert set(done.json["data"]["records"]) >= {kind.name for kind in KINDS} - FROM_IMPORTS
    assert exported(other) == exported(database) == text.read_text("utf-8").splitlines(True)
    for words in (["collection", "list"], ["show", "DM-900"], ["show", "DM-105"],
                  ["collection", "history"], ["collection", "progress", "alpha", "--all"],
                  ["collection", "wants"], ["sets", "alpha"], ["barcode", "list"],
                  ["scan", "review"]):  # fmt: skip
        assert run(*words).stdout == run(*words, "--db", other).stdout, words
    assert run("db", "verify", "--db", other).exit_code == 0


def test_import_only_into_a_database_without_user_data(run: Run, tmp_path: Path) -> None:
    run("collection", "add", "St-1")
    text = tmp_path / "all.jsonl"
    run("db", "export", text)
    refused = run("db", "import", text)
    assert refused.exit_code == 3
    assert "--db NEWFILE" in refused.stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: ["{}"],
        lambda lines: [],
        lambda lines: ["number,count", "St-1,3"],
        lambda lines: [*lines[:-1], "not json"],
        lambda lines: [*lines[:-1], '{"kind": "mystery"}'],
        lambda lines: [*lines[:-1], lines[-1].replace("St-1", "St-99999")],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [*lines[:-1], lines[-1].replace('"count": 3', '"count": "x"')],
        lambda lines: [*lines[:-1], lines[-1].replace('"count": 3', '"count": -3')],
        lambda lines: [lines[0].replace('"version": 1', '"version": 2'), *lines[1:]],
        lambda lines: [lines[0].replace('"renumbered": [', '"renumbered": [5, '), *lines[1:]],
        lambda lines: [*lines[:-1], lines[-1].replace('"hyper-colosseum/St-1"', "5")],
        lambda lines: [*lines[:-1], lines[-1].replace('"made_at": "', '"made_at": ["')],
    ],
)
def test_a_text_that_does_not_fit_is_refused_whole(
    run: Run, write: Write, tmp_path: Path, built: Path, change: Callable[[list[str]], list[str]]
) -> None:
    run("collection", "add", "St-1", "3")
    lines = run("db", "export").stdout.splitlines()
    other = tmp_path / "other.db"
    shutil.copyfile(built, other)
    refused = run("db", "import", write("all.jsonl", "\n".join(change(lines))), "--db", other)
    assert refused.exit_code == 3, refused.output
    assert "all.jsonl:" in refused.stderr
    assert run("collection", "list", "--db", other).exit_code == 1
    assert run("db", "import", write("good.jsonl", "\n".join(lines)), "--db", other).exit_code == 0


@pytest.mark.parametrize(
    ("symbology", "payload", "says"),
    [
        ("profile", "2:abc:0", "update digideck"),
        ("profile", "1:abc:0", "checksum"),
        ("profile", 5, "checksum"),
        ("hologram", "1", "hologram"),
        ("Nope", "1", "no kind of code is called 'Nope'"),
        ("EAN-13", "abc", "13 digits"),
        ("QR", "", "without content"),
        ("QR", [], "list"),
        ("QR", 10**30, "too large"),
    ],
)
def test_a_link_that_would_stop_every_scan_is_refused(
    run: Run, write: Write, tmp_path: Path, symbology: str, payload: object, says: str
) -> None:
    run("barcode", "link", "QR:A", "St-1")
    run("collection", "add", "St-1")
    lines = run("db", "export").stdout.splitlines()
    (place,) = (place for place, line in enumerate(lines) if '"link"' in line)
    changed = json.loads(lines[place]) | {"symbology": symbology, "payload": payload}
    lines[place] = json.dumps(changed)
    other = tmp_path / "other.db"
    refused = run("db", "import", write("all.jsonl", "\n".join(lines)), "--db", other)
    assert refused.exit_code == 3
    assert f"all.jsonl:{place + 1}: " in refused.stderr
    assert says in refused.stderr
    assert run("collection", "list", "--db", other).exit_code == 1


CORNERS = [[0.0, 0.0], [9.5, 0.0], [9.5, 3.0], [0.0, 3.0]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"symbology": "Foo"}, "no kind of code is called 'Foo'"),
        ({"symbology": ["QR"]}, "no kind of code"),
        ({"symbology": "EAN-8"}, "8 digits"),
        ({"symbology": "profile"}, "checksum"),
        ({"payload": {}}, "does not fit"),
        ({"quad": 5}, "four corners"),
        ({"quad": CORNERS[:3]}, "four corners"),
        ({"quad": [*CORNERS[:3], [1.0]]}, "four corners"),
        ({"quad": [*CORNERS[:3], [1.0, "x"]]}, "four corners"),
        ({"quad": [*CORNERS[:3], [1.0, True]]}, "four corners"),
        ({"quad": [*CORNERS[:3], [1.0, float("nan")]]}, "four corners"),
        ({"quad": [*CORNERS[:3], [1.0, 1e300]]}, "four corners"),
        ({"quad": [*CORNERS[:3], [1.0, 10**400]]}, "four corners"),
        ({"status": "lost"}, "status"),
        ({"status": "proposed"}, "likeness"),
        ({"status": "entered"}, "batch_id"),
        ({"batch_id": -1, "status": "entered"}, "FOREIGN KEY"),
        ({"engine": None}, "read.engine"),
        ({"engine": []}, "does not fit"),
        ({"engine": "match"}, "likeness, margin, weakest"),
        ({"likeness": 0.9, "margin": 0.2, "weakest": 0.8}, "'match'"),
        ({"engine": "match", "likeness": "high", "margin": 0.2, "weakest": 0.8}, "numbers"),
        ({"engine": "match", "likeness": 1e999, "margin": 0.2, "weakest": 0.8}, "numbers"),
        ({"engine": "match", "likeness": 0.9, "margin": None, "weakest": 0.8}, "numbers"),
        ("5", "does not fit"),
    ],
)
def test_a_read_that_no_command_could_show_is_refused(
    run: Run,
    write: Write,
    tmp_path: Path,
    database: Path,
    change: dict[str, object] | str,
    says: str,
) -> None:
    run("collection", "add", "St-1")
    connection = open_to_write(database)
    with transaction(connection):
        remember(
            connection, "a" * 64, "a.jpg",
            [Read(Symbology.CODE_128, "AB-1", tuple(map(tuple, CORNERS)), "zxing", "whole")],
        )  # fmt: skip
    connection.close()
    lines = run("db", "export").stdout.splitlines()
    picture = json.loads(lines[-1])
    (read,) = picture["reads"]
    picture["reads"] = [read | change] if isinstance(change, dict) else change
    changed = [*lines[:-1], json.dumps(picture)]
    other = tmp_path / "other.db"
    refused = run("db", "import", write("all.jsonl", "\n".join(changed)), "--db", other)
    assert refused.exit_code == 3, refused.output
    assert f"all.jsonl:{len(lines)}: " in refused.stderr
    assert says in refused.stderr
    assert run("collection", "list", "--db", other).exit_code == 1  # nothing of it was taken
    assert run("db", "import", write("good.jsonl", "\n".join(lines)), "--db", other).exit_code == 0
    assert "AB-1" in run("scan", "review", "--db", other).stdout


TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("change"), st.integers(0, 9), st.integers(-2, 4), TEXT),
        st.tuples(st.just("undo"), st.integers(1, 6), st.just(0), st.just("")),
        st.tuples(st.just("want"), st.integers(0, 9), st.integers(0, 4), st.just("")),
        st.tuples(st.just("collect"), st.integers(0, 9), st.integers(0, 1), st.just("")),
        st.tuples(st.just("correct"), st.integers(0, 9), st.integers(0, 2), TEXT),
        st.tuples(st.just("own card"), st.integers(0, 5), st.integers(0, 1), TEXT),
    ),
    max_size=12,
)
Step = tuple[str, int, int, str]


class User:
    """Does things to a database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.store = CardStore(connection, CardIndex(connection).games)
        self.cards = connection.execute(
            "SELECT * FROM card ORDER BY edition DESC, id LIMIT 10"
        ).fetchall()
        self.sets = connection.execute("SELECT game, code FROM card_set LIMIT 10").fetchall()
        cursor = connection.execute(
            "INSERT INTO source (kind, name, counts) VALUES ('import', 'a file', '{}')"
        )
        self.source = int(cursor.lastrowid or 0)

    def do(self, step: Step) -> None:
        what, place, count, text = step
        card = self.cards[place]
        if what == "change" and count:
            record(self.connection, "test", text, {Holding(card["id"], note=text.strip()): count})
        elif what == "undo":
            undo(self.connection, place or None)
        elif what == "want":
            want(self.connection, card["id"], count)
        elif what == "collect":
            game, code = self.sets[place]
            collect(self.connection, game, code, bool(count))
        elif what == "correct":
            column = ("name_en", "kind", "level")[count]
            values = CardValues(card["game"], card["number"], card["edition"], "", [], {})
            write_correction(self.connection, values, column, text, self.source)
        elif what == "own card":
            values = CardValues(
                card["game"], f"XX-{place}", "", "", [], {"name_en": text, "kind": "Digimon"}
            )
            card_id = self.store.write_card(values, source_id=self.source, shipped=False)
            record(self.connection, "test", text, {Holding(card_id): 1 + count})


@settings(max_examples=15)
@given(STEPS)
def test_a_database_made_of_the_text_is_equal(
    built: Path, tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    folder = tmp_path_factory.mktemp("equal")
    first, second = folder / "first.db", folder / "second.db"
    shutil.copyfile(built, first)
    shutil.copyfile(built, second)
    connection = open_to_write(first)
    with transaction(connection):
        user = User(connection)
        for step in steps:
            try:
                user.do(step)
            except (Shortage, InputError):
                continue
        shipped.apply_corrections(connection, user.store)
    connection.close()
    lines = exported(first)
    connection = open_to_write(second)
    with transaction(connection):
        import_lines(
            connection, CardStore(connection, CardIndex(connection).games), "".join(lines), "t", {}
        )
    connection.close()
    assert exported(second) == lines
    assert content(first) == content(second)
    shutil.rmtree(folder)


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Cards, names, holdings and wants with ids turned into what they name."""
    key = "card.game || '/' || card.number || '@' || card.edition"
    with closing(sqlite3.connect(path)) as connection:
        return {
            sql: connection.execute(sql).fetchall()
            for sql in (
                f"SELECT {key}, kind, level, limit_key, fields, shipped FROM card ORDER BY 1",
                f"SELECT {key}, language, name, role FROM card_name JOIN card ON id = card_id"
                " ORDER BY 1, 2, 3",
                f"SELECT {key}, holding.* FROM holding JOIN card ON id = card_id"
                " ORDER BY 1, note".replace("holding.*", "note, place, count"),
                f"SELECT {key}, count FROM want JOIN card ON id = card_id ORDER BY 1",
                "SELECT * FROM collected_set",
                "SELECT game, number, edition, field, value FROM correction ORDER BY 1, 2, 3, 4",
                "SELECT id, made_at, command, said, undoes FROM batch",
            )
        }


# --- data updates ------------------------------------------------------------------


@pytest.fixture
def update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Changes a copy of the shipped data, as a new version of the program would."""
    folder = tmp_path / "data"
    shutil.copytree(shipped.DATA, folder)
    monkeypatch.setattr(shipped, "DATA", folder)
    monkeypatch.setattr(data_folder, "DATA", folder)

    def update(
        rename: dict[str, str] | None = None, drop: str | None = None, renumbered: str = ""
    ) -> None:
        path = folder / "cards" / "hyper-colosseum.csv"
        lines = path.read_text("utf-8").splitlines(True)
        for old, new in (rename or {}).items():
            lines = [new + line[len(old) :] if line.startswith(f"{old},") else line
                     for line in lines]  # fmt: skip
        if drop:
            lines = [line for line in lines if not line.startswith(f"{drop},")]
        path.write_text("".join(lines), "utf-8")
        if renumbered:
            (folder / "fixes" / "renumbered.yaml").write_text("renumbered:\n" + renumbered, "utf-8")
        (folder / "VERSION").write_text(shipped_files.data_hash(folder), "ascii")

    return update


LINE = """
  - {{game: hyper-colosseum, from: {old}, to: {new}, reason: the card says so, source: a photo}}
"""


def holdings(run: Run, card: str) -> int:
    return int(run("show", card, "--json").json["data"]["cards"][0]["owned"])


def shown(run: Run, card: str) -> str:
    return str(run("show", card, "--json").json["data"]["cards"][0]["key"])


def test_a_renumbered_card_takes_its_holdings_along(run: Run, update: Callable[..., None]) -> None:
    run("collection", "add", "St-1", "3", "--note", "mine")
    run("collection", "wants", "St-1", "5")
    update(rename={"St-1": "St-9001"}, renumbered=LINE.format(old="St-1", new="St-9001"))
    assert holdings(run, "St-9001") == 3
    assert shown(run, "hyper-colosseum/St-1") == "hyper-colosseum/St-9001"  # its old number
    assert run("find", "wanted", "--numbers").stdout == "hyper-colosseum/St-9001\n"
    history = run("collection", "history", "St-9001").stdout
    assert "update hyper-colosseum/St-1 is now hyper-colosseum/St-9001: the card says so" in history
    assert run("db", "verify").exit_code == 0
    assert run("collection", "undo").exit_code == 0  # the add; an update is not undone
    assert holdings(run, "St-9001") == 0
    assert run("collection", "undo", "2").exit_code == 3


def test_after_an_undo_an_update_is_not_offered(run: Run, update: Callable[..., None]) -> None:
    run("collection", "add", "St-1", "3")
    update(rename={"St-1": "St-9001"}, renumbered=LINE.format(old="St-1", new="St-9001"))
    run("collection", "add", "Bo-12")
    assert "further back: digideck collection undo 1 (add" in run("collection", "undo").stdout


def test_a_card_that_turns_out_to_be_another_is_merged(
    run: Run, update: Callable[..., None]
) -> None:
    run("collection", "add", "St-1", "3", "St-2", "2", "--place", "box")
    run("collection", "add", "St-1", "1")
    run("collection", "wants", "St-1", "5", "St-2", "7")
    update(drop="St-1", renumbered=LINE.format(old="St-1", new="St-2"))
    assert holdings(run, "St-2") == 6
    assert shown(run, "hyper-colosseum/St-1") == "hyper-colosseum/St-2"
    assert "turned out to be" in run("collection", "history").stdout
    wants = run("collection", "wants", "--json").json["data"]["wants"]
    assert [(entry["card"], entry["wanted"]) for entry in wants] == [("hyper-colosseum/St-2", 7)]
    assert run("db", "verify").exit_code == 0
    assert run("collection", "undo", "2").exit_code == 0
    assert holdings(run, "St-2") == 5


def test_a_renumbering_is_carried_out_once(run: Run, update: Callable[..., None]) -> None:
    """The number may be given to another card later; that one stays what it is."""
    run("collection", "add", "St-1", "3")
    update(rename={"St-1": "St-9001"}, renumbered=LINE.format(old="St-1", new="St-9001"))
    assert holdings(run, "St-9001") == 3
    update(rename={"St-2": "St-1"})
    assert holdings(run, "hyper-colosseum/St-1") == 0
    run("collection", "add", "hyper-colosseum/St-1", "4")
    update(rename={"St-8": "St-9008"})
    assert (holdings(run, "hyper-colosseum/St-1"), holdings(run, "St-9001")) == (4, 3)


def test_a_card_that_ships_no_longer_is_kept_while_the_ledger_names_it(
    run: Run, update: Callable[..., None]
) -> None:
    run("collection", "add", "St-1", "3")
    run("collection", "wants", "St-2", "1")
    update(drop="St-1")
    update(drop="St-2")
    assert holdings(run, "St-1") == 3
    assert run("collection", "remove", "St-1", "3").exit_code == 0
    update(drop="St-8")
    assert holdings(run, "St-1") == 0  # its history still needs it
    assert run("show", "hyper-colosseum/St-2").exit_code == 0
    assert run("show", "hyper-colosseum/St-8").exit_code == 1
    assert run("db", "verify").exit_code == 0


def test_a_card_that_ships_again_is_what_ships(run: Run, update: Callable[..., None]) -> None:
    run("collection", "add", "St-1", "3")
    update(rename={"St-1": "St-9001"})  # without a line in renumbered.yaml: gone and new
    assert holdings(run, "hyper-colosseum/St-1") == 3
    update(rename={"St-9001": "St-1"})
    card = run("show", "hyper-colosseum/St-1", "--json").json["data"]["cards"][0]
    assert (card["owned"], card["corrections"]) == (3, {})


def test_files_written_before_a_renumbering_are_understood(
    run: Run, update: Callable[..., None], tmp_path: Path
) -> None:
    run("collection", "add", "St-1", "3")
    run("collection", "export", tmp_path / "old.csv")
    run("db", "export", tmp_path / "old.jsonl")
    update(rename={"St-1": "St-9001"}, renumbered=LINE.format(old="St-1", new="St-9001"))
    fresh = tmp_path / "fresh.db"
    assert run("db", "import", tmp_path / "old.jsonl", "--db", fresh).exit_code == 0
    found = run("collection", "list", "--db", fresh, "--json").json["data"]["cards"]
    assert [(card["card"], card["count"]) for card in found] == [("hyper-colosseum/St-9001", 3)]
    again = run("collection", "import", tmp_path / "old.csv", "--replace")
    assert "Nothing to write" in again.stdout
    head = json.loads(run("db", "export").stdout.splitlines()[0])
    assert head["renumbered"] == [["hyper-colosseum", "St-1", "", "St-9001", ""]]


def linked_to(run: Run) -> list[tuple[str, str]]:
    links = run("barcode", "list", "--json").json["data"]["links"]
    return [(link["code"], link["card"]) for link in links]


def test_links_follow_a_renumbered_card_and_one_that_turned_out_to_be_another(
    run: Run, update: Callable[..., None]
) -> None:
    run("barcode", "link", "AAA", "St-1")
    run("barcode", "link", "AAA", "St-2")
    run("barcode", "link", "BBB", "St-1")
    update(drop="St-1", renumbered=LINE.format(old="St-1", new="St-2"))
    assert linked_to(run) == [
        ("Code128:AAA", "hyper-colosseum/St-2"),
        ("Code128:BBB", "hyper-colosseum/St-2"),
    ]
    assert run("db", "verify").exit_code == 0


def test_a_card_that_no_longer_ships_keeps_its_links(run: Run, update: Callable[..., None]) -> None:
    run("barcode", "link", "AAA", "St-1")
    update(drop="St-1")
    assert linked_to(run) == [("Code128:AAA", "hyper-colosseum/St-1")]
    assert run("show", "St-1").exit_code == 0
    assert run("db", "verify").exit_code == 0


def test_a_bad_renumbering_names_its_place(update: Callable[..., None], run: Run) -> None:
    update(renumbered="  - {game: alpha, from: A-1, to: A-1, reason: r, source: s}\n")
    refused = run("show", "St-1")
    assert refused.exit_code == 3
    assert "renumbered.yaml:2" in refused.stderr
