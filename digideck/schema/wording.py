"""How messages say things, the same in every room."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 card", "1,204 cards"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"
