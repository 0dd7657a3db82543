"""From the rows of a file to one batch: which piles there are, and what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from digideck.catalog.cards import Card
from digideck.catalog.lookup import set_meant
from digideck.collection.identify import Identifier
from digideck.collection.ledger import DETAILS, Holding
from digideck.collection.list_reader import Listing, Row
from digideck.collection.vocabulary import BadValue, tidy, tidy_count
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error

_TIDIED = tuple(name for name in DETAILS if name != "set_code")


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


def contents(listing: Listing, identifier: Identifier) -> Contents:
    """The piles of a file's rows, equal ones added up; what is refused is in the problems."""
    found = Contents(problems=list(listing.problems))
    broken = sum(problem.severity is Severity.ERROR for problem in found.problems)
    found.refused = found.read = broken
    reader = _RowReader(listing, identifier, found.problems)
    for row in listing.rows:
        found.read += 1
        try:
            holding, count = reader.holding(row)
        except InputError as error:
            found.problems += error.at(listing.file, row.line).problems
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


def _refused(message: str, allowed: str | None = None, next_step: str | None = None) -> InputError:
    return input_error(Code.ROW_REFUSED, message, allowed=allowed, next_step=next_step)


class _RowReader:
    def __init__(self, listing: Listing, identifier: Identifier, problems: list[Problem]) -> None:
        self.listing = listing
        self.layout = listing.layout
        self.identifier = identifier
        self.problems = problems
        self.unknown_sets: set[str] = set()
        self.details: dict[tuple[str, str], str] = {}

    def holding(self, row: Row) -> tuple[Holding, int]:
        values = row.values
        count = self._count(values)
        card = self._card(values)
        details = {name: self._detail(name, values.get(name, "")) for name in _TIDIED}
        if not details["variant"]:
            details["variant"] = self.identifier.variant(values.get("number", "").strip())
        set_code = self._set(row, card)
        self._compare_name(row, card)
        return Holding(card.id, set_code=set_code, **details), count

    def _count(self, values: Mapping[str, str]) -> int:
        try:
            return tidy_count(values.get("count", ""))
        except BadValue as error:
            raise _refused(str(error), error.allowed) from None

    def _card(self, values: Mapping[str, str]) -> Card:
        number = values.get("number", "").strip()
        name = "" if self.layout.exact and number else values.get("name", "").strip()
        if not number and not name:
            raise _refused("no card in this row", "a number or a name")
        return self.identifier.row(
            number,
            values.get("edition", "").strip(),
            name,
            self._game(values),
            values.get("set", "").strip(),
        )

    def _game(self, values: Mapping[str, str]) -> str | None:
        text = values.get("game", "").strip()
        if not text:
            return self.layout.game
        game = self.identifier.game_named(text)
        if game is None:
            known = ", ".join(self.identifier.index.games)
            raise _refused(f"no game is called {text!r}", known, f"one of: {known}")
        return game

    def _detail(self, name: str, text: str) -> str:
        key = (name, text)
        if key not in self.details:
            try:
                self.details[key] = tidy(name, text)
            except BadValue as error:
                raise _refused(str(error), error.allowed, f"expected: {error.allowed}") from None
        return self.details[key]

    def _set(self, row: Row, card: Card) -> str:
        text = row.values.get("set", "").strip()
        if not text:
            return ""
        code = self.identifier.set_named(card.game, text)
        if code is not None:
            return code
        if self.layout.exact:
            raise _refused(
                f"{card.game} has no set {text!r}",
                next_step=set_meant(self.identifier.index.connection, text, card.game),
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
                    next_step=set_meant(self.identifier.index.connection, text, card.game),
                )
            )
        return ""

    def _compare_name(self, row: Row, card: Card) -> None:
        name = row.values.get("name", "").strip()
        if not name or self.layout.exact or self.identifier.is_named(card, name):
            return
        self.problems.append(
            Problem(
                Code.NAME_DIFFERS,
                Severity.WARNING,
                f"{card.written_number} is {card.name}; {name!r} is no known name of it",
                self.listing.file,
                row.line,
                next_step="check the number",
            )
        )


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
