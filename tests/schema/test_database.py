"""The one file: first use, opening, what is refused, and two processes at once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import digideck
from digideck.core.problems import InputError
from digideck.schema import connection as database_module
from digideck.schema.backups import KEPT_BACKUPS, back_up
from digideck.schema.connection import (
    APPLICATION_ID,
    default_path,
    open_to_read,
    open_to_write,
    transaction,
)
from digideck.schema.migrations import LATEST
from tests.conftest import Run, Shell


def refused(path: Path) -> tuple[str, str, str]:
    with pytest.raises(InputError) as caught:
        open_to_write(path)
    problem = caught.value.problems[0]
    assert problem.next_step
    assert problem.file == str(path)
    return problem.code, problem.message, problem.next_step


def test_every_table_is_strict_and_versioned(built: Path) -> None:
    connection = sqlite3.connect(f"file:{built}?mode=ro", uri=True)
    assert connection.execute("PRAGMA user_version").fetchone() == (LATEST,)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    tables = connection.execute("PRAGMA table_list").fetchall()
    loose = [row[1] for row in tables if row[2] == "table" and not row[5]]
    assert set(loose) <= {"_sqlite_migrations", "sqlite_schema", "sqlite_temp_schema"}
    connection.close()


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT id FROM card WHERE number = 'St-1'", "card_number"),
        ("SELECT id FROM card WHERE number_key = 'st1'", "card_number_key"),
        ("SELECT card_id FROM card_name WHERE search_key = 'agumon'", "card_name_search"),
        ("SELECT card_id FROM printing WHERE game = 'alpha' AND set_code = 'AE1'", "printing_set"),
    ],
)
def test_look_ups_use_an_index(built: Path, query: str, index: str) -> None:
    connection = sqlite3.connect(f"file:{built}?mode=ro", uri=True)
    (plan,) = connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
    assert index in plan[3]
    connection.close()


def test_first_use_builds_and_later_commands_only_read(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "digideck.db"
    env = {"DIGIDECK_DB": str(path)}
    assert shell("show", "St-1", env=env).returncode == 0
    first = path.read_bytes()
    for command in (
        ("show", "Dα-065"),
        ("find", "greymon"),
        ("sets",),
        ("db", "info"),
        ("formats",),
    ):
        assert shell(*command, env=env).returncode == 0
    assert path.read_bytes() == first
    assert [entry.name for entry in path.parent.iterdir()] == ["digideck.db"]  # no leftovers


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DIGIDECK_DB", raising=False)
    assert default_path().name == "digideck.db"
    assert default_path().parent.name == "digideck"
    monkeypatch.setenv("DIGIDECK_DB", str(tmp_path / "other.db"))
    assert default_path() == tmp_path / "other.db"


def test_an_option_goes_before_the_environment(run: Run, database: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    shutil.copyfile(database, other)
    result = run("db", "info", "--db", other, "--json")
    assert result.json["data"]["file"] == str(other)


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    open_to_write(path).close()
    assert path.stat().st_size > 1_000_000


def test_no_command_writes_through_a_reading_connection(built: Path) -> None:
    connection = open_to_read(built)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM card")
    connection.close()


@pytest.mark.parametrize(
    ("damage", "code", "message"),
    [
        pytest.param(
            lambda data: b"not a database at all" * 500,
            "database-corrupt",
            "not a database",
            id="text",
        ),
        pytest.param(
            lambda data: os.urandom(100_000), "database-corrupt", "not a database", id="noise"
        ),
        pytest.param(lambda data: data[:100_000], "database-corrupt", "malformed", id="cut-off"),
        pytest.param(
            lambda data: data[:100] + bytes(200_000) + data[200_100:],
            "database-corrupt",
            "malformed",
            id="zeros",
        ),
    ],
)
def test_a_damaged_file_is_named(run: Run, database: Path, damage, code: str, message: str) -> None:  # type: ignore[no-untyped-def]
    database.write_bytes(damage(database.read_bytes()))
    before = database.read_bytes()
    for command in (("find", "agumon"), ("show", "St-1"), ("sets",)):
        result = run(*command, "--json")
        assert result.exit_code == 3
        (problem,) = result.json["problems"]
        assert (problem["code"], problem["file"]) == (code, str(database))
        assert message in problem["message"]
        assert "backups" in problem["next_step"]
    assert run("doctor").exit_code == 1
    assert database.read_bytes() == before


def test_another_programs_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE card (a)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    code, message, _ = refused(path)
    assert (code, message) == ("database-foreign", "this SQLite file is not a digideck database")
    assert path.read_bytes() == before


def test_a_newer_file_is_refused(run: Run, database: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute(f"PRAGMA user_version = {LATEST + 1}")
    connection.close()
    before = database.read_bytes()
    code, message, step = refused(database)
    assert code == "database-newer"
    assert f"tables {LATEST + 1}, this one knows {LATEST}" in message
    assert "update digideck" in step
    assert run("import", "-", stdin="number,level\nSt-1,III\n").exit_code == 3
    assert database.read_bytes() == before


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    assert refused(tmp_path)[:2] == ("database-unreadable", "a folder, expected a database file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert refused(path)[0] == "database-unreadable"
    assert path.is_fifo()


def test_a_link_stays_a_link(built: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real.db", tmp_path / "link.db"
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("no links here")
    open_to_write(link).close()
    assert link.is_symlink()
    assert real.stat().st_size > 1_000_000


def without_roots_powers() -> None:
    """Runs in the child before it becomes Python: root may then write only what anybody may."""
    import ctypes

    for power in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if ctypes.CDLL(None).prctl(24, power, 0, 0, 0):  # PR_CAPBSET_DROP
            raise OSError("these powers cannot be given up here")


@pytest.fixture
def sealed(database: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder that cannot be written, with a database in it that cannot either."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    shutil.copyfile(database, folder / "there.db")
    (folder / "there.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="folders have other permissions there")
@pytest.mark.parametrize(
    ("words", "exit_code", "message"),
    [
        (("import", "-", "--db", "new.db"), 3, b"cannot be created here: Permission denied"),
        (("show", "St-1", "--db", "there.db"), 0, b""),
        (("import", "-", "--db", "there.db"), 3, b"no backup could be written: Permission denied"),
    ],
)
def test_a_folder_that_cannot_be_written(
    shell: Shell, sealed: Path, words: tuple[str, ...], exit_code: int, message: bytes
) -> None:
    *command, name = words
    as_root = os.name == "posix" and os.getuid() == 0
    try:
        result = shell(
            *command,
            sealed / name,
            input=b"number,attack_a\nSt-44,481\n",
            preexec_fn=without_roots_powers if as_root else None,
        )
    except subprocess.SubprocessError:
        pytest.skip("root keeps its powers here")
    assert result.returncode == exit_code, result.stderr
    assert message in result.stderr
    assert b"Traceback" not in result.stderr
    if exit_code:
        assert bytes(sealed) in result.stderr
    assert [entry.name for entry in sealed.iterdir()] == ["there.db"]


def test_a_disk_that_is_full_says_so(
    database: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    code, message, _ = refused(tmp_path / "new.db")
    assert code == "database-unwritable"
    assert "No space left" in message


def test_two_first_uses_at_once(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    env = os.environ | {
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
        "DIGIDECK_DB": str(path),
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "digideck", "show", "St-1"],
            env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
        )
        for _ in range(3)
    ]  # fmt: skip
    for process in started:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, b"")
        assert b"hyper-colosseum/St-1" in out
    assert shell("db", "info", env={"DIGIDECK_DB": str(path)}).returncode == 0
    assert [entry.name for entry in tmp_path.iterdir() if "digideck-" in entry.name] == []


def test_a_slow_first_use_does_not_undo_a_quick_one(
    tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the quicker process imported meanwhile must not be overwritten."""
    path = tmp_path / "digideck.db"

    def other_process_is_quicker(new: Path, target: Path, **how: bool) -> bool:
        shutil.copyfile(built, target)
        target.chmod(0o644)
        connection = sqlite3.connect(target)
        connection.execute("INSERT INTO meta VALUES ('mine', 'imported meanwhile')")
        connection.commit()
        connection.close()
        return put_in_place(new, target, **how)

    put_in_place = database_module.put_in_place
    monkeypatch.setattr(database_module, "put_in_place", other_process_is_quicker)
    connection = open_to_write(path)
    assert connection.execute("SELECT value FROM meta WHERE key = 'mine'").fetchone()[0]
    connection.close()


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*args: object, **more: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    open_to_write(tmp_path / "digideck.db").close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["digideck.db"]


def test_a_lock_is_waited_for_and_then_said(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    result = run("show", "St-1")
    assert result.exit_code == 3
    assert f"{database}: another digideck has been writing" in result.stderr
    other.execute("ROLLBACK")
    other.close()
    assert run("show", "St-1").exit_code == 0


def test_a_transaction_is_all_or_nothing(database: Path) -> None:
    connection = open_to_write(database)

    def interrupted() -> None:
        with transaction(connection):
            connection.execute("DELETE FROM printing")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert connection.execute("SELECT COUNT(*) FROM printing").fetchone()[0] > 0
    connection.close()


def test_backups_are_whole_and_do_not_pile_up(database: Path) -> None:
    made = [back_up(database, "test") for _ in range(KEPT_BACKUPS + 3)]
    kept = set((database.parent / "backups").iterdir())
    assert len(kept) == KEPT_BACKUPS
    assert made[-1] in kept
    connection = sqlite3.connect(made[-1])
    assert connection.execute("SELECT COUNT(*) FROM card").fetchone()[0] == 9112
    connection.close()


def test_pruning_deletes_no_other_backups(database: Path) -> None:
    """Names that begin alike, and those that a glob would take for patterns."""
    odd = database.with_name("[a]*.db")
    shutil.copyfile(database, odd)
    folder = database.parent / "backups"
    folder.mkdir()
    others = [
        "digideck-test-20200101-000000-import-20200101-000000.db",
        "digideck-test-import-20200101-000000.db",
        "digideck-other-20200101-000000.db",
        "digideck-test-my-own-copy.db",
        "digideck-test-20200101-000000.db.txt",
        "a-test-20200101-000000.db",
        "a-thing-test-20200101-000000.db",
    ]
    for name in others:
        (folder / name).touch()
    for path in (database, odd):
        made = [back_up(path, "test") for _ in range(KEPT_BACKUPS + 2)]
        assert made[-1].exists()
        assert (
            sum(path.exists() for path in set(made)) == KEPT_BACKUPS
        )  # a freed name is used again
    assert [name for name in others if not (folder / name).exists()] == []


@pytest.mark.parametrize("name", ["digideck.sqlite", "digideck", "digideck.part"])
def test_databases_that_differ_in_their_ending_share_no_backups(database: Path, name: str) -> None:
    other = database.with_name(name)
    shutil.copyfile(database, other)
    first = back_up(database, "test")
    made = [back_up(other, "test") for _ in range(KEPT_BACKUPS + 2)]
    assert first.exists()
    assert sum(path.exists() for path in set(made)) == KEPT_BACKUPS
    assert {path.suffix for path in made} == {other.suffix}
    assert not first.with_name(f"{first.name}.part").exists()


def test_the_backup_just_made_is_kept_though_its_clock_is_behind(database: Path) -> None:
    folder = database.parent / "backups"
    folder.mkdir()
    for day in range(KEPT_BACKUPS):
        path = folder / f"digideck-test-209901{day + 1:02}-000000.db"
        path.touch()
        os.utime(path, (4_100_000_000, 4_100_000_000 + day))
    made = back_up(database, "test")
    assert made.exists()
    assert len(list(folder.iterdir())) == KEPT_BACKUPS
    assert not (folder / "digideck-test-20990101-000000.db").exists()


def tables(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    connection.close()
    return [row[0] for row in rows]


def test_doctor_misses_each_table(run: Run, database: Path, built: Path) -> None:
    assert run("doctor").exit_code == 0
    assert len(tables(built)) > 15
    for name in tables(built):
        shutil.copyfile(built, database)
        connection = sqlite3.connect(database)
        connection.execute(f"DROP TABLE {name}")
        connection.commit()
        connection.close()
        result = run("doctor", "--json")
        assert result.exit_code == 1, name
        (finding,) = [f for f in result.json["data"]["findings"] if f["what"] == "database"]
        assert finding["state"] == "wrong"
        assert name in finding["found"]
        assert "backups" in finding["advice"]


def test_a_missing_table_is_damage_to_every_command(run: Run, database: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute("DROP TABLE set_name")
    connection.execute("DROP TABLE card_set")
    connection.close()
    (problem,) = run("sets", "--json").json["problems"]
    assert problem["code"] == "database-corrupt"
    assert problem["next_step"]


@pytest.mark.parametrize("definition", ["{", "", "[1]", "null", "{}"])
def test_a_game_without_its_description(run: Run, database: Path, definition: str) -> None:
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("UPDATE game SET definition = ? WHERE code = 'alpha'", [definition])
    connection.commit()
    connection.close()
    for words in (("show", "St-1"), ("formats",), ("deck", "check", "-")):
        result = run(*words, "--json")
        assert result.exit_code == 3
        (problem,) = result.json["problems"]
        assert problem["code"] == "database-corrupt"
        assert "alpha" in problem["message"]


def test_a_name_that_is_no_text(shell: Shell) -> None:
    if sys.platform == "win32":
        pytest.skip("arguments are text there")
    result = shell("show", b"\xff\xfe")
    assert result.returncode == 3
    assert b"not text" in result.stderr
    assert b"Traceback" not in result.stderr


def test_a_database_whose_name_is_no_text(shell: Shell, database: Path) -> None:
    if sys.platform in ("win32", "darwin"):
        pytest.skip("file names are text there")
    odd = os.fsencode(database.parent) + b"/\xffodd.db"
    shutil.copyfile(database, odd)
    result = shell("show", "St-1", "--db", odd)
    assert (result.returncode, result.stderr) == (0, b"")


def test_a_command_leaves_no_connection_open(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.13 warns of each, and Windows cannot move a file that is open."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def remembered(*args: object, **settings: object) -> sqlite3.Connection:
        opened.append(connect(*args, **settings))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", remembered)
    rows = "number,attack_a\nSt-1,361\n"
    for words in (("show", "St-1"), ("find", "x-y-z"), ("import", "-"), ("deck", "check", "-")):
        run(*words, stdin=rows)
    assert len(opened) >= 5
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


READING = [
    ("show", "St-1"), ("find", "agumon"), ("sets",), ("formats",), ("deck", "check", "-"),
    ("deck", "show", "-"), ("collection", "list"), ("collection", "progress"),
    ("collection", "export", "-"), ("collection", "history"), ("collection", "trades"),
    ("barcode", "list"), ("barcode", "export", "-"), ("db", "info"), ("db", "verify"),
    ("db", "backup"), ("db", "export"),
]  # fmt: skip


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_command_that_reads_makes_no_database(
    run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = tmp_path / "typo.db"
    refused = run(*words, "--db", path, stdin="3 St-1\n")
    assert refused.exit_code == 3
    assert refused.stderr == (
        f"{path}: there is no such database\n    make one with: digideck db create {path}\n"
    )
    assert list(tmp_path.glob("typo*")) == []


def test_a_database_is_made_on_request_and_by_what_writes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    assert str(path) in run("db", "create", path).stdout
    assert run("show", "St-1", "--db", path).exit_code == 0
    again = run("db", "create", path)
    assert again.exit_code == 3
    assert "there is such a file already" in again.stderr
    other = tmp_path / "other.db"
    assert run("collection", "add", "St-1", "--db", other).exit_code == 0
    assert run("collection", "list", "--db", other).exit_code == 0


def test_of_earlier_months_the_last_backup_is_kept(database: Path) -> None:
    folder = database.parent / "backups"
    folder.mkdir()
    for month in range(1, 7):
        for day in (3, 17):
            path = folder / f"digideck-test-2020{month:02}{day:02}-120000.db"
            path.touch()
            os.utime(path, (1_577_836_800 + 86400 * (31 * month + day),) * 2)
    made = [back_up(database, "test") for _ in range(KEPT_BACKUPS + 2)]
    kept = sorted(path.name for path in folder.iterdir())
    old = [name for name in kept if "-2020" in name]
    assert old == [f"digideck-test-2020{month:02}17-120000.db" for month in range(1, 7)]
    assert sum(path.exists() for path in set(made)) == KEPT_BACKUPS


def test_backups_that_take_too_much_room_go(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [back_up(database, "test") for _ in range(4)]
    monkeypatch.setattr("digideck.schema.backups.MOST_BYTES", 2.5 * database.stat().st_size)
    newest = back_up(database, "test")
    assert newest.exists()
    assert [path.exists() for path in made] == [False, False, False, True]


def test_backups_are_listed_with_what_they_are_from(run: Run, database: Path) -> None:
    assert "0 backups in" in run("db", "backup", "--list").stdout
    run("import", "-", stdin="number,level\nSt-1,IV\n")
    run("db", "backup")
    found = run("db", "backup", "--list", "--json").json["data"]
    assert sorted(one["reason"] for one in found["backups"]) == ["backup", "import"]
    listed = run("db", "backup", "--list").stdout
    for one in found["backups"]:
        assert Path(one["file"]).name in listed
    assert str(database.parent / "backups") in listed
    assert run("db", "backup", "x.db", "--list").exit_code == 2
