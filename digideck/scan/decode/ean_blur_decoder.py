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

from dataclasses import dataclass
from typing import Any

from digideck.scan.decode.ean_search import (
    EanLayout,
    decoded,
    digit_by_digit,
    lone_templates,
    mixed_templates,
    quickest,
)
from digideck.scan.decode.locate import Floats
from digideck.scan.decode.profiles import (
    BLURS,
    QUIET,
    WINDOW,
    Alignment,
    levelled,
    models,
    monotony,
    picked,
    places,
    polished,
    sampled,
    similarity,
    smoothed,
    unlevelled,
)
from digideck.scan.images.libraries import np

# What a read must reach: a clear lead, or a smaller one with a close similarity.
_LEAD, _FAR = 0.2, 0.35
_SIMILARITY, _CLOSE, _WEAKEST = 0.9, 0.93, 0.7
_MONOTONOUS = 0.7  # codes have at most 0.5, stripes 0.98
_SOFT = 0.8  # modules of blur added for placing
_BLURRED = 0.79  # share of the contrast that this leaves, where it is not needed
# Shares of a profile left unexplained at which going on is no use: by the best
# placement, after a first polish, and at last.
_MISPLACED = 0.33
_FILLING = 0.8  # share of a box that its code mostly takes
_FILLING_TRIES, _PARTLY_TRIES = (3, 1), (2, 1)  # placements tried, and gone on with
_HOPELESS, _BAD, _POOR = 0.2, 0.3, 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The likeliest code, and how sure it is.

    ``lead`` is the misfit that the best other code adds, as a share of the
    misfit of this one; ``similarity`` the correlation with the picture, ``weakest``
    the lowest correlation anywhere along the code. ``monotony`` is the share of
    the profile that is one wave: a fence, or lines of text, fits a code of sevens.
    """

    text: str
    lead: float
    similarity: float
    weakest: float
    monotony: float
    alignment: Alignment

    @property
    def clear(self) -> bool:
        """Whether this is a read, and not only the best guess."""
        close = self.similarity > _SIMILARITY and self.weakest > _WEAKEST
        return close and (self.lead > _FAR or (self.lead > _LEAD and self.similarity > _CLOSE))


def read(bars: Floats, length: float, layout: EanLayout) -> str | None:
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
        _, alignment = polished(flat, found.alignment, blurred, layout.modules, steps=3)
        row, mix = unlevelled(sampled(flat, alignment, layout.modules), layout.bits(found.text))
        tables = mixed_templates(mix)
        if quickest(row, tables, layout) == found.text:
            continue  # what is best of all is best of those with a right check digit
        if decoded(row, tables, layout)[1] != found.text:
            return None
    return found.text


def best_fit(profile: Floats, length: float, layout: EanLayout) -> Fit | None:
    """The likeliest code in a profile in whose middle the bars take ``length`` samples."""
    modules = layout.modules
    flat = _flat(profile, length, layout)
    soft, blur = _softened(profile, flat, length, layout)
    tries = []
    for alignment in _alignments(soft, length, blur, layout):
        row = sampled(soft, alignment, modules)
        bits = _likeliest(row, digit_by_digit(row, blur, layout), layout)
        tries.append((*polished(soft, alignment, models(bits), modules, steps=2), bits))
    best: Fit | None = None
    for misfit, alignment, bits in sorted(tries, key=lambda one: one[0]):
        if misfit > _HOPELESS:
            break
        found = _settled(flat, alignment, bits, layout)
        if found is not None and (best is None or found.similarity > best.similarity):
            best = found
        if best is not None and best.clear and best.lead > 2 * _FAR:
            break
    return best


def _flat(profile: Floats, length: float, layout: EanLayout) -> Any:
    return levelled(profile[None], WINDOW * length / layout.modules)[0]


def _softened(profile: Floats, flat: Any, length: float, layout: EanLayout) -> tuple[Any, float]:
    """A profile to place codes on, and its blur: soft enough to forgive half a module."""
    softer = smoothed(profile[None], _SOFT * length / layout.modules)[0]
    middle = slice(len(flat) // 5, -len(flat) // 5)
    kept = float(softer[middle].std() / (profile[middle].std() + 1e-6))
    if kept > _BLURRED:
        return flat, BLURS[2]
    return _flat(softer, length, layout), BLURS[1]


def _settled(flat: Floats, alignment: Alignment, bits: str, layout: EanLayout) -> Fit | None:
    """The best code at about ``alignment``; None where nothing explains the profile well."""
    for limit in (_BAD, _POOR):
        bits = _likeliest(sampled(flat, alignment, layout.modules), bits, layout)
        misfit, alignment = polished(flat, alignment, models(bits), layout.modules, steps=3)
        if misfit > limit:
            return None
    row = sampled(flat, alignment, layout.modules)
    light, mix = unlevelled(row, bits)
    misfit, text, lead = decoded(light, mixed_templates(mix), layout)
    like = similarity(row, models(layout.bits(text)))
    return Fit(text, lead / misfit, like.over_all, like.weakest, monotony(row), alignment)


def _likeliest(row: Any, bits: str, layout: EanLayout) -> str:
    """The modules that fit a placed profile best, where ``bits`` are roughly right."""
    light, mix = unlevelled(row, bits)
    return layout.bits(quickest(light, mixed_templates(mix), layout))


# Where the code lies


def _alignments(soft: Floats, length: float, blur: float, layout: EanLayout) -> list[Alignment]:
    """The likeliest placements: the best that fill the box, and the best that do not.

    The score is a bound, and the blurrier the bars, the more of it any stretch
    of them reaches; so the one kind must not crowd out the other.
    """
    curves = _spans(soft, length, layout)
    scores = _scores(soft, curves, blur, layout)
    module = length / layout.modules
    filling = np.diff(curves[:, :2], axis=1)[:, 0] > _FILLING * length
    alignments = []
    for kind, (tried, kept) in ((filling, _FILLING_TRIES), (~filling, _PARTLY_TRIES)):
        of_kind = np.where(kind[:, None], scores, np.inf)
        finer = [
            _finer(soft, curves[at], bool(way), blur, layout, module)
            for at, way in _apart(of_kind, curves, 1.5 * module, tried)
        ]
        finer.sort(key=lambda one: one[0])
        alignments += [alignment for misfit, alignment in finer[:kept] if misfit < _MISPLACED]
    return alignments


def _finer(
    soft: Floats, curve: Any, backwards: bool, blur: float, layout: EanLayout, module: float
) -> tuple[float, Alignment]:
    """The best of the placements around ``curve``, straight ones and bent ones."""
    steps = (-1, 0, 1)
    shifts = [(0.4 * a, 0.4 * b, c) for a in steps for b in steps for c in steps]
    near = curve + np.array(shifts) * module
    scores = _scores(soft, near, blur, layout)[:, int(backwards)]
    best = int(scores.argmin())
    return float(scores[best]), Alignment(near[best], backwards)


def _apart(scores: Any, curves: Any, distance: float, most: int) -> list[tuple[int, int]]:
    """The best placements that are not near a better one: their rows and directions."""
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


def _spans(soft: Floats, length: float, layout: EanLayout) -> Any:
    """Where a code could begin and end, as curves.

    A box is rarely shorter than its code, but one end of it may have taken in
    an add-on or the edge of a label.
    """
    begin = (len(soft) - length) / 2
    shares = np.arange(-0.05, 0.42, 1.1 / layout.modules)
    starts, stops = (grid.ravel() for grid in np.meshgrid(shares, shares, indexing="ij"))
    one_end = np.minimum(starts, stops) < 0.21
    likely = one_end & (starts + stops < 0.5)
    starts, stops = starts[likely], stops[likely]
    ends = begin + starts * length, begin + (1 - stops) * length
    return np.stack([*ends, np.zeros(len(starts))], axis=1)


def _scores(flat: Floats, curves: Any, blur: float, layout: EanLayout) -> Any:
    """A lower bound of each placement's misfit, forwards and backwards.

    Each digit is taken as whatever fits it best, its neighbours as unknown.
    """
    fine = 1  # enough for a softened profile
    rows = picked(flat, places(curves, layout.modules, fine)).astype(np.float32)
    left, right, start, middle, stop = lone_templates(blur, layout, fine)
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
