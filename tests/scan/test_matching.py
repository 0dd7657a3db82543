"""Bars that nothing reads, matched to the codes that are known."""

# ruff: noqa: TID253

from __future__ import annotations

import cv2
import numpy as np
import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st

from digideck.scan import templates
from digideck.scan.links import Code
from digideck.scan.locate import Box
from digideck.scan.matching import PROPOSED, TRUSTED, TRUSTED_TWICE, KnownBars, best_match, matches
from digideck.scan.outline import bar_areas, card_corners
from digideck.scan.profile_text import checked_text, samples_of, text_of
from digideck.scan.reading import bars_of, look
from digideck.schema.problems import Unusable
from tests.scan.conftest import code_image, noisy, on_canvas, turned

KINDS = [
    ("EAN-13", "4006381333931"),
    ("EAN-8", "96385074"),
    ("Code 128", "DM-013A"),
    ("Code 39", "AB-123"),
    ("ITF", "0829220875"),
    ("Codabar", "A12345678B"),
]


def blurred(kind: str, text: str, sigma: float = 2.8) -> np.ndarray:
    """A picture in which no decoder reads the code."""
    image = on_canvas(code_image(kind, text, scale=2, height=90)).astype(np.float32)
    return noisy(cv2.GaussianBlur(image, (0, 0), sigma), 2)


def known(*codes: tuple[str, str]) -> KnownBars:
    return KnownBars([Code(kind, text) for kind, text in codes])


@pytest.mark.parametrize(("kind", "text"), KINDS)
@pytest.mark.parametrize("angle", [0, 180, 20])
def test_blurred_bars_are_those_of_the_known_code(kind: str, text: str, angle: float) -> None:
    payload = text.strip("AB") if kind == "Codabar" else text
    # Among thousands of decoys short codes are nearer to each other than long ones.
    image = turned(blurred(kind, text, 2.0 if kind in ("EAN-8", "Code 39") else 2.8), angle)
    found = matches(image, bars_of(image), known((kind, payload)))
    assert [match.code for match in found] == [Code(kind, payload)]
    assert found[0].likeness > 0.9
    x, y = (sum(corner[axis] for corner in found[0].quad) / 4 for axis in (0, 1))
    assert abs(x - 320) < 25
    assert abs(y - 240) < 25


@pytest.mark.parametrize(("kind", "text"), KINDS)
def test_bars_of_a_code_that_is_not_known_are_nobodys(kind: str, text: str) -> None:
    others = [Code(kind, other) for other in templates.decoys(kind, text.strip("AB"), 5)]
    image = blurred(kind, text)
    assert matches(image, bars_of(image), KnownBars(others)) == []


def test_pictures_without_bars_match_nothing() -> None:
    for image in (
        np.full((480, 640), 235, np.uint8),
        noisy(np.full((480, 640), 120, np.uint8), 60),
    ):
        assert matches(image, look(image).unread, known(*KINDS[:3])) == []
    assert matches(blurred(*KINDS[0]), bars_of(blurred(*KINDS[0])), KnownBars([])) == []


def test_a_box_on_half_a_code_is_stretched_over_all_of_it() -> None:
    kind, text = KINDS[0]
    image = blurred(kind, text)
    width = code_image(kind, text, scale=2).shape[1]
    for side in (-1, 1):
        half = Box(320 + side * width / 4, 240, width / 2 + 4, 80, 0.0)
        found = best_match(image, half, known((kind, text)))
        assert found is not None
        assert found.code.payload == text


def test_a_code_128_is_known_in_whatever_code_set_it_is_printed() -> None:
    for text in ("ABC123456", "20050817", "AB-01"):
        drawn = templates.drawings("Code 128", text)
        assert len(drawn) > 1
        for bits in drawn:
            row = np.array([255 * (1 - int(bit)) for bit in "0" * 12 + bits + "0" * 12], np.uint8)
            image = np.repeat(np.repeat(row, 3)[None], 60, 0)
            (read,) = zxingcpp.read_barcodes(image, zxingcpp.BarcodeFormat.Code128)
            assert read.text == text


@given(st.integers(0, 999_999), st.sampled_from("01"))
def test_a_upc_e_and_its_upc_a_are_the_same(number: int, system: str) -> None:
    from digideck.scan.symbologies import expand_upc_e

    article = expand_upc_e(f"{system}{number:06}").rjust(13, "0")
    short = templates.upc_e(article)
    assert short is not None
    assert expand_upc_e(short[:7]).rjust(13, "0") == article


def test_what_is_trusted_is_always_proposed() -> None:
    for likeness in np.linspace(0, 1, 41):
        for margin in np.linspace(0, 0.5, 21):
            for weakest in np.linspace(0, 1, 21):
                figures = float(likeness), float(margin), float(weakest)
                sure, twice, proposed = (
                    any(bound.holds(*figures) for bound in bounds)
                    for bounds in (TRUSTED, TRUSTED_TWICE, PROPOSED)
                )
                assert sure <= twice <= proposed


@given(st.lists(st.floats(0, 255), min_size=templates.SAMPLES, max_size=templates.SAMPLES))
def test_a_profile_written_and_read_again_is_the_same(values: list[float]) -> None:
    samples = np.array(values)
    text = text_of(samples)
    assert text_of(samples_of(text)) == text or np.ptp(samples) == 0
    spread = np.ptp(samples) or 1.0
    scaled = (samples - samples.min()) / spread * 2 - 1
    assert np.abs(samples_of(text) - scaled).max() < 0.02


@given(st.integers(0, templates.SAMPLES - 1))
def test_a_damaged_profile_is_refused(place: int) -> None:
    text = text_of(np.arange(templates.SAMPLES, dtype=float) % 50)
    other = "z" if text[place + 2] != "z" else "a"
    for damaged in (
        text[: place + 2] + other + text[place + 3 :],
        text[:-1],
        text[1:],
        "2" + text[1:],
    ):
        with pytest.raises(Unusable):
            checked_text(damaged)


def card(*, upside_down: bool = False) -> np.ndarray:
    """A dark table with a card on it whose bars touch its lower right edge."""
    image = np.full((600, 800), 60, np.uint8)
    image[60:540, 230:574] = 225
    widths = np.random.default_rng(3).integers(1, 4, 58)
    row = np.repeat([35 if at % 2 == 0 else 225 for at in range(58)], widths)
    length = round(0.5 * 344)
    bars = cv2.resize(row[None].astype(np.uint8), (length, 30), interpolation=cv2.INTER_AREA)
    right = 230 + round(0.99 * 344)
    image[500:530, right - length : right] = bars
    return image[::-1, ::-1].copy() if upside_down else image


@pytest.mark.parametrize("upside_down", [False, True])
def test_the_outline_of_a_card_says_where_its_bars_are(upside_down: bool) -> None:
    image = card(upside_down=upside_down)
    assert card_corners(image) is not None
    x, y = (188, 85) if upside_down else (485, 515)
    x = 800 - 485 if upside_down else x
    assert any(box.holds((x, y)) for box in bar_areas(image))
    assert bar_areas(np.full((480, 640), 200, np.uint8)) == []
