"""What tells forms apart at a glance, without loading what reads them."""

from __future__ import annotations

import re

_FIRST_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)")
# Only encodings that deck programs write: others are no help, and some are slow on purpose.
_DECLARED = re.compile(
    rb"""\s*<\?xml\b[^>]*\bencoding\s*=\s*["']
        (utf-?8|utf-?16|(?:us-)?ascii|iso-8859-[0-9]{1,2}|windows-[0-9]{3,4}
        |shift_jis|euc-(?:jp|kr)|gb2312|gbk|gb18030|big5)["']""",
    re.IGNORECASE | re.VERBOSE,
)
_ARRAY = re.compile(
    r"\{\s*\"|\[\s*(?:[\"'“”‘{\]]|\[\s*[\[\"']|Exported from\b|[A-Za-z0-9_α.-]+\s*,)"
)
_TITLE = r"(?://[^\n]*\n\s*)?"
# How the lists of programs begin; all are read as text, this only names the program.
LISTS = {
    "digimoncard.io": re.compile(r"//\s*(?:Digimon Deck List|DigimonCard\.io Deck List)\b"),
    "untap": re.compile(_TITLE + r"[0-9]+ [^\n]*[(\[]DCG[)\]] \("),
    "digimoncard.app": re.compile(_TITLE + r"[A-Z]+[0-9]*-[0-9]+ [^\n]* [0-9]+\s*(?:\n|$)"),
    "digimoncard.dev": re.compile(r"// Digimon DeckList"),
    "dcgo": re.compile(r"// DeckList\b|Name:[^\n]*\nKey Card:"),
    "digimonmeta": re.compile(r"[0-9]+ \([A-Z]+[0-9]*-[0-9]+\)\s*(?:\n|$)"),
}


def root_tag(text: str) -> str:
    """The first tag of ``text`` in lower case; empty where it is no XML."""
    if not text.startswith("<"):
        return ""
    match = _FIRST_ELEMENT.search(text, 0, 10_000)
    return match[1].lower() if match else ""


def declared_encoding(data: bytes) -> str | None:
    """The encoding that an XML file says it has, if it is a usual one."""
    match = _DECLARED.match(data[:300])
    return match[1].decode("ascii").lower() if match else None


def is_array(text: str) -> bool:
    """Whether ``text`` opens an array of words."""
    return bool(_ARRAY.match(text))


def is_array_alone(text: str) -> bool:
    """Whether it is such an array without the line that names its program."""
    return is_array(text) and "xported from" not in text[:200]


# Decks that name cards by what only their program knows.
_REFUSED = (
    ("Forge (.dck)", re.compile(r"\[metadata\]", re.IGNORECASE)),
    ("Magic Online (.dek)", re.compile(r"<(?:\?|Deck\b)[^\0]{0,4000}?<Cards\s", re.IGNORECASE)),
    ("OCTGN (.o8d)", re.compile(r"<(?:\?|deck\b)[^\0]{0,4000}?<section\s", re.IGNORECASE)),
)


def refused_program(text: str) -> str:
    """The program whose deck ``text`` is, where its decks cannot be read; else empty."""
    return next((program for program, mark in _REFUSED if mark.match(text)), "")


def is_lackey(text: str) -> bool:
    """Whether the root element is ``deck``."""
    return root_tag(text) == "deck"


def is_cockatrice(text: str) -> bool:
    """Whether the root element is ``cockatrice_deck``."""
    return root_tag(text) == "cockatrice_deck"


def may_be_csv(text: str) -> bool:
    """Whether one of the marks between columns is anywhere near the top."""
    return any(mark in text[:2000] for mark in ",;\t|")


def may_be_meta_code(text: str) -> bool:
    """Whether it begins as a code of digimonmeta.com or as an address."""
    head = text[:12]
    return ("n" in head and head.lstrip("\b")[:1].isdigit()) or head.startswith("http")


def may_be_deck_code(text: str) -> bool:
    """Whether the mark of the 2020 game's deck code is near the top."""
    return "DCG" in text[:2000]


def may_be_yaml(text: str) -> bool:
    """Whether there is a mark around front matter."""
    return "---" in text
