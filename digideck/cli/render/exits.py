"""The exit codes of every command."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from digideck.core.results import Answer


class Exit(IntEnum):
    """0 yes or done; 1 the answer is no; 2 usage; 3 input that cannot be used; 4 undecided."""

    OK = 0
    NO = 1
    USAGE = 2
    UNUSABLE = 3
    UNDECIDED = 4


EXIT_OF = {
    Answer.OK: Exit.OK,
    Answer.NO: Exit.NO,
    Answer.UNUSABLE: Exit.UNUSABLE,
    Answer.UNDECIDED: Exit.UNDECIDED,
}
STATUS = {**{code: str(answer) for answer, code in EXIT_OF.items()}, Exit.USAGE: "usage"}
_WORST_FIRST = (Exit.USAGE, Exit.UNUSABLE, Exit.NO, Exit.UNDECIDED)


def worst(codes: Iterable[Exit]) -> Exit:
    """The code for several answers: the worst of 2, 3, 1, 4, 0 in that order."""
    found = set(codes)
    return next((code for code in _WORST_FIRST if code in found), Exit.OK)
