"""``digideck scan photos`` at the command line: what is seen, kept and entered."""

from __future__ import annotations

import csv
import io
import os
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.pictures import photo
from tests.cli.typed import needs_terminal, terminal
from tests.conftest import Result, Run, Shell

EAN = "4006381333931"


def scan(run: Run, *words: str | Path) -> Result:
    return run("scan", "photos", "--workers", "1", *words)


def seen(result: Result) -> list[tuple[str, str, list[str]]]:
    return [
        (Path(one["file"]).name, one["state"], one["cards"]) for one in result.json["data"]["seen"]
    ]


def owned(run: Run, card: str) -> int:
    count = run("show", card, "--json").json["data"]["cards"][0]["owned"]
    assert isinstance(count, int)
    return count


def png(width: int, height: int) -> bytes:
    """A PNG that claims a size, with hardly any bytes behind it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))  # fmt: skip

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def test_a_box_of_cards_from_photos_to_the_collection(run: Run, tmp_path: Path) -> None:
    box = tmp_path / "box"
    photo(box / "1.png", "AAA111111")
    photo(box / "2.png", "AAA111111", "BBB222222")
    photo(box / "sub" / "3.png")
    (box / "notes.txt").write_text("not a picture")
    run("barcode", "link", "AAA111111", "St-1")
    first = scan(run, box, "--json")
    assert first.exit_code == 0, first.output
    assert seen(first) == [
        ("1.png", "confirmed", ["hyper-colosseum/St-1"]),
        ("2.png", "confirmed", ["hyper-colosseum/St-1"]),
        ("2.png", "unconfirmed", []),
        ("notes.txt", "refused", []),
        ("3.png", "nothing", []),
    ]
    assert owned(run, "St-1") == 0  # nothing is entered unless told so
    done = scan(run, box, "--add")
    assert done.exit_code == 0
    assert "+2  hyper-colosseum/St-1  Agumon; owned: 2" in done.stdout
    assert (
        "4 files (3 read before), 1 with nothing read, 1 that is no picture: "
        "2 codes confirmed, 1 unconfirmed\n" in done.stdout
    )
    assert "not a picture" in done.stdout
    scan(run, box, "--add")
    scan(run, box, "--add", "--again")
    assert owned(run, "St-1") == 2  # a second time enters nothing
    run("collection", "undo")
    assert owned(run, "St-1") == 0
    assert scan(run, box, "--add", "--json").json["data"]["changes"][0]["change"] == 2
    reviewed = run("scan", "review", "-", stdin="BBB222222 St-2\n")
    assert reviewed.exit_code == 0, reviewed.output
    assert owned(run, "St-2") == 1
    scan(run, box, "--add")
    assert (owned(run, "St-1"), owned(run, "St-2")) == (2, 1)
    assert run("db", "verify").exit_code == 0


def test_a_scan_comes_back_by_undo_or_is_entered_again_and_never_both(
    run: Run, tmp_path: Path
) -> None:
    box = tmp_path / "box"
    photo(box / "1.png", "AAA111111")
    photo(box / "2.png", "BBB222222")
    run("barcode", "link", "AAA111111", "St-1")
    run("barcode", "link", "BBB222222", "St-2")
    scan(run, box, "--add")  # batch 1
    run("collection", "undo")  # 2
    assert run("collection", "undo", "2").exit_code == 0  # 3: nothing was entered meanwhile
    assert owned(run, "St-1") == 1
    assert run("collection", "undo", "3").exit_code == 0  # 4
    scan(run, box / "1.png", "--add")  # 5
    for _ in range(2):
        refused = run("collection", "undo", "4")
        assert refused.exit_code == 3
        assert "what batch 1 entered was entered again or dismissed since" in refused.stderr
        assert "digideck scan photos --add" in refused.stderr
        assert (owned(run, "St-1"), owned(run, "St-2")) == (1, 0)
        assert "no batch 6" in run("collection", "undo", "6").stderr
    scan(run, box, "--add")  # 6, as the message says
    assert (owned(run, "St-1"), owned(run, "St-2")) == (1, 1)
    run("collection", "undo", "5")
    assert run("collection", "undo", "4").exit_code == 3  # its photo waits, as one of batch 5
    scan(run, box, "--add")
    assert (owned(run, "St-1"), owned(run, "St-2")) == (1, 1)


def test_of_a_scan_that_counted_once_each_card_comes_back_or_none(run: Run, tmp_path: Path) -> None:
    box = tmp_path / "box"
    for name, code in (("1.png", "AAA111111"), ("2.png", "AAA111111"), ("3.png", "BBB222222")):
        photo(box / name, code)
    run("barcode", "link", "AAA111111", "St-1")
    run("barcode", "link", "BBB222222", "St-2")
    scan(run, box, "--add", "--count", "once")
    run("collection", "undo")
    run("barcode", "unlink", "AAA111111")  # what it was entered as holds
    assert run("collection", "undo").exit_code == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == (1, 1)
    run("collection", "undo")
    run("barcode", "link", "AAA111111", "St-1")
    scan(run, box / "3.png", "--add")
    assert run("collection", "undo", "4").exit_code == 3
    assert (owned(run, "St-1"), owned(run, "St-2")) == (0, 1)


def test_count_once(run: Run, tmp_path: Path) -> None:
    for name in ("1.png", "2.png"):
        photo(tmp_path / "box" / name, "AAA111111")
    run("barcode", "link", "AAA111111", "St-1")
    scan(run, tmp_path / "box", "--add", "--count", "once", "--place", "album")
    assert owned(run, "St-1") == 1
    photo(tmp_path / "box" / "3.png", "AAA111111")
    scan(run, tmp_path / "box", "--add", "--count", "once")
    assert owned(run, "St-1") == 1
    assert "album" in run("show", "St-1").stdout


def test_the_same_picture_under_two_names_is_one(run: Run, tmp_path: Path) -> None:
    first = photo(tmp_path / "box" / "1.png", "AAA111111")
    (tmp_path / "box" / "copy.png").write_bytes(first.read_bytes())
    run("barcode", "link", "AAA111111", "St-1")
    done = scan(run, tmp_path / "box", "--add", "--json")
    assert len(done.json["data"]["seen"]) == 2
    assert owned(run, "St-1") == 1
    first.write_bytes(photo(tmp_path / "new.png", "AAA111111").read_bytes())
    (tmp_path / "box" / "copy.png").write_bytes(first.read_bytes())
    done = scan(run, tmp_path / "box")
    assert "2 files (1 the same as another picture): 2 codes confirmed\n" in done.stdout
    done = scan(run, tmp_path / "box")
    assert "2 files (1 read before, 1 the same as another picture): " in done.stdout


def test_what_was_entered_as_another_card_is_named(run: Run, tmp_path: Path) -> None:
    photo(tmp_path / "1.png", "AAA111111")
    run("barcode", "link", "AAA111111", "St-1")
    scan(run, tmp_path / "1.png", "--add")
    assert "(entered: batch 1)" in scan(run, tmp_path / "1.png").stdout
    run("barcode", "unlink", "AAA111111")
    run("barcode", "link", "AAA111111", "St-2")
    assert "(entered: batch 1, as St-1 Agumon)" in scan(run, tmp_path / "1.png").stdout
    run("collection", "undo")
    assert "(entered" not in scan(run, tmp_path / "1.png").stdout


def test_dismissed_codes_are_no_longer_unconfirmed(run: Run, tmp_path: Path) -> None:
    photo(tmp_path / "1.png", "AAA111111", "BBB222222")
    scan(run, tmp_path / "1.png")
    run("scan", "review", "-", stdin="AAA111111 -\n")
    assert "1 code unconfirmed, 1 dismissed\n" in scan(run, tmp_path / "1.png").stdout
    run("scan", "review", "-", stdin="BBB222222 -\n")
    done = scan(run, tmp_path / "1.png")
    assert "1 file (1 read before): 2 codes dismissed\n" in done.stdout
    assert "scan review" not in done.stdout


def test_long_codes_are_cut_for_people_alone(run: Run, tmp_path: Path) -> None:
    text = "https://example.org/" + "x" * 300
    photo(tmp_path / "1.png", text, kind="QR")
    page = tmp_path / "page.html"
    shown = scan(run, tmp_path / "1.png", "--report", page).stdout
    listed = run("scan", "review").stdout
    for output in (shown, listed, page.read_text("utf-8")):
        assert "QR:https://example.org/xxx" in output
        assert "x" * 60 not in output
    assert scan(run, tmp_path / "1.png", "--json").json["data"]["seen"][0]["payload"] == text
    assert text in scan(run, tmp_path / "1.png", "--csv").stdout
    assert run("scan", "review", "--json").json["data"]["waiting"][0]["payload"] == text


def test_a_code_on_several_cards_is_not_entered_by_itself(run: Run, tmp_path: Path) -> None:
    photo(tmp_path / "1.png", "AAA111111")
    run("barcode", "link", "AAA111111", "St-1")
    run("barcode", "link", "AAA111111", "St-2")
    done = scan(run, tmp_path / "1.png", "--add", "--json")
    assert seen(done) == [("1.png", "several", ["hyper-colosseum/St-1", "hyper-colosseum/St-2"])]
    assert done.json["data"]["batch"] is None
    assert run("scan", "review", "-", stdin="AAA111111\tSt-2\n").exit_code == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == (0, 1)


def test_learning_from_labels(run: Run, tmp_path: Path) -> None:
    box = tmp_path / "hyper-colosseum"
    photo(box / "St-1.png", "AAA111111")
    photo(box / "St-1 (2).png", "AAA111111")
    photo(box / "st2.png", "BBB222222")
    photo(box / "St-3.png", "CCC333333", "DDD444444")
    photo(box / "holiday.png", "EEE555555")
    done = scan(run, box, "--learn", "--add", "--json")
    assert done.exit_code == 0, done.output
    assert {(one["code"], one["card"]) for one in done.json["data"]["learnt"]} == {
        ("Code128:AAA111111", "hyper-colosseum/St-1"),
        ("Code128:BBB222222", "hyper-colosseum/St-2"),
    }
    assert [problem["code"] for problem in done.json["problems"]] == ["codes-several"]
    assert done.json["data"]["unnamed"] == [str(box / "holiday.png")]
    assert (
        "1 file with a new code and no name of exactly one card: "
        in scan(run, box / "holiday.png", "--learn").stdout
    )
    assert (owned(run, "St-1"), owned(run, "St-2"), owned(run, "St-3")) == (2, 1, 0)


def test_labels_never_overwrite_a_link(run: Run, tmp_path: Path) -> None:
    photo(tmp_path / "box" / "St-2.png", "AAA111111")
    photo(tmp_path / "box" / "St-3.png", "BBB222222")
    photo(tmp_path / "box" / "St-4.png", "BBB222222")
    run("barcode", "link", "AAA111111", "St-1")
    done = scan(run, tmp_path / "box", "--learn")
    assert done.exit_code == 1
    assert "linked to another card already, St-1 Agumon: it was not learnt for St-2" in done.stderr
    assert "St-3.png" in done.stderr
    links = run("barcode", "list", "--json").json["data"]["links"]
    assert [(link["code"], link["card"]) for link in links] == [
        ("Code128:AAA111111", "hyper-colosseum/St-1")
    ]


def test_csv_and_lists_on_standard_input(run: Run, tmp_path: Path) -> None:
    one, two = photo(tmp_path / "1.png", "AAA111111"), photo(tmp_path / "2 x.png")
    done = run("scan", "photos", "-", "--csv", "--workers", "1", stdin=f"{two}\n{one}\n")
    assert done.exit_code == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(Path(row["file"]).name, row["state"], row["payload"]) for row in rows] == [
        ("2 x.png", "nothing read", ""),
        ("1.png", "unconfirmed", "AAA111111"),
    ]


def test_one_way_to_print_is_chosen(run: Run, tmp_path: Path) -> None:
    done = scan(run, photo(tmp_path / "1.png", "AAA111111"), "--csv", "--json")
    assert done.exit_code == 2
    (problem,) = done.json["problems"]
    assert "--json" in problem["message"]
    assert "--csv" in problem["message"]


def test_nothing_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "missing"):
        done = scan(run, path)
        assert done.exit_code == 3
        assert done.stderr
    assert run("scan", "photos", "-", stdin="").exit_code == 3


# --- the page ---------------------------------------------------------------------


def test_the_page_is_one_file_and_escapes_all_it_shows(run: Run, tmp_path: Path) -> None:
    photo(tmp_path / "box" / "<b>&'\".png", "AAA111111")
    code = "<img src=x onerror=alert(1)>"
    photo(tmp_path / "box" / "qr.png", code, kind="QR")
    (tmp_path / "box" / "broken.png").write_bytes(png(40, 40)[:60])
    page = tmp_path / "page.html"
    done = scan(run, tmp_path / "box", "--report", page)
    assert done.exit_code == 3  # the broken one
    text = page.read_text("utf-8")
    assert text.count('<img src="data:image/jpeg;base64,') == 2
    assert "&lt;b&gt;&amp;" in text
    assert code not in text
    assert "&lt;img src=x" in text
    for outside in ("http:", "https:", "//", "<script", "@import", "url("):
        assert outside not in text.split("<tbody>")[0]
    assert "barcode link" in text
    assert "<th></th>" not in text
    assert '<td>?</td><td class="state">unconfirmed' in text
    assert '<td></td><td class="state">not read' in text  # no card, not one that is unknown
    assert "<code>a PNG picture" not in text
    before = page.stat().st_mtime_ns
    refused = scan(run, tmp_path / "box", "--report", page)
    assert (refused.exit_code, page.stat().st_mtime_ns) == (3, before)
    again = scan(run, tmp_path / "box", "--report", page, "--force")
    assert "a page with every picture" in again.stdout
    assert page.read_text("utf-8").count('<img src="data:') == 2  # known pictures are shown too


# --- hostile files ------------------------------------------------------------------


def hostile(folder: Path) -> dict[str, str]:
    """Files that broke other programs, each with what is to be said of it."""
    good = photo(folder / "good.png", "AAA111111").read_bytes()
    jpeg = photo(folder / "good.jpg", "BBB222222", ending=".jpg").read_bytes()
    files: dict[str, tuple[bytes, str]] = {
        "empty.jpg": (b"", "an empty file"),
        "text.jpg": (b"hello", "not a picture"),
        "zeros.png": (b"\0" * 5000, "not a picture"),
        "bomb.png": (png(30_000, 30_000), "30,000 x 30,000 pixels are too many"),
        "cut.png": (good[: len(good) // 2], "cannot be decoded"),
        "cut.jpg": (jpeg[: len(jpeg) // 2], "cannot be decoded"),
        "head.jpg": (jpeg[:4], "a picture, but"),
        "flat.png": (png(0, 10), "without pixels"),
        "lies.png": (png(5000, 5000), "cannot be decoded"),
    }
    for name, (data, _) in files.items():
        (folder / name).write_bytes(data)
    return {name: says for name, (_, says) in files.items()}


def test_broken_files_are_named_and_the_rest_goes_on(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "box"
    expected = hostile(folder)
    done = scan(run, folder, "--json")
    assert done.exit_code == 3
    by_name = {Path(one["file"]).name: one for one in done.json["data"]["seen"]}
    for name, says in expected.items():
        assert says in by_name[name]["reason"], name
    assert {by_name["good.png"]["payload"], by_name["good.jpg"]["payload"]} == {
        "AAA111111",
        "BBB222222",
    }
    text = scan(run, folder)
    assert "Traceback" not in text.output
    assert "nothing was left" not in text.output


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_pipes_links_and_names_that_are_no_text(shell: Shell, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "box")
    photo(tmp_path / "box" / "good.png", "AAA111111")
    os.mkfifo(folder + b"/pipe.jpg")
    os.symlink(folder, folder + b"/loop")
    os.symlink(b"nowhere", folder + b"/dangling.jpg")
    with open(folder + b"/caf\xe9.png", "wb") as file:
        file.write(photo(tmp_path / "x.png", "BBB222222").read_bytes())
    secret = photo(tmp_path / "box" / "secret.png", "CCC333333")
    secret.chmod(0)
    done = shell("scan", "photos", folder, "--workers", "1", timeout=60)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 3
    assert "AAA111111" in out
    assert r"caf\xe9.png" in out
    assert "BBB222222" in out
    assert "pipe.jpg: not a regular file" in err
    assert "dangling.jpg: no such file" in err
    if os.geteuid() != 0:
        assert "secret.png: cannot be read" in err
    assert "Traceback" not in err


def test_a_file_that_is_being_written_is_waited_for(
    shell: Shell, tmp_path: Path, database: Path
) -> None:
    whole = photo(tmp_path / "whole.png", "AAA111111").read_bytes()
    growing = tmp_path / "growing.png"
    growing.write_bytes(whole[:200])
    # Grows between the worker's reading of it and its second look.
    script = (
        "import digideck.scan.photos.picture_worker as p, sys\n"
        "from pathlib import Path\n"
        "from digideck.scan.photos.picture_worker import ScanSettings, Worker\n"
        "before = p.read_file\n"
        "def read(path, **more):\n"
        "    data = before(path, **more)\n"
        "    Path(path).write_bytes(Path(sys.argv[2]).read_bytes())\n"
        "    return data\n"
        "p.read_file = read\n"
        "worker = Worker(ScanSettings(sys.argv[3], frozenset(), False, True, False))\n"
        "print([read.payload for read in worker(sys.argv[1]).reads])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, growing, tmp_path / "whole.png", database],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert done.stdout.decode().strip() == "['AAA111111']", done.stderr.decode()


# --- trust --------------------------------------------------------------------------


def processes(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if entry.name.isdecimal() and int(fields[1]) == parent and b"spawn_main" in command:
            found.append(int(entry.name))
    return found


def started(database: Path, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "digideck", "scan", "photos", folder, *words],
        env={**os.environ, "DIGIDECK_DB": str(database)},
        cwd=Path(__file__).parent.parent.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def many(folder: Path, count: int) -> Path:
    data = photo(folder / "0.jpg", "AAA111111", ending=".jpg").read_bytes()
    for number in range(1, count):  # what follows a JPEG's end is no picture
        (folder / f"{number}.jpg").write_bytes(data + number.to_bytes(4, "big"))
    return folder


def pictures(database: Path) -> int:
    connection = sqlite3.connect(database)
    (count,) = connection.execute("SELECT COUNT(*) FROM picture").fetchone()
    connection.close()
    return int(count)


def until(condition: Any) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never came to be")


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@linux
def test_a_worker_that_the_system_kills(database: Path, tmp_path: Path) -> None:
    folder = many(tmp_path / "box", 60)
    running = started(database, folder, "--workers", "1", "--json")
    until(lambda: pictures(database) >= 3)
    victims = processes(running.pid)
    assert len(victims) == 1
    os.kill(victims[0], signal.SIGKILL)
    out, err = running.communicate(timeout=240)
    answer = Result(running.returncode, out.decode(), err.decode()).json
    assert running.returncode == 3
    died = [problem for problem in answer["problems"] if problem["code"] == "worker-died"]
    assert len(died) == 1
    assert "SIGKILL" in died[0]["message"]
    assert died[0]["file"]
    assert answer["data"]["counts"] == {"unconfirmed": 59, "refused": 1}


@linux
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_goes_on_where_it_was(
    run: Run, database: Path, tmp_path: Path, how: signal.Signals
) -> None:
    folder = many(tmp_path / "box", 60)
    run("barcode", "link", "AAA111111", "St-1")
    running = started(database, folder, "--workers", "2", "--add")
    until(lambda: pictures(database) >= 5)
    children = processes(running.pid)
    running.send_signal(how)
    _, err = running.communicate(timeout=120)
    kept = pictures(database)
    assert 5 <= kept < 60
    if how is signal.SIGINT:
        assert f"{kept} of 60 pictures are read and kept" in err.decode()
        assert running.returncode == 130
    assert b"Traceback" not in err
    until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
    assert owned(run, "St-1") == 0
    done = run("scan", "photos", folder, "--add", "--workers", "1", "--json").json
    assert done["data"]["known"] == kept
    assert owned(run, "St-1") == 60
    assert run("db", "verify").exit_code == 0


def test_scanning_is_loaded_by_what_scans_alone(shell: Shell) -> None:
    script = (
        "import sys\nfrom digideck.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nfinally:\n"
        "    print({'cv2', 'numpy', 'zxingcpp', 'pyzbar'} & set(sys.modules), file=sys.stderr)\n"
    )
    for words in (["show", "St-1"], ["barcode", "list"], ["scan", "photos", "--help"],
                  ["scan", "review"]):  # fmt: skip
        done = shell(*words, python=("-c", script), stdin=subprocess.DEVNULL)
        assert done.stderr.decode().splitlines()[-1] == "set()", words


def test_progress_is_for_terminals(run: Run, tmp_path: Path) -> None:
    photo(tmp_path / "1.png", "AAA111111")
    assert scan(run, tmp_path / "1.png").stderr == ""


@needs_terminal
def test_progress_counts_pictures(database: Path, tmp_path: Path) -> None:
    photo(tmp_path / "1.png", "AAA111111", "BBB222222")
    with terminal(database, "scan", "photos", tmp_path / "1.png", "--workers", "1") as typed:
        assert re.search(r"\] 100 %  1/1  [0-9.]+ pictures/s", typed.until("2 codes unconfirmed"))
        assert typed.ended() == 0
