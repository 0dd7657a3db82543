"""The exit codes of every command."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """0 yes or done; 1 the answer is no; 2 usage; 3 input that cannot be used; 4 undecided."""

    OK = 0
    NO = 1
    USAGE = 2
    UNUSABLE = 3
    UNDECIDED = 4


STATUS = {
    Exit.OK: "ok",
    Exit.NO: "no",
    Exit.USAGE: "usage",
    Exit.UNUSABLE: "unusable",
    Exit.UNDECIDED: "undecided",
}
_WORST_FIRST = (Exit.UNUSABLE, Exit.NO, Exit.UNDECIDED, Exit.OK)


def worst(codes: Iterable[Exit]) -> Exit:
    """The code for several answers: the worst of 3, 1, 4, 0 in that order."""
    found = set(codes)
    return next((code for code in _WORST_FIRST if code in found), Exit.OK)
