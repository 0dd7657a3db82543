# ruff: noqa: TID253 (these need them all)
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digideck.scan.decode import ean_blur_decoder as fit
from digideck.scan.decode import profiles
from digideck.scan.decode.ean_search import EAN_8, EAN_13
from digideck.scan.decode.symbologies import ean_check_digit

LENGTH = 570.0
twelve_digits = st.from_regex(r"[0-9]{12}", fullmatch=True)


def bars(text: str, *, blur: float = 1.0, noise: float = 0.05, offset: float = 0.0) -> np.ndarray:
    """An upright image of a code, with 20 % of its length beyond each end."""
    rng = np.random.default_rng(7)
    light = profiles.rendered("0" * 40 + EAN_13.bits(text) + "0" * 40, blur, 6)
    at = (np.arange(800) - 400 + offset) * (95 * 6 / LENGTH) + (len(light) - 1) / 2
    row = 120 + 90 * profiles.picked(light, at)
    return (row + rng.normal(0, 90 * noise * 4, (48, 800))).astype(np.float32)


def checked(digits: str) -> str:
    return digits + str(ean_check_digit(digits))


@settings(deadline=None, max_examples=25)
@given(twelve_digits, st.sampled_from([0.5, 0.9, 1.3]), st.booleans())
def test_reads_the_code_or_nothing(digits, blur, backwards):
    text = checked(digits)
    image = bars(text, blur=blur)
    found = fit.read(image[:, ::-1] if backwards else image, LENGTH, EAN_13)
    assert found in (text, None)  # a code of sevens is too much like a fence


@pytest.mark.parametrize("blur", [0.4, 0.9, 1.2])
@pytest.mark.parametrize("offset", [-9.0, 0.0, 14.0])
def test_reads_blurred_and_shifted(blur, offset):
    assert fit.read(bars("9780441014989", blur=blur, offset=offset), LENGTH, EAN_13) == (
        "9780441014989"
    )


def test_halves_that_disagree_are_no_read():
    image = bars("9780441014989")
    image[24:] = bars("4543112000019")[24:]
    assert fit.read(image, LENGTH, EAN_13) is None


def test_half_a_code_is_no_read():
    image = bars("9780441014989")
    image[:, 400:] = 210
    assert fit.read(image, LENGTH, EAN_13) is None


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6))
def test_no_code_is_no_read(seed):
    rng = np.random.default_rng(seed)
    row = profiles.smoothed(rng.normal(0, 1, (1, 800)), rng.uniform(2, 9))[0]
    image = np.repeat((120 + 80 * row / row.std())[None], 48, axis=0).astype(np.float32)
    assert fit.read(image, LENGTH, EAN_13) is None


@pytest.mark.parametrize("layout", [EAN_13, EAN_8], ids=lambda layout: layout.symbology)
def test_layouts_are_as_wide_as_they_say(layout):
    text = checked("978044101498") if layout is EAN_13 else "42176817"
    assert len(layout.bits(text)) == layout.modules


def test_reads_ean_8():
    text = "42176817"
    light = profiles.rendered("0" * 30 + EAN_8.bits(text) + "0" * 30, 1.0, 6)
    at = (np.arange(800) - 400) * (67 * 6 / LENGTH) + (len(light) - 1) / 2
    row = 120 + 90 * profiles.picked(light, at)
    noise = np.random.default_rng(7).normal(0, 18, (48, 800))
    assert fit.read((row + noise).astype(np.float32), LENGTH, EAN_8) == text
