"""deck show, deck odds, deck hand and deck diff as users see them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from digideck.cli.deck.odds import percent
from digideck.core.text import width
from tests.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples" / "decks"
LEGAL = EXAMPLES / "hyper-colosseum-legal.txt"
Write = Callable[[str, str], Path]


def test_show(run: Run) -> None:
    result = run("deck", "show", LEGAL)
    assert result.exit_code == 0
    assert "Starter One, hyper-colosseum, 30 cards" in result.stdout
    assert "    III              8  ########\n" in result.stdout
    assert "against A" in result.stdout
    assert "    Agumon                             3  3 St-1 Agumon\n" in result.stdout


def test_show_aligns_full_width_names(run: Run) -> None:
    deck = "# format: hyper-colosseum\n2 アグモンだらけのカード\n3 St-1\n"
    result = run("deck", "show", "-", stdin=deck)
    lines = result.stdout.splitlines()
    (wide,) = [line for line in lines if line.startswith("    アグモンだらけのカード")]
    (plain,) = [line for line in lines if line.startswith("    Agumon")]
    assert width(wide[: wide.index("  2  2 ")]) == width(plain[: plain.index("  3  3 ")])


def test_show_json(run: Run) -> None:
    (deck,) = run("deck", "show", LEGAL, "--json").json["data"]["decks"]
    assert deck["cards"] == 30
    counts = {entry["of"]: entry for entry in deck["counts"]}
    assert counts["level"]["cards"][0] == {"value": "III", "cards": 8}
    assert {entry["by"] for entry in deck["figures"]} == {"battle", "by_level"}
    assert deck["names"][0]["cards"] == [{"card": "St-1 Agumon", "count": 3}]


def test_show_picture(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "deck.svg"
    assert run("deck", "show", LEGAL, "--svg", target).exit_code == 0
    assert ElementTree.parse(target).getroot().tag.endswith("svg")
    again = run("deck", "show", LEGAL, "--svg", target)
    assert again.exit_code == 3
    assert "not overwritten" in again.stderr
    assert "--force" in again.stderr
    target.write_text("old", "utf-8")
    assert run("deck", "show", LEGAL, "--svg", target, "--force").exit_code == 0
    assert target.read_text("utf-8").startswith("<svg")


def test_picture_where_none_can_be(run: Run, tmp_path: Path) -> None:
    result = run("deck", "show", LEGAL, "--svg", tmp_path / "no" / "deck.svg")
    assert result.exit_code == 3
    assert "cannot be written" in result.stderr
    assert run("deck", "show", LEGAL, LEGAL, "--svg", tmp_path / "two.svg").exit_code == 2
    assert run("deck", "show", LEGAL, "--svg", "-").exit_code == 2


def test_odds(run: Run) -> None:
    """St-1 is one of the cards that can start, so that two of three are left in 29: the
    chance of one in six is 1 - C(27,6)/C(29,6).
    """
    result = run("deck", "odds", LEGAL, "--card", "St-1", "--at-least", "1", "--turn", "3")
    assert result.exit_code == 0
    assert "starts with St-1 Agumon" in result.stdout
    assert "one source; source: the Portuguese guide to the 1999 game" in result.stdout
    rows = [line.split("  ") for line in result.stdout.splitlines() if "St-1 Agumon    " in line]
    shown = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert shown == [
        ["1", "St-1 Agumon", "2", "keep all", "37.7%", "37.7%", "37.7%", "37.7%"],
        ["1", "St-1 Agumon", "2", "replace all", "37.7%", "66.5%", "86.5%", "97.5%"],
    ]


def test_odds_are_exact_in_json(run: Run) -> None:
    data = run("deck", "odds", LEGAL, "-c", "St-1", "--turn", "0", "--json").json["data"]
    row = data["rows"][0]
    assert row["targets"] == [{"target": "St-1 Agumon", "at_least": 1, "copies": 2}]
    assert row["chances"] == [{"turn": 0, "drawn": 6, "percent": 37.7, "fraction": "153/406"}]
    assert (data["start"], data["shuffled"], data["unseen"]) == ("hyper-colosseum/St-1", 29, 1)


def test_odds_of_several_targets(run: Run) -> None:
    data = run(
        "deck", "odds", LEGAL, "-c", "2x St-2", "-n", "greymon", "-l", "レベルIV",
        "-q", "kind:option", "--together", "--replace", "3", "--turn", "1", "--json",
    ).json["data"]  # fmt: skip
    rows = data["rows"]
    assert [row["targets"][0]["at_least"] for row in rows] == [2, 1, 1, 1, 2]
    assert [row["targets"][0]["copies"] for row in rows] == [3, 3, 8, 6, 3]
    assert len(rows[-1]["targets"]) == 4
    assert {row["replaced_each_turn"] for row in rows} == {3}
    assert all(row["chances"][1]["drawn"] == 9 for row in rows)
    together = rows[-1]["chances"][0]["percent"]
    assert together <= min(row["chances"][0]["percent"] for row in rows[:-1])


@pytest.mark.parametrize(
    ("chance", "shown"),
    [
        (Fraction(0), "0.0%"),
        (Fraction(1, 10_000), "<0.1%"),
        (Fraction(1, 1000), "0.1%"),
        (Fraction(153, 406), "37.7%"),
        (Fraction(9999, 10_000), ">99.9%"),
        (Fraction(1), "100.0%"),
    ],
)
def test_what_can_happen_is_not_shown_as_never(chance: Fraction, shown: str) -> None:
    assert percent(chance) == shown


def test_odds_with_a_mulligan(run: Run) -> None:
    """Four of a card in fifty: 1 - C(46,5)/C(50,5) = 35.3 % a hand, and twice tried 58.1 %."""
    deck = EXAMPLES / "dcg-legal.txt"
    tried = run("deck", "odds", deck, "-c", "ST1-03", "--turn", "1")
    kept = run("deck", "odds", deck, "-c", "ST1-03", "--turn", "1", "--keep-hand", "--second")
    assert "  58.1%   58.1%\n" in tried.stdout
    assert "a hand that lacks what a row asks for is put back, once" in tried.stdout
    assert "  35.3%   41.1%\n" in kept.stdout
    assert "the first hand is kept" in kept.stdout


def test_odds_where_the_sources_are_silent(run: Run) -> None:
    result = run("deck", "odds", LEGAL, "--format", "street-battle")
    assert "no source tells how hands are drawn in street-battle" in result.stderr
    alpha = run("deck", "odds", EXAMPLES / "alpha-legal.txt")
    assert "open, assumed; source:" in alpha.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-c", "Agumonn"), 3, "did you mean Agumon"),
        (("-n", "Agumonn"), 3, "did you mean Agumon"),
        (("-l", "Rookie"), 3, "no level of hyper-colosseum is called 'Rookie'"),
        (("-q", "levl:3"), 3, "did you mean level"),
        (("--replace", "some"), 2, "a number of cards, all or none"),
        (("--start", "St-2"), 3, "no such card to start with"),
        (("--at-least", "0"), 2, "Invalid value for '--at-least'"),
    ],
)
def test_odds_of_what_is_not_there(
    run: Run, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = run("deck", "odds", LEGAL, *arguments)
    assert result.exit_code == code
    assert message in result.stderr


def test_odds_of_a_name_of_two_cards(run: Run) -> None:
    result = run("deck", "odds", EXAMPLES / "dcg-legal.txt", "--card", "Agumon")
    assert result.exit_code == 3
    assert "dcg/ST1-03, dcg/BT1-010" in result.stderr
    assert '--name "Agumon"' in result.stderr
    both = run("deck", "odds", EXAMPLES / "dcg-legal.txt", "--name", "Agumon", "--json")
    assert both.json["data"]["rows"][0]["targets"][0]["copies"] == 8


def test_odds_of_a_card_that_is_not_in_the_database(run: Run) -> None:
    deck = "# format: alpha\n3 Foomon\n29 Dα-001\n"
    result = run("deck", "odds", "-", "--card", "foomon", "--json", stdin=deck)
    assert result.json["data"]["rows"][0]["targets"][0]["copies"] == 3


def test_a_line_of_several_cards_is_said_to_count_as_the_first(run: Run) -> None:
    result = run("deck", "odds", "-", stdin="# format: hyper-colosseum\n3 Agumon\n3 St-2\n")
    assert "1 line can mean several cards and count as the first: Agumon as" in result.stderr


def test_odds_of_too_small_a_deck(run: Run) -> None:
    result = run("deck", "odds", "-", stdin="# format: hyper-colosseum\nSB: 3 St-1\n")
    assert result.exit_code == 3
    assert "0 cards to draw from" in result.stderr


def test_hand(run: Run) -> None:
    first = run("deck", "hand", LEGAL, "--seed", "7", "--hands", "2")
    assert first.exit_code == 0
    assert first.stdout == run("deck", "hand", LEGAL, "--seed", "7", "--hands", "2").stdout
    assert first.stdout.count("\nhand ") == 2
    # The same on every Python, or a seed is worth nothing.
    data = run("deck", "hand", LEGAL, "--seed", "7", "--json").json["data"]
    assert [card.removeprefix("hyper-colosseum/") for card in data["hands"][0]["cards"]] == [
        "St-3", "St-49", "St-6", "St-49", "St-56", "St-4",
    ]  # fmt: skip


def test_a_hand_without_a_seed_can_be_dealt_again(run: Run) -> None:
    dealt = run("deck", "hand", LEGAL, "--json").json["data"]
    again = run("deck", "hand", LEGAL, "--json", "--seed", str(dealt["seed"])).json["data"]
    assert dealt == again


def test_hands_that_go_back(run: Run) -> None:
    data = run(
        "deck", "hand", EXAMPLES / "alpha-legal.txt", "--seed", "1", "--hands", "200", "--json"
    ).json["data"]
    back = [hand for hand in data["hands"] if hand["put_back"]]
    assert back
    assert all((hand["again"] is not None) == hand["put_back"] for hand in data["hands"])
    mulligan = run("deck", "hand", EXAMPLES / "dcg-legal.txt", "--seed", "1").stdout
    assert "if put back" in mulligan


def test_diff(run: Run, write: Write) -> None:
    one = write("one.txt", "# format: hyper-colosseum\n3 St-1\n2 St-2\n1 St-3\n")
    other = write(
        "other.yaml",
        "format: hyper-colosseum\ncards:\n  - 2 Agumon (St-1)\n  - 1 Sx-6\n  - 3 St-2\n",
    )
    result = run("deck", "diff", one, other)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "by card:",
        "   -1  St-1 Agumon   3 -> 2",
        "   -1  St-3 Piyomon  1 -> 0",
        "   +1  St-2 Greymon  2 -> 3",
        "   +1  Sx-6 Agumon   0 -> 1",
        "by name:",
        "   -1  Piyomon  1 -> 0",
        "   +1  Greymon  2 -> 3",
        "2 cards out, 2 in",
    ]


def test_diff_of_the_same_cards(run: Run, write: Write) -> None:
    one = write("one.txt", "# format: hyper-colosseum\n3 St-1\n1 アグモン St-1\n")
    other = write("other.txt", "# format: hyper-colosseum\nAgumon (St-1) x4\n")
    result = run("deck", "diff", one, other)
    assert result.exit_code == 0
    assert "by card: the same\nby name: the same\n" in result.stdout
    assert run("deck", "diff", one, other, "--json").json["data"]["by_card"] == []


@pytest.mark.parametrize("form", ["csv", "cockatrice", "lackey", "yaml", "text"])
def test_diff_of_two_forms(run: Run, tmp_path: Path, form: str) -> None:
    other = tmp_path / "other"
    assert run("deck", "convert", LEGAL, "--to", form, "--out", other).exit_code == 0
    game = ("--format", "hyper-colosseum")
    assert run("deck", "diff", LEGAL, other, *game).exit_code == 0
    assert (
        run("deck", "diff", EXAMPLES / LEGAL.name.replace("legal", "illegal"), other).exit_code == 1
    )


def test_diff_of_what_cannot_be_read(run: Run, write: Write) -> None:
    result = run("deck", "diff", LEGAL, write("empty.txt", ""))
    assert result.exit_code == 3
    assert run("deck", "diff", "-", "-", stdin="3 St-1").exit_code == 2


@pytest.mark.parametrize("command", ["show", "odds", "hand"])
def test_every_example_deck(run: Run, command: str) -> None:
    for deck in sorted(EXAMPLES.iterdir()):
        result = run("deck", command, deck)
        assert result.exit_code == 0, deck
        assert result.stdout


def test_odds_of_too_many_targets_together(run: Run, write: Write) -> None:
    numbers = [f"St-{number}" for number in range(1, 14)]
    deck = write("deck.txt", "# format: hyper-colosseum\n" + "\n".join(f"1 {n}" for n in numbers))
    options = [part for number in numbers for part in ("--card", number)]
    words = ("deck", "odds", deck, "--turn", "1")
    alone = run(*words, *options)
    assert alone.exit_code == 0, alone.output
    together = run(*words, *options, "--together")
    assert together.exit_code == 3
    assert "13 targets are too many to be counted together" in together.stderr
    assert run(*words, *options[:8], "--together").exit_code == 0


@pytest.mark.parametrize("command", [("odds", "--replace", "all", "--turn", "99"), ("hand",)])
def test_a_deck_of_absurd_size_is_refused(command: tuple[str, ...], run: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: hyper-colosseum\n" + "99 St-1\n" * 900)
    result = run("deck", command[0], deck, *command[1:])
    assert result.exit_code == 3
    assert "89,100 cards are too many to shuffle" in result.stderr
    assert "at most" in result.stderr


def test_a_picture_is_not_written_under_the_name_of_another_kind(run: Run, tmp_path: Path) -> None:
    refused = run("deck", "show", LEGAL, "--svg", tmp_path / "deck.png")
    assert refused.exit_code == 3
    assert "deck.svg" in refused.stderr
    assert not list(tmp_path.glob("deck.*"))
    assert run("deck", "show", LEGAL, "--svg", tmp_path / "deck").exit_code == 0
    assert (tmp_path / "deck").read_text("utf-8").startswith("<svg")


def test_a_target_that_no_card_is_gives_a_command_that_works(run: Run) -> None:
    told = run("deck", "odds", LEGAL, "--card", "Nosuch").stderr
    assert "no card of hyper-colosseum has the number or name 'Nosuch'" in told
    assert "digideck find PART -g hyper-colosseum" in told
    other = run("deck", "odds", LEGAL, "--card", "Dα-065").stderr
    assert "it is a card of alpha" in other
