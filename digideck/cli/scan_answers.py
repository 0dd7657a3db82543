"""What is said in one review: of codes that wait, and of matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from digideck.cli.scan_entering import undone_batches
from digideck.scan.links import Code, cards_by_code, cards_of
from digideck.scan.memory import (
    DISMISSED,
    WAITING,
    StoredRead,
    WaitingCode,
    answer_matches,
    unsettled_matches,
    waiting_codes,
)
from digideck.schema.cards import Card, CardIndex
from digideck.schema.database import transaction

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
    and answers about matches, which are kept already.
    """

    index: CardIndex
    game: str | None
    waiting: dict[Code, WaitingCode] = field(init=False)
    matches: dict[Code, list[Match]] = field(init=False)
    named: dict[Code, Card] = field(default_factory=dict)
    dismissed: list[Code] = field(default_factory=list)
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

    def cards(self, code: Code) -> list[Card]:
        """The cards that a code is on."""
        return self.index.by_ids(cards_of(self.index.connection, code))

    def keep(self, answers: Iterable[Answer]) -> int:
        """Keep answers but for matches that somebody else entered or refused meanwhile;
        how many were kept.
        """
        connection = self.index.connection
        given = {answer.match.read.id: answer for answer in answers}
        right = [read_id for read_id, answer in given.items() if answer.card]
        wrong = [read_id for read_id, answer in given.items() if not answer.card]
        with transaction(connection):
            undone = undone_batches(connection)
            kept = answer_matches(connection, right, WAITING, undone)
            kept |= answer_matches(connection, wrong, DISMISSED, undone)
        self.answers += [answer for read_id, answer in given.items() if read_id in kept]
        return len(kept)
