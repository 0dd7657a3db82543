"""What is drawn from a deck: exact odds, and sample hands, by the drawing rules of its game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.results import Answer, json_field
from digideck.decks.analysis.card_counts import CardCount, decks_to_count
from digideck.decks.analysis.odds import Play, Target, chances, drawn, last_turn, redraw_rule
from digideck.decks.analysis.opening_setup import OpeningSetup, set_up
from digideck.decks.analysis.shuffle import Hand, deal
from digideck.decks.analysis.targets import TargetFinder
from digideck.decks.deck_reader import DeckReader
from digideck.decks.matched_deck import MatchedDeck
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read
from digideck.schema.games.drawing import REFILL, DrawingSentence

MOST_HANDS = 1000
LARGEST_SEED = 2**64 - 1
_NEW_SEEDS = 10**6  # short enough to type again


@dataclass(frozen=True, slots=True)
class OddsWanted:
    """What a player hopes to draw, ``at_least`` so many of each ("2x St-1" has a number of
    its own); without any, the levels of the deck. ``together`` adds the chance of all.

    ``replaced`` cards are played or discarded each turn where hands are filled up (None:
    none, and all); ``start`` is the card to start with.
    """

    cards: Sequence[str] = ()
    names: Sequence[str] = ()
    levels: Sequence[str] = ()
    queries: Sequence[str] = ()
    at_least: int = 1
    together: bool = False
    turns: int = 4
    replaced: int | None = None
    keep_hand: bool = False
    second: bool = False
    start: str = ""


@dataclass(frozen=True, slots=True)
class ShuffledDeck:
    """A deck before its first hand, and the rules by which it is drawn.

    ``start`` is the card that is out; ``unseen`` cards lie face down and are never drawn.
    """

    file: str
    game: str
    format: str
    start: str | None
    shuffled: int
    unseen: int
    hand: int
    rules: tuple[DrawingSentence, ...]
    start_title: str | None = json_field(None, default=None)


@dataclass(frozen=True, slots=True)
class OddsTarget:
    """At least so many of some cards, and the copies of them in the deck."""

    target: str
    at_least: int
    copies: int


@dataclass(frozen=True, slots=True)
class TurnChance:
    """The chance by a turn; 0 is the opening hand. ``drawn`` cards have been seen by then."""

    turn: int
    drawn: int
    percent: float
    fraction: str
    chance: Fraction = json_field(None, default=Fraction(0))


@dataclass(frozen=True, slots=True)
class OddsRow:
    """The chances of all ``targets`` together, turn by turn."""

    targets: tuple[OddsTarget, ...]
    replaced_each_turn: int | None
    chances: tuple[TurnChance, ...]


@dataclass(frozen=True, kw_only=True)
class Odds:
    """The chances of drawing what is wanted. ``redraw`` says what is taken of putting the
    opening hand back.

    ``turn_matters`` (whether going second changes what is drawn) and ``drawn_through``
    (by cards replaced, the turn by which all is drawn) are for people.
    """

    deck: ShuffledDeck = json_field("")
    second: bool
    redraw: str | None
    rows: tuple[OddsRow, ...]
    turn_matters: bool = json_field(None)
    drawn_through: tuple[tuple[int | None, int], ...] = json_field(None)
    problems: tuple[Problem, ...] = json_field(None)
    answer = Answer.OK


@dataclass(frozen=True, slots=True)
class DealtHand:
    """The cards of an opening hand by their keys, in the order drawn; ``again`` is the
    hand that comes when it is put back, ``put_back`` whether it must be.
    """

    cards: tuple[str, ...]
    again: tuple[str, ...] | None
    put_back: bool
    first: tuple[CardCount, ...] = json_field(None, default=())
    second: tuple[CardCount, ...] = json_field(None, default=())


@dataclass(frozen=True, kw_only=True)
class DealtHands:
    """Sample hands; the same deck and seed give the same ones on every machine."""

    deck: ShuffledDeck = json_field("")
    seed: int
    hands: tuple[DealtHand, ...]
    problems: tuple[Problem, ...] = json_field(None)
    answer = Answer.OK


@closing_connections()
def compute_odds(
    request: DeckRequest,
    wanted: OddsWanted,
    *,
    progress: Callable[[str, float | None], None] = lambda text, share: None,
    db: Path | None = None,
) -> Odds:
    """How likely it is to have drawn what is wanted, in the opening hand and by each turn.

    Raises InputError for a deck that cannot be used and for what is not understood.
    """
    reader, deck, setup, problems = _set_up(request, wanted.start, db)
    groups = [[target] for target in _targets(reader, deck, setup, wanted)]
    if wanted.together and len(groups) > 1:
        groups.append([target for group in groups for target in group])
    plays = _plays(setup, wanted)
    refills = setup.drawing.each_turn == REFILL
    rows = []
    for group in groups:
        for play in plays:
            found = chances(
                setup, group, play, wanted.turns, lambda share: progress("counting", share)
            )
            rows.append(
                OddsRow(
                    tuple(OddsTarget(t.label, t.at_least, t.copies(setup)) for t in group),
                    play.replaced if refills else None,
                    tuple(_turn_chances(setup, play, found)),
                )
            )
    through = [(play.replaced, last_turn(setup, play, wanted.turns)) for play in plays]
    return Odds(
        deck=_shuffled(deck, setup),
        second=wanted.second,
        redraw=redraw_rule(setup.drawing, plays[0]),
        rows=tuple(rows),
        turn_matters=setup.drawing.turn_one == "second",
        drawn_through=tuple(
            (cards if refills else None, turn) for cards, turn in through if turn is not None
        ),
        problems=problems,
    )


@closing_connections()
def deal_hands(
    request: DeckRequest,
    *,
    seed: int | None = None,
    hands: int = 1,
    start: str = "",
    db: Path | None = None,
) -> DealtHands:
    """Opening hands, each of a freshly shuffled deck. Without a ``seed`` one is chosen.

    Raises InputError for a deck that cannot be used.
    """
    import secrets

    _, deck, setup, problems = _set_up(request, start, db)
    chosen = secrets.randbelow(_NEW_SEEDS) if seed is None else seed
    dealt = tuple(map(_dealt, deal(setup, chosen, hands)))
    return DealtHands(deck=_shuffled(deck, setup), seed=chosen, hands=dealt, problems=problems)


def _set_up(
    request: DeckRequest, start: str, db: Path | None
) -> tuple[DeckReader, MatchedDeck, OpeningSetup, tuple[Problem, ...]]:
    """The deck before its first hand; ``start`` is what the player wants to start with."""
    reader = request.reader(open_to_read(db))
    (deck,), problems = decks_to_count(reader, request.decks)
    starts = None
    if start:
        whole = set_up(deck)
        cards = [*whole.cards, *([whole.start] if whole.start else [])]
        starts = TargetFinder(reader.index, deck.game, cards, deck.deck.file, 1).card(start).ids
    setup = set_up(deck, starts)
    problems += setup.problems
    if deck.format in setup.drawing.unknown_for:
        usual = deck.game.definition["default_format"]
        message = (
            f"no source tells how hands are drawn in {deck.format}; assumed to be as in {usual}"
        )
        problems.append(Problem(Code.DRAWING_ASSUMED, Severity.WARNING, message, deck.deck.file))
    return reader, deck, setup, tuple(problems)


def _shuffled(deck: MatchedDeck, setup: OpeningSetup) -> ShuffledDeck:
    return ShuffledDeck(
        deck.deck.file,
        deck.game.code,
        deck.format,
        setup.start.key if setup.start else None,
        setup.size,
        setup.drawing.unseen,
        setup.hand,
        setup.drawing.says,
        setup.start.title if setup.start else None,
    )


def _targets(
    reader: DeckReader, deck: MatchedDeck, setup: OpeningSetup, wanted: OddsWanted
) -> list[Target]:
    finder = TargetFinder(reader.index, deck.game, setup.cards, deck.deck.file, wanted.at_least)
    targets = [
        *map(finder.card, wanted.cards),
        *map(finder.name, wanted.names),
        *map(finder.level, wanted.levels),
        *map(finder.query, wanted.queries),
    ]
    return targets or finder.every_level()


def _plays(setup: OpeningSetup, wanted: OddsWanted) -> list[Play]:
    """Where hands are filled up: nothing replaced and everything, unless one is asked for."""
    if setup.drawing.each_turn != REFILL:
        numbers: Sequence[int] = (0,)
    elif wanted.replaced is None:
        numbers = (0, setup.hand)
    else:
        numbers = (min(wanted.replaced, setup.hand),)
    return [Play(number, wanted.second, not wanted.keep_hand) for number in numbers]


def _turn_chances(
    setup: OpeningSetup, play: Play, found: Sequence[Fraction]
) -> Iterator[TurnChance]:
    for turn, chance in enumerate(found):
        percent = round(float(chance * 100), 1)
        fraction = f"{chance.numerator}/{chance.denominator}"
        yield TurnChance(turn, drawn(setup, play, turn), percent, fraction, chance)


def _dealt(hand: Hand) -> DealtHand:
    again = None if hand.again is None else tuple(card.key for card in hand.again)
    first = tuple(card.key for card in hand.cards)
    return DealtHand(first, again, hand.forced, hand.cards, hand.again or ())
