"""From the rows of a file to one batch: which holdings there are, and what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from digideck.catalog.advice import set_meant
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import (
    Candidates,
    expect,
    name_problem,
    the_card,
)
from digideck.catalog.mention_text import (
    clean,
    looks_like_number,
    numbered,
    read_card,
    without_brackets,
)
from digideck.catalog.mentions import Mention
from digideck.collection.ledger import DETAILS, Holding
from digideck.collection.list_reader import CollectionList, ListRow
from digideck.collection.vocabulary import normalize, normalize_count, variant_of
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import edition_key
from digideck.core.problems import InputError, Problem, RowError, Severity
from digideck.schema.games.game import games_meant

_NORMALIZED = tuple(name for name in DETAILS if name != "set_code")


class Mode(StrEnum):
    """What a file says: more copies; all copies of the cards it names; all there are."""

    ADD = "add"
    SET = "set"
    REPLACE = "replace"


@dataclass
class Contents:
    """What a file holds. ``cards`` are the ids it names, also with a count of 0."""

    holdings: Counter[Holding] = field(default_factory=Counter)
    cards: set[int] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    read: int = 0
    refused: int = 0
    merged: int = 0


def contents(listing: CollectionList, index: CardIndex, game: str | None = None) -> Contents:
    """The holdings of a file's rows, equal ones added up; what is refused is in the problems."""
    found = Contents(problems=list(listing.problems))
    broken = sum(problem.severity is Severity.ERROR for problem in found.problems)
    found.refused = found.read = broken
    reader = _RowReader(listing, index, game, found.problems)
    mentions = [reader.mention(row.values) for row in listing.rows]
    expect(index, filter(None, mentions))
    for row, mention in zip(listing.rows, mentions, strict=True):
        found.read += 1
        try:
            holding, count = reader.holding(row, mention)
        except InputError as error:
            found.problems += error.at(listing.file, row.line).problems
            found.refused += 1
            continue
        except RowError as error:
            found.problems.append(error.problem(listing.file, row.line))
            found.refused += 1
            continue
        found.cards.add(holding.card_id)
        found.merged += holding in found.holdings
        if count:
            found.holdings[holding] += count
    if found.merged:
        found.problems.append(
            Problem(
                Code.ROWS_MERGED,
                Severity.NOTE,
                f"{found.merged:,} rows repeat an earlier one; their copies were added to it",
                listing.file,
                have=found.merged,
            )
        )
    return found


def _refused(message: str, allowed: str | None = None, next_step: str | None = None) -> RowError:
    return RowError(Code.ROW_REFUSED, message, next_step, allowed=allowed)


class _RowReader:
    def __init__(
        self, listing: CollectionList, index: CardIndex, game: str | None, problems: list[Problem]
    ) -> None:
        self.listing = listing
        self.layout = listing.layout
        self.index = index
        self.game = game
        self.problems = problems
        self.unknown_sets: set[str] = set()
        self.details: dict[tuple[str, str], str] = {}
        self.games: dict[str, str | None] = {}

    def mention(self, values: Mapping[str, str]) -> Mention | None:
        """The card that a row names, None if it names none."""
        number, name, set_name, edition = (
            values.get(key, "").strip() for key in ("number", "name", "set", "edition")
        )
        words = self.index.vocabulary
        if number and (name or looks_like_number(number, words)):
            name = clean("" if self.layout.exact else name)
            bare = without_brackets(name)
            mention = numbered(1, number, words, name=name, set_code=set_name)
            mention = replace(mention, bare_name=bare if bare != name else None)
        elif number or name:  # lists of "3 Agumon" put names where numbers are
            mention = replace(read_card(number or name, words), set_code=set_name or None)
        else:
            return None
        return replace(mention, edition=edition_key(edition) or mention.edition)

    def holding(self, row: ListRow, mention: Mention | None) -> tuple[Holding, int]:
        """The copies of a row and their number. Raises InputError."""
        values = row.values
        count = normalize_count(values.get("count", ""))
        if mention is None:
            raise _refused("no card in this row", "a number or a name")
        found = the_card(self.index, mention, self._game(values), of_row=True)
        card = found.cards[0]
        details = {name: self._detail(name, values.get(name, "")) for name in _NORMALIZED}
        details["variant"] = details["variant"] or variant_of(found.mention)
        set_code = self._set(row, card)
        self._compare_name(row, found)
        return Holding(card.id, set_code=set_code, **details), count

    def _game(self, values: Mapping[str, str]) -> str | None:
        text = values.get("game", "").strip()
        if not text:
            return self.layout.game or self.game
        if text not in self.games:
            meant = games_meant(self.index.games.values(), text)
            self.games[text] = meant[0].code if len(meant) == 1 else None
        game = self.games[text]
        if game is None:
            known = ", ".join(self.index.games)
            raise _refused(f"no game is called {text!r}", known, f"one of: {known}")
        return game

    def _detail(self, name: str, text: str) -> str:
        key = (name, text)
        if key not in self.details:
            self.details[key] = normalize(name, text)
        return self.details[key]

    def _set(self, row: ListRow, card: Card) -> str:
        text = row.values.get("set", "").strip()
        if not text:
            return ""
        code = self.index.set_codes.get((card.game, search_key(text)))
        if code is not None:
            return code
        if self.layout.exact:
            raise _refused(
                f"{card.game} has no set {text!r}",
                next_step=set_meant(self.index.connection, text, card.game),
            )
        if text not in self.unknown_sets:
            self.unknown_sets.add(text)
            self.problems.append(
                Problem(
                    Code.SET_UNKNOWN,
                    Severity.WARNING,
                    f"{card.game} has no set {text!r}; the set of these copies stays open",
                    self.listing.file,
                    row.line,
                    next_step=set_meant(self.index.connection, text, card.game),
                )
            )
        return ""

    def _compare_name(self, row: ListRow, found: Candidates[Mention]) -> None:
        problem = name_problem(self.index, found)
        if problem and problem.severity is Severity.WARNING:
            self.problems.append(replace(problem, file=self.listing.file, line=row.line))


def plan(found: Contents, mode: Mode, held: Mapping[Holding, int]) -> dict[Holding, int]:
    """The changes that make the collection what the file says. ``held``: all that is held."""
    if mode is Mode.ADD:
        return dict(found.holdings)
    concerned: Iterable[Holding] = (
        holding for holding in held if mode is Mode.REPLACE or holding.card_id in found.cards
    )
    holdings = dict.fromkeys([*found.holdings, *concerned])
    changes = {holding: found.holdings[holding] - held.get(holding, 0) for holding in holdings}
    return {holding: count for holding, count in changes.items() if count}
