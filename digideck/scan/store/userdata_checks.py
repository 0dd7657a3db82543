"""What a text of user data has to hold of links and pictures, so that commands can use it."""

from __future__ import annotations

from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import no_such
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.store.links import checked_code
from digideck.scan.store.read_store import MATCH

_FARTHEST = 1_000_000  # pixels: no picture that is read is as wide or high
_SCORES = ("likeness", "margin", "weakest")  # of a match
_HIGHEST = 2  # the margin of two correlations


def check_code(record: dict[str, Any]) -> None:
    """Raises InputError for the code of a link or a read that would stop every scan: one that
    is no such code, a profile that is damaged or of a later version.
    """
    try:
        kind = Symbology(record["symbology"])
    except ValueError:
        message = f"no kind of code is called {record['symbology']!r}"
        raise no_such(Code.UNKNOWN_KIND, message, str(record["symbology"]), Symbology) from None
    checked_code(kind, str(record["payload"]))


def check_picture(picture: dict[str, Any]) -> None:
    """Raises InputError for a read that could not be shown, sorted or asked about."""
    for read in picture["reads"]:
        check_code(read)
        _check_quad(read["quad"])
        _check_scores(read)


def _check_quad(quad: Any) -> None:
    if not isinstance(quad, list) or len(quad) != 4 or not all(map(_is_corner, quad)):
        raise _refused("the quad of a read is not four corners of two numbers each, in pixels")


def _is_corner(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(_within(x, _FARTHEST) for x in pair)


def _check_scores(read: dict[str, Any]) -> None:
    scores = [read.get(name) for name in _SCORES]
    if read["engine"] == MATCH and not all(_within(one, _HIGHEST) for one in scores):
        raise _refused(f"a match without numbers for {', '.join(_SCORES)}")
    if read["engine"] != MATCH and any(one is not None for one in scores):
        raise _refused(f"{', '.join(_SCORES)} of a read whose engine is not {MATCH!r}")


def _within(value: Any, bound: float) -> bool:
    """Whether it is a number, positive or negative, no farther from 0: NaN is not."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) <= bound


def _refused(message: str) -> InputError:
    return input_error(Code.RECORD_REFUSED, message, next_step="export again, or fix the line")
