"""The bytes of the 2020 game's deck code (``DCG...``), versions 0 to 5.

Layout worked out from niamu/digimon-card-game (998e9106, folder codec) and its
published codes; the limits are those of codec/clojure/README.md there.

    "DCG" + base64url without padding of:
    byte 0    version << 4 | number of egg lines; versions 3 and 4: bit 3 is the language
    byte 1    sum of the bytes from 3 up to the deck's name, modulo 256
    byte 2    length of the name in bytes; version 5: language << 6 | length
    byte 3    from version 2: number of sideboard lines; from 4: bit 7 says that there is an icon
    groups    of card lines with one set and one width: eggs, main deck, sideboard
    name      UTF-8; with an icon its first 8 bytes are the number of the icon's card
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from digideck.core.codes import Code
from digideck.core.problems import RowError

PREFIX = "DCG"
NEWEST = 5
LANGUAGES = ("ja", "en", "zh-Hans", "ko")
MOST_EGG_LINES = 7
MOST_SIDE_LINES = 127
MOST_COPIES = 256
MOST_COPIES_V0 = 4
MOST_PARALLEL = 7
LONGEST_NAME = 63  # bytes, the icon included
ICON_WIDTH = 8
NUMBER = re.compile(r"([0-9A-Z]{1,4})-([0-9]{2,3})")

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_BASE36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST_VARINT = 5  # bytes


@dataclass(frozen=True, slots=True)
class CodeCard:
    """Copies of one printing; ``parallel`` 0 is the plain one."""

    number: str
    count: int
    parallel: int = 0


@dataclass(frozen=True, slots=True)
class CodeDeck:
    """What a code says. ``language`` is one of LANGUAGES from version 3 on, before it None.

    ``name_repaired`` tells that the name's length was given in characters, or that
    bytes of it are no UTF-8.
    """

    version: int
    eggs: tuple[CodeCard, ...] = ()
    main: tuple[CodeCard, ...] = ()
    side: tuple[CodeCard, ...] = ()
    name: str = ""
    language: str | None = None
    icon: str | None = None
    name_repaired: bool = False


def decode(code: str) -> CodeDeck:
    """The deck in ``code``. Raises RowError naming the byte or character at fault."""
    data = _from_base64(code)
    if len(data) < 3:
        raise RowError(Code.CODE_SHORT, f"{len(data)} bytes; the shortest code has 3")
    version = data[0] >> 4
    if version > NEWEST:
        raise RowError(
            Code.CODE_VERSION,
            f"byte 0 says version {version}; versions 0 to {NEWEST} are known",
        )
    header = 4 if version >= 2 else 3
    name_length = data[2] & 0x3F if version >= 5 else data[2]
    end, repaired = _end_of_cards(data, header, name_length)
    cards = tuple(_cards(_Bytes(data, header, end), version))
    eggs = data[0] & (0x07 if version in (3, 4) else 0x0F)
    side = (data[3] & (0x7F if version >= 4 else 0xFF)) if version >= 2 else 0
    if eggs + side > len(cards):
        raise RowError(
            Code.CODE_COUNTS,
            f"byte 0 says {eggs} lines of eggs and byte 3 {side} of sideboard, "
            f"but there are {len(cards)} lines in all",
        )
    name, icon, damaged = _name(data[end:], version >= 4 and bool(data[3] & 0x80))
    return CodeDeck(
        version,
        cards[:eggs],
        cards[eggs : len(cards) - side],
        cards[len(cards) - side :],
        name,
        _language(data, version),
        icon,
        repaired or damaged,
    )


def _from_base64(code: str) -> bytes:
    import binascii

    body = code.removeprefix(PREFIX).rstrip("=")
    for place, char in enumerate(body, start=len(PREFIX) + 1):
        if char not in _ALPHABET:
            raise RowError(
                Code.CODE_CHARACTER, f"character {place} is {char!r}, which no deck code has"
            )
    if len(body) % 4 == 1:
        raise RowError(
            Code.CODE_SHORT, f"{len(body)} characters after {PREFIX}: one is missing or too many"
        )
    standard = body.translate(str.maketrans("-_", "+/")) + "=" * (-len(body) % 4)
    return binascii.a2b_base64(standard)


def _end_of_cards(data: bytes, header: int, name_length: int) -> tuple[int, bool]:
    """Where the cards end and the name begins, and whether the length had to be repaired.

    One encoder in the field gives the name's length in characters, not in bytes.
    """
    end = len(data) - name_length
    have = sum(data[3:end]) & 0xFF
    if end >= header and have == data[1]:
        return end, False
    for start in range(max(header, end - 3 * name_length), min(end, len(data))):
        if sum(data[3:start]) & 0xFF == data[1] and _characters(data[start:]) == name_length:
            return start, True
    if end < header:
        raise RowError(
            Code.CODE_SHORT,
            f"byte 2 says that {name_length} bytes of name follow, but there are "
            f"{max(0, len(data) - header)} bytes in all: the end is missing",
        )
    raise RowError(
        Code.CODE_CHECKSUM,
        f"byte 1, the checksum, is 0x{data[1]:02X}, but bytes 3 to {end - 1} add up to "
        f"0x{have:02X}: a character was lost or changed",
    )


def _characters(name: bytes) -> int | None:
    try:
        return len(name.decode().strip())
    except UnicodeDecodeError:
        return None


def _language(data: bytes, version: int) -> str | None:
    if version < 3:
        return None
    return LANGUAGES[data[2] >> 6 if version >= 5 else data[0] >> 3 & 1]


def _name(data: bytes, has_icon: bool) -> tuple[str, str | None, bool]:
    """Name, icon, and whether bytes had to be replaced."""
    icon = data[:ICON_WIDTH].decode("ascii", "replace").strip() if has_icon else None
    rest = data[ICON_WIDTH:] if has_icon else data
    name = rest.decode("utf-8", "replace")
    return name, icon or None, "\ufffd" in name


class _Bytes:
    """The bytes of the cards, taken one after the other."""

    def __init__(self, data: bytes, place: int, end: int) -> None:
        self.data = data
        self.place = place
        self.end = end

    def next(self, what: str) -> int:
        if self.place >= self.end:
            raise RowError(
                Code.CODE_SHORT, f"the cards end at byte {self.end}, in the middle of {what}"
            )
        self.place += 1
        return self.data[self.place - 1]

    def rest(self, first: int, bits: int, what: str) -> int:
        """The number that begins with the low ``bits`` of ``first``; the bit above them
        says that 7 bits each follow, the lowest first.
        """
        value = first & ((1 << bits) - 1)
        more = bool(first & (1 << bits))
        shift = bits
        while more:
            if shift > bits + 7 * _LONGEST_VARINT:
                raise RowError(Code.CODE_NUMBER, f"byte {self.place}: {what} is too large a number")
            byte = self.next(what)
            value |= (byte & 0x7F) << shift
            shift += 7
            more = byte >= 0x80
        return value


def _cards(data: _Bytes, version: int) -> Iterator[CodeCard]:
    while data.place < data.end:
        card_set = _set_v0(data) if version == 0 else _set(data)
        head = data.next(f"the group of {card_set}")
        width = (head >> 6) + 1
        what = f"the cards of {card_set}"
        count = data.rest(head, 5, what) if version >= 2 else head & 0x3F
        number = 0
        for _ in range(count):
            if version == 0:
                byte = data.next(what)
                copies, parallel = (byte >> 6) + 1, byte >> 3 & 0x07
                number += data.rest(byte, 2, what)
            else:
                copies = data.next(what) + 1
                byte = data.next(what)
                parallel = byte >> 5
                number += data.rest(byte, 4, what)
            yield CodeCard(f"{card_set}-{number:0{width}}", copies, parallel)


def _set_v0(data: _Bytes) -> str:
    start = data.place
    raw = bytes(data.next("a set") for _ in range(4))
    card_set = raw.decode("ascii", "replace").rstrip()
    if not (card_set.isascii() and card_set.isalnum()):
        raise RowError(Code.CODE_SET, f"bytes {start} to {start + 3} are no set: {card_set!r}")
    return card_set


def _set(data: _Bytes) -> str:
    letters = ""
    while True:
        byte = data.next("a set")
        if byte & 0x7F >= len(_BASE36):
            raise RowError(
                Code.CODE_SET, f"byte {data.place - 1} is 0x{byte:02X}, no letter or digit of a set"
            )
        letters += _BASE36[byte & 0x7F]
        if byte < 0x80:
            return letters


def encode(deck: CodeDeck) -> str:
    """The code for ``deck`` in its version. Raises RowError for what does not fit."""
    import binascii

    cards = b"".join(_groups(part, deck.version) for part in (deck.eggs, deck.main, deck.side))
    _check_counts(deck)
    name = _name_bytes(deck)
    language = LANGUAGES.index(deck.language or "en")
    header = [deck.version << 4 | len(deck.eggs), 0, len(name)]
    if deck.version in (3, 4):
        header[0] |= (deck.language != "ja") << 3
    if deck.version >= 5:
        header[2] |= language << 6
    if deck.version >= 2:
        icon = 0x80 if deck.version >= 4 and deck.icon else 0
        header.append(icon | len(deck.side))
    body = bytes(header[3:]) + cards
    header[1] = sum(body) & 0xFF
    data = bytes(header[:3]) + body + name
    text = binascii.b2a_base64(data, newline=False).decode("ascii")
    return PREFIX + text.rstrip("=").translate(str.maketrans("+/", "-_"))


def _check_counts(deck: CodeDeck) -> None:
    if len(deck.eggs) > MOST_EGG_LINES:
        raise RowError(
            Code.CODE_EGGS, f"{len(deck.eggs)} different Digi-Eggs, the code holds {MOST_EGG_LINES}"
        )
    if len(deck.side) > MOST_SIDE_LINES:
        raise RowError(
            Code.CODE_SIDE,
            f"{len(deck.side)} different cards in the sideboard, the code holds {MOST_SIDE_LINES}",
        )


def _name_bytes(deck: CodeDeck) -> bytes:
    icon = deck.icon.ljust(ICON_WIDTH) if deck.version >= 4 and deck.icon else ""
    name = (icon + deck.name).rstrip().encode()
    if len(name) > LONGEST_NAME or len(icon) > ICON_WIDTH or not icon.isascii():
        raise RowError(
            Code.CODE_NAME, f"a name of {len(name)} bytes, the code holds {LONGEST_NAME}"
        )
    return name


def fault_of(card: CodeCard, version: int = NEWEST) -> str | None:
    """Why ``card`` does not fit into a code, or None if it does."""
    if not NUMBER.fullmatch(card.number):
        return "a code holds numbers such as BT1-001: 1 to 4 capital letters or digits, 2 or 3 more"
    most = MOST_COPIES_V0 if version == 0 else MOST_COPIES
    if not 1 <= card.count <= most:
        return f"a code holds 1 to {most} copies of a card"
    if not 0 <= card.parallel <= MOST_PARALLEL:
        return f"a code tells apart {MOST_PARALLEL} printings beside the plain one"
    return None


def _groups(cards: Sequence[CodeCard], version: int) -> bytes:
    out = bytearray()
    for card in cards:
        fault = fault_of(card, version)
        if fault:
            raise RowError(Code.CODE_CARD, f"{card.number}: {fault}")
    ordered = sorted(cards, key=lambda card: (card.number, card.parallel))
    for (card_set, width), members in groupby(ordered, key=_set_and_width):
        group = list(members)
        out += _set_bytes(card_set, version)
        if version >= 2:
            out += _varint((width - 1) << 6, len(group), 5)
        elif len(group) <= 0x3F:
            out.append((width - 1) << 6 | len(group))
        else:
            raise RowError(Code.CODE_SET, f"{len(group)} different cards of {card_set}")
        previous = 0
        for card in group:
            number = int(card.number.partition("-")[2])
            if version == 0:
                bits = (card.count - 1) << 6 | card.parallel << 3
                out += _varint(bits, number - previous, 2)
            else:
                out.append(card.count - 1)
                out += _varint(card.parallel << 5, number - previous, 4)
            previous = number
    return bytes(out)


def _set_and_width(card: CodeCard) -> tuple[str, int]:
    card_set, _, digits = card.number.partition("-")
    return card_set, len(digits)


def _set_bytes(card_set: str, version: int) -> bytes:
    if version == 0:
        return card_set.ljust(4).encode("ascii")
    values = [_BASE36.index(letter) | 0x80 for letter in card_set]
    values[-1] &= 0x7F
    return bytes(values)


def _varint(high: int, value: int, bits: int) -> bytes:
    """The low ``bits`` of ``value`` beside ``high``, then 7 bits to a byte; see `_Bytes.rest`."""
    out = bytearray()
    more = value >> bits
    out.append(high | (1 << bits if more else 0) | value & ((1 << bits) - 1))
    while more:
        out.append((0x80 if more >> 7 else 0) | more & 0x7F)
        more >>= 7
    return bytes(out)
