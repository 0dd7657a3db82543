"""Which codes are on which cards: linked, forgotten, listed."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import meant_by, one_card
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.results import Answer, Result, json_field
from digideck.scan.match.profile_conflicts import profile_conflicts
from digideck.scan.store.links import (
    Link,
    add_links,
    cards_by_code,
    cards_of,
    code_named,
    is_code,
    links,
    remove_links,
)
from digideck.schema.connection import (
    closing_connections,
    open_to_read,
    open_to_write,
    transaction,
)


@dataclass(frozen=True, slots=True)
class LinkedBarcode(Result):
    """A code and all cards it is on. ``new``: whether that was not known before.

    ``shown`` and ``title`` are the code and the card named, for people.
    """

    no = (Code.PROFILE_TOO_ALIKE,)
    code: str
    cards: tuple[str, ...]
    new: bool
    shown: str = json_field(None)
    title: str = json_field(None)


@closing_connections()
def link_barcode(code: str, card: str, *, game: str = "", db: Path | None = None) -> LinkedBarcode:
    """Link a code, a payload or KIND:PAYLOAD, to a card, named by its number or name."""
    index = CardIndex(open_to_write(db))
    wanted = check_game(index, game)
    if _swapped(index, code, card, wanted):
        raise input_error(
            Code.CARD_BEFORE_CODE,
            f"{card!r} is no card, but {code!r} is",
            next_step=f"the code comes first: digideck barcode link {shlex.join([card, code])}",
        )
    found = one_card(index, card, wanted)
    meant = code_named(index.connection, code)
    conflict = profile_conflicts(index, [(meant, found.id)], cards_by_code(index.connection))
    new = 0
    if not conflict:
        with transaction(index.connection):
            new = add_links(index.connection, [Link(meant, found.id, "hand")])
    cards = index.by_ids(cards_of(index.connection, meant))
    problems = list(conflict.values())
    others = [other.title for other in cards if other.id != found.id]
    if others and not problems:
        problems.append(
            Problem(
                Code.CODE_ON_SEVERAL,
                Severity.WARNING,
                f"the code is on {len(cards)} cards now, also on {', '.join(others)}: "
                "its reads are not entered by themselves",
                next_step=f"if that is wrong: digideck barcode unlink {meant.typed} CARD",
            )
        )
    return LinkedBarcode(
        meant.written,
        tuple(card.key for card in cards),
        bool(new),
        meant.short,
        f"{found.key}  {found.name}",
        problems=tuple(problems),
    )


def _swapped(index: CardIndex, code: str, card: str, game: str | None) -> bool:
    """Whether the card was written first: each of the two can only be the other."""
    if meant_by(index, card, game).cards or not meant_by(index, code, game).cards:
        return False
    return is_code(index.connection, card) and not is_code(index.connection, code)


@dataclass(frozen=True, slots=True)
class UnlinkedBarcode(Result):
    """A code with the cards that it is linked to no more."""

    no = (Code.NO_LINK,)
    code: str
    removed: tuple[str, ...]
    shown: str = json_field(None)


@closing_connections()
def unlink_barcode(
    code: str, card: str = "", *, game: str = "", db: Path | None = None
) -> UnlinkedBarcode:
    """Forget the links of a code, or only its link to ``card``."""
    index = CardIndex(open_to_write(db))
    found = one_card(index, card, check_game(index, game)) if card else None
    meant = code_named(index.connection, code)
    with transaction(index.connection):
        before = index.by_ids(cards_of(index.connection, meant))
        remove_links(index.connection, meant, found.id if found else None)
    removed = tuple(other.key for other in before if found is None or other.id == found.id)
    problem = Problem(
        Code.NO_LINK,
        Severity.ERROR,
        f"{meant.short} is not linked" + (f" to {found.title}" if found else ""),
        next_step="digideck barcode list shows the links",
    )
    problems = () if removed else (problem,)
    return UnlinkedBarcode(meant.written, removed, meant.short, problems=problems)


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link. ``source`` says how it was learnt: by hand, from a label, from a file."""

    code: str
    kind: str
    payload: str
    card: str
    name: str | None
    source: str = json_field("from")
    shown: str = json_field(None)
    title: str = json_field(None)


@dataclass(frozen=True, slots=True)
class BarcodeList(Result):
    """Links, ordered by code."""

    links: tuple[LinkRow, ...]

    @property
    def answer(self) -> Answer:
        """No where there are none."""
        return Answer.OK if self.links else Answer.NO


@closing_connections()
def list_barcodes(*words: str, game: str = "", db: Path | None = None) -> BarcodeList:
    """The links of these codes and cards, or all of them."""
    index = CardIndex(open_to_read(db))
    wanted = check_game(index, game)
    found = list(links(index.connection))
    if words:
        kept = {link for word in words for link in _meant(index, found, word, wanted)}
        found = [link for link in found if link in kept]
    cards = index.by_ids(link.card_id for link in found)
    rows = tuple(
        LinkRow(
            link.code.written,
            link.code.kind,
            link.code.payload,
            card.key,
            card.name if card.names else None,
            link.source,
            link.code.short,
            card.name,
        )
        for link, card in zip(found, cards, strict=True)
        if wanted in (None, card.game)
    )
    nothing = Problem(
        Code.NO_LINKS,
        Severity.NOTE,
        "no codes are linked" + (" to these" if words else ""),
        next_step="digideck barcode link CODE CARD links one",
    )
    return BarcodeList(rows, problems=() if rows else (nothing,))


def _meant(index: CardIndex, all_links: list[Link], word: str, game: str | None) -> list[Link]:
    """The links of what a word means: a code, else every card of this number or name."""
    try:
        code = code_named(index.connection, word)
    except InputError:
        code = None
    found = [link for link in all_links if link.code == code]
    ids = {card.id for card in meant_by(index, word, game).cards}
    return found or [link for link in all_links if link.card_id in ids]
