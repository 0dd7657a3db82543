"""A deck as it lies before the first hand: what is out, and what is shuffled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.decks.analysis.card_counts import CardCount, card_counts
from digideck.decks.matched_deck import MatchedDeck
from digideck.decks.model import MOST_CARDS, too_many_cards
from digideck.schema.games.drawing import LACKING, Drawing


@dataclass(frozen=True)
class OpeningSetup:
    """The cards that are shuffled, the one that was chosen to start with (a single
    copy, None where the game or the deck has none), and what there is to say of it.
    """

    drawing: Drawing
    start: CardCount | None
    cards: tuple[CardCount, ...]
    problems: tuple[Problem, ...]

    @property
    def size(self) -> int:
        """The number of cards that are shuffled."""
        return sum(card.count for card in self.cards)

    @property
    def drawable(self) -> int:
        """The cards that can be drawn before the deck is through."""
        return max(0, self.size - self.drawing.unseen)

    @property
    def hand(self) -> int:
        """The cards of an opening hand."""
        return min(self.drawing.hand, self.drawable)

    def keeps(self, card: CardCount) -> bool:
        """Whether a hand with ``card`` may not be drawn again for lack of such a card."""
        redraw = self.drawing.redraw
        return bool(redraw and card.kind == redraw.kind and card.level in redraw.levels)


def set_up(deck: MatchedDeck, starts: Collection[int] | None = None) -> OpeningSetup:
    """``deck`` set up by the rules of its game.

    ``starts`` are the ids of the cards that the player wants to start with; the
    first of the usual level otherwise. Raises InputError where the game's data has
    no rules of drawing, where the deck has no such card to start with, and where it
    has too few cards for any hand or more than MOST_CARDS.
    """
    drawing = deck.game.drawing
    if drawing is None:
        raise input_error(
            Code.DRAWING_UNKNOWN,
            f"how hands are drawn in {deck.game.code} is not in its data",
            file=deck.deck.file,
        )
    cards = card_counts(entry for entry in deck.played if entry.zone == drawing.zone)
    number = sum(card.count for card in cards)
    least = 1 + drawing.unseen + (drawing.start is not None)
    if number < least:
        raise input_error(
            Code.TOO_FEW_CARDS,
            f"{number} cards to draw from, a hand needs at least {least}",
            file=deck.deck.file,
            have=number,
            allowed=least,
            next_step="check the headings: cards beside the deck are not drawn",
        )
    if number > MOST_CARDS:
        raise too_many_cards(deck.deck.file, number, "to shuffle")
    start = _start(cards, drawing, starts)
    if starts is not None and start is None:
        raise _cannot_start(deck, cards, drawing)
    if start is not None:
        cards = _without_one(cards, start)
        start = replace(start, count=1)
    problems = [*_no_start(deck, drawing, start), *_unknown_levels(deck, cards, drawing)]
    return OpeningSetup(drawing, start, tuple(cards), tuple(problems))


def _possible(cards: Sequence[CardCount], drawing: Drawing) -> list[CardCount]:
    """The cards that a player can start with, the usual level first."""
    rules = drawing.start
    if rules is None:
        return []
    fitting = [card for card in cards if card.kind == rules.kind and card.level in rules.levels]
    return sorted(fitting, key=lambda card: rules.levels.index(card.level or ""))


def _start(
    cards: Sequence[CardCount], drawing: Drawing, starts: Collection[int] | None
) -> CardCount | None:
    possible = _possible(cards, drawing)
    return next((card for card in possible if starts is None or card.id in starts), None)


def _without_one(cards: Sequence[CardCount], start: CardCount) -> list[CardCount]:
    fewer = [replace(card, count=card.count - 1) if card.id == start.id else card for card in cards]
    return [card for card in fewer if card.count]


def _cannot_start(deck: MatchedDeck, cards: Sequence[CardCount], drawing: Drawing) -> Exception:
    rules = drawing.start
    if rules is None:
        return input_error(
            Code.NO_START,
            f"no card is chosen to start with in {deck.game.code}",
            file=deck.deck.file,
        )
    possible = [card.title for card in _possible(cards, drawing)]
    return input_error(
        Code.NO_START,
        "the deck has no such card to start with",
        file=deck.deck.file,
        allowed=f"a {rules.kind} of level {' or '.join(rules.levels)}",
        next_step=f"one of: {', '.join(possible)}" if possible else "it has none to start with",
    )


def _no_start(deck: MatchedDeck, drawing: Drawing, start: CardCount | None) -> list[Problem]:
    if drawing.start is None or start is not None:
        return []
    levels = " or ".join(drawing.start.levels)
    return [
        Problem(
            Code.NO_START,
            Severity.WARNING,
            f"no {drawing.start.kind} of level {levels} is known in the deck to start with; "
            "the hand is dealt from all of its cards",
            deck.deck.file,
            next_step="digideck deck check tells what is unknown or missing",
        )
    ]


def _unknown_levels(
    deck: MatchedDeck, cards: Sequence[CardCount], drawing: Drawing
) -> list[Problem]:
    """Cards that may be what a redraw asks for; they are taken not to be."""
    if drawing.redraw is None or drawing.redraw.when != LACKING:
        return []
    kinds = (None, drawing.redraw.kind)
    unknown = [card for card in cards if card.kind in kinds and card.level is None]
    if not unknown:
        return []
    shown = ", ".join(card.title for card in unknown[:5]) + (" ..." if len(unknown) > 5 else "")
    return [
        Problem(
            Code.LEVEL_UNKNOWN,
            Severity.WARNING,
            f"the level is not known of {shown}; taken not to be {drawing.redraw.levels[0]}",
            deck.deck.file,
        )
    ]
