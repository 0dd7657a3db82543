"""What changed between two decks, whatever their forms."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from digideck.decks.analysis.diff import difference
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.text_deck import read_text_deck
from digideck.decks.rules.verdict import Judge

NUMBERS = ("St-1", "St-2", "St-3", "Sx-6", "Bo-1154", "No-Such-1")
decks = st.dictionaries(st.sampled_from(NUMBERS), st.integers(1, 9), min_size=1)
zoned = st.tuples(decks, st.dictionaries(st.sampled_from(NUMBERS), st.integers(1, 9)))


def matched(judge: Judge, words: DeckVocabulary, text: str) -> MatchedDeck:
    return judge.matched(read_text_deck(f"# format: hyper-colosseum\n{text}", "d.txt", words))[0]


def written(main: dict[str, int], side: dict[str, int]) -> str:
    lines = [f"{count} {number}" for number, count in main.items()]
    return "\n".join([*lines, *(f"SB: {count} {number}" for number, count in side.items())])


def counts(main: dict[str, int], side: dict[str, int]) -> Counter[tuple[str, str]]:
    zones = (("main", main), ("side", side))
    return Counter({(zone, number): n for zone, cards in zones for number, n in cards.items()})


@given(zoned, zoned)
def test_the_difference_makes_one_of_the_other(
    judge: Judge,
    words: DeckVocabulary,
    before: tuple[dict[str, int], dict[str, int]],
    after: tuple[dict[str, int], dict[str, int]],
) -> None:
    first, second = (matched(judge, words, written(*deck)) for deck in (before, after))
    have = counts(*before)
    found = difference(first, second)
    for change in found.cards:
        have[change.zone, change.title.split()[0]] += change.by
    assert +have == counts(*after)
    assert (
        sum(change.by for change in found.cards) == counts(*after).total() - counts(*before).total()
    )


@given(zoned, zoned)
def test_the_other_way_round(
    judge: Judge,
    words: DeckVocabulary,
    before: tuple[dict[str, int], dict[str, int]],
    after: tuple[dict[str, int], dict[str, int]],
) -> None:
    first, second = (matched(judge, words, written(*deck)) for deck in (before, after))
    there, back = difference(first, second), difference(second, first)
    for changes, reverse in ((there.cards, back.cards), (there.names, back.names)):
        assert {(c.zone, c.before, c.after) for c in changes} == {
            (c.zone, c.after, c.before) for c in reverse
        }
    assert difference(first, first).cards == difference(first, first).names == ()


def test_another_number_of_a_name_differs_by_card_alone(
    judge: Judge, words: DeckVocabulary
) -> None:
    found = difference(matched(judge, words, "3 St-1"), matched(judge, words, "2 St-1\n1 Sx-6"))
    assert [(change.title, change.by) for change in found.cards] == [
        ("St-1 Agumon", -1),
        ("Sx-6 Agumon", 1),
    ]
    assert found.names == ()
