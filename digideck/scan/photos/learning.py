"""What the names of picture files teach: the cards of the codes in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.cards import Card, CardIndex
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.text import shown_path
from digideck.scan.photos.scan_files import Scanned
from digideck.scan.store.links import Barcode
from digideck.scan.store.read_store import PROPOSED

_COPY_MARK = re.compile(r"\s*\([0-9]+\)$|[ _](?:[0-9]{1,2}|front|back|copy)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Learnt:
    """Codes with their card, and what stays open: files with new codes and no name of one
    card, labels that conflict, and pictures with several codes.
    """

    links: dict[Barcode, Card]
    unnamed: tuple[str, ...] = ()
    conflicts: tuple[Problem, ...] = ()
    several: tuple[Problem, ...] = ()


def learn(
    index: CardIndex,
    scanned: Iterable[Scanned],
    linked: Mapping[Barcode, Sequence[int]],
    game: str | None,
) -> Learnt:
    """The links that pictures teach whose files are named by a card's number.

    A picture teaches if one code was read in it. A code that is linked to another
    card, or that two labels claim, is a conflict and teaches nothing.
    """
    claims: dict[Barcode, dict[int, tuple[Card, str]]] = {}  # by the id of the card
    unnamed, several = [], []
    for one in scanned:
        shown = shown_path(one.path)
        card = _labelled(index, shown, game) if one.reads else None
        codes = {read.code for read in one.reads if read.status != PROPOSED}
        if not card:
            if any(read.code not in linked for read in one.reads):
                unnamed.append(shown)
        elif len(codes) > 1:
            several.append(_several_codes(shown, codes))
        elif codes:
            claims.setdefault(codes.pop(), {}).setdefault(card.id, (card, shown))
    conflicts, learnt = [], {}
    for code, cards in claims.items():
        card, shown = next(iter(cards.values()))
        known = index.by_ids(linked.get(code, ()))
        if len(cards) > 1:
            conflicts.append(_claimed_twice(code, [shown for _, shown in cards.values()]))
        elif known and card not in known:
            conflicts.append(_linked_elsewhere(code, shown, card, known))
        elif not known:
            learnt[code] = card
    return Learnt(learnt, tuple(unnamed), tuple(conflicts), tuple(several))


def _labelled(index: CardIndex, path: str, game: str | None) -> Card | None:
    """The card whose number a file is named by; its folder may name the game."""
    name = Path(path)
    folder = name.parent.name
    game = game or (folder if folder in index.games else None)
    for stem in dict.fromkeys((name.stem, _COPY_MARK.sub("", name.stem))):
        number, _, edition = stem.partition("@")
        found = index.by_number(number, game)
        if edition:
            found = [card for card in found if card.edition == edition]
        if len(found) == 1:
            return found[0]
    return None


def _several_codes(shown: str, codes: Iterable[Barcode]) -> Problem:
    written = sorted(code.short for code in codes)
    return Problem(
        Code.CODES_SEVERAL,
        Severity.WARNING,
        f"{len(written)} different codes, of which none is learnt: {', '.join(written)}",
        shown,
        next_step="digideck barcode link CODE CARD says which one is the card's",
    )


def _claimed_twice(code: Barcode, files: Sequence[str]) -> Problem:
    return Problem(
        Code.LINK_CONFLICT,
        Severity.ERROR,
        f"{code.short} would be learnt for different cards: {', '.join(sorted(files))}",
        next_step="look at the pictures, then digideck barcode link CODE CARD",
    )


def _linked_elsewhere(code: Barcode, shown: str, card: Card, known: Sequence[Card]) -> Problem:
    titles = " and ".join(other.title for other in known)
    return Problem(
        Code.LINK_CONFLICT,
        Severity.ERROR,
        f"{code.short} is linked to another card already, {titles}: it was not learnt for "
        f"{card.title}",
        shown,
        next_step="if the link is wrong, digideck barcode unlink CODE CARD forgets it",
    )
