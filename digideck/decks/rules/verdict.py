"""The verdict on a deck: legal, illegal or undecided, with reasons."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from digideck.catalog.arguments import the_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import expect
from digideck.core.codes import Code
from digideck.core.problems import Fix, FixAction, InputError, Problem, Severity, input_error
from digideck.decks.matched_deck import DeckEntry, LineLookup, MatchedDeck, Matcher
from digideck.decks.model import TODAY, Deck, Occasion
from digideck.decks.read_deck import no_cards
from digideck.decks.rules.rule import Format
from digideck.decks.rules.rule_files import FormatTable
from digideck.schema.games.game import Game


class Status(StrEnum):
    """What a deck is in a format; UNUSABLE where it could not be judged."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNDECIDED = "undecided"
    UNUSABLE = "unusable"


class Verdict(NamedTuple):
    """A deck's status in a format. ``chosen_by`` tells how the format was found."""

    deck: Deck
    status: Status
    format: Format | None
    chosen_by: str
    problems: tuple[Problem, ...]
    unknown: tuple[DeckEntry, ...] = ()
    occasion: Occasion = TODAY
    fixes: tuple[Fix, ...] = ()  # what would make an illegal deck legal, where that is little


_ORDER = {severity: place for place, severity in enumerate(Severity)}


def judge(deck: MatchedDeck, rules: Format) -> tuple[Status, list[Problem]]:
    """Run every rule on a deck that has met its cards. The gravest problems first."""
    problems = list(deck.problems)
    for rule in rules.rules:
        problems.extend(rule.run(deck, rule))
    problems.sort(key=lambda problem: _ORDER[problem.severity])
    return _status(problems), problems


MOST_CHANGES = 5  # a longer list is a rebuilding, not a change


def smallest_change(deck: MatchedDeck, rules: Format) -> tuple[Fix, ...]:
    """The cards to take out and to add so that no rule is broken; none if they are many.

    Takes out what is over a limit, one copy at a time from the last line on,
    until the only errors left are about what the deck lacks or has too many of
    in all.
    """
    taken: Counter[str] = Counter()
    errors = _errors(deck, rules)
    while over := next((error for error in errors if error.cards), None):
        fewer = _without_one(deck, over)
        if fewer is None or sum(taken.values()) == MOST_CHANGES:
            return ()
        deck, title = fewer
        taken[title] += 1
        errors = _errors(deck, rules)
    fixes = [Fix(FixAction.TAKE_OUT, count, title) for title, count in taken.items()]
    for error in errors:
        if error.fix is None or (error.fix.count or 0) > MOST_CHANGES:
            return ()
        fixes.append(error.fix)
    return tuple(fixes)


def _errors(deck: MatchedDeck, rules: Format) -> list[Problem]:
    found = [problem for rule in rules.rules for problem in rule.run(deck, rule)]
    return [problem for problem in found if problem.severity is Severity.ERROR]


def _without_one(deck: MatchedDeck, error: Problem) -> tuple[MatchedDeck, str] | None:
    """The deck without one copy of the last card that ``error`` names, and that card."""
    entries = list(deck.entries)
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if entry.mention in error.cards:
            fewer = replace(entry, line=replace(entry.line, count=entry.count - 1))
            entries[place : place + 1] = [fewer] if fewer.count else []
            return replace(deck, entries=tuple(entries)), entry.mention.card
    return None


def _status(problems: Sequence[Problem]) -> Status:
    severities = {problem.severity for problem in problems}
    if Severity.ERROR in severities:
        return Status.ILLEGAL
    return Status.UNDECIDED if Severity.UNKNOWN in severities else Status.LEGAL


class Judge:
    """Judges deck after deck against one database.

    ``occasion`` is what for: today, and in the game's first region, unless it says otherwise.
    """

    def __init__(self, index: CardIndex, formats: FormatTable, occasion: Occasion = TODAY) -> None:
        self.occasion = replace(occasion, day=occasion.day or datetime.date.today().isoformat())
        self.index = index
        self.formats = formats
        self._lookup = LineLookup(index)
        self._matchers: dict[str, Matcher] = {}

    def verdict(self, deck: Deck, wanted: str | None = None) -> Verdict:
        """The verdict in the format ``wanted``, else in the one that the deck names,
        else in that of the only game its cards fit.
        """
        if deck.unreadable:
            return Verdict(deck, Status.UNUSABLE, None, "", deck.problems)
        deck = self.without_title(deck)
        try:
            rules, chosen_by = self.format_for(deck, wanted)
            matched = self._match(deck, rules)
        except InputError as error:
            return Verdict(deck, Status.UNUSABLE, None, "", (*deck.problems, *error.problems))
        if not any(line.explicit for line in deck.lines) and not _any_known(matched):
            return Verdict(deck, Status.UNUSABLE, None, "", (*deck.problems, no_cards(deck.file)))
        status, problems = judge(matched, rules)
        sure = not any(problem.severity is Severity.UNKNOWN for problem in problems)
        fixes = smallest_change(matched, rules) if sure and status is Status.ILLEGAL else ()
        return Verdict(
            deck,
            status,
            rules,
            chosen_by,
            (*deck.problems, *problems),
            tuple(matched.unknown),
            matched.occasion,
            fixes,
        )

    def matched(self, deck: Deck, wanted: str | None = None) -> tuple[MatchedDeck, Format]:
        """A deck that could be read, with the cards of its format's game. Raises InputError."""
        deck = self.without_title(deck)
        rules, _ = self.format_for(deck, wanted)
        return replace(self._match(deck, rules), format=rules.code), rules

    def without_title(self, deck: Deck) -> Deck:
        """A first line without count and number that is no card is the deck's name."""
        if len(deck.lines) < 2 or deck.form not in ("", "text"):
            return deck
        first, *rest = deck.lines
        if (
            (first.explicit and not (first.whole and not first.number))
            or "name" in deck.details
            or not any(line.explicit for line in rest)
        ):
            return deck
        if self._lookup.find(first).cards:
            return deck
        note = Problem(
            Code.TITLE,
            Severity.NOTE,
            f"{first.whole or first.text!r} was taken as the deck's name, it is no known card",
            deck.file,
            first.line,
            next_step="write a count before it if it is a card",
        )
        details = {**deck.details, "name": first.whole or first.text}
        return replace(deck, lines=tuple(rest), problems=(*deck.problems, note), details=details)

    def _match(self, deck: Deck, rules: Format) -> MatchedDeck:
        game = self.index.games[rules.game]
        if game.code not in self._matchers:
            self._matchers[game.code] = Matcher(self._lookup, game)
        return self._matchers[game.code].match(deck, self._occasion_in(game))

    def _occasion_in(self, game: Game) -> Occasion:
        """The occasion with a region of the game. Raises InputError for one it does not have."""
        region = self.occasion.region if game.regions else ""
        if region and region not in game.regions:
            raise input_error(
                Code.REGION_UNKNOWN,
                f"{game.code} has no lists for the region {region!r}",
                allowed=", ".join(game.regions),
                next_step=f"name one of {', '.join(game.regions)} with --region",
            )
        return replace(self.occasion, region=region or game.default_region)

    def format_for(self, deck: Deck, wanted: str | None = None) -> tuple[Format, str]:
        """The format to take a deck in, and how it was found. Raises InputError."""
        if wanted:
            return self.formats.get(wanted), "asked for"
        if "format" in deck.details:
            with _at_header(deck, "format"):
                return self.formats.by_code(deck.details["format"]), "named in the file"
        if "game" in deck.details:
            with _at_header(deck, "game"):
                named = self.formats.default_of(the_game(self.index, deck.details["game"]))
            if named:
                return named, "of the game named in the file"
        return self._format_of_cards(deck)

    def _format_of_cards(self, deck: Deck) -> tuple[Format, str]:
        """The format of the only game that has every card which is known at all."""
        known: Counter[str] = Counter()
        resolved = 0
        expect(self.index, deck.lines)
        for line in deck.lines:
            games = {card.game for card in self._lookup.find(line).cards}
            known.update(games)
            resolved += bool(games)
        lines = len(deck.lines)
        fitting = [game for game in self.index.games if known[game] == resolved]
        rules = self.formats.default_of(fitting[0]) if len(fitting) == 1 else None
        if rules is None or resolved * 2 < lines:
            raise InputError(self._no_format(deck, known, fitting, resolved))
        share = "all lines are" if resolved == lines else f"{resolved} of {lines} lines are"
        return rules, f"by its cards: {share} of {rules.game}"

    def _no_format(
        self, deck: Deck, known: Counter[str], fitting: list[str], resolved: int
    ) -> Problem:
        lines = len(deck.lines)
        games = fitting if len(fitting) > 1 else sorted(known)
        if not resolved:
            if not any(line.explicit for line in deck.lines):
                return no_cards(deck.file)
            message = "none of its cards is in the database"
        elif len(fitting) > 1:
            message = f"its cards fit several games: {', '.join(fitting)}"
        elif len(fitting) == 1:
            message = f"only {resolved} of its {lines} lines are known cards, of {fitting[0]}"
        else:
            counts = ", ".join(f"{game} {count}" for game, count in known.most_common())
            message = f"no game has all of its cards (of {lines} lines: {counts})"
        own = [rules.code for game in games if (rules := self.formats.default_of(game))]
        codes = ", ".join(own or self.formats.codes)
        return Problem(
            Code.FORMAT_UNCLEAR,
            Severity.ERROR,
            f"cannot tell the format: {message}",
            deck.file,
            allowed=codes,
            next_step=f'add --format, or a first line "# format: ..." ({codes})',
        )


def _any_known(deck: MatchedDeck) -> bool:
    return any(entry.candidates for entry in deck.entries)


@contextmanager
def _at_header(deck: Deck, key: str) -> Iterator[None]:
    """Problems with what a header says are placed where that header is."""
    try:
        yield
    except InputError as error:
        if any(problem.file for problem in error.problems):
            raise
        raise error.at(deck.file, getattr(deck.details[key], "line", None) or None) from None
