"""Which formats keep a card out, or allow fewer copies of it than the game does."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from digideck.catalog.cards import Card
from digideck.core.problems import Problem, Severity
from digideck.decks.matched_deck import Entry, MatchedDeck
from digideck.decks.model import MAIN, Deck, DeckLine
from digideck.decks.rules.rule import Format
from digideck.decks.rules.rule_files import FormatTable
from digideck.schema.games.game import Game

_ABOUT_ONE_CARD = frozenset({"pool", "limits"})
_PLENTY = 99


def limits_on(card: Card, game: Game, formats: FormatTable) -> Iterator[tuple[Format, str]]:
    """Each format of the card's game that limits it, with what it says of it today."""
    line = DeckLine(_PLENTY, card.written_number, card.written_number, card.name)
    entry = Entry(line, (card,), frozenset({card.limit_key or ""}), MAIN)
    deck = MatchedDeck(Deck("", (line,)), game, (entry,), (), datetime.date.today().isoformat())
    for rules in formats.of_game(game.code):
        for rule in rules.rules:
            if rule.check in _ABOUT_ONE_CARD:
                for problem in rule.run(deck, rule):
                    yield rules, _told(problem)


def _told(problem: Problem) -> str:
    if problem.allowed == 0:
        unsure = problem.severity is not Severity.ERROR
        return "not known whether it is in the card pool" if unsure else _why(problem)
    return f"{problem.allowed} allowed: {problem.rule}"


def _why(problem: Problem) -> str:
    banned = "banned" in problem.message
    return "banned" if banned else f"outside the card pool: {problem.rule}"
