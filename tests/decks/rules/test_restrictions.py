"""The 2020 game's restrictions: each in force from its day to the day before it ends."""

from __future__ import annotations

import csv
import datetime
from pathlib import Path

import pytest

from digideck.catalog.cards import CardIndex
from digideck.core.strict_yaml import load
from digideck.decks.model import Deck, DeckLine, Occasion
from digideck.decks.rules.card_restrictions import Restriction, restrictions_on
from digideck.decks.rules.rule_files import FormatTable
from digideck.decks.rules.verdict import Judge
from digideck.schema.data_folder import DATA

# The English list to August 2026, reviewed against the published events.
with Path(__file__).with_name("restrictions.csv").open(encoding="utf-8", newline="") as file:
    RESTRICTIONS = list(csv.DictReader(file))


def rules() -> dict[str, dict[str, object]]:
    game = load((DATA / "games" / "dcg.yaml").read_text("utf-8"), "dcg.yaml").as_plain()
    return {rule["id"]: rule for rule in game["formats"]["dcg"]["rules"]}


def broken(
    index: CardIndex, day: str, *copies: tuple[str, int], region: str = "", severity: str = "error"
) -> set[str]:
    lines = tuple(DeckLine(count, number, number) for number, count in copies)
    judge = Judge(index, FormatTable(index.connection, index.games), Occasion(day, region))
    verdict = judge.verdict(Deck("deck.txt", lines), "dcg")
    return {p.public_code for p in verdict.problems if p.severity == severity} - {"deck-size"}


def day_before(day: str) -> str:
    return (datetime.date.fromisoformat(day) - datetime.timedelta(days=1)).isoformat()


def test_the_rule_file_has_every_restriction_and_no_other() -> None:
    listed = {
        (entry["card"], entry["most"], entry["from"], entry.get("until", ""))
        for entry in rules()["restrictions"]["cards"]  # type: ignore[attr-defined]
        if "warns" not in entry and "region" not in entry
    }
    assert listed == {tuple(row.values()) for row in RESTRICTIONS}


@pytest.mark.parametrize("row", RESTRICTIONS, ids=lambda row: f"{row['card']}-{row['from']}")
def test_a_restriction_counts_from_its_first_day_to_its_last(
    row: dict[str, str], index: CardIndex
) -> None:
    one_more = (row["card"], int(row["most"]) + 1)
    assert broken(index, row["from"], one_more) == {"restrictions"}
    assert broken(index, day_before(row["from"]), one_more) == set()
    if int(row["most"]):
        assert broken(index, row["from"], (row["card"], int(row["most"]))) == set()
    if row["until"]:
        assert broken(index, day_before(row["until"]), one_more) == {"restrictions"}
        assert broken(index, row["until"], one_more) == set()


@pytest.mark.parametrize(
    ("day", "copies", "errors", "unknown"),
    [
        pytest.param("2023-10-27", ("ST6-03", 2), {"restrictions"}, set(), id="on-its-list"),
        pytest.param("2023-10-26", ("ST6-03", 2), set(), set(), id="the-day-before"),
        pytest.param("2024-09-01", ("ST6-03", 2), {"restrictions"}, set(), id="not-lifted-there"),
        pytest.param("2023-10-27", ("BT7-086", 4), set(), set(), id="lifted-three-weeks-earlier"),
        pytest.param("2024-01-01", ("BT5-109", 1), set(), {"restrictions"}, id="only-elsewhere"),
    ],
)
def test_japan_has_a_list_of_its_own(
    day: str, copies: tuple[str, int], errors: set[str], unknown: set[str], index: CardIndex
) -> None:
    """What only the English list has is neither allowed nor banned there: it is not recorded."""
    assert broken(index, day, copies, region="ja") == errors
    assert broken(index, day, copies, region="ja", severity="unknown") == unknown


def test_a_pair_may_be_banned_in_one_region(index: CardIndex) -> None:
    pair = (("EX5-065", 1), ("P-097", 1))
    assert broken(index, "2025-01-01", *pair, region="ja") == {"banned-pairs"}
    assert broken(index, "2025-01-01", *pair) == set()
    assert broken(index, "2025-01-01", *pair, severity="unknown") == {"banned-pairs"}


@pytest.mark.parametrize(
    ("first", "second", "since"),
    [
        ("EX2-007", "EX7-064", "2025-03-28"),
        ("BT20-037", "BT17-035", "2025-09-01"),
        ("BT20-037", "EX8-037", "2025-09-01"),
    ],
)
def test_one_card_of_a_banned_pair_alone_is_legal(
    first: str, second: str, since: str, index: CardIndex
) -> None:
    assert broken(index, since, (first, 4), (second, 1)) == {"banned-pairs"}
    assert broken(index, day_before(since), (first, 4), (second, 4)) == set()
    assert broken(index, since, (first, 4)) == broken(index, since, (second, 4)) == set()


def test_no_restriction_is_older_than_the_set_of_its_card(index: CardIndex) -> None:
    for row in RESTRICTIONS:
        (card,) = index.by_number(row["card"], "dcg")
        released = [entry.released for entry in card.printings if entry.released]
        assert all(row["from"] >= date for date in released), f"{row['card']}: {released}"


@pytest.mark.parametrize("number", ["P-029", "P-030"])
def test_what_only_some_lists_restrict_is_said_not_judged(number: str, index: CardIndex) -> None:
    judge = Judge(index, FormatTable(index.connection, index.games), Occasion("2026-11-29"))
    verdict = judge.verdict(Deck("deck.txt", (DeckLine(2, number, number),)), "dcg")
    (said,) = [p for p in verdict.problems if p.public_code == "restrictions"]
    assert said.severity == "warning"
    assert "absent from the official one" in said.message


@pytest.mark.parametrize(
    ("key", "format_code", "expected"),
    [
        ("dcg/BT5-109", "dcg", Restriction.BANNED),
        ("dcg/EX1-068", "dcg", Restriction.RESTRICTED),
        ("dcg/P-029", "dcg", Restriction.RESTRICTED),
        ("hyper-colosseum/St-1", "hyper-colosseum-frontier", Restriction.OUTSIDE_POOL),
    ],
)
def test_a_restriction_is_told_apart_by_its_value(
    key: str, format_code: str, expected: Restriction, index: CardIndex
) -> None:
    game, number = key.split("/")
    card = index.by_number(number, game)[0]
    formats = FormatTable(index.connection, index.games)
    found = {entry.format: entry for entry in restrictions_on(card, index.games[game], formats)}
    assert found[format_code].restriction is expected
    assert (found[format_code].allowed > 0) == (expected is Restriction.RESTRICTED)
