"""Where in a picture the bars are: boxes around patches of parallel, alternating edges."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from digideck.scan.images.libraries import cv2, np

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Grey: TypeAlias = "NDArray[np.uint8]"
Floats: TypeAlias = "NDArray[np.float32]"
Pixels = TypeVar("Pixels", bound="NDArray[Any]")

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]

SHORTEST_BOX = 60  # pixels; shorter ones hold no code that could be told apart
_CELL = 4  # pixels a side of one cell of the structure tensor: twice halved
_CELLS_A_BAND = 16  # rows of cells that are measured at a time
_COHERENT = 0.55  # 1 where all edges run one way, 0 where they run everywhere
_ONE_SIDED = 0.45  # 1 at a lone edge, 0 where dark and light alternate


@dataclass(frozen=True, slots=True)
class Box:
    """A patch of bars: its centre, its length across the bars, its height along them.

    ``angle`` is the direction across the bars, in radians.
    """

    x: float
    y: float
    length: float
    height: float
    angle: float

    @property
    def quad(self) -> Quad:
        """The four corners, in reading order seen along the bars."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        across = (c * self.length / 2, s * self.length / 2)
        along = (-s * self.height / 2, c * self.height / 2)

        def corner(a: int, b: int) -> Point:
            return (
                self.x + a * across[0] + b * along[0],
                self.y + a * across[1] + b * along[1],
            )

        return corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)

    def scaled(self, factor: float) -> Box:
        """The same patch in a picture ``factor`` times as large."""
        return Box(
            self.x * factor,
            self.y * factor,
            self.length * factor,
            self.height * factor,
            self.angle,
        )

    def holds(self, point: Point) -> bool:
        """Whether ``point`` lies in the box."""
        dx, dy = point[0] - self.x, point[1] - self.y
        c, s = math.cos(self.angle), math.sin(self.angle)
        return abs(dx * c + dy * s) <= self.length / 2 and abs(dy * c - dx * s) <= self.height / 2


def bar_boxes(grey: Grey, *, work_size: int, most: int) -> list[Box]:
    """The patches of bars in a picture, largest first, at most ``most`` of them.

    The structure tensor tells them: many strong edges, all in one direction,
    dark-to-light and light-to-dark in turn.
    """
    scale = min(1.0, work_size / max(grey.shape))
    small: Any = grey
    if scale < 1:
        small = shrunk(grey, *(max(1, round(side * scale)) for side in grey.shape[::-1]))
    height, width = (side // _CELL for side in small.shape)
    if height < 2 or width < 4:
        return []
    # Whole cells only: averaging them is several times quicker.
    small = cv2.GaussianBlur(small[: height * _CELL, : width * _CELL], (3, 3), 0)
    averages = _averages(small, height, width)
    xx, yy, xy, gx, gy, strength = (cv2.blur(values, (5, 5)) for values in averages)
    lean = cv2.magnitude(gx, gy) / (strength + 1e-3)
    spread = cv2.magnitude(xx - yy, 2 * xy)
    coherence = spread / (xx + yy + 1e-3)
    energy = np.where((coherence > _COHERENT) & (lean < _ONE_SIDED), spread, 0)
    strongest = float(energy.max())
    if strongest < 400:
        return []
    mask = (energy > 0.12 * strongest).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    order = sorted(range(1, count), key=lambda i: -float(stats[i, cv2.CC_STAT_AREA]))
    boxes = []
    for label in order[:most]:
        if stats[label, cv2.CC_STAT_AREA] < 12:
            break
        x, y, w, h = (int(v) for v in stats[label, :4])
        ys, xs = np.nonzero(labels[y : y + h, x : x + w] == label)
        xs, ys = xs + x, ys + y
        boxes.append(_fitted_box(xs, ys, xx, yy, xy).scaled(_CELL / scale))
    return boxes


def _averages(small: Grey, height: int, width: int) -> Floats:
    """The mean in each cell of xx, yy, xy, x and y of the gradient, and of its strength.

    Band by band: what a band takes stays in the processor's cache. A cell is halved
    twice, since OpenCV is quickest at that.
    """
    averages = np.empty((6, height, width), np.float32)
    for first in range(0, height, _CELLS_A_BAND):
        last = min(first + _CELLS_A_BAND, height)
        above = min(first, 1)  # a row more on both sides, for the gradient at the edge
        band = small[first * _CELL - above : last * _CELL + 1]
        rows = slice(above, above + (last - first) * _CELL)
        gx = cv2.Sobel(band, cv2.CV_32F, 1, 0)[rows]
        gy = cv2.Sobel(band, cv2.CV_32F, 0, 1)[rows]
        products = gx * gx, gy * gy, gx * gy, gx, gy, cv2.magnitude(gx, gy)
        for place, values in enumerate(products):
            averages[place, first:last] = _halved(_halved(values))
    return averages


def _halved(values: Any) -> Any:
    return shrunk(values, values.shape[1] // 2, values.shape[0] // 2)


def joined(boxes: list[Box]) -> list[Box]:
    """Boxes for pairs of boxes that lie in one line like the two halves of a code."""
    pairs = []
    for i, one in enumerate(boxes):
        for other in boxes[i + 1 :]:
            both = _union(one, other)
            if both is not None:
                pairs.append(both)
    return pairs


def _union(one: Box, other: Box) -> Box | None:
    """The box around two that are turned alike, equally high and end to end."""
    turn = _half_turn(other.angle - one.angle)
    if abs(turn) > 0.25 or not 0.6 < one.height / other.height < 1.67:
        return None
    c, s = math.cos(one.angle), math.sin(one.angle)
    dx, dy = other.x - one.x, other.y - one.y
    across, along = dx * c + dy * s, dy * c - dx * s
    gap = abs(across) - (one.length + other.length) / 2
    if abs(along) > 0.35 * max(one.height, other.height):
        return None
    if not -0.3 * min(one.length, other.length) < gap < 0.3 * max(one.length, other.length):
        return None
    low = min(-one.length / 2, across - other.length / 2)
    high = max(one.length / 2, across + other.length / 2)
    middle = (low + high) / 2
    return Box(
        one.x + middle * c - along / 2 * s,
        one.y + middle * s + along / 2 * c,
        high - low,
        min(one.height, other.height),
        one.angle + _half_turn(math.atan2(dy, dx) - one.angle),
    )


def _half_turn(angle: float) -> float:
    """``angle`` between -90 and 90 degrees: bars have no up and down."""
    return (angle + math.pi / 2) % math.pi - math.pi / 2


def longest_first(boxes: Iterable[Box]) -> list[Box]:
    """Boxes by length; codes are longer than high, and what is not comes last."""
    return sorted(boxes, key=lambda box: (box.length < box.height, -box.length))


def same_patch(one: Box, other: Box) -> bool:
    """Whether two boxes are about the same patch."""
    return (
        math.hypot(one.x - other.x, one.y - other.y) < 0.1 * one.length
        and abs(one.length - other.length) < 0.15 * one.length
    )


def shrunk(image: Pixels, columns: int, rows: int) -> Pixels:
    """``image`` smaller, each pixel the mean of those it stands for."""
    small: Any = cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA)
    result: Pixels = small
    return result


def _fitted_box(xs: Any, ys: Any, xx: Any, yy: Any, xy: Any) -> Box:
    """The box around cells, turned to the direction of their edges."""
    a, b, c = (float(t[ys, xs].sum()) for t in (xx, yy, xy))
    angle = 0.5 * math.atan2(2 * c, a - b)
    cos, sin = math.cos(angle), math.sin(angle)
    across = (xs + 0.5) * cos + (ys + 0.5) * sin
    along = (ys + 0.5) * cos - (xs + 0.5) * sin
    left, right = _inner_range(np.sort(across), 0.005)
    top, bottom = _inner_range(np.sort(along), 0.02)
    u, v = (left + right) / 2, (top + bottom) / 2
    return Box(
        u * cos - v * sin,
        u * sin + v * cos,
        right - left + 1,
        max(bottom - top + 1, 2),
        angle,
    )


def _inner_range(values: Any, outside: float) -> tuple[float, float]:
    """The range of sorted values without a share of ``outside`` at each end."""
    cut = int(outside * len(values))
    return float(values[cut]), float(values[len(values) - 1 - cut])
