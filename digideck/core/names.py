"""Name identity: one key for search and for counting copies.

Rules and their sources: wikimon.net, "Digital Monster Card Game Alpha" (a
Digimon with the X-Antibody counts as its base Digimon). Printed forms are
stored as they are; only look-ups go through here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from digideck.core.text import one_width

# NFKC leaves these alone, and people type them apart.
_LETTER_PAIRS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ß": "ss", "ð": "d", "đ": "d", "ł": "l"}
)
# Hiragana onto katakana: もんざえモン is typed モンザエモン as well.
_KANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
# Small kana are typed large, and Greek letters by their names.
_FOLDED = str.maketrans("ァィゥェォッャュョヮヵヶ", "アイウエオツヤユヨワカケ") | {
    code: unicodedata.name(chr(code)).split()[-1].lower().replace("lamda", "lambda")
    for code in range(ord("α"), ord("ω") + 1)
}
_APOSTROPHES = dict.fromkeys(map(ord, "ʼʻʽˈ"))  # letters to Unicode, punctuation to everybody
_PLAIN_ASCII = re.compile(r"[a-z0-9 .'!:()/-]*", re.IGNORECASE)
_NOT_ASCII_WORD = re.compile(r"[^a-z0-9]")
_X_SUFFIX = re.compile(
    r"""(?: \s* [(（]? \s* X \s* (?: -? \s* anti-?body | 抗体 ) \s* [)）]?
        |   \s* \( \s* X \s* anti-?body \s* \)
        |   \s+ X \s* \( anti-?body \)
    ) \s* $""",
    re.IGNORECASE | re.VERBOSE,
)
_DUB_X_SUFFIX = re.compile(r"\s+X\s*$")


def _is_latin(char: str) -> bool:
    return unicodedata.name(char, "").startswith("LATIN")


def search_key(name: str) -> str:
    """The key under which a name is found: same key, same name.

    The `exact_key` with small kana as large ones and Greek letters by their names.
    """
    key = exact_key(name)
    return key if key.isascii() else key.translate(_FOLDED)


@lru_cache(maxsize=10_000)
def exact_key(name: str) -> str:
    """The letters of a name, by which cards of one `search_key` can still be told apart.

    NFKC, case folded, accents taken off Latin letters only (a kana with its
    voicing mark is another kana), hiragana as katakana, spaces and punctuation
    dropped. A name made of nothing else keeps its punctuation, so that no key is
    ever empty for a name that is not.
    """
    if _PLAIN_ASCII.fullmatch(name):
        return _NOT_ASCII_WORD.sub("", name.lower()) or name.strip()
    text = one_width(name.translate(_APOSTROPHES))
    text = text.casefold().translate(_LETTER_PAIRS).translate(_KANA)
    kept: list[str] = []
    for char in unicodedata.normalize("NFC", text):
        for piece in _without_accents(char):
            if unicodedata.category(piece)[0] in "LN":
                kept.append(piece)
    return "".join(kept) or "".join(text.split())


def _without_accents(char: str) -> str:
    if char.isascii() or not _is_latin(char):
        return char
    decomposed = unicodedata.normalize("NFD", char)
    return "".join(piece for piece in decomposed if not unicodedata.combining(piece))


def without_x_antibody(name: str, *, dub: bool = False) -> str:
    """A Digimon's name without its X-Antibody suffix; the name itself if it has none.

    Folds "X-Antibody", "(X-Antibody)", "X抗体" and "（X抗体）" at the very end.
    A bare " X" is a suffix only in dub names (``dub=True``), and only the
    caller can know whether the base exists. Never folds to nothing.
    """
    text = one_width(name)
    base = _X_SUFFIX.sub("", text)
    if base == text and dub:
        base = _DUB_X_SUFFIX.sub("", text)
    return base if base != text and search_key(base) and base.strip() else name


def limit_key(name: str, *, kind: str, folds_x_antibody: bool) -> str:
    """The key that copies are counted by.

    The search key, of the base Digimon where the game counts an X-Antibody
    Digimon as its base. Options named "X-Antibody" and their like stay.
    """
    if folds_x_antibody and kind in ("Digimon", ""):  # "": unknown, and Digimon are the many
        return search_key(without_x_antibody(name))
    return search_key(name)
