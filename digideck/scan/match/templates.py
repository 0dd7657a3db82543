"""What the bars of a code look like: modules, and light along them on a common grid.

Codes of all kinds are drawn over the same number of samples, so that one profile
is compared with all of them at once.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from digideck.scan.decode.locate import Floats
from digideck.scan.decode.profiles import FINE, GRID, QUIET, SAMPLES, levelled, smoothed
from digideck.scan.decode.symbologies import Symbology, ean_check_digit
from digideck.scan.images.libraries import np
from digideck.scan.labels.modules import encoded

BLURS = (1.2, 2.2, 3.4, 5.0)  # samples
OWN_BLURS = (0.5, 1.5, 2.5, 4.0)  # of a photographed profile, which has a blur already
SPAN = 0.1  # of a code, over which brightness and contrast are levelled
SPAN_SAMPLES = SPAN * GRID * FINE

DRAWN = (
    Symbology.EAN_13,
    Symbology.EAN_8,
    Symbology.CODE_128,
    Symbology.CODE_39,
    Symbology.ITF,
    Symbology.CODABAR,
)
_CODABAR_ENDS = ("A{}B", "A{}A", "B{}B", "C{}D")  # what people print; a payload does not tell
# Bars and spaces of the characters of Code 128, by value; 106 is the stop (ISO/IEC 15417).
_CODE_128 = """
212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212
112232 122132 122231 113222 123122 123221 223211 221132 221231 213212 223112 312131
311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321
112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121
313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111
314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114
122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212
124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113
114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112
"""
_START_A, _START_B, _START_C, _STOP = 103, 104, 105, 106


def drawings(kind: str, payload: str) -> list[str]:
    """The ways in which a code may be printed, as modules, 1 for a bar.

    A Code 128 is printed with the code sets that make it shortest, or in one of
    them throughout; an article number that begins with 0 also as a UPC-E, where it has
    one. Empty where such a code cannot be drawn.
    """
    symbology = Symbology(kind)
    if symbology not in DRAWN:
        return []
    texts = [payload]
    if symbology is Symbology.CODABAR:
        texts = [ends.format(payload) for ends in _CODABAR_ENDS]
    drawn = [bits for text in texts if (bits := _written(symbology, text))]
    if symbology is Symbology.CODE_128:
        drawn += _in_one_set(payload)
    if symbology is Symbology.EAN_13 and (short := upc_e(payload)):
        drawn.append(_written(Symbology.UPC_E, short))
    return list(dict.fromkeys(filter(None, drawn)))


def _written(kind: Symbology, text: str) -> str:
    try:
        (row,) = encoded(kind, text)
    except (ValueError, RuntimeError):
        return ""
    return "".join("1" if dark else "0" for dark in row.tolist())


def _in_one_set(text: str) -> list[str]:
    """A Code 128 in set A, in set B and in set C, those that can carry it."""
    values = [ord(char) for char in text]
    drawn = []
    if all(value < 96 for value in values):
        drawn.append(
            _code_128(_START_A, [value - 32 if value > 31 else value + 64 for value in values])
        )
    if all(32 <= value < 128 for value in values):
        drawn.append(_code_128(_START_B, [value - 32 for value in values]))
    if len(text) % 2 == 0 and text.isascii() and text.isdigit():
        pairs = [int(text[at : at + 2]) for at in range(0, len(text), 2)]
        drawn.append(_code_128(_START_C, pairs))
    return drawn


def _code_128(start: int, values: Sequence[int]) -> str:
    table = _CODE_128.split()
    check = (start + sum(place * value for place, value in enumerate(values, start=1))) % 103
    widths = "".join(table[value] for value in (start, *values, check, _STOP))
    return "".join("10"[at % 2] * int(width) for at, width in enumerate(widths))


def upc_e(article: str) -> str | None:
    """The eight digits of the UPC-E of a UPC-A's 13 digits; None where it has none."""
    if not article.startswith(("00", "01")) or len(article) != 13:
        return None
    maker, item = article[2:7], article[7:12]
    if maker[2] in "012" and maker[3:] == "00" and item[:2] == "00":
        body = maker[:2] + item[2:] + maker[2]
    elif maker[3:] == "00" and item[:3] == "000":
        body = maker[:3] + item[3:] + "3"
    elif maker[4] == "0" and item[:4] == "0000":
        body = maker[:4] + item[4] + "4"
    elif item[:4] == "0000" and item[4] in "56789":
        body = maker + item[4]
    else:
        return None
    return article[1] + body + article[-1]


def light(drawn: Sequence[str]) -> Floats:
    """Modules of codes as light on the grid, a row of `SAMPLES` each: 1 white, -1 a bar."""
    rows = np.empty((len(drawn), SAMPLES), np.float32)
    by_width: dict[int, list[int]] = {}
    for at, bits in enumerate(drawn):
        by_width.setdefault(len(bits), []).append(at)
    edges = np.arange(SAMPLES + 1) / FINE - QUIET
    for width, places in by_width.items():
        text = "".join(drawn[at] for at in places).encode("ascii")
        bars = np.frombuffer(text, np.uint8).reshape(len(places), width) - ord("0")
        ink = np.concatenate([np.zeros((len(places), 1)), np.cumsum(bars, axis=1)], axis=1)
        x = np.clip(edges * width / GRID, 0, width)
        whole = np.minimum(x.astype(int), width - 1)
        until = ink[:, whole] + (ink[:, whole + 1] - ink[:, whole]) * (x - whole)
        rows[places] = 1 - 2 * np.diff(until, axis=1) * GRID * FINE / width
    return rows


def blurred(rows: Any, blurs: Sequence[float]) -> Floats:
    """Rows of light under each blur, levelled as profiles are: blurs x rows x samples."""
    return np.stack([levelled(smoothed(rows, blur), SPAN_SAMPLES) for blur in blurs])


@functools.cache
def decoys(kind: str, payload: str, count: int) -> tuple[str, ...]:
    """``count`` codes that are no card's, like ``payload``; the same ones each time.

    Half of them begin as it does: codes of one maker differ near their end.
    """
    import random

    chance = random.Random(f"{kind}:{payload}")
    found = []
    for number in range(count):
        kept = len(payload) * 7 // 13 if number % 2 else 0
        rest = "".join(_other(chance, char) for char in payload[kept:])
        found.append(checked(kind, payload[:kept] + rest))
    return tuple(text for text in dict.fromkeys(found) if text != payload)


def _other(chance: Any, char: str) -> str:
    if char.isdigit():
        return str(chance.choice("0123456789"))
    if char.isalpha() and char.isascii():
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        return str(chance.choice(letters if char.isupper() else letters.lower()))
    return char


def checked(kind: str, text: str) -> str:
    """``text`` with a right check digit, where its kind has one."""
    if kind in (Symbology.EAN_13, Symbology.EAN_8):
        return text[:-1] + str(ean_check_digit(text[:-1]))
    return text


def drawn_codes(codes: Iterable[tuple[str, str]]) -> tuple[list[int], list[str]]:
    """The place of each drawing's code in ``codes``, and the drawings."""
    places: list[int] = []
    drawn: list[str] = []
    for place, (kind, payload) in enumerate(codes):
        for bits in drawings(kind, payload):
            places.append(place)
            drawn.append(bits)
    return places, drawn
