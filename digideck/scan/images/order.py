"""The order in which people count the codes of a picture: along the rows, from the top down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Corners = Sequence[Sequence[float]]
Item = TypeVar("Item")


def in_reading_order(items: Iterable[Item], corners: Callable[[Item], Corners]) -> list[Item]:
    """``items`` by rows. A row is what lies little lower than its first one: by half of that
    one's height, or a quarter of its width, since what a reader gives of bars is often flat.

    ``corners`` gives the points of an item, x to the right and y down.
    """
    rows: list[list[tuple[float, float, Item]]] = []
    lowest = 0.0
    boxes = [(*_box(corners(item)), item) for item in items]
    for x, y, reach, item in sorted(boxes, key=lambda box: (box[1], box[0])):
        if rows and y <= lowest:
            rows[-1].append((x, y, item))
        else:
            rows.append([(x, y, item)])
            lowest = y + reach
    return [item for row in rows for _, _, item in sorted(row, key=lambda one: one[:2])]


def _box(corners: Corners) -> tuple[float, float, float]:
    """The centre of the corners, x and y, and how much lower others of its row may be."""
    if not corners:
        return 0.0, 0.0, 0.0
    xs, ys = ([corner[axis] for corner in corners] for axis in (0, 1))
    reach = max((max(ys) - min(ys)) / 2, (max(xs) - min(xs)) / 4)
    return sum(xs) / len(xs), sum(ys) / len(ys), reach
