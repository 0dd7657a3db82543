"""Shuffling that gives the same hands for the same seed, on every Python.

Python promises its own shuffle for no version but the current one. Here the
numbers are those of SplitMix64 (Steele, Lea and Flood, 2014; the reference code
is in the public domain): a 64-bit state that grows by 0x9E3779B97F4A7C15 and is
mixed by two multiplications. A number below n is the remainder of the next one
by n, where numbers at or above the largest multiple of n are skipped. A
shuffle goes from the top: the card in each place is exchanged with that in a
place from there on.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import dataclass, replace
from typing import Any

from digideck.decks.analysis.card_counts import CardCount
from digideck.decks.analysis.opening_setup import OpeningSetup
from digideck.schema.games.drawing import LACKING, WISHED

_MASK = 2**64 - 1


class SplitMix64:
    """The generator, from a seed of 0 to 2**64 - 1."""

    def __init__(self, seed: int) -> None:
        self.state = seed & _MASK

    def next(self) -> int:
        """The next number, 0 to 2**64 - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, end: int) -> int:
        """A number from 0 to ``end`` - 1, each as likely as the other."""
        fair = 2**64 - 2**64 % end
        while (number := self.next()) >= fair:
            pass
        return number % end

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put ``items`` into a random order."""
        for place in range(len(items) - 1):
            other = place + self.below(len(items) - place)
            items[place], items[other] = items[other], items[place]


@dataclass(frozen=True)
class Hand:
    """An opening hand in the order drawn, each card with a count of 1.

    ``again`` is the hand that comes when it is put back: where that must be, or
    where the player may wish it. ``forced`` tells the two apart.
    """

    cards: tuple[CardCount, ...]
    again: tuple[CardCount, ...] | None = None
    forced: bool = False


def deal(setup: OpeningSetup, seed: int, hands: int) -> list[Hand]:
    """``hands`` opening hands from freshly shuffled decks, all from one ``seed``."""
    numbers = SplitMix64(seed)
    ordered = [replace(card, count=1) for card in setup.cards for _ in range(card.count)]
    return [_hand(setup, numbers, list(ordered)) for _ in range(hands)]


def _hand(setup: OpeningSetup, numbers: SplitMix64, cards: list[CardCount]) -> Hand:
    numbers.shuffle(cards)
    first = tuple(cards[: setup.hand])
    redraw = setup.drawing.redraw
    forced = bool(redraw and redraw.when == LACKING and not any(map(setup.keeps, first)))
    if not forced and not (redraw and redraw.when == WISHED):
        return Hand(first)
    numbers.shuffle(cards)
    return Hand(first, tuple(cards[: setup.hand]), forced)
