"""What was scanned and waits for a person: listed, named, confirmed, refused, entered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from digideck.catalog.advice import near_misses
from digideck.catalog.arguments import check_game
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import meant_by, one_card
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.text import shown_path
from digideck.files.input import read_text
from digideck.operations.barcodes.share_links import NewLink
from digideck.operations.collection.copy_details import CopyDetails
from digideck.operations.collection.holding_rows import summary_of
from digideck.operations.scans.enter_scans import (
    EnteredReads,
    ReadsToEnter,
    enter_reads,
    undone_batches,
)
from digideck.operations.scans.review_rows import (
    AnsweredMatch,
    ProposedMatch,
    ReviewedScans,
    match_row,
    waiting_row,
)
from digideck.scan.store.links import Barcode, Link, add_links, cards_by_code, cards_of
from digideck.scan.store.read_store import (
    DISMISSED,
    NOTED,
    PROPOSED,
    WAITING,
    WaitingCode,
    answer_matches,
    reads_of,
    settle,
    unsettled_matches,
    waiting_codes,
)
from digideck.scan.store.spellings import CodeSpellings
from digideck.schema.connection import closing_connections, open_to_write, transaction

LARGEST_LIST = 20_000_000  # bytes
DISMISS = "-"  # in the place of a card: the code is no card's


@contextmanager
def reviewing(
    details: CopyDetails | None = None, *, add: bool = True, game: str = "", db: Path | None = None
) -> Iterator[Review]:
    """A review; its database is closed at the end."""
    with closing_connections():
        yield Review(details, add=add, game=game, db=db)


class Review:
    """What waits, and what is answered step by step: a card of a code and an answer about
    a match are kept at once; `finish` dismisses codes and enters the reads, where ``add``
    says so, as one batch of copies with ``details``.
    """

    def __init__(
        self,
        details: CopyDetails | None = None,
        *,
        add: bool = True,
        game: str = "",
        db: Path | None = None,
    ) -> None:
        self._details = (details or CopyDetails()).recorded()
        self._add = add
        self.index = CardIndex(open_to_write(db))
        self._game = check_game(self.index, game)
        self.waiting: dict[Barcode, WaitingCode] = {}
        self.matches: dict[Barcode, list[ProposedMatch]] = {}
        self._named: dict[Barcode, Card] = {}
        self._dismissed: list[Barcode] = []
        self._answers: dict[int, tuple[ProposedMatch, Card | None]] = {}
        self._problems: list[Problem] = []
        self._repeated = 0
        self._look()
        self._idle = not self.waiting and not self.matches

    def _look(self) -> None:
        connection = self.index.connection
        undone = undone_batches(connection)
        linked = cards_by_code(connection)
        self.waiting = {one.code: one for one in waiting_codes(connection, linked, undone)}
        self.matches = {}
        for read, path in unsettled_matches(connection, undone):
            self.matches.setdefault(read.code, []).append(ProposedMatch(read, path))

    def close(self) -> None:
        """Close the database; `contextlib.closing` does it in time."""
        self.index.connection.close()

    @property
    def proposed(self) -> list[ProposedMatch]:
        """The matches that wait for an answer."""
        found = (match for matches in self.matches.values() for match in matches)
        return [match for match in found if match.read.status == PROPOSED]

    def cards(self, code: Barcode) -> list[Card]:
        """The cards that a code is on."""
        return self.index.by_ids(cards_of(self.index.connection, code))

    def meant(self, text: str) -> list[Card]:
        """The cards of this number or name."""
        return list(meant_by(self.index, text, self._game).cards)

    def near(self, text: str) -> list[Card]:
        """The cards that ``text`` may have meant, the nearest first."""
        names = near_misses(self.index, text, self._game)
        return list({card.id: card for name in names for card in self.meant(name)}.values())

    def refusal(self, code: Barcode, card: Card) -> Problem | None:
        """What is wrong with naming ``card``, where it would be forgotten that it was
        photographed: links do not tell which of several cards it was, so that only entering
        it keeps it.
        """
        linked = self.cards(code)
        if self._add or len(linked) < 2 or card not in linked:
            return None
        return Problem(
            Code.CARD_NOT_KEPT,
            Severity.ERROR,
            f"{code.short} is on {len(linked)} cards: which one was photographed is kept "
            "only by entering it",
            next_step="leave out --no-add",
        )

    def answer(self, match: ProposedMatch, card: Card | None) -> bool:
        """Keep that a match is of ``card``, or of none; False where somebody else has entered
        or refused it meanwhile.
        """
        return bool(self._keep([(match, card)]))

    def _keep(self, answers: Iterable[tuple[ProposedMatch, Card | None]]) -> set[int]:
        """Keep answers, but for matches that were entered or refused meanwhile.

        A match of a code on several cards is not confirmed before it is entered: a review
        that is cut off before would leave it without the card that was named.
        """
        connection = self.index.connection
        given = {match.read.id: (match, card) for match, card in answers}
        statuses: dict[str, list[int]] = {WAITING: [], PROPOSED: [], DISMISSED: []}
        for read_id, (match, card) in given.items():
            several = len(self.cards(match.read.code)) > 1
            status = PROPOSED if several else WAITING
            statuses[status if card else DISMISSED].append(read_id)
        kept: set[int] = set()
        with transaction(connection):
            undone = undone_batches(connection)
            for status, read_ids in statuses.items():
                kept |= answer_matches(connection, read_ids, status, undone)
        self._answers |= {read_id: one for read_id, one in given.items() if read_id in kept}
        return kept

    def name(self, code: Barcode, card: Card) -> None:
        """Link a code to its card at once: typing it was work."""
        self._named[code] = card
        with transaction(self.index.connection):
            add_links(self.index.connection, [Link(code, card.id, "review")])

    def dismiss(self, code: Barcode) -> None:
        """Say that a code is no card's; its reads are dismissed at the end."""
        self._dismissed.append(code)

    def take(self, file: str) -> int:
        """Go by the lines "CODE CARD" of a file; how many there are. What is wrong with one
        is a problem of the result, and the others count.
        """
        shown = shown_path(file)
        text, _ = read_text(file, limit=LARGEST_LIST, what="a list of codes and cards")
        spellings = CodeSpellings(self.index.connection, {**self.waiting, **self.matches})
        given: dict[Barcode, Card | None] = {}
        lines = [(at, line.strip("\r")) for at, line in enumerate(text.split("\n"), start=1)]
        lines = [(at, line) for at, line in lines if line.strip()]
        for at, line in lines:
            try:
                self._take_line(spellings, line, given)
            except InputError as failure:
                self._problems += failure.at(shown, at).problems
        for code, card in given.items():
            if code in self.waiting and card:
                self._named[code] = card
            elif code in self.waiting:
                self.dismiss(code)
        self._keep(
            (match, card)
            for code, card in given.items()
            if card is None or card in self.cards(code)
            for match in self.matches.get(code, ())
        )
        self._idle = self._idle and not lines
        return len(lines)

    def _take_line(
        self, spellings: CodeSpellings, line: str, given: dict[Barcode, Card | None]
    ) -> None:
        code, text = spellings.split(line)
        card = None if text == DISMISS else one_card(self.index, text, self._game)
        if code in given and given[code] != card:
            before, now = (one.title if one else "no card's" for one in (given[code], card))
            raise input_error(
                Code.NAMED_TWICE,
                f"{code.short} was named {before} before, and {now} here",
                next_step="keep one of the lines",
            )
        if self._is_open(code, card):
            refusal = self.refusal(code, card) if card else None
            if refusal:
                raise InputError(refusal)
            given[code] = card
        else:
            self._repeated += 1

    def _is_open(self, code: Barcode, card: Card | None) -> bool:
        """Whether there is something to do with a line; False where it says what is so already.

        Raises InputError if nothing of the code waits, or not for this card.
        """
        linked = self.cards(code)
        titles = [other.title for other in linked]
        if code in self.waiting or (code in self.matches and (card is None or card in linked)):
            return True
        if card in linked:
            return False
        if code in self.matches and card:
            raise input_error(
                Code.MATCH_OF_OTHER,
                f"the bars were matched to {code.short}, which is "
                f"{' or '.join(titles) or 'no card now'}, not {card.title}",
                next_step=f'expected "{code.short} CARD" with that card, or - to refuse the match',
            )
        reads = reads_of(self.index.connection, code, ())
        if card is None and any(read.status == DISMISSED for read in reads):
            return False
        if linked:
            raise input_error(
                Code.CODE_NOT_WAITING,
                f"{code.short} is linked already, to {' and '.join(titles)}",
                next_step="digideck barcode unlink forgets a link",
            )
        raise input_error(
            Code.CODE_NOT_WAITING,
            f"no read of {code.short} is waiting",
            next_step="digideck scan review lists the codes that wait",
        )

    def finish(self) -> ReviewedScans:
        """Carry out the answers; what came of them and what waits still."""
        cards = self._settled()
        entering = self._add and bool(cards or self._named)
        entered = EnteredReads(None, (), frozenset())
        if entering:
            asked = ReadsToEnter(
                {read_id: card.id for read_id, card in cards.items()},
                summary_of([*self._named.values(), *cards.values()]),
                self._details,
                confirm=tuple(read_id for read_id, (_, card) in self._answers.items() if card),
            )
            entered = enter_reads(self.index, asked)
        self._look()
        answers = self._answers.values()
        return ReviewedScans(
            waiting=tuple(map(waiting_row, self.waiting.values())),
            proposed=tuple(
                match_row(match, self.cards(code))
                for code, matches in self.matches.items()
                for match in matches
            ),
            linked=tuple(NewLink(code.written, card.key) for code, card in self._named.items()),
            agreed=tuple(self._answered(match, card) for match, card in answers if card),
            refused=tuple(self._answered(match, card) for match, card in answers if not card),
            dismissed=tuple(code.written for code in self._dismissed),
            batch=entered.batch,
            changes=entered.changes,
            repeated=self._repeated,
            entering=entering,
            idle=self._idle,
            problems=(*self._problems, *self._on_several()),
        )

    def _settled(self) -> dict[int, Card]:
        """Link and dismiss what is to be; the reads that can be entered, with their cards."""
        connection = self.index.connection
        answered = {read_id: card for read_id, (_, card) in self._answers.items()}
        cards: dict[int, Card] = {}
        with transaction(connection):
            undone = undone_batches(connection)
            named = (Link(code, card.id, "review") for code, card in self._named.items())
            add_links(connection, named)
            for code in self._dismissed:
                reads = reads_of(connection, code, undone)
                open_ = [read.id for read in reads if read.status in (WAITING, NOTED)]
                settle(connection, (one for one in open_ if one not in answered), DISMISSED)
            for code, card in self._named.items():
                reads = reads_of(connection, code, undone)
                cards |= {read.id: card for read in reads if read.status == WAITING}
        # A match that was answered waits by now as the reads of its code do.
        return cards | {read_id: card for read_id, card in answered.items() if card}

    def _answered(self, match: ProposedMatch, card: Card | None) -> AnsweredMatch:
        linked = self.cards(match.read.code)
        card = card or (linked[0] if len(linked) == 1 else None)
        return AnsweredMatch(match.read.code.written, card.key if card else None, match.path)

    def _on_several(self) -> Iterable[Problem]:
        """Codes that are on several cards wait although they are linked."""
        for code in self.waiting:
            count = len(cards_of(self.index.connection, code))
            if count > 1:
                yield Problem(
                    Code.CODE_ON_SEVERAL,
                    Severity.NOTE,
                    f"{code.short} is on {count} cards: say which one was photographed",
                    have=count,
                )
