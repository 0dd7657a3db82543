"""What the code on a card's label says: the card's key."""

from __future__ import annotations

from digideck.scan.links import Code, code_of
from digideck.scan.symbologies import Symbology
from digideck.schema.cards import Card, CardIndex
from digideck.schema.problems import Problem, Severity


def label_code(index: CardIndex, card: Card, kind: Symbology) -> Code | Problem:
    """The code for a card's label; a problem where ``kind`` cannot carry it.

    A QR carries the key as it is. Code 128 has no α: there it is an a, which is how
    people type these numbers, unless that is the key of another card.
    """
    if kind is Symbology.QR or card.key.isascii():
        return code_of(kind, card.key)
    typed = card.key.replace("α", "a")
    others = index.by_number(card.number.replace("α", "a"), card.game)
    if typed.isascii() and all(other.key != typed for other in others):
        return code_of(kind, typed)
    reason = f"{typed} is another card" if typed.isascii() else "it has only plain letters"
    return Problem(
        "code-refused",
        Severity.ERROR,
        f"{card.key} cannot be written in {kind}: {reason}",
        next_step="add --code qr",
    )
