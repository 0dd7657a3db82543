"""How many cards: of a zone, or of a kind and level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digideck.catalog.cards import Card
from digideck.core.problems import Fix, FixAction, Problem, Severity
from digideck.core.strict_yaml import Mapping
from digideck.decks.matched_deck import DeckEntry, MatchedDeck
from digideck.decks.model import MAIN
from digideck.decks.rules.checks.common import Check, listed, problem, span, total
from digideck.decks.rules.rule import Rule
from digideck.schema.games.game import Game


def size(entry: Mapping, game: Game) -> Check:
    """``least`` to ``most`` cards in ``zone`` (either may be left out); with ``open_above``
    the sources disagree whether more than ``most`` are allowed.
    """
    zone = entry.choice("zone", game.zones, MAIN)
    least, most = _least_and_most(entry)
    open_above = entry.flag("open_above")

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        have = sum(found.count for found in deck.entries if found.zone == zone)
        if least is not None and have < least:
            fix = Fix(FixAction.ADD, least - have)
        elif most is not None and have > most:
            fix = Fix(FixAction.TAKE_OUT, have - most)
        else:
            return
        where = f" in {zone}" if len(game.zones) > 1 else ""
        severity = Severity.WARNING if deck.occasion.draft else Severity.ERROR
        message = f"{have} cards{where}, the format wants {span(least, most)}"
        if open_above and fix.action is FixAction.TAKE_OUT:
            severity = Severity.UNKNOWN
            message = f"{have} cards{where}: the sources disagree whether more than {most} may be"
        yield problem(deck, rule, severity, message, have=have, allowed=span(least, most), fix=fix)

    return check


def _least_and_most(entry: Mapping) -> tuple[int | None, int | None]:
    least, most = entry.optional_integer("least"), entry.optional_integer("most")
    if least is None and most is None:
        raise entry.problem("least or most is missing", allowed="least, most")
    if least is not None and most is not None and least > most:
        raise entry.problem(f"least is {least}, but most is {most}", "least")
    return least, most


def number_of(entry: Mapping, game: Game) -> Check:
    """``least`` to ``most`` cards of ``kind`` with one of ``levels``.

    ``open_levels`` are levels of which no source tells whether they count as
    one of these: what hangs on them is reported, not judged.
    """
    least, most = _least_and_most(entry)
    counter = _Counter(
        entry.choice("kind", game.kinds),
        _levels(entry, game, "levels"),
        _levels(entry, game, "open_levels"),
    )

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        if least is not None:
            yield from counter.too_few(deck, rule, least)
        if most is not None:
            yield from counter.too_many(deck, rule, most)

    return check


def _levels(entry: Mapping, game: Game, key: str) -> list[str]:
    levels = entry.texts(key)
    for level in levels:
        if level not in game.levels:
            raise entry.problem(f"{key}: {level!r} is not one of: {', '.join(game.levels)}", key)
    return levels


class _Counter:
    """Counts cards of a kind and level, for sure and perhaps."""

    def __init__(self, kind: str, levels: Sequence[str], open_levels: Sequence[str]) -> None:
        self.kind = kind
        self.levels = levels
        self.open_levels = open_levels
        roman = [f"Level {level}" if set(level) <= set("IV") else level for level in levels]
        self.named = f"{' or '.join(roman)} {kind}".strip()

    def surely(self, card: Card) -> bool:
        if card.kind != self.kind or (self.levels and not self._level_known(card)):
            return False
        return not self.levels or card.level in self.levels

    def may_be(self, card: Card) -> bool:
        """Whether some source or gap leaves it possible, an open level included."""
        if card.kind not in (None, self.kind):
            return False
        levels = (*self.levels, *self.open_levels)
        return not self.levels or not self._level_known(card) or card.level in levels

    def _openly(self, card: Card) -> bool:
        levels = (*self.levels, *self.open_levels)
        return card.kind == self.kind and self._level_known(card) and card.level in levels

    def _level_known(self, card: Card) -> bool:
        return card.level is not None and "level" not in card.doubts

    def sorted_out(
        self, deck: MatchedDeck
    ) -> tuple[list[DeckEntry], list[DeckEntry], list[DeckEntry]]:
        """The entries that count for sure, perhaps, and by an open level."""
        main = [found for found in deck.entries if found.zone == MAIN]
        sure = [
            found for found in main if found.candidates and all(map(self.surely, found.candidates))
        ]
        surely = set(map(id, sure))
        others = [found for found in main if id(found) not in surely]
        perhaps = [
            found
            for found in others
            if not found.candidates or any(map(self.may_be, found.candidates))
        ]
        by_open_level = [
            found
            for found in others
            if found.candidates and all(map(self._openly, found.candidates))
        ]
        return sure, perhaps, by_open_level

    def too_few(self, deck: MatchedDeck, rule: Rule, least: int) -> Iterator[Problem]:
        sure, perhaps, by_open_level = self.sorted_out(deck)
        have = total(sure)
        if have >= least:
            return
        have_text = f"{have or 'no'} {self.named}"
        missing = least - have
        if total(by_open_level) >= missing:
            yield problem(
                deck,
                rule,
                Severity.WARNING,
                f"{have_text} but {by_open_level[0].mention.card}: no source tells whether "
                f"{' or '.join(self.open_levels)} counts as one",
                entries=by_open_level,
                have=have,
                allowed=span(least, None),
            )
        elif total(perhaps) >= missing:
            yield problem(
                deck,
                rule,
                Severity.UNKNOWN,
                f"{have_text} for sure; whether "
                f"{listed([found.mention.card for found in perhaps])} is one is not known",
                entries=perhaps,
                have=have,
                allowed=span(least, None),
                next_step="import the kind and level of one of them, or add a card that is one",
            )
        else:
            yield problem(
                deck,
                rule,
                Severity.WARNING if deck.occasion.draft else Severity.ERROR,
                f"{have_text}, {span(least, None)} needed",
                have=have,
                allowed=span(least, None),
                fix=Fix(FixAction.ADD, missing, self.named),
            )

    def too_many(self, deck: MatchedDeck, rule: Rule, most: int) -> Iterator[Problem]:
        sure, perhaps, by_open_level = self.sorted_out(deck)
        have = total(sure)
        by_chance = [found for found in perhaps if found not in by_open_level]
        possible = have + total(by_chance)
        with_open = have + total(perhaps)
        if have > most:
            severity, entries = Severity.ERROR, sure
            message = f"{have} of {self.named}, {most} allowed"
        elif possible > most:
            severity, entries, have = Severity.UNKNOWN, by_chance, possible
            message = (
                f"perhaps {possible} of {self.named}, {most} allowed; whether "
                f"{listed([found.mention.card for found in by_chance])} is one is not known"
            )
        elif with_open > most:
            severity, entries, have = Severity.WARNING, perhaps, with_open
            message = (
                f"{with_open} of {self.named}, {most} allowed, if "
                f"{' or '.join(self.open_levels)} counts as one, which no source tells"
            )
        else:
            return
        yield problem(
            deck,
            rule,
            severity,
            message,
            entries=entries,
            have=have,
            allowed=most,
            fix=Fix(FixAction.TAKE_OUT, have - most, self.named),
        )
