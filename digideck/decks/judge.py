"""The verdict on a deck: legal, illegal or undecided, with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from digideck.decks.files import no_cards
from digideck.decks.match import Entry, MatchedDeck, candidates, match_deck
from digideck.decks.model import Deck
from digideck.decks.rules import Format, FormatTable
from digideck.schema.cards import CardIndex
from digideck.schema.problems import Problem, Severity, Unusable


class Status(StrEnum):
    """What a deck is in a format; UNUSABLE where it could not be judged."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNDECIDED = "undecided"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class Verdict:
    """A deck's status in a format. ``chosen_by`` tells how the format was found."""

    deck: Deck
    status: Status
    format: Format | None
    chosen_by: str
    problems: tuple[Problem, ...]
    unknown: tuple[Entry, ...] = ()


_ORDER = {severity: place for place, severity in enumerate(Severity)}


def judge(deck: MatchedDeck, rules: Format) -> tuple[Status, list[Problem]]:
    """Run every rule on a deck that has met its cards. The gravest problems first."""
    problems = list(deck.problems)
    for rule in rules.rules:
        problems.extend(rule.run(deck, rule))
    problems.sort(key=lambda problem: _ORDER[problem.severity])
    return _status(problems), problems


def _status(problems: Sequence[Problem]) -> Status:
    severities = {problem.severity for problem in problems}
    if Severity.ERROR in severities:
        return Status.ILLEGAL
    return Status.UNDECIDED if Severity.UNKNOWN in severities else Status.LEGAL


class Judge:
    """Judges deck after deck against one database."""

    def __init__(self, index: CardIndex, formats: FormatTable) -> None:
        self.index = index
        self.formats = formats

    def verdict(self, deck: Deck, wanted: str | None = None) -> Verdict:
        """The verdict in the format ``wanted``, else in the one that the deck names,
        else in that of the only game its cards fit.
        """
        if deck.unreadable:
            return Verdict(deck, Status.UNUSABLE, None, "", deck.problems)
        try:
            rules, chosen_by = self.format_for(deck, wanted)
        except Unusable as error:
            placed = [_placed(problem, deck.file) for problem in error.problems]
            return Verdict(deck, Status.UNUSABLE, None, "", (*deck.problems, *placed))
        matched = match_deck(deck, self.index, self.index.games[rules.game])
        if not any(line.explicit for line in deck.lines) and not _any_known(matched):
            return Verdict(deck, Status.UNUSABLE, None, "", (*deck.problems, no_cards(deck.file)))
        status, problems = judge(matched, rules)
        everything = (*deck.problems, *problems)
        return Verdict(deck, status, rules, chosen_by, everything, tuple(matched.unknown))

    def format_for(self, deck: Deck, wanted: str | None = None) -> tuple[Format, str]:
        """The format to take a deck in, and how it was found. Raises Unusable."""
        if wanted:
            return self.formats.get(wanted), "asked for"
        if "format" in deck.details:
            return self.formats.get(deck.details["format"]), "named in the file"
        game = deck.details.get("game")
        if game in self.index.games:
            named = self.formats.default_of(game)
            if named:
                return named, "of the game named in the file"
        return self._format_of_cards(deck)

    def _format_of_cards(self, deck: Deck) -> tuple[Format, str]:
        known = dict.fromkeys(self.index.games, 0)
        for line in deck.lines:
            for game in {card.game for card in candidates(line, self.index)}:
                known[game] += 1
        lines = len(deck.lines)
        fitting = [game for game, count in known.items() if count == lines]
        if not fitting:
            most = max(known.values())
            fitting = [game for game, count in known.items() if most and count == most]
        if len(fitting) == 1:
            rules = self.formats.default_of(fitting[0])
            if rules:
                count = known[fitting[0]]
                share = "all" if count == lines else f"{count} of {lines}"
                return rules, f"{share} of its lines are cards of {fitting[0]}"
        raise Unusable(self._no_format(deck, fitting))

    def _no_format(self, deck: Deck, fitting: list[str]) -> Problem:
        if not fitting:
            if not any(line.explicit for line in deck.lines):
                return no_cards(deck.file)
            message = "none of its cards is in the database"
        elif len(fitting) == 1:
            message = f"its cards are of {fitting[0]}, for which no format is known yet"
        else:
            message = f"its cards fit several games: {', '.join(fitting)}"
        codes = ", ".join(self.formats.codes)
        return Problem(
            "format-unclear",
            Severity.ERROR,
            f"cannot tell the format: {message}",
            deck.file,
            allowed=codes,
            next_step=f'add --format, or a first line "# format: ..." ({codes})',
        )


def _any_known(deck: MatchedDeck) -> bool:
    return any(entry.candidates for entry in deck.entries)


def _placed(problem: Problem, file: str) -> Problem:
    from dataclasses import replace

    return problem if problem.file else replace(problem, file=file)
