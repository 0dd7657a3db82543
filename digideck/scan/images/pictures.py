"""Opening picture files that strangers made: checked first, decoded once, from memory."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import shown_path
from digideck.scan.images.headers import PictureHeader, read_header
from digideck.scan.images.libraries import MOST_PIXELS, cv2, np

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

MOST_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture file as it was read: its bytes' hash and its pixels.

    ``image`` is upright, opaque and 8 bits deep: rows x columns (grey), or
    rows x columns x 3 (BGR) where it has colour and that was asked for. ``sha256`` is of the
    whole file, so that a picture is known again under another name.
    """

    path: str
    sha256: str
    header: PictureHeader
    image: Image


def open_picture(
    path: str,
    *,
    colour: bool = False,
    most_bytes: int = MOST_BYTES,
    most_pixels: int = MOST_PIXELS,
) -> Picture:
    """The picture in a file. Raises InputError."""
    try:
        data = read_file(path, most_bytes=most_bytes)
        return decode_picture(data, path=path, colour=colour, most_pixels=most_pixels)
    except MemoryError:
        raise no_memory(path) from None


def no_memory(path: str) -> InputError:
    """The error of a picture that the machine is too small for."""
    return input_error(
        Code.PICTURE_TOO_LARGE,
        "not enough memory to read it",
        file=shown_path(path),
        next_step="make it smaller",
    )


def read_file(path: str, *, most_bytes: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file, read once; raises InputError for anything else.

    The file is opened before it is looked at, without waiting, so that neither
    a FIFO nor a file that is swapped meanwhile is ever read from.
    """
    shown = shown_path(path)
    try:
        handle = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise _not_a_file(shown, stat.S_ISDIR(status.st_mode))
            if status.st_size <= most_bytes:
                data = file.read(most_bytes + 1)
                if len(data) <= most_bytes:
                    return data
    except FileNotFoundError:
        raise input_error(Code.FILE_MISSING, "no such file", file=shown) from None
    except IsADirectoryError:
        raise _not_a_file(shown, True) from None
    except ValueError:  # a NUL in the name
        raise input_error(Code.FILE_MISSING, "no such file", file=shown) from None
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise _not_a_file(shown, False) from None
        reason = (error.strerror or str(error)).lower()
        raise input_error(Code.FILE_UNREADABLE, f"cannot be read: {reason}", file=shown) from None
    raise input_error(
        Code.FILE_TOO_LARGE,
        f"too large for a picture: more than {most_bytes:,} bytes",
        file=shown,
        allowed=most_bytes,
        next_step="check that this is a photo",
    )


_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _not_a_file(shown: str, folder: bool) -> InputError:
    kind = "a folder" if folder else "not a regular file"
    return input_error(Code.NOT_A_FILE, f"{kind}, expected a picture", file=shown)


def decode_picture(
    data: bytes,
    *,
    path: str,
    colour: bool = False,
    most_pixels: int = MOST_PIXELS,
    sha256: str | None = None,
) -> Picture:
    """The picture in the bytes of a file; raises InputError, naming ``path``.

    Give ``sha256`` where the hash of ``data`` is known already.
    """
    shown = shown_path(path)
    header = _checked_header(data, shown, most_pixels)
    if header.format == "HEIC":
        image = _decoded_heif(data, shown)
    else:
        image = _decoded(data, header, colour)
    if image is None:
        raise input_error(
            Code.PICTURE_BROKEN,
            f"a {header.format} picture that cannot be decoded: damaged or cut short",
            file=shown,
        )
    if not colour and image.ndim == 3:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    return Picture(path, sha256 or hashlib.sha256(data).hexdigest(), header, image)


def _checked_header(data: bytes, shown: str, most_pixels: int) -> PictureHeader:
    if not data:
        raise input_error(Code.NOT_A_PICTURE, "an empty file", file=shown)
    try:
        header = read_header(data)
    except ValueError as error:
        raise input_error(Code.PICTURE_BROKEN, f"a picture, but {error}", file=shown) from None
    if header is None:
        raise input_error(
            Code.NOT_A_PICTURE,
            "not a picture of a known kind",
            file=shown,
            allowed="PNG, JPEG, WebP, BMP, GIF, TIFF, HEIC",
        )
    if header.width == 0 or header.height == 0:
        raise input_error(Code.PICTURE_BROKEN, "a picture without pixels", file=shown)
    if header.pixels > most_pixels:
        raise input_error(
            Code.PICTURE_TOO_LARGE,
            f"{header.width:,} x {header.height:,} pixels are too many to decode",
            file=shown,
            have=header.pixels,
            allowed=most_pixels,
            next_step="make it smaller",
        )
    return header


def _decoded(data: bytes, header: PictureHeader, colour: bool) -> Image | None:
    """The pixels of a picture, or None where OpenCV cannot decode them all."""
    raw = np.frombuffer(data, np.uint8)
    way = cv2.IMREAD_UNCHANGED
    if header.format == "JPEG" and not colour:  # has no alpha, and grey is quicker
        way = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        with _nothing_on_stderr():
            image = cv2.imdecode(raw, way)
    except cv2.error as error:
        if getattr(error, "code", 0) == cv2.Error.STS_NO_MEM:
            raise MemoryError from None
        return None
    if image is None or image.ndim not in (2, 3) or _cut_short(data, header):
        return None
    if {image.shape[0], image.shape[1]} != {header.width, header.height}:
        return None
    return _upright(_opaque(_eight_bits(image)), header.orientation)


@contextmanager
def _nothing_on_stderr() -> Iterator[None]:
    """Keeps to itself what libraries below OpenCV (libpng, libtiff) write there."""
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _cut_short(data: bytes, header: PictureHeader) -> bool:
    """Whether the end of the file is missing, which decoders fill in with grey."""
    if header.format == "JPEG":
        scan = data.find(b"\xff\xda", header.body)
        return scan < 0 or data.rfind(b"\xff\xd9", scan) < 0  # most end with it
    if header.format == "PNG":
        return b"IEND" not in data[-4096:]
    return False


def _eight_bits(image: Any) -> Image:
    if image.dtype == np.uint8:
        eight: Image = image
        return eight
    if image.dtype == np.uint16:
        high_bytes: Image = (image >> 8).astype(np.uint8)
        return high_bytes
    values: NDArray[np.float32] = np.nan_to_num(image.astype(np.float32))
    low, high = float(values.min()), float(values.max())
    return ((values - low) * (255 / max(high - low, 1e-9))).astype(np.uint8)


def _opaque(image: Image) -> Image:
    """The picture without its alpha channel, composed on white."""
    if image.ndim == 2 or image.shape[2] == 3:
        return image
    if image.shape[2] not in (2, 4):
        return np.ascontiguousarray(image[:, :, 0])
    colours = image[:, :, :-1].astype(np.uint16)
    alpha = image[:, :, -1:].astype(np.uint16)
    mixed = (colours * alpha + 255 * (255 - alpha) + 127) // 255
    result = mixed.astype(np.uint8)
    return result[:, :, 0] if result.shape[2] == 1 else result


def _upright(image: Image, orientation: int) -> Image:
    """The picture turned as its EXIF data says."""
    if orientation in (5, 6, 7, 8):
        image = np.swapaxes(image, 0, 1)
    if orientation in (3, 4, 7, 8):
        image = image[::-1]
    if orientation in (2, 3, 6, 7):
        image = image[:, ::-1]
    return np.ascontiguousarray(image)


def _decoded_heif(data: bytes, shown: str) -> Image | None:
    import io

    try:
        import pillow_heif  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise input_error(
            Code.PICTURE_NEEDS_EXTRA,
            "a HEIC picture, which needs the heic extra",
            file=shown,
            next_step='pip install "digideck[heic]"',
        ) from None
    try:
        image = pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True, bgr_mode=True)
        pixels = np.asarray(image)  # upright: libheif applies the rotation itself
    except (ValueError, RuntimeError, OSError, EOFError, SyntaxError):
        return None
    return _opaque(np.ascontiguousarray(pixels, np.uint8))
