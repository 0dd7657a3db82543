"""What is said in one review: of codes that wait, and of matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from digideck.catalog.cards import Card, CardIndex
from digideck.cli.scan.entering import undone_batches
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.scan.store.links import Barcode, cards_by_code, cards_of
from digideck.scan.store.read_store import (
    DISMISSED,
    PROPOSED,
    WAITING,
    StoredRead,
    WaitingCode,
    answer_matches,
    unsettled_matches,
    waiting_codes,
)
from digideck.schema.connection import transaction

DISMISS = "-"


@dataclass(frozen=True, slots=True)
class Match:
    """Bars that were matched to a code, and the picture they are in."""

    read: StoredRead
    path: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of a match: the card that it is of; None where it is wrong."""

    match: Match
    card: Card | None


@dataclass
class Review:
    """What waits, and what was said of it: cards of codes, codes that are no card's,
    and answers about matches, which are kept already. ``add``: whether reads are entered.
    """

    index: CardIndex
    game: str | None
    add: bool
    waiting: dict[Barcode, WaitingCode] = field(init=False)
    matches: dict[Barcode, list[Match]] = field(init=False)
    named: dict[Barcode, Card] = field(default_factory=dict)
    dismissed: list[Barcode] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.look()

    def look(self) -> None:
        """See what waits now."""
        connection = self.index.connection
        undone = undone_batches(connection)
        linked = cards_by_code(connection)
        self.waiting = {one.code: one for one in waiting_codes(connection, linked, undone)}
        self.matches = {}
        for read, path in unsettled_matches(connection, undone):
            self.matches.setdefault(read.code, []).append(Match(read, path))

    def cards(self, code: Barcode) -> list[Card]:
        """The cards that a code is on."""
        return self.index.by_ids(cards_of(self.index.connection, code))

    def check(self, code: Barcode, card: Card) -> None:
        """Raises InputError where it would be forgotten that ``card`` was photographed: links
        do not tell which of several cards it was, so that only entering it keeps it.
        """
        linked = self.cards(code)
        if not self.add and len(linked) > 1 and card in linked:
            raise input_error(
                Code.CARD_NOT_KEPT,
                f"{code.short} is on {len(linked)} cards: which one was photographed is kept "
                "only by entering it",
                next_step="leave out --no-add",
            )

    def keep(self, answers: Iterable[Answer]) -> int:
        """Keep answers but for matches that somebody else entered or refused meanwhile;
        how many were kept.

        A match of a code on several cards is not confirmed before it is entered: a review
        that is cut off before would leave it without the card that was said.
        """
        connection = self.index.connection
        given = {answer.match.read.id: answer for answer in answers}
        statuses: dict[str, list[int]] = {WAITING: [], PROPOSED: [], DISMISSED: []}
        for read_id, answer in given.items():
            several = len(self.cards(answer.match.read.code)) > 1
            status = PROPOSED if several else WAITING
            statuses[status if answer.card else DISMISSED].append(read_id)
        kept: set[int] = set()
        with transaction(connection):
            undone = undone_batches(connection)
            for status, read_ids in statuses.items():
                kept |= answer_matches(connection, read_ids, status, undone)
        self.answers += [answer for read_id, answer in given.items() if read_id in kept]
        return len(kept)
