"""Which code is on which card: what the user has linked, and how codes are written."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import nearest
from digideck.scan.decode.symbologies import (
    Symbology,
    canonical,
    ean_check_digit,
    is_upc_e,
    link_key,
)

_LONGEST_SHOWN = 60  # characters of a code; a QR code can have thousands
_CUT = "..."  # in place of the rest
_NOT_ALNUM = re.compile(r"[^a-z0-9]")
_DIGITS = re.compile("[0-9]+")
# As `short` gives it, or apart.
_PROFILE_NAME = re.compile(r"profile[ :]+([0-9a-z]*)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
_KINDS = {
    **{_NOT_ALNUM.sub("", kind.lower()): kind for kind in Symbology},
    "ean": Symbology.EAN_13,
    "upc": Symbology.UPC_A,
    "qrcode": Symbology.QR,
}
_ARTICLE_NUMBERS = {
    Symbology.EAN_13: (13,),
    Symbology.EAN_8: (8,),
    Symbology.UPC_A: (12, 13),
    Symbology.UPC_E: (6, 7, 8, 12, 13),
}
_SUREST = {13: Symbology.EAN_13, 12: Symbology.UPC_A, 8: Symbology.EAN_8}


@dataclass(frozen=True, slots=True, order=True)
class Barcode:
    """A code as links know it: EAN-13 stands for UPC-A and UPC-E as well."""

    kind: str
    payload: str

    @property
    def written(self) -> str:
        """``EAN-13:4901234567894``, ``Code128:AB-1``: as arguments and messages name it."""
        return f"{self.kind.replace(' ', '')}:{escaped(self.payload)}"

    @property
    def short(self) -> str:
        """``written`` for people: a profile is named by its checksum only, and what is
        longer than a line is cut.
        """
        if self.kind != Symbology.PROFILE:
            return cut(self.written)
        return f"profile:{self.payload.rpartition(':')[2]}"

    @property
    def typed(self) -> str:
        """The code as a shell takes it, for the commands that messages advise."""
        return shlex.quote(self.short if self.kind == Symbology.PROFILE else self.written)


@dataclass(frozen=True, slots=True)
class Link:
    """A code with a card that bears it, and how that was learnt."""

    code: Barcode
    card_id: int
    source: str


def cut(text: str) -> str:
    """``text`` if it fits on a line, else how it begins."""
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - len(_CUT)] + _CUT


def escaped(payload: str) -> str:
    r"""``payload`` on one line: what cannot be printed as ``\x1d``, a backslash doubled."""
    if payload.isprintable() and "\\" not in payload:
        return payload
    return "".join(map(_escaped_char, payload))


def _escaped_char(char: str) -> str:
    if char == "\\":
        return "\\\\"
    if char.isprintable():
        return char
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def unescaped(text: str) -> str:
    """What `escaped` was given; other backslashes are left alone."""
    return _ESCAPED.sub(lambda match: _unescaped_char(match[1] or match[2] or match[3]), text)


def _unescaped_char(digits: str | None) -> str:
    if digits is None:
        return "\\"
    number = int(digits, 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def kind_named(text: str) -> Symbology | None:
    """The kind of code that is called ``text`` in some spelling: "code128", "EAN-13"."""
    return _KINDS.get(_NOT_ALNUM.sub("", text.lower()))


def code_of(symbology: str, payload: str) -> Barcode:
    """The code of a read."""
    return Barcode(*link_key(Symbology(symbology), payload))


def checked_code(kind: Symbology, payload: str) -> Barcode:
    """The code that a person or a file names, spelled as reads are. Raises InputError."""
    if kind is Symbology.PROFILE:
        from digideck.scan.store.profile_text import checked_text  # start-up

        return Barcode(str(kind), checked_text(payload))
    if kind in _ARTICLE_NUMBERS:
        payload = payload.replace(" ", "").replace("-", "")
        _check_digits(kind, payload)
    if not payload:
        raise input_error(Code.CODE_REFUSED, f"a {kind} without content")
    return Barcode(*link_key(*canonical(kind, payload)))


def _check_digits(kind: Symbology, payload: str) -> None:
    lengths = _ARTICLE_NUMBERS[kind]
    wanted = f"{' or '.join(map(str, lengths))} digits"
    if not _DIGITS.fullmatch(payload) or len(payload) not in lengths:
        raise input_error(
            Code.CODE_REFUSED,
            f"{escaped(payload)!r} is no {kind}, which has {wanted}",
            have=escaped(payload),
            allowed=wanted,
            next_step="check the digits; a spreadsheet may have changed them",
        )
    if len(payload) > 7 and kind is not Symbology.UPC_E:
        right = ean_check_digit(payload[:-1])
        if right != int(payload[-1]):
            raise input_error(
                Code.CODE_REFUSED,
                f"{payload} is no {kind}: its last digit would be {right}",
                have=payload[-1],
                allowed=str(right),
                next_step="check the digits",
            )


def code_named(connection: sqlite3.Connection, text: str) -> Barcode:
    """The code that ``text`` means: KIND:PAYLOAD, else a payload that was read or linked.

    A code that was read or linked is also named as tables show it: a profile by its
    checksum, a long one by how it begins. A payload alone that was never seen is an
    EAN-13, a UPC-A or an EAN-8 if it is 13, 12 or 8 digits, else a Code 128. Raises
    InputError.
    """
    profile = _PROFILE_NAME.fullmatch(text.strip())
    if profile:
        return _profile_named(connection, profile[1].lower())
    if text.endswith(_CUT):
        begun = [code for code in _known(connection, "TRUE") if code.short == text]
        if begun:
            return _only(begun, text)
    kind, rest = _kind_and_rest(text)
    if kind is not None:
        return checked_code(kind, unescaped(rest))
    known = _known_by_payload(connection, text)
    if known:
        return _only(known, text)
    _refuse_misspelt_kind(text)
    return _surest(unescaped(text))


def is_code(connection: sqlite3.Connection, text: str) -> bool:
    """Whether ``text`` names a code for sure: by its kind, in digits, or as it was read or
    linked. Labels bear the keys of cards, so any other text can be a card as well.
    """
    named = _kind_and_rest(text)[0] or _DIGITS.fullmatch(text)
    return bool(named or _known_by_payload(connection, text))


def _kind_and_rest(text: str) -> tuple[Symbology | None, str]:
    named, colon, rest = text.partition(":")
    return (kind_named(named) if colon else None), rest


def _refuse_misspelt_kind(text: str) -> None:
    named, colon, rest = text.partition(":")
    spelled = _NOT_ALNUM.sub("", named.lower())
    near = nearest(spelled, _KINDS, 1, least=0.75) if colon else []
    if near:
        kind = Barcode(str(_KINDS[near[0]]), rest)
        raise input_error(
            Code.CODE_REFUSED,
            f"no kind of code is called {escaped(named)!r}",
            next_step=f"did you mean {kind.typed}? If it is all one Code 128: "
            f"{Barcode(str(Symbology.CODE_128), unescaped(text)).typed}",
        )


def _known_by_payload(connection: sqlite3.Connection, text: str) -> list[Barcode]:
    payload = unescaped(text)
    spellings = {payload, payload.rjust(13, "0")} if _DIGITS.fullmatch(payload) else {payload}
    marks = ",".join("?" * len(spellings))
    return _known(connection, f"payload IN ({marks})", *spellings)


def _profile_named(connection: sqlite3.Connection, checksum: str) -> Barcode:
    known = _known(
        connection, "symbology = ? AND payload LIKE '%:' || ?", str(Symbology.PROFILE), checksum
    )
    if not known:
        raise input_error(
            Code.PROFILE_UNKNOWN,
            f"no profile is called {checksum}",
            next_step="digideck barcode list shows those that are linked",
        )
    return _only(known, f"profile:{checksum}")


def _surest(payload: str) -> Barcode:
    """The code of a payload that was never seen, by its length; 8 digits are an EAN-8, or a
    UPC-E where only its check digit is right.

    Digits that nearly are an article number were mistyped: a Code 128 of them would
    never be met.
    """
    kind = _SUREST.get(len(payload)) if _DIGITS.fullmatch(payload) else None
    if kind is None:
        return checked_code(Symbology.CODE_128, payload)
    try:
        return checked_code(kind, payload)
    except InputError as error:
        if kind is Symbology.EAN_8 and is_upc_e(payload):
            return checked_code(Symbology.UPC_E, payload)
        to_do = f"check the digits; if it is a Code 128: Code128:{payload}"
        raise InputError(replace(error.problems[0], next_step=to_do)) from None


def _only(known: list[Barcode], text: str) -> Barcode:
    if len(known) == 1:
        return known[0]
    raise input_error(
        Code.CODE_AMBIGUOUS,
        f"{text!r} can be any of {len(known)} codes that were read or linked",
        have=len(known),
        next_step=f"name one of them: {', '.join(code.written for code in known)}",
    )


def _known(connection: sqlite3.Connection, condition: str, *values: str) -> list[Barcode]:
    """The codes that were read or linked, of which ``condition`` holds."""
    rows = connection.execute(
        f"""SELECT code_kind, payload FROM read WHERE {condition}
            UNION SELECT symbology, payload FROM link WHERE {condition}
            ORDER BY 1, 2""",
        (*values, *values),
    )
    return [Barcode(*row) for row in rows]


def links(connection: sqlite3.Connection) -> Iterator[Link]:
    """Every link, ordered by code."""
    rows = connection.execute(
        "SELECT symbology, payload, card_id, said FROM link ORDER BY symbology, payload, card_id"
    )
    for kind, payload, card_id, source in rows:
        yield Link(Barcode(kind, payload), card_id, source)


def cards_by_code(connection: sqlite3.Connection) -> dict[Barcode, tuple[int, ...]]:
    """The ids of the cards that each linked code is on."""
    found: dict[Barcode, tuple[int, ...]] = {}
    for link in links(connection):
        found[link.code] = (*found.get(link.code, ()), link.card_id)
    return found


def itf_lengths(codes: Iterable[Barcode]) -> frozenset[int]:
    """The lengths of the ITF codes among these. An ITF code has no check digit and any part
    of it reads as a shorter one: only these lengths are believed.
    """
    return frozenset(len(code.payload) for code in codes if code.kind == Symbology.ITF)


def codes_of(connection: sqlite3.Connection, card_id: int) -> list[Barcode]:
    """The codes that are linked to a card."""
    rows = connection.execute(
        "SELECT symbology, payload FROM link WHERE card_id = ? ORDER BY 1, 2", (card_id,)
    )
    return [Barcode(*row) for row in rows]


def cards_of(connection: sqlite3.Connection, code: Barcode) -> list[int]:
    """The ids of the cards that a code is on."""
    rows = connection.execute(
        "SELECT card_id FROM link WHERE symbology = ? AND payload = ? ORDER BY card_id",
        (code.kind, code.payload),
    )
    return [row[0] for row in rows]


def add_links(connection: sqlite3.Connection, new: Iterable[Link]) -> int:
    """Write links, the known ones left as they are; how many are new. In a transaction."""
    before = connection.total_changes
    connection.executemany(
        """INSERT OR IGNORE INTO link (symbology, payload, card_id, linked_at, said)
           VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)""",
        ((link.code.kind, link.code.payload, link.card_id, link.source) for link in new),
    )
    return connection.total_changes - before


def remove_links(connection: sqlite3.Connection, code: Barcode, card_id: int | None = None) -> int:
    """Forget the links of a code, or its link to one card; how many. In a transaction."""
    return connection.execute(
        """DELETE FROM link WHERE symbology = ? AND payload = ? AND (? IS NULL OR card_id = ?)""",
        (code.kind, code.payload, card_id, card_id),
    ).rowcount
