"""Evolution lines of decks: what can evolve from what, and what never comes into play."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.core.problems import Problem
from digideck.core.results import Answer, json_field
from digideck.decks.analysis.lines import DeckLines, evolution_lines
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class TracedLines:
    """The lines of the decks that could be used."""

    decks: tuple[DeckLines, ...]
    complete: bool = json_field(None)  # whether every deck could be used
    problems: tuple[Problem, ...] = json_field(None, default=())

    @property
    def answer(self) -> Answer:
        """Unusable where a deck could not be used."""
        return Answer.OK if self.complete else Answer.UNUSABLE


@closing_connections()
def trace_lines(request: DeckRequest, db: Path | None = None) -> TracedLines:
    """The evolution lines of decks."""
    reader = request.reader(open_to_read(db))
    read = [reader.match(path) for path in request.decks]
    decks = tuple(evolution_lines(deck.matched) for deck in read if deck.matched)
    problems = tuple(problem for deck in read for problem in deck.problems)
    return TracedLines(decks, len(decks) == len(read), problems)
