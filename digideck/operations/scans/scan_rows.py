"""What was seen in pictures, a row for each read: for tables, CSV, JSON and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from digideck.catalog.cards import Card, CardIndex
from digideck.collection.ledger import entries_of
from digideck.core.codes import Code
from digideck.core.results import json_field
from digideck.core.text import shown_path
from digideck.scan.photos.scan_files import Scanned
from digideck.scan.store.links import cards_by_code
from digideck.scan.store.read_store import DISMISSED, ENTERED, PROPOSED, StoredRead


class ScanState(StrEnum):
    """What is known of a read, or why there is none."""

    CONFIRMED = "confirmed"
    SEVERAL = "several"  # cards
    UNCONFIRMED = "unconfirmed"
    PROPOSED = "proposed"
    DISMISSED = "dismissed"
    NOTHING = "nothing"
    REFUSED = "refused"


_SHOWN = {
    ScanState.SEVERAL: "several cards",
    ScanState.NOTHING: "nothing read",
    ScanState.REFUSED: "not read",
}


@dataclass(frozen=True, slots=True)
class ScanRow:
    """One read of a picture with the cards of its code, or a picture without a read.

    ``no_picture``: the file is something else, by its content. ``titles`` are the cards'
    keys and names, ``advice`` what to do, ``note`` what else there is to say.
    """

    file: str
    sha256: str | None
    known: bool
    state: ScanState
    reason: str | None
    symbology: str | None
    payload: str | None
    code: str | None
    quad: tuple[tuple[float, float], ...] | None
    engine: str | None
    stage: str | None = json_field("rung")
    status: str | None = json_field("status")
    batch: int | None = json_field("batch")
    similarity: float | None = json_field("likeness")
    margin: float | None = json_field("margin")
    weakest: float | None = json_field("weakest")
    cards: tuple[str, ...] = json_field("cards")
    titles: tuple[tuple[str, str], ...] = json_field(None)
    shown_code: str = json_field(None)
    no_picture: bool = json_field(None)
    note: str = json_field(None)
    advice: str = json_field(None)
    read_id: int | None = json_field(None)
    card_ids: tuple[int, ...] = json_field(None)
    thumbnail: bytes = json_field(None, repr=False)
    drawing: bytes = json_field(None, repr=False)

    @property
    def shown_state(self) -> str:
        """The state for people."""
        return "not a picture" if self.no_picture else _SHOWN.get(self.state, str(self.state))

    @property
    def shown_cards(self) -> str:
        """The cards for people."""
        return " or ".join(f"{key}  {name}" for key, name in self.titles)


def shown_similarity(similarity: float | None, margin: float | None) -> str:
    """How sure a match is, for people."""
    return f"bars alike by {similarity or 0:.2f}, {margin or 0:.2f} more than any other"


def scan_rows(index: CardIndex, scanned: Iterable[Scanned]) -> list[ScanRow]:
    """A row for each read, and one for each picture without any."""
    linked = cards_by_code(index.connection)
    entered: dict[int, tuple[int, ...]] = {}  # the cards of each batch
    rows = []
    for one in scanned:
        for read in one.reads or [None]:
            cards = index.by_ids(linked.get(read.code, ()) if read else ())
            as_others: list[Card] = []
            if read and read.batch is not None:
                if read.batch not in entered:
                    entries = entries_of(index.connection, read.batch)
                    entered[read.batch] = tuple(dict.fromkeys(e.holding.card_id for e in entries))
                as_others = index.by_ids(entered[read.batch])
                if any(card in cards for card in as_others):
                    as_others = []
            rows.append(_row(one, read, cards, as_others))
    return rows


def _row(
    one: Scanned, read: StoredRead | None, cards: Sequence[Card], entered_as: Sequence[Card]
) -> ScanRow:
    state = _state(one, read, len(cards))
    return ScanRow(
        file=shown_path(one.path),
        sha256=one.sha256,
        known=one.known,
        state=state,
        reason=one.problem.message if one.problem else None,
        symbology=read.symbology if read else None,
        payload=read.payload if read else None,
        code=read.code.written if read else None,
        quad=read.quad if read else None,
        engine=read.engine if read else None,
        stage=read.stage if read else None,
        status=read.status if read else None,
        batch=read.batch if read else None,
        similarity=read.similarity if read else None,
        margin=read.margin if read else None,
        weakest=read.weakest if read else None,
        cards=tuple(card.key for card in cards),
        titles=tuple((card.key, card.name) for card in cards),
        shown_code=read.code.short if read else "",
        no_picture=one.problem is not None and one.problem.code is Code.NOT_A_PICTURE,
        note=_note(one, read, entered_as),
        advice=_advice(one, read, state),
        read_id=read.id if read else None,
        card_ids=tuple(card.id for card in cards),
        thumbnail=one.thumbnail,
        drawing=(read.drawing if read else None) or b"",
    )


def _state(one: Scanned, read: StoredRead | None, cards: int) -> ScanState:
    if read is None:
        return ScanState.REFUSED if one.problem else ScanState.NOTHING
    if read.status == PROPOSED:
        return ScanState.PROPOSED
    if read.status == DISMISSED:
        return ScanState.DISMISSED
    return {0: ScanState.UNCONFIRMED, 1: ScanState.CONFIRMED}.get(cards, ScanState.SEVERAL)


def _note(one: Scanned, read: StoredRead | None, entered_as: Sequence[Card]) -> str:
    if read is None:
        return one.problem.message if one.problem else ""
    notes = [shown_similarity(read.similarity, read.margin)] if read.matched else []
    if read.status == ENTERED:
        other = entered_as[0].title if len(entered_as) == 1 else "another card"
        notes.append(f"entered: batch {read.batch}{f', as {other}' if entered_as else ''}")
    return "  ".join(f"({note})" for note in notes)


def _advice(one: Scanned, read: StoredRead | None, state: ScanState) -> str:
    if one.problem:
        return one.problem.next_step or ""
    if read is None:
        return "take it again: sharp, without glare, the code upright and large"
    if read.status == ENTERED or state in (ScanState.DISMISSED, ScanState.CONFIRMED):
        return ""
    if state is ScanState.PROPOSED:
        return "digideck scan review asks whether the bars are this card's"
    code = read.code
    if code.written != code.short:  # too long to be typed
        return "digideck scan review"
    return f"digideck barcode link {code.typed} CARD, or digideck scan review"
