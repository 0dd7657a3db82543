"""Made webcam frames: a card held up, with a picture, lines of text and a Code 128."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

_MASTER = 16  # pixels a millimetre of the card that is drawn
_FRAME = (1280, 720)


def frames(cards: int, seed: int) -> Iterator[tuple[str, Any]]:
    """Three frames of each of so many cards: the payload of its code, and the grey picture.

    A module is 1.1 to 2.4 pixels, the focus 0.6 to 1.6 pixels off, the light dim to bright.
    """
    chance = random.Random(seed)
    for _ in range(cards):
        payload = (
            chance.choice(["DG", "NR", "NX", "AK"])
            + chance.choice("0123456789")
            + "".join(chance.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(2))
            + f"{chance.randrange(10_000):04}"
        )
        card = _card(payload, chance.randrange(2**31))
        for _ in range(3):
            yield payload, _frame(card, chance)


def _card(payload: str, seed: int) -> Any:
    """A card of 59 x 86 mm, upright, in grey."""
    import cv2
    import numpy as np
    import zxingcpp

    chance = np.random.default_rng(seed)
    width, height = 59 * _MASTER, 86 * _MASTER
    card = np.full((height, width), chance.integers(190, 250), np.uint8)
    coarse = chance.uniform(20, 240, (10, 10)).astype(np.float32)
    picture = cv2.resize(coarse, (width - 96, height // 2), interpolation=cv2.INTER_CUBIC)
    for _ in range(20):
        centre = int(chance.integers(0, width)), int(chance.integers(0, height // 2))
        radius = int(chance.integers(10, 160))
        cv2.circle(picture, centre, radius, float(chance.uniform(0, 255)), -1)
    card[48 : 48 + height // 2, 48:-48] = np.clip(picture, 0, 255)
    for line in range(7):
        top = round(0.58 * height) + line * 38
        for word in range(int(chance.integers(3, 9))):
            left = 64 + word * 78
            cv2.rectangle(
                card, (left, top), (left + int(chance.integers(30, 66)), top + 18), 40, -1
            )
    code = zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.Code128).to_image(scale=1)
    bars = np.pad(np.array(code)[0], 10, constant_values=255)
    module = round(0.25 * _MASTER)
    drawn = np.repeat(np.repeat(bars, module)[None], 9 * _MASTER, axis=0)
    left = int(chance.integers(16, width - drawn.shape[1] - 16))
    card[-13 * _MASTER : -4 * _MASTER, left : left + drawn.shape[1]] = drawn
    return card


def _frame(card: Any, chance: random.Random) -> Any:
    """The card before a camera: turned, from aside, out of focus, in some light, with noise."""
    import cv2
    import numpy as np

    height, width = card.shape
    noise = np.random.default_rng(chance.randrange(2**31))
    room = noise.uniform(20, 200, (9, 16)).astype(np.float32)
    frame = cv2.resize(room, _FRAME, interpolation=cv2.INTER_CUBIC)
    scale = chance.uniform(1.1, 2.4) / (0.25 * _MASTER)
    turn = np.deg2rad(chance.uniform(-30, 30) + chance.choice([0, 0, 180]))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    centred = (corners - [width / 2, height / 2]) * scale
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    place = [640 + chance.uniform(-150, 150), 360 + chance.uniform(-60, 60)]
    lean = noise.uniform(-0.03, 0.03, (4, 2)) * width * scale
    target = (centred @ spin.T + place + lean).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    small = cv2.GaussianBlur(card, (0, 0), 0.4 / scale)
    cv2.warpPerspective(small.astype(np.float32), matrix, _FRAME, frame,
                        borderMode=cv2.BORDER_TRANSPARENT)  # fmt: skip
    frame = cv2.GaussianBlur(frame, (0, 0), chance.uniform(0.6, 1.6))
    frame = frame * chance.uniform(0.35, 1.0) + noise.normal(0, chance.uniform(2, 6), frame.shape)
    frame = np.clip(frame, 0, 255).astype(np.uint8)
    encoded = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
    return cv2.imdecode(encoded, cv2.IMREAD_GRAYSCALE)
