"""What was meant: words and names that are spelt about like what was written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error

# rapidfuzz is imported where it is asked for: no command needs it that understands its input.

_SIMILAR = 0.65  # of 1, "agunom" against "agumon" has 0.67
_NEAR = 0.8  # "Agumonn" against "Agumon" has 0.92, "Gabumon" 0.77


def nearest(word: str, choices: Iterable[str], limit: int = 3, least: float = 0.6) -> list[str]:
    """Those of ``choices`` that ``word`` may have meant, case aside, the nearest first.

    ``least`` is the share of letters, of 1, that both must have in common.
    """
    from rapidfuzz import fuzz, process

    known = {choice.casefold(): choice for choice in choices}
    found = process.extract(
        word.casefold(), list(known), scorer=fuzz.ratio, limit=limit, score_cutoff=100 * least
    )
    return [known[key] for key, _, _ in found]


def did_you_mean(near: Sequence[str], otherwise: str = "") -> str:
    """The question for what was meant; ``otherwise`` where nothing is near."""
    return f"did you mean {', '.join(near)}?" if near else otherwise


def no_such(
    code: Code, message: str, name: str, known: Iterable[str], begun: Sequence[str] = ()
) -> InputError:
    """The problem of ``name``, which is none of ``known``: what it may have meant, else all.

    Several that begin with it (``begun``) may all have been meant.
    """
    listed = list(known)
    allowed = ", ".join(listed)
    meant = did_you_mean(begun or nearest(name, listed), f"one of: {allowed}")
    return input_error(code, message, allowed=allowed, next_step=meant)


def similar(key: str, keys: Sequence[str], limit: int | None = None) -> list[tuple[float, str]]:
    """Those of ``keys`` that are spelt about like ``key``, with how much, the nearest first.

    A letter too many, too few, wrong or swapped with its neighbour is one slip.
    """
    from rapidfuzz import fuzz, process
    from rapidfuzz.distance import OSA

    found = process.extract(
        key, keys, scorer=OSA.normalized_similarity, limit=None, score_cutoff=_SIMILAR
    )
    # "agumonn" is one slip off "agumon" and off "agumonx", but has more in common with the first.
    found.sort(key=lambda entry: (-entry[1], -fuzz.ratio(key, entry[0])))
    return [(score, near) for near, score, _ in found[:limit]]


def is_near(key: str, keys: Iterable[str]) -> bool:
    """Whether ``key`` is one of ``keys`` but for a slip or two."""
    from rapidfuzz import fuzz

    return any(fuzz.ratio(key, other) >= 100 * _NEAR for other in keys)
