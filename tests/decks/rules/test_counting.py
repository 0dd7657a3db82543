"""What a rule counts and what it does not, where the shipped cards have no example."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run, Write

ALPHA = """# format: alpha
3 DM-013
3 DM-014
3 DM-015
3 DM-016
3 DM-018
3 DM-019
3 DM-020
3 DM-021
3 DM02-002
"""


def judged(run: Run, deck: Path, *arguments: str | Path) -> tuple[str, list[str]]:
    """The verdict on a deck, and what is said in it beside notes."""
    result = run("deck", "check", deck, *arguments, "--json")
    (found,) = result.json["data"]["decks"]
    said = [p["message"] for p in found["problems"] if p["severity"] != "note"]
    return found["verdict"], said


def test_a_level_that_is_in_doubt_is_no_level_for_sure(run: Run, write: Write) -> None:
    """dccg DM-066 is an Ultimate by its source, which is doubted: the rule cannot tell."""
    rule = "- {id: ultimate, says: one, check: number_of, kind: Digimon, levels: [Ultimate], %s}"
    own = "extends: dccg\nrules:\n  - {id: deck-size, least: 1, most: ~}\n  " + rule
    deck = write("deck.txt", "1 DM-066\n1 DM-046\n")
    for bound in ("least: 1", "most: 0"):
        verdict, said = judged(run, deck, "--format", write("own.yaml", own % bound))
        assert verdict == "undecided"
        assert "DM-066" in said[0]


def test_eggs_are_not_counted_among_the_cards_of_the_deck(run: Run, write: Write) -> None:
    own = write(
        "own.yaml",
        "extends: dcg\nrules:\n  - {id: deck-size, least: 1, most: ~}\n"
        "  - {id: eggs, says: none, check: number_of, kind: Digi-Egg, levels: [], most: 0}\n",
    )
    deck = write("deck.txt", "4 BT1-009\n3 BT1-001\n")
    assert judged(run, deck, "--format", own) == ("legal", [])


def test_an_option_named_for_an_x_antibody_shares_no_name_with_the_digimon(
    run: Run, write: Write
) -> None:
    cards = write(
        "cards.csv",
        "number,name,name_ja,kind,level\n"
        "DM-901,Testmon,テストモン,Digimon,III\n"
        "DM-902,Test Program,テストモンX抗体,Option,\n"
        "DM-903,Test Virus,テストモンX抗体,Digimon,IV\n",
    )
    assert run("import", cards, "--game", "alpha").exit_code == 0
    with_option = write("option.txt", ALPHA + "3 DM-901\n2 DM-902\n")
    assert judged(run, with_option) == ("legal", [])
    verdict, said = judged(run, write("x.txt", ALPHA + "3 DM-901\n2 DM-903\n"))
    assert verdict == "legal"
    assert "share a name" in said[0]


def test_a_card_of_a_japanese_name_counts_with_the_one_that_came_with_it(
    run: Run, write: Write
) -> None:
    cards = write(
        "cards.csv",
        "number,name,name_ja,kind,level\n"
        "DM-902,,テストモン,Digimon,III\n"
        "DM-901,Testmon,テストモン,Digimon,III\n",
    )
    assert run("import", cards, "--game", "alpha").exit_code == 0
    verdict, said = judged(run, write("deck.txt", ALPHA + "3 DM-901\n2 DM-902\n"))
    assert verdict == "illegal"
    assert "5 copies of Testmon" in said[0]


def test_too_many_of_a_level_says_how_many_to_take_out(run: Run, write: Write) -> None:
    own = write(
        "own.yaml",
        "extends: hyper-colosseum\nrules:\n  - {id: deck-size, least: 1, most: ~}\n"
        "  - {id: level-iii, least: ~, most: 30}\n"
        "  - {id: ultimates, says: few, check: number_of, kind: Digimon, levels: [Ultimate],"
        " open_levels: [Xros (Ultimate)], most: 2}\n",
    )
    sure = write("sure.txt", "2 Bo-17\n1 Bo-27\n")
    data = run("deck", "check", sure, "--format", own, "--json").json["data"]["decks"][0]
    (problem,) = data["problems"]
    assert (data["verdict"], problem["have"], problem["allowed"]) == ("illegal", 3, 2)
    assert problem["message"] == "3 of Ultimate Digimon, 2 allowed"
    assert problem["next_step"] == "take out 1 Ultimate Digimon"
    assert [card["card"] for card in problem["cards"]] == ["Bo-17 Holydramon", "Bo-27 Metal Etemon"]
    assert data["smallest_change"] == "take out 1 Bo-27 Metal Etemon"
    verdict, said = judged(run, write("open.txt", "2 Bo-17\n1 Re-40\n"), "--format", own)
    assert verdict == "legal"
    assert said == [
        "3 of Ultimate Digimon, 2 allowed, if Xros (Ultimate) counts as one, which no source tells"
    ]


def test_the_smallest_change_is_for_what_is_wrong_alone(run: Run, write: Write) -> None:
    """How two kinds of Mushmon mix is a warning: that they are taken out is not advised."""
    deck = write(
        "deck.txt",
        "# format: hyper-colosseum\n3 Agumon St-1\n3 Mushmon Bo-82\n21 Mushmon Bo-1154\n"
        "3 Piyomon St-3\n1 Gabumon St-5\n",
    )
    verdict, said = judged(run, deck)
    assert verdict == "illegal"
    assert any("counted apart" in message for message in said)
    result = run("deck", "check", deck)
    assert "to make it legal: take out 1 card\n" in result.stdout


def test_a_restricted_card_says_how_many_to_take_out(run: Run, write: Write) -> None:
    own = write(
        "own.yaml",
        "extends: hyper-colosseum\nrules:\n  - {id: deck-size, least: 1, most: ~}\n"
        "  - {id: few, says: one, check: limits, cards: [{card: St-1, most: 1}]}\n",
    )
    result = run("deck", "check", write("deck.txt", "3 Agumon St-1\n"), "--format", own, "--json")
    (deck,) = result.json["data"]["decks"]
    assert (deck["verdict"], deck["smallest_change"]) == ("illegal", "take out 2 St-1 Agumon")
    assert [p["next_step"] for p in deck["problems"]] == ["take out 2 St-1 Agumon"]


@pytest.mark.parametrize(
    ("span", "verdict"),
    [
        ('released_until: "1999-06"', "legal"),
        ('released_until: "1999-06-15"', "undecided"),  # the set is of some day in June
        ('released_until: "1999-05"', "illegal"),
        ('released_from: "1999-06"', "legal"),
        ('released_from: "1999-06-02"', "undecided"),
        ('released_from: "1999-07"', "illegal"),
    ],
)
def test_a_set_of_a_month_in_a_pool_of_days(
    run: Run, write: Write, span: str, verdict: str
) -> None:
    own = write(
        "own.yaml",
        "extends: hyper-colosseum\nrules:\n  - {id: deck-size, least: 1, most: ~}\n"
        f"  - {{id: level-iii, least: ~, most: 9}}\n  - {{id: era, says: x, check: pool, {span}}}\n",
    )
    assert judged(run, write("deck.txt", "1 Bo-1\n"), "--format", own)[0] == verdict


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "extends: hyper-colosseum\nrules:\n  - {id: few, says: one, check: limits,"
            " cards: [{card: St-1, most: 1, bogus: 2}]}\n",
            "bogus",
        ),
        ("extends: hyper-colosseum\ngame: alpha\n", "game"),
    ],
)
def test_what_a_format_cannot_say_is_refused(run: Run, write: Write, text: str, says: str) -> None:
    deck = write("deck.txt", "3 Agumon St-1\n")
    refused = run("deck", "check", deck, "--format", write("own.yaml", text))
    assert refused.exit_code == 3
    assert "own.yaml:" in refused.stderr
    assert says in refused.stderr


def test_a_change_of_many_cards_is_no_small_one(run: Run, write: Write) -> None:
    for number, shown in ((25, "add 5 cards"), (24, None)):
        lines = [f"1 St-{place}" for place in range(1, number + 1)]
        deck = write(f"{number}.txt", "\n".join(["# format: hyper-colosseum", *lines]))
        (found,) = run("deck", "check", deck, "--json").json["data"]["decks"]
        assert (found["verdict"], found["smallest_change"]) == ("illegal", shown)
