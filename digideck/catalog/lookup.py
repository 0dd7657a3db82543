"""The one way from what people write to cards.

`look_up` gives every card that a mention can mean. A check answers for all of
them; `meant_by` reads a text first; `one_card` and `the_card` take exactly one
and refuse everything else, so that nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar

from digideck.catalog.advice import namesakes, no_card, one_of_them, several_cards
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.mentions import BRACKETS, Mention
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import edition_key
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.suggestions import is_near

_NAME_ALONE: dict[str, Any] = dict.fromkeys(
    ("number", "edition", "game", "bare_name", "whole", "variant", "set_code")
)
Written = TypeVar("Written", bound=Mention)


class Candidates(NamedTuple, Generic[Written]):
    """A mention as its cards show that it was meant, and those cards."""

    mention: Written
    cards: tuple[Card, ...]


def expect(index: CardIndex, mentions: Iterable[Mention]) -> None:
    """Look up many mentions at once, so that each is answered without a query of its own."""
    numbers: list[str] = []
    names: list[str] = []
    for mention in mentions:
        numbers.append(mention.number or mention.text)
        names.append(mention.whole or "")
        if not mention.number:  # beside a number its card is asked whether it has the name
            names += (mention.name, mention.bare_name or "", mention.x_name)
    index.expect(numbers, names)


def look_up(index: CardIndex, mention: Written, game: str | None = None) -> Candidates[Written]:
    """Every card that a mention can mean, in one game or in all."""
    game = mention.game or game
    if mention.whole:
        cards = index.by_name(mention.whole, game)
        if cards:
            return _found(index, _as_whole(mention), cards)
    if mention.number:
        number = mention.number
        cards = index.by_number(number, game) or _renumbered(index, mention, game)
        key = search_key(mention.name)
        sure = any(card.number == number or card.is_named(key) for card in cards)
        if not sure and (named := index.by_name(mention.text, game)):  # "ADR-02 Searcher"
            whole = replace(mention, number=None, variant=None, name=mention.text)
            return _found(index, whole, named)
        if not sure and search_key(mention.name):
            of_set = _named_in_set(index, mention, game)
            if of_set.cards:
                return of_set
            if _is_set(index, number, game):  # and no card, even if one is numbered so
                return Candidates(mention, ())
        return Candidates(_with_count_in_name(mention, cards), _of_edition(index, mention, cards))
    cards = index.by_name(mention.name, game) if mention.name else []
    with_x = index.by_name(mention.x_name, game) if mention.x_name else []
    if with_x and not cards:
        return _found(index, replace(mention, name=mention.x_name, text=mention.x_name), with_x)
    if "X" in mention.x_name.split(" "):  # a small x is the count's
        cards = cards + with_x
    if not cards and mention.bare_name:
        cards = index.by_name(mention.bare_name, game)
        cards = [card for card in cards if brackets_are_sets(index, mention, card.game)]
    if not cards and (cards := index.by_name(mention.text, game)):  # "Nobody @home"
        mention = replace(mention, name=mention.text, edition=None)
    return _found(index, mention, cards) if cards else _of_free_number(index, mention, game)


class GameOfMost(NamedTuple):
    """The game that a list without one is of; None where there is nothing to choose."""

    game: str | None
    fitting: int
    rows: int

    @property
    def why(self) -> str:
        """How it was told."""
        return f"which {self.fitting:,} of its {self.rows:,} rows fit"


NO_GAME = GameOfMost(None, 0, 0)


def game_of_most(index: CardIndex, mentions: Sequence[Mention]) -> GameOfMost:
    """The game that fits most of the mentions of a list that names none. A list is of one
    game: a letter in another case must not make a card another game's.
    """
    games = Counter(
        game for one in mentions for game in {card.game for card in look_up(index, one).cards}
    )
    if len(games) < 2:
        return NO_GAME
    fits = Counter(game for one in mentions for game in games if look_up(index, one, game).cards)
    best, second = sorted(games, key=lambda game: (fits[game], games[game]), reverse=True)[:2]
    if (fits[best], games[best]) == (fits[second], games[second]):
        return NO_GAME
    return GameOfMost(best, fits[best], len(mentions))


def _found(index: CardIndex, mention: Written, cards: Sequence[Card]) -> Candidates[Written]:
    """The cards of a name, those of the edition and set beside it where there are any."""
    if mention.edition:
        cards = [card for card in cards if card.edition == mention.edition] or cards
    return Candidates(mention, _of_set(index, mention, cards))


def _of_set(index: CardIndex, mention: Mention, cards: Sequence[Card]) -> tuple[Card, ...]:
    """Those in the set that is written; all where none of them is."""
    sets = [mention.set_code] if mention.set_code else BRACKETS.findall(mention.name)
    if len(cards) > 1 and sets:
        cards = [card for card in cards if any(is_in_set(index, card, s) for s in sets)] or cards
    return tuple(cards)


def _named_in_set(index: CardIndex, mention: Written, game: str | None) -> Candidates[Written]:
    """The cards of a name in a set whose code looks like a number: "Shellmon (Bo1)"."""
    set_code = mention.number or ""
    cards = [c for c in index.by_name(mention.name, game) if is_in_set(index, c, set_code)]
    return Candidates(replace(mention, number=None, set_code=set_code), tuple(cards))


def _is_set(index: CardIndex, text: str, game: str | None) -> bool:
    """Whether ``text`` is the code of a set letter by letter: Bo1 is one, Bo-1 a card."""
    codes = (code for (of, _), code in index.set_codes.items() if game in (None, of))
    return text in codes


def is_in_set(index: CardIndex, card: Card, set_name: str) -> bool:
    """Whether a card is in the set of this name or code."""
    code = index.set_codes.get((card.game, search_key(set_name)))
    return any(printing.set_code == code for printing in card.printings)


def brackets_are_sets(index: CardIndex, mention: Mention, game: str) -> bool:
    """Whether "Agumon (Starter Ver. 1)" is Agumon; "Agumon (Black)" is another card."""
    names = BRACKETS.findall(mention.name)
    return all((game, search_key(text)) in index.set_codes for text in names)


def _as_whole(mention: Written) -> Written:
    text = mention.whole or ""
    return replace(mention, count=1, text=text, name=text, explicit=True, **_NAME_ALONE)


def _with_count_in_name(mention: Written, cards: Sequence[Card]) -> Written:
    """The mention with a count that is part of its card's name: "BT10-009 Shoutmon X4"."""
    if mention.whole:
        rest = mention.whole.replace(f"{mention.number}{mention.variant or ''}", " ", 1)
        keys = {search_key(name.text) for card in cards for name in card.names}
        if search_key(rest) in keys and search_key(mention.name) not in keys:
            name = rest.strip(" ()[]")
            return replace(mention, count=1, name=name, bare_name=None, whole=None)
    return mention


def _of_edition(index: CardIndex, mention: Mention, cards: Sequence[Card]) -> tuple[Card, ...]:
    """The edition that is written, else named, else the plain one, else all."""
    if mention.edition:
        return tuple(card for card in cards if card.edition == mention.edition)
    result: list[Card] = []
    keys = {search_key(mention.name), search_key(mention.bare_name or "")} - {""}
    for game in dict.fromkeys(card.game for card in cards):
        prints = [card for card in cards if card.game == game]
        named = [card for card in prints if any(map(card.is_named, keys))]
        plain = [card for card in prints if not card.edition]
        result += named or plain or prints
    return _of_set(index, mention, result)


def _renumbered(index: CardIndex, mention: Mention, game: str | None) -> list[Card]:
    """The card that had this number before a data update, for files written then."""
    from digideck.schema.renumber import todays_key  # start-up

    for code in [game] if game else index.games:
        key = (code, mention.number or "", mention.edition or "")
        today = todays_key(index.connection, key)
        if today != key:
            cards = index.by_number(today[1], today[0])
            return [card for card in cards if card.edition == today[2]]
    return []


def _of_free_number(index: CardIndex, mention: Written, game: str | None) -> Candidates[Written]:
    """A number in no form that a game prints, of games whose numbers are free: alone, or
    beside the name of its card.
    """
    _, text = index.vocabulary.split_game(mention.text)
    for token in (text, *text.split()):
        number, _, edition = token.strip(",;:()[]").partition("@")
        if token != text and not any(map(str.isdigit, number)):
            continue
        cards = index.by_number(number, game)
        rest = text.replace(token, " ", 1).strip()
        marked = edition_key(edition) or mention.edition
        numbered = replace(mention, number=number, name=rest, bare_name=None, edition=marked)
        if cards and (not rest or any(card.is_named(search_key(rest)) for card in cards)):
            return Candidates(numbered, _of_edition(index, numbered, cards))
    return Candidates(mention, ())


def name_problem(
    index: CardIndex, found: Candidates[Any], game: str | None = None, says: str = "you wrote"
) -> Problem | None:
    """What there is to say where the name of a mention is not that of its number.

    The number takes precedence: a name of another card is an error, an unknown one a
    warning, words in brackets beside the card's own name a note.
    """
    mention, cards = found.mention, found.cards
    if not mention.number or not cards or not search_key(mention.name):
        return None
    # "ADR-02 Searcher" is all name
    written = {search_key(text) for text in (mention.name, mention.text, mention.x_name)}
    if any(card.is_named(key) for card in cards for key in written):
        return None
    card, name, bare = cards[0], mention.name, mention.bare_name or ""
    game = game or card.game
    is_card = f"{card.full_number} is {card.name}"
    others = index.by_name(name, game) or namesakes(index, name, game)
    if any(other.is_named(search_key(card.name)) for other in others):
        return None  # アグモン beside the number of an Agumon of which no Japanese name is recorded
    if not others and bare:
        if any(card.is_named(search_key(bare)) for card in cards):
            if brackets_are_sets(index, mention, game):
                return None
            message = f"{is_card}; ({', '.join(BRACKETS.findall(name))}) was left out"
            step = "check the number if another card was meant"
            return Problem(Code.BRACKETS_IGNORED, Severity.NOTE, message, next_step=step)
        others = index.by_name(bare, game)
    if others:
        message = f"{is_card}, but {says} {name}, which is {one_of_them(others)}"
        step = "correct the number or the name"
        return Problem(Code.NAME_CLASH, Severity.ERROR, message, next_step=step)
    if not card.names:
        return None
    near = is_near(search_key(name), [search_key(other.text) for other in card.names])
    message = f"{is_card}; {name!r} is {'a near spelling' if near else 'no known name of it'}"
    step = f"write {card.name}" if near else "check the number"
    return Problem(Code.NAME_DIFFERS, Severity.WARNING, message, next_step=step)


def meant_by(index: CardIndex, text: str, game: str | None = None) -> Candidates[Mention]:
    """Every card that a text can mean: number, name, both, or game/number@edition.

    None where number and name are not of one card.
    """
    # Most texts are a number or a name as it is recorded; reading others takes longer.
    cards = index.by_number(text, game)
    if cards and cards[0].number == text:
        mention = Mention(1, text, text)
        return Candidates(mention, _of_edition(index, mention, cards))
    if cards := index.by_name(text, game):
        return _found(index, Mention(1, text, name=text), cards)
    from digideck.catalog.mention_text import read_card  # start-up

    found = look_up(index, read_card(text, index.vocabulary), game)
    return found._replace(cards=()) if _refusal(index, found, game) else found


def _refusal(index: CardIndex, found: Candidates[Any], game: str | None) -> Problem | None:
    """The error of a text whose number and name are not of one card."""
    problem = name_problem(index, found, game)
    if problem is None or problem.severity is Severity.NOTE:
        return None
    return replace(problem, severity=Severity.ERROR)


def one_card(index: CardIndex, text: str, game: str | None = None) -> Card:
    """The card that ``text`` means. Raises InputError for none or several."""
    found = meant_by(index, text, game)
    if len(found.cards) != 1:
        raise InputError(not_one(index, text, found, game))
    return found.cards[0]


def not_one(
    index: CardIndex, text: str, found: Candidates[Mention], game: str | None = None
) -> Problem:
    """Why ``text``, which means ``found``, does not mean exactly one card."""
    if found.cards:
        return several_cards(text, found.cards)
    refusal = _refusal(index, look_up(index, found.mention, game), game)
    return refusal or no_card(index, text, game)


def the_card(
    index: CardIndex, mention: Mention, game: str | None = None, *, of_row: bool = False
) -> Candidates[Mention]:
    """The one card of a mention; its number takes precedence. Raises InputError for none, for
    several, and for a name that is not that card's: in a row only if it is another card's.
    """
    found = look_up(index, mention, game)
    if len(found.cards) > 1 and mention.name:  # the name tells the game
        key = search_key(mention.name)
        named = tuple(card for card in found.cards if card.is_named(key))
        found = found._replace(cards=named or found.cards)
    if len(found.cards) != 1:
        text = mention.full_number if of_row and mention.number else mention.text
        raise InputError(not_one(index, text, found, game))
    problem = name_problem(index, found, says="the row says")
    if not of_row:
        problem = _refusal(index, found, game)
    if problem and problem.severity is Severity.ERROR:
        raise InputError(problem)
    return found
