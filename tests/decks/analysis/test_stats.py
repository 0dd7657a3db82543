"""What a deck is made of, against the same counted by hand; and its picture."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.decks.analysis.stats import (
    Bar,
    Bars,
    DeckStats,
    NameCopies,
    Span,
    TitleCount,
    stats_of,
)
from digideck.decks.analysis.stats_svg import picture, text_width
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.text_deck import read_text_deck
from digideck.decks.read_deck import read_deck
from digideck.decks.rules.verdict import Judge

EXAMPLES = Path(__file__).parents[3] / "examples" / "decks"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=sorted(path.name for path in EXAMPLES.iterdir()))
def deck(request: pytest.FixtureRequest, judge: Judge, words: DeckVocabulary) -> MatchedDeck:
    return judge.matched(read_deck(str(EXAMPLES / request.param), words))[0]


def bars(shown: DeckStats, code: str) -> dict[str, int]:
    (found,) = [entry for entry in shown.counts if entry.of == code]
    return {bar.value: bar.cards for bar in found.cards}


def test_every_card_is_counted_once(deck: MatchedDeck) -> None:
    shown = stats_of(deck)
    cards = sum(entry.count for entry in deck.played)
    assert shown.cards == cards == sum(bars(shown, "kind").values())
    assert sum(entry.copies for entry in shown.names) == cards
    assert all(sum(card.count for card in entry.cards) == entry.copies for entry in shown.names)
    for found in shown.counts:
        if found.average:
            unknown = bars(shown, found.of).get("?", 0)
            assert found.average.known + unknown == found.average.cards
            assert sum(bar.cards for bar in found.cards) == found.average.cards


def test_average_cost(judge: Judge, words: DeckVocabulary) -> None:
    deck = judge.matched(read_deck(str(EXAMPLES / "dcg-legal.txt"), words))[0]
    costs = [
        entry.candidates[0].fields["cost"]
        for entry in deck.entries
        for _ in range(entry.count)
        if entry.candidates[0].kind != "Digi-Egg"
    ]
    shown = stats_of(deck)
    (curve,) = [entry for entry in shown.counts if entry.of == "cost"]
    mean = Fraction(sum(costs), 50)
    assert curve.average == Span(50, 50, round(float(mean), 2), min(costs), max(costs), mean)
    assert bars(shown, "cost") == {
        str(cost): costs.count(cost) for cost in range(min(costs), max(costs) + 1)
    }


def test_attack_of_each_battle_type(judge: Judge, words: DeckVocabulary) -> None:
    """St-1 (A 360, B 230, C 160) is of type A, St-5 of type B, which does not count in its row."""
    text = "# format: hyper-colosseum\n2 St-1\n1 St-5\n"
    shown = stats_of(judge.matched(read_text_deck(text, "deck.txt", words))[0])
    (battle, by_level) = shown.figures
    rows = {row.value: (row.cards, row.figures.values()) for row in battle.rows}
    assert battle.columns == ("against A", "against B", "against C")
    count, (against_a, against_b, against_c) = rows["A"]
    assert (count, against_a.mean, against_b.mean, against_c.mean) == (2, 360, 230, 160)
    assert rows["all"][0] == 3
    assert (by_level.rows[0].value, by_level.rows[0].cards) == ("III", 3)


def test_unknown_is_not_zero(judge: Judge, words: DeckVocabulary) -> None:
    """Dα-592 has a known cost only once somebody imports it."""
    text = "# format: alpha\n2 Dα-592\n1 Not A Card At All\n"
    shown = stats_of(judge.matched(read_text_deck(text, "deck.txt", words))[0])
    assert shown.unknown_cards == 1
    assert bars(shown, "kind") == {"Digimon": 2, "?": 1}
    for found in shown.counts:
        if found.average:
            assert found.average.mean is None or found.average.least != 0


def test_names_that_count_together(judge: Judge, words: DeckVocabulary) -> None:
    text = "# format: alpha\n2 DM-119\n1 DM-032\n"
    (copies,) = stats_of(judge.matched(read_text_deck(text, "deck.txt", words))[0]).names
    assert (copies.name, copies.copies) == ("War Greymon", 3)
    assert copies.cards == (
        TitleCount("DM-119 War Greymon (X-Antibody)", 2),
        TitleCount("DM-032 War Greymon", 1),
    )


def test_a_side_deck_is_told_and_not_counted(judge: Judge, words: DeckVocabulary) -> None:
    text = "# format: hyper-colosseum\n2 St-1\nSB: 1 St-2\n"
    shown = stats_of(judge.matched(read_text_deck(text, "deck.txt", words))[0])
    assert (shown.cards, dict(shown.zones)) == (2, {"main": 2, "side": 1})


def texts(svg: str) -> list[tuple[float, float, str]]:
    """Left end, right end and text of everything that is written, right ends estimated."""
    found = []

    def walk(element: ElementTree.Element, across: float) -> None:
        moved = re.match(r"translate\(([0-9.e+]+),", element.get("transform", ""))
        across += float(moved[1]) if moved else 0
        if element.tag == f"{SVG}text":
            text, place = element.text or "", across + float(element.get("x", "0"))
            size = float(element.get("font-size", "13"))
            room = text_width(text) * size / 13
            left = place - room if element.get("text-anchor") == "end" else place
            found.append((left, left + room, text))
        for child in element:
            walk(child, across)

    walk(ElementTree.fromstring(svg), 0)
    return found


def test_picture_is_whole(deck: MatchedDeck) -> None:
    shown = stats_of(deck)
    svg = picture(shown)
    root = ElementTree.fromstring(svg)
    written = texts(svg)
    names = [text for _, _, text in written]
    assert all(entry.name in names for entry in shown.names)
    assert all(0 <= left < right <= float(root.get("width", "0")) for left, right, _ in written)
    assert not re.search(r"(href|url\(|<script|<style|<image)", svg)


any_text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)


@given(any_text, any_text, st.integers(1, 4))
def test_any_name_fits_and_is_escaped(name: str, title: str, copies: int) -> None:
    """Whatever a file is called and its cards are: quotes, brackets, controls, full width."""
    shown = DeckStats(
        title,
        None,
        "alpha",
        "alpha",
        copies,
        {"main": copies},
        0,
        (name,),
        (Bars("kind", "Kinds", (Bar(name, copies),)),),
        (),
        (NameCopies(name, copies, (TitleCount(name, copies),)),),
    )
    svg = picture(shown)
    root = ElementTree.fromstring(svg)
    assert all(left >= 0 for left, _, _ in texts(svg))
    assert all(right <= float(root.get("width", "0")) + 1 for _, right, _ in texts(svg))


def test_picture_of_nothing(judge: Judge, words: DeckVocabulary) -> None:
    text = "# format: hyper-colosseum\nSB: 1 St-2\n"
    shown = stats_of(judge.matched(read_text_deck(text, "deck.txt", words))[0])
    assert "No cards" in picture(shown)
    assert shown.cards == 0
