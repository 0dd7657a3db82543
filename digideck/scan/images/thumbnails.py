"""Small pictures with the codes that were found drawn in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from digideck.scan.images.libraries import cv2, np


def drawn(
    image: Any,
    quads: Sequence[Sequence[tuple[float, float]]],
    *,
    longest: int,
    quality: int = 75,
    numbered: bool = False,
) -> bytes:
    """``image`` as a JPEG of at most ``longest`` pixels a side, with the quads in green."""
    height, width = image.shape[:2]
    scale = min(1.0, longest / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if scale < 1 else image.copy()
    if small.ndim == 2:
        small = cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
    for number, quad in enumerate(quads, start=1):
        corners = np.rint(np.array(quad) * scale).astype(np.int32)
        cv2.polylines(small, [corners], True, (64, 200, 0), 2, cv2.LINE_AA)
        if numbered:
            _draw_number(small, number, int(corners[:, 0].min()), int(corners[:, 1].min()))
    encoded, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return bytes(data) if encoded else b""


def _draw_number(image: Any, number: int, left: int, top: int) -> None:
    """A number above a quad, on a label so that it is seen on anything."""
    text, font = str(number), cv2.FONT_HERSHEY_SIMPLEX
    (width, height), _ = cv2.getTextSize(text, font, 0.6, 2)
    x, y = max(left, 0), max(top, height + 8)
    cv2.rectangle(image, (x, y - height - 8), (x + width + 6, y), (40, 130, 0), cv2.FILLED)
    cv2.putText(image, text, (x + 3, y - 4), font, 0.6, (255, 255, 255), 2, cv2.LINE_AA)
