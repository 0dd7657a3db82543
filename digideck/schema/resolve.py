"""What to say of a text that does not mean one card, for every room."""

from __future__ import annotations

from dataclasses import replace

from digideck.schema.cards import Card, CardIndex
from digideck.schema.problems import CardMention, Problem, Severity

_MOST_LISTED = 20


class NotOneCard(Exception):
    """A text that means no card or several. ``problem`` says so."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem

    def at(self, file: str | None, line: int | None) -> Problem:
        """The problem with its place."""
        return replace(self.problem, file=file, line=line)


def no_card(index: CardIndex, text: str, game: str | None = None) -> Problem:
    """The problem of a text that is no card's number or name, with the nearest ones."""
    near = index.near_misses(text, game)
    return Problem(
        "card-unknown",
        Severity.ERROR,
        f"no card has the number or name {text!r}",
        next_step=f"did you mean {', '.join(near)}?" if near else f"try: digideck find {text}",
    )


def several_cards(text: str, found: list[Card]) -> Problem:
    """The problem of a text that can be any of several cards."""
    listed = "".join(f"\n      {card.key}  {card.name}" for card in found[:_MOST_LISTED])
    rest = len(found) - _MOST_LISTED
    more = f"\n      and {rest} more" if rest > 0 else ""
    return Problem(
        "card-ambiguous",
        Severity.UNKNOWN,
        f"{text!r} can be any of {len(found)} cards",
        have=len(found),
        cards=tuple(CardMention(card.key, 1) for card in found),
        next_step=f"name one of them, or its game with -g:{listed}{more}",
    )
