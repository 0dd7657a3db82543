"""Codes drawn by zxing-cpp's writer, for labels to print and for bars to compare."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import np

QUIET = {Symbology.CODE_128: 10, Symbology.QR: 4}  # modules that stay white, as the standards say


@dataclass(frozen=True, slots=True)
class Modules:
    """A code in modules, the width of its thinnest bar.

    ``size`` is its columns and rows without the quiet zone; a linear code has one
    row. ``dark`` has the column, the row and the length of each dark run.
    """

    kind: Symbology
    size: tuple[int, int]
    dark: tuple[tuple[int, int, int], ...]

    @property
    def quiet(self) -> int:
        """The modules that stay white: left and right, around a QR."""
        return QUIET[self.kind]


@functools.lru_cache(maxsize=16)  # one is measured, warned of and drawn, maybe on many labels
def modules(kind: Symbology, payload: str) -> Modules:
    """The code of ``payload``."""
    rows: Sequence[Sequence[bool]] = encoded(kind, payload).tolist()
    dark = tuple((x, y, length) for y, row in enumerate(rows) for x, length in _dark_runs(row))
    return Modules(kind, (len(rows[0]), len(rows)), dark)


def _dark_runs(row: Sequence[bool]) -> Iterator[tuple[int, int]]:
    place = 0
    for dark, run in groupby(row):
        length = len(list(run))
        if dark:
            yield place, length
        place += length


def encoded(kind: Symbology, text: str) -> Any:
    """The modules of a code, rows x columns of bool, true where dark, no quiet zone.

    A linear code has one row. Raises ValueError or RuntimeError for a text that such a code
    cannot carry.
    """
    import zxingcpp

    code = zxingcpp.create_barcode(text, getattr(zxingcpp.BarcodeFormat, kind.joined))
    dark = np.array(code.to_image(scale=1, add_quiet_zones=False)) < 128
    # Some guards are longer than the other bars and all bars are at the top.
    return dark if kind is Symbology.QR else dark[:1]
