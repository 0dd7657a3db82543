"""The odds against counting every order of a small deck, and against hands really dealt."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import comb, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.catalog.cards import Card, CardIndex
from digideck.core.problems import InputError
from digideck.decks.analysis.card_counts import CardCount
from digideck.decks.analysis.odds import Play, Target, chances, drawn, last_turn
from digideck.decks.analysis.opening_setup import OpeningSetup, set_up
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.model import DeckVocabulary
from digideck.decks.read_deck import read_deck
from digideck.decks.rules.verdict import Judge
from digideck.schema.games.drawing import Drawing, Redraw

EXAMPLES = Path(__file__).parents[3] / "examples" / "decks"
DECKS = (
    "alpha-legal.txt",
    "dccg-legal.txt",
    "dcg-legal.txt",
    "digi-battle-legal.yaml",
    "hyper-colosseum-legal.txt",
)
TURNS = 3
HANDS = 20_000
# A simulated chance may be off by this many standard deviations; the seed is fixed, so it
# either always passes or never.
DEVIATIONS = 4.5


def a_card(card_id: int, level: str, count: int) -> CardCount:
    card = Card(card_id, "g", str(card_id), "", "Digimon", level, None, (), {}, {})
    return CardCount(card_id, f"g/{card_id}", str(card_id), "x", frozenset(["x"]), count, card)


drawings = st.builds(
    Drawing,
    zone=st.just("main"),
    hand=st.integers(1, 3),
    each_turn=st.sampled_from(["refill", "draw"]),
    cards=st.integers(1, 2),
    turn_one=st.sampled_from(["everybody", "second", "nobody"]),
    unseen=st.integers(0, 1),
    start=st.none(),
    redraw=st.sampled_from([None, Redraw("wished"), Redraw("lacking", "Digimon", ("III",))]),
    says=st.just(()),
    unknown_for=st.just(()),
)


@st.composite
def small_decks(draw: st.DrawFn) -> OpeningSetup:
    """Two to five cards, some of level III."""
    levels = draw(st.lists(st.sampled_from(["III", "IV"]), min_size=2, max_size=4))
    cards = [a_card(place, level, 1) for place, level in enumerate(levels)]
    cards[0] = replace(cards[0], count=draw(st.integers(1, 2)))
    return OpeningSetup(draw(drawings), None, tuple(cards), ())


plays = st.builds(Play, st.integers(0, 3), st.booleans(), st.booleans())


@given(small_decks(), plays, st.data())
def test_as_many_orders_as_counted(setup: OpeningSetup, play: Play, data: st.DataObject) -> None:
    """Exactly the share of all orders, and of all pairs of orders where a hand is put back."""
    ids = st.sets(st.sampled_from([card.id for card in setup.cards]), min_size=1)
    targets = [
        Target("", data.draw(st.integers(1, 2)), frozenset(data.draw(ids)))
        for _ in range(data.draw(st.integers(1, 2)))
    ]
    found = chances(setup, targets, play, TURNS)
    for turn, chance in enumerate(found):
        assert chance == pluralize(setup, targets, play, turn)


def pluralize(setup: OpeningSetup, targets: Sequence[Target], play: Play, turn: int) -> Fraction:
    """The share of shuffles that give all targets by ``turn``, by trying each."""
    holding = [card for card in setup.cards for _ in range(card.count)]
    orders = list(permutations(range(len(holding))))
    good = [
        meets([holding[place] for place in order[: seen(setup, play, turn)]], targets)
        for order in orders
    ]
    hands = [[holding[place] for place in order[: seen(setup, play, 0)]] for order in orders]
    rule = setup.drawing.redraw if play.redraws else None
    anew = [goes_back(hand, targets, rule) for hand in hands]
    pairs = len(orders) ** 2
    kept = sum(well for well, back in zip(good, anew, strict=True) if not back) * len(orders)
    return Fraction(kept + sum(anew) * sum(good), pairs)


def seen(setup: OpeningSetup, play: Play, turn: int) -> int:
    """Cards drawn by ``turn``, a turn at a time."""
    rules = setup.drawing
    left = sum(card.count for card in setup.cards) - rules.unseen
    hand = number = min(rules.hand, left)
    for past in range(1, turn + 1):
        if past == 1 and (
            rules.turn_one == "nobody" or (rules.turn_one == "second" and not play.second)
        ):
            continue
        number += min(play.replaced, hand) if rules.each_turn == "refill" else rules.cards
    return min(number, left)


def meets(cards: Sequence[CardCount], targets: Sequence[Target]) -> bool:
    return all(
        sum(card.id in target.ids for card in cards) >= target.at_least for target in targets
    )


def goes_back(hand: Sequence[CardCount], targets: Sequence[Target], rule: Redraw | None) -> bool:
    if rule is None:
        return False
    if rule.when == "wished":
        return not meets(hand, targets)
    return not any(card.level in rule.levels for card in hand)


@given(
    st.integers(1, 30),
    st.integers(0, 30),
    st.integers(1, 10),
    st.integers(1, 4),
)
def test_one_hand_is_hypergeometric(copies: int, others: int, hand: int, wanted: int) -> None:
    rules = Drawing("main", hand, "draw", 1, "nobody", 0, None, None, (), ())
    cards = [a_card(1, "III", copies), *([a_card(2, "IV", others)] if others else [])]
    setup = OpeningSetup(rules, None, tuple(cards), ())
    size = min(hand, copies + others)
    enough = sum(comb(copies, have) * comb(others, size - have) for have in range(wanted, size + 1))
    target = Target("", wanted, frozenset([1]))
    assert chances(setup, [target], Play(), 0) == [Fraction(enough, comb(copies + others, size))]


@given(small_decks(), plays)
def test_chances_only_grow_with_turns_and_shrink_with_wants(
    setup: OpeningSetup, play: Play
) -> None:
    ids = frozenset([0])
    one = chances(setup, [Target("", 1, ids)], play, TURNS)
    two = chances(setup, [Target("", 2, ids)], play, TURNS)
    assert one == sorted(one)
    assert all(0 <= more <= few <= 1 for few, more in zip(one, two, strict=True))


@given(small_decks(), plays)
def test_the_turn_on_which_all_is_drawn(setup: OpeningSetup, play: Play) -> None:
    through = last_turn(setup, play, 9)
    everything = [drawn(setup, play, turn) >= setup.drawable for turn in range(10)]
    assert through == (everything.index(True) if True in everything else None)


# Hands really dealt, by rules read here from the plain YAML of the game.


@pytest.fixture(scope="module", params=DECKS)
def deck(request: pytest.FixtureRequest, judge: Judge, words: DeckVocabulary) -> MatchedDeck:
    return judge.matched(read_deck(str(EXAMPLES / request.param), words))[0]


def dealt(
    deck: MatchedDeck, replaced: int, second: bool, wanted: frozenset[int], numbers: random.Random
) -> Iterator[list[Card]]:
    """What is drawn by TURNS in game after game."""
    rules: dict[str, Any] = deck.game.definition["drawing"]
    holding = [
        entry.candidates[0]
        for entry in deck.entries
        if entry.zone == rules.get("zone", "main")
        for _ in range(entry.count)
    ]
    if "start" in rules:
        holding.remove(next(card for card in holding if card.level == rules["start"]["levels"][0]))
    hand, unseen = int(rules["hand"]), int(rules.get("unseen", "0"))
    while True:
        numbers.shuffle(holding)
        if may_go_back(holding[:hand], rules.get("redraw"), wanted):
            numbers.shuffle(holding)
        stock = list(holding[unseen:] if "start" in rules else holding)
        del stock[len(holding) - unseen :]
        mine = [stock.pop(0) for _ in range(hand)]
        for turn in range(1, TURNS + 1):
            if turn == 1 and (
                rules["turn_one"] == "nobody" or (rules["turn_one"] == "second" and not second)
            ):
                continue
            cards = replaced if rules["each_turn"] == "refill" else int(rules["cards"])
            mine += [stock.pop(0) for _ in range(min(cards, len(stock)))]
        yield mine


def may_go_back(hand: Sequence[Card], redraw: Any, wanted: frozenset[int]) -> bool:
    if redraw is None:
        return False
    if redraw["when"] == "wished":
        return not any(card.id in wanted for card in hand)
    return not any(card.level in redraw["levels"] for card in hand)


@pytest.mark.parametrize("replaced", [0, 2, 99])
def test_hands_really_dealt(deck: MatchedDeck, replaced: int) -> None:
    setup = set_up(deck)
    first = setup.cards[-1]
    same_level = frozenset(card.id for card in setup.cards if card.level == first.level)
    play = Play(replaced, second=True)
    all_of_hand = min(replaced, int(deck.game.definition["drawing"]["hand"]))
    games = dealt(deck, all_of_hand, True, same_level, random.Random(2026))
    good = sum(any(card.id in same_level for card in next(games)) for _ in range(HANDS))
    (*_, chance) = chances(setup, [Target("", 1, same_level)], play, TURNS)
    bound = DEVIATIONS * sqrt(chance * (1 - chance) / HANDS)
    assert abs(good / HANDS - chance) <= bound


def test_starting_card_is_out_of_the_deck(
    index: CardIndex, judge: Judge, words: DeckVocabulary
) -> None:
    deck = judge.matched(read_deck(str(EXAMPLES / "hyper-colosseum-legal.txt"), words))[0]
    (gabumon,) = index.by_number("St-5", "hyper-colosseum")
    usual, chosen = set_up(deck), set_up(deck, [gabumon.id])
    assert usual.start is not None
    assert usual.start.title == "St-1 Agumon"
    assert chosen.start is not None
    assert chosen.start.title == "St-5 Gabumon"
    assert {card.title: card.count for card in chosen.cards}["St-5 Gabumon"] == 2
    assert (usual.size, usual.drawable, usual.hand) == (29, 28, 6)


def test_what_cannot_start_is_refused(
    index: CardIndex, judge: Judge, words: DeckVocabulary
) -> None:
    deck = judge.matched(read_deck(str(EXAMPLES / "hyper-colosseum-legal.txt"), words))[0]
    (greymon,) = index.by_number("St-2", "hyper-colosseum")
    with pytest.raises(InputError, match="no such card to start with"):
        set_up(deck, [greymon.id])
