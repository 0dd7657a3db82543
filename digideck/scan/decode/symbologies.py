"""The kinds of code that are read, and the one spelling of each payload."""

from __future__ import annotations

import re
from enum import StrEnum


class Symbology(StrEnum):
    """The kinds of code the scanner reads; the values are what people see."""

    EAN_13 = "EAN-13"
    EAN_8 = "EAN-8"
    UPC_A = "UPC-A"
    UPC_E = "UPC-E"
    CODE_128 = "Code 128"
    CODE_39 = "Code 39"
    CODE_93 = "Code 93"
    ITF = "ITF"
    CODABAR = "Codabar"
    QR = "QR"
    PROFILE = "profile"  # bars that have no decoding, known by their looks

    @property
    def joined(self) -> str:
        """As libraries call it: EAN13, Code128, QRCode."""
        return "QRCode" if self is Symbology.QR else self.replace("-", "").replace(" ", "")


_RETAIL = (Symbology.EAN_13, Symbology.UPC_A, Symbology.UPC_E)
_CODABAR_ENDS = re.compile(r"[A-DTN*E](.*)[A-DTN*E]", re.IGNORECASE | re.DOTALL)
_SHIFTED = re.compile(r"([$%/+])([A-Z])")
_LONE_SHIFT = re.compile(r"[$%+](?![A-Z])|/(?![A-OZ])|\+(?![A-Z])")


def canonical(symbology: Symbology, text: str) -> tuple[Symbology, str]:
    """The one spelling of a read, whatever engine made it and however it was printed.

    UPC-A and UPC-E become the 13 digits of their EAN-13; 13 digits that begin
    with 0 are a UPC-A. Codabar loses its start and stop letters. Code 39 in
    "full ASCII" becomes the characters it stands for. FNC1 marks are dropped.
    """
    if symbology in _RETAIL:
        digits = expand_upc_e(text) if symbology is Symbology.UPC_E and len(text) < 9 else text
        digits = digits.rjust(13, "0")
        if symbology is not Symbology.UPC_E:
            symbology = Symbology.UPC_A if digits.startswith("0") else Symbology.EAN_13
        return symbology, digits
    if symbology is Symbology.CODABAR:
        ends = _CODABAR_ENDS.fullmatch(text)
        return symbology, (ends[1] if ends else text)
    if symbology is Symbology.CODE_39:
        return symbology, full_ascii(text)
    if symbology is Symbology.CODE_128:
        return symbology, text.replace("\x1d", "")
    return symbology, text


def link_key(symbology: Symbology, payload: str) -> tuple[str, str]:
    """What links compare: EAN-13, UPC-A and UPC-E spell one article number in three ways."""
    kind = Symbology.EAN_13 if symbology in _RETAIL else symbology
    return str(kind), payload


def ean_check_digit(digits: str) -> int:
    """The check digit that follows ``digits`` in EAN-13, EAN-8 and UPC-A."""
    weighted = (int(d) * (1 if i % 2 else 3) for i, d in enumerate(reversed(digits)))
    return -sum(weighted) % 10


def is_upc_e(digits: str) -> bool:
    """Whether 8 digits are a UPC-E with its number system and its right check digit."""
    return digits[0] in "01" and expand_upc_e(digits)[-1] == digits[-1]


def expand_upc_e(text: str) -> str:
    """The 12 digits of UPC-A that the 6, 7 or 8 digits of a UPC-E stand for."""
    if len(text) == 6:
        text = "0" + text
    system, body = text[0], text[1:7]
    last = body[5]
    if last in "012":
        full = body[:2] + last + "0000" + body[2:5]
    elif last == "3":
        full = body[:3] + "00000" + body[3:5]
    elif last == "4":
        full = body[:4] + "00000" + body[4]
    else:
        full = body[:5] + "0000" + last
    full = system + full
    return full + str(ean_check_digit(full))


def full_ascii(text: str) -> str:
    """Code 39 text with its shift pairs (``+A`` for ``a``) resolved.

    A text in which a shift character stands alone was not meant so and stays.
    """
    if not _SHIFTED.search(text) or _LONE_SHIFT.search(text):
        return text
    return _SHIFTED.sub(lambda pair: _unshifted(pair[1], pair[2]), text)


def _unshifted(shift: str, letter: str) -> str:
    place = ord(letter) - ord("A")
    if shift == "+":
        return chr(ord("a") + place)
    if shift == "$":
        return chr(1 + place)
    if shift == "/":
        return ":" if letter == "Z" else chr(ord("!") + place)
    return "\x1b\x1c\x1d\x1e\x1f;<=>?[\\]^_{|}~\x7f\x00@`\x7f\x7f\x7f"[place]
