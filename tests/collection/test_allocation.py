"""Dealing out copies to decks: never more missing than the best way of all leaves."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from digideck.collection.allocation import Needs, allocate
from digideck.collection.spares import allocate_kept

CARDS = st.integers(0, 3)
NEEDS = st.lists(st.tuples(st.integers(0, 3), st.lists(CARDS, unique=True)), max_size=4)
HAVE = st.dictionaries(CARDS, st.integers(0, 3))


def fewest_missing(needs: Needs, have: dict[int, int]) -> int:
    """By trying every way: each wanted copy gets a card that serves, or none."""
    copies = [cards for count, cards in needs for _ in range(count)]
    states = {tuple(have.get(card, 0) for card in range(4)): 0}
    for cards in copies:
        following: dict[tuple[int, ...], int] = {}
        for free, missing in states.items():
            for card in (None, *cards):
                if card is not None and not free[card]:
                    continue
                left = tuple(n - (place == card) for place, n in enumerate(free))
                lost = missing + (card is None)
                following[left] = min(lost, following.get(left, lost))
        states = following
    return min(states.values())


@given(NEEDS, HAVE)
def test_as_few_are_missing_as_the_best_way_leaves(needs: Needs, have: dict[int, int]) -> None:
    allocation = allocate(needs, have)
    assert sum(map(allocation.missing, range(len(needs)))) == fewest_missing(needs, have)


@given(NEEDS, HAVE)
def test_nobody_gets_what_is_not_there_or_does_not_serve(
    needs: Needs, have: dict[int, int]
) -> None:
    allocation = allocate(needs, have)
    used = dict.fromkeys(range(4), 0)
    for (count, cards), given_copies in zip(needs, allocation.given, strict=True):
        assert sum(given_copies.values()) <= count
        assert set(given_copies) <= set(cards)
        for card, copies in given_copies.items():
            assert copies > 0
            used[card] += copies
    for card, copies in used.items():
        assert copies == allocation.used(card) <= have.get(card, 0)


@given(NEEDS, HAVE, HAVE)
def test_decks_take_what_is_kept_anyway_first(
    needs: Needs, have: dict[int, int], kept: dict[int, int]
) -> None:
    """As few missing as ever, and of the ways to do that one that takes the fewest others."""
    allocation = allocate_kept(needs, have, kept, buying=False)
    missing = sum(map(allocation.missing, range(len(needs))))
    assert missing == fewest_missing(needs, have)
    extra = sum(max(0, allocation.used(card) - kept.get(card, 0)) for card in have)
    for added in product(*(range(have.get(card, 0) + 1) for card in range(4))):
        others = sum(added)
        allowed = {
            card: min(have.get(card, 0), kept.get(card, 0) + added[card]) for card in range(4)
        }
        if others < extra:
            assert fewest_missing(needs, allowed) > missing
