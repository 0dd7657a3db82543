"""How much memory a picture takes while it is decoded and read, told from its first bytes."""

from __future__ import annotations

import struct

from digideck.scan.images.headers import PictureHeader, read_header, tiff_tags
from digideck.scan.images.libraries import MOST_PIXELS

# For the pixels; the libraries and the file itself take up to 120 MB beside them.
MOST_MEMORY = 400 * 2**20
# Bytes a pixel at the worst, measured (peak memory less that of a worker at rest).
_JPEG, _PROGRESSIVE_JPEG = 3.0, 7.0
_OPAQUE = 7.0
_MIXING = 24.0  # of what is not opaque with white, in 16 bits
_SPREADING = 36.0  # of floating-point values over 8 bits
_PROGRESSIVE = (0xC2, 0xC6, 0xCA, 0xCE)


def most_pixels(data: bytes) -> int:
    """How many pixels a picture of this kind may have to fit in a worker's memory."""
    try:
        header = read_header(data)
    except ValueError:
        header = None
    if header is None:
        return MOST_PIXELS
    return min(MOST_PIXELS, int(MOST_MEMORY / _bytes_a_pixel(header, data)))


def _bytes_a_pixel(header: PictureHeader, data: bytes) -> float:
    if header.format == "JPEG":
        return _PROGRESSIVE_JPEG if data[header.body - 1] in _PROGRESSIVE else _JPEG
    if header.format == "PNG" and len(data) > 25:
        return _png(depth=data[24], kind=data[25], transparent=b"tRNS" in data[:4096])
    if header.format == "WebP" and data[12:16] != b"VP8L" and not _has_alpha(data):
        return _OPAQUE
    if header.format == "BMP" and data[28:29] != b"\x20":  # 32 bits may have an alpha channel
        return _OPAQUE
    if header.format == "TIFF":
        return _tiff(data)
    return 4 + _MIXING


def _png(depth: int, kind: int, transparent: bool) -> float:
    channels = {0: 1, 2: 3, 3: 3, 4: 4, 6: 4}.get(kind, 4)
    mixing = _MIXING if transparent or kind in (4, 6) else 4.0
    return channels * max(depth, 8) / 8 + mixing


def _has_alpha(data: bytes) -> bool:
    return data[12:16] == b"VP8X" and len(data) > 20 and bool(data[20] & 0x10)


def _tiff(data: bytes) -> float:
    """By the bits and samples of a pixel; the worst where they cannot be told."""
    try:
        tags = tiff_tags(data)
    except (struct.error, ValueError):
        return 4 * 8 + _SPREADING
    bits, samples = tags.get(258, 1), tags.get(277, 1)
    if bits > 16:
        return samples * bits / 8 + samples * _SPREADING / 3
    return samples * bits / 8 + (_MIXING if samples in (2, 4) else 4.0)
