"""The cards that labels are made for: named, found by a query, taken by decks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from digideck.catalog.advice import several_cards
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import meant_by, not_one
from digideck.catalog.query import search
from digideck.collection.query_terms import collection_terms
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.results import Answer, answer_of
from digideck.decks.deck_reader import DeckReader, deck_paths


@dataclass
class CardsToLabel:
    """Every card once, in the order asked for; what is no card is a problem.

    There are none where a text can be any of several: the label of a guess would be linked.
    """

    index: CardIndex
    game: str | None
    problems: list[Problem] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    _meant: list[Sequence[Card]] = field(default_factory=list)

    @property
    def cards(self) -> list[Card]:
        """The cards that are asked for."""
        if any(len(cards) > 1 for cards in self._meant):
            return []
        return list({card.id: card for cards in self._meant for card in cards}.values())

    def add_named(self, texts: Sequence[str]) -> None:
        """The cards of these numbers and names."""
        for text in texts:
            meant = meant_by(self.index, text, self.game)
            if len(meant.cards) != 1:
                self._refuse(not_one(self.index, text, meant, self.game))
            self._meant.append(meant.cards)

    def add_found(self, query: str) -> None:
        """The cards that a query finds."""
        extra = collection_terms(self.index.connection)
        _, ids = search(self.index, query, extra, self.game)
        if not ids:
            self.answers.append(Answer.NO)
            self.problems.append(
                Problem(
                    Code.NOTHING_FOUND,
                    Severity.ERROR,
                    f"no card matches {query!r}",
                    next_step="the words are those of digideck find; a game is asked for with "
                    "game:alpha, or with -g outside the query",
                )
            )
        self._meant += [[card] for card in self.index.by_ids(ids)]

    def add_decks(self, paths: Sequence[str]) -> None:
        """The cards of decks."""
        reader = DeckReader(self.index.connection)
        for path in deck_paths(paths):
            read = reader.match(path)
            self.problems += read.problems
            if read.matched is None or read.matched.unknown:
                self.answers.append(Answer.UNUSABLE)
            asked = set()  # about what is written: once, at its first line
            for entry in read.matched.entries if read.matched else ():
                if len(entry.candidates) > 1 and entry.line.shown not in asked:
                    asked.add(entry.line.shown)
                    problem = several_cards(entry.line.shown, entry.candidates)
                    error = InputError(problem).at(read.deck.file, entry.line.line)
                    self._refuse(*error.problems)
                self._meant.append(entry.candidates)

    def _refuse(self, *problems: Problem) -> None:
        self.problems += problems
        self.answers.append(answer_of(problems))
