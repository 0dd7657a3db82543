"""Bans and restrictions of single cards, each from a date on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from digideck.core.names import search_key
from digideck.core.problems import Fix, FixAction, Problem, Severity
from digideck.core.strict_yaml import Mapping
from digideck.decks.matched_deck import DeckEntry, MatchedDeck
from digideck.decks.rules.checks.common import Check, problem, total
from digideck.decks.rules.rule import Rule
from digideck.schema.games.game import Game

_NAME = "name "  # before a name's key, to keep it apart from numbers


class Limit(NamedTuple):
    """At most ``most`` copies of a number, or of any of ``cards`` only with itself.

    On the list of ``region`` (empty: everywhere), in force from ``since`` to the day before
    ``until`` (dates; None: open). ``doubt`` says why it may not be; ``warns`` where it is
    only passed on.
    """

    cards: tuple[str, ...]
    most: int
    region: str
    since: str | None
    until: str | None
    doubt: str | None
    warns: bool

    def in_force(self, date: str) -> bool:
        """Whether it counts on ``date`` (YYYY-MM-DD)."""
        return (self.since or "") <= date and (self.until is None or date < self.until)

    @property
    def told(self) -> str:
        """From when on it is, and what is doubtful about it."""
        since = f" since {self.since}" if self.since else ""
        return since + (f" ({self.doubt})" if self.doubt else "")


def limits(entry: Mapping, game: Game) -> Check:
    """Each of ``cards``: ``card`` (a number) or ``name``, ``most`` copies (0 bans it),
    ``from`` and ``until``; on the list of its ``region``, else of the rule's, else everywhere.
    """
    listed_by = _region(entry, game)
    found: dict[str, list[Limit]] = {}
    for item in entry.mappings("cards"):
        key = _card_key(item, game)
        limit = _limit(item, (key,), item.integer("most"), _region(item, game, listed_by))
        found.setdefault(key, []).append(limit)
        item.done()

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        for key, entries in _by_key(deck).items():
            for limit in _asked_for(found.get(key, ()), deck.occasion.region):
                have = total(entries)
                if have > limit.most and limit.in_force(deck.occasion.day):
                    yield _broken(deck, rule, limit, entries, have)

    return check


def _asked_for(limits: Sequence[Limit], region: str) -> Sequence[Limit]:
    """The limits on a region's list; those of other lists where it says nothing of the card."""
    own = [limit for limit in limits if limit.region in ("", region)]
    return own or limits


def _judged(deck: MatchedDeck, limit: Limit) -> tuple[Severity, str]:
    """How grave a broken limit is, and what is to be said of the list that it is on."""
    if limit.warns:
        return Severity.WARNING, ""
    lists = deck.game.regions
    if limit.region in ("", deck.occasion.region) or not lists:
        return Severity.ERROR, ""
    own = lists.get(deck.occasion.region, "the other list")
    return Severity.UNKNOWN, f" by {lists[limit.region]}; whether {own} has it is not recorded"


def _broken(
    deck: MatchedDeck, rule: Rule, limit: Limit, entries: list[DeckEntry], have: int
) -> Problem:
    severity, on_list = _judged(deck, limit)
    title = entries[0].mention.card
    banned = limit.most == 0
    what = "is banned" if banned else f"is restricted to {limit.most}"
    deck_has = "" if banned else f", the deck has {have}"
    return problem(
        deck,
        rule,
        severity,
        f"{title} {what}{limit.told}{deck_has}{on_list}",
        entries=entries,
        have=have,
        allowed=limit.most,
        fix=Fix(FixAction.TAKE_OUT, have - limit.most, title),
    )


def together(entry: Mapping, game: Game) -> Check:
    """Each of ``pairs``: ``card`` must not be in one deck with any of ``not_with`` (numbers).

    Each card alone stays allowed as usual. Dates and regions as in `limits`.
    """
    listed_by = _region(entry, game)
    pairs = []
    for item in entry.mappings("pairs"):
        card = _number(item, "card", item.text("card"), game)
        region = _region(item, game, listed_by)
        pairs += [
            _limit(item, (card, other), 0, region) for other in _numbers(item, "not_with", game)
        ]
        item.done()

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        present = _by_key(deck)
        for pair in pairs:
            first, second = pair.cards
            if first in present and second in present and pair.in_force(deck.occasion.day):
                entries = [*present[first], *present[second]]
                one, other = present[first][0].mention.card, present[second][0].mention.card
                severity, on_list = _judged(deck, pair)
                yield problem(
                    deck,
                    rule,
                    severity,
                    f"{one} and {other} may not be in one deck{pair.told}{on_list}",
                    entries=entries,
                    have=total(entries),
                    fix=Fix(FixAction.TAKE_OUT, card=f"{one} or {other}"),
                )

    return check


def _region(entry: Mapping, game: Game, default: str = "") -> str:
    return entry.choice("region", (default, *game.regions), default)


def _limit(item: Mapping, cards: tuple[str, ...], most: int, region: str) -> Limit:
    since, until = item.optional_date("from"), item.optional_date("until")
    if since and until and since >= until:
        raise item.problem(f"from {since} is not before until {until}", "from")
    return Limit(cards, most, region, since, until, item.optional_text("doubt"), item.flag("warns"))


def _card_key(item: Mapping, game: Game) -> str:
    name, number = item.optional_text("name"), item.optional_text("card")
    if (name is None) == (number is None):
        raise item.problem("one of card and name is needed", allowed="card, name")
    return _number(item, "card", number, game) if number else _NAME + search_key(name or "")


def _numbers(item: Mapping, key: str, game: Game) -> list[str]:
    return [_number(item, key, number, game) for number in item.texts(key)]


def _number(item: Mapping, key: str, number: str, game: Game) -> str:
    if not game.numbers.prints(number):
        shapes = ", ".join(game.numbers.templates)
        raise item.problem(f"{key}: {number!r} is not how {game.code} prints numbers", key, shapes)
    return number


def _by_key(deck: MatchedDeck) -> dict[str, list[DeckEntry]]:
    """The entries by the number and by the name that they surely have."""
    found: dict[str, list[DeckEntry]] = {}
    for entry in deck.played:
        numbers = {card.number for card in entry.candidates}
        keys = [*(numbers if len(numbers) == 1 else ())]
        if len(entry.name_keys) == 1:
            keys.append(_NAME + next(iter(entry.name_keys)))
        for key in keys:
            found.setdefault(key, []).append(entry)
    return found
