"""What it takes to build a deck: so many copies of this card or of its like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.cards import Card, CardIndex
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import FixAction, Problem, input_error
from digideck.core.text import shown_path
from digideck.decks.deck_reader import DeckReader
from digideck.decks.matched_deck import DeckEntry

DECK_SUFFIXES = (".txt", ".yaml", ".yml", ".dek", ".deck", ".cod", ".json", ".csv", ".tsv", ".md")


@dataclass(frozen=True)
class CardNeed:
    """Copies of a card that one line asks for. ``cards`` would serve, the card itself
    first; none where the card is unknown.
    """

    entry: DeckEntry
    cards: tuple[Card, ...]

    @property
    def count(self) -> int:
        """The copies asked for."""
        return self.entry.count

    @property
    def shown(self) -> str:
        """The card as messages name it."""
        return self.entry.mention.card


@dataclass(frozen=True)
class DeckNeeds:
    """What a deck takes, in a format (its code)."""

    file: str
    format: str
    needs: tuple[CardNeed, ...]

    @property
    def cards(self) -> int:
        """The copies it takes in all."""
        return sum(need.count for need in self.needs)


@dataclass(frozen=True)
class DecksNeeds:
    """What several decks take, and whether all of them could be used."""

    decks: tuple[DeckNeeds, ...]
    problems: tuple[Problem, ...]
    complete: bool

    @property
    def wanted(self) -> list[tuple[int, list[int]]]:
        """Copies with the ids of the cards that serve, line after line and deck after deck."""
        needs = (need for deck in self.decks for need in deck.needs)
        return [(need.count, [card.id for card in need.cards]) for need in needs]


def needs_of(reader: DeckReader, paths: Iterable[str], *, exact: bool = False) -> DecksNeeds:
    """What the decks in files take.

    Where the format counts copies by name, any card printed with the name
    serves, unless ``exact``: then a line that gives a number means that number.
    """
    found, problems, complete = [], [], True
    for read in map(reader.match, paths):
        # A card that is not known is reported there as missing.
        problems += [entry for entry in read.problems if not entry.is_fixed_by(FixAction.IMPORT)]
        if read.matched is None or read.rules is None:
            complete = False
            continue
        by_name = read.rules.same_card == "name" and not exact
        needs = tuple(
            CardNeed(entry, _serving(entry, reader.index) if by_name else entry.candidates)
            for entry in read.matched.entries
        )
        found.append(DeckNeeds(read.deck.file, read.rules.code, needs))
    return DecksNeeds(tuple(found), tuple(problems), complete)


def _serving(entry: DeckEntry, index: CardIndex) -> tuple[Card, ...]:
    """The candidates of a line, then every card that is printed with the name of one.

    The X-Antibody that a game counts as its base is another card: it shares the
    limit, but nobody can play it for the base.
    """
    found = dict.fromkeys(entry.candidates)
    for card in entry.candidates:
        if card.names:
            key = search_key(card.name)
            alike = index.by_name(card.name, card.game)
            found |= dict.fromkeys(other for other in alike if search_key(other.name) == key)
    return tuple(found)


def deck_files(folder: str) -> tuple[list[str], list[str]]:
    """The deck files in a folder and those below it, and the files that are skipped.

    Raises InputError for what is not a folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise input_error(
            Code.NOT_A_FOLDER,
            "not a folder with deck files",
            file=shown_path(folder),
            next_step="for single decks: digideck deck missing DECK...",
        )
    decks: list[str] = []
    others: list[str] = []
    for path in sorted(root.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if not hidden and path.is_file():
            (decks if path.suffix.lower() in DECK_SUFFIXES else others).append(str(path))
    return decks, others
