"""The likeliest of all EAN codes under a profile: an exact search, and what codes look like."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from digideck.scan.decode.profiles import BLURS, FINE, QUIET, WINDOW, levelled, rendered_all
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import np

_ODD = [
    *("0001101", "0011001", "0010011", "0111101", "0100011"),
    *("0110001", "0101111", "0111011", "0110111", "0001011"),
]
_FIRST_DIGIT = [
    *("LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG"),
    *("LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"),
]
_RIGHT = ["".join("10"[int(b)] for b in odd) for odd in _ODD]
_LEFT = [*_ODD, *(right[::-1] for right in _RIGHT)]  # sets L and G


@dataclass(frozen=True, slots=True)
class EanLayout:
    """A code of two halves: ``patterns`` are the sets its left digits are printed in."""

    symbology: Symbology
    patterns: tuple[str, ...]
    half: int  # digits in each half

    @property
    def modules(self) -> int:
        """The width between the quiet zones."""
        return 11 + 14 * self.half

    def bits(self, text: str) -> str:
        """The modules of a code, 1 for a bar."""
        pattern, left = self.patterns[0], text
        if len(self.patterns) > 1:
            pattern, left = self.patterns[int(text[0])], text[1:]
        halves = [
            _LEFT[int(digit) + 10 * (kind == "G")]
            for kind, digit in zip(pattern, left, strict=False)
        ]
        right = [_RIGHT[int(digit)] for digit in left[self.half :]]
        return "101" + "".join(halves) + "01010" + "".join(right) + "101"


EAN_13 = EanLayout(Symbology.EAN_13, tuple(_FIRST_DIGIT), 6)
EAN_8 = EanLayout(Symbology.EAN_8, ("LLLL",), 4)


def decoded(row: Any, tables: Any, layout: EanLayout) -> tuple[float, str, float]:
    """The best code for a placed profile: its misfit, its digits, the lead over the next.

    The state of the search is (digit, pattern of sets, check sum so far). Going
    forwards and backwards gives, for every digit, the best code with each value
    of it; the best that is not the winner is among these.
    """
    begin, left, middle, right, end = _costs(row, tables, layout)
    index = _set_index(layout)  # (place, digit, pattern) -> row of the left templates
    places = 2 * layout.half
    weights = [1 if (places - i) % 2 == 1 else 3 for i in range(places)]
    count = len(layout.patterns)
    patterns, digits = np.arange(count), np.arange(10)
    # Axes: (digit before,) digit, pattern, sum. Numpy is quick at leading axes only.
    state = np.full((10, count, 10), 1e9, np.float32)
    first_sum = patterns if count > 1 else np.zeros(1, int)
    sums = (first_sum + weights[0] * digits[:, None]) % 10
    state[digits[:, None], patterns, sums] = begin[index[0]]
    forward, moves = [state], []
    for i in range(places - 1):
        if i < layout.half - 1:
            move = left[i][index[i][:, None], index[i + 1][None]]
        elif i == layout.half - 1:
            move = middle[index[i]].transpose(0, 2, 1)
        else:
            move = right[i - layout.half][:, :, None]
        moves.append(move[:, :, :, None])
        reached = (state[:, None] + moves[-1]).min(axis=0)
        state = np.take_along_axis(reached, _before(weights[i + 1]), axis=2)
        forward.append(state)
    state = np.full_like(state, 1e9)
    state[:, :, 0] = end[:, None]
    totals = [forward[-1] + state]
    for i in range(places - 2, -1, -1):
        after = np.take_along_axis(state, _after(weights[i + 1]), axis=2)
        # The digit that follows comes first here.
        state = (after[:, None] + moves[i].swapaxes(0, 1)).min(axis=0)
        totals.append(forward[i] + state)
    totals.reverse()
    text, rivals = "", []
    if count > 1:
        by_pattern = totals[0].min(axis=(0, 2))
        text = str(int(by_pattern.argmin()))
        rivals.append(np.partition(by_pattern, 1)[1])
    for total in totals:
        by_digit = total.reshape(10, -1).min(axis=1)
        text += str(int(by_digit.argmin()))
        rivals.append(np.partition(by_digit, 1)[1])
    best = float(totals[0].min())
    return best / len(row), text, float(min(rivals) - best) / len(row)


def quickest(row: Any, tables: Any, layout: EanLayout) -> str:
    """The digits that fit best, whatever the check digit says: enough to place a code by."""
    begin, left, middle, right, end = _costs(row, tables, layout)
    index = _set_index(layout)
    state = begin[index[0]]  # digit, pattern
    origins = []
    for i in range(2 * layout.half - 1):
        if i < layout.half - 1:
            move = left[i][index[i][:, None], index[i + 1][None]]
        elif i == layout.half - 1:
            move = middle[index[i]].transpose(0, 2, 1)
        else:
            move = right[i - layout.half][:, :, None]
        reached = state[:, None] + move
        origins.append(reached.argmin(axis=0))
        state = reached.min(axis=0)
    state = state + end[:, None]
    digit, pattern = (int(at) for at in np.unravel_index(int(state.argmin()), state.shape))
    digits = [digit]
    for origin in reversed(origins):
        digits.append(int(origin[digits[-1], pattern]))
    first = str(pattern) if len(layout.patterns) > 1 else ""
    return first + "".join(str(digit) for digit in reversed(digits))


@functools.cache
def _before(weight: int) -> Any:
    """(digit, -, sum) -> the sum before the digit was added."""
    return ((np.arange(10) - weight * np.arange(10)[:, None]) % 10)[:, None]


@functools.cache
def _after(weight: int) -> Any:
    """(digit, -, sum) -> the sum once the digit is added."""
    return ((np.arange(10) + weight * np.arange(10)[:, None]) % 10)[:, None]


@functools.cache
def _set_index(layout: EanLayout) -> Any:
    """(place, digit, pattern) -> the row of `_LEFT`."""
    sets = np.array([[10 * (kind == "G") for kind in pattern] for pattern in layout.patterns])
    return sets.T[:, None, :] + np.arange(10)[:, None]


def _costs(row: Any, tables: Any, layout: EanLayout) -> Any:
    """Squared misfits, from the middle of one digit to the middle of the next."""
    first, pair, middle, right_pair, last = tables
    row = row.astype(np.float32)
    whole, half = 7 * FINE, 7 * FINE // 2

    def cost(at: int, table: tuple[Any, Any]) -> Any:
        templates, power = table
        part = row[at : at + templates.shape[-1]]
        return power - 2 * (templates @ part) + part @ part

    at = 0
    begin = cost(at, first)
    at = (QUIET + 3) * FINE + half
    lefts = []
    for _ in range(layout.half - 1):
        lefts.append(cost(at, pair))
        at += whole
    middles = cost(at, middle)
    at += whole + 5 * FINE
    rights = []
    for _ in range(layout.half - 1):
        rights.append(cost(at, right_pair))
        at += whole
    return begin, lefts, middles, rights, cost(at, last)


def mixed_templates(mix: Any) -> list[tuple[Any, Any]]:
    """The templates under a mixture of blurs, each with its power."""
    weights = np.asarray(mix, np.float32)
    tables = []
    for blurred in _templates():
        templates = np.tensordot(weights, blurred, axes=1)
        tables.append((templates, np.einsum("...i,...i", templates, templates)))
    return tables


@functools.cache
def _templates() -> Any:
    """What lies between the middles of neighbouring digits, for each blur and all values."""
    quiet = "0" * 8
    half = 7 * FINE // 2
    inner = 2 * FINE + half
    begin = (8 - QUIET) * FINE

    def table(parts: list[str], start: int, stop: int) -> Any:
        return np.stack([rendered_all(parts, blur, FINE)[:, start:stop] for blur in BLURS])

    def pairs(lefts: list[str], rights: list[str], form: str, width: int) -> Any:
        parts = [form.format(a, b) for a in lefts for b in rights]
        rows = table(parts, inner, inner + width * FINE)
        return rows.reshape(len(BLURS), len(lefts), len(rights), -1)

    return (
        table([quiet + "101" + d + "10" for d in _LEFT], begin, 11 * FINE + half),
        pairs(_LEFT, _LEFT, "01{}{}01", 7),
        pairs(_LEFT, _RIGHT, "01{}01010{}10", 12),
        pairs(_RIGHT, _RIGHT, "10{}{}10", 7),
        table(["10" + d + "101" + quiet for d in _RIGHT], inner, (12 + QUIET) * FINE),
    )


@functools.cache
def lone_templates(blur: float, layout: EanLayout, fine: int) -> Any:
    """What digits and guards look like on the whole, whatever is beside them.

    These are means over many codes, levelled as profiles are: how much
    levelling raises a digit depends on its neighbours, more so than its shape.
    """
    around = "0" * 20
    bits = _typical_codes(layout)
    rows = rendered_all([around + code + around for code in bits], blur, fine)
    edge = (20 - QUIET) * fine
    rows = levelled(rows, WINDOW * fine)[:, edge:-edge]
    width, begin, middle, end = 7 * fine, *(at * fine for at in _landmarks(layout))
    left = rows[:, begin:middle].reshape(-1, width)
    right = rows[:, middle + 5 * fine : end].reshape(-1, width)
    half = 7 * layout.half
    lefts = [code[3 + 7 * i : 10 + 7 * i] for code in bits for i in range(layout.half)]
    rights = [code[i : i + 7] for code in bits for i in range(8 + half, 8 + 2 * half, 7)]

    def means(cells: Any, shown: list[str], known: list[str]) -> Any:
        digit = np.array([known.index(one) for one in shown])
        return np.array([cells[digit == i].mean(axis=0) for i in range(len(known))])

    mean = rows.mean(axis=0)
    return (
        means(left, lefts, _LEFT),
        means(right, rights, _RIGHT),
        mean[:begin],
        mean[middle : middle + 5 * fine],
        mean[end:],
    )


def _landmarks(layout: EanLayout) -> tuple[int, int, int]:
    """Modules from the quiet zone to the first digit, the middle and the end guard."""
    begin = QUIET + 3
    middle = begin + 7 * layout.half
    return begin, middle, middle + 5 + 7 * layout.half


def _typical_codes(layout: EanLayout) -> list[str]:
    """The modules of codes in which every digit stands beside every other."""
    codes = []
    for i in range(300):
        places = 2 * layout.half
        digits = [(i * (j + 3) * 7 + i * i // 11 + j * j) % 10 for j in range(places)]
        pattern = _FIRST_DIGIT[i % 10][: layout.half]
        halves = [_LEFT[d + 10 * (kind == "G")] for kind, d in zip(pattern, digits, strict=False)]
        right = [_RIGHT[d] for d in digits[layout.half :]]
        codes.append("101" + "".join(halves) + "01010" + "".join(right) + "101")
    return codes


def digit_by_digit(row: Any, blur: float, layout: EanLayout) -> str:
    """The modules of a placed profile, each digit taken by itself."""
    left, right, *_ = lone_templates(blur, layout, FINE)
    begin, middle, end = (at * FINE for at in _landmarks(layout))

    def nearest(part: Any, templates: Any, known: list[str]) -> str:
        gain = 2 * templates @ part.reshape(-1, 7 * FINE).T
        best = (gain - (templates * templates).sum(axis=1)[:, None]).argmax(axis=0)
        return "".join(known[int(i)] for i in best)

    lefts = nearest(row[begin:middle], left, _LEFT)
    rights = nearest(row[middle + 5 * FINE : end], right, _RIGHT)
    return "101" + lefts + "01010" + rights + "101"
