"""What every check uses: its type, and how it words what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict, Unpack

from digideck.core.codes import Code
from digideck.core.problems import CardMention, Fix, Problem, Severity
from digideck.decks.matched_deck import DeckEntry, MatchedDeck
from digideck.decks.rules.rule import Rule

Check = Callable[[MatchedDeck, "Rule"], Iterable[Problem]]


def listed(items: Sequence[str], most: int = 6, joined_by: str = "and") -> str:
    """Joined as in "a, b and c", cut after ``most``."""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"{len(items) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {joined_by} {shown[-1]}"


def total(entries: Iterable[DeckEntry]) -> int:
    """The copies on some lines."""
    return sum(entry.count for entry in entries)


def span(least: int | None, most: int | None) -> str:
    """The words for it: "exactly 30", "60 or more", "at most 8", "0 to 5"."""
    if least == most:
        return f"exactly {least}"
    if most is None:
        return f"{least} or more"
    return f"at most {most}" if least is None else f"{least} to {most}"


class Found(TypedDict, total=False):
    """What a check knows of a broken rule beside its message."""

    have: int | None
    allowed: int | str | None
    next_step: str | None
    fix: Fix | None


def problem(
    deck: MatchedDeck,
    rule: Rule,
    severity: Severity,
    message: str,
    entries: Sequence[DeckEntry] = (),
    **found: Unpack[Found],
) -> Problem:
    """A problem under ``rule``, placed on the line of its first card."""
    mentions: tuple[CardMention, ...] = tuple(entry.mention for entry in entries)
    assumed = ", assumed" if rule.assumed else ""
    return Problem(
        Code.RULE_BROKEN,
        severity,
        message,
        deck.deck.file,
        mentions[0].line if mentions else None,
        cards=mentions,
        rule=rule.says,
        source=f"{rule.source} ({rule.certainty}{assumed})",
        rule_id=rule.id,
        **found,
    )
