"""A killed command's journal destroys no file that is put where its database was."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import digideck
from digideck.files.atomic_write import write_file
from digideck.schema import placement
from digideck.schema.connection import open_to_write
from tests.conftest import Run, Shell

posix = pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")

# Writes into the database far beyond the cache, and waits to be killed with a hot journal.
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 5")
connection.execute(sys.argv[2])
connection.execute("UPDATE card SET fields = json_set(fields, '$.x', hex(randomblob(200)))")
print("written", flush=True)
sys.stdin.read()
"""


@contextmanager
def writer(database: Path, begin: str = "BEGIN IMMEDIATE") -> Iterator[subprocess.Popen[bytes]]:
    """A process in the middle of a transaction."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(database), begin],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == b"written\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def killed_while_writing(database: Path) -> Path:
    """The journal that a killed process leaves."""
    with writer(database):
        pass
    journal = Path(f"{database}-journal")
    assert journal.stat().st_size > 1000
    return journal


def is_whole(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        counts = connection.execute("SELECT COUNT(*) FROM card WHERE fields LIKE '%\"x\"%'")
        assert counts.fetchone()[0] == 0
        return bool(connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok")


def test_what_a_killed_command_began_is_undone(run: Run, database: Path) -> None:
    killed_while_writing(database)
    assert run("show", "St-1").exit_code == 0
    assert not Path(f"{database}-journal").exists()
    assert is_whole(database)


@pytest.mark.parametrize("gone", ["moved", "deleted", "overwritten"])
def test_a_restored_database_is_whole_whatever_was_left(
    run: Run, database: Path, built: Path, tmp_path: Path, gone: str
) -> None:
    backup = tmp_path / "kept.db"
    shutil.copyfile(built, backup)
    journal = killed_while_writing(database)
    if gone == "moved":
        database.rename(tmp_path / "x.db")
    elif gone == "deleted":
        database.unlink()
    else:
        database.write_bytes(b"no database at all" * 1000)
    restored = run("db", "restore", backup)
    assert restored.exit_code == 0, restored.output
    assert not journal.exists()
    assert is_whole(database)
    assert run("db", "verify").exit_code == 0
    if gone == "moved":  # what is left of the other half can still be joined to it
        kept = tmp_path / "digideck-replaced.db-journal"
        kept.rename(tmp_path / "x.db-journal")
        assert is_whole(tmp_path / "x.db")


def test_a_backup_onto_such_a_name_is_whole(run: Run, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    shutil.copyfile(database, target)
    killed_while_writing(target)
    assert run("db", "backup", target, "--force").exit_code == 0
    assert is_whole(target)
    assert not Path(f"{target}-journal").exists()


@pytest.mark.parametrize("words", [("show", "St-1"), ("db", "backup", "x.db", "--force")])
def test_a_lone_journal_is_told_of_and_left(
    run: Run, database: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    named = database if words[0] == "show" else tmp_path / "x.db"
    if named != database:
        shutil.copyfile(database, named)
    journal = killed_while_writing(named)
    named.unlink()
    refused = run(*(str(tmp_path / word) if word == "x.db" else word for word in words))
    assert refused.exit_code == 3
    assert "half of a database whose other half is not here" in refused.stderr
    assert "with -journal behind it" in refused.stderr
    assert journal.exists()
    assert not named.exists()
    journal.unlink()
    if words[0] == "show":
        assert run("show", "St-1").exit_code == 0


def test_a_database_that_was_moved_without_its_journal_says_what_it_needs(
    run: Run, database: Path, tmp_path: Path
) -> None:
    killed_while_writing(database)
    moved = tmp_path / "moved.db"
    database.rename(moved)
    told = run("db", "verify", "--db", moved)
    assert told.exit_code in (1, 3)
    if told.exit_code == 3:
        assert "-journal" in told.stderr


@pytest.mark.parametrize("begin", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
@pytest.mark.parametrize("stopped", [False, True])
@posix
def test_a_database_in_use_is_not_taken_from_its_writer(
    run: Run,
    database: Path,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    begin: str,
    stopped: bool,
) -> None:
    for module in ("placement", "maintenance", "backups", "sqlite_errors", "connection"):
        monkeypatch.setattr(f"digideck.schema.{module}.BUSY_SECONDS", 0.2)
    inode = database.stat().st_ino
    with writer(database, begin) as process:
        if stopped:
            process.send_signal(signal.SIGSTOP)
        refused = run("db", "restore", built)
        assert refused.exit_code == 3, refused.output
        assert "another digideck has been writing" in refused.stderr
        if sys.platform == "linux":
            assert f"process {process.pid} (" in refused.stderr
        assert database.stat().st_ino == inode
    assert [path.name for path in database.parent.glob("*replaced*")] == []
    assert run("db", "restore", built).exit_code == 0
    assert is_whole(database)


STEPS = ("os.replace", "os.link", "os.unlink", "os.fsync")
KILLED = """
import os, signal, sys
step, place = sys.argv[1], int(sys.argv[2])
real, left = getattr(os, step), [place]
def dies(*arguments, **more):
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    return real(*arguments, **more)
setattr(os, step, dies)
from digideck.cli.main import main
main(sys.argv[3:])
"""


@posix
@pytest.mark.parametrize("command", ["restore", "backup", "first-use"])
@pytest.mark.parametrize("step", ["replace", "link", "fsync"])
def test_a_kill_between_two_steps_leaves_a_whole_database(
    database: Path, built: Path, tmp_path: Path, command: str, step: str
) -> None:
    """Before or after, and the next command works."""
    fresh = tmp_path / "fresh.db"
    words, result = {
        "restore": (["db", "restore", str(built)], database),
        "backup": (["db", "backup", str(fresh)], fresh),
        "first-use": (["show", "St-1"], fresh),
    }[command]
    used = fresh if command == "first-use" else database
    environment = os.environ | {
        "DIGIDECK_DB": str(used),
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
    }
    for place in range(12):
        ended = subprocess.run(
            [sys.executable, "-c", KILLED, step, str(place), *words],
            env=environment, capture_output=True, check=False,
        )  # fmt: skip
        if result.exists():
            assert is_whole(result)
        again = subprocess.run(
            [sys.executable, "-m", "digideck", "show", "St-1"],
            env=environment, capture_output=True, check=False,
        )  # fmt: skip
        assert again.returncode == 0, again.stderr
        if ended.returncode == 0:
            break
        fresh.unlink(missing_ok=True)
    else:
        pytest.fail("it is killed at every step")


@posix
def test_what_killed_commands_left_is_swept_up(run: Run, database: Path) -> None:
    backups = database.parent / "backups"
    backups.mkdir(exist_ok=True)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = [
        backups / f".digideck-{dead.pid}-abcdefgh.part",
        backups / f".digideck-{dead.pid}-abcdefgh.part-journal",
        backups / ".digideck-k3m4n5p6.db",
    ]
    kept = [backups / f".digideck-{os.getpid()}-abcdefgh.part", backups / ".digideck-new12345.db"]
    for path in (*left, *kept):
        path.touch()
    old = time.time() - 2 * 24 * 3600
    os.utime(left[-1], (old, old))
    assert run("db", "backup").exit_code == 0
    assert [path.name for path in left if path.exists()] == []
    assert [path.name for path in kept if not path.exists()] == []


@posix
def test_backups_of_one_moment_are_all_kept(shell: Shell, database: Path) -> None:
    environment = os.environ | {
        "DIGIDECK_DB": str(database),
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
    }
    running = [
        subprocess.Popen([sys.executable, "-m", "digideck", "db", "backup"], env=environment,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(6)
    ]  # fmt: skip
    made = set()
    for process in running:
        out, err = process.communicate()
        assert process.returncode == 0, err
        made.add(out.split(b"  ")[0])
    assert len(made) == len(running)
    assert all(is_whole(Path(os.fsdecode(path))) for path in made)
    assert not list((database.parent / "backups").glob(".digideck-*"))


@posix
def test_of_several_commands_one_brings_an_old_database_up_to_date(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE meta SET value = 'old' WHERE key = 'data_version'")
        connection.commit()
    environment = os.environ | {
        "DIGIDECK_DB": str(database),
        "PYTHONPATH": str(Path(digideck.__file__).parent.parent),
    }
    running = [
        subprocess.Popen([sys.executable, "-m", "digideck", "show", "St-1"],
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(6)
    ]  # fmt: skip
    for process in running:
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert len(list((database.parent / "backups").glob("*-update-*"))) == 1


def test_only_a_whole_file_is_put_in_place(tmp_path: Path, built: Path) -> None:
    damaged = tmp_path / "new.db"
    data = bytearray(built.read_bytes())
    data[40_000:60_000] = bytes(20_000)
    damaged.write_bytes(data)
    target = tmp_path / "target.db"
    with pytest.raises(digideck.core.problems.InputError):
        placement.put_in_place(damaged, target)
    assert not target.exists()


@pytest.mark.parametrize(
    "strange",
    [
        "CREATE TRIGGER mine AFTER INSERT ON entry BEGIN DELETE FROM link; END",
        "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT * FROM n",
        "CREATE TABLE hoard (text)",
        "DROP VIEW in_set; CREATE VIEW in_set AS SELECT * FROM printing LIMIT 1",
    ],
    ids=["trigger", "view", "table", "view-replaced"],
)
def test_what_somebody_put_into_a_database_is_told(
    run: Run, database: Path, built: Path, tmp_path: Path, strange: str
) -> None:
    gift = tmp_path / "gift.db"
    shutil.copyfile(built, gift)
    gift.chmod(0o644)
    with closing(sqlite3.connect(gift)) as connection:
        connection.executescript(strange)
    before = database.read_bytes()
    told = run("db", "verify", "--db", gift)
    assert told.exit_code == 1
    assert "which no digideck makes" in told.output
    refused = run("db", "restore", gift)
    assert refused.exit_code == 3
    assert "which no digideck makes" in refused.stderr
    assert database.read_bytes() == before


def test_a_game_without_a_description_is_no_whole_database(run: Run, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE game SET definition = '{}' WHERE code = 'alpha'")
        connection.commit()
    told = run("db", "verify")
    assert told.exit_code == 1
    assert "the game alpha" in told.output


def test_what_is_written_is_synced_with_its_folder(database: Path) -> None:
    """Else the journal may be there again after a power cut, and undo what was done."""
    connection = open_to_write(database)
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 3  # EXTRA
    connection.close()


@posix
def test_a_file_that_was_written_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bool] = []
    sync = os.fsync

    def noted(handle: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        sync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    write_file(tmp_path / "list.csv", "number\n")
    write_file(tmp_path / "list.csv", "number\n", force=True)
    assert synced == [False, True, False, True]  # the file, then its name
