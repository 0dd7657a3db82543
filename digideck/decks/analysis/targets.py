"""What a player hopes to draw, as options name it: cards, names, levels, queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from digideck.catalog.advice import no_card
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import meant_by
from digideck.core.codes import Code
from digideck.core.names import limit_key, search_key
from digideck.core.numbers import number_key
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import no_such
from digideck.decks.analysis.card_counts import CardCount, in_order
from digideck.decks.analysis.odds import Target
from digideck.schema.games.game import Game

_NUMBER_OF = re.compile(r"([1-9][0-9]?)\s*[xX×]\s+(?=\S)")


class TargetFinder:
    """Finds targets among the cards of one deck. Each raises InputError for what it cannot read.

    A text may begin with its own number: "2x St-1".
    """

    def __init__(
        self, index: CardIndex, game: Game, cards: Sequence[CardCount], file: str, at_least: int
    ) -> None:
        self.index = index
        self.game = game
        self.cards = cards
        self.file = file
        self.at_least = at_least

    def of_ids(self, label: str, ids: Iterable[int], at_least: int = 0) -> Target:
        """Cards by their ids, which is what every other way of naming them comes down to."""
        held = {card.id for card in self.cards}
        return Target(label, at_least or self.at_least, frozenset(held.intersection(ids)))

    def card(self, text: str) -> Target:
        """One card, by its number, or by a name that only one card of the deck has."""
        number, text = self._number(text)
        meant = meant_by(self.index, text, self.game.code).cards
        known = {card.id for card in meant if card.game == self.game.code}
        found = [card for card in self.cards if card.id in known or _is_written(card, text)]
        if len(found) > 1:
            raise self._ambiguous(text, found)
        if found:
            return self.of_ids(found[0].title, [found[0].id], number)
        if not known:
            raise self._unknown("number or name", text)
        return self.of_ids(meant[0].title if len(meant) == 1 else text, (), number)

    def name(self, text: str) -> Target:
        """All cards that count as one name for the limit on copies."""
        number, text = self._number(text)
        named = self.index.by_name(text, self.game.code)
        keys = {card.limit_key for card in named if card.limit_key}
        keys |= {search_key(text), limit_key(text, kind="Digimon", folds_x_antibody=self._folds)}
        found = [card for card in self.cards if keys & card.name_keys]
        if not found and not named:
            raise self._unknown("name", text)
        return self.of_ids(text, (card.id for card in found), number)

    @property
    def _folds(self) -> bool:
        return self.game.folds_x_antibody

    def level(self, text: str) -> Target:
        """All cards of a level, by any of its words."""
        number, text = self._number(text)
        level = self.game.word_of.get(search_key(text))
        if level not in self.game.levels:
            message = f"no level of {self.game.code} is called {text!r}"
            raise no_such(Code.UNKNOWN_LEVEL, message, text, self.game.levels)
        found = (card.id for card in self.cards if card.level == level)
        return self.of_ids(f"level {level}", found, number)

    def query(self, text: str) -> Target:
        """All cards that a query of ``find`` finds."""
        from digideck.catalog.query import search  # start-up

        number, text = self._number(text)
        return self.of_ids(text, search(self.index, text)[1], number)

    def every_level(self) -> list[Target]:
        """A target for each level in the deck, when nothing else is asked for."""
        levels = in_order((card.level for card in self.cards), self.game.levels)
        return [self.level(level) for level in levels if level is not None]

    def _number(self, text: str) -> tuple[int, str]:
        match = _NUMBER_OF.match(text)
        return (int(match[1]), text[match.end() :]) if match else (0, text)

    def _ambiguous(self, text: str, found: Sequence[CardCount]) -> InputError:
        titles = ", ".join(card.key for card in found)
        return input_error(
            Code.CARD_AMBIGUOUS,
            f"{text!r} can be {len(found)} cards of the deck: {titles}",
            file=self.file,
            next_step=f'write one of the numbers, or --name "{text}" for all that count as one',
        )

    def _unknown(self, what: str, text: str) -> InputError:
        problem = no_card(self.index, text, self.game.code)
        return InputError(
            replace(problem, message=f"no card of {self.game.code} has the {what} {text!r}")
        )


def _is_written(card: CardCount, text: str) -> bool:
    """Whether a card that is not in the database is written like this in the deck."""
    if card.card is not None:
        return False
    number = card.title.split(" ", maxsplit=1)[0]
    return search_key(text) == search_key(card.name) or number_key(text) == number_key(number)
