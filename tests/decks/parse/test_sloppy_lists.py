"""Lists as people really type them: what is no card is not counted, what is one is."""

from __future__ import annotations

import pytest

from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.text_deck import read_text_deck
from tests.conftest import Run, Write

CARDS = [("St-1", 3), ("St-5", 3), ("St-2", 3)]
LISTS = {
    "numbered": "1) 3x Agumon (St-1)\n2) 3x Gabumon (St-5)\n3) St-2 x3",
    "numbered with dots": "1. 3 Agumon St-1\n2. 3 Gabumon St-5\n3. 3 St-2",
    "stars": "Agumon St-1 *3\nGabumon St-5 *3\nSt-2 *3",
    "bold headings": "【レベルIII】6枚\n3 St-1\n3 St-5\n【レベルIV】\n3 St-2",
    "level headings": "Lv.III (6)\n3 St-1\n3 St-5\nLevel IV:\n3 St-2",
    "Japanese level words": "成長期\n3 St-1\n3 St-5\n成熟期\n3 St-2",
    "other headings": "Digimon cards (9):\n3 St-1\n3 St-5\nTokens:\n3 St-2",
    "totals": "9 cards total\n3 St-1\n3 St-5\n3 St-2\n合計 9枚\n計9枚\nTotal: 9 cards",
    "details": "Deck: Red Aggro\nDate: 2001-02-03\nPlayer: Foo\n3 St-1\n3 St-5\n3 St-2",
}


@pytest.mark.parametrize("name", LISTS)
def test_cards_are_cards_and_the_rest_is_not(name: str, words: DeckVocabulary) -> None:
    deck = read_text_deck(LISTS[name], "deck.txt", words)
    assert [(line.number, line.count) for line in deck.lines] == CARDS
    assert {problem.code for problem in deck.problems} <= {"heading-unknown"}


def test_numbers_before_lines_are_counts_where_they_do_not_number_them(
    words: DeckVocabulary,
) -> None:
    deck = read_text_deck("3 St-1\n2 St-5", "deck.txt", words)
    assert [line.count for line in deck.lines] == [3, 2]


def test_a_total_that_differs_is_said(words: DeckVocabulary) -> None:
    deck = read_text_deck("3 St-1\n合計 30枚", "deck.txt", words)
    assert [problem.code for problem in deck.problems] == ["total-differs"]


def test_a_first_line_that_is_no_card_is_the_name(run: Run, write: Write) -> None:
    deck = write("deck.txt", "My 1999 deck\n3 St-1\n3 St-2")
    (found,) = run("deck", "check", deck, "--json").json["data"]["decks"]
    assert found["cards"] == 6
    assert found["unknown_cards"] == []
    (note,) = [problem for problem in found["problems"] if problem["code"] == "title"]
    assert note["line"] == 1
    assert "My 1999 deck" in note["message"]


def test_a_first_line_that_is_a_card_counts(run: Run, write: Write) -> None:
    deck = write("deck.txt", "Agumon\n3 St-2")
    (found,) = run("deck", "check", deck, "--json").json["data"]["decks"]
    assert found["cards"] == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3 St-01\n3 St-02", "its cards fit several games: digi-battle, hyper-colosseum"),
        ("3 BT1-010\n3 Foo\n3 Bar\n3 Baz", "only 1 of its 4 lines are known cards, of dcg"),
        ("3 Dα-065\n3 St-1\n3 Dα-001", "no game has all of its cards (of 3 lines: alpha 2"),
    ],
)
def test_a_format_is_not_guessed(text: str, says: str, run: Run, write: Write) -> None:
    result = run("deck", "check", write("deck.txt", text))
    assert result.exit_code == 3
    assert says in result.stderr
    assert "add --format" in result.stderr


@pytest.mark.parametrize("typed", ["Da-001", "Da-1x", "Da-65"])
def test_alpha_numbers_are_typed_without_alpha(typed: str, run: Run) -> None:
    result = run("show", typed.removesuffix("x"))
    wanted = {"Da-001": "alpha/Dα-001", "Da-1x": "hyper-colosseum/Da-1", "Da-65": "alpha/Dα-065"}
    assert result.stdout.startswith(wanted[typed])


def test_an_alpha_number_that_is_not_known_is_no_other_card(run: Run) -> None:
    assert run("show", "Da-002").exit_code == 1


def test_a_yaml_list_at_the_top_is_a_deck(run: Run, write: Write) -> None:
    deck = write("deck.yaml", "- St-1\n- 2 St-2\n- {St-5: 3}\n")
    (found,) = run("deck", "check", deck, "--json").json["data"]["decks"]
    assert (found["format"], found["cards"]) == ("hyper-colosseum", 6)


def test_a_whole_query_may_stand_in_quotes(run: Run) -> None:
    apart = run("find", "level>=perfect", "attack_a>700", "-g", "hyper-colosseum", "--count")
    together = run("find", "level>=perfect attack_a>700", "-g", "hyper-colosseum", "--count")
    assert apart.stdout == together.stdout
    assert int(together.stdout) > 100
    assert int(run("find", "name~gremon cost:3..5", "--count").stdout) > 0


def test_a_whole_number_comes_first(run: Run) -> None:
    first = run("find", "DM-001", "-g", "alpha", "--numbers").stdout.splitlines()[0]
    assert first == "alpha/DM-001"
    assert run("find", "greymon", "--numbers", "--limit", "2").stdout.count("\n") == 2


@pytest.mark.parametrize(
    "text",
    [
        "3 St-1\u20283 St-5\u20293 St-2",
        "3 St-1\x853 St-5\f3 St-2",
        "3\t\tSt-1\n3 \t St-5\n\t3\tSt-2\t",
        "3 St\ufe0e-1\n3 St-5\ufe0f\n3 St-2",
    ],
    ids=["unicode-lines", "other-line-ends", "tabs", "variation-selectors"],
)
def test_signs_that_are_not_seen_lose_no_card(text: str, words: DeckVocabulary) -> None:
    deck = read_text_deck(text, "deck.txt", words)
    assert [(line.number, line.count) for line in deck.lines] == CARDS
    assert not deck.problems


@pytest.mark.parametrize("edition", ["bandai", "Bandai", "ＢＡＮＤＡＩ"])
def test_an_edition_is_known_in_any_spelling(edition: str, words: DeckVocabulary) -> None:
    (line,) = read_text_deck(f"3 Agumon (St-1@{edition})", "deck.txt", words).lines
    assert line.edition == "bandai"
    (line,) = read_text_deck(f"3 Agumon St-1@{edition}", "deck.txt", words).lines
    assert line.edition == "bandai"


def test_a_list_as_long_as_a_collection_is_no_deck(run: Run, write: Write) -> None:
    deck = write("deck.txt", "1 St-1\n" * 3_000)
    result = run("deck", "check", deck)
    assert result.exit_code == 3
    assert "3,000 lines of cards are no deck" in result.output


def test_a_deck_of_unknown_cards_lists_some_of_their_lines(run: Run, write: Write) -> None:
    deck = write(
        "deck.txt",
        "".join(f"1 Nobody {'abcdefghij'[n % 10] * (n // 10 + 1)}\n" for n in range(200)),
    )
    result = run("deck", "check", deck, "--format", "alpha")
    assert result.exit_code == 1
    assert max(map(len, result.stdout.splitlines())) < 500


def test_a_header_opens_no_file(run: Run, write: Write) -> None:
    own = write("own.yaml", "extends: alpha\n")
    deck = write("deck.txt", f"# format: {own}\n3 St-1\n")
    result = run("deck", "check", deck)
    assert result.exit_code == 3
    assert "no format is called" in result.output
