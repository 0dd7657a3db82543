"""Two profiles drawn above each other, for an eye to compare."""

from __future__ import annotations

from typing import Any

from digideck.scan.images.libraries import cv2, np

_HEIGHT, _GAP = 22, 4  # pixels of a strip, and between the two
_WIDE = 2  # pixels a sample
_SHADES = "█▓▒░ "


def both_profiles(seen: Any, model: Any) -> bytes:
    """A PNG: what was photographed above, what the known code looks like below."""
    strips = [_strip(row) for row in (seen, model)]
    gap = np.full((_GAP, strips[0].shape[1]), 255, np.uint8)
    encoded, data = cv2.imencode(".png", np.concatenate([strips[0], gap, strips[1]]))
    return bytes(data) if encoded else b""


def shaded(drawing: bytes, *, columns: int = 72) -> list[str]:
    """What `both_profiles` drew as two lines of text, dark where the bars are."""
    if not drawing:
        return []
    image: Any = cv2.imdecode(np.frombuffer(drawing, np.uint8), cv2.IMREAD_GRAYSCALE)
    rows = [image[_HEIGHT // 2], image[-_HEIGHT // 2]]
    few = cv2.resize(np.stack(rows), (columns, 2), interpolation=cv2.INTER_AREA)
    return ["".join(_SHADES[int(value) * len(_SHADES) // 256] for value in row) for row in few]


def _strip(row: Any) -> Any:
    low, high = np.percentile(row, (2, 98))
    grey = np.clip((row - low) / max(float(high - low), 1e-6) * 255, 0, 255).astype(np.uint8)
    return np.repeat(np.repeat(grey, _WIDE)[None], _HEIGHT, axis=0)
