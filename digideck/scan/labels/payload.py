"""The code of a card's label: the card's key, if it is free and fits."""

from __future__ import annotations

import math

from digideck.catalog.cards import Card, CardIndex
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.labels.layout import FINEST, module_size
from digideck.scan.labels.sheets import Sheet
from digideck.scan.store.links import Barcode, cards_of, code_of


def label_code(index: CardIndex, card: Card, kind: Symbology, sheet: Sheet) -> Barcode | Problem:
    """The code for a card's label, or what is in its way."""
    payload = card.key if kind is Symbology.QR else _typed(card.key)
    code = code_of(kind, payload)
    return (
        _unwritable(index, card, code)
        or _taken(index, card, code)
        or _too_wide(card, code, sheet)
        or code
    )


def _typed(key: str) -> str:
    """The key as people type it: Code 128 has no α."""
    return key.replace("α", "a")


def _unwritable(index: CardIndex, card: Card, code: Barcode) -> Problem | None:
    if code.payload == card.key and (code.kind == Symbology.QR or card.key.isascii()):
        return None
    alike = index.by_number(_typed(card.number), card.game)
    if not code.payload.isascii():
        reason = "it has plain letters only"
    elif any(other.key == code.payload for other in alike):
        reason = f"{code.payload} is another card"
    else:
        return None
    return Problem(
        Code.CODE_REFUSED,
        Severity.ERROR,
        f"{card.key} cannot be written in {code.kind}: {reason}",
        next_step="add --code qr",
    )


def _taken(index: CardIndex, card: Card, code: Barcode) -> Problem | None:
    others = [other for other in cards_of(index.connection, code) if other != card.id]
    if not others:
        return None
    keys = ", ".join(other.key for other in index.by_ids(others))
    return Problem(
        Code.CODE_TAKEN,
        Severity.ERROR,
        f"{code.written} is linked to {keys}: no label for {card.key}",
        next_step=f"if that is wrong: digideck barcode unlink {code.typed}",
    )


def _too_wide(card: Card, code: Barcode, sheet: Sheet) -> Problem | None:
    module = module_size(Symbology(code.kind), code.payload, sheet)
    if module >= FINEST:
        return None
    finest = f"{math.floor(module * 1000) / 1000:g} mm"  # rounded up it could seem enough
    return Problem(
        Code.CODE_TOO_WIDE,
        Severity.ERROR,
        f"the {code.kind} of {card.key} does not fit {sheet.name}: "
        f"its bars would be {finest}, {FINEST:g} are needed",
        have=finest,
        allowed=f"{FINEST:g} mm",
        next_step="add --code qr, or choose a --sheet of wider labels",
    )
