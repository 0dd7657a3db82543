"""Two at once, a kill at any point, copies and repairs."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import digideck
from tests.cli.test_app import HEAVY
from tests.conftest import Run, Shell, Write

ROOT = Path(digideck.__file__).parent.parent

# Runs the command line and dies, without a chance to clean up, before the N-th
# statement of its transaction. A tiny page cache makes SQLite write pages into
# the file before the commit, so that a journal is left that must be rolled back.
KILLER = """
import os, signal, sqlite3, sys
left = int(sys.argv[1])
def count():
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
class Connection(sqlite3.Connection):
    def execute(self, *args):
        if self.in_transaction:
            count()
        return super().execute(*args)
    def executemany(self, sql, rows):
        def counted():
            for place, row in enumerate(rows):
                if place % 100 == 0:
                    count()
                yield row
        return super().executemany(sql, counted())
plain = sqlite3.connect
def connect(*args, **settings):
    connection = plain(*args, factory=Connection, **settings)
    sqlite3.Connection.execute(connection, "PRAGMA cache_size = 2")
    return connection
sqlite3.connect = connect
from digideck.cli.main import main
main(sys.argv[2:])
"""


def environment(database: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "DIGIDECK_DB": str(database)}


def copies(database: Path) -> int:
    connection = sqlite3.connect(database)
    total = connection.execute("SELECT COALESCE(SUM(count), 0) FROM holding").fetchone()[0]
    connection.close()
    return int(total)


def test_two_processes_adding_at_once_lose_nothing(database: Path, run: Run) -> None:
    command = [
        sys.executable,
        "-c",
        "from digideck.cli.main import main\n"
        "for _ in range(25):\n"
        "    try: main(['collection', 'add', 'St-1', '1', 'St-2', '2'])\n"
        "    except SystemExit as ended: assert ended.code == 0, ended.code",
    ]
    both = [
        subprocess.Popen(command, env=environment(database), stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert copies(database) == 2 * 25 * 3
    assert (
        len(run("collection", "history", "--limit", "99", "--json").json["data"]["batches"]) == 50
    )
    assert run("db", "verify").exit_code == 0


def test_two_first_uses_at_once_lose_nothing(tmp_path: Path) -> None:
    """Both build the database; what the faster one added must not be built over."""
    database = tmp_path / "new" / "digideck.db"
    command = [sys.executable, "-m", "digideck", "collection", "add", "St-1"]
    both = [
        subprocess.Popen(command, env=environment(database), stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert copies(database) == 2


@pytest.mark.parametrize("command", ["add", "import", "undo"])
def test_a_kill_at_any_point_leaves_all_or_nothing(
    database: Path, run: Run, write: Write, built: Path, command: str
) -> None:
    with closing(sqlite3.connect(built)) as connection:
        rows = connection.execute(
            "SELECT number FROM card WHERE game = 'dcg' ORDER BY id LIMIT 600"
        ).fetchall()
    numbers = [row[0] for row in rows]
    path = write("list.txt", "".join(f"2 dcg/{number}\n" for number in numbers))
    table = write("list.csv", "game,number,count\n" + "".join(f"dcg,{n},3\n" for n in numbers))
    words: list[str] = {
        "add": ["collection", "add", "--file", str(path)],
        "import": ["collection", "import", str(table), "--replace"],
        "undo": ["collection", "undo"],
    }[command]
    run("collection", "add", "--file", path)
    run("collection", "remove", "dcg/" + numbers[0], "1")
    before = copies(database)
    after = {"add": before + 1200, "import": 1800, "undo": 1200}[command]
    start = database.read_bytes()
    seen = set()
    hot = 0
    point, killed = 0, True
    while killed:
        point += 1
        database.write_bytes(start)
        process = subprocess.run(
            [sys.executable, "-c", KILLER, str(point), *words],
            env=environment(database),
            capture_output=True,
            check=False,
        )
        killed = process.returncode == -signal.SIGKILL
        assert killed or process.returncode == 0, process.stderr
        journal = Path(f"{database}-journal")
        hot += journal.exists() and journal.read_bytes()[:1] != b"\0"
        verified = run("db", "verify")
        assert verified.exit_code == 0, verified.stderr
        seen.add(copies(database))
        journal.unlink(missing_ok=True)
    assert seen == {before, after}
    assert hot  # some kill came in the middle of writing


def test_verify_finds_a_wrong_sum_and_repairs_it(run: Run, database: Path) -> None:
    run("collection", "add", "St-1", "3", "St-2", "1")
    assert "2 entries of 2 cards add up to 4 copies held" in run("db", "verify").stdout
    connection = sqlite3.connect(database)
    connection.execute("UPDATE holding SET count = 5 WHERE count = 3")
    connection.execute("DELETE FROM holding WHERE count = 1")
    connection.commit()
    connection.close()
    found = run("db", "verify", "--json")
    assert found.exit_code == 1
    assert [p["code"] for p in found.json["problems"]] == ["holding-differs"] * 2
    assert run("db", "verify", "--repair").exit_code == 0
    assert copies(database) == 4


def test_verify_finds_keys_that_name_nothing(run: Run, database: Path) -> None:
    run("collection", "add", "St-1", "3", "--set", "St1", "--game", "hyper-colosseum")
    connection = sqlite3.connect(database)
    connection.execute("DROP TRIGGER entry_is_final")
    connection.execute("UPDATE entry SET set_code = 'gone'")
    connection.execute("UPDATE holding SET set_code = 'gone'")
    connection.execute("INSERT INTO want VALUES (999999, 1)")
    connection.commit()
    connection.close()
    found = run("db", "verify")
    assert found.exit_code == 1
    assert "a set that does not exist: hyper-colosseum gone" in found.stderr
    assert "a row of want names a row of card that does not exist" in found.stderr


def test_backup_and_restore(run: Run, tmp_path: Path, database: Path) -> None:
    run("collection", "add", "St-1", "3")
    copy = tmp_path / "copy.db"
    assert run("db", "backup", copy).exit_code == 0
    again = run("db", "backup", copy)
    assert again.exit_code == 3
    assert "--force" in again.stderr
    run("collection", "add", "St-1", "4")
    restored = run("db", "restore", copy, "--json").json["data"]
    assert copies(database) == 3
    assert copies(Path(restored["kept"])) == 7


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"\0" * 5000])
def test_restore_refuses_what_is_not_ours(run: Run, write: Write, content: bytes) -> None:
    run("collection", "add", "St-1", "3")
    refused = run("db", "restore", write("other.db", content))
    assert refused.exit_code == 3
    assert refused.stdout == ""
    assert run("show", "St-1", "--json").json["data"]["cards"][0]["owned"] == 3


def test_restore_refuses_another_programs_database(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    refused = run("db", "restore", other)
    assert refused.exit_code == 3
    assert "not a digideck database" in refused.stderr


def test_restore_in_place_of_a_damaged_file_keeps_it(
    run: Run, tmp_path: Path, database: Path
) -> None:
    run("collection", "add", "St-1", "3")
    copy = tmp_path / "copy.db"
    run("db", "backup", copy)
    database.write_bytes(b"damaged beyond reading")
    assert run("show", "St-1").exit_code == 3
    restored = run("db", "restore", copy, "--json").json["data"]
    assert copies(database) == 3
    assert Path(restored["kept"]).read_bytes() == b"damaged beyond reading"


def test_a_missing_file_is_not_restored(run: Run, tmp_path: Path) -> None:
    assert run("db", "restore", tmp_path / "none.db").exit_code == 3
    assert run("db", "restore", tmp_path).exit_code == 3


def test_a_command_that_adds_one_card_loads_no_heavy_module(shell: Shell) -> None:
    script = (
        "import sys\n"
        "from digideck.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as ended: assert not ended.code\n"
        f"print([name for name in {sorted(HEAVY)} if name in sys.modules], file=sys.stderr)"
    )
    for words in (
        ["collection", "add", "St-1", "3"],
        ["collection", "list"],
        ["collection", "progress"],
        ["collection", "undo"],
    ):
        done = shell(*words, python=("-c", script))
        assert (done.returncode, done.stderr.strip()) == (0, b"[]")
