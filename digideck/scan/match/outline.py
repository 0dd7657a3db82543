"""Where a card lies in a picture, for bars that touch its edge and so are not located."""

from __future__ import annotations

import math
from typing import Any

from digideck.scan.decode.locate import Box, Grey
from digideck.scan.images.libraries import cv2

_WORK_SIZE = 640  # pixels of the longer side
_SMALLEST = 0.1  # of the picture
_SIDES = (1.2, 1.65)  # long over short side of a card: 88 mm over 63 mm, seen from aside
# The bars of the 1999 game's later cards: at the lower right, to the edge. Centre, length and
# height in shares of the card's width and height; assumed from descriptions, not measured.
_BAR_AREAS = (((0.74, 0.95), 0.5, 0.06), ((0.5, 0.95), 0.94, 0.06))


def bar_areas(grey: Grey) -> list[Box]:
    """Where the bars of a card would be, with the card either way up; none without a card."""
    corners = card_corners(grey)
    if corners is None:
        return []
    return [
        _box(turned, area)
        for turned in (corners, [*corners[2:], *corners[:2]])
        for area in _BAR_AREAS
    ]


def card_corners(grey: Grey) -> list[tuple[float, float]] | None:
    """The corners of the largest card, in order around it from its upper left one."""
    scale = min(1.0, _WORK_SIZE / max(grey.shape))
    small: Any = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    sharp = cv2.Canny(cv2.GaussianBlur(small, (5, 5), 0), 40, 120)
    edges = cv2.dilate(sharp, cv2.getStructuringElement(cv2.MORPH_RECT, (3, 3)))
    contours, _ = cv2.findContours(edges, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:5]:
        if cv2.contourArea(contour) < _SMALLEST * small.size:
            return None
        around = cv2.approxPolyDP(contour, 0.03 * cv2.arcLength(contour, True), True)
        if len(around) == 4 and cv2.isContourConvex(around):
            found = _upright([(float(x) / scale, float(y) / scale) for x, y in around[:, 0]])
            if found is not None:
                return found
    return None


def _upright(corners: list[tuple[float, float]]) -> list[tuple[float, float]] | None:
    """The corners, turned so that the first side is a short one; None for what is no card."""
    centre = [sum(corner[axis] for corner in corners) / 4 for axis in (0, 1)]
    corners = sorted(corners, key=lambda c: math.atan2(c[1] - centre[1], c[0] - centre[0]))
    one, other = (
        (math.dist(corners[at], corners[at + 1]) + math.dist(corners[at + 2], corners[at - 1])) / 2
        for at in (0, 1)
    )
    if not _SIDES[0] < max(one, other) / max(min(one, other), 1e-6) < _SIDES[1]:
        return None
    return corners if one < other else [*corners[1:], corners[0]]


def _box(corners: list[tuple[float, float]], area: tuple[tuple[float, float], float, float]) -> Box:
    (u, v), length, height = area
    a, b, c, d = corners

    def at(u: float, v: float) -> tuple[float, float]:
        x, y = (
            (a[i] * (1 - u) + b[i] * u) * (1 - v) + (d[i] * (1 - u) + c[i] * u) * v for i in (0, 1)
        )
        return x, y

    left, right = at(u - length / 2, v), at(u + length / 2, v)
    top, bottom = at(u, v - height / 2), at(u, v + height / 2)
    angle = math.atan2(right[1] - left[1], right[0] - left[0])
    return Box(*at(u, v), math.dist(left, right), math.dist(top, bottom), angle)
