"""The generator of sample hands: the numbers that it must give, and fair hands."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.catalog.cards import Card
from digideck.decks.analysis.card_counts import CardCount
from digideck.decks.analysis.opening_setup import OpeningSetup
from digideck.decks.analysis.shuffle import SplitMix64, deal
from digideck.schema.games.drawing import Drawing, Redraw


def test_reference_numbers() -> None:
    """The first numbers that the reference code gives for the seed 1234567."""
    numbers = SplitMix64(1234567)
    assert [numbers.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(), max_size=20))
def test_a_shuffle_keeps_every_card(seed: int, items: list[int]) -> None:
    shuffled = list(items)
    SplitMix64(seed).shuffle(shuffled)
    assert Counter(shuffled) == Counter(items)


@given(st.integers(0, 2**64 - 1), st.integers(1, 1000))
def test_numbers_are_below_their_end(seed: int, end: int) -> None:
    assert 0 <= SplitMix64(seed).below(end) < end


def test_every_order_is_about_as_likely() -> None:
    numbers = SplitMix64(1)
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(24_000):
        items = [1, 2, 3, 4]
        numbers.shuffle(items)
        orders[tuple(items)] += 1
    assert len(orders) == 24
    # Chi squared with 23 degrees of freedom: 49.7 is exceeded once in a thousand seeds.
    assert sum((count - 1000) ** 2 / 1000 for count in orders.values()) < 49.7


def setup(redraw: Redraw | None) -> OpeningSetup:
    cards = []
    for number, level in ((1, "III"), (2, "IV"), (3, "IV")):
        card = Card(number, "g", str(number), "", "Digimon", level, None, (), {}, {})
        cards.append(CardCount(number, f"g/{number}", str(number), "x", frozenset("x"), 2, card))
    rules = Drawing("main", 2, "refill", 0, "nobody", 0, None, redraw, (), ())
    return OpeningSetup(rules, None, tuple(cards), ())


@pytest.mark.parametrize("redraw", [None, Redraw("wished"), Redraw("lacking", "Digimon", ("III",))])
@given(seed=st.integers(0, 2**64 - 1))
def test_a_hand_goes_back_by_the_rules(redraw: Redraw | None, seed: int) -> None:
    for hand in deal(setup(redraw), seed, 3):
        assert len(hand.cards) == 2
        lacks = all(card.level != "III" for card in hand.cards)
        assert hand.forced == (redraw is not None and redraw.when == "lacking" and lacks)
        wished = redraw is not None and redraw.when == "wished"
        assert (hand.again is not None) == (hand.forced or wished)


def test_a_seed_gives_its_hands_for_good() -> None:
    """These may change only with a note to the users who kept a seed."""
    hands = deal(setup(None), 7, 4)
    assert ["".join(card.title for card in hand.cards) for hand in hands] == [
        "23",
        "23",
        "12",
        "12",
    ]
