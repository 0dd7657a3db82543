"""The size of a picture from the first bytes of its file, before anything is decoded."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PictureHeader:
    """What the header of a picture says: its format and its size in pixels.

    ``orientation`` is the EXIF number (1 upright, 6 and 8 on a side), ``body``
    the place in the file behind which the pixels are.
    """

    format: str
    width: int
    height: int
    orientation: int = 1
    body: int = 0

    @property
    def pixels(self) -> int:
        """The number of pixels that decoding would have to hold."""
        return self.width * self.height


def read_header(data: bytes) -> PictureHeader | None:
    """The header of a picture; None for a file that is none, or of no known format.

    Raises ValueError where the format is known and the header broken.
    """
    for starts, reader in _READERS:
        if starts(data):
            try:
                return reader(data)
            except (struct.error, IndexError):
                raise ValueError("its header is cut short") from None
    return None


def _refuse_beyond(data: bytes, end: int) -> None:
    """A decoder takes memory for what a part says of its length: gigabytes for eight pixels."""
    if end > len(data):
        raise ValueError("it cannot be decoded: a part is longer than the rest of the file")


def _png(data: bytes) -> PictureHeader:
    width, height = struct.unpack_from(">II", data, 16)
    at, orientation = 8, 1
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        _refuse_beyond(data, at + 12 + size)
        if kind == b"eXIf":
            orientation = _exif_orientation(data[at + 8 : at + 8 + size])
        if kind == b"IEND":
            break
        at += 12 + size
    return PictureHeader("PNG", width, height, orientation)


def _jpeg(data: bytes) -> PictureHeader:
    at, orientation = 2, 1
    while True:
        if data[at] != 0xFF:
            raise ValueError("its header is damaged")
        while data[at] == 0xFF:
            at += 1
        marker = data[at]
        at += 1
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            continue
        (size,) = struct.unpack_from(">H", data, at)
        if size < 2:
            raise ValueError("its header is damaged")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 3)
            return PictureHeader("JPEG", width, height, orientation, at)
        if marker in (0xD9, 0xDA):
            raise ValueError("its header has no size")
        if marker == 0xE1 and data[at + 2 : at + 8] == b"Exif\0\0":
            orientation = _exif_orientation(data[at + 8 : at + size])
        at += size


def _webp(data: bytes) -> PictureHeader:
    at, size, orientation = 12, None, 1
    while at + 8 <= len(data):
        kind, length = struct.unpack_from("<4sI", data, at)
        body = at + 8
        _refuse_beyond(data, body + length)
        if kind == b"VP8X":
            width = int.from_bytes(data[body + 4 : body + 7], "little") + 1
            height = int.from_bytes(data[body + 7 : body + 10], "little") + 1
            size = width, height
        elif kind == b"VP8 " and size is None:
            width, height = struct.unpack_from("<HH", data, body + 6)
            size = width & 0x3FFF, height & 0x3FFF
        elif kind == b"VP8L" and size is None:
            (bits,) = struct.unpack_from("<I", data, body + 1)
            size = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        elif kind == b"EXIF":
            exif = data[body : body + length]
            orientation = _exif_orientation(exif.removeprefix(b"Exif\0\0"))
        at = body + length + length % 2
    if size is None:
        raise ValueError("its header has no size")
    return PictureHeader("WebP", *size, orientation)


def _gif(data: bytes) -> PictureHeader:
    return PictureHeader("GIF", *struct.unpack_from("<HH", data, 6))


def _bmp(data: bytes) -> PictureHeader:
    (size,) = struct.unpack_from("<I", data, 14)
    if size == 12:
        width, height = struct.unpack_from("<HH", data, 18)
    else:
        width, height = struct.unpack_from("<ii", data, 18)
    return PictureHeader("BMP", abs(width), abs(height))


def _tiff(data: bytes) -> PictureHeader:
    tags = tiff_tags(data)
    if 256 not in tags or 257 not in tags:
        raise ValueError("its header has no size")
    return PictureHeader("TIFF", tags[256], tags[257], _orientation(tags))


def _heif(data: bytes) -> PictureHeader:
    # The size is the largest one given: others are of thumbnails and tiles.
    sizes, at = [(0, 0)], data.find(b"ispe")
    while at >= 0 and at + 16 <= len(data):
        sizes.append(struct.unpack_from(">II", data, at + 8))
        at = data.find(b"ispe", at + 4)
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    if not width or not height:
        raise ValueError("its header has no size")
    return PictureHeader("HEIC", width, height)


def _exif_orientation(exif: bytes) -> int:
    try:
        return _orientation(tiff_tags(exif))
    except (struct.error, ValueError):
        return 1  # a picture is not refused for its broken EXIF


def _orientation(tags: dict[int, int]) -> int:
    value = tags.get(274, 1)
    return value if 1 <= value <= 8 else 1


def tiff_tags(data: bytes) -> dict[int, int]:
    """The whole-number tags of the first directory, of several values the first.

    Raises ValueError or struct.error for what is no TIFF.
    """
    order = {b"II": "<", b"MM": ">"}.get(data[:2])
    if order is None:
        raise ValueError("its header is damaged")
    (at,) = struct.unpack_from(f"{order}I", data, 4)
    (entries,) = struct.unpack_from(f"{order}H", data, at)
    tags = {}
    for entry in range(at + 2, at + 2 + 12 * entries, 12):
        tag, kind, count = struct.unpack_from(f"{order}HHI", data, entry)
        if kind in (3, 4):
            place, (form, size) = entry + 8, ("H", 2) if kind == 3 else ("I", 4)
            if count * size > 4:
                (place,) = struct.unpack_from(f"{order}I", data, place)
            if place + size <= len(data):
                tags[tag] = struct.unpack_from(f"{order}{form}", data, place)[0]
    return tags


_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif")

_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], PictureHeader]], ...] = (
    (lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    (lambda data: data.startswith(b"\xff\xd8\xff"), _jpeg),
    (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP", _webp),
    (lambda data: data[:6] in (b"GIF87a", b"GIF89a"), _gif),
    (lambda data: data.startswith(b"BM") and data[6:10] == b"\0\0\0\0", _bmp),
    (lambda data: data[:4] in (b"II*\0", b"MM\0*"), _tiff),
    (lambda data: data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS, _heif),
)
