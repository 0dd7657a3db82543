"""Profiles of bars without a decoding, as short text that people can share.

``1:SAMPLES:CHECKSUM``: the version, a character of `_ALPHABET` for each sample from
dark to light, and the CRC-32 of what stands before it in eight hex digits.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.scan.decode.locate import Floats
from digideck.scan.decode.profiles import SAMPLES
from digideck.scan.images.libraries import np

VERSION = "1"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
_ENDS = {_ALPHABET[0], _ALPHABET[-1]}  # darkest and lightest
_VERSIONS = re.compile("[1-9][0-9]*")
_VALUES = {char: value for value, char in enumerate(_ALPHABET)}


def text_of(samples: Any) -> str:
    """The text of a profile of `SAMPLES` samples, whatever its brightness and contrast."""
    low, high = float(samples.min()), float(samples.max())
    top = len(_ALPHABET) - 1
    scaled = np.rint((samples - low) / ((high - low) or 1.0) * top)
    body = f"{VERSION}:{''.join(_ALPHABET[int(value)] for value in scaled)}"
    return f"{body}:{_checksum(body)}"


def samples_of(text: str) -> Floats:
    """The samples of a profile, 1 the lightest, -1 the darkest. Raises InputError."""
    values = [_VALUES[char] for char in checked_text(text).split(":")[1]]
    return np.array(values, np.float32) * (2 / (len(_ALPHABET) - 1)) - 1


def checked_text(text: str) -> str:
    """``text``, if it is a whole and undamaged profile with contrast. Raises InputError."""
    body, _, checksum = text.strip().rpartition(":")
    version, _, samples = body.partition(":")
    if _VERSIONS.fullmatch(version) and version != VERSION:
        raise input_error(
            Code.PROFILE_NEWER,
            f"the profile is of version {version[:9]}",
            allowed=VERSION,
            next_step="update digideck, which knows version 1 only",
        )
    whole = len(samples) == SAMPLES and set(samples) <= set(_ALPHABET)
    if version != VERSION or not whole or checksum != _checksum(body):
        raise input_error(
            Code.PROFILE_DAMAGED,
            "the profile is not whole: its characters and its checksum do not agree",
            next_step="copy its line again, unbroken and unchanged",
        )
    if _ENDS - set(samples):  # `text_of` stretches every profile from end to end
        raise input_error(
            Code.PROFILE_FLAT,
            "the profile shows no bars: it does not go from dark to light",
            next_step="enrol a sharp photo of the bars: digideck barcode enrol PHOTO CARD",
        )
    return text.strip()


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode('utf-8')):08x}"
