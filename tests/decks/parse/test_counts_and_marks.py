"""Whatever form a count, a mark or a set is written in, no copy is lost without a word."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digideck.catalog.cards import CardIndex
from digideck.decks.formats.convert import convert
from digideck.decks.formats.registry import form_named
from digideck.decks.matched_deck import LineLookup, Matcher
from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.text_deck import read_text_deck
from tests.conftest import Run, Write

AGUMON = {("hyper-colosseum/St-1", 3)}


def copies(run: Run, path: object, *options: object) -> set[tuple[str, int]]:
    """What ``deck convert`` writes, which is what ``deck check`` has judged."""
    rows = run("deck", "convert", path, "--to", "csv", *options).stdout.splitlines()
    head = rows[0].split(",")
    cells = [dict(zip(head, row.split(","), strict=False)) for row in rows[1:]]
    return {(f"{row['game']}/{row['number']}", int(row["count"])) for row in cells}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("3 Agumon\tSt-1", id="H1-count-before-the-name"),
        pytest.param("3x Agumon\tSt-1", id="H1-times"),
        pytest.param("Agumon x3\tSt-1", id="H1-times-behind"),
        pytest.param("Agumon\tSt-1 x3", id="H1-beside-the-number"),
        pytest.param("St-1\tAgumon\t3", id="a-cell-of-its-own"),
        pytest.param("3,Agumon,St-1", id="H2-commas"),
        pytest.param('3,"Agumon",St-1', id="H2-quotes"),
        pytest.param("St-1;3", id="H2-semicolons"),
        pytest.param("3|Agumon|St-1", id="bars"),
        pytest.param("[3] Agumon St-1", id="A-square-brackets"),
        pytest.param("{3} Agumon St-1", id="curly-brackets"),
        pytest.param("<3> Agumon St-1", id="angle-brackets"),
        pytest.param("【3】 Agumon St-1", id="heavy-brackets"),
        pytest.param("Agumon St-1 [3]", id="behind-in-brackets"),
        pytest.param("Agumon St-1 [x3]", id="behind-in-brackets-times"),
        pytest.param("3 St_1", id="H12-underscore"),
        pytest.param("ST_01 3", id="H12-underscore-and-zero"),
        pytest.param("3 Agumon (St-1) *F*", id="foil-between-stars"),
        pytest.param("3 Agumon (St-1) [foil]", id="foil-in-brackets"),
        pytest.param("3 Agumon *E* (St-1)", id="etched"),
    ],
)
def test_a_line_is_three_copies(run: Run, write: Write, line: str) -> None:
    deck = write("deck.txt", f"# game: hyper-colosseum\n{line}\n")
    checked = run("deck", "check", deck, "--draft", "--json").json
    (verdict,) = checked["data"]["decks"]
    assert verdict["cards"] == 3
    assert not [one for one in verdict["problems"] if one["code"] == "name-differs"]
    assert copies(run, deck) == AGUMON


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("3 Agumon St-1 (2)", "two counts, 3 and (2)", id="behind"),
        pytest.param("3 [2] Agumon St-1", "two counts, 3 and [2]", id="before"),
        pytest.param("7 Name (331)", "two counts, 7 and (331)", id="H17"),
        pytest.param("3\t2\tAgumon", "two counts, 3 and 2", id="two-cells"),
    ],
)
def test_a_second_count_is_refused(run: Run, write: Write, line: str, said: str) -> None:
    deck = write("deck.txt", f"# format: hyper-colosseum\n{line}\n")
    for command in (["check"], ["convert", "--to", "text"], ["show"]):
        refused = run("deck", command[0], deck, *command[1:])
        assert refused.exit_code == 3
        assert f":2: cannot read {line.replace(chr(9), chr(9))!r}: {said}" in refused.stderr


@pytest.mark.parametrize("line", ["3 Agumon 2 St-1", "3 Agumon (2) St-1", "St-1 Agumon 60 3"])
def test_digits_that_nobody_understands_leave_a_deck_undecided(
    run: Run, write: Write, line: str
) -> None:
    deck = write("deck.txt", f"# format: hyper-colosseum\n{line}\n")
    checked = run("deck", "check", deck, "--draft", "--json").json
    assert checked["data"]["decks"][0]["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("first", "name"),
    [
        pytest.param("Name My deck", "My deck", id="name"),
        pytest.param("###My deck###", "My deck", id="H18-framed"),
        pytest.param("## My deck ##", "My deck", id="framed-with-spaces"),
        pytest.param("My deck", "My deck", id="alone"),
    ],
)
def test_the_first_line_is_the_name_to_every_command(
    run: Run, write: Write, first: str, name: str
) -> None:
    deck = write("deck.txt", f"{first}\n4 BT1-010\n")
    assert run("deck", "check", deck, "--draft").exit_code == 0
    converted = run("deck", "convert", deck, "--to", "text")
    assert converted.stdout.splitlines()[0] == f"# name: {name}"
    assert "not among" not in converted.stderr


@pytest.mark.parametrize("by", ["from", "by", "with"])
def test_what_programs_write_above_their_lists_is_no_card(run: Run, write: Write, by: str) -> None:
    deck = write("deck.txt", f"Exported {by} SomeTool\n4 BT1-010\n")  # H13
    assert "SomeTool" not in run("deck", "convert", deck, "--to", "text").output
    assert "SomeTool" not in run("deck", "check", deck, "--draft").output


def test_a_finish_is_left_out_with_a_note(run: Run, write: Write) -> None:
    deck = write("deck.txt", "3 Agumon (St-1) *F*\n")
    for command in (["check", "--draft"], ["convert", "--to", "text"]):
        said = run("deck", command[0], deck, *command[1:]).output
        assert "St-1 Agumon: the finish 'foil' was left out" in said


@pytest.mark.parametrize("line", ["3 Shellmon (Bo1)", "3 Shellmon [Bo1]", "3 Shellmon\tBo1",
                                  "3 Shellmon|Bo1", "3|Shellmon|Bo1"])  # fmt: skip
def test_a_set_beside_a_name_is_no_number(run: Run, write: Write, line: str) -> None:
    """H25: Bo1 is Booster 1; the card Bo-1 is Metal Greymon."""
    deck = write("deck.txt", f"# game: hyper-colosseum\n{line}\n")
    assert copies(run, deck) == {("hyper-colosseum/Bo-9", 3)}


@pytest.mark.parametrize("line", ["3 Agumon (Bo1)", "3 Agumon [Bo1]", "3 Agumon\tBo1"])
def test_a_card_that_is_not_in_its_set_is_unknown(run: Run, write: Write, line: str) -> None:
    deck = write("deck.txt", f"# format: hyper-colosseum\n{line}\n")
    checked = run("deck", "check", deck, "--draft")
    assert checked.exit_code == 4
    assert "Metal Greymon" not in checked.stdout
    assert "3 Agumon (Bo1)" in run("deck", "convert", deck, "--to", "text").stdout


def test_a_number_with_its_dash_stays_a_card(run: Run, write: Write) -> None:
    deck = write("deck.txt", "# game: hyper-colosseum\n2 Metal Greymon (Bo-1)\n1 Bo1\n")
    assert copies(run, deck) == {("hyper-colosseum/Bo-1", 3)}


def test_equal_lines_become_one_with_a_note(run: Run, write: Write) -> None:
    deck = write("deck.txt", "# game: hyper-colosseum\n2 St-1\n1 Agumon St-1\n")
    assert copies(run, deck) == AGUMON
    said = run("deck", "convert", deck, "--to", "text").stderr
    assert "deck.txt:3: note: St-1 Agumon, which line 2 has: put together, 3 copies" in said


@pytest.mark.parametrize("as_argument", [True, False])
def test_an_address_with_the_cards_in_it_is_read(run: Run, write: Write, as_argument: bool) -> None:
    address = "https://digimoncard.io/deckbuilder/?name=x&deck=4+BT1-010,3%20BT1-029"  # H15
    deck = address if as_argument else write("deck.txt", f"{address}\n")
    assert copies(run, deck) == {("dcg/BT1-010", 4), ("dcg/BT1-029", 3)}
    assert json.loads(run("deck", "check", deck, "--json").stdout)["data"]["decks"][0]["cards"] == 7


def test_what_a_form_loses_is_told_line_by_line(run: Run, write: Write) -> None:
    deck = write("deck.txt", "# game: dcg\n2 BT1-010_P1\n1 BT1-029_P1\n")
    said = run("deck", "convert", deck, "--to", "untap").stderr
    assert "deck.txt:2: warning: untap has no place for the printing of BT1-010_P1" in said
    assert "deck.txt:3: warning: untap has no place for the printing of BT1-029_P1" in said


COUNTS = ("{n} ", "{n}x ", "{n} x ", "[{n}] ", "({n}) ", "{n}\t", "{n},", "{n};", "{n}|", "{n}枚 ")
BEHIND = ("", " x{n}", " [{n}]", " ({n})", "\t{n}", " x {n}", ",{n}", "|{n}")
CARDS = ("{name} {number}", "{number} {name}", "{name} ({number})", "{name} [{number}]",
         "{name}\t{number}", "{number}\t{name}", "{number}", "{name}|{number}")  # fmt: skip
MARKS = ("", " *F*", " [foil]", " (etched)")


@settings(max_examples=500)
@given(st.data())
def test_no_copy_is_lost_without_a_word(
    index: CardIndex, words: DeckVocabulary, data: st.DataObject
) -> None:
    """Any count beside any card with any mark: that many copies of it, or a problem."""
    card = index.by_ids([data.draw(st.sampled_from(index.all_ids()))])[0]
    before = data.draw(st.sampled_from(COUNTS))
    behind = data.draw(st.sampled_from(BEHIND)) if data.draw(st.booleans()) else ""
    written = data.draw(st.sampled_from(CARDS)).format(name=card.name, number=card.full_number)
    count = data.draw(st.integers(2, 50))
    line = (
        before.format(n=count)
        + written
        + behind.format(n=count)
        + data.draw(st.sampled_from(MARKS))
    )
    deck = read_text_deck(f"# game: {card.game}\n{line}\n", "deck.txt", words)
    matched = Matcher(LineLookup(index), index.games[card.game]).match(deck)
    grave = [one for one in (*deck.problems, *matched.problems) if one.severity != "note"]
    right = [entry for entry in matched.entries if card in entry.candidates]
    assert grave or (len(right) == 1 and right[0].count == count), line
    if deck.unreadable:
        return
    converted = convert(deck, form_named("csv"), index, words, card.game)
    assert sum(one.count for one in converted.deck.lines) == sum(e.count for e in matched.entries)
