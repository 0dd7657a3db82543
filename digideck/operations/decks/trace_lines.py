"""Evolution lines of decks: what can evolve from what, and what never comes into play."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.evolution import Evolution
from digideck.core.problems import Problem
from digideck.core.results import Answer, json_field
from digideck.decks.analysis.lines import EvolutionLines, evolution_lines, graphviz, mermaid, tree
from digideck.decks.matched_deck import MatchedDeck
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read

GRAPHS = {"mermaid": mermaid, "dot": graphviz}


@dataclass(frozen=True, slots=True)
class LineCard:
    """A card of a deck. ``playable`` says whether it can come into play ("yes", "no",
    "unknown"), ``reason`` why it cannot, or why that is not known.
    """

    card: str
    name: str
    level: str | None
    count: int
    playable: str
    reason: str | None
    evolves_from: tuple[str, ...]
    title: str = json_field(None, default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStep:
    """One card can evolve into another; ``lacking`` are needs that the deck does not meet."""

    source: str = json_field("from")
    target: str = json_field("to")
    way: str
    kind: str | None
    lacking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeckLines:
    """The lines of a deck, lowest level first. ``drawing`` is them as text: a tree, or
    for a drawing program.
    """

    file: str
    cards: tuple[LineCard, ...]
    steps: tuple[LineStep, ...]
    drawing: tuple[str, ...] = json_field(None, default=())


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
def trace_lines(request: DeckRequest, graph: str = "", db: Path | None = None) -> TracedLines:
    """The evolution lines of decks; drawn as a ``graph`` of GRAPHS, else as a tree."""
    reader = request.reader(open_to_read(db))
    read = [reader.match(path) for path in request.decks]
    decks = tuple(_of_deck(deck.matched, graph) for deck in read if deck.matched)
    problems = tuple(problem for deck in read for problem in deck.problems)
    return TracedLines(decks, len(decks) == len(read), problems)


def _of_deck(deck: MatchedDeck, graph: str) -> DeckLines:
    lines = evolution_lines(deck, Evolution(deck.game))
    return DeckLines(
        deck.deck.file, _cards(lines), _steps(lines), tuple(GRAPHS.get(graph, tree)(lines))
    )


def _cards(lines: EvolutionLines) -> tuple[LineCard, ...]:
    return tuple(
        LineCard(
            member.card.key,
            member.card.name,
            member.card.level,
            member.count,
            member.playable.name.lower(),
            member.reason or None,
            tuple(way.text for way in member.ways),
            member.card.title,
        )
        for member in lines.members
    )


def _steps(lines: EvolutionLines) -> tuple[LineStep, ...]:
    keys = [member.card.key for member in lines.members]
    return tuple(
        LineStep(
            source=keys[step.source],
            target=keys[step.target],
            way=step.way.text,
            kind=step.way.kind,
            lacking=step.lacking,
        )
        for step in lines.steps
    )
