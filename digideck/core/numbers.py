"""Card numbers: how a game prints them, and how people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache

from digideck.core.text import one_width

# NFKC folds none of these to the hyphen that is printed.
DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹣－", "-"))
_UNDERSCORE = re.compile(r"^([A-Za-zα]{1,5}[0-9]{0,2})_(?=-*[0-9])")  # ST1_01
_LONG_VOWEL = re.compile("(?<=[0-9A-Za-zα.])ー(?=[0-9])")  # Boー12: on one key with the hyphen
_ZEROS_AND_DASHES = re.compile(r"(?<![0-9])(?:0+(?=[0-9])|-)")
_DIGITS = re.compile(r"[0-9]+")
_TEMPLATE_PART = re.compile(r"#+|[^#]+")
_ANY_DIGITS = "987654321"  # stands in for a run of digits while a template is folded


def plain(text: str) -> str:
    """``text`` with one kind of digit, letter, dash and no spaces around it."""
    if not text.isascii():
        text = _LONG_VOWEL.sub("-", one_width(text)).translate(DASHES)
    text = text.strip()
    return _UNDERSCORE.sub(r"\1-", text) if "_" in text else text


def edition_key(text: str) -> str:
    """The one spelling of an edition's code, however it was typed."""
    return plain(text).casefold()


@lru_cache(maxsize=10_000)
def number_key(number: str) -> str:
    """The tolerant key of a number: case, zeros and the dash before digits dropped.

    "St-1", "ST-01", "ST_01", "Stー1" and "st1" share a key, as do "Dα-065" and "Da-65". The dash
    between two digits stays ("DM02-095"), since it carries meaning.
    """
    folded = number.lower()
    if not number.isascii():
        folded = plain(number).casefold().replace("α", "a")
    return _ZEROS_AND_DASHES.sub("", folded.replace("_", "-").replace(" ", "")).strip()


def sort_key(number: str) -> str:
    """A key whose text order is the natural order: 1, 2, 2a, 10."""
    return _DIGITS.sub(lambda digits: digits[0].zfill(6), plain(number).casefold())


class NumberShapes:
    """The templates of a game's numbers: ``St-#``, ``Dα-###``, ``Bo-#t``.

    ``#`` stands for a number without leading zeros, two or more ``#`` for
    exactly that many digits.
    """

    def __init__(self, templates: Iterable[str], variants: Iterable[str] = ()) -> None:
        self.templates = tuple(templates)
        self.variants = tuple(variants)

    # The patterns are made when they are asked for: a command seldom needs all of a game's.

    @cached_property
    def _printed(self) -> re.Pattern[str]:
        return _any_of(_printed_pattern(template) for template in self.templates)

    @cached_property
    def _printed_with_a(self) -> re.Pattern[str]:
        return _any_of(_printed_pattern(text.replace("α", "a")) for text in self.templates)

    @cached_property
    def _forms(self) -> list[tuple[re.Pattern[str], str]]:
        return [(re.compile(_written_pattern(form)), form) for form in self.templates]

    @cached_property
    def _written(self) -> re.Pattern[str]:
        return _any_of(_written_pattern(template) for template in self.templates)

    @cached_property
    def _variant(self) -> re.Pattern[str] | None:
        ends = "|".join(self.variants)
        return re.compile(f"(?:{ends})$", re.IGNORECASE) if ends else None

    def prints(self, number: str) -> bool:
        """Whether the game prints numbers of exactly this form."""
        return bool(self._printed.fullmatch(number))

    def prints_as_typed(self, number: str) -> bool:
        """The same where α was typed as a, which few keyboards have: Da-065."""
        return bool(self._printed_with_a.fullmatch(number.replace("α", "a")))

    def reads(self, text: str) -> bool:
        """Whether ``text`` is such a number in one of the ways people write it."""
        return bool(self._written.fullmatch(number_key(self.without_variant(text))))

    def as_printed(self, text: str) -> str:
        """``text`` as the game prints it: "dm-65" is DM-065. As written where that is not sure."""
        if self.prints(text):
            return text
        key = number_key(self.without_variant(text))
        found = {
            _filled(template, match.groups())
            for pattern, template in self._forms
            if (match := pattern.fullmatch(key))
        }
        printed = [number for number in found if self.prints(number)]
        return printed[0] if len(printed) == 1 else text

    def without_variant(self, text: str) -> str:
        """``BT5-001_P1`` names a printing of BT5-001: the number of the card."""
        return self._variant.sub("", text) if self._variant else text


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or r"(?!)")


def _printed_pattern(template: str) -> str:
    def part(match: re.Match[str]) -> str:
        text = match[0]
        if not text.startswith("#"):
            return re.escape(text)
        return "(?:0|[1-9][0-9]*)" if len(text) == 1 else f"[0-9]{{{len(text)}}}"

    return _TEMPLATE_PART.sub(part, template)


def _written_pattern(template: str) -> str:
    sample = _TEMPLATE_PART.sub(lambda m: _ANY_DIGITS if m[0][0] == "#" else m[0], template)
    return re.escape(number_key(sample)).replace(_ANY_DIGITS, "([0-9]+)")


def _filled(template: str, runs: Iterable[str]) -> str:
    """The number of ``template`` with these runs of digits, zeros as printed."""
    values = iter(runs)

    def part(match: re.Match[str]) -> str:
        return next(values).zfill(len(match[0])) if match[0][0] == "#" else match[0]

    return _TEMPLATE_PART.sub(part, template)
