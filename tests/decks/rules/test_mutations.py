"""Change any number in a rule file, and a deck of tests/decks is judged otherwise."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from digideck.catalog.cards import CardIndex
from digideck.core.problems import Severity
from digideck.core.strict_yaml import load
from digideck.decks.model import Deck, DeckVocabulary, Occasion
from digideck.decks.read_deck import read_deck
from digideck.decks.rules.rule_files import FormatTable
from digideck.decks.rules.verdict import Judge
from digideck.schema.data_folder import DATA

HERE = Path(__file__).parent.parent
DAY = Occasion("2026-11-29")
Places = tuple[str | int, ...]


def numbers_in(value: Any, place: Places = ()) -> Iterator[Places]:
    """The places of all whole numbers that rules count with."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if key in ("least", "most") and isinstance(entry, str):
                yield (*place, key)
            else:
                yield from numbers_in(entry, (*place, key))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from numbers_in(entry, (*place, number))


def shipped_numbers() -> list[tuple[str, Places]]:
    """Every number of every shipped format, those of long lists of cards aside."""
    found = []
    for path in sorted((DATA / "games").glob("*.yaml")):
        formats = load(path.read_text("utf-8"), path.name).as_plain().get("formats") or {}
        for code, definition in formats.items():
            found += [(code, place) for place in numbers_in(definition) if "cards" not in place]
    return found


def changed(definition: dict[str, Any], place: Places, by: int) -> dict[str, Any] | None:
    """The definition with one number changed; None where that is no number to count with."""
    copied = copy.deepcopy(definition)
    inner: Any = copied
    for step in place[:-1]:
        inner = inner[step]
    number = int(inner[place[-1]]) + by
    if number < 0:
        return None
    inner[place[-1]] = str(number)
    return copied


def outcome(judge: Judge, deck: Deck) -> tuple[str, frozenset[str]]:
    verdict = judge.verdict(deck)
    said = {p.public_code for p in verdict.problems if p.severity is not Severity.NOTE}
    return str(verdict.status), frozenset(said)


@pytest.fixture(scope="module")
def decks(words: DeckVocabulary) -> list[Deck]:
    paths = sorted(
        path for kind in ("legal", "illegal", "undecided") for path in (HERE / kind).glob("*")
    )
    return [read_deck(str(path), words) for path in paths]


@pytest.mark.parametrize("by", [1, -1])
@pytest.mark.parametrize(
    ("code", "place"),
    shipped_numbers(),
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value)),
)
def test_a_changed_number_changes_a_verdict(
    code: str, place: Places, by: int, index: CardIndex, decks: list[Deck]
) -> None:
    row = index.connection.execute(
        "SELECT definition FROM format WHERE code = ?", (code,)
    ).fetchone()
    definition = changed(json.loads(row["definition"]), place, by)
    if definition is None:
        return
    mutated = FormatTable(index.connection, index.games)
    mutated._definitions[code] = (mutated._definitions[code][0], definition)
    right = Judge(index, FormatTable(index.connection, index.games), DAY)
    wrong = Judge(index, mutated, DAY)
    own = [deck for deck in decks if deck.details.get("format") == code]
    try:
        assert any(outcome(right, deck) != outcome(wrong, deck) for deck in own), (
            f"no deck of {code} in tests/decks notices"
        )
    except AssertionError:
        raise
    except (
        Exception
    ) as error:  # a number that contradicts another is refused, which is notice enough
        assert "least is" in str(error)  # noqa: PT017
