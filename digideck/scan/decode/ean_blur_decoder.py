"""EAN-13, UPC-A and EAN-8 out of focus: the likeliest code under a model of the blur.

Ordinary readers measure bars. Where the blur is as wide as a bar there is
nothing to measure, but the mean of all rows still follows, closely, the one
code that was printed. So the profile is compared with what each code would
look like: an exact search over all codes with a right check digit (dynamic
programming over the digits) gives the best one and, just as exactly, the best
one that differs. Only a clear lead of the first over the second, and a good
fit along the whole length, is a read.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from digideck.scan.decode.symbologies import Symbology
from digideck.scan.match.profiles import (
    BLURS,
    FINE,
    QUIET,
    WINDOW,
    Lie,
    levelled,
    likeness,
    models,
    monotony,
    picked,
    places,
    polished,
    rendered_all,
    sampled,
    smoothed,
    unlevelled,
)

if TYPE_CHECKING:
    from digideck.scan.match.strips import Floats

# What a read must reach: a clear lead, or a smaller one with a close likeness.
_LEAD, _FAR = 0.2, 0.35
_LIKENESS, _CLOSE, _WEAKEST = 0.9, 0.93, 0.7
_MONOTONOUS = 0.7  # codes have at most 0.5, stripes 0.98
_SOFT = 0.8  # modules of blur added for placing
_BLURRED = 0.79  # share of the contrast that this leaves, where it is not needed
# Shares of a profile left unexplained at which going on is no use: by the best
# placement, after a first polish, and at last.
_MISPLACED = 0.33
_FILLING = 0.8  # share of a box that its code mostly takes
_FILLING_TRIES, _PARTLY_TRIES = (3, 1), (2, 1)  # placements tried, and gone on with
_HOPELESS, _BAD, _POOR = 0.2, 0.3, 0.2

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
class Layout:
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


EAN_13 = Layout(Symbology.EAN_13, tuple(_FIRST_DIGIT), 6)
EAN_8 = Layout(Symbology.EAN_8, ("LLLL",), 4)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The likeliest code, and how sure it is.

    ``lead`` is the misfit that the best other code adds, as a share of the
    misfit of this one; ``likeness`` the correlation with the picture, ``weakest``
    the lowest correlation anywhere along the code. ``monotony`` is the share of
    the profile that is one wave: a fence, or lines of text, fits a code of sevens.
    """

    text: str
    lead: float
    likeness: float
    weakest: float
    monotony: float
    lie: Lie

    @property
    def clear(self) -> bool:
        """Whether this is a read, and not only the best guess."""
        close = self.likeness > _LIKENESS and self.weakest > _WEAKEST
        return close and (self.lead > _FAR or (self.lead > _LEAD and self.likeness > _CLOSE))


def read(bars: Floats, length: float, layout: Layout) -> str | None:
    """The code in an upright image in whose middle the bars take ``length`` columns.

    The upper and the lower half of the bars must say the same by themselves: a
    patch of glare leads only one of them astray.
    """
    rows = len(bars)
    edge, middle = rows // 8, rows // 2
    found = best_fit(bars[edge:-edge].mean(axis=0), length, layout)
    if found is None or not found.clear or found.monotony > _MONOTONOUS:
        return None
    for half in (bars[edge:middle], bars[middle:-edge]):
        flat = _flat(half.mean(axis=0), length, layout)
        blurred = models(layout.bits(found.text))
        _, lie = polished(flat, found.lie, blurred, layout.modules, steps=3)
        row, mix = unlevelled(sampled(flat, lie, layout.modules), layout.bits(found.text))
        tables = _mixed_templates(mix)
        if _quickest(row, tables, layout) == found.text:
            continue  # what is best of all is best of those with a right check digit
        if _decoded(row, tables, layout)[1] != found.text:
            return None
    return found.text


def best_fit(profile: Floats, length: float, layout: Layout) -> Fit | None:
    """The likeliest code in a profile in whose middle the bars take ``length`` samples."""
    modules = layout.modules
    flat = _flat(profile, length, layout)
    soft, blur = _softened(profile, flat, length, layout)
    tries = []
    for lie in _lies(soft, length, blur, layout):
        row = sampled(soft, lie, modules)
        bits = _likeliest(row, _digit_by_digit(row, blur, layout), layout)
        tries.append((*polished(soft, lie, models(bits), modules, steps=2), bits))
    best: Fit | None = None
    for misfit, lie, bits in sorted(tries, key=lambda one: one[0]):
        if misfit > _HOPELESS:
            break
        found = _settled(flat, lie, bits, layout)
        if found is not None and (best is None or found.likeness > best.likeness):
            best = found
        if best is not None and best.clear and best.lead > 2 * _FAR:
            break
    return best


def _flat(profile: Floats, length: float, layout: Layout) -> Any:
    return levelled(profile[None], WINDOW * length / layout.modules)[0]


def _softened(profile: Floats, flat: Any, length: float, layout: Layout) -> tuple[Any, float]:
    """A profile to place codes on, and its blur: soft enough to forgive half a module."""
    softer = smoothed(profile[None], _SOFT * length / layout.modules)[0]
    middle = slice(len(flat) // 5, -len(flat) // 5)
    kept = float(softer[middle].std() / (profile[middle].std() + 1e-6))
    if kept > _BLURRED:
        return flat, BLURS[2]
    return _flat(softer, length, layout), BLURS[1]


def _settled(flat: Floats, lie: Lie, bits: str, layout: Layout) -> Fit | None:
    """The best code at about ``lie``; None where nothing explains the profile well."""
    for limit in (_BAD, _POOR):
        bits = _likeliest(sampled(flat, lie, layout.modules), bits, layout)
        misfit, lie = polished(flat, lie, models(bits), layout.modules, steps=3)
        if misfit > limit:
            return None
    row = sampled(flat, lie, layout.modules)
    light, mix = unlevelled(row, bits)
    misfit, text, lead = _decoded(light, _mixed_templates(mix), layout)
    like = likeness(row, models(layout.bits(text)))
    return Fit(text, lead / misfit, like.over_all, like.weakest, monotony(row), lie)


def _likeliest(row: Any, bits: str, layout: Layout) -> str:
    """The modules that fit a placed profile best, where ``bits`` are roughly right."""
    light, mix = unlevelled(row, bits)
    return layout.bits(_quickest(light, _mixed_templates(mix), layout))


# Where the code lies


def _lies(soft: Floats, length: float, blur: float, layout: Layout) -> list[Lie]:
    """The likeliest placements: the best that fill the box, and the best that do not.

    The score is a bound, and the blurrier the bars, the more of it any stretch
    of them reaches; so the one kind must not crowd out the other.
    """
    import numpy as np

    curves = _spans(soft, length, layout)
    scores = _scores(soft, curves, blur, layout)
    module = length / layout.modules
    filling = np.diff(curves[:, :2], axis=1)[:, 0] > _FILLING * length
    lies = []
    for kind, (tried, kept) in ((filling, _FILLING_TRIES), (~filling, _PARTLY_TRIES)):
        of_kind = np.where(kind[:, None], scores, np.inf)
        finer = [
            _finer(soft, curves[at], bool(way), blur, layout, module)
            for at, way in _apart(of_kind, curves, 1.5 * module, tried)
        ]
        finer.sort(key=lambda one: one[0])
        lies += [lie for misfit, lie in finer[:kept] if misfit < _MISPLACED]
    return lies


def _finer(
    soft: Floats, curve: Any, backwards: bool, blur: float, layout: Layout, module: float
) -> tuple[float, Lie]:
    """The best of the placements around ``curve``, straight ones and bent ones."""
    import numpy as np

    steps = (-1, 0, 1)
    shifts = [(0.4 * a, 0.4 * b, c) for a in steps for b in steps for c in steps]
    near = curve + np.array(shifts) * module
    scores = _scores(soft, near, blur, layout)[:, int(backwards)]
    best = int(scores.argmin())
    return float(scores[best]), Lie(near[best], backwards)


def _apart(scores: Any, curves: Any, distance: float, most: int) -> list[tuple[int, int]]:
    """The best placements that are not near a better one: their rows and directions."""
    import numpy as np

    taken: list[tuple[int, int]] = []
    for place in np.argsort(scores, axis=None)[:200]:
        at, way = divmod(int(place), 2)
        if not np.isfinite(scores[at, way]) or len(taken) == most:
            break
        if all(
            other_way != way or abs(curves[at, :2] - curves[other, :2]).max() > distance
            for other, other_way in taken
        ):
            taken.append((at, way))
    return taken


def _spans(soft: Floats, length: float, layout: Layout) -> Any:
    """Where a code could begin and end, as curves.

    A box is rarely shorter than its code, but one end of it may have taken in
    an add-on or the edge of a label.
    """
    import numpy as np

    begin = (len(soft) - length) / 2
    shares = np.arange(-0.05, 0.42, 1.1 / layout.modules)
    starts, stops = (grid.ravel() for grid in np.meshgrid(shares, shares, indexing="ij"))
    one_end = np.minimum(starts, stops) < 0.21
    likely = one_end & (starts + stops < 0.5)
    starts, stops = starts[likely], stops[likely]
    ends = begin + starts * length, begin + (1 - stops) * length
    return np.stack([*ends, np.zeros(len(starts))], axis=1)


def _scores(flat: Floats, curves: Any, blur: float, layout: Layout) -> Any:
    """A lower bound of each placement's misfit, forwards and backwards.

    Each digit is taken as whatever fits it best, its neighbours as unknown.
    """
    import numpy as np

    fine = 1  # enough for a softened profile
    rows = picked(flat, places(curves, layout.modules, fine)).astype(np.float32)
    left, right, start, middle, stop = _lone_templates(blur, layout, fine)
    a = (QUIET + 3) * fine
    b = a + 7 * fine * layout.half
    c = b + 5 * fine
    d = c + 7 * fine * layout.half

    def digits(part: Any, templates: Any) -> Any:
        cells = part.reshape(-1, 7 * fine)
        # Templates first: numpy is quick at the maximum over the leading axis only.
        gain = (2 * templates) @ cells.T - (templates * templates).sum(axis=1)[:, None]
        return gain.max(axis=0).reshape(len(part), -1).sum(axis=1)

    def guard(part: Any, template: Any) -> Any:
        return 2 * (part @ template) - template @ template

    power = (rows * rows).sum(axis=1)
    result = np.empty((len(rows), 2), np.float32)
    for way in (0, 1):
        turned = rows[:, ::-1] if way else rows
        turned = np.ascontiguousarray(turned)
        gain = guard(turned[:, :a], start) + guard(turned[:, b:c], middle)
        gain += guard(turned[:, d:], stop)
        gain += digits(turned[:, a:b], left) + digits(turned[:, c:d], right)
        result[:, way] = (power - gain) / (power + 1e-6)
    return result


# The search over all codes


def _decoded(row: Any, tables: Any, layout: Layout) -> tuple[float, str, float]:
    """The best code for a placed profile: its misfit, its digits, the lead over the next.

    The state of the search is (digit, pattern of sets, check sum so far). Going
    forwards and backwards gives, for every digit, the best code with each value
    of it; the best that is not the winner is among these.
    """
    import numpy as np

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


def _quickest(row: Any, tables: Any, layout: Layout) -> str:
    """The digits that fit best, whatever the check digit says: enough to place a code by."""
    import numpy as np

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
    import numpy as np

    return ((np.arange(10) - weight * np.arange(10)[:, None]) % 10)[:, None]


@functools.cache
def _after(weight: int) -> Any:
    """(digit, -, sum) -> the sum once the digit is added."""
    import numpy as np

    return ((np.arange(10) + weight * np.arange(10)[:, None]) % 10)[:, None]


@functools.cache
def _set_index(layout: Layout) -> Any:
    """(place, digit, pattern) -> the row of `_LEFT`."""
    import numpy as np

    sets = np.array([[10 * (kind == "G") for kind in pattern] for pattern in layout.patterns])
    return sets.T[:, None, :] + np.arange(10)[:, None]


def _costs(row: Any, tables: Any, layout: Layout) -> Any:
    """Squared misfits, from the middle of one digit to the middle of the next."""
    import numpy as np

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


def _mixed_templates(mix: Any) -> list[tuple[Any, Any]]:
    """The templates under a mixture of blurs, each with its power."""
    import numpy as np

    weights = np.asarray(mix, np.float32)
    tables = []
    for blurred in _templates():
        templates = np.tensordot(weights, blurred, axes=1)
        tables.append((templates, np.einsum("...i,...i", templates, templates)))
    return tables


@functools.cache
def _templates() -> Any:
    """What lies between the middles of neighbouring digits, for each blur and all values."""
    import numpy as np

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
def _lone_templates(blur: float, layout: Layout, fine: int) -> Any:
    """What digits and guards look like on the whole, whatever is beside them.

    These are means over many codes, levelled as profiles are: how much
    levelling raises a digit depends on its neighbours, more so than its shape.
    """
    import numpy as np

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


def _landmarks(layout: Layout) -> tuple[int, int, int]:
    """Modules from the quiet zone to the first digit, the middle and the end guard."""
    begin = QUIET + 3
    middle = begin + 7 * layout.half
    return begin, middle, middle + 5 + 7 * layout.half


def _typical_codes(layout: Layout) -> list[str]:
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


def _digit_by_digit(row: Any, blur: float, layout: Layout) -> str:
    """The modules of a placed profile, each digit taken by itself."""
    left, right, *_ = _lone_templates(blur, layout, FINE)
    begin, middle, end = (at * FINE for at in _landmarks(layout))

    def nearest(part: Any, templates: Any, known: list[str]) -> str:
        gain = 2 * templates @ part.reshape(-1, 7 * FINE).T
        best = (gain - (templates * templates).sum(axis=1)[:, None]).argmax(axis=0)
        return "".join(known[int(i)] for i in best)

    lefts = nearest(row[begin:middle], left, _LEFT)
    rights = nearest(row[middle + 5 * FINE : end], right, _RIGHT)
    return "101" + lefts + "01010" + rights + "101"
