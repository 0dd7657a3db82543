"""Which copies go into which deck, so that the fewest are missing.

Each need takes a number of copies of any of some cards; no copy serves twice.
Every need in turn takes free copies, or copies that another need can replace
by others (an augmenting path). A need that cannot be met further then never
can, so the result is a maximum flow: no other allocation of the copies
leaves fewer missing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import pairwise

Needs = Sequence[tuple[int, Sequence[int]]]  # copies, and the cards that serve, the best first


class Allocation:
    """Copies by card, allocated to needs. ``given[i]`` is what need ``i`` got."""

    def __init__(self, needs: Needs, have: Mapping[int, int]) -> None:
        self.needs = needs
        self.have = dict(have)
        self.given: list[dict[int, int]] = [{} for _ in needs]
        self._free = dict(have)
        self._takers: dict[int, set[int]] = {}  # card -> the needs that have copies of it

    def missing(self, need: int) -> int:
        """The copies that a need is still without."""
        return self.needs[need][0] - sum(self.given[need].values())

    def used(self, card: int) -> int:
        """The copies of a card that were allocated."""
        return self.have.get(card, 0) - self._free.get(card, 0)

    def more(self, have: Mapping[int, int]) -> None:
        """Raise the copies there are of each card to at least ``have``."""
        for card, count in have.items():
            extra = count - self.have.get(card, 0)
            if extra > 0:
                self.have[card] = count
                self._free[card] = self._free.get(card, 0) + extra

    def allocate(self) -> None:
        """Allocate as many copies as can be."""
        for need in range(len(self.needs)):
            while self.missing(need) and self._augment(need):
                pass

    def _augment(self, start: int) -> bool:
        """Find copies for ``start``, moving other needs to other cards where that helps."""
        came_from: dict[int, tuple[int, int]] = {}  # need -> (need before it, card it gives up)
        reached: dict[int, int] = {}  # card -> the need that would take it
        waiting = deque([start])
        seen = {start}
        while waiting:
            need = waiting.popleft()
            for card in self.needs[need][1]:
                if card in reached:
                    continue
                reached[card] = need
                if self._free.get(card, 0) > 0:
                    self._move(start, card, reached, came_from)
                    return True
                for taker in self._takers.get(card, ()):
                    if taker not in seen:
                        seen.add(taker)
                        came_from[taker] = (need, card)
                        waiting.append(taker)
        return False

    def _move(
        self,
        start: int,
        last: int,
        reached: Mapping[int, int],
        came_from: Mapping[int, tuple[int, int]],
    ) -> None:
        path = [(reached[last], last)]  # (need, card it takes), from the free card backwards
        while path[-1][0] != start:
            path.append(came_from[path[-1][0]])
        amount = min(self.missing(start), self._free[last])
        for (need, _), (_, given_up) in pairwise(path):
            amount = min(amount, self.given[need][given_up])
        self._free[last] -= amount
        for place, (need, card) in enumerate(path):
            self._give(need, card, amount)
            if place + 1 < len(path):
                self._give(need, path[place + 1][1], -amount)

    def _give(self, need: int, card: int, amount: int) -> None:
        left = self.given[need].get(card, 0) + amount
        takers = self._takers.setdefault(card, set())
        if left:
            self.given[need][card] = left
            takers.add(need)
        else:
            self.given[need].pop(card, None)
            takers.discard(need)


def allocate(needs: Needs, have: Mapping[int, int]) -> Allocation:
    """Allocate the copies in ``have`` so that the fewest are missing in all."""
    allocation = Allocation(needs, have)
    allocation.allocate()
    return allocation
