"""Bars that no decoder reads, told apart among the codes that are known.

A collection's codes are few. Where bars are too blurred or too small to be decoded,
the mean of their rows still follows one of the known codes more closely than any
other: it is compared with all of them, over a search of both ends and in both
directions. What is found is a proposal and never a read.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

from digideck.scan.decode import strips
from digideck.scan.decode.locate import SHORTEST_BOX, Box, Floats, Grey, Quad
from digideck.scan.decode.profiles import GRID, QUIET, SAMPLES, Alignment, levelled, monotony
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import np
from digideck.scan.match.known_bars import Fitted, KnownBars
from digideck.scan.match.templates import SPAN
from digideck.scan.store.links import Barcode

_ROWS_AGREE = 0.65  # 1 where all rows are alike; less is no bars
_COLUMNS, _ROWS = 640, 32  # of a straightened box, with what is beyond its ends
_LENGTH = _COLUMNS / (1 + 2 * strips.BEYOND)  # columns of the box itself
_BEGIN = (_COLUMNS - _LENGTH) / 2  # the column at which it begins
_EVEN = 0.85  # monotony of text in lines; of 217 boxes with bars the most even had 0.83
_MOST_BOXES = 6  # of a picture of one card
_A_PAGE, _MOST_ON_A_PAGE = 9, 24  # boxes from which on it is a page of cards, and the most there
_STEP = 0.02  # of the box's length, between the ends that are tried


class HasScores(Protocol):
    """A match, kept or fresh. None stands for what was read and not matched."""

    @property
    def similarity(self) -> float | None: ...  # noqa: D102
    @property
    def margin(self) -> float | None: ...  # noqa: D102
    @property
    def weakest(self) -> float | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Bound:
    """What a match must reach. ``margin``: of similarity over the best code of another card;
    ``share``: the misfit, in misfits of that code, at most.
    """

    similarity: float
    weakest: float
    margin: float = 0.0
    share: float = 1.0

    def holds(self, similarity: float, margin: float, weakest: float) -> bool:
        """Whether a match with these scores reaches it."""
        return (
            similarity >= self.similarity
            and weakest >= self.weakest
            and margin >= self.margin
            and 1 - similarity <= self.share * (1 - similarity + margin)
        )


def reaches(bounds: Iterable[Bound], match: HasScores) -> bool:
    """Whether a match reaches one of the bounds."""
    scores = match.similarity or 0.0, match.margin or 0.0, match.weakest or 0.0
    return any(bound.holds(*scores) for bound in bounds)


# The bounds were set with `python -m benchmarks.bars`; docs/scan-a-box.md has what it measured.
# An ordinary fit, far from all others; or a close one, which tells near codes apart.
TO_PROPOSE = (
    Bound(0.93, 0.6, margin=0.1),
    Bound(0.965, 0.92, share=0.3),
    Bound(0.975, 0.95, share=0.4),
)
# What --trust-matches takes as confirmed: of one photo, or of each of two of the same card.
AUTO_CONFIRM = (Bound(0.94, 0.8, margin=0.12), Bound(0.98, 0.93, share=0.25))
AUTO_CONFIRM_TWICE = (Bound(0.935, 0.7, margin=0.1), Bound(0.975, 0.92, share=0.3))
# For photographed profiles: their ends may be more than bars, but they have few rivals. None
# that was wrong had a margin above 0.19.
TO_PROPOSE_ENROLLED = (Bound(0.87, 0.5, margin=0.2), Bound(0.82, 0.2, margin=0.25))


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The known code that bars are most like.

    ``similarity`` is their correlation (1: the same), ``margin`` its lead over the best code of
    another card, ``weakest`` the lowest correlation anywhere along the bars. ``seen`` and
    ``model`` are the two profiles, of `SAMPLES` each, for drawing.
    """

    code: Barcode
    quad: Quad
    similarity: float
    margin: float
    weakest: float
    seen: Any
    model: Any

    @property
    def acceptable(self) -> bool:
        """Whether it is worth proposing."""
        enrolled = self.code.kind == Symbology.PROFILE
        bounds = TO_PROPOSE_ENROLLED if enrolled else TO_PROPOSE
        return reaches(bounds, self)


def matches(grey: Grey, boxes: Sequence[Box], known: KnownBars) -> list[Match]:
    """What the unread bars of a picture are most like: at most one match a box and code."""
    found: list[Match] = []
    if not known:
        return found
    page = len(boxes) >= _A_PAGE
    # Codes are longer than high; what is not is tried last.
    likeliest = sorted(boxes, key=lambda box: box.length < box.height)
    for box in likeliest[: _MOST_ON_A_PAGE if page else _MOST_BOXES]:
        if any(_is_at(match.quad, box) for match in found):
            continue
        # A second card in a picture is rare: what is not plainly one is let be.
        match = best_match(grey, box, known, thorough=page or not found)
        if match is not None and not any(_is_same(match, other) for other in found):
            found.append(match)
    return found


def best_match(grey: Grey, box: Box, known: KnownBars, *, thorough: bool = True) -> Match | None:
    """The code that the bars along ``box`` are most like, if it is worth proposing.

    A box may end short of bars that fade, have taken in an add-on, or lie on a part of a
    code only: where the plain search says nothing, a ``thorough`` one tries a longer box,
    wider cuts at its ends and boxes that reach out at one end.
    """
    profiles = {box: bar_profile(grey, box)}
    if box.length < 2 * box.height and is_text(profiles[box]):
        return None
    for tried, curves in islice(_tries(box), None if thorough else 1):
        if tried not in profiles:
            profiles[tried] = bar_profile(grey, tried)
        profile = profiles[tried]
        match = _match(profile, tried, known, curves) if profile is not None else None
        if match is not None and match.acceptable:
            return match
    return None


def _match(profile: Floats, box: Box, known: KnownBars, curves: Any) -> Match | None:
    """The best match of a profile; None where that is a decoy."""
    best, *others = known.ranked(_flat(profile), curves * _LENGTH + [_BEGIN, _BEGIN, 0], _LENGTH)
    if best.owner < 0:
        return None
    # Without a rival there is nothing that it is told apart from.
    second = next((one for one in others if known.are_rivals(best, one)), best)
    return Match(
        known.codes[best.owner],
        _lying(box, best).quad,
        best.similarity,
        best.similarity - second.similarity,
        best.weakest,
        best.seen,
        best.model,
    )


def bar_profile(grey: Grey, box: Box) -> Floats | None:
    """The light along the bars of ``box``, over it and `strips.BEYOND`; None without bars."""
    if box.length < SHORTEST_BOX:
        return None
    strip = strips.straighten(grey, box, columns=_COLUMNS, rows=_ROWS)
    rows, agreement = strips.steady_rows(strip)
    if agreement < _ROWS_AGREE:
        return None
    profile: Floats = rows.mean(axis=0)
    return profile


def is_text(profile: Floats | None) -> bool:
    """Whether dark and light change evenly, as over the lines of a paragraph."""
    if profile is None:
        return False
    begin = round(_BEGIN)
    return monotony(_flat(profile)[begin:-begin]) > _EVEN


def cut_out(profile: Floats, cut: float) -> Alignment:
    """Where the box of a profile lies in it, without a share of ``cut`` at each end."""
    away = cut * _LENGTH
    return Alignment(np.array([_BEGIN + away, len(profile) - _BEGIN - away]), False)


def nearest(samples: Any, known: KnownBars) -> tuple[Barcode, float] | None:
    """The known code that a profile of `SAMPLES` is most like, and how much."""
    quiet = _LENGTH * QUIET / GRID
    at = np.linspace(_BEGIN - quiet, _BEGIN + _LENGTH + quiet, SAMPLES)
    profile = np.interp(np.arange(_COLUMNS), at, samples).astype(np.float32)
    curves = _ends((-0.2, 0.2), (-0.2, 0.2)) * _LENGTH + [_BEGIN, _BEGIN, 0]
    ranked = known.ranked(_flat(profile), curves, _LENGTH)
    best = next((one for one in ranked if one.owner >= 0), None)
    return (known.codes[best.owner], best.similarity) if best else None


def _flat(profile: Floats) -> Floats:
    flat: Floats = levelled(profile[None], SPAN * _LENGTH)[0]
    return flat


def _tries(box: Box) -> Iterator[tuple[Box, Any]]:
    """Boxes, and where in each of them the ends of a code are looked for."""
    yield box, _ends((-0.08, 0.2), (-0.08, 0.2))
    yield _lengthened(box, 0.5, 0), _ends((-0.05, 0.22), (-0.05, 0.22))
    yield box, _ends((-0.05, 0.2), (0.2, 0.4), (0.2, 0.4), (-0.05, 0.2))
    for by in (0.5, 1.0):
        for side in (-1, 1):
            yield _lengthened(box, by, side), _ends((-0.1, 0.2), (-0.1, 0.2))


@functools.cache
def _ends(*ranges: tuple[float, float]) -> Any:
    """Curves (start, end, no bend) in shares of a box, from pairs of ranges of cuts."""
    found = []
    for starts, stops in zip(ranges[::2], ranges[1::2], strict=True):
        grids = np.meshgrid(np.arange(*starts, _STEP), np.arange(*stops, _STEP), indexing="ij")
        start, stop = (grid.ravel() for grid in grids)
        found.append(np.stack([start, 1 - stop, np.zeros(len(start))], axis=1))
    return np.concatenate(found)


def _lengthened(box: Box, by: float, side: int) -> Box:
    """A box that reaches out ``by`` its length, at one end (-1, 1) or half at each (0)."""
    return _shifted(box, side * by / 2, 1 + by)


def _lying(box: Box, code: Fitted) -> Box:
    """The box of a code in a picture, which ``box`` was straightened from."""
    start, end = ((float(end) - _BEGIN) / _LENGTH for end in code.alignment.curve[:2])
    return _shifted(box, (start + end - 1) / 2, end - start)


def _shifted(box: Box, along: float, times: float) -> Box:
    """A box moved across its bars by a share of its length, and ``times`` as long."""
    away = along * box.length
    return replace(
        box,
        x=box.x + math.cos(box.angle) * away,
        y=box.y + math.sin(box.angle) * away,
        length=times * box.length,
    )


def _is_same(one: Match, other: Match) -> bool:
    """Whether two matches of a code are one code, found from boxes on its two halves."""
    (x, y), (other_x, other_y) = _centre(one.quad), _centre(other.quad)
    reach = max(math.dist(match.quad[0], match.quad[1]) for match in (one, other))
    return one.code == other.code and math.hypot(x - other_x, y - other_y) < 0.6 * reach


def _is_at(quad: Quad, box: Box) -> bool:
    x, y = _centre(quad)
    return math.hypot(x - box.x, y - box.y) < 0.6 * box.length


def _centre(quad: Quad) -> tuple[float, float]:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4
