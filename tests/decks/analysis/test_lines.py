"""Evolution lines of a deck: what evolves from what, and what never comes into play."""

from __future__ import annotations

import pytest

from digideck.catalog.cards import CardIndex
from digideck.catalog.evolution import Evolution
from tests.conftest import Run, Write


def lines_of(run: Run, write: Write, text: str, game: str) -> dict[str, dict[str, object]]:
    deck = write("deck.txt", f"# format: {game}\n{text}")
    result = run("deck", "lines", deck, "--json")
    assert result.exit_code == 0
    (found,) = result.json["data"]["decks"]
    cards = {card["card"].partition("/")[2]: card for card in found["cards"]}
    steps = {
        (step["from"].partition("/")[2], step["to"].partition("/")[2]) for step in found["steps"]
    }
    return {"cards": cards, "steps": steps}  # type: ignore[dict-item]


CASES = {
    "a plain line": ("1 St-1\n1 St-2", "hyper-colosseum", {("St-1", "St-2")}, {"St-2": "yes"}),
    "the lower one is missing": ("1 St-3\n1 St-2", "hyper-colosseum", set(), {"St-2": "no"}),
    "an Option that it takes": (
        "1 St-1\n1 St-2\n1 St-32\n1 St-59",
        "hyper-colosseum",
        {("St-1", "St-2"), ("St-2", "St-32")},
        {"St-32": "yes"},
    ),
    "without that Option": ("1 St-1\n1 St-2\n1 St-32", "hyper-colosseum", None, {"St-32": "no"}),
    "both of a Jogress": (
        "1 St-1\n1 St-2\n1 St-29\n1 St-30\n1 St-34\n1 St-59\n1 St-23\n1 St-25\n1 St-27",
        "hyper-colosseum",
        None,
        {"St-34": "yes"},
    ),
    "one of a Jogress": (
        "1 St-1\n1 St-2\n1 St-29\n1 St-34\n1 St-59",
        "hyper-colosseum",
        None,
        {"St-34": "no"},
    ),
    "X-Antibody as its base": (
        "1 DM-119\n1 DM-085",
        "alpha",
        {("DM-119", "DM-085")},
        {},
    ),
    "a bracket that is part of the name": ("1 Dα-121\n1 DM-020", "alpha", set(), {"DM-020": "no"}),
    "counts as another when evolving": (
        "1 Dα-065\n1 DM-012",
        "alpha",
        {("Dα-065", "DM-012")},
        {"DM-012": "yes"},
    ),
    "no data": ("1 ST-01\n1 ST-02", "digi-battle", set(), {}),
    "a colour and a level": (
        "1 ST1-01\n1 ST1-03\n1 ST1-07\n1 ST2-03",
        "dcg",
        {("ST1-01", "ST1-03"), ("ST1-03", "ST1-07")},
        {"ST1-07": "yes"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lines(name: str, run: Run, write: Write) -> None:
    text, game, steps, playable = CASES[name]
    found = lines_of(run, write, text, game)
    if steps is not None:
        assert found["steps"] == steps
    for number, answer in playable.items():
        assert found["cards"][number]["playable"] == answer, found["cards"][number]["reason"]


def test_what_is_only_a_phrase_cannot_be_told(run: Run, write: Write, index: CardIndex) -> None:
    evolution = Evolution(index.games["alpha"])
    cards = index.by_ids(index.all_ids("alpha"))
    card = next(
        card
        for card in cards
        if any(need.phrase for way in evolution.ways(card) for need in way.needs) and card.level
    )
    found = lines_of(run, write, f"1 {card.full_number}", "alpha")
    told = found["cards"][card.full_number]
    assert told["playable"] == "unknown"
    assert "cannot tell: Any " in str(told["reason"])


def test_the_tree_says_what_is_lacking_and_what_never_comes(run: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: hyper-colosseum\n3 St-1\n3 St-2\n2 St-32\n1 St-6")
    out = run("deck", "lines", deck).stdout
    assert "  3 St-1 Agumon, III\n  └─ 3 St-2 Greymon, IV\n     └─ 2 St-32 Skull Greymon" in out
    assert "(lacks Winning Percentage: 40%!)" in out
    assert "never comes into play, as far as the lists" in out
    assert "1 St-6 Garurumon: needs Gabumon + XX or Bakumon + X" in out


@pytest.mark.parametrize(
    ("graph", "first", "arrow"),
    [("mermaid", "flowchart LR", "n0 --> n1"), ("dot", "digraph deck {", "n0 -> n1;")],
)
def test_graphs(graph: str, first: str, arrow: str, run: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: hyper-colosseum\n3 St-1\n3 St-2")
    lines = run("deck", "lines", deck, "--graph", graph).stdout.splitlines()
    assert lines[0] == first
    assert any("3 x St-1 Agumon" in line for line in lines)
    assert f"    {arrow}" in lines
    assert run("deck", "lines", deck, "--graph", "ascii").exit_code == 2


def test_every_requirement_of_the_data_is_read(index: CardIndex) -> None:
    """Nothing breaks the reader, and all but a few phrases mean something."""
    needs = phrases = 0
    for card in index.by_ids(index.all_ids()):
        for way in Evolution(index.games[card.game]).ways(card):
            assert way.needs
            needs += len(way.needs)
            phrases += sum(need.phrase for need in way.needs)
    assert needs > 10_000
    assert phrases < needs / 100


def test_several_that_never_come_are_several(run: Run, write: Write) -> None:
    """Of the two that it needs, both are here and neither can be reached."""
    deck = write("deck.txt", "# format: hyper-colosseum\n1 St-34\n1 St-30\n")
    alone = run("deck", "lines", deck).stdout
    assert "(Piccolomon is here but does not come into play)" in alone
    deck.write_text(deck.read_text() + "1 St-29\n")
    both = run("deck", "lines", deck).stdout
    assert "are here but do not come into play)" in both
