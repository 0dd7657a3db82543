"""Parts of a picture that claim to be longer than the file cost nobody gigabytes."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from digideck.scan.images.headers import read_header

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return struct.pack(">I", size) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(length: int | None, kind: bytes = b"IDAT") -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
    pixels = zlib.compress(b"".join(b"\0" + bytes(8) for _ in range(8)))
    body = chunk(kind, pixels, length)
    if kind != b"IDAT":
        body += chunk(b"IDAT", pixels)
    return SIGNATURE + head + body + chunk(b"IEND", b"")


def webp(length: int) -> bytes:
    body = b"VP8L" + struct.pack("<I", length) + b"\x2f" + bytes(20)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


LONGER = {
    f"png-{kind.decode()}-{length:x}": png(length, kind)
    for kind in (b"IDAT", b"tEXt", b"iCCP", b"eXIf")
    for length in (0x7FFFFFFF, 0xFFFFFFF0, 1000)
} | {f"webp-{length:x}": webp(length) for length in (0x7FFFFFFF, 0xFFFFFFF0, 1000)}


@pytest.mark.parametrize("data", LONGER.values(), ids=LONGER)
def test_a_part_longer_than_the_file_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="longer than the rest of the file"):
        read_header(data)


def test_a_whole_picture_is_not_refused() -> None:
    header = read_header(png(None))
    assert header is not None
    assert (header.width, header.height) == (8, 8)


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process can be held to a limit")
def test_a_worker_takes_no_more_than_its_limit(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", "from digideck.core.workers import limit_memory\n"
         "limit_memory(100_000_000)\ntry:\n    bytearray(200_000_000)\n"
         "except MemoryError:\n    print('refused')\nbytearray(10_000_000)\nprint('goes on')"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.split("\n") == ["refused", "goes on", ""]
