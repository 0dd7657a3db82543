"""What decks are made of: their statistics, as values and as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.core.problems import Problem
from digideck.core.results import Answer, json_field
from digideck.decks.analysis.card_counts import first_choices
from digideck.decks.analysis.stats import DeckStats, stats_of
from digideck.files.atomic_write import form_by_ending, write_file
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read


@dataclass(frozen=True)
class ShownDeck(DeckStats):
    """The statistics of a deck, and the picture that was written of them."""

    svg: Path | None


@dataclass(frozen=True, slots=True)
class ShownDecks:
    """The decks that could be used."""

    decks: tuple[ShownDeck, ...]
    complete: bool = json_field(None)  # whether every deck could be used
    problems: tuple[Problem, ...] = json_field(None, default=())

    @property
    def answer(self) -> Answer:
        """Unusable where a deck could not be used."""
        return Answer.OK if self.complete else Answer.UNUSABLE


@closing_connections()
def show_decks(
    request: DeckRequest, *, svg: Path | None = None, force: bool = False, db: Path | None = None
) -> ShownDecks:
    """The statistics of decks; with ``svg`` also as a picture there, which with ``force``
    takes the place of another file. Raises InputError where it cannot be written.
    """
    if svg:
        form_by_ending(svg, {".svg": "svg"}, "svg")
    reader = request.reader(open_to_read(db))
    decks: list[ShownDeck] = []
    problems: list[Problem] = []
    for read in map(reader.match, request.decks):
        problems += read.problems
        if read.matched:
            problems += first_choices(read.matched)
            stats = stats_of(read.matched)
            if svg:
                from digideck.decks.analysis.stats_svg import picture  # start-up

                write_file(svg, picture(stats), force=force)
            decks.append(ShownDeck(**vars(stats), svg=svg))
    return ShownDecks(tuple(decks), len(decks) == len(request.decks), tuple(problems))
