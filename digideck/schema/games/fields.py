"""The figures and words on a game's cards, and reading their values."""

from __future__ import annotations

from typing import Any, NamedTuple

from digideck.core.names import search_key

FIELD_TYPES = ("text", "integer", "flag", "limit", "list")
UNLIMITED = "unlimited"
_FLAG_WORDS = {True: ("yes", "true", "1", "y"), False: ("no", "false", "0", "n")}


class Field(NamedTuple):
    """A figure or word on a game's cards beyond kind and level.

    ``type`` is one of FIELD_TYPES: ``flag`` is yes or no, ``limit`` a number of
    copies or "unlimited", ``list`` alternatives joined by ";".
    """

    code: str
    label: str
    type: str
    words: tuple[str, ...] = ()  # what it is called besides its code and label
    says: str = ""  # what it means, where its label does not tell
    of_sources: bool = False  # it is about what is recorded, not printed on the card


def value_keys(value: Any) -> set[str]:
    """The search keys under which a card's value is asked for: 3, yes, each of "Red|Blue"."""
    if isinstance(value, bool):
        return set(_FLAG_WORDS[value])
    texts = map(str, value if isinstance(value, list) else [] if value is None else [value])
    return {search_key(part) for text in texts for part in (text, *text.split("|"))}


def parse_field(field: Field, text: str) -> tuple[Any, str | None]:
    """The value of ``text`` for ``field``, and what is wrong with it, if anything.

    Blank text is None (unknown). Flags read yes/no, true/false, 1/0.
    """
    text = text.strip()
    if not text:
        return None, None
    if field.type == "integer":
        if text.isascii() and text.isdigit() and len(text) <= 9:
            return int(text), None
        return None, f"{field.code}: {text!r} is not a whole number"
    if field.type == "flag":
        for flag, words in _FLAG_WORDS.items():
            if text.casefold() in words:
                return flag, None
        return None, f"{field.code}: {text!r} is neither yes nor no"
    if field.type == "limit":
        if text == UNLIMITED:
            return UNLIMITED, None
        if text.isascii() and text.isdigit() and len(text) <= 4:
            return int(text), None
        return None, f"{field.code}: {text!r} is neither a number nor {UNLIMITED!r}"
    if field.type == "list":
        return [part.strip() for part in text.split(";") if part.strip()], None
    return text, None
