"""Which cards the lines of a deck can mean.

A line that could mean several cards keeps all of them as candidates: a check
then answers for every reading of the line, and only where the readings differ
does the verdict hang on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from digideck.catalog.advice import meant_instead
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import Candidates, expect, look_up, name_problem
from digideck.core.codes import Code
from digideck.core.names import limit_key, search_key, without_x_antibody
from digideck.core.problems import CardMention, Fix, FixAction, Problem, Severity
from digideck.decks.model import MAIN, SIDE, TODAY, Deck, DeckLine, Occasion
from digideck.schema.games.game import Game

_LONE_DIGITS = re.compile(r"(?<![^\W_])[0-9]+(?![^\W_])")
MOST_REMEMBERED = 50_000  # lines; some 10 MB
MOST_SEARCHES = 20  # for cards of like names in a deck; a hundred unknown ones are no misspelling


@dataclass(frozen=True, slots=True)
class DeckEntry:
    """A line with every card it can mean; none where the card is unknown.

    ``name_keys`` are the limit keys it may count under, of its candidates or,
    for an unknown card, of the name as written. ``zone`` is that of its kind of
    card where the game gives one, else the one it is listed under.
    """

    line: DeckLine
    candidates: tuple[Card, ...]
    name_keys: frozenset[str]
    zone: str
    elsewhere: bool = False  # a known card of another game

    @property
    def count(self) -> int:
        """The copies on the line."""
        return self.line.count

    @property
    def mention(self) -> CardMention:
        """The card as messages name it."""
        title = self.candidates[0].title if len(self.candidates) == 1 else self.line.shown
        return CardMention(title, self.line.count, self.line.line)


@dataclass(frozen=True)
class MatchedDeck:
    """A deck whose lines have met the cards of one game."""

    deck: Deck
    game: Game
    entries: tuple[DeckEntry, ...]
    problems: tuple[Problem, ...]
    occasion: Occasion = TODAY
    format: str = ""  # the code of the format it was matched for, where that is known

    @property
    def played(self) -> list[DeckEntry]:
        """The entries outside the side deck."""
        return [entry for entry in self.entries if entry.zone != SIDE]

    @property
    def unknown(self) -> list[DeckEntry]:
        """The entries whose card is not in the database."""
        return [one for one in self.entries if not (one.candidates or one.elsewhere)]


class LineLookup:
    """Every card that lines can mean, each looked up once: for all games, then narrowed."""

    def __init__(self, index: CardIndex) -> None:
        self.index = index
        self._known: dict[tuple[str | None, ...], tuple[Card, ...]] = {}

    def find(self, line: DeckLine, game: str | None = None) -> Candidates[DeckLine]:
        """The cards of a line in one game or in all."""
        every = self._known.get((*_key(line), None), ())
        cards = tuple(card for card in every if game in (None, card.game))
        cards = cards or self._known.get((*_key(line), game), ())
        if cards:
            return Candidates(line, cards)
        found = look_up(self.index, line, game)
        if found.mention is line:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[*_key(line), game] = found.cards
        return found


def _key(line: DeckLine) -> tuple[str | None, ...]:
    """All that tells which card a line means."""
    return (
        line.text,
        line.number,
        line.name,
        line.edition,
        line.game,
        line.bare_name,
        line.whole,
        line.x_name,
        line.set_code,
    )


class Matcher:
    """Looks up the lines of deck after deck among the cards of one game."""

    def __init__(self, lookup: LineLookup, game: Game) -> None:
        self.lookup = lookup
        self.game = game
        # Decks repeat their lines; those of which there is nothing to say are kept.
        self._plain: dict[tuple[str | None, ...], tuple[tuple[Card, ...], frozenset[str]]] = {}

    def match(self, deck: Deck, occasion: Occasion = TODAY) -> MatchedDeck:
        """``deck`` with the cards that its lines can mean."""
        keys = [_key(line) for line in deck.lines]
        new = (line for line, key in zip(deck.lines, keys, strict=True) if key not in self._plain)
        expect(self.lookup.index, new)
        problems: list[Problem] = []
        looker = _LookUp(deck.file, self.lookup, self.game, problems)
        entries = []
        for line, key in zip(deck.lines, keys, strict=True):
            known = self._plain.get(key)
            if known:
                entries.append(DeckEntry(line, *known, zone_of(line, known[0], self.game)))
                continue
            before = len(problems)
            entry = looker.entry(line)
            entries.append(entry)
            if len(problems) == before and entry.line is line:
                self._remember(key, entry)
        looker.report_side(entries)
        return MatchedDeck(deck, self.game, tuple(entries), tuple(problems), occasion)

    def _remember(self, key: tuple[str | None, ...], entry: DeckEntry) -> None:
        if len(self._plain) >= MOST_REMEMBERED:
            self._plain.clear()
        self._plain[key] = (entry.candidates, entry.name_keys)


class _LookUp:
    """One deck's look-ups, and what there is to say of them."""

    def __init__(self, file: str, lookup: LineLookup, game: Game, problems: list[Problem]) -> None:
        self.file = file
        self.lookup = lookup
        self.index = lookup.index
        self.game = game
        self.problems = problems
        self.searches = 0

    def entry(self, line: DeckLine) -> DeckEntry:
        found = self.lookup.find(line, self.game.code)
        if found.mention.count != line.count:
            self.report_count_in_name(line)
        line = found.mention
        cards = () if line.game and line.game != self.game.code else found.cards
        if not cards:
            zone = zone_of(line, (), self.game)
            elsewhere = self.report_missing(line)
            return DeckEntry(line, (), self.keys_of_unknown(line), zone, elsewhere)
        keys = frozenset(card.limit_key or _number_only_key(card) for card in cards)
        entry = DeckEntry(line, cards, keys, zone_of(line, cards, self.game))
        self.compare_name(entry)
        self.report_readings(entry)
        self.report_doubt(entry)
        return entry

    def keys_of_unknown(self, line: DeckLine) -> frozenset[str]:
        """What an unknown card counts under: its name as written, else its number."""
        name = line.name
        if not search_key(name):
            return frozenset([f"number {line.number}"])
        folds = self.game.folds_x_antibody
        kind = "" if search_key(name) in ("xantibody", "x抗体") else "Digimon"
        key = limit_key(name, kind=kind, folds_x_antibody=folds)
        if folds and key == search_key(name):
            bases = self.index.by_name(without_x_antibody(name, dub=True), self.game.code)
            base_keys = {card.limit_key for card in bases if card.limit_key}
            if base_keys:
                return frozenset(base_keys)
        named = self.index.by_name(name, self.game.code)
        return frozenset({card.limit_key for card in named if card.limit_key} or {key})

    def report_missing(self, line: DeckLine) -> bool:
        """A line that is no card of this game: whether it is one of another, else unknown."""
        others = self.lookup.find(line).cards
        # Not all cards of a game are known: a number that both games print may be this one's.
        of_another = line.game or (
            any(card.number == line.number for card in others)
            and not self.game.numbers.prints(line.number or "")
        )
        if others and of_another:
            self.add(
                line,
                Code.CARD_OF_OTHER_GAME,
                Severity.ERROR,
                f"{others[0].title} is a card of {others[0].game}, not of {self.game.code}",
                next_step=f"take it out, or judge the deck as one of {others[0].game}",
                fix=Fix(FixAction.TAKE_OUT, line.count, line.shown),
            )
            return True
        self.add(
            line,
            Code.CARD_UNKNOWN,
            Severity.UNKNOWN,
            f"{line.shown} is not among the {self.game.code} cards",
            next_step=f"{self.hint(line)}if the card exists, import it",
            fix=Fix(FixAction.IMPORT, line.count, line.shown),
        )
        return False

    def report_side(self, entries: Sequence[DeckEntry]) -> None:
        """Cards beside the deck count in no rule, which should not go unsaid."""
        side = [entry for entry in entries if entry.zone == SIDE]
        if side:
            self.add(
                side[0].line,
                Code.SIDE_NOT_COUNTED,
                Severity.NOTE,
                f"{sum(entry.count for entry in side)} cards beside the deck are not counted",
                next_step=None,
            )

    def hint(self, line: DeckLine) -> str:
        """What an unknown card may have been meant to be."""
        namesakes = self.index.by_name(line.name, self.game.code)
        if namesakes:
            numbers = ", ".join(card.full_number for card in namesakes[:4])
            return f"{line.name} is known as {numbers}{' ...' if len(namesakes) > 4 else ''}; "
        elsewhere = self.index.by_number(line.number) if line.number else []
        if line.edition and any(card.game == self.game.code for card in elsewhere):
            known = ", ".join(card.full_number for card in elsewhere)
            return f"known are {known}; "
        if elsewhere and elsewhere[0].number == line.number:
            return f"it is a card of {elsewhere[0].game}; "
        if line.number and not line.name and self.game.numbers.reads(line.number):
            return ""
        self.searches += 1
        if self.searches > MOST_SEARCHES:
            return ""
        written = line.name or line.number or line.text
        meant = meant_instead(self.index, written, self.game.code, 3)
        return f"{meant}{' ' if meant.endswith('?') else '; '}" if meant else ""

    def compare_name(self, entry: DeckEntry) -> None:
        """The number takes precedence; a name that is another card's makes it doubtful."""
        found = Candidates(entry.line, entry.candidates)
        problem = name_problem(self.index, found, self.game.code, "the line says")
        if problem:
            grave = problem.severity is Severity.ERROR or (
                problem.code in (Code.NAME_DIFFERS, Code.BRACKETS_IGNORED)
                and _LONE_DIGITS.search(entry.line.name)
            )  # what may be a count is no slip of a name
            severity = Severity.UNKNOWN if grave else problem.severity
            self.add(entry.line, problem.code, severity, problem.message, problem.next_step)

    def report_readings(self, entry: DeckEntry) -> None:
        cards = entry.candidates
        if len(entry.name_keys) > 1 or (entry.line.number and len(cards) > 1):
            shown = dict.fromkeys(card.title for card in cards)
            titles = ", ".join(list(shown)[:4]) + (" ..." if len(shown) > 4 else "")
            self.add(
                entry.line,
                Code.SEVERAL_CARDS,
                Severity.WARNING,
                f"{entry.line.shown} can mean {titles}",
                next_step="write the number"
                if not entry.line.number
                else f"write the edition, such as {cards[0].full_number}",
            )

    def report_count_in_name(self, line: DeckLine) -> None:
        """Shoutmon X3 is a card; who writes "Shoutmon x3" may mean three of another."""
        if " x" in (line.whole or "") and self.index.by_name(line.name, self.game.code):
            self.add(
                line,
                Code.COUNT_IN_NAME,
                Severity.WARNING,
                f"{line.whole!r} was read as one card of that name",
                next_step=f'write "{line.count} {line.name}" if {line.count} copies were meant',
            )

    def report_doubt(self, entry: DeckEntry) -> None:
        if not entry.line.number:
            self.report_doubtful_name(entry)
        for card in entry.candidates:
            if "game" in card.doubts and len(entry.candidates) == 1:
                self.add(
                    entry.line,
                    Code.DOUBTFUL_CARD,
                    Severity.UNKNOWN,
                    f"{card.title} may not be a card of {self.game.code}: {card.doubts['game']}",
                    next_step="to confirm it, import a row with its number and name, "
                    f"with --game {self.game.code}",
                )

    def report_doubtful_name(self, entry: DeckEntry) -> None:
        """A name that is surely no candidate's leaves open which card is meant."""
        key = search_key(entry.line.name)
        reasons: list[str | None] = []
        for card in entry.candidates:
            bearing = [name for name in card.names if search_key(name.text) == key]
            found = [card.doubts.get(f"name_{name.language}") for name in bearing]
            reasons.append(found[0] if found and all(found) else None)
        if reasons and all(reasons):
            self.add(
                entry.line,
                Code.DOUBTFUL_NAME,
                Severity.UNKNOWN,
                f"{entry.line.name} may not be {entry.candidates[0].title}: {reasons[0]}",
                next_step="write the number",
            )

    def add(
        self,
        line: DeckLine,
        code: Code,
        severity: Severity,
        message: str,
        next_step: str | None,
        fix: Fix | None = None,
    ) -> None:
        self.problems.append(
            Problem(
                code,
                severity,
                message,
                self.file,
                line.line,
                cards=(CardMention(line.shown, line.count, line.line),),
                next_step=next_step,
                fix=fix,
            )
        )


def zone_of(line: DeckLine, cards: Sequence[Card], game: Game) -> str:
    """Where a line's cards go: eggs are eggs, whatever heading they stand under."""
    zones = {game.zone_of_kind.get(card.kind or "") for card in cards}
    own = zones.pop() if len(zones) == 1 else None
    if own:
        return own
    misplaced = line.zone in game.zone_of_kind.values() and cards
    known = line.zone in game.zones or line.zone == SIDE
    return line.zone if known and not misplaced else MAIN


def _number_only_key(card: Card) -> str:
    return f"number {card.full_number}"
