"""Profiles of bars that have no decoding, taken from sharp photos."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from digideck.scan import strips
from digideck.scan.links import Code
from digideck.scan.matching import COLUMNS, KnownBars, bar_profile, compared
from digideck.scan.profile_text import text_of
from digideck.scan.profiles import Lie, levelled, sampled, smoothed
from digideck.scan.reading import bars_of
from digideck.scan.symbologies import Symbology
from digideck.scan.templates import GRID, WINDOW

if TYPE_CHECKING:
    from digideck.scan.locate import Box, Grey, Quad

_SHARPEST = 0.035  # energy of differences over energy: below it the bars run into each other
TOO_ALIKE = 0.9  # likeness of two profiles that could be taken for each other


@dataclass(frozen=True, slots=True, eq=False)
class Enrolled:
    """The profile of one photo: its samples (see `templates`), and how sharp it is."""

    samples: Any
    sharpness: float
    quad: Quad

    @property
    def code(self) -> Code:
        """What it is linked as."""
        return Code(str(Symbology.PROFILE), text_of(self.samples))

    @property
    def sharp(self) -> bool:
        """Whether others can be recognised by it."""
        return self.sharpness >= _SHARPEST


def enrol_picture(grey: Grey) -> Enrolled | None:
    """The profile of the largest bars in a picture; None where there are none."""
    for box in bars_of(grey):
        found = enrol(grey, box)
        if found is not None:
            return found
    return None


def enrol(grey: Grey, box: Box) -> Enrolled | None:
    """The profile along a box, from the first bar to the last."""
    import numpy as np

    profile = bar_profile(grey, box)
    if profile is None:
        return None
    length = COLUMNS / (1 + 2 * strips.BEYOND)
    begin, end = _bars(profile, length)
    lie = Lie(np.array([begin, end]), False, 1.0)
    samples = sampled(profile, lie, GRID)
    flat = levelled(samples[None].astype(np.float32), WINDOW)[0]
    inner = flat[len(flat) // 10 : -len(flat) // 10]
    sharpness = float((np.diff(inner) ** 2).sum() / ((inner * inner).sum() + 1e-9))
    return Enrolled(samples, sharpness, box.quad)


def _bars(profile: Any, length: float) -> tuple[float, float]:
    """Where the first bar begins and the last ends: beyond them is little contrast."""
    import numpy as np

    soft = smoothed(profile[None].astype(np.float32), 2.0)[0]
    change = np.abs(np.diff(soft))
    margin = (len(profile) - length) / 2
    strong = change > 0.25 * np.percentile(change[int(margin) : int(-margin)], 95)
    low, high = int(margin - 0.06 * length), int(len(profile) - margin + 0.06 * length)
    at = np.nonzero(strong[max(low, 0) : high])[0]
    if len(at) < 2 or at[-1] - at[0] < 0.5 * length:
        return margin, len(profile) - margin
    return float(at[0] + max(low, 0)), float(at[-1] + max(low, 0) + 1)


def too_alike(new: Enrolled, known: Iterable[Code]) -> Code | None:
    """The enrolled profile of ``known`` that could be taken for ``new``; None if none could."""
    profiles = [code for code in known if code.kind == Symbology.PROFILE]
    if not profiles:
        return None
    found = compared(new.samples, KnownBars(profiles, fewest_rivals=0))
    return found[0] if found is not None and found[1] >= TOO_ALIKE else None
