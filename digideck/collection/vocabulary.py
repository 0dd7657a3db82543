"""What is recorded of copies: conditions, languages and finishes in one spelling each."""

from __future__ import annotations

import re
import unicodedata

from digideck.catalog.mentions import Mention
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import RowError
from digideck.core.text import one_width

LONGEST_TEXT = 500  # characters of a place or note
MOST_AT_ONCE = 9_999  # copies in one row; more is a slip

# The scales of Cardmarket (M to PO) and TCGplayer (M to DMG), each grade with
# the words that other programs write for it. The first is the one to write.
CONDITIONS = {
    "M": ("Mint", "MT", "Gem Mint"),
    "NM": ("Near Mint", "NM/M", "NM-M"),
    "EX": ("Excellent",),
    "GD": ("Good",),
    "LP": ("Lightly Played", "Light Played", "Slightly Played", "Good (Lightly Played)", "SP"),
    "MP": ("Moderately Played", "Moderate Play"),
    "PL": ("Played",),
    "HP": ("Heavily Played", "Heavy Play"),
    "PO": ("Poor",),
    "DMG": ("Damaged", "DM", "D"),
}
LANGUAGES = {
    "en": ("English", "eng"),
    "ja": ("Japanese", "jp", "jpn", "日本語"),
    "de": ("German", "ger", "deu", "Deutsch"),
    "fr": ("French", "fre", "fra", "Français"),
    "it": ("Italian", "ita", "Italiano"),
    "es": ("Spanish", "sp", "spa", "Español"),
    "pt": ("Portuguese", "por", "Português"),
    "ko": ("Korean", "kr", "kor"),
    "ru": ("Russian", "rus"),
    "zh": ("Chinese", "cn", "chi"),
    "zh-hans": ("Simplified Chinese", "Chinese (Simplified)", "Chinese (S)", "zhs", "zh-cn"),
    "zh-hant": ("Traditional Chinese", "Chinese (Traditional)", "Chinese (T)", "zht", "zh-tw"),
    "nl": ("Dutch", "Nederlands"),
    "pl": ("Polish", "Polski"),
    "th": ("Thai",),
    "id": ("Indonesian",),
}
_TIMES = re.compile(r"[x×]?\s*([0-9.,]+)\s*[x×]?", re.IGNORECASE)
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_PLAIN_FINISH = frozenset(("normal", "regular", "nonfoil", "plain", "false", "no", "0"))
_FOIL = frozenset(("foil", "true", "yes", "1", "x"))


def _spellings(words: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {
        search_key(spelling): code
        for code, spellings in words.items()
        for spelling in (code, *spellings)
    }


_CONDITION_OF = _spellings(CONDITIONS)
_LANGUAGE_OF = _spellings(LANGUAGES)


def _refused(message: str, allowed: str, code: Code = Code.VALUE_REFUSED) -> RowError:
    return RowError(code, message, f"expected: {allowed}", allowed=allowed)


def _condition(text: str) -> str:
    code = _CONDITION_OF.get(search_key(text))
    if code is None:
        raise _refused(f"condition {text!r} is unknown", ", ".join(CONDITIONS))
    return code


def _language(text: str) -> str:
    code = _LANGUAGE_OF.get(search_key(text))
    if code is None:
        raise _refused(f"language {text!r} is unknown", ", ".join(LANGUAGES))
    return code


def _finish(text: str) -> str:
    key = search_key(text)
    if key in _PLAIN_FINISH:
        return ""
    return "foil" if key in _FOIL else text


_NORMALIZERS = {"condition": _condition, "language": _language, "finish": _finish}


def normalize(field: str, text: str) -> str:
    """``text`` as it is recorded under ``field``; blank stays blank. Raises RowError.

    Places, notes and variants are kept as they are written, without the spaces
    around them; a finish that says "normal" is blank.
    """
    text = text.strip()
    if not text:
        return ""
    if len(text) > LONGEST_TEXT:
        raise _refused(f"{field} has {len(text):,} characters", f"at most {LONGEST_TEXT}")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        raise _refused(f"{field} {text!r} holds a character that cannot be printed", "plain text")
    change = _NORMALIZERS.get(field)
    return change(text) if change else text


def normalize_count(text: str) -> int:
    """A number of copies: 0 to MOST_AT_ONCE, as ``4``, ``4x`` or ``1,000``. Raises RowError."""
    digits = _TIMES.sub(r"\1", one_width(text).strip())
    if digits.endswith(".0"):  # a spreadsheet's whole number
        digits = digits[:-2]
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    allowed = f"0 to {MOST_AT_ONCE:,}"
    if not (digits.isascii() and digits.isdigit()):
        raise _refused(f"count {text!r} is not a number of copies", allowed, Code.COUNT_REFUSED)
    if len(digits) > 9 or int(digits) > MOST_AT_ONCE:
        raise _refused(
            f"a count of {text} is more than {MOST_AT_ONCE:,}", allowed, Code.COUNT_REFUSED
        )
    return int(digits)


def variant_of(mention: Mention) -> str:
    """The variant that stands behind a number: P1 of BT1-003_P1; blank where there is none."""
    return (mention.variant or "").lstrip("_-").upper()
