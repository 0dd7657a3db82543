"""Single values: what spreadsheets did to them, and one spelling of spaces and kana."""

from __future__ import annotations

import re
import unicodedata

from digideck.core.numbers import plain
from digideck.files.tables import is_error_value
from digideck.importers.rows import DAMAGE

LONGEST_TEXT = 200  # characters; a fact is short, the text of a card is not
LONGEST_ITEM = 120

_QUOTED = re.compile(r'="((?:[^"]|"")*)"')
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"""[0-9]{{1,2}}[-/. ]{_MONTH}(?:[-/. ][0-9]{{2,4}})?   # 1-Sep, 1-Sep-01
       | {_MONTH}[-/. ][0-9]{{1,4}}                          # Sep-01
       | [0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}(?:[ T][0-9:.]+)?   # 2001-09-01
       | [0-9]{{1,2}}[/.][0-9]{{1,2}}[/.][0-9]{{2,4}}        # 9/1/2001
       | [0-9]{{1,2}}月[0-9]{{1,2}}日""",
    re.IGNORECASE | re.VERBOSE,
)
_BEGINS_DAMAGED = re.compile("[-+0-9JFMASONDjfmasond]")  # a digit or a month
_SERIAL = re.compile(r"[34][0-9]{4}(?:\.0+)?")  # days since 1900: 1982 to 2036
_SCIENTIFIC = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?E[-+]?[0-9]+", re.IGNORECASE)
_AS_TEXT = "format the column as text, put the values in again and save; or export from the source"


def cleaned(text: str) -> str:
    """``text`` with each run of spaces of any kind as one, and kana composed.

    Control and format characters go. The printed form stays otherwise: what is
    full-width or half-width is folded for looking up only.
    """
    text = unicodedata.normalize("NFC", text)
    if text.isprintable():
        return text
    kept = (
        char
        for char in text
        if char.isspace() or unicodedata.category(char) not in ("Cc", "Cf", "Co", "Cn")
    )
    return " ".join("".join(kept).split())


def repaired(text: str) -> tuple[str, str | None]:
    """A cell cleaned, and what is wrong with it: a formula or an error value.

    What this program writes for spreadsheets is undone: ="St-1" is St-1, and a
    quote before = + - @ goes.
    """
    if text.startswith(DAMAGE):
        return text, text.removeprefix(DAMAGE)
    text = cleaned(text)
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return cleaned(quoted[1].replace('""', '"')), None
    if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@"):
        return text[1:], None
    if is_error_value(text):
        return text, f"{text} is a spreadsheet's error, not a value"
    if text.startswith("=") and len(text) > 1:
        return text, f"{text[:40]} is a formula, not a value"
    return text, None


def number_damage(number: str) -> tuple[str, str] | None:
    """What a spreadsheet made of a card number (as `plain` gives it), and what to do."""
    if not _BEGINS_DAMAGED.match(number):
        return None
    if _DATE.fullmatch(number):
        return f"{number} is a date, which a spreadsheet makes of card numbers", _AS_TEXT
    if _SCIENTIFIC.fullmatch(number):
        return f"{number} is a number in scientific form, not a card number", _AS_TEXT
    return None


def serial_damage(number: str) -> tuple[str, str] | None:
    """Whether a bare number may be a date's serial number."""
    if _SERIAL.fullmatch(plain(number)):
        return f"{number} looks like the serial number of a date", _AS_TEXT
    return None


def figure(text: str) -> tuple[str, str | None]:
    """A figure, yes or no as `parse_field` wants it, and what is wrong with it."""
    text = plain(text)
    if _SCIENTIFIC.fullmatch(text):
        return text, f"{text} is in scientific form: a spreadsheet rounded it"
    if text.endswith(".0") and text[:-2].isdigit():
        return text[:-2], None
    return text, None
