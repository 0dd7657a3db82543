"""The two readers, zxing-cpp and ZBar, behind one plain answer."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from digideck.scan.decode.locate import Grey, Point, Quad
from digideck.scan.decode.symbologies import Symbology, canonical, link_key


@dataclass(frozen=True, slots=True)
class Sighting:
    """What an engine read in one image, with the corners it gives, in that image."""

    symbology: Symbology
    payload: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """One code read in one picture.

    ``quad`` has its corners in image coordinates, ``engine`` is "zxing", "zbar"
    or "fit", ``stage`` what read it.
    """

    symbology: Symbology
    payload: str
    quad: Quad
    engine: str
    stage: str

    @property
    def key(self) -> tuple[str, str]:
        """What links are looked up by."""
        return link_key(self.symbology, self.payload)


# Naming the formats matters: asked for "all linear", zxing-cpp finds ITF of two
# digits in any picture of a fence.
_KINDS: tuple[Symbology, ...] = tuple(kind for kind in Symbology if kind is not Symbology.PROFILE)
_ZBAR_NAMES = {"I25" if kind is Symbology.ITF else kind.joined.upper(): kind for kind in _KINDS}


@functools.cache
def _zxing() -> Any:
    import zxingcpp

    return zxingcpp


@functools.cache
def _zxing_formats(matrix: bool) -> tuple[list[Any], dict[str, Symbology]]:
    """The formats to ask for, and the names they come back with."""
    formats = _zxing().BarcodeFormat
    found = {kind: getattr(formats, kind.joined) for kind in _KINDS}
    found[Symbology.CODE_39] = formats.Code39Std
    names = {str(one): kind for kind, one in found.items()}
    names[str(formats.Code39)] = Symbology.CODE_39  # how a plain Code 39 comes back
    names[str(formats.QRCodeModel2)] = Symbology.QR
    return [one for kind, one in found.items() if matrix or kind is not Symbology.QR], names


def zxing(
    grey: Grey, *, matrix: bool = True, rotate: bool = True, shrink: bool = True
) -> list[Sighting]:
    """What zxing-cpp reads; ``matrix`` asks for QR codes too."""
    formats, names = _zxing_formats(matrix)
    options = {"try_rotate": rotate, "try_downscale": shrink, "try_invert": False}
    return _zxing_sightings(grey, formats, names, **options)


def zxing_qr(grey: Grey, *, one_threshold: bool = False) -> list[Sighting]:
    """QR codes only, light on dark ones too; ``one_threshold`` binarizes all alike."""
    library = _zxing()
    formats, names = _zxing_formats(True)
    binarizer = library.Binarizer
    way = binarizer.GlobalHistogram if one_threshold else binarizer.LocalAverage
    return _zxing_sightings(grey, formats[-1:], names, try_invert=True, binarizer=way)


def _zxing_sightings(
    grey: Grey, formats: list[Any], names: dict[str, Symbology], **options: Any
) -> list[Sighting]:
    library = _zxing()
    plain = library.TextMode.Plain
    sightings = []
    results = library.read_barcodes(grey, formats, text_mode=plain, **options)
    for result in results:
        kind = names.get(str(result.format))
        if kind is None or not result.text:
            continue
        at = result.position
        corners = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
        points = tuple((float(p.x), float(p.y)) for p in corners)
        sightings.append(Sighting(*canonical(kind, result.text), points))
    return sightings


@functools.cache
def _zbar() -> Any | None:
    """pyzbar, or None where it or the system's libzbar is missing."""
    try:
        from pyzbar import pyzbar  # type: ignore[import-untyped, unused-ignore]
    except (ImportError, OSError):
        return None
    return pyzbar


def zbar_is_there() -> bool:
    """Whether ZBar can be used."""
    return _zbar() is not None


def zbar(grey: Grey, *, matrix: bool = False) -> list[Sighting]:
    """What ZBar reads, what it saw most often first; nothing where it is not installed."""
    library = _zbar()
    if library is None:
        return []
    wanted = [
        library.ZBarSymbol[name]
        for name in _ZBAR_NAMES
        if name != "I25" and (matrix or name != "QRCODE")
    ]
    sightings = []
    results = library.decode(grey, symbols=wanted)
    for result in sorted(results, key=lambda one: -one.quality):
        kind = _ZBAR_NAMES.get(result.type)
        try:
            text = result.data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if kind is None or not text:
            continue
        points = tuple((float(p.x), float(p.y)) for p in result.polygon)
        sightings.append(Sighting(*canonical(kind, text), points))
    return sightings
