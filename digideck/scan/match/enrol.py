"""Profiles of bars that have no decoding, taken from sharp photos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from digideck.scan.decode.locate import Box, Grey, Quad
from digideck.scan.decode.profiles import GRID, levelled, sampled
from digideck.scan.decode.reading import bars_of
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import np
from digideck.scan.match.known_bars import KnownBars
from digideck.scan.match.matching import bar_profile, cut_out, is_text, nearest
from digideck.scan.match.outline import bar_areas
from digideck.scan.match.templates import SPAN_SAMPLES
from digideck.scan.store.links import Barcode
from digideck.scan.store.profile_text import samples_of, text_of

# Energy of differences over energy: below it the bars run into each other. Of 1,232 pairs of
# photos of one code (those of `python -m benchmarks.bars`), one enrolled, the other matched:
# 18 % below 0.04, 57 % from there to 0.06, and 83 % above.
_SHARPEST = 0.04
_CUT = 0.06  # of the box at each end, so that whatever box is found later holds what is kept
# Similarity of two profiles that could be taken for each other: benchmarks.bars says by how much
# those of different codes are alike at most (0.86), and those of one code (0.96, the median).
TOO_ALIKE = 0.88


@dataclass(frozen=True, slots=True, eq=False)
class Enrolled:
    """The profile of one photo: its samples (see `templates`), and how sharp it is."""

    samples: Any
    sharpness: float
    quad: Quad

    @property
    def code(self) -> Barcode:
        """What it is linked as."""
        return Barcode(str(Symbology.PROFILE), text_of(self.samples))

    @property
    def sharp(self) -> bool:
        """Whether others can be recognised by it."""
        return self.sharpness >= _SHARPEST


def enrol_picture(grey: Grey) -> Enrolled | None:
    """The profile of the bars in a picture; None where there are none."""
    for box in (*bars_of(grey), *bar_areas(grey)):
        found = enrol(grey, box)
        if found is not None:
            return found
    return None


def enrol(grey: Grey, box: Box) -> Enrolled | None:
    """The profile along a box, nearly from end to end; None where it is on lines of text."""
    profile = bar_profile(grey, box)
    if profile is None or is_text(profile):
        return None
    samples = sampled(profile, cut_out(profile, _CUT), GRID)
    flat = levelled(samples[None].astype(np.float32), SPAN_SAMPLES)[0]
    inner = flat[len(flat) // 10 : -len(flat) // 10]
    sharpness = float((np.diff(inner) ** 2).sum() / ((inner * inner).sum() + 1e-9))
    return Enrolled(samples, sharpness, box.quad)


def conflicting_profiles(
    new: Sequence[tuple[Barcode, int]], linked: Mapping[Barcode, Sequence[int]]
) -> dict[Barcode, Barcode]:
    """The profiles among ``new``, each with one of another card that it could be taken for.

    ``new`` are codes with the id of their card, ``linked`` those that are known.
    """
    kind = str(Symbology.PROFILE)
    fresh = [(code, card_id) for code, card_id in new if code.kind == kind]
    cards = {code: set(ids) for code, ids in linked.items() if code.kind == kind}
    for code, card_id in fresh:
        cards.setdefault(code, set()).add(card_id)
    if not fresh:
        return {}
    known = KnownBars(cards, fewest_rivals=0)
    found = {}
    for code, card_id in fresh:
        if card_id in linked.get(code, ()):
            continue
        if cards[code] != {card_id}:
            found[code] = code
            continue
        own = [other for other, ids in cards.items() if card_id in ids]
        like = nearest(samples_of(code.payload), known.without(own))
        if like is not None and like[1] >= TOO_ALIKE:
            found[code] = like[0]
    return found
