"""Bars that nothing reads, matched to the codes that are known."""

# ruff: noqa: TID253

from __future__ import annotations

import cv2
import numpy as np
import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st

from digideck.core.problems import InputError
from digideck.scan.decode import profiles
from digideck.scan.decode.locate import Box
from digideck.scan.decode.reading import bars_of, look
from digideck.scan.match import templates
from digideck.scan.match.enrol import enrol_picture
from digideck.scan.match.known_bars import KnownBars, missing_decoys
from digideck.scan.match.matching import (
    AUTO_CONFIRM,
    AUTO_CONFIRM_TWICE,
    TO_PROPOSE,
    best_match,
    matches,
)
from digideck.scan.match.outline import bar_areas, card_corners
from digideck.scan.store.links import Barcode
from digideck.scan.store.profile_text import checked_text, samples_of, text_of
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


def hard(kind: str, text: str) -> np.ndarray:
    """The same; among thousands of decoys short codes are nearer to each other than long ones."""
    return blurred(kind, text, 2.0 if kind in ("EAN-8", "Code 39") else 2.8)


def payload(kind: str, text: str) -> str:
    return text[1:-1] if kind == "Codabar" else text


def known(*codes: tuple[str, str]) -> KnownBars:
    return KnownBars({Barcode(kind, text): (place,) for place, (kind, text) in enumerate(codes)})


@pytest.mark.parametrize(("kind", "text"), KINDS)
@pytest.mark.parametrize("angle", [0, 180, 20])
def test_blurred_bars_are_those_of_the_known_code(kind: str, text: str, angle: float) -> None:
    image = turned(hard(kind, text), angle)
    found = matches(image, bars_of(image), known((kind, payload(kind, text))))
    assert [match.code for match in found] == [Barcode(kind, payload(kind, text))]
    assert found[0].similarity > 0.9
    x, y = (sum(corner[axis] for corner in found[0].quad) / 4 for axis in (0, 1))
    assert abs(x - 320) < 10
    assert abs(y - 240) < 25


def neighbours(kind: str, text: str) -> list[tuple[str, str]]:
    """Codes of the same length that differ in a digit, in half of them, and in all."""
    near = [
        templates.checked(kind, text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :])
        for place in range(len(text) - 1)
        if text[place].isdigit()
    ]
    return [(kind, other) for other in (*near, *templates.decoys(kind, text, 40))]


@pytest.mark.parametrize(("kind", "text"), KINDS)
def test_bars_of_a_code_that_is_not_known_are_nobodys(kind: str, text: str) -> None:
    image = hard(kind, text)
    text = payload(kind, text)
    others = known((kind, text), *neighbours(kind, text))
    assert [one.code.payload for one in matches(image, bars_of(image), others)] == [text]
    others = others.without([Barcode(kind, text)])
    assert matches(image, bars_of(image), others) == []


def test_pictures_without_bars_match_nothing() -> None:
    boxes = [Box(320, 240, 260, 80, 0.0), Box(300, 200, 120, 60, 0.7), Box(320, 240, 90, 200, 1.5)]
    for image in (
        np.full((480, 640), 235, np.uint8),
        noisy(np.full((480, 640), 120, np.uint8), 60),
        cv2.GaussianBlur(noisy(np.full((480, 640), 120, np.uint8), 90), (0, 0), 3),
        text_lines(),
    ):
        for box in (boxes, look(image).unread, bars_of(image)):
            assert matches(image, box, known(*KINDS[:3])) == []
    image = blurred(*KINDS[0])
    assert matches(image, bars_of(image), known()) == []


def text_lines() -> np.ndarray:
    """A paragraph, out of focus: its lines are dark and light in turn."""
    image = np.full((480, 640), 235, np.uint8)
    for line in range(9):
        for word in range(12):
            left = 200 + word * 20
            image[160 + line * 16 : 168 + line * 16, left : left + 16] = 60
    return noisy(cv2.GaussianBlur(image, (0, 0), 2), 2)


def test_lines_of_text_are_not_enrolled() -> None:
    image = text_lines()
    assert bars_of(image)
    assert enrol_picture(image) is None
    image[400:460, 200:440] = cv2.resize(code_image("Code 128", "DM-013A", scale=2), (240, 60))
    found = enrol_picture(image)
    assert found is not None
    y = sum(corner[1] for corner in found.quad) / 4
    assert 400 < y < 460


@pytest.mark.parametrize("articles", [1, 60, 99, 2100])
def test_the_decoys_of_a_code_are_of_its_kind(articles: int) -> None:
    codes = [
        *(
            Barcode("EAN-13", text)
            for text in templates.decoys("EAN-13", "4006381333931", articles)
        ),
        Barcode("Code 128", "DM-013A"),
    ]
    found = missing_decoys(codes, 2000)
    assert not set(found) & set(codes)
    for kind in ("EAN-13", "Code 128"):
        own = sum(code.kind == kind for code in codes)
        others = sum(code.kind == kind for code in found)
        assert max(own, 1950) <= own + others <= max(own, 2060), kind


def test_codes_of_one_card_are_no_rivals() -> None:
    kind, text = KINDS[0]
    codes = [Barcode(kind, text), *(Barcode(*near) for near in neighbours(kind, text)[:12])]
    image = blurred(kind, text, 1.6)
    boxes = bars_of(image)
    apart = KnownBars({code: (place,) for place, code in enumerate(codes)})
    together = KnownBars(dict.fromkeys(codes, (1,)))
    margins = [
        [match.margin for match in matches(image, boxes, both)] for both in (apart, together)
    ]
    assert [len(found) for found in margins] == [1, 1]
    assert margins[0] < margins[1]


def test_a_box_on_a_part_of_a_code_is_stretched_over_all_of_it() -> None:
    kind, text = KINDS[0]
    image = blurred(kind, text)
    width = code_image(kind, text, scale=2).shape[1]
    parts = [
        Box(320 + side * (width - length) / 2, 240, length, 80, 0.0)
        for length in (0.5 * width + 4, 0.6 * width, 0.7 * width, 0.85 * width)
        for side in (-1, 1)
    ]
    for part in parts:
        found = best_match(image, part, known((kind, text)))
        assert found is not None, part
        assert found.code.payload == text
    assert len(matches(image, parts[:2], known((kind, text)))) == 1


@pytest.mark.parametrize("scale", [4, 8, 12])
def test_large_bars_are_found_whole(scale: int) -> None:
    """A close-up: the edges of wide bars are far from each other."""
    kind, text = "Code 128", "DM-013A"
    code = code_image(kind, text, scale=scale, height=30 * scale)
    image = noisy(on_canvas(code, size=(100 * scale, code.shape[1] + 40 * scale)), 2)
    (dark,) = np.nonzero((image < 128).any(axis=0))
    enrolled = enrol_picture(image)
    assert enrolled is not None
    slack = 0.1 * (dark[-1] - dark[0])
    assert enrolled.quad[0][0] < dark[0] + slack
    assert enrolled.quad[1][0] > dark[-1] - slack
    soft = noisy(cv2.GaussianBlur(image.astype(np.float32), (0, 0), 1.3 * scale), 2)
    seen = look(soft)
    assert not seen.reads
    (found,) = matches(soft, seen.unread, known((kind, text)))
    assert found.code.payload == text


@pytest.mark.parametrize("lean", [0.0, 0.35])
def test_bars_that_fan_out_are_still_bars(lean: float) -> None:
    kind, text = KINDS[0]
    image = on_canvas(code_image(kind, text, scale=2, height=110))
    top, bottom = 225 - 60 * lean, 415 + 60 * lean
    square = np.array([[225, 185], [415, 185], [415, 295], [225, 295]], np.float32)
    fan = np.array([[225, 185], [415, 185], [bottom, 295], [top, 295]], np.float32)
    matrix = cv2.getPerspectiveTransform(square, fan)
    image = cv2.warpPerspective(image, matrix, (640, 480), borderValue=235)
    image = noisy(cv2.GaussianBlur(image, (0, 0), 1.6), 2)
    (found,) = matches(image, bars_of(image), known((kind, text)))
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
    from digideck.scan.decode.symbologies import expand_upc_e

    article = expand_upc_e(f"{system}{number:06}").rjust(13, "0")
    short = templates.upc_e(article)
    assert short is not None
    assert expand_upc_e(short[:7]).rjust(13, "0") == article


def test_what_is_trusted_is_always_proposed() -> None:
    for similarity in np.linspace(0, 1, 41):
        for margin in np.linspace(0, 0.5, 21):
            for weakest in np.linspace(0, 1, 21):
                figures = float(similarity), float(margin), float(weakest)
                sure, twice, proposed = (
                    any(bound.holds(*figures) for bound in bounds)
                    for bounds in (AUTO_CONFIRM, AUTO_CONFIRM_TWICE, TO_PROPOSE)
                )
                assert sure <= twice <= proposed


@given(
    st.lists(st.floats(0, 255), min_size=profiles.SAMPLES, max_size=profiles.SAMPLES).filter(
        lambda values: min(values) < max(values)  # flat ones are refused
    )
)
def test_a_profile_written_and_read_again_is_the_same(values: list[float]) -> None:
    samples = np.array(values)
    text = text_of(samples)
    assert text_of(samples_of(text)) == text
    scaled = (samples - samples.min()) / np.ptp(samples) * 2 - 1
    assert np.abs(samples_of(text) - scaled).max() < 0.02


@given(st.integers(0, profiles.SAMPLES - 1))
def test_a_damaged_profile_is_refused(place: int) -> None:
    text = text_of(np.arange(profiles.SAMPLES, dtype=float) % 50)
    other = "z" if text[place + 2] != "z" else "a"
    for damaged in (
        text[: place + 2] + other + text[place + 3 :],
        text[:-1],
        text[1:],
        "2" + text[1:],
    ):
        with pytest.raises(InputError):
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
