"""The live preview: over HTTP, and in a browser where there is one."""

# ruff: noqa: TID253

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pytest

from digideck.catalog.cards import CardIndex
from digideck.cli.scan.preview import MOST_CARDS, Preview
from digideck.operations.scans.scan_camera import SeenFrame
from digideck.operations.scans.scan_report import page
from digideck.operations.scans.scan_rows import scan_rows
from digideck.scan.photos.scan_files import Scanned
from digideck.scan.store.read_store import StoredPicture, StoredRead
from digideck.schema.connection import open_to_read

QUAD = ((100.0, 100.0), (300.0, 100.0), (300.0, 200.0), (100.0, 200.0))
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture
def preview() -> Iterator[Preview]:
    served = Preview()
    yield served
    served.close()


@pytest.fixture
def showing(preview: Preview) -> Iterator[Preview]:
    """A preview that is shown a grey frame with one code, again and again."""
    stop = threading.Event()

    def show() -> None:
        while not stop.is_set():
            preview.show(SeenFrame(np.full((480, 640, 3), 90, np.uint8), [QUAD]).jpeg)
            stop.wait(0.02)

    thread = threading.Thread(target=show)
    thread.start()
    yield preview
    stop.set()
    thread.join()


def get(address: str, **headers: str) -> tuple[int, str, bytes]:
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, "", error.read()


def test_the_page_and_its_cards(preview: Preview) -> None:
    status, kind, body = get(preview.address)
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert b"/frames" in body
    for number in range(12):
        preview.add(f"<b>{number}</b>", linked=number % 2 == 0)
    status, kind, body = get(f"{preview.address}cards")
    cards = json.loads(body)
    assert (status, kind, cards["total"], len(cards["cards"])) == (
        200, "application/json", 12, MOST_CARDS,
    )  # fmt: skip
    assert cards["cards"][0] == {"text": "<b>11</b>", "linked": False}
    assert get(f"{preview.address}nothing")[0] == 404


def test_only_this_computer_and_no_page_from_elsewhere(preview: Preview) -> None:
    assert preview.address.startswith("http://127.0.0.1:")
    assert get(preview.address, Host="evil.example")[0] == 403
    assert get(f"{preview.address}frames", Host=f"evil.example:{preview.port}")[0] == 403
    assert get(preview.address, Host=f"localhost:{preview.port}")[0] == 200


def test_frames_are_jpegs_with_the_quads_drawn(showing: Preview) -> None:
    with urllib.request.urlopen(f"{showing.address}frames", timeout=30) as stream:
        boundary = stream.headers["Content-Type"].partition("boundary=")[2]
        for _ in range(3):
            while not (line := stream.readline()).startswith(f"--{boundary}".encode()):
                assert line.strip() == b""
            assert stream.readline().strip() == b"Content-Type: image/jpeg"
            size = int(stream.readline().partition(b":")[2])
            assert stream.readline().strip() == b""
            image = cv2.imdecode(np.frombuffer(stream.read(size), np.uint8), cv2.IMREAD_COLOR)
            assert image.shape == (480, 640, 3)
            blue, green, red = (int(value) for value in image[100, 200])
            assert green > blue + 60
            assert green > red + 60
            assert max(abs(int(value) - 90) for value in image[150, 200]) < 12


def test_several_viewers_and_one_that_leaves(showing: Preview) -> None:
    for _ in range(3):
        with urllib.request.urlopen(f"{showing.address}frames", timeout=30) as one:
            assert one.read(500)
            with urllib.request.urlopen(f"{showing.address}frames", timeout=30) as two:
                assert two.read(500)


def test_closing_ends_the_streams() -> None:
    served = Preview()
    with urllib.request.urlopen(f"{served.address}frames", timeout=30) as stream:
        served.close()
        assert stream.read() == b""


browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def rendered(address: str, shot: Path, *words: str) -> str:
    """What Chromium makes of a page: its text after scripts; ``shot`` is its picture."""
    assert CHROMIUM
    base = [CHROMIUM, "--headless", "--disable-gpu", "--no-sandbox", "--hide-scrollbars",
            "--disable-dev-shm-usage", f"--user-data-dir={shot.parent / 'profile'}",
            "--window-size=1200,800", *words]  # fmt: skip
    environment = {**os.environ, "HOME": str(shot.parent)}
    for extra in ([f"--screenshot={shot}"], ["--dump-dom"]):
        done = subprocess.run(
            [*base, *extra, address], capture_output=True, timeout=240, check=False,
            env=environment,
        )  # fmt: skip
    return done.stdout.decode()


@browser
def test_in_a_browser(showing: Preview, tmp_path: Path) -> None:
    showing.add("alpha/Dα-001 <i>Agumon</i>", linked=True)
    shot = tmp_path / "shot.png"
    text = rendered(showing.address, shot, "--virtual-time-budget=3000", "--timeout=5000")
    assert "alpha/Dα-001 &lt;i&gt;Agumon&lt;/i&gt;" in text
    assert '<h1 id="state">1 card</h1>' in text
    image = cv2.imread(str(shot)).astype(int)
    green = (image[:, :, 1] > image[:, :, 0] + 60) & (image[:, :, 1] > image[:, :, 2] + 60)
    assert green.sum() > 100  # the quad in the frame


@browser
def test_the_page_of_a_scan_in_a_browser(database: Path, tmp_path: Path) -> None:
    from digideck.scan.images.thumbnails import drawn

    image = drawn(np.full((480, 640, 3), 90, np.uint8), [QUAD], longest=320)
    read = StoredRead(1, "EAN-13", "1", QUAD, "zxing", "whole", "waiting", None)
    first = StoredPicture(1, "a", "read", (read,))
    scanned = [
        Scanned("a <b>.jpg", "1", False, first, None, image),
        Scanned("b.jpg", "2", False, StoredPicture(2, "b", "nothing", ()), None),
    ]
    with closing(open_to_read(database)) as connection:
        rows = scan_rows(CardIndex(connection), scanned)
    file = tmp_path / "page.html"
    file.write_text(page(rows, title="box"), "utf-8")
    shot = tmp_path / "shot.png"
    text = rendered(file.as_uri(), shot)
    assert "a &lt;b&gt;.jpg" in text
    picture = cv2.imread(str(shot)).astype(int)
    green = (picture[:, :, 1] > picture[:, :, 0] + 60) & (picture[:, :, 1] > picture[:, :, 2] + 60)
    assert green.sum() > 100
