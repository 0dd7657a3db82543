"""Where a card lies in a picture, and its bars on it, however it is turned."""

# ruff: noqa: TID253

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from digideck.scan.match.outline import bar_areas, card_corners

LOWER_RIGHT = (0.74, 0.95)  # of the card's width and height: where short bars are
CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def lying(width: float, height: float, degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """A bright rectangle on a dark table, turned about the middle; its corners there."""
    turn = cv2.getRotationMatrix2D((500, 400), -degrees, 1)
    upright = (CORNERS - 0.5) * [width, height] + [500, 400]
    corners = upright @ turn[:, :2].T + turn[:, 2]
    picture = np.full((800, 1000), 60, np.uint8)
    cv2.fillConvexPoly(picture, np.rint(corners).astype(np.int32), 220)
    return picture, corners


def on_card(corners: np.ndarray, u: float, v: float) -> tuple[float, float]:
    x, y = corners[0] + u * (corners[1] - corners[0]) + v * (corners[3] - corners[0])
    return float(x), float(y)


@pytest.mark.parametrize("degrees", [0, 7, 45, 90, 135, 180, 250])
def test_a_card_is_found_and_its_bars_run_along_its_short_side(degrees: float) -> None:
    picture, corners = lying(315, 440, degrees)
    found = card_corners(picture)
    assert found is not None
    for corner in corners:
        assert min(math.dist(corner, other) for other in found) < 8
    right = [
        box
        for box in bar_areas(picture)
        if math.dist((box.x, box.y), on_card(corners, *LOWER_RIGHT)) < 12
    ]
    assert len(right) == 1
    (box,) = right
    assert box.length == pytest.approx(0.5 * 315, rel=0.05)
    assert box.height == pytest.approx(0.06 * 440, rel=0.2)
    turned = math.degrees(box.angle) - degrees
    assert abs((turned + 90) % 180 - 90) < 2
    # A card that lies upside down has its bars at the other end.
    upside_down = on_card(corners, 1 - LOWER_RIGHT[0], 1 - LOWER_RIGHT[1])
    assert any(math.dist((b.x, b.y), upside_down) < 12 for b in bar_areas(picture))


@pytest.mark.parametrize(
    ("width", "height"),
    [(400, 400), (150, 600), (60, 84)],
    ids=["a square", "a strip", "too small"],
)
def test_what_has_not_the_shape_of_a_card_is_none(width: float, height: float) -> None:
    picture, _ = lying(width, height, 10)
    assert card_corners(picture) is None
    assert bar_areas(picture) == []


def test_an_empty_picture_has_no_card() -> None:
    assert card_corners(np.full((480, 640), 200, np.uint8)) is None
