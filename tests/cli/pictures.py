"""Pictures and videos of codes for tests of commands, made here."""

# ruff: noqa: TID253

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from tests.scan.conftest import code_image, noisy, on_canvas

EMPTY = np.full((480, 640), 235, np.uint8)


def photo(path: Path, *codes: str, kind: str = "Code 128", ending: str = ".png") -> Path:
    """A picture with codes one below the other, none if none is given; never twice the same."""
    image = EMPTY.copy()
    for place, text in enumerate(codes):
        code = code_image(kind, text)
        corner = (40 + place * 200, (640 - code.shape[1]) // 2)
        part = on_canvas(code, at=corner)
        image = np.minimum(image, part)
    image[0, : min(640, len(path.name))] = [ord(char) % 200 for char in path.name][:640]
    path.parent.mkdir(parents=True, exist_ok=True)
    encoded, data = cv2.imencode(ending, image)
    assert encoded
    path.write_bytes(data.tobytes())
    return path


def video(path: Path, plan: Iterable[tuple[str, int]], frames_a_second: int = 10) -> Path:
    """A video that shows each code ("": nothing) for so many frames."""
    writer = cv2.VideoWriter(
        str(path), cv2.VideoWriter.fourcc(*"MJPG"), frames_a_second, (640, 480)
    )
    assert writer.isOpened()
    for text, count in plan:
        image = on_canvas(code_image("Code 128", text)) if text else EMPTY
        for _ in range(count):
            writer.write(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR))
    writer.release()
    return path


def bars(path: Path, seed: int, sigma: float = 0.6) -> Path:
    """Bars that mean nothing to a decoder, blurred by ``sigma`` pixels."""
    widths = np.random.default_rng(seed).integers(1, 4, 61)
    row = np.repeat([255 * (at % 2) for at in range(61)], widths * 3).astype(np.uint8)
    image = on_canvas(np.repeat(row[None], 90, 0)).astype(np.float32)
    cv2.imwrite(str(path), noisy(cv2.GaussianBlur(image, (0, 0), sigma), 2))
    return path
