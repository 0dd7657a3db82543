"""Which cards were held before a camera: from reads in frames to cards, each once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from digideck.scan.decode.engines import Read
from digideck.scan.store.links import Barcode

SAME_SECONDS = 3.0  # a code that is read again within them is the same card
LEFT_SECONDS = 0.5  # unless for so long nothing with bars was where it had been
LEFT_FRAMES = 2  # and in so many frames at least
_NEAR = 1.0  # lengths of the code that a hand moves it between frames


@dataclass(frozen=True, slots=True)
class Accepted:
    """A card that was seen. ``cards`` are the ids that its code is linked to; none: it
    waits in review.
    """

    read: Read
    code: Barcode
    seconds: float
    cards: tuple[int, ...]


@dataclass
class _InSight:
    """A code that was accepted and may still lie there."""

    read: Read
    last_read: float
    gone_since: float | None = None
    gone_frames: int = 0


BarsAt = Callable[[], Sequence[tuple[float, float]]]


class Watch:
    """Follows the codes in frames. ``linked``: the cards of each linked code."""

    def __init__(self, linked: Mapping[Barcode, tuple[int, ...]]) -> None:
        self._linked = linked
        self._before: set[Barcode] = set()
        self._sight: dict[Barcode, _InSight] = {}

    def see(self, reads: Sequence[Read], seconds: float, bars_at: BarsAt) -> list[Accepted]:
        """The cards that a frame shows for the first time.

        ``seconds`` is the frame's time. ``bars_at`` gives the places in the frame where
        something with bars is; it is asked only where a code is missing. A linked code is
        accepted at once, another one where the frame before had it too.
        """
        now = {Barcode(*read.key): read for read in reads}
        self._forget(now, seconds, bars_at)
        accepted = []
        for code, read in now.items():
            known = self._sight.get(code)
            if known is not None:
                known.read, known.last_read = read, seconds
                known.gone_since, known.gone_frames = None, 0
                continue
            cards = self._linked.get(code, ())
            if cards or code in self._before:
                self._sight[code] = _InSight(read, seconds)
                accepted.append(Accepted(read, code, seconds, cards))
        self._before = set(now)
        return accepted

    def _forget(self, now: Mapping[Barcode, Read], seconds: float, bars_at: BarsAt) -> None:
        """Forget the codes that left, or were last read too long ago."""
        missing = [code for code in self._sight if code not in now]
        bars = bars_at() if missing else ()
        for code in missing:
            self._look_for(self._sight[code], seconds, bars)
        for code, sight in list(self._sight.items()):
            if seconds - sight.last_read >= SAME_SECONDS or _has_left(sight, seconds):
                del self._sight[code]

    def _look_for(
        self, sight: _InSight, seconds: float, bars: Sequence[tuple[float, float]]
    ) -> None:
        if any(_near(sight.read, place) for place in bars):
            sight.gone_since, sight.gone_frames = None, 0  # there, but blurred
            return
        if sight.gone_since is None:
            sight.gone_since = seconds
        sight.gone_frames += 1


def _has_left(sight: _InSight, seconds: float) -> bool:
    return (
        sight.gone_since is not None
        and sight.gone_frames >= LEFT_FRAMES
        and seconds - sight.gone_since >= LEFT_SECONDS
    )


def _near(read: Read, place: tuple[float, float]) -> bool:
    x = sum(corner[0] for corner in read.quad) / 4
    y = sum(corner[1] for corner in read.quad) / 4
    length = max(math.dist(read.quad[0], read.quad[1]), math.dist(read.quad[1], read.quad[2]))
    return math.dist((x, y), place) <= _NEAR * length
