"""The text of profiles: what is shared today is read tomorrow, and only what is whole."""

# ruff: noqa: TID253

from __future__ import annotations

import zlib

import numpy as np
import pytest

from digideck.core.problems import InputError
from digideck.scan.store.profile_text import checked_text, samples_of, text_of

# 208 samples that climb from dark to light three times and a quarter, in version 1.
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
TEXT = f"1:{ALPHABET * 3}0123456789ABCDEF:67d93f13"
SAMPLES = np.arange(208) % 64


def profile(samples: str, version: str = "1") -> str:
    """A profile with a right checksum."""
    body = f"{version}:{samples}"
    return f"{body}:{zlib.crc32(body.encode()):08x}"


def test_a_text_that_was_shared_keeps_its_meaning() -> None:
    assert text_of(SAMPLES) == TEXT
    assert text_of(SAMPLES * 5.0 - 90) == TEXT  # brightness and contrast are not the bars'
    assert samples_of(TEXT) == pytest.approx(SAMPLES * 2 / 63 - 1, abs=1e-6)
    assert profile(TEXT.split(":")[1]) == TEXT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (profile("0" * 208), "no bars"),
        (profile("_" * 208), "no bars"),
        (profile("01" * 104), "no bars"),
        (profile(ALPHABET, "2"), "version 2"),
        (TEXT.replace("1:", "²:", 1), "not whole"),
        (TEXT.replace("1:", "0:", 1), "not whole"),
        (TEXT.replace("1:", "01:", 1), "not whole"),
        ("", "not whole"),
    ],
)
def test_what_is_no_profile_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        checked_text(text)
