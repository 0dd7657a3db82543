"""What can be done with decks, without a command line: values in, values out."""

from __future__ import annotations

from pathlib import Path

import pytest

from digideck.core.problems import InputError
from digideck.core.results import Answer, to_json
from digideck.operations.decks.check_decks import CheckedDeck, check_decks
from digideck.operations.decks.compare_decks import compare_decks
from digideck.operations.decks.convert_decks import FORMS, convert_decks
from digideck.operations.decks.deck_request import DeckRequest
from digideck.operations.decks.draw_cards import OddsWanted, compute_odds, deal_hands
from digideck.operations.decks.missing_cards import buildable_decks, missing_cards
from digideck.operations.decks.show_decks import show_decks
from digideck.operations.decks.trace_lines import trace_lines
from tests.conftest import Write

EXAMPLES = Path(__file__).parents[3] / "examples" / "decks"
LEGAL = str(EXAMPLES / "hyper-colosseum-legal.txt")
ILLEGAL = str(EXAMPLES / "hyper-colosseum-illegal.txt")


def test_decks_of_a_folder_are_kept_or_told_as_they_come(built: Path) -> None:
    request = DeckRequest([str(EXAMPLES)])
    kept = check_decks(request, as_of="2026-11-29", db=built)
    told: list[CheckedDeck] = []
    passed_on = check_decks(request, as_of="2026-11-29", tell=told.append, db=built)
    assert tuple(told) == kept.decks
    assert passed_on.decks == ()
    assert passed_on.summary == kept.summary
    assert sum(kept.summary.values()) == len(kept.decks) == len(list(EXAMPLES.iterdir()))
    assert kept.answer is Answer.NO
    by_workers = check_decks(request, as_of="2026-11-29", workers=2, db=built)
    assert by_workers == kept


def test_a_deck_is_shown_and_traced(built: Path, tmp_path: Path) -> None:
    picture = tmp_path / "deck.svg"
    (shown,) = show_decks(DeckRequest([LEGAL]), svg=picture, db=built).decks
    (traced,) = trace_lines(DeckRequest([LEGAL]), built).decks
    assert (shown.cards, shown.svg, picture.is_file()) == (30, picture, True)
    assert sum(card.count for card in traced.cards) == 30
    assert {step.source for step in traced.steps} <= {card.card for card in traced.cards}


@pytest.mark.parametrize("operation", [show_decks, trace_lines, missing_cards])
def test_a_deck_that_cannot_be_used_stops_no_other(operation: object, built: Path) -> None:
    done = operation(DeckRequest(["no-such-file.txt", LEGAL]), db=built)  # type: ignore[operator]
    assert (len(done.decks), done.answer) == (1, Answer.UNUSABLE)
    assert [problem.file for problem in done.problems] == ["no-such-file.txt"]


def test_what_needs_every_deck_is_refused_without_one(built: Path) -> None:
    for operation in (compare_decks, deal_hands):
        with pytest.raises(InputError):
            operation(DeckRequest([LEGAL, "no-such-file.txt"]), db=built)
    with pytest.raises(InputError):
        compute_odds(DeckRequest(["no-such-file.txt"]), OddsWanted(), db=built)


def test_two_decks_are_compared(built: Path) -> None:
    same = compare_decks(DeckRequest([LEGAL, LEGAL]), built)
    assert (same.answer, same.by_card) == (Answer.OK, ())
    other = compare_decks(DeckRequest([LEGAL, ILLEGAL]), built)
    assert other.answer is Answer.NO
    assert sum(change.by for change in other.by_card) == other.after.cards - other.before.cards


def test_odds_and_hands_are_of_one_shuffled_deck(built: Path) -> None:
    progress: list[float | None] = []
    odds = compute_odds(
        DeckRequest([LEGAL]),
        OddsWanted(levels=["III"], turns=2),
        progress=lambda _, share: progress.append(share),
        db=built,
    )
    hands = deal_hands(DeckRequest([LEGAL]), seed=7, hands=2, db=built)
    assert odds.deck == hands.deck
    assert progress
    assert to_json(odds)["shuffled"] == odds.deck.shuffled
    for row in odds.rows:
        assert [chance.turn for chance in row.chances] == [0, 1, 2]
        assert row.chances[0].chance <= row.chances[-1].chance
    assert [len(hand.cards) for hand in hands.hands] == [odds.deck.hand] * 2


@pytest.mark.parametrize("form", FORMS)
def test_a_conversion_is_read_again_as_the_same_deck(
    form: str, built: Path, tmp_path: Path
) -> None:
    source = EXAMPLES / "dcg-legal.txt"
    done = convert_decks(DeckRequest([str(source)]), form, out=tmp_path, db=built)
    if done.answer is not Answer.OK:
        assert done.decks == ()
        return
    (deck,) = done.decks
    assert deck.out is not None
    assert deck.out.read_text("utf-8") == deck.text
    again = compare_decks(DeckRequest([str(source), str(deck.out)], "dcg"), built)
    assert again.by_card == ()


def test_what_is_missing_is_told_card_by_card(built: Path, write: Write, tmp_path: Path) -> None:
    write("one.txt", "# format: hyper-colosseum\n3 St-1\n1 No Such Card\n")
    found = missing_cards(DeckRequest([str(tmp_path)]), db=built)
    (deck,) = found.decks
    assert (found.answer, found.missing, deck.missing) == (Answer.NO, 4, 4)
    assert [(line.card, line.known) for line in deck.lines] == [
        ("St-1 Agumon", True),
        ("No Such Card", False),
    ]
    buildable = buildable_decks(str(tmp_path), DeckRequest(()), db=built)
    assert (buildable.decks, buildable.complete) == (found.decks, 0)
