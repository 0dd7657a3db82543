"""A located code straightened: bars upright, enlarged, with room for its quiet zones."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

from digideck.scan.decode import profiles
from digideck.scan.decode.locate import Box, Floats, Grey, shrunk
from digideck.scan.images.libraries import cv2, np

_STEADY = 0.85  # agreement of rows that are as good as one
BEYOND = 0.2  # the strip reaches this share of the box's length past each end


@dataclass(frozen=True, eq=False)
class Strip:
    """An upright cut of the picture along a box."""

    box: Box
    image: Floats  # rows x columns, 0..255

    @functools.cached_property
    def upright(self) -> Floats:
        """The image with its bars made upright."""
        return _made_upright(self.image)


def straighten(grey: Grey, box: Box, *, columns: int, rows: int) -> Strip:
    """The strip along ``box``."""
    step = box.length * (1 + 2 * BEYOND) / columns
    down = box.height / rows
    c, s = math.cos(box.angle), math.sin(box.angle)
    half_w, half_h = (columns - 1) / 2, (rows - 1) / 2
    matrix = np.array(
        [
            [c * step, -s * down, box.x - c * step * half_w + s * down * half_h],
            [s * step, c * down, box.y - s * step * half_w - c * down * half_h],
        ],
        np.float32,
    )
    reach = (box.length * (1 + 2 * BEYOND) + box.height) / 2 + 4
    x0, y0 = max(0, int(box.x - reach)), max(0, int(box.y - reach))
    patch: Any = grey[y0 : int(box.y + reach) + 1, x0 : int(box.x + reach) + 1]
    if step > 1.5:
        patch = cv2.GaussianBlur(patch, (0, 0), 0.4 * step)
    local = matrix - np.array([[0, 0, x0], [0, 0, y0]], np.float32)
    image = cv2.warpAffine(
        patch,
        local,
        (columns, rows),
        flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return Strip(box, image.astype(np.float32))


def _made_upright(image: Floats, *, most: int = 24, tries: int = 17) -> Floats:
    """``image`` with its rows shifted evenly so that their mean has the most contrast.

    Perspective leaves the bars leaning differently from the edge of the code;
    averaging rows needs them upright.
    """
    columns = image.shape[1] // 2
    few = shrunk(image, columns, 8)
    best, best_energy = 0.0, -1.0
    for shift in np.linspace(-most, most, tries):
        mean = _sheared(few, float(shift) / 2).mean(axis=0)[columns // 5 : -columns // 5]
        energy = float((np.diff(mean) ** 2).sum())
        if energy > best_energy:
            best, best_energy = float(shift), energy
    return _sheared(image, best)


def _sheared(image: Floats, shift: float) -> Floats:
    rows, columns = image.shape
    matrix = np.array([[1, shift / rows, -shift / 2], [0, 1, 0]], np.float32)
    way = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    sheared = cv2.warpAffine(
        image, matrix, (columns, rows), flags=way, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(sheared, np.float32)


def bands(image: Floats, count: int, *, thick: int = 8) -> Floats:
    """``image`` as ``count`` bands, each the mean of its rows, ``thick`` rows high."""
    few = cv2.resize(image, (image.shape[1], count), interpolation=cv2.INTER_AREA)
    return np.repeat(few, thick, axis=0)


def agreement(image: Floats) -> float:
    """How much neighbouring bands of rows are alike: 1 for bars, little for anything else."""
    bands_ = _four_bands(image)
    return float(np.median((bands_[:-1] * bands_[1:]).sum(axis=1)))


def similarity_of_ends(image: Floats) -> float:
    """How much the rows at the top and at the bottom are alike: 1 for the bars of one code."""
    bands_ = _four_bands(image)
    return float((bands_[0] * bands_[-1]).sum())


def _four_bands(image: Floats) -> Floats:
    """The means of a quarter of the rows each, levelled, of length one."""
    columns = image.shape[1] // 4
    few = shrunk(image, columns, 4)
    edge = int(columns * BEYOND / (1 + 2 * BEYOND))
    few = profiles.levelled(few, 0.07 * columns)[:, edge:-edge]
    few = few - few.mean(axis=1, keepdims=True)
    result: Floats = few / (np.linalg.norm(few, axis=1, keepdims=True) + 1e-6)
    return result


def steady_rows(strip: Strip) -> tuple[Floats, float]:
    """The rows of a strip that are most alike, and their agreement.

    All but the edges where those agree; else a band of them, since bars fan out in a picture
    from aside, bend around a can, or have digits below them.
    """
    rows = len(strip.image)
    edge, high = rows // 8, 3 * rows // 8
    best, most = strip.upright[edge:-edge], agreement(strip.upright)
    if most >= _STEADY:
        return best, most
    for first in range(0, rows - high + 1, high // 2):
        band = _made_upright(strip.image[first : first + high])
        agrees = agreement(band)
        if agrees > most:
            best, most = band, agrees
    return best, most


def crossings(image: Floats) -> int:
    """How often the middle rows go from light to dark and back, inside the box."""
    rows, columns = image.shape
    few = shrunk(image[rows // 3 : -(rows // 3)], columns // 4, 1)
    edge = int(columns // 4 * BEYOND / (1 + 2 * BEYOND))
    row = profiles.levelled(few, 0.07 * columns / 4)[0, edge:-edge]
    clear = row[np.abs(row) > 0.25]  # what lies between is noise about the middle
    return int(np.count_nonzero(np.diff(clear > 0)))
