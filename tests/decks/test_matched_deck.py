"""Which cards a line means, against the cards that ship."""

from __future__ import annotations

import pytest

from digideck.catalog.cards import CardIndex
from digideck.decks.matched_deck import LineLookup, MatchedDeck, Matcher
from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.text_deck import read_text_deck
from tests.conftest import Run, Write

# A line, the game it is looked up in, and the numbers of all the cards it can mean.
FOUND = [
    ("B1-curly-apostrophe", "hyper-colosseum", "1 Let’s Stop Fighting Sx-79", "Sx-79"),
    ("B1-backquote", "hyper-colosseum", "1 Let`s Stop Fighting Bo-51", "Bo-51"),
    ("B3-html-entity", "dcg", "1 Koh & Sayo", "EX5-064"),
    ("B4-accents", "hyper-colosseum", "1 Löwemon St-771", "St-771"),
    ("B4-no-accents", "hyper-colosseum", "1 Lowemon St-771", "St-771"),
    ("B9-full-width", "alpha", "3 ＳＨＡＭＡＭＯＮ", "Dα-065"),
    ("B9-half-width-kana", "alpha", "3 ｼｬｰﾏﾓﾝ", "Dα-065"),
    ("B11-nbsp", "hyper-colosseum", "1 War\u00a0Greymon St-241", "St-241"),
    ("B15-spacing", "hyper-colosseum", "1 WarGreymon St-241", "St-241"),
    ("B19-colon", "dcg", "1 Gizmon: XT", "BT13-086"),
    ("B20-dash", "dcg", "1 Agumon - Bond of Bravery LM-021", "LM-021"),
    ("C1-alt-art", "dcg", "1 BT5-001_P1", "BT5-001"),
    ("C1-errata", "dcg", "1 BT5-001-Errata", "BT5-001"),
    ("C6-zeros", "digi-battle", "1 ST-1", "ST-01"),
    ("C6-many-zeros", "hyper-colosseum", "1 St-0000001", "St-1"),
    ("C12-letters", "hyper-colosseum", "1 Bo-1t", "Bo-1t"),
    ("C12-other-letter", "hyper-colosseum", "1 bo-1j", "Bo-1j"),
    ("greek-as-latin", "alpha", "1 Da-065", "Dα-065"),
    ("greek-no-dash", "alpha", "1 dα65", "Dα-065"),
    ("en-dash", "alpha", "1 Dα–065", "Dα-065"),
    ("minus-sign", "hyper-colosseum", "1 St−1", "St-1"),
    ("full-width-number", "hyper-colosseum", "1 Ｓｔ－１", "St-1"),
    ("edition", "alpha", "1 DM02-095@asia", "DM02-095@asia"),
    ("edition-by-name", "digi-battle", "1 Penguinmon BO-109", "BO-109@upper-deck"),
    ("plain-edition-first", "alpha", "1 DM02-095", "DM02-095"),
    ("name-with-x4", "dcg", "Shoutmon X4", "BT10-009 BT19-010"),
    ("name-with-x-of-its-own", "dcg", "3 X Program", "BT9-110"),
    ("name-with-small-x", "dcg", "3 x program", "BT9-110"),
    ("count-x", "hyper-colosseum", "3 x Eraser", "Bo-791"),
    ("name-with-number-and-x", "dcg", "3 X Program BT9-110", "BT9-110"),
    ("name-with-number-shape", "dcg", "1 ADR-02 Searcher", "EX2-046"),
    ("set-in-brackets", "alpha", "3 Shamamon (Alpha Evolve 2)", "Dα-065"),
]  # fmt: skip


def look_up(index: CardIndex, words: DeckVocabulary, game: str, text: str) -> MatchedDeck:
    return Matcher(LineLookup(index), index.games[game]).match(
        read_text_deck(text, "deck.txt", words)
    )


@pytest.mark.parametrize(
    ("game", "text", "numbers"), [pytest.param(*row[1:], id=row[0]) for row in FOUND]
)
def test_a_line_means_these_cards(
    index: CardIndex, words: DeckVocabulary, game: str, text: str, numbers: str
) -> None:
    deck = look_up(index, words, game, text)
    assert [card.full_number for card in deck.entries[0].candidates] == numbers.split()
    assert deck.problems == ()


@pytest.mark.parametrize(
    ("game", "text", "count", "code"),
    [
        ("dcg", "Shoutmon X3", 1, None),
        ("dcg", "Shoutmon x3", 1, "count-in-name"),
        ("dcg", "Agumon x2", 2, None),
        ("hyper-colosseum", "3 X Eraser", 3, "several-cards"),
        ("hyper-colosseum", "3 X Program", 3, "card-unknown"),
    ],
)
def test_a_count_that_may_be_part_of_a_name(
    index: CardIndex, words: DeckVocabulary, game: str, text: str, count: int, code: str | None
) -> None:
    deck = look_up(index, words, game, text)
    assert deck.entries[0].count == count
    assert [problem.code for problem in deck.problems] == ([code] if code else [])


def test_a_name_with_an_x_is_not_the_one_without(index: CardIndex, words: DeckVocabulary) -> None:
    for game, text, found in (
        ("dcg", "1 Program\n3 x Program\n1 Program", [0, 1, 0]),
        ("hyper-colosseum", "3 X Eraser\n3 x Eraser\n3 X Eraser", [2, 1, 2]),
    ):
        deck = look_up(index, words, game, text)
        assert [len(entry.candidates) for entry in deck.entries] == found


@pytest.mark.parametrize(
    ("game", "text"),
    [
        pytest.param("hyper-colosseum", "1 Fireball", id="B13-no-card-of-the-name"),
        pytest.param("alpha", "1 Shama", id="B13-part-of-a-name"),
        pytest.param("alpha", "3 Agumon (Black)", id="bracket-is-part-of-the-name"),
        pytest.param("alpha", "3 Dα-002", id="number-nobody-listed"),
        pytest.param("digi-battle", "1 BO-109@asia", id="edition-nobody-printed"),
    ],
)
def test_what_is_not_there_is_unknown_never_guessed(
    index: CardIndex, words: DeckVocabulary, game: str, text: str
) -> None:
    deck = look_up(index, words, game, text)
    assert deck.entries[0].candidates == ()
    assert deck.entries[0].count == int(text[0])
    assert [problem.code for problem in deck.problems] == ["card-unknown"]


@pytest.mark.parametrize(
    ("game", "text", "code"),
    [
        pytest.param("hyper-colosseum", "1 Gabumon St-1", "name-clash", id="C8-name-of-another"),
        pytest.param("hyper-colosseum", "1 Agumonn St-1", "name-differs", id="near-spelling"),
        pytest.param("hyper-colosseum", "1 Zzzzzz St-1", "name-differs", id="no-known-name"),
        pytest.param("hyper-colosseum", "1 Agumon (Promo) St-1", "brackets-ignored", id="C4-note"),
        pytest.param("alpha", "1 Growmon (Orange) DM-012", "name-clash", id="bracket-clash"),
        pytest.param("digi-battle", "1 BO-109", "several-cards", id="two-editions"),
        pytest.param("alpha", "1 グラウモン", "several-cards", id="two-species"),
        pytest.param("alpha", "1 DM-185", "doubtful-card", id="doubt-of-the-game"),
        pytest.param("alpha", "1 Antylamon (Good)", "doubtful-name", id="doubt-of-the-name"),
    ],
)
def test_what_there_is_to_say_of_a_line(
    index: CardIndex, words: DeckVocabulary, game: str, text: str, code: str
) -> None:
    deck = look_up(index, words, game, f"\n{text}")
    assert [(problem.code, problem.line) for problem in deck.problems] == [(code, 2)]
    assert deck.problems[0].next_step
    assert deck.entries[0].candidates  # the number takes precedence


def test_copies_of_two_numbers_are_totalled_by_name(
    index: CardIndex, words: DeckVocabulary
) -> None:
    """A23 and C10: 2 + 1 by printing, 3 by name."""
    deck = look_up(index, words, "hyper-colosseum", "2 Agumon [St-1]\n1 Agumon [Sx-6]")
    assert [entry.count for entry in deck.entries] == [2, 1]
    assert [entry.candidates[0].number for entry in deck.entries] == ["St-1", "Sx-6"]
    assert {entry.name_keys for entry in deck.entries} == {frozenset({"agumon"})}


def test_earlier_decks_change_nothing(index: CardIndex, words: DeckVocabulary) -> None:
    """What a matcher remembers must give what a fresh one finds."""
    lines = [f"3 {row[2].split(maxsplit=1)[1]}" for row in FOUND if row[1] == "dcg"]
    decks = [read_text_deck("\n".join(lines), f"{count}.txt", words) for count in range(2)]
    remembering = Matcher(LineLookup(index), index.games["dcg"])
    first, second = (remembering.match(deck) for deck in decks)
    fresh = Matcher(LineLookup(index), index.games["dcg"]).match(decks[1])
    assert first.entries == second.entries == fresh.entries
    assert second.problems == fresh.problems


def test_a_japanese_name_of_a_game_without_any_is_understood(run: Run, write: Write) -> None:
    """No Japanese names of later sets are recorded, but those of the 1999 game are the same."""
    lines = "4 BT13-008 アグモン\n4 BT13-008 ガブモン\n4 BT13-008 ホゲモン\n"
    deck = write("deck.txt", f"# format: dcg\n{lines}")
    problems = run("deck", "show", deck, "--json").json["problems"]
    said = {problem["line"]: problem for problem in problems if problem["line"]}
    assert 2 not in said
    assert "which is BT1-029 Gabumon" in said[3]["message"]
    assert said[4]["code"] == "name-differs"


@pytest.mark.parametrize("line", ["1 hyper-colosseum/St-1", "1 BT1-010", "1 Agumon (BT1-010)"])
def test_a_card_of_another_game_is_known_and_has_no_row_to_fill_in(
    run: Run, write: Write, line: str
) -> None:
    checked = run("deck", "check", write("deck.txt", f"# format: alpha\n{line}\n"), "--json").json
    (deck,) = checked["data"]["decks"]
    assert deck["verdict"] == "illegal"
    assert "card-of-other-game" in {problem["code"] for problem in deck["problems"]}
    assert checked["data"]["rows_to_fill_in"] == deck["unknown_cards"] == []


def test_a_number_that_both_games_print_may_be_an_unknown_card_of_this_one(
    run: Run, write: Write
) -> None:
    deck = write("deck.txt", "# format: alpha\n1 DM-002\n")
    assert "it is a card of dccg" in run("deck", "check", deck).stdout
    (row,) = run("deck", "check", deck, "--json").json["data"]["rows_to_fill_in"]
    assert (row["game"], row["number"]) == ("alpha", "DM-002")
