"""Which cards the lines of a deck can mean.

A line that could mean several cards keeps all of them as candidates: a check
then answers for every reading of the line, and only where the readings differ
does the verdict hang on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import meant_instead, one_of_them
from digideck.core.codes import Code
from digideck.core.names import limit_key, search_key, without_x_antibody
from digideck.core.problems import CardMention, Fix, FixAction, Problem, Severity
from digideck.decks.model import BRACKETS, MAIN, SIDE, Deck, DeckLine
from digideck.schema.games.game import Game

MOST_REMEMBERED = 50_000  # lines; some 10 MB
MOST_SEARCHES = 20  # for cards of like names in a deck; a hundred unknown ones are no misspelling
NEAR_ENOUGH = 80  # of 100; "Agumonn" against "Agumon" has 92, "Gabumon" 77


@dataclass(frozen=True, slots=True)
class Entry:
    """A line with every card it can mean; none where the card is unknown.

    ``name_keys`` are the limit keys it may count under, of its candidates or,
    for an unknown card, of the name as written. ``zone`` is that of its kind of
    card where the game gives one, else the one it is listed under.
    """

    line: DeckLine
    candidates: tuple[Card, ...]
    name_keys: frozenset[str]
    zone: str

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
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    as_of: str = ""  # the day it is judged for, YYYY-MM-DD
    draft: bool = False  # still being built: its size is no error
    format: str = ""  # the code of the format it was matched for, where that is known

    @property
    def played(self) -> list[Entry]:
        """The entries outside the side deck."""
        return [entry for entry in self.entries if entry.zone != SIDE]

    @property
    def unknown(self) -> list[Entry]:
        """The entries whose card is not in the database."""
        return [entry for entry in self.entries if not entry.candidates]


class Matcher:
    """Looks up the lines of deck after deck among the cards of one game."""

    def __init__(self, index: CardIndex, game: Game) -> None:
        self.index = index
        self.game = game
        # Decks repeat their lines; those of which there is nothing to say are kept.
        self._plain: dict[tuple[str | None, ...], tuple[tuple[Card, ...], frozenset[str]]] = {}

    def match(self, deck: Deck, as_of: str = "", draft: bool = False) -> MatchedDeck:
        """``deck`` with the cards that its lines can mean."""
        problems: list[Problem] = []
        looker = _LookUp(deck.file, self.index, self.game, problems)
        entries = []
        for line in deck.lines:
            key = (line.number, line.name, line.edition, line.game, line.bare_name, line.whole)
            known = self._plain.get(key)
            if known:
                entries.append(Entry(line, *known, self._zone(line, known[0])))
                continue
            before = len(problems)
            entry = looker.entry(line)
            entries.append(entry)
            if len(problems) == before and entry.line is line:
                self._remember(key, entry)
        looker.report_side(entries)
        return MatchedDeck(deck, self.game, tuple(entries), tuple(problems), as_of, draft)

    def _zone(self, line: DeckLine, cards: tuple[Card, ...]) -> str:
        return zone_of(line, cards, self.game)

    def _remember(self, key: tuple[str | None, ...], entry: Entry) -> None:
        if len(self._plain) >= MOST_REMEMBERED:
            self._plain.clear()
        self._plain[key] = (entry.candidates, entry.name_keys)


def candidates(line: DeckLine, index: CardIndex, game: str | None = None) -> Sequence[Card]:
    """Every card that a line can mean, in one game or in all."""
    game = line.game or game
    if line.whole:
        cards = index.by_name(line.whole, game)
        if cards:
            return cards
    if line.number:
        cards = index.by_number(line.number, game)
        if cards:
            return _of_edition(cards, line)
        return index.by_name(line.text, game)  # "ADR-02 Searcher" is a name
    cards = index.by_name(line.name, game) if line.name else []
    if not cards and line.bare_name and _brackets_are_sets(line, index, game):
        return index.by_name(line.bare_name, game)
    return cards


def _brackets_are_sets(line: DeckLine, index: CardIndex, game: str | None) -> bool:
    """Whether "Agumon (Starter Ver. 1)" is Agumon; "Agumon (Black)" is another card."""
    return all(index.is_set(text, game) for text in BRACKETS.findall(line.name))


def reading_of(
    line: DeckLine, index: CardIndex, game: str | None = None
) -> tuple[DeckLine, Sequence[Card]]:
    """The line as its cards show that it was meant, with those cards."""
    cards = candidates(line, index, game)
    if line.whole and cards:
        keys = _keys(cards)
        rest = line.whole.replace(f"{line.number}{line.variant or ''}", " ", 1)
        if search_key(line.whole) in keys:
            line = _as_whole(line)
        elif line.number and search_key(rest) in keys and search_key(line.name) not in keys:
            line = replace(line, count=1, name=rest.strip(" ()[]"), bare_name=None, whole=None)
    return line, cards


def _of_edition(cards: list[Card], line: DeckLine) -> Sequence[Card]:
    """The edition that is written, else named, else the plain one, else all."""
    if line.edition:
        return [card for card in cards if card.edition == line.edition]
    result: list[Card] = []
    for game in dict.fromkeys(card.game for card in cards):
        prints = [card for card in cards if card.game == game]
        key = search_key(line.name)
        named = [card for card in prints if key and card.is_named(key)]
        plain = [card for card in prints if not card.edition]
        result += named or plain or prints
    return result


class _LookUp:
    """One deck's look-ups, and what there is to say of them."""

    def __init__(self, file: str, index: CardIndex, game: Game, problems: list[Problem]) -> None:
        self.file = file
        self.index = index
        self.game = game
        self.problems = problems
        self.searches = 0

    def entry(self, line: DeckLine) -> Entry:
        line, found = reading_of(line, self.index, self.game.code)
        cards = () if line.game and line.game != self.game.code else tuple(found)
        if not cards:
            self.report_unknown(line)
            return Entry(line, (), self.keys_of_unknown(line), zone_of(line, (), self.game))
        keys = frozenset(card.limit_key or _number_only_key(card) for card in cards)
        entry = Entry(line, cards, keys, zone_of(line, cards, self.game))
        if line.number and cards[0].number and search_key(line.name):
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

    def report_unknown(self, line: DeckLine) -> None:
        self.add(
            line,
            Code.UNKNOWN_CARD,
            Severity.UNKNOWN,
            f"{line.shown} is not among the {self.game.code} cards",
            next_step=f"{self.hint(line)}if the card exists, import it",
            fix=Fix(FixAction.IMPORT, line.count, line.shown),
        )

    def report_side(self, entries: Sequence[Entry]) -> None:
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
            numbers = ", ".join(card.written_number for card in namesakes[:4])
            return f"{line.name} is known as {numbers}{' ...' if len(namesakes) > 4 else ''}; "
        elsewhere = self.index.by_number(line.number) if line.number else []
        if line.edition and any(card.game == self.game.code for card in elsewhere):
            known = ", ".join(card.written_number for card in elsewhere)
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

    def compare_name(self, entry: Entry) -> None:
        """The number has the say; a name that is another card's makes it doubtful."""
        line = entry.line
        said = {search_key(line.name), search_key(line.text)}  # "ADR-02 Searcher" is all name
        if any(card.is_named(key) for card in entry.candidates for key in said):
            return
        card = entry.candidates[0]
        others = self.index.by_name(line.name, self.game.code)
        others = others or self.index.namesakes(line.name, self.game.code)
        if any(other.is_named(search_key(card.name)) for other in others):
            return  # アグモン beside the number of an Agumon of which no Japanese name is recorded
        if not others and line.bare_name:
            if any(card.is_named(search_key(line.bare_name)) for card in entry.candidates):
                self.report_brackets(line)
                return
            others = self.index.by_name(line.bare_name, self.game.code)
        if others:
            self.add(
                line,
                Code.NAME_CLASH,
                Severity.UNKNOWN,
                f"{line.number} is {card.name}, but the line says {line.name}, "
                f"which is {one_of_them(others)}",
                next_step="correct the number or the name",
            )
        elif card.names:
            near = _is_near(line.name, [name.text for name in card.names])
            what = "a near spelling" if near else "no known name of it"
            self.add(
                line,
                Code.NAME_DIFFERS,
                Severity.WARNING,
                f"{line.number} is {card.name}; {line.name!r} is {what}",
                next_step=f"write {card.name}" if near else "check the number",
            )

    def report_brackets(self, line: DeckLine) -> None:
        """Words beside number and name are left out, and that is said."""
        if not _brackets_are_sets(line, self.index, self.game.code):
            left_out = ", ".join(BRACKETS.findall(line.name))
            self.add(
                line,
                Code.BRACKETS_IGNORED,
                Severity.NOTE,
                f"{line.number} is {line.bare_name}; ({left_out}) was left out",
                next_step="check the number if another card was meant",
            )

    def report_readings(self, entry: Entry) -> None:
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
                else f"write the edition, such as {cards[0].written_number}",
            )

    def report_doubt(self, entry: Entry) -> None:
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

    def report_doubtful_name(self, entry: Entry) -> None:
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


def _keys(cards: Sequence[Card]) -> set[str]:
    return {search_key(name.text) for card in cards for name in card.names}


def _as_whole(line: DeckLine) -> DeckLine:
    return DeckLine(1, line.whole or "", None, line.whole or "", zone=line.zone, line=line.line)


def _number_only_key(card: Card) -> str:
    return f"number {card.written_number}"


def _is_near(name: str, known: list[str]) -> bool:
    from rapidfuzz import fuzz

    key = search_key(name)
    return any(fuzz.ratio(key, search_key(other)) >= NEAR_ENOUGH for other in known)
