"""The chance of drawing what a deck holds, as exact fractions.

Every card of a shuffled deck is as likely in one place as in another. So the
chance hangs only on how many cards have been drawn, and cards that lie unseen
(a point gauge, security) change nothing but how far the deck can be drawn.
A hand that is put back makes the first hand and the later draws two groups,
which are counted together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.decks.analysis.opening_setup import OpeningSetup
from digideck.schema.games.drawing import LACKING, REFILL, WISHED, Drawing

MOST_TARGETS = 10  # of one copy each, together
MOST_TOGETHER = 2**MOST_TARGETS


@dataclass(frozen=True)
class Target:
    """At least ``at_least`` of the cards with these ids (of `CardCount`)."""

    label: str
    at_least: int
    ids: frozenset[int]

    def copies(self, setup: OpeningSetup) -> int:
        """How many of them are in the shuffled deck."""
        return sum(card.count for card in setup.cards if card.id in self.ids)


@dataclass(frozen=True)
class Play:
    """What a player does.

    ``replaced`` cards are played or discarded each turn before the hand is filled
    up; a ``second`` player begins second; ``redraws`` says whether a hand is put
    back when that may be done: where the player is free to, if it lacks a target.
    """

    replaced: int = 0
    second: bool = False
    redraws: bool = True


def drawn(setup: OpeningSetup, play: Play, turn: int) -> int:
    """The cards drawn in all by ``turn``; 0 is the opening hand."""
    rules = setup.drawing
    each = min(play.replaced, setup.hand) if rules.each_turn == REFILL else rules.cards
    return min(setup.drawable, setup.hand + each * _drawing_turns(rules, play, turn))


def _drawing_turns(rules: Drawing, play: Play, turn: int) -> int:
    first_too = rules.turn_one == "everybody" or (rules.turn_one == "second" and play.second)
    return turn if first_too else max(0, turn - 1)


def last_turn(setup: OpeningSetup, play: Play, turns: int) -> int | None:
    """The turn by which the deck is drawn through, if that is before the end of ``turns``."""
    reached = (turn for turn in range(turns + 1) if drawn(setup, play, turn) >= setup.drawable)
    return next(reached, None)


def chances(
    setup: OpeningSetup,
    targets: Sequence[Target],
    play: Play,
    turns: int,
    done: Callable[[float], None] = lambda share: None,
) -> list[Fraction]:
    """The chance that every one of ``targets`` has been drawn, in the opening hand and
    by each of ``turns``. Raises InputError where they are too many to be counted together.

    ``done`` is told how much of it is: many turns of a huge deck take half a minute.
    """
    _refuse_too_many(setup, targets)
    groups = _CardGroups(setup, targets)
    seen = [drawn(setup, play, turn) for turn in range(turns + 1)]
    found: dict[int, Fraction] = {}
    for turn, cards in enumerate(seen):
        done(turn / len(seen))
        if cards not in found:
            found[cards] = groups.chance(setup, play, cards)
    return [found[cards] for cards in seen]


def _refuse_too_many(setup: OpeningSetup, targets: Sequence[Target]) -> None:
    """What is counted doubles with each target of one card, and more for more copies."""
    ways = prod(min(target.at_least, target.copies(setup)) + 1 for target in targets)
    if len(targets) > 1 and ways > MOST_TOGETHER:
        raise input_error(
            Code.TOO_MANY_TARGETS,
            f"{len(targets)} targets are too many to be counted together",
            have=len(targets),
            allowed=MOST_TARGETS,
            next_step=f"at most {MOST_TARGETS} of one copy each, or fewer of more copies; "
            "leave --together out for each of them alone",
        )


@dataclass(frozen=True, slots=True)
class _CardGroup:
    """Cards that are the same to what is asked: which targets they are, and whether
    a hand with one of them is kept.
    """

    marks: tuple[bool, ...]
    keeps: bool


class _CardGroups:
    """A shuffled deck as the numbers of cards that are alike."""

    def __init__(self, setup: OpeningSetup, targets: Sequence[Target]) -> None:
        self.needs = tuple(target.at_least for target in targets)
        self.size = setup.size
        counts: dict[_CardGroup, int] = defaultdict(int)
        for card in setup.cards:
            marks = tuple(card.id in target.ids for target in targets)
            counts[_CardGroup(marks, setup.keeps(card))] += card.count
        # The largest group last, since what remains to be drawn is drawn from it.
        self.groups = sorted(counts.items(), key=lambda pair: pair[1])

    def chance(self, setup: OpeningSetup, play: Play, seen: int) -> Fraction:
        """The chance to have drawn all that is needed among ``seen`` cards."""
        plain = self.among(seen)
        redraw = setup.drawing.redraw
        if redraw is None or not play.redraws:
            return plain
        if redraw.when == WISHED:  # a hand that has it is kept and goes on having it
            at_once = self.among(setup.hand)
            return at_once + (1 - at_once) * plain
        lacking = self.lacking(setup.hand)
        return plain - self.lacking(setup.hand, seen) + lacking * plain

    def among(self, seen: int) -> Fraction:
        """The chance that ``seen`` cards of a freshly shuffled deck are enough."""
        return Fraction(self.ways(seen, 0, self.needs), comb(self.size, seen))

    def lacking(self, hand: int, seen: int | None = None) -> Fraction:
        """The chance of a hand that may be put back; with ``seen``, of one that by then
        would have been enough all the same.
        """
        later = 0 if seen is None else seen - hand
        needs = tuple(0 for _ in self.needs) if seen is None else self.needs
        whole = comb(self.size, hand) * comb(self.size - hand, later)
        return Fraction(self.ways(hand, later, needs, without_keepers=True), whole)

    def ways(
        self, hand: int, later: int, needs: tuple[int, ...], *, without_keepers: bool = False
    ) -> int:
        """The ways to draw a hand and then ``later`` cards that together meet ``needs``."""
        found: dict[tuple[int, int, tuple[int, ...]], int] = {(0, 0, (0,) * len(needs)): 1}
        for place, (alike, size) in enumerate(self.groups):
            last = place == len(self.groups) - 1
            grown: dict[tuple[int, int, tuple[int, ...]], int] = defaultdict(int)
            for (in_hand, after, got), ways in found.items():
                most = 0 if without_keepers and alike.keeps else min(size, hand - in_hand)
                for first in _steps(most, hand - in_hand if last else None):
                    rest = min(size - first, later - after)
                    for second in _steps(rest, later - after if last else None):
                        more = _met(got, needs, alike.marks, first + second)
                        number = ways * comb(size, first) * comb(size - first, second)
                        grown[in_hand + first, after + second, more] += number
            found = grown
        return found.get((hand, later, needs), 0)


def _steps(most: int, exactly: int | None) -> Iterable[int]:
    """0 to ``most``; or ``exactly`` that many, if they are there."""
    if exactly is None:
        return range(most + 1)
    return (exactly,) if exactly <= most else ()


def _met(
    got: tuple[int, ...], needs: tuple[int, ...], marks: tuple[bool, ...], cards: int
) -> tuple[int, ...]:
    """What is met of ``needs`` with ``cards`` more; beyond a need nothing is counted."""
    return tuple(
        min(need, have + cards) if mark else have
        for have, need, mark in zip(got, needs, marks, strict=True)
    )


def redraw_rule(rules: Drawing, play: Play) -> str | None:
    """What is taken of putting the opening hand back, in words; None if nobody may."""
    if rules.redraw is None:
        return None
    if not play.redraws:
        return "the first hand is kept"
    if rules.redraw.when == LACKING:
        return f"a hand without a {rules.redraw.kind} of level {rules.redraw.levels[0]} is put back"
    return "a hand that lacks what a row asks for is put back, once"
