"""The bars of the codes that are known, and which of them a profile is most like."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from digideck.core.problems import InputError
from digideck.scan.decode.locate import Floats
from digideck.scan.decode.profiles import (
    FINE,
    GRID,
    QUIET,
    Alignment,
    basis,
    levelled,
    mixed,
    picked,
    places,
    polished,
    sampled,
    similarity,
    smoothed,
)
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import np
from digideck.scan.match import templates
from digideck.scan.match.templates import BLURS, OWN_BLURS
from digideck.scan.store.links import Barcode
from digideck.scan.store.profile_text import samples_of

# Decoys: a margin over five known codes says little, one over 2,000 others of a kind much.
FEWEST_RIVALS = 2000
_DECOYS_FROM = 50  # codes of a kind that decoys are made from
_PROFILE_DECOYS = 40
# The first search takes the mean of so many samples, of codes and of pictures under a blur.
_COARSE, _SOFT, _SOFT_ROW = 4, 3.0, 1.9
_TRIED, _PLACED, _POLISHED, _RIVALS = 40, 8, 8, 3
_FINEST = 95  # modules of an EAN-13: codes are placed to parts of one of these
_MANY, _FEW_CURVES = 2000, 3  # rows from which on only every third curve is tried first
_AT_ONCE = 256  # codes compared at a time, few enough for the processor's cache
# What a code reaches before it is bent, if it is to be one at all: of 104 matches in made frames
# and in photos none had less than 0.84, of profiles of real photos none less than 0.7.
_NEAR, _PROFILE_NEAR = 0.82, 0.7
_KINDS = frozenset((*templates.DRAWN, Symbology.PROFILE))


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A known code (the place of it; -1: a decoy) as it fits best.

    ``similarity`` is its correlation with the profile, ``weakest`` the lowest anywhere along it,
    ``seen`` and ``model`` the two profiles, of `profiles.SAMPLES` each.
    """

    owner: int
    similarity: float
    weakest: float
    alignment: Alignment
    seen: Any
    model: Any


class KnownBars:
    """The bars of the known codes, and of decoys, ready to be compared.

    ``cards`` are the codes, each with the ids of its cards: codes of one card are no rivals.
    Kinds that cannot be drawn, and profiles that cannot be read, are left out.
    """

    def __init__(
        self, cards: Mapping[Barcode, Collection[int]], *, fewest_rivals: int = FEWEST_RIVALS
    ) -> None:
        self.codes = [code for code in cards if code.kind in _KINDS]
        self._cards = [frozenset(cards[code]) for code in self.codes]
        owner, drawn = templates.drawn_codes((code.kind, code.payload) for code in self.codes)
        drawn += [
            bits
            for decoy in missing_decoys(self.codes, fewest_rivals)
            for bits in templates.drawings(decoy.kind, decoy.payload)[:1]
        ]
        owner += [-1] * (len(drawn) - len(owner))
        least = [_NEAR] * len(drawn)
        rows, blurred = [], []
        if drawn:
            light = templates.light(drawn)
            rows.append(light)
            blurred.append(templates.blurred(light, BLURS))
        profiles = self._profiles()
        if profiles:
            own = np.stack(list(profiles.values()))
            light = np.concatenate([own, _shuffled(own, _PROFILE_DECOYS)])
            owner += [*profiles, *[-1] * _PROFILE_DECOYS]
            least += [_PROFILE_NEAR] * len(light)
            rows.append(light)
            blurred.append(templates.blurred(light, OWN_BLURS))
        # A row is a drawing of a code, or a profile.
        self._owner = np.array(owner, int)  # rows: the place in `codes`
        self._least = np.array(least)  # rows
        self._models: Any = None  # blurs x rows x samples
        self._soft: Any = None  # rows x coarse samples
        if rows:
            self._models = _unit(np.concatenate(blurred, axis=1))
            soft = levelled(smoothed(np.concatenate(rows), _SOFT), templates.SPAN_SAMPLES)
            self._soft = _unit(_coarse(soft))

    def _profiles(self) -> dict[int, Any]:
        """The samples of the photographed profiles, by the place of their code."""
        found = {}
        for place, code in enumerate(self.codes):
            if code.kind == Symbology.PROFILE:
                try:
                    found[place] = samples_of(code.payload)
                except InputError:  # of a later version
                    continue
        return found

    def without(self, codes: Iterable[Barcode]) -> KnownBars:
        """The same without some codes."""
        import copy

        left = copy.copy(self)
        gone = set(codes)
        keep = ~np.isin(self._owner, [at for at, code in enumerate(self.codes) if code in gone])
        left._owner, left._least = self._owner[keep], self._least[keep]
        if self:
            left._models, left._soft = self._models[:, keep], self._soft[keep]
        return left

    @property
    def has_profiles(self) -> bool:
        """Whether bars without a decoding are among them."""
        return any(code.kind == Symbology.PROFILE for code in self.codes)

    def __bool__(self) -> bool:
        return self._models is not None

    def are_rivals(self, one: Fitted, other: Fitted) -> bool:
        """Whether two codes are different cards', or one of them a decoy."""
        return self._apart(one.owner, other.owner)

    def _apart(self, one: int, other: int) -> bool:
        return min(one, other) < 0 or (
            one != other and self._cards[one].isdisjoint(self._cards[other])
        )

    def ranked(self, flat: Floats, curves: Any, length: float) -> list[Fitted]:
        """The codes that a levelled profile is most like, best first, one entry a code.

        ``curves`` (n x 3: start, end, bend, in samples of ``flat``) are the places that a code
        may have, ``length`` is about the length of one. Where nothing is near, the only entry
        is the best of all as it was found, with a weakest correlation of 0.
        """
        best, at, backwards = self._first_search(flat, curves, length)
        starts = dict.fromkeys(zip(at.tolist(), backwards.tolist(), strict=True))
        alignments = [Alignment(curves[place], way) for place, way in list(starts)[:_PLACED]]
        scores, found = self._closer(flat, best, alignments, length / _FINEST)
        order = np.argsort(-scores)
        near = order[scores[order] >= self._least[best[order]]]
        if len(near) == 0:
            first = int(order[0])
            seen = sampled(flat, found[first], GRID)
            owner = int(self._owner[best[first]])
            return [Fitted(owner, float(scores[first]), 0.0, found[first], seen, seen)]
        owners = self._owner[best[order]]
        rivals = [place for place, owner in zip(order, owners, strict=True)
                  if self._apart(int(owners[0]), int(owner))]  # fmt: skip
        fitted: dict[int, Fitted] = {}
        for place in dict.fromkeys([*near[:_POLISHED], *rivals[:_RIVALS]]):
            row = int(best[place])
            one = self._polished(flat, row, found[int(place)])
            key = one.owner if one.owner >= 0 else -1 - row
            if key not in fitted or one.similarity > fitted[key].similarity:
                fitted[key] = one
        return sorted(fitted.values(), key=lambda one: -one.similarity)

    def _first_search(self, flat: Floats, curves: Any, length: float) -> tuple[Any, Any, Any]:
        """The rows to look at more closely, best first; for each its best curve and direction."""
        soft = smoothed(flat[None], _SOFT_ROW * length / (GRID * FINE))[0]
        rows = np.arange(len(self._soft))
        if len(rows) > _MANY:  # a few of the curves tell which rows are worth all of them
            scores, _ = self._searched(soft, curves[::_FEW_CURVES], rows)
            rows = _highest(scores, _MANY)
        scores, at = self._searched(soft, curves, rows)
        best = _highest(scores, _TRIED)
        return rows[best], at[best] % len(curves), at[best] >= len(curves)

    def _searched(self, soft: Floats, curves: Any, rows: Any) -> tuple[Any, Any]:
        """The best correlation of each row, and with which curve, backwards after forwards."""
        seen = _unit(picked(soft, curves @ _coarse(basis(GRID, FINE)[:3])))
        seen = np.ascontiguousarray(np.concatenate([seen, seen[:, ::-1]]).T)
        scores, best = [], []
        for first in range(0, len(rows), _AT_ONCE):
            found = self._soft[rows[first : first + _AT_ONCE]] @ seen
            at = found.argmax(axis=1)
            best.append(at)
            scores.append(found[np.arange(len(found)), at])
        return np.concatenate(scores), np.concatenate(best)

    def _closer(
        self, flat: Floats, rows: Any, alignments: list[Alignment], module: float
    ) -> tuple[Any, list[Alignment]]:
        """Rows placed more closely: their correlations, and where each lies."""
        steps = [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
        scores, at = np.full(len(rows), -1.0), np.zeros(len(rows), int)
        for size in (0.6 * module, 0.3 * module):
            curves = np.concatenate(
                [alignment.curve + np.array(steps) * size for alignment in alignments]
            )
            ways = np.repeat([one.backwards for one in alignments], len(steps))
            seen = picked(flat, places(curves, GRID))
            seen[ways] = seen[ways, ::-1]
            seen = _unit(seen)
            found = np.max([seen @ blurred[rows].T for blurred in self._models], axis=0)
            at = found.argmax(axis=0)
            scores = found[at, np.arange(len(rows))]
            tried = [Alignment(curve, bool(way)) for curve, way in zip(curves, ways, strict=True)]
            order = dict.fromkeys(int(at[one]) for one in np.argsort(-scores))
            alignments = [tried[one] for one in list(order)[:_PLACED]]
        return scores, [tried[one] for one in at]

    def _polished(self, flat: Floats, row: int, alignment: Alignment) -> Fitted:
        blurred = self._models[:, row]
        _, alignment = polished(flat, alignment, blurred, GRID, steps=4)
        seen = sampled(flat, alignment, GRID)
        like = similarity(seen, blurred)
        model = mixed(blurred, seen)[1]
        return Fitted(int(self._owner[row]), like.over_all, like.weakest, alignment, seen, model)


def missing_decoys(codes: Collection[Barcode], fewest: int) -> list[Barcode]:
    """Codes that are no card's, so many that of each kind among ``codes`` there are ``fewest``."""
    known = set(codes)
    found = []
    for kind in sorted({code.kind for code in codes} - {Symbology.PROFILE}):
        own = [code.payload for code in codes if code.kind == kind]
        models = own[:: -(-len(own) // _DECOYS_FROM)]
        missing = max(0, fewest - len(own))
        for payload in models:
            others = templates.decoys(kind, payload, -(-missing // len(models)))
            found += [code for text in others if (code := Barcode(kind, text)) not in known]
    return found


def _highest(scores: Any, count: int) -> Any:
    """The places of the highest scores, highest first."""
    few = min(count, len(scores))
    best = np.argpartition(-scores, few - 1)[:few]
    return best[np.argsort(-scores[best])]


def _coarse(rows: Any) -> Any:
    """The mean of each `_COARSE` samples."""
    return rows.reshape(*rows.shape[:-1], -1, _COARSE).mean(axis=-1)


def _unit(rows: Any) -> Any:
    """Rows with a mean of zero and a length of one."""
    off = rows - rows.mean(axis=-1, keepdims=True)
    return (off / (np.linalg.norm(off, axis=-1, keepdims=True) + 1e-9)).astype(np.float32)


def _shuffled(rows: Any, count: int) -> Any:
    """``count`` profiles that are no card's: pieces of those that are, in another order."""
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
