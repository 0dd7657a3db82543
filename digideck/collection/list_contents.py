"""From the rows of a file to one batch: which holdings there are, and what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from digideck.catalog.advice import set_meant
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import (
    NO_GAME,
    Candidates,
    GameOfMost,
    expect,
    game_of_most,
    look_up,
    name_problem,
    the_card,
)
from digideck.catalog.mention_text import (
    clean,
    looks_like_number,
    numbered,
    read_card,
    split_finish,
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
    taken: list[int] = field(default_factory=list)  # the places of the rows that are not refused
    of_most: GameOfMost = NO_GAME
    read: int = 0
    refused: int = 0
    merged: int = 0


def contents(
    listing: CollectionList,
    index: CardIndex,
    game: str | None = None,
    known: Container[int] = (),
) -> Contents:
    """The holdings of a file's rows, equal ones added up; what is refused is in the problems.

    ``known`` are the places of rows that went in before and are left out.
    """
    found = Contents(problems=list(listing.problems))
    broken = sum(problem.severity is Severity.ERROR for problem in found.problems)
    found.refused = found.read = broken
    reader = _RowReader(listing, index, game, found.problems)
    mentions = [reader.mention(row.values) for row in listing.rows]
    expect(index, filter(None, mentions))
    if not (game or listing.layout.game):
        without = [
            mention
            for row, mention in zip(listing.rows, mentions, strict=True)
            if mention and not (mention.game or row.values.get("game", "").strip())
        ]
        reader.of_most = found.of_most = game_of_most(index, without)
    for place, (row, mention) in enumerate(zip(listing.rows, mentions, strict=True)):
        found.read += 1
        if place in known:
            continue
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
        found.taken.append(place)
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
        self.of_most = NO_GAME

    def mention(self, values: Mapping[str, str]) -> Mention | None:
        """The card that a row names, None if it names none."""
        number, name, set_name, edition = (
            values.get(key, "").strip() for key in ("number", "name", "set", "edition")
        )
        words = self.index.vocabulary
        if edition and edition_key(edition) not in words.editions and not self.layout.exact:
            edition, set_name = "", set_name or edition  # what others call a set
        (number, finish), (name, of_name) = split_finish(number), split_finish(name)
        if number and (name or looks_like_number(number, words)):
            name = clean("" if self.layout.exact else name)
            bare = without_brackets(name)
            mention = numbered(1, number, words, name=name, set_code=set_name)
            mention = replace(mention, bare_name=bare if bare != name else None)
        elif number or name:  # lists of "3 Agumon" put names where numbers are
            mention = replace(read_card(number or name, words), set_code=set_name or None)
        else:
            return None
        edition = edition_key(edition) or mention.edition or ""
        return replace(mention, edition=edition or None, finish=finish or of_name)

    def holding(self, row: ListRow, mention: Mention | None) -> tuple[Holding, int]:
        """The copies of a row and their number. Raises InputError."""
        values = row.values
        count = normalize_count(values.get("count", ""))
        if mention is None:
            raise _refused("no card in this row", "a number or a name")
        if mention.unclear:
            raise _refused(f"two counts beside the card: {mention.count} and {mention.unclear}")
        found = self._card(row, mention)
        card = found.cards[0]
        if mention.finish:
            values = {"finish": mention.finish} | values
        details = {name: self._detail(name, values.get(name, "")) for name in _NORMALIZED}
        details["variant"] = details["variant"] or variant_of(found.mention)
        set_code = self._set(row, mention.set_code or "", card)
        self._compare_name(row, found)
        return Holding(card.id, set_code=set_code, **details), count

    def _card(self, row: ListRow, mention: Mention) -> Candidates[Mention]:
        """The card of a row. Raises InputError and RowError."""
        own = mention.game or self._game(row.values)
        try:
            found = the_card(self.index, mention, own or self.of_most.game, of_row=True)
        except InputError as error:
            (problem,) = error.problems
            if problem.code is Code.CARD_AMBIGUOUS:  # a page for each row helps nobody
                shown = ", ".join(entry.card for entry in problem.cards[:3])
                raise _refused(
                    f"{mention.shown!r} can be any of {problem.have} cards, such as {shown}",
                    next_step="write its number; digideck find lists them",
                ) from None
            elsewhere = () if own else look_up(self.index, mention).cards
            if problem.code is not Code.CARD_UNKNOWN or not elsewhere:
                raise
            raise _refused(
                f"{mention.shown!r} is a card of {elsewhere[0].game}; the list is of "
                f"{self.of_most.game}, {self.of_most.why}",
                next_step=f"if it is meant, write {elsewhere[0].key}, or add a column game",
            ) from None
        if not own and self.of_most.game:
            self._tell_of_another_game(row, mention, found.cards[0])
        return found

    def _tell_of_another_game(self, row: ListRow, mention: Mention, card: Card) -> None:
        """A number that another game prints letter by letter may have been meant."""
        if not mention.number or mention.number == card.number:
            return
        others = look_up(self.index, mention).cards
        other = next((one for one in others if one.number == mention.number), None)
        if other and other.game != card.game:
            message = f"{mention.number} was read as {card.title}; {other.key} is written so"
            self.problems.append(
                Problem(
                    Code.NUMBER_OF_TWO_GAMES,
                    Severity.WARNING,
                    message,
                    self.listing.file,
                    row.line,
                    next_step=f"the list is of {card.game}, {self.of_most.why}; "
                    f"write {other.key} if that is meant",
                )
            )

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

    def _set(self, row: ListRow, text: str, card: Card) -> str:
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
