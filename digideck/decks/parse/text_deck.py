"""Deck lists as people type them, read without a database.

A line is a count, a name and a number in any of the usual orders. Nothing is
dropped silently: a line that cannot be read becomes a problem with its number.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from digideck.catalog.mention_text import clean, numbered, read_copies
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import Problem, Severity
from digideck.core.strict_yaml import Text
from digideck.decks.model import (
    MAIN,
    MOST_ON_A_LINE,
    SIDE,
    TEXT_DETAILS,
    Deck,
    DeckLine,
    DeckVocabulary,
    deck_line,
)

LONGEST_LINE = 500

_NEWLINE = re.compile(r"\r\n|[\r\n\f\x85\u2028\u2029]")
_COMMENT = re.compile(r"(?:#|//)\s*")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_DETAIL = re.compile(rf"({'|'.join(TEXT_DETAILS)}|deck name)\s*:\s*(.*)", re.IGNORECASE)
_NAME_DETAIL = re.compile(r"(?:deck|title)\s*:\s*(?=.*[^\W\d])(.+)", re.IGNORECASE)
# What programs write above their lists: neither a name nor a comment.
_TITLES = {
    search_key(title) for title in ("DeckList", "Digimon DeckList", "DigimonCard.io DeckList")
}
_BANNER = re.compile(r"exported (?:from|by|with)\b", re.IGNORECASE)
_NAME_LINE = re.compile(r"name\s+(\S.*)", re.IGNORECASE)
_FRAMED_NAME = re.compile(r"#{2,}\s*([^#\s].*?)\s*#{2,}")
_ADDRESS = re.compile(r"https?://\S*?[?&]deck=([^&#\s]+)\S*", re.IGNORECASE)
_SIDE_PREFIX = re.compile(r"(?:sb|side)\s*:\s*(?=\S)", re.IGNORECASE)
_TOTAL = re.compile(r"(.+?)\s*[:= ]\s*([0-9]{1,6})(?:\s*(?:cards?|枚))?", re.IGNORECASE)
_TOTAL_FIRST = re.compile(r"([0-9]{1,6})\s*(cards|cards total|cards in total|total)", re.IGNORECASE)
_HEADING = re.compile(
    r"""[\[(【=*_~>-]*\s* (.+?) (?:\s+cards?)? \s*[\])】]*\s*
        (?:[\[(]\s*[0-9]{1,4}\s*枚?\s*[\])] | [0-9]{1,4}\s*枚)? \s*[\])】=*_~:-]*""",
    re.VERBOSE | re.IGNORECASE,
)
_OTHER_HEADING = re.compile(r"[^\d:]*[^\W\d][^\d:]*:")
_TOTAL_WORDS = {
    search_key(word) for word in ("total", "total cards", "cards", "deck size", "合計", "計")
}
_TIGHT_TOTAL = re.compile(r"(合計|計)([0-9]{1,6})枚?")
_NUMBERED = re.compile(r"\s*([0-9]{1,3})[.)]\s+(?=\S)")

_BULLET = re.compile(r"^(?:[-*]\s+|[•・●○■□◆◇▪‣]\s*)(?=\S)")
_TRAILING_COMMENT = re.compile(r"\s#\s.*")


def read_text_deck(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in ``text``. Zones, counts and numbers are told apart by ``words``."""
    reader = _TextDeck(file, words)
    for place, raw in enumerate(_without_list_numbers(_NEWLINE.split(text)), start=1):
        reader.read_line(place, raw)
    reader.close_section()
    reader.check_total()
    if any(reader.comments):
        reader.details["comment"] = "\n".join(reader.comments)
    return Deck(file, tuple(reader.lines), tuple(reader.problems), reader.details)


def _without_list_numbers(lines: list[str]) -> list[str]:
    """The lines without "1." and "2)" before them, where these just number the lines."""
    numbered = [
        (place, match) for place, raw in enumerate(lines) if (match := _NUMBERED.match(raw))
    ]
    if len(numbered) < 2 or [int(match[1]) for _, match in numbered] != list(
        range(1, len(numbered) + 1)
    ):
        return lines
    result = list(lines)
    for place, match in numbered:
        result[place] = lines[place][match.end() :]
    return result


def _printable(raw: str) -> str:
    """``raw`` without control characters and without spaces around it."""
    return "".join(char for char in raw if unicodedata.category(char) != "Cc").strip()


class _TextDeck:
    """The state of reading one file: the zone, and the totals that were claimed."""

    def __init__(self, file: str, words: DeckVocabulary) -> None:
        self.file = file
        self.words = words
        self.lines: list[DeckLine] = []
        self.problems: list[Problem] = []
        self.details: dict[str, str] = {}
        self.comments: list[str] = []
        self.zone = MAIN
        self.place = 0
        self.claimed_total: tuple[int, int] | None = None  # cards, line
        self.section: tuple[str, int, int, int] | None = None  # name, cards, line, lines before

    def read_line(self, place: int, raw: str) -> None:
        self.place = place
        if len(raw) > LONGEST_LINE:
            if raw.lstrip().startswith(("#", "//")):
                self.add_comment(_printable(raw.lstrip(" \t#/")))
                return
            self.unreadable(place, f"{raw[:40]}...", f"a line of {len(raw):,} characters")
            return
        text = clean(raw)
        address = _ADDRESS.fullmatch(text)
        if address:
            self.read_address(address[1], place)
            return
        if not text or _URL.fullmatch(text) or _BANNER.match(text):
            return
        if self.read_first_line(text):
            return
        comment = _COMMENT.match(text)
        if comment:
            self.read_comment(text[comment.end() :], raw)
        elif not (
            self.read_detail(text, raw)
            or self.read_total(text, place)
            or self.read_heading(text)
            or self.read_other_heading(text, place)
        ):
            self.read_card(text, place)

    def read_address(self, cards: str, place: int) -> None:
        """The cards in the address of a deck builder: ``?deck=4+BT1-010,3+BT1-029``."""
        for card in unquote(cards.replace("+", " ")).split(","):
            if card.strip():
                self.read_card(clean(card.replace("+", " ")), place)

    def read_first_line(self, text: str) -> bool:
        """``Name My deck`` and ``### My deck ###`` above the cards are the deck's name."""
        if self.lines or "name" in self.details:
            return False
        named = _FRAMED_NAME.fullmatch(text) or _NAME_LINE.fullmatch(text)
        if not named or self.read_heading(named[1]):
            return False
        self.details["name"] = Text(named[1], self.place)
        return True

    def read_comment(self, text: str, raw: str) -> None:
        """A comment may be a header or the heading of a section, else it is one."""
        if not text or self.read_detail(text, raw) or self.read_heading(text):
            return
        if search_key(text) not in _TITLES:
            self.add_comment(text)

    def add_comment(self, text: str) -> None:
        """Comments are kept as one detail, a line each."""
        self.comments.append(text.removeprefix("comment:").strip())

    def read_detail(self, text: str, raw: str) -> bool:
        """A header such as "name: Blue"; its value stays as it was written."""
        named = _NAME_DETAIL.fullmatch(text)
        if named:
            self.details.setdefault("name", Text(_printable(raw.partition(":")[2]), self.place))
            return True
        match = _DETAIL.fullmatch(text)
        if not match:
            return False
        key = match[1].lower().removeprefix("deck ")
        value = _printable(raw.partition(":")[2]) or match[2].strip()
        if key == "comment":
            self.comments.append(value)
        elif value:
            self.details.setdefault(key, Text(value, self.place))
        return True

    def read_total(self, text: str, place: int) -> bool:
        first = _TOTAL_FIRST.fullmatch(text)
        if first:
            self.claimed_total = (int(first[1]), place)
            return True
        match = _TOTAL.fullmatch(text) or _TIGHT_TOTAL.fullmatch(text)
        if not match:
            return False
        key, cards = search_key(match[1]), int(match[2])
        if key in _TOTAL_WORDS:
            self.claimed_total = (cards, place)
        elif key in self.words.headings or key in self.words.zones:
            self.read_heading(match[1])
            self.section = (match[1], cards, place, len(self.lines))
        else:
            return False
        return True

    def read_heading(self, text: str) -> bool:
        match = _HEADING.fullmatch(text)
        key = search_key(match[1]) if match else ""
        if key not in self.words.zones and key not in self.words.headings:
            return False
        self.close_section()
        self.zone = self.words.zones.get(key, self.zone)
        return True

    def read_other_heading(self, text: str, place: int) -> bool:
        """Take "Tokens:" as a heading; a card's name has no colon at its end."""
        if not _OTHER_HEADING.fullmatch(text) or self.words.is_number(text.rstrip(":")):
            return False
        self.close_section()
        self.problems.append(
            Problem(
                Code.HEADING_UNKNOWN,
                Severity.NOTE,
                f"{text!r} was taken as a heading; the cards below it count as the deck's",
                self.file,
                place,
                next_step="begin the line with # if it is none",
            )
        )
        return True

    def close_section(self) -> None:
        """Check what a heading such as "Digimon: 20" claimed of the lines below it."""
        if self.section:
            name, claimed, place, before = self.section
            have = sum(line.count for line in self.lines[before:])
            if have and have != claimed:
                self.warn_of_total(f"{name}: {claimed}", claimed, have, place)
            self.section = None

    def check_total(self) -> None:
        if self.claimed_total:
            claimed, place = self.claimed_total
            # A first line without count and number may be the deck's name.
            counted = self.lines[not (self.lines and self.lines[0].explicit) :]
            have = sum(line.count for line in counted)
            if have != claimed:
                self.warn_of_total(f"a total of {claimed}", claimed, have, place)

    def warn_of_total(self, said: str, claimed: int, have: int, place: int) -> None:
        self.problems.append(
            Problem(
                Code.TOTAL_DIFFERS,
                Severity.WARNING,
                f"the list says {said}, but its lines add up to {have}",
                self.file,
                place,
                have=have,
                allowed=claimed,
                next_step="check the counts for a slip",
            )
        )

    def read_card(self, text: str, place: int) -> None:
        zone = self.zone
        text = _TRAILING_COMMENT.sub("", _BULLET.sub("", text))
        side = _SIDE_PREFIX.match(text)
        if side:
            zone, text = SIDE, text[side.end() :]
        line = card_line(text, self.words, zone=zone, place=place)
        if line is None:
            self.unreadable(place, text, "no card name or number")
        elif line.unclear:
            reason = f"two counts, {line.count} and {line.unclear}"
            self.unreadable(place, text, reason)
        elif not 1 <= line.count <= MOST_ON_A_LINE:
            self.unreadable(place, text, f"a count of {shown_count(line.count)}")
        else:
            self.lines.append(line)
            if line.finish:
                self.problems.append(finish_left_out(self.file, line))

    def unreadable(self, place: int, text: str, reason: str) -> None:
        self.problems.append(unreadable_line(self.file, place, text, reason))


def is_address(text: str) -> bool:
    """Whether ``text`` is a web address that has the cards of a deck in it."""
    return bool(_ADDRESS.fullmatch(text))


def unreadable_line(file: str, place: int | None, text: str, reason: str) -> Problem:
    """The error for a line that cannot be read as cards."""
    return Problem(
        Code.LINE_UNREADABLE,
        Severity.ERROR,
        f"cannot read {text!r}: {reason}",
        file,
        place,
        allowed=f"1 to {MOST_ON_A_LINE} copies of a card",
        next_step='write a count and a card, such as "3 Agumon", "St-1 x3" or "3x Agumon (St-1)"; '
        "begin comments with #",
    )


def finish_left_out(file: str, line: DeckLine) -> Problem:
    """The note on a finish, which no deck has a place for."""
    message = f"{line.shown}: the finish {line.finish!r} was left out, a deck has none"
    return Problem(Code.FINISH_LEFT_OUT, Severity.NOTE, message, file, line.line)


def shown_count(count: int) -> str:
    """A count for messages; a number of thirty digits helps nobody."""
    return str(count) if abs(count) < 10**9 else "more than a billion"


def card_line(text: str, words: DeckVocabulary, *, zone: str, place: int | None) -> DeckLine | None:
    """The card that ``text`` names with its copies, or None if it names none.

    ``text`` has been through `clean`. The count may be out of range.
    """
    mention = read_copies(text, words)
    return deck_line(mention, zone, place) if mention else None


def numbered_line(
    count: int,
    number: str,
    words: DeckVocabulary,
    *,
    name: str = "",
    zone: str = MAIN,
    place: int | None = None,
    edition: str | None = None,
) -> DeckLine:
    """The line for a card whose number stands alone, as ``game/NUMBER_P1@edition``."""
    mention = numbered(count, number, words, name=name, edition=edition)
    return deck_line(mention, zone, place)
