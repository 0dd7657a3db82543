"""Codes drawn by zxing-cpp's writer, for labels to print and for bars to compare."""

from __future__ import annotations

from typing import Any


def written(format_name: str, text: str) -> Any:
    """The modules of a code, rows x columns of bool, true where dark, no quiet zone.

    ``format_name`` is the kind as zxing-cpp calls it. A linear code has one row.
    Raises ValueError or RuntimeError for a text that such a code cannot carry.
    """
    import numpy as np
    import zxingcpp

    code = zxingcpp.create_barcode(text, getattr(zxingcpp.BarcodeFormat, format_name))
    dark = np.array(code.to_image(scale=1, add_quiet_zones=False)) < 128
    # Some guards are longer than the other bars and all bars are at the top.
    return dark if format_name == "QRCode" else dark[:1]
