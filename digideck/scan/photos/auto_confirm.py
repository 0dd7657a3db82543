"""Which matches of bars are sure enough to be taken without a person's yes."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from digideck.scan.match.matching import AUTO_CONFIRM, AUTO_CONFIRM_TWICE, reaches
from digideck.scan.photos.scan_files import Scanned
from digideck.scan.store.links import Barcode, cards_by_code
from digideck.scan.store.read_store import PROPOSED, WAITING, StoredRead, answer_matches


def auto_confirmed(connection: sqlite3.Connection, scanned: Sequence[Scanned]) -> list[Scanned]:
    """The scanned files with the matches that are sure taken as read, and kept so.

    Sure is a match that reaches `AUTO_CONFIRM`, or one of a card that two pictures propose, if
    both reach `AUTO_CONFIRM_TWICE`; its code must be one card's still. What was entered and
    taken back may have been wrong: ``scanned`` are the files as they are kept, not
    `Scanned.reopened`, so that it is neither sure nor makes another one sure. To be called
    in a transaction.
    """
    linked = cards_by_code(connection)
    one_card = {code: cards[0] for code, cards in linked.items() if len(cards) == 1}
    ids = answer_matches(connection, sure_reads(scanned, one_card), WAITING, ())
    return [_taken(one, ids) for one in scanned]


def sure_reads(scanned: Iterable[Scanned], card_of: Mapping[Barcode, int]) -> list[int]:
    """The ids of the matches that are sure, of the codes that are one card's: ``card_of``."""
    by_card: dict[int, list[tuple[str | None, StoredRead]]] = defaultdict(list)
    for one in scanned:
        for read in one.reads:
            if read.status == PROPOSED and read.code in card_of:
                by_card[card_of[read.code]].append((one.sha256, read))
    found = []
    for proposals in by_card.values():
        twice = [(sha256, read) for sha256, read in proposals if reaches(AUTO_CONFIRM_TWICE, read)]
        pair = len({sha256 for sha256, _ in twice}) > 1
        found += [
            read.id
            for sha256, read in proposals
            if reaches(AUTO_CONFIRM, read) or (pair and (sha256, read) in twice)
        ]
    return found


def _taken(one: Scanned, ids: set[int]) -> Scanned:
    if one.picture is None or not any(read.id in ids for read in one.reads):
        return one
    reads = tuple(replace(read, status=WAITING) if read.id in ids else read for read in one.reads)
    return replace(one, picture=replace(one.picture, reads=reads))
