"""How many photos a second ``scan photos`` reads, and whether that holds for 10,000.

    python -m benchmarks.throughput [--photos N] [--pages N] [--files N] [--workers N]

Makes its own pictures: 12-megapixel JPEGs with one code and with nine, and small ones
of distinct content for the growth, one in a hundred of them broken. Whole runs of the
command as a process of its own, start and database included, beside a bare decode of
the same files by OpenCV in one process, since a machine that does other work as well
makes all of it slower alike.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-c", "from digideck.cli.main import main; main()"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--photos", type=int, default=120, help="photos with one code")
    parser.add_argument("--pages", type=int, default=48, help="binder pages with nine codes")
    parser.add_argument("--files", type=int, default=10_000, help="small files, for the growth")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        program(root / "built.db", "db", "info")
        print(f"{'':34}{'files/s':>9}{'CPU ms/file':>13}{'bare decode, one process':>27}")
        large = (("12 megapixels, one code", 1, asked.photos), ("binder pages", 9, asked.pages))
        for title, codes, count in large:
            files = root / f"codes{codes}"
            make(files, count, lambda number, n=codes: large_photo(n, number))
            line(f"{title} ({count})", root, files, asked.workers, count, bare=True)
        files = root / "small"
        small = encoded(card(0, (480, 640), 1), 90)
        files.mkdir()
        done = 0
        for count in (asked.files // 10, asked.files // 3, asked.files):
            for number in range(done, count):  # what follows the end of a JPEG is no picture
                data = small + number.to_bytes(4, "big")
                broken = number % 100 == 99
                (files / f"{number:05}.jpg").write_bytes(data[:9000] if broken else data)
            done = count
            line(f"640 x 480 ({count:,})", root, files, asked.workers, count, bare=False)


def line(title: str, root: Path, files: Path, workers: int, count: int, *, bare: bool) -> None:
    """Scan a folder into a fresh copy of the database, and print what it took."""
    database = root / "fresh.db"
    database.write_bytes((root / "built.db").read_bytes())
    before, start = os.times(), time.perf_counter()
    out = program(database, "scan", "photos", str(files), "--workers", str(workers))
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user
    cpu -= before.children_system
    decoded = ""
    if bare:
        seconds, used = decode_all(files)
        decoded = f"{count / seconds:.1f} files/s, {1000 * used / count:.1f} CPU ms"
    print(f"{title:34}{count / wall:9.1f}{1000 * cpu / count:13.1f}{decoded:>27}", flush=True)
    print(f"    {out.strip().splitlines()[-2]}", flush=True)


def program(database: Path, *words: str) -> str:
    """Run a command on a database; what it prints."""
    environment = {**os.environ, "DIGIDECK_DB": str(database)}
    done = subprocess.run(
        [*PROGRAM, *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 3):  # 3: some files are broken
        sys.exit(done.stderr)
    return done.stdout


def decode_all(files: Path) -> tuple[float, float]:
    """The seconds, and those of CPU, that OpenCV alone takes to decode every file to grey."""
    from digideck.scan.images.libraries import cv2

    cv2.setNumThreads(1)
    start, used = time.perf_counter(), time.process_time()
    for path in sorted(files.iterdir()):
        cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    return time.perf_counter() - start, time.process_time() - used


def make(folder: Path, count: int, picture: Callable[[int], bytes]) -> None:
    """A folder of pictures."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:05}.jpg").write_bytes(picture(number))


def large_photo(codes: int, number: int) -> bytes:
    """A photo of 4000 x 3000 pixels: cards on a table, a code on each."""
    import numpy as np

    rows = columns = round(codes**0.5)
    size = 3000 // rows, 4000 // columns
    tiles = [
        [card(number * codes + row * columns + column, size, rows) for column in range(columns)]
        for row in range(rows)
    ]
    return encoded(np.vstack([np.hstack(row) for row in tiles]), 90)


def card(number: int, size: tuple[int, int], rows: int) -> Any:
    """A grey picture with texture, noise and a Code 128 of its own."""
    import cv2
    import numpy as np
    import zxingcpp

    random = np.random.default_rng(number)
    height, width = size
    coarse = random.uniform(60, 220, (height // 40 + 1, width // 40 + 1)).astype(np.float32)
    image = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    text = f"CD{number:07}"
    code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.Code128).to_image(scale=1)
    row = np.array(code)[0].astype(np.float32)
    module = max(2, width // (3 * row.size) if rows == 1 else width // (2 * row.size))
    bars = np.repeat(np.repeat(row, module)[None], max(40, height // 8), axis=0)
    bars = np.pad(bars, 12 * module, constant_values=255)
    top, left = (height - bars.shape[0]) // 2, (width - bars.shape[1]) // 2
    image[top : top + bars.shape[0], left : left + bars.shape[1]] = 30 + bars * 0.8
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(random.uniform(-8, 8)), 1)
    image = cv2.warpAffine(image, turn, (width, height), borderValue=150)
    noise = random.normal(0, 5, image.shape).astype(np.float32)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 1.2) + noise, 0, 255).astype(np.uint8)


def encoded(image: Any, quality: int) -> bytes:
    """The picture as a JPEG with colour, as cameras write them."""
    import cv2

    colour = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    return bytes(cv2.imencode(".jpg", colour, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])


if __name__ == "__main__":
    main()
