"""Bars that no decoder reads, told apart among the codes that are known.

A collection's codes are few. Where bars are too blurred or too small to be decoded,
the mean of their rows still follows one of the known codes more closely than any
other: it is compared with all of them, over a search of both ends and in both
directions. What is found is a proposal and never a read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from digideck.scan import strips, templates
from digideck.scan.links import Code
from digideck.scan.profile_text import samples_of
from digideck.scan.profiles import (
    FINE,
    QUIET,
    Lie,
    levelled,
    likeness,
    mixed,
    picked,
    places,
    polished,
    sampled,
    smoothed,
)
from digideck.scan.symbologies import Symbology
from digideck.scan.templates import BLURS, GRID, OWN_BLURS, SAMPLES

if TYPE_CHECKING:
    from digideck.scan.locate import Box, Grey, Quad
    from digideck.scan.strips import Floats

# Decoys: a margin over five known codes says little, one over 2,000 others much.
FEWEST_RIVALS = 2000
_PROFILE_DECOYS = 40
_SHORTEST = 60  # pixels of a box
_ROWS_AGREE = 0.65
COLUMNS, _ROWS = 640, 32
_SOFT = 3.0  # samples of blur for the first search
_STEP = 0.0125  # of the box's length, between the ends that are tried
_TRIED, _PLACED, _POLISHED = 40, 8, 8
_MOST_BOXES = 3  # the largest; of a picture of one card
_A_PAGE, _MOST_ON_A_PAGE = 9, 24  # boxes from which on it is a page of cards, and the most there
_AT_ONCE = 256  # codes compared at a time, few enough for the processor's cache
# What the best of all codes must have reached for each further try: less is no code at all.
_HOPELESS = (0.0, 0.0, 0.7, 0.82, 0.82)
_BLURRED_LONGER = 1.5  # bars that fade at their ends are located short of them


class HasFigures(Protocol):
    """A match, kept or fresh. None stands for what was read and not matched."""

    @property
    def likeness(self) -> float | None: ...  # noqa: D102
    @property
    def margin(self) -> float | None: ...  # noqa: D102
    @property
    def weakest(self) -> float | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Bound:
    """What a match must reach. ``margin``: of likeness over the best other code;
    ``share``: the misfit, in misfits of the best other code, at most.
    """

    likeness: float
    weakest: float
    margin: float = 0.0
    share: float = 1.0

    def holds(self, likeness: float, margin: float, weakest: float) -> bool:
        """Whether a match with these figures reaches it."""
        return (
            likeness >= self.likeness
            and weakest >= self.weakest
            and margin >= self.margin
            and 1 - likeness <= self.share * (1 - likeness + margin)
        )


def reaches(bounds: Iterable[Bound], match: HasFigures) -> bool:
    """Whether a match reaches one of the bounds."""
    figures = match.likeness or 0.0, match.margin or 0.0, match.weakest or 0.0
    return any(bound.holds(*figures) for bound in bounds)


# An ordinary fit, far from all others; or a very close one, which tells near codes apart.
PROPOSED = (Bound(0.93, 0.6, margin=0.1), Bound(0.98, 0.92, share=0.33))
# What is entered by --trust-matches: of one photo, or of each of two of the same code.
TRUSTED = (Bound(0.94, 0.8, margin=0.12), Bound(0.98, 0.93, share=0.25))
TRUSTED_TWICE = (Bound(0.935, 0.7, margin=0.1), Bound(0.98, 0.92, share=0.3))
ENROLLED = (Bound(0.85, 0.5, margin=0.12),)  # for photographed profiles


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The known code that bars are most like.

    ``likeness`` is their correlation (1: the same), ``margin`` its lead over the best other
    code, ``weakest`` the lowest correlation anywhere along the bars. ``seen`` and
    ``model`` are the two profiles, of `SAMPLES` each, for drawing.
    """

    code: Code
    quad: Quad
    likeness: float
    margin: float
    weakest: float
    seen: Any
    model: Any

    @property
    def acceptable(self) -> bool:
        """Whether it is worth proposing."""
        bounds = ENROLLED if self.code.kind == Symbology.PROFILE else PROPOSED
        return reaches(bounds, self)


class KnownBars:
    """The bars of the known codes, and of decoys, ready to be compared."""

    def __init__(self, codes: Iterable[Code], *, fewest_rivals: int = FEWEST_RIVALS) -> None:
        import numpy as np

        self.codes = [code for code in codes if code.kind in _KINDS]
        drawn_of, drawn = templates.drawn_codes(
            (code.kind, code.payload) for code in self.codes
        )  # fmt: skip
        owner = list(drawn_of)
        self._decoys(owner, drawn, fewest_rivals)
        rows, blurred = [], []
        if drawn:
            light = templates.light(drawn)
            rows.append(light)
            blurred.append(templates.models(light, BLURS))
        profiles = [
            (place, samples_of(code.payload))
            for place, code in enumerate(self.codes)
            if code.kind == Symbology.PROFILE
        ]
        if profiles:
            own = np.stack([samples for _, samples in profiles])
            shuffled = _shuffled(own, _PROFILE_DECOYS)
            owner += [place for place, _ in profiles] + [-1] * len(shuffled)
            light = np.concatenate([own, shuffled])
            rows.append(light)
            blurred.append(templates.models(light, OWN_BLURS))
        self.owner = np.array(owner, int)
        self.models = _unit(np.concatenate(blurred, axis=1)) if rows else None
        if rows:
            soft = levelled(smoothed(np.concatenate(rows), _SOFT), templates.WINDOW)
            self._soft = _unit(_halved(soft))

    def _decoys(self, owner: list[int], drawn: list[str], fewest: int) -> None:
        missing = fewest - len(self.codes)
        like = [code for code in self.codes if code.kind != Symbology.PROFILE]
        if missing <= 0 or not like:
            return
        known = {(code.kind, code.payload) for code in self.codes}
        each = -(-missing // min(len(like), 50))
        for code in like[:: max(1, len(like) // 50)]:
            others = [
                (code.kind, text)
                for text in templates.decoys(code.kind, code.payload, each)
                if (code.kind, text) not in known
            ]
            places_, others_drawn = templates.drawn_codes(others)
            owner += [-1] * len(places_)
            drawn += others_drawn

    def without(self, codes: Iterable[Code]) -> KnownBars:
        """The same without some codes."""
        import copy

        import numpy as np

        left = copy.copy(self)
        gone = set(codes)
        places_ = [place for place, code in enumerate(self.codes) if code in gone]
        keep = ~np.isin(self.owner, places_)
        left.owner = self.owner[keep]
        if self.models is not None:
            left.models = self.models[:, keep]
            left._soft = self._soft[keep]
        return left

    @property
    def has_profiles(self) -> bool:
        """Whether bars without a decoding are among them."""
        return any(code.kind == Symbology.PROFILE for code in self.codes)

    def __bool__(self) -> bool:
        return self.models is not None

    def ranked(self, flat: Floats, curves: Any, module: float) -> list[_Fitted]:
        """The codes that a levelled profile is most like, best first, one entry a code."""
        import numpy as np

        assert self.models is not None
        score, at, backwards = self._first_search(flat, curves)
        few = min(_TRIED, len(score))
        best = np.argpartition(-score, few - 1)[:few]
        best = best[np.argsort(-score[best])]
        starts = dict.fromkeys((int(at[one]), bool(backwards[one])) for one in best)
        lies = [Lie(curves[place], way, 1.0) for place, way in list(starts)[:_PLACED]]
        scores, found = self._closer(flat, best, lies, module)
        fitted: dict[int, _Fitted] = {}
        for place in np.argsort(-scores)[:_POLISHED]:
            row = int(best[place])
            one = self._polished(flat, row, found[int(place)])
            key = one.owner if one.owner >= 0 else -1 - row
            if key not in fitted or one.likeness > fitted[key].likeness:
                fitted[key] = one
        return sorted(fitted.values(), key=lambda one: -one.likeness)

    def _first_search(self, flat: Floats, curves: Any) -> tuple[Any, Any, Any]:
        """For each code its best correlation, and the curve and direction that gives it."""
        import numpy as np

        rows = _halved(smoothed(picked(flat, places(curves, GRID)), 1.5))
        rows = _unit(rows)
        rows = np.ascontiguousarray(np.concatenate([rows, rows[:, ::-1]]).T)
        scores, best = [], []
        for first in range(0, len(self._soft), _AT_ONCE):
            found = self._soft[first : first + _AT_ONCE] @ rows
            at = found.argmax(axis=1)
            best.append(at)
            scores.append(found[np.arange(len(found)), at])
        places_ = np.concatenate(best)
        return np.concatenate(scores), places_ % len(curves), places_ >= len(curves)

    def _closer(
        self, flat: Floats, codes: Any, lies: list[Lie], module: float
    ) -> tuple[Any, list[Lie]]:
        """The codes placed more closely: their correlations, and where each lies."""
        import numpy as np

        assert self.models is not None
        steps = [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
        scores, at = np.full(len(codes), -1.0), np.zeros(len(codes), int)
        for size in (0.6 * module, 0.3 * module):
            curves = np.concatenate([_bent(lie.curve) + np.array(steps) * size for lie in lies])
            ways = np.repeat([lie.backwards for lie in lies], len(steps))
            rows = picked(flat, places(curves, GRID))
            rows[ways] = rows[ways, ::-1]
            rows = _unit(rows)
            found = np.max([rows @ blurred[codes].T for blurred in self.models], axis=0)
            at = found.argmax(axis=0)
            scores = found[at, np.arange(len(codes))]
            all_lies = [Lie(curve, bool(way), 1.0) for curve, way in zip(curves, ways, strict=True)]
            order = dict.fromkeys(int(at[one]) for one in np.argsort(-scores))
            lies = [all_lies[one] for one in list(order)[:_PLACED]]
        return scores, [all_lies[one] for one in at]

    def _polished(self, flat: Floats, row: int, lie: Lie) -> _Fitted:
        assert self.models is not None
        blurred = self.models[:, row]
        _, lie = polished(flat, lie, blurred, GRID, steps=4)
        seen = sampled(flat, lie, GRID)
        like = likeness(seen, blurred)
        return _Fitted(
            int(self.owner[row]), like.over_all, like.weakest, seen, mixed(blurred, seen)[1]
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """A code (the place of it; -1: a decoy) as it fits best."""

    owner: int
    likeness: float
    weakest: float
    seen: Any
    model: Any


_KINDS = frozenset(
    (
        Symbology.EAN_13,
        Symbology.EAN_8,
        Symbology.CODE_128,
        Symbology.CODE_39,
        Symbology.ITF,
        Symbology.CODABAR,
        Symbology.PROFILE,
    )
)


def best_match(grey: Grey, box: Box, known: KnownBars) -> Match | None:
    """The code that the bars along ``box`` are most like, if it is worth proposing.

    A box may end short of bars that fade, have taken in an add-on, or lie on half a code
    only: where the plain search says nothing, a longer box, wider cuts at its ends and
    a box of double length are tried.
    """
    nearest = 0.0
    for place, (tried, grid) in enumerate(_tries(box)):
        if nearest < _HOPELESS[place]:
            continue
        profile = bar_profile(grey, tried)
        if profile is None:
            continue
        found, best = _match(profile, tried, known, grid)
        if found is not None and found.acceptable:
            return found
        nearest = max(nearest, best)
    return None


def _match(profile: Floats, box: Box, known: KnownBars, grid: Any) -> tuple[Match | None, float]:
    """The best match of a profile, and the best likeness of any code, decoys included."""
    length = COLUMNS / (1 + 2 * strips.BEYOND)
    flat = levelled(profile[None], 0.1 * length)[0]
    curves = grid * length
    curves[:, :2] += (len(flat) - length) / 2
    ranked = known.ranked(flat, curves, length / 95)
    if not ranked or ranked[0].owner < 0:
        return None, ranked[0].likeness if ranked else 0.0
    best = ranked[0]
    second = ranked[1].likeness if len(ranked) > 1 else 0.5
    match = Match(
        known.codes[best.owner],
        box.quad,
        best.likeness,
        best.likeness - second,
        best.weakest,
        best.seen,
        best.model,
    )
    return match, best.likeness


def _tries(box: Box) -> Iterator[tuple[Box, Any]]:
    yield box, _ends((-0.08, 0.2), (-0.08, 0.2))
    yield replace(box, length=_BLURRED_LONGER * box.length), _ends((-0.05, 0.22), (-0.05, 0.22))
    yield box, _ends((-0.05, 0.2), (0.2, 0.4), (0.2, 0.4), (-0.05, 0.2))
    for side in (-1, 1):
        yield _doubled(box, side), _ends((-0.1, 0.2), (-0.1, 0.2))


def _ends(*ranges: tuple[float, float]) -> Any:
    """Curves (start, end, no bend) in shares of a box, from pairs of ranges of cuts."""
    import numpy as np

    found = []
    for starts, stops in zip(ranges[::2], ranges[1::2], strict=True):
        grids = np.meshgrid(np.arange(*starts, _STEP), np.arange(*stops, _STEP), indexing="ij")
        start, stop = (grid.ravel() for grid in grids)
        found.append(np.stack([start, 1 - stop, np.zeros(len(start))], axis=1))
    return np.concatenate(found)


def _doubled(box: Box, side: int) -> Box:
    """A box of double length that reaches out at one end."""
    away = side * box.length / 2
    x = box.x + math.cos(box.angle) * away
    y = box.y + math.sin(box.angle) * away
    return replace(box, x=x, y=y, length=2 * box.length)


def bar_profile(grey: Grey, box: Box) -> Floats | None:
    """The light along the bars of ``box``; None where there are none."""
    if box.length < _SHORTEST:
        return None
    strip = strips.straighten(grey, box, columns=COLUMNS, rows=_ROWS)
    if strips.agreement(strip.upright) < _ROWS_AGREE:
        return None
    edge = _ROWS // 8
    profile: Floats = strip.upright[edge:-edge].mean(axis=0)
    return profile


def compared(samples: Any, known: KnownBars) -> tuple[Code, float] | None:
    """The known code that a profile is most like, and how much."""
    import numpy as np

    length = COLUMNS / (1 + 2 * strips.BEYOND)
    begin = (COLUMNS - length) / 2
    at = np.linspace(begin - length * QUIET / GRID, begin + length * (1 + QUIET / GRID), SAMPLES)
    profile = np.interp(np.arange(COLUMNS), at, samples).astype(np.float32)
    flat = levelled(profile[None], 0.1 * length)[0]
    curves = _ends((-0.05, 0.05), (-0.05, 0.05)) * length
    curves[:, :2] += begin
    ranked = [one for one in known.ranked(flat, curves, length / 95) if one.owner >= 0]
    return (known.codes[ranked[0].owner], ranked[0].likeness) if ranked else None


def matches(grey: Grey, boxes: Sequence[Box], known: KnownBars) -> list[Match]:
    """What the unread bars of a picture are most like: at most one match a box and code."""
    found: list[Match] = []
    if not known:
        return found
    most = _MOST_BOXES if len(boxes) < _A_PAGE else _MOST_ON_A_PAGE
    for box in boxes[:most]:
        if any(_holds(match.quad, box) for match in found):
            continue
        match = best_match(grey, box, known)
        if match is not None:
            found.append(match)
    return found


def _holds(quad: Quad, box: Box) -> bool:
    x, y = (sum(corner[axis] for corner in quad) / 4 for axis in (0, 1))
    return math.hypot(x - box.x, y - box.y) < 0.6 * box.length


def _bent(curve: Any) -> Any:
    import numpy as np

    return np.concatenate([curve, np.zeros(3 - len(curve))]) if len(curve) < 3 else curve[:3]


def _halved(rows: Any) -> Any:
    """The mean of each pair of samples."""
    return (rows[..., ::2] + rows[..., 1::2]) * 0.5


def _unit(rows: Any) -> Any:
    """Rows with a mean of zero and a length of one."""
    import numpy as np

    off = rows - rows.mean(axis=-1, keepdims=True)
    return (off / (np.linalg.norm(off, axis=-1, keepdims=True) + 1e-9)).astype(np.float32)


def _shuffled(rows: Any, count: int) -> Any:
    """``count`` profiles that are no card's: pieces of those that are, in another order."""
    import numpy as np

    chance = np.random.default_rng(len(rows))
    quiet = QUIET * FINE
    made = []
    for number in range(count):
        row = rows[number % len(rows)]
        inner = np.array_split(row[quiet:-quiet], 8)
        order = chance.permutation(8)
        pieces = [inner[at][::-1] if chance.random() < 0.5 else inner[at] for at in order]
        made.append(np.concatenate([row[:quiet], *pieces, row[-quiet:]]))
    return np.stack(made)
