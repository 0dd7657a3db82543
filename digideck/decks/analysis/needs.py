"""What it takes to build a deck: so many copies of this card or of its like."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.cards import Card, CardIndex
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, Problem, input_error
from digideck.core.text import shown_path
from digideck.decks.matched_deck import Entry
from digideck.decks.model import Deck
from digideck.decks.rules.rule import Format
from digideck.decks.rules.verdict import Judge

DECK_SUFFIXES = (".txt", ".yaml", ".yml", ".dek", ".deck", ".cod", ".json", ".csv", ".tsv", ".md")


@dataclass(frozen=True)
class Need:
    """Copies of a card that one line asks for. ``cards`` would serve, the card itself
    first; none where the card is unknown.
    """

    entry: Entry
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
    """A deck with what it takes. Where it could not be read it has no format and no needs."""

    deck: Deck
    format: Format | None
    needs: tuple[Need, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def cards(self) -> int:
        """The copies it takes in all."""
        return sum(need.count for need in self.needs)


def needs_of(
    deck: Deck, judge: Judge, index: CardIndex, wanted: str | None = None, *, exact: bool = False
) -> DeckNeeds:
    """What ``deck`` takes, in the format ``wanted`` or in its own.

    Where the format counts copies by name, any card printed with the name
    serves, unless ``exact``: then a line that gives a number means that number.
    """
    if deck.unreadable:
        return DeckNeeds(deck, None, (), deck.problems)
    try:
        rules, _ = judge.format_for(deck, wanted)
    except InputError as error:
        return DeckNeeds(deck, None, (), (*deck.problems, *error.problems))
    matched = judge.matched(deck, wanted)
    by_name = rules.same_card == "name" and not exact
    needs = tuple(
        Need(entry, _serving(entry, index) if by_name else entry.candidates)
        for entry in matched.entries
    )
    return DeckNeeds(deck, rules, needs, (*deck.problems, *matched.problems))


def _serving(entry: Entry, index: CardIndex) -> tuple[Card, ...]:
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
    """The deck files in a folder and those below it, and the files that are passed over.

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
