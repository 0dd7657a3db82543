"""How much memory a picture of some kind may take."""

# ruff: noqa: TID253

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from digideck.scan.images.budget import MOST_MEMORY, most_pixels
from digideck.scan.images.libraries import MOST_PIXELS

ROOT = Path(__file__).parent.parent.parent
LIMIT = 600  # megabytes of one worker


def encoded(ending: str, channels: int, kind: type = np.uint8, *options: int) -> bytes:
    image = np.zeros((64, 64, channels), kind)
    return bytes(cv2.imencode(ending, image, list(options))[1])


@pytest.mark.parametrize(
    ("data", "megapixels"),
    [
        (encoded(".jpg", 3), 120),
        (encoded(".jpg", 3, np.uint8, cv2.IMWRITE_JPEG_PROGRESSIVE, 1), 50),
        (encoded(".png", 1), 70),
        (encoded(".png", 3), 50),
        (encoded(".png", 4), 12),
        (encoded(".png", 4, np.uint16), 12),
        (encoded(".webp", 3, np.uint8, cv2.IMWRITE_WEBP_QUALITY, 50), 50),
        (encoded(".bmp", 3), 50),
        (encoded(".tif", 3), 50),
        (encoded(".tif", 3, np.float32), 6),
        (b"no picture", 120),
    ],
)
def test_photos_pass(data: bytes, megapixels: int) -> None:
    assert megapixels * 10**6 <= most_pixels(data) <= MOST_PIXELS


def test_a_damaged_header_does_no_harm() -> None:
    for data in (encoded(".tif", 3), encoded(".png", 4), encoded(".jpg", 3), encoded(".bmp", 3)):
        for end in range(0, len(data), max(1, len(data) // 60)):
            assert 0 < most_pixels(data[:end]) <= MOST_PIXELS
            assert 0 < most_pixels(data[:end] + bytes(200)) <= MOST_PIXELS


PEAK = """
import re, sys
from digideck.scan.photos.picture_worker import ScanSettings, Worker
worker = Worker(ScanSettings(sys.argv[1], frozenset(), True, True, True))
result = worker(sys.argv[2])
assert result.problem is None, result.problem
# Not getrusage, whose peak goes on from the process that started this one.
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other units elsewhere")
@pytest.mark.parametrize(("ending", "channels"), [(".png", 4), (".jpg", 3)])
def test_the_largest_that_pass_fit_in_a_worker(
    database: Path, tmp_path: Path, ending: str, channels: int
) -> None:
    pixels = most_pixels(encoded(ending, channels))
    side = int(pixels**0.5)
    image = np.zeros((side, side, channels), np.uint8)
    image[:, ::7] = 200
    path = tmp_path / f"large{ending}"
    assert cv2.imwrite(str(path), image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    done = subprocess.run(
        [sys.executable, "-c", PEAK, database, path],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert MOST_MEMORY >> 22 < int(done.stdout) < LIMIT
