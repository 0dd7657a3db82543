"""The stages by which one located code is read, from cheap to dear."""

from __future__ import annotations

from collections.abc import Callable

from digideck.scan.decode import ean_blur_decoder as fit
from digideck.scan.decode import engines, strips
from digideck.scan.decode.ean_search import EAN_13
from digideck.scan.decode.engines import Read, Sighting
from digideck.scan.decode.locate import Box, Floats, Grey
from digideck.scan.decode.strips import Strip
from digideck.scan.decode.symbologies import Symbology, canonical
from digideck.scan.images.libraries import cv2, np

COLUMNS = 800
ROWS = 48
# What boxes without bars (text, fences, scenery) mostly fall short of.
FEWEST_CROSSINGS = 12
FIT_ROWS_AGREE = 0.65
ROWS_AGREE = 0.5  # correlation of neighbouring bands; text and scenery have less


def decode_located(grey: Grey, box: Box, accepts: Callable[[Sighting], bool]) -> Read | None:
    """What the first stage that reads anything acceptable along ``box`` reads."""
    strip = strips.straighten(grey, box, columns=COLUMNS, rows=ROWS)
    for stage, engine, step in STAGES:
        seen = [one for one in step(strip) if accepts(one)]
        if seen:
            found = Read(seen[0].symbology, seen[0].payload, box.quad, engine, stage)
            doubtful = stage in DOUBTFUL_STAGES and found.symbology in DOUBTFUL_KINDS
            return (_corrected(strip, found) or found) if doubtful else found
        if stage == "strip" and strips.crossings(strip.image) < FEWEST_CROSSINGS:
            return None
        if stage == "sharp" and strips.agreement(strip.upright) < ROWS_AGREE:
            return None
    return None


def second_opinion(grey: Grey, box: Box, payload: str) -> Read | None:
    """What the bars along ``box`` say instead of ``payload``, if they say so clearly.

    A reader measures a few lines of a picture. Where it misreads an EAN-13 (and
    one misread in ten has a right check digit) the whole of the bars shows it.
    They are asked only where no strip, small, plain or sharpened, reads the same.
    """
    small = strips.straighten(grey, box, columns=COLUMNS // 2, rows=ROWS // 3)
    if any(one.payload == payload for one in _plain(small)):
        return None
    strip = strips.straighten(grey, box, columns=COLUMNS, rows=ROWS)
    for step in (_plain, _sharp):
        if any(one.payload == payload for one in step(strip)):
            return None
    return _corrected(strip, Read(Symbology.EAN_13, payload, box.quad, "zxing", "whole"))


def one_of(grey: Grey, box: Box, payloads: list[str]) -> Read | None:
    """Which of the payloads read along ``box`` is right, if its bars are those of one code.

    That is what the mean of all rows says: a misread is one of a few lines.
    """
    strip = strips.straighten(grey, box, columns=COLUMNS, rows=ROWS)
    if strips.similarity_of_ends(strip.upright) < ROWS_AGREE:
        return None
    mean = strips.bands(strip.upright, 1, thick=ROWS)
    for image in (mean, _unsharp(mean, 2.5, 1.5)):
        for seen in _zxing(_levels(image)):
            if seen.payload in payloads:
                return Read(seen.symbology, seen.payload, box.quad, "zxing", "bands")
    return None


def _corrected(strip: Strip, found: Read) -> Read | None:
    """What `fit` says instead of ``found``; None where it agrees or cannot tell."""
    better = _fit(strip)
    if not better or better[0].payload == found.payload:
        return None
    return Read(better[0].symbology, better[0].payload, found.quad, "fit", "fit")


def _plain(strip: Strip) -> list[Sighting]:
    return _zxing(_levels(strip.image, stretch=False))


def _sharp(strip: Strip) -> list[Sighting]:
    return _zxing(_levels(_unsharp(strip.image, 2.5, 1.5)))


def _sharper(strip: Strip) -> list[Sighting]:
    return _zxing(_levels(_unsharp(strip.image, 4.0, 3.0)))


def _bands(strip: Strip) -> list[Sighting]:
    bands = strips.bands(strip.upright, 5)
    return _zxing(_levels(_unsharp(bands, 4.0, 3.0)))


def _fit(strip: Strip) -> list[Sighting]:
    if strip.box.length < EAN_13.modules or strips.agreement(strip.upright) < FIT_ROWS_AGREE:
        return []
    text = fit.read(strip.upright, COLUMNS / (1 + 2 * strips.BEYOND), EAN_13)
    return [Sighting(*canonical(Symbology.EAN_13, text), ())] if text else []


STAGES: tuple[tuple[str, str, Callable[[Strip], list[Sighting]]], ...] = (
    ("strip", "zxing", _plain),
    ("sharp", "zxing", _sharp),
    ("sharper", "zxing", _sharper),
    ("bands", "zxing", _bands),
    ("fit", "fit", _fit),
)
# Reads that `fit` is asked about: kinds that it knows, from pictures made sharper than they are.
DOUBTFUL_KINDS = (Symbology.EAN_13, Symbology.UPC_A)
DOUBTFUL_STAGES = ("sharp", "sharper", "bands")


def _zxing(image: Grey) -> list[Sighting]:
    return engines.zxing(image, matrix=False, rotate=False, shrink=False)


def _levels(image: Floats, *, stretch: bool = True) -> Grey:
    """``image`` in 8 bits, its contrast stretched over them."""
    if stretch:
        mean, spread = (float(v[0, 0]) for v in cv2.meanStdDev(image))
        image = (image - mean) * (60 / max(spread, 2.0)) + 128
    return np.clip(image, 0, 255).astype(np.uint8)


def _unsharp(image: Floats, sigma: float, amount: float) -> Floats:
    return np.asarray(image + amount * (image - cv2.GaussianBlur(image, (0, 0), sigma)), np.float32)
