"""``digideck scan camera`` on videos that are made here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.cli.pictures import photo, video
from tests.conftest import Result, Run

ROOT = Path(__file__).parent.parent.parent


def camera(run: Run, source: Path | str, *words: str) -> Result:
    return run("scan", "camera", "--no-preview", "--source", source, *words)


def started(database: Path, source: Path, *words: str, stdin: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "digideck", "scan", "camera", "--source", source, *words],
        env={**os.environ, "DIGIDECK_DB": str(database), "PYTHONUNBUFFERED": "1"},
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def owned(run: Run, card: str) -> int:
    return int(run("show", card, "--json").json["data"]["cards"][0]["owned"])


def test_cards_before_a_camera_are_counted_once_and_entered(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "AAA111111", "St-1")
    plan = [
        ("AAA111111", 8), ("", 2), ("AAA111111", 4),  # the same card, not read for a moment
        ("", 10), ("AAA111111", 4),  # another one
        ("BBB222222", 1), ("", 3), ("CCC333333", 3), ("", 3),
    ]  # fmt: skip
    source = video(tmp_path / "v.avi", plan)
    done = camera(run, source, "--add", "--place", "box")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[:2] == ["hyper-colosseum/St-1  Agumon"] * 2
    assert "CCC333333: not linked yet" in lines[2]
    assert lines[3] == "2 cards (1 different), 1 unconfirmed, in 38 frames"
    assert done.stderr.count("\a") == 3
    assert owned(run, "St-1") == 2
    assert "BBB222222" not in run("scan", "review").stdout
    assert "v.avi at 0:" in run("scan", "review").stdout
    assert run("scan", "review", stdin="CCC333333 St-2\n").exit_code == 0
    assert owned(run, "St-2") == 1
    assert run("collection", "undo").exit_code == 0
    assert run("collection", "undo", "1").exit_code == 0  # the whole session is one batch
    assert (owned(run, "St-1"), owned(run, "St-2")) == (0, 0)
    assert run("db", "verify").exit_code == 0


def test_without_add_nothing_is_entered_then_or_later(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "AAA111111", "St-1")
    source = video(tmp_path / "v.avi", [("AAA111111", 3), ("", 8), ("CCC333333", 3)])
    answer = camera(run, source, "--json").json
    assert answer["data"]["batch"] is None
    assert [(one["payload"], one["cards"]) for one in answer["data"]["seen"]] == [
        ("AAA111111", ["hyper-colosseum/St-1"]),
        ("CCC333333", []),
    ]
    assert [one["seconds"] for one in answer["data"]["seen"]] == [0.0, 1.2]  # the video's own time
    assert run("scan", "review", stdin="CCC333333 St-2\n").exit_code == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == (0, 0)


def test_a_pattern_of_frames(run: Run, tmp_path: Path) -> None:
    for number, code in enumerate(["AAA111111"] * 3):
        photo(tmp_path / f"frame{number:03}.png", code)
    answer = camera(run, f"{tmp_path}/frame%03d.png", "--json").json
    assert answer["data"]["frames"] == 3
    assert [one["payload"] for one in answer["data"]["seen"]] == ["AAA111111"]


def test_sources_that_cannot_be_used(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "text.avi"
    text.write_text("no video")
    cut = video(tmp_path / "cut.avi", [("AAA111111", 5)])
    cut.write_bytes(cut.read_bytes()[:300])
    for source, says in (
        (tmp_path / "missing.avi", "no such file"),
        (tmp_path, "a folder, expected a video file"),
        (text, "can be opened"),
        (cut, "cut.avi"),
        ("987", "no camera 987"),
        (f"{tmp_path}/none%03d.png", "can be opened"),
    ):
        done = camera(run, source)
        assert done.exit_code == 3, source
        assert says in done.stderr
        assert "Traceback" not in done.output


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_a_pipe_is_no_source(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in camera(run, tmp_path / "pipe").stderr


def test_q_ends_it_with_a_summary(run: Run, database: Path, tmp_path: Path) -> None:
    run("barcode", "link", "AAA111111", "St-1")
    source = video(tmp_path / "v.avi", [("AAA111111", 3000)])
    running = started(database, source, "--add", "--no-preview", stdin=subprocess.PIPE)
    assert running.stdout
    assert b"St-1" in running.stdout.readline()
    out, err = running.communicate(b"q", timeout=120)
    assert b"1 card (1 different), 0 unconfirmed" in out
    assert running.returncode == 0, err
    assert owned(run, "St-1") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_was_accepted_is_entered_however_it_ends(
    run: Run, database: Path, tmp_path: Path, how: signal.Signals
) -> None:
    run("barcode", "link", "AAA111111", "St-1")
    source = video(tmp_path / "v.avi", [("AAA111111", 3000)])
    running = started(database, source, "--add", "--no-preview", stdin=subprocess.DEVNULL)
    assert running.stdout
    assert b"St-1" in running.stdout.readline()
    running.send_signal(how)
    out, err = running.communicate(timeout=120)
    assert b"Traceback" not in err
    if how is signal.SIGINT:
        assert running.returncode == 0
        assert b"1 card (1 different)" in out
    assert owned(run, "St-1") == 1


def test_the_page_shows_the_frames_while_it_runs(run: Run, database: Path, tmp_path: Path) -> None:
    source = video(tmp_path / "v.avi", [("AAA111111", 3000)])
    running = started(database, source, stdin=subprocess.PIPE)
    assert running.stderr
    address = running.stderr.readline().decode().partition("Preview: ")[2].strip()
    assert address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{address}frames", timeout=60) as stream:
        assert stream.headers["Content-Type"].startswith("multipart/x-mixed-replace")
        data = b""
        while data.count(b"\xff\xd8\xff") < 2:
            data += stream.read(2000)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{address}cards", timeout=60) as answer:
            cards = answer.read().decode()
        if "AAA111111" in cards:
            break
        time.sleep(0.1)
    assert "AAA111111" in cards
    running.communicate(b"q", timeout=120)
    assert running.returncode == 0


def test_a_port_that_is_taken(run: Run, tmp_path: Path) -> None:
    import socket

    source = video(tmp_path / "v.avi", [("", 2)])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("scan", "camera", "--source", source, "--port", str(taken.getsockname()[1]))
    assert done.exit_code == 3
    assert "--no-preview" in done.stderr
