"""What decks take that is not owned: built at once, or each of a folder by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.cards import CardIndex
from digideck.collection.allocation import allocate
from digideck.collection.ledger import counts
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.results import Answer, json_field
from digideck.core.text import pluralize
from digideck.decks.analysis.needs import CardNeed, DeckNeeds, deck_files, needs_of
from digideck.decks.deck_reader import deck_paths
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True, slots=True)
class CopiesGiven:
    """Copies of a card that are owned and serve."""

    card: str
    count: int


@dataclass(frozen=True, slots=True)
class NeededCard:
    """A line of a deck: its copies, those that are missing, and where the others are from.

    ``others`` is how many more cards would serve.
    """

    line: int | None
    card: str
    known: bool
    count: int
    missing: int
    given: tuple[CopiesGiven, ...] = json_field("from")
    others: int = json_field(None, default=0)


@dataclass(frozen=True, slots=True)
class DeckShortage:
    """What a deck takes and lacks."""

    file: str
    format: str
    cards: int
    missing: int
    lines: tuple[NeededCard, ...]


@dataclass(frozen=True, slots=True)
class MissingCards:
    """What decks lack that are built at once."""

    decks: tuple[DeckShortage, ...]
    missing: int
    complete: bool = json_field(None)  # whether every deck could be used
    problems: tuple[Problem, ...] = json_field(None, default=())

    @property
    def answer(self) -> Answer:
        """No where cards are missing."""
        return _answer(self.complete, self.missing)


@dataclass(frozen=True, slots=True)
class BuildableDecks:
    """Decks each for itself: those that lack the fewest cards first."""

    decks: tuple[DeckShortage, ...]
    complete: int
    usable: bool = json_field(None)  # whether there are decks, and every one could be used
    problems: tuple[Problem, ...] = json_field(None, default=())

    @property
    def answer(self) -> Answer:
        """No where a deck lacks cards."""
        return _answer(self.usable, len(self.decks) - self.complete)


def _answer(usable: bool, missing: int) -> Answer:
    if not usable:
        return Answer.UNUSABLE
    return Answer.NO if missing else Answer.OK


@closing_connections()
def missing_cards(
    request: DeckRequest, *, exact: bool = False, db: Path | None = None
) -> MissingCards:
    """What the decks of a request lack that share what is owned, allocated so that the
    fewest cards are missing. ``exact``: only the very number serves where one is written.
    """
    reader = request.reader(open_to_read(db))
    needs = needs_of(reader, deck_paths(request.decks), exact=exact)
    decks = tuple(_shortages(reader.index, needs.decks, needs.wanted))
    missing = sum(deck.missing for deck in decks)
    return MissingCards(decks, missing, needs.complete, needs.problems)


@closing_connections()
def buildable_decks(
    folder: str, request: DeckRequest, *, exact: bool = False, db: Path | None = None
) -> BuildableDecks:
    """What each deck in a folder lacks by itself, from all that is owned."""
    reader = request.reader(open_to_read(db))
    paths, others = deck_files(folder)
    needs = needs_of(reader, paths, exact=exact)
    problems = [*needs.problems]
    if others:
        message = f"{pluralize(len(others), 'file')} skipped: the name is not a deck's"
        problems.insert(0, Problem(Code.NOT_DECKS, Severity.NOTE, message, have=len(others)))
    if not paths:
        message = "no deck file in this folder"
        problems.append(Problem(Code.NO_DECKS, Severity.ERROR, message, folder))
    wanted = iter(needs.wanted)
    decks: list[DeckShortage] = []
    for deck in needs.decks:
        alone = [next(wanted) for _ in deck.needs]
        decks += _shortages(reader.index, [deck], alone)
    decks.sort(key=lambda deck: (deck.missing, deck.file))
    complete = sum(not deck.missing for deck in decks)
    usable = needs.complete and bool(paths)
    return BuildableDecks(tuple(decks), complete, usable, tuple(problems))


def _shortages(
    index: CardIndex, decks: Sequence[DeckNeeds], wanted: Sequence[tuple[int, Sequence[int]]]
) -> Iterator[DeckShortage]:
    """What decks lack that are built at once."""
    allocation = allocate(
        wanted, counts(index.connection, (card for _, ids in wanted for card in ids))
    )
    place = 0
    for deck in decks:
        lines = []
        for need in deck.needs:
            lines.append(_needed(need, allocation.given[place], allocation.missing(place)))
            place += 1
        missing = sum(line.missing for line in lines)
        yield DeckShortage(deck.file, deck.format, deck.cards, missing, tuple(lines))


def _needed(need: CardNeed, given: dict[int, int], missing: int) -> NeededCard:
    keys = {card.id: card.key for card in need.cards}
    return NeededCard(
        need.entry.line.line,
        need.shown,
        bool(need.cards),
        need.count,
        missing,
        tuple(CopiesGiven(keys[card], count) for card, count in given.items()),
        max(0, len(need.cards) - 1),
    )
