"""Deck lists as people type them, read without a database.

A line is a count, a name and a number in any of the usual orders. Nothing is
dropped silently: a line that cannot be read becomes a problem with its number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import edition_key, plain
from digideck.core.problems import Problem, Severity
from digideck.core.strict_yaml import Text
from digideck.decks.model import (
    BRACKETS,
    MAIN,
    MOST_ON_A_LINE,
    SIDE,
    TEXT_DETAILS,
    Deck,
    DeckLine,
    DeckVocabulary,
)

LONGEST_LINE = 500

_NEWLINE = re.compile(r"\r\n|[\r\n\f\x85\u2028\u2029]")
_TABS = re.compile(r"\s*\t\s*")
_SPACES = re.compile(r"[^\S\t]+")
_COMMENT = re.compile(r"(?:#|//)\s*")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_DETAIL = re.compile(rf"({'|'.join(TEXT_DETAILS)}|deck name)\s*:\s*(.*)", re.IGNORECASE)
_NAME_DETAIL = re.compile(r"(?:deck|title)\s*:\s*(?=.*[^\W\d])(.+)", re.IGNORECASE)
# What programs write above their lists: neither a name nor a comment.
_TITLES = {
    search_key(title) for title in ("DeckList", "Digimon DeckList", "DigimonCard.io DeckList")
}
_BANNER = re.compile(r"exported from\b", re.IGNORECASE)
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

_X = "[xX×✕]"
_N = "([-+]?[0-9]+)"
_COUNT_FIRST = re.compile(
    rf"""{_N}\s*[xX×✕*]\s+ | {_N}[x×](?=[A-Z]|[^\x00-\x7f]) | {_X}([0-9]+)\s+ | {_N}(?:\s+|$)
       | \({_X}?([0-9]{{1,3}}){_X}?\)\s* | {_N}\s*枚\s*""",
    re.VERBOSE,
)
_COUNT_LAST = re.compile(
    rf"""(?: \s+{_X}\s*{_N} | \s+{_N}{_X} | \s*[×✕]\s*{_N}
           | (?<=[^\x00-\x7f]){_X}{_N}  # アグモンx3, written without a space
           | \s*\({_X}?\s*([0-9]{{1,3}})\) | \s*{_X}?\s*{_N}\s*枚 | \s+\*\s*{_N} )$""",
    re.VERBOSE,
)
_BARE_COUNT_LAST = re.compile(r"\s+([-+]?[0-9]+)$")
_COUNT_FIELD = re.compile(rf"{_X}?([-+]?[0-9]+)\s*[xX×✕枚]?")
_BULLET = re.compile(r"^(?:[-*]\s+|[•・●○■□◆◇▪‣]\s*)(?=\S)")
_TRAILING_COMMENT = re.compile(r"\s#\s.*")
_NUMBER_LIKE = re.compile(r"[A-Za-zα.]{1,6}[0-9]{0,2}-[0-9]{1,4}[A-Za-z]{0,3}")
_GAME_PREFIX = re.compile(r"([a-z-]+)/(.+)")


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


_VARIATIONS = frozenset(map(chr, range(0xFE00, 0xFE10)))  # how a character is to look


def clean(raw: str) -> str:
    """``raw`` in one spelling of spaces, digits and brackets, control characters gone."""
    if not (raw.isascii() and raw.isprintable()):
        text = unicodedata.normalize("NFKC", raw)
        raw = "".join(
            char
            for char in text
            if char == "\t"
            or (unicodedata.category(char) not in ("Cc", "Cf") and char not in _VARIATIONS)
        )
    return _TABS.sub("\t", _SPACES.sub(" ", raw)).strip()


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
        if not text or _URL.fullmatch(text) or _BANNER.match(text):
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
        elif not 1 <= line.count <= MOST_ON_A_LINE:
            self.unreadable(place, text, f"a count of {shown_count(line.count)}")
        else:
            self.lines.append(line)

    def unreadable(self, place: int, text: str, reason: str) -> None:
        self.problems.append(unreadable_line(self.file, place, text, reason))


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


def shown_count(count: int) -> str:
    """A count for messages; a number of thirty digits helps nobody."""
    return str(count) if abs(count) < 10**9 else "more than a billion"


def card_line(text: str, words: DeckVocabulary, *, zone: str, place: int | None) -> DeckLine | None:
    """The card that ``text`` names with its copies, or None if it names none.

    ``text`` has been through `clean`. The count may be out of range.
    """
    if "\t" in text:
        return _tabbed_line(text, words, zone, place)
    count, rest, whole = _split_count(text, words)
    if not any(char.isalnum() for char in rest):
        return None
    number, edition, name, bare_name = _split_number(rest, words)
    game, number, variant = _split_game(number, words)
    explicit = number is not None or rest != text
    return DeckLine(
        1 if count is None else count,
        rest,
        number,
        name,
        edition,
        game,
        zone,
        place,
        bare_name,
        whole,
        explicit,
        variant,
    )


def looks_like_number(text: str, words: DeckVocabulary) -> bool:
    """Whether ``text`` as a whole can be a card's number, of a known game or another."""
    bare = _without_game(clean(text).partition("@")[0])
    return words.is_number(bare) or bool(
        _NUMBER_LIKE.fullmatch(plain(words.split_variant(bare)[0]))
    )


def numbered_line(
    count: int,
    number: str,
    words: DeckVocabulary,
    *,
    name: str = "",
    zone: str = MAIN,
    place: int | None = None,
    set_code: str | None = None,
    edition: str | None = None,
) -> DeckLine:
    """The line for a card whose number stands alone, as ``game/NUMBER_P1@edition``."""
    bare, marked = _marked_edition(clean(number))
    game, bare_number, variant = _split_game(bare or None, words)
    name = clean(name)
    text = " ".join(part for part in (bare, name) if part)
    return DeckLine(
        count,
        text,
        bare_number,
        name,
        marked or edition,
        game,
        zone,
        place,
        variant=variant,
        set_code=set_code or None,
    )


def _split_count(text: str, words: DeckVocabulary) -> tuple[int | None, str, str | None]:
    """Count, the rest, and the text as a whole where the count may be part of a name."""
    first = _COUNT_FIRST.match(text)
    if first:
        return _integer(first), text[first.end() :].strip(), None
    last = _COUNT_LAST.search(text)
    if last:
        return _integer(last), text[: last.start()].strip(), text
    bare = _BARE_COUNT_LAST.search(text)
    if bare:
        return _integer(bare), text[: bare.start()].strip(), text
    return None, text, None


def _integer(match: re.Match[str]) -> int:
    digits = next(group for group in match.groups() if group is not None)
    return int(digits[:40])  # longer ones are out of range anyway, and int() refuses 4,300 digits


def _split_number(
    text: str, words: DeckVocabulary
) -> tuple[str | None, str | None, str, str | None]:
    """Number, edition, name, and the name without brackets that may not belong to it."""
    number = edition = None
    name = text
    doubtful: list[str] = []
    for group in reversed(list(BRACKETS.finditer(text))):
        content = group[1].strip()
        candidate, marked = _marked_edition(content)
        if number is None and words.is_number(_without_game(candidate)):
            number, edition = candidate, marked or edition
        elif edition_key(content) in words.editions:
            edition = edition_key(content)
        elif search_key(content) in words.tags:
            pass
        else:
            doubtful.append(group[0])
            continue
        name = name.replace(group[0], " ", 1)
    if number is None:
        number, marked, name = _number_token(name, words)
        edition = marked or edition
    name = _tidy(name)
    bare_name = name
    for group_text in doubtful:
        bare_name = bare_name.replace(group_text, " ")
    bare_name = _tidy(bare_name)
    return number, edition, name, bare_name if bare_name not in ("", name) else None


def _number_token(text: str, words: DeckVocabulary) -> tuple[str | None, str | None, str]:
    """The last token that some game's numbers look like, else a first or last one
    that looks like a card number at all.
    """
    tokens = text.split(" ")
    fitting = [index for index, token in enumerate(tokens) if _is_known_number(token, words)]
    if not fitting:
        ends = (len(tokens) - 1, 0)
        fitting = [index for index in ends if _NUMBER_LIKE.fullmatch(plain(_core(tokens[index])))][
            :1
        ]
    if not fitting:
        return None, None, text
    number, edition = _marked_edition(_core(tokens[fitting[-1]]))
    rest = tokens[: fitting[-1]] + tokens[fitting[-1] + 1 :]
    return number, edition, " ".join(rest)


def _marked_edition(text: str) -> tuple[str, str | None]:
    """Number and edition of ``St-1@French``."""
    number, _, edition = text.partition("@")
    return number, edition_key(edition) or None


def _core(token: str) -> str:
    return token.strip(",;:()[]")


def _is_known_number(token: str, words: DeckVocabulary) -> bool:
    return words.is_number(_without_game(_core(token).partition("@")[0]))


def _without_game(text: str) -> str:
    match = _GAME_PREFIX.fullmatch(text)
    return match[2] if match else text


def _split_game(
    number: str | None, words: DeckVocabulary
) -> tuple[str | None, str | None, str | None]:
    """Game, number and the mark of a printing, of ``game/NUMBER_P1``."""
    if not number:
        return None, None, None
    match = _GAME_PREFIX.fullmatch(number)
    if match and match[1] in words.games:
        return match[1], *words.split_variant(match[2])
    return None, *words.split_variant(number)


def _tidy(name: str) -> str:
    return _SPACES.sub(" ", name).strip(" ,;:-–—|\t")


def _tabbed_line(text: str, words: DeckVocabulary, zone: str, place: int | None) -> DeckLine | None:
    """Columns: whichever is a count, whichever is a number, then the name, then the set."""
    count: int | None = None
    number: str | None = None
    others: list[str] = []
    for column in _columns(text):
        match = _COUNT_FIELD.fullmatch(column)
        if match and count is None:
            count = _integer(match)
        elif number is None and _is_known_number(column, words):
            number = column
        else:
            others.append(column)
    if number is None and not others:
        return None
    name = others[0] if others else ""
    set_code = others[1] if len(others) > 1 else None
    count = 1 if count is None else count
    if number is not None:
        return numbered_line(
            count, number, words, name=name, zone=zone, place=place, set_code=set_code
        )
    text = name
    number, edition, name, bare_name = _split_number(name, words)
    game, number, variant = _split_game(number, words)
    return DeckLine(
        count,
        text,
        number,
        name,
        edition,
        game,
        zone,
        place,
        bare_name,
        variant=variant,
        set_code=set_code,
    )


def _columns(text: str) -> Iterator[str]:
    for column in text.split("\t"):
        stripped = column.strip().strip('"').strip()
        if stripped:
            yield stripped
