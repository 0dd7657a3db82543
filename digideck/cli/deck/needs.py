"""What the commands share that hold decks against the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from digideck.catalog.cards import CardIndex
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report
from digideck.collection.allocation import Needs, Supply, deal
from digideck.collection.ledger import counts
from digideck.core.problems import FixAction, Severity
from digideck.decks.analysis.needs import DeckNeeds, Need, needs_of
from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.read_deck import read_deck
from digideck.decks.rules.rule_files import FormatTable
from digideck.decks.rules.verdict import Judge


class DeckReader:
    """Reads deck files into what they take, reporting those that cannot be read."""

    def __init__(
        self, report: Report, index: CardIndex, *, format_name: str, encoding: str, exact: bool
    ) -> None:
        formats = FormatTable(index.connection, index.games)
        if format_name:
            formats.get(format_name)
        self.report = report
        self.index = index
        self.judge = Judge(index, formats)
        self.words = DeckVocabulary(index.games.values())
        self.format_name = format_name
        self.encoding = encoding
        self.exact = exact

    def read(self, paths: Iterable[str]) -> list[DeckNeeds]:
        """The decks that can be read; for others the exit code is UNUSABLE."""
        found = []
        for path in paths:
            deck = read_deck(path, self.words, self.encoding or None)
            needs = needs_of(
                deck, self.judge, self.index, self.format_name or None, exact=self.exact
            )
            for problem in needs.problems:
                # A card that is not known is missing, which is said there.
                unknown = problem.fix is not None and problem.fix.action is FixAction.IMPORT
                if not unknown and problem.severity is not Severity.NOTE:
                    self.report.problem(problem)
            if needs.format is None:
                self.report.exit_code = Exit.UNUSABLE
            else:
                found.append(needs)
        return found


def as_needs(decks: Iterable[DeckNeeds]) -> Needs:
    """The needs of decks as numbers, for dealing out copies."""
    return [(need.count, [card.id for card in need.cards]) for deck in decks for need in deck.needs]


def dealt(index: CardIndex, decks: Sequence[DeckNeeds]) -> Supply:
    """What is owned, dealt out to decks that are built at once."""
    needs = as_needs(decks)
    return deal(needs, counts(index.connection, (card for _, cards in needs for card in cards)))


def deck_json(deck: DeckNeeds, supply: Supply, first: int, names: dict[int, str]) -> dict[str, Any]:
    """A deck with its lines for scripts. ``first``: the place of its first need."""
    lines = [
        {
            "line": need.entry.line.line,
            "card": need.shown,
            "known": bool(need.cards),
            "count": need.count,
            "missing": supply.missing(place),
            "from": [
                {"card": names[card], "count": count} for card, count in supply.given[place].items()
            ],
        }
        for place, need in enumerate(deck.needs, start=first)
    ]
    missing = sum(supply.missing(first + place) for place in range(len(deck.needs)))
    return {
        "file": deck.deck.file,
        "format": deck.format.code if deck.format else None,
        "cards": deck.cards,
        "missing": missing,
        "lines": lines,
    }


def card_keys(decks: Iterable[DeckNeeds]) -> dict[int, str]:
    """The keys of all cards that would serve, by id."""
    return {card.id: card.key for deck in decks for need in deck.needs for card in need.cards}


def say_missing(
    report: Report, deck: DeckNeeds, supply: Supply, first: int, most: int | None = None
) -> None:
    """The cards that a deck is without, ``most`` lines of them."""
    lines = [
        f"  {supply.missing(place)} of {need.count} x {need.shown}{_others(need)}{_line(need)}"
        for place, need in enumerate(deck.needs, start=first)
        if supply.missing(place)
    ]
    for line in lines[:most]:
        report.say(line)
    if len(lines) > len(lines[:most]):
        report.say(f"  and {len(lines) - len(lines[:most])} more lines (--all)")


def _line(need: Need) -> str:
    line = need.entry.line.line
    return f", line {line}" if line else ""


def _others(need: Need) -> str:
    if not need.cards:
        return " (not in the database)"
    others = len(need.cards) - 1
    return f" (or {others} other printings)" if others > 1 else " (or 1 other)" if others else ""
