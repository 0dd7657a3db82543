"""What was seen in pictures, a line for each read: as a table, CSV, JSON and on the page."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from digideck.catalog.cards import Card, CardIndex
from digideck.cli.render.output import styled, table
from digideck.collection.ledger import entries_of
from digideck.core.codes import Code
from digideck.core.text import shown_path
from digideck.scan.images.folders import CONFIRMED, PROPOSED_STATE, SEVERAL, UNCONFIRMED, Scanned
from digideck.scan.images.report_page import PageRow
from digideck.scan.store.links import cards_by_code, escaped
from digideck.scan.store.read_store import DISMISSED, ENTERED, PROPOSED, StoredRead

_SHOWN = {
    CONFIRMED: "confirmed",
    SEVERAL: "several cards",
    UNCONFIRMED: "unconfirmed",
    PROPOSED_STATE: "proposed",
    DISMISSED: "dismissed",
    "nothing": "nothing read",
    "refused": "not read",
    Code.NOT_A_PICTURE: "not a picture",
}
_STYLES = {CONFIRMED: "good", PROPOSED_STATE: "warning", UNCONFIRMED: "warning", SEVERAL: "warning"}


@dataclass(frozen=True, slots=True)
class Sight:
    """One read of a picture with the cards of its code, or a picture without a read.

    ``entered_as``: what its batch entered, where that is not the card of the code now.
    """

    scanned: Scanned
    read: StoredRead | None
    cards: tuple[Card, ...]
    entered_as: tuple[Card, ...] = ()

    @property
    def state(self) -> str:
        """confirmed, several (cards), unconfirmed, proposed, dismissed, nothing (read) or
        refused.
        """
        if self.read is None:
            return "refused" if self.scanned.problem else "nothing"
        if self.read.status == PROPOSED:
            return PROPOSED_STATE
        if self.read.status == DISMISSED:
            return DISMISSED
        return {0: UNCONFIRMED, 1: CONFIRMED}.get(len(self.cards), SEVERAL)

    @property
    def shown_state(self) -> str:
        """The state for people."""
        return _SHOWN[Code.NOT_A_PICTURE if self.no_picture else self.state]

    @property
    def no_picture(self) -> bool:
        """Whether the file is something else, by its content."""
        problem = self.scanned.problem
        return problem is not None and problem.code == Code.NOT_A_PICTURE

    @property
    def code(self) -> str:
        """The code that was read, for people."""
        return self.read.code.short if self.read else ""

    @property
    def note(self) -> str:
        """What else there is to say of it, or why nothing was read."""
        if self.read is None:
            return self.scanned.problem.message if self.scanned.problem else ""
        notes = [alike(self.read)] if self.read.matched else []
        if self.read.status == ENTERED:
            notes.append(f"entered: batch {self.read.batch}{self._as_other}")
        return "  ".join(f"({note})" for note in notes)

    @property
    def _as_other(self) -> str:
        if not self.entered_as:
            return ""
        one = len(self.entered_as) == 1
        return f", as {self.entered_as[0].title}" if one else ", as another card"

    @property
    def shown_cards(self) -> str:
        """The cards for people."""
        return " or ".join(f"{card.key}  {card.name}" for card in self.cards)

    @property
    def advice(self) -> str:
        """What to do."""
        if self.scanned.problem:
            return self.scanned.problem.next_step or ""
        if self.read is None:
            return "take it again: sharp, without glare, the code upright and large"
        if self.read.status == ENTERED or self.state in (DISMISSED, CONFIRMED):
            return ""
        if self.state == PROPOSED_STATE:
            return "digideck scan review asks whether the bars are this card's"
        code = self.read.code
        if code.written != code.short:  # too long to be typed
            return "digideck scan review"
        return f"digideck barcode link {code.typed} CARD, or digideck scan review"

    def as_json(self) -> dict[str, Any]:
        """The same keys for every line."""
        read = self.read
        return {
            "file": shown_path(self.scanned.path),
            "sha256": self.scanned.sha256,
            "known": self.scanned.known,
            "state": self.state,
            "reason": self.scanned.problem.message if self.scanned.problem else None,
            "symbology": read.symbology if read else None,
            "payload": read.payload if read else None,
            "code": read.code.written if read else None,
            "quad": read.quad if read else None,
            "engine": read.engine if read else None,
            "rung": read.stage if read else None,
            "status": read.status if read else None,
            "batch": read.batch if read else None,
            "likeness": read.similarity if read else None,
            "margin": read.margin if read else None,
            "weakest": read.weakest if read else None,
            "cards": [card.key for card in self.cards],
        }

    def as_page_row(self) -> PageRow:
        """What the page shows of it."""
        return PageRow(
            shown_path(self.scanned.path),
            self.state,
            self.shown_state,
            tuple((card.key, card.name) for card in self.cards),
            self.code,
            self.advice,
            self.scanned.thumbnail,
            (self.read.drawing if self.read else None) or b"",
            self.note,
        )


def alike(read: StoredRead) -> str:
    """How sure a match is, for people."""
    return f"bars alike by {read.similarity or 0:.2f}, {read.margin or 0:.2f} more than any other"


def sights_of(index: CardIndex, scanned: Iterable[Scanned]) -> list[Sight]:
    """A line for each read, and one for each picture without any."""
    linked = cards_by_code(index.connection)
    entered: dict[int | None, tuple[int, ...]] = {}  # the cards of each batch
    sights = []
    for one in scanned:
        for read in one.reads or [None]:
            ids = linked.get(read.code, ()) if read else ()
            batch = read.batch if read else None
            if batch is not None and batch not in entered:
                changes = entries_of(index.connection, batch)
                entered[batch] = tuple(dict.fromkeys(change.holding.card_id for change in changes))
            others = entered.get(batch, ())
            others = () if set(others) & set(ids) else others
            sights.append(Sight(one, read, tuple(index.by_ids(ids)), tuple(index.by_ids(others))))
    return sights


def print_table(sights: Sequence[Sight]) -> Iterator[str]:
    """The lines of the table."""
    rows = [
        (shown_path(sight.scanned.path), sight.shown_cards or "?" * bool(sight.read),
         sight.shown_state, "  ".join(filter(None, (sight.code, sight.note))))
        for sight in sights
    ]  # fmt: skip
    lines = table(rows, ("file", "card", "", "code"))
    yield next(lines)
    for line, sight in zip(lines, sights, strict=True):
        style = _STYLES.get(sight.state)
        yield styled(line, style) if style else line


def print_csv(sights: Iterable[Sight]) -> None:
    """The table as CSV on standard output."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["file", "state", "card", "name", "symbology", "payload", "batch", "reason"])
    for sight in sights:
        read = sight.read
        writer.writerow(
            [
                shown_path(sight.scanned.path),
                sight.shown_state,
                "; ".join(card.key for card in sight.cards),
                "; ".join(card.name for card in sight.cards),
                read.symbology if read else "",
                escaped(read.payload) if read else "",
                read.batch if read else "",
                sight.scanned.problem.message if sight.scanned.problem else "",
            ]
        )
