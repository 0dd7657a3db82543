"""A deck from one form into another: cards looked up, losses reported, nothing dropped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import look_up
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import CardMention, InputError, Problem, Severity
from digideck.core.text import some_of
from digideck.decks.formats.deck_file_format import (
    EDITIONS,
    NAMES,
    SETS,
    VARIANTS,
    DeckFileFormat,
    loss,
)
from digideck.decks.model import (
    MAIN,
    MOST_CARDS,
    MOST_ON_A_LINE,
    Deck,
    DeckLine,
    DeckVocabulary,
    too_many_cards,
)

_SHOWN = 3


class Filled(NamedTuple):
    """A line as the cards complete it. ``card`` is None where no card or several fit;
    ``before`` is the line as it was read.
    """

    line: DeckLine
    card: Card | None
    found: Sequence[Card]
    before: DeckLine


@dataclass(frozen=True, slots=True)
class Conversion:
    """The deck's text in the other form, its game if one is clear, and what to say of it."""

    text: str
    game: str | None
    deck: Deck
    problems: tuple[Problem, ...]


def convert(
    deck: Deck,
    form: DeckFileFormat,
    index: CardIndex,
    words: DeckVocabulary,
    game: str | None = None,
) -> Conversion:
    """``deck`` written in ``form``, its cards looked up in ``game``, else in the game that
    the deck names, else in the only one its cards fit.

    Raises InputError with every line that cannot be read or written.
    """
    if deck.unreadable:
        raise InputError(*deck.problems)
    if form.write is None:
        raise InputError(_no_writer(deck, form))
    if form.copy_by_copy and deck.cards() > MOST_CARDS:
        raise too_many_cards(deck.file, deck.cards(), f"for {form.code}, which lists every copy")
    game = game or game_of(deck, index)
    filled, merged = _merged([fill(line, index, game) for line in deck.lines], deck.file)
    refused = list(_refusals(filled, form, deck.file))
    if refused:
        raise InputError(*deck.problems, *refused)
    problems = [*deck.problems, *_doubts(filled, deck.file, game)]
    problems += [*name_clashes(filled, deck.file), *merged]
    details = dict(deck.details) | ({"game": game} if game else {})
    complete = replace(deck, lines=tuple(entry.line for entry in filled), details=details)
    problems += _losses(filled, complete, deck, form, index)
    written = form.write(_reduced(complete, filled, form, index), words)
    return Conversion(written.text, game, complete, (*problems, *written.problems))


def _merged(filled: Sequence[Filled], file: str) -> tuple[list[Filled], list[Problem]]:
    """The lines, each with the copies of those that say the same card once more."""
    first: dict[tuple[object, ...], int] = {}
    kept: list[Filled] = []
    told: list[Problem] = []
    for entry in filled:
        line = entry.line
        key = (line.full_number, line.name, line.text if not line.number else "", line.zone,
               line.game, line.set_code)  # fmt: skip
        place = first.setdefault(key, len(kept))
        if place == len(kept) or kept[place].line.count + line.count > MOST_ON_A_LINE:
            kept.append(entry)
            continue
        before = kept[place].line
        kept[place] = kept[place]._replace(line=replace(before, count=before.count + line.count))
        at = f", which line {before.line} has" if before.line else ""
        message = f"{line.shown}{at}: put together, {kept[place].line.count} copies"
        told.append(_about(line, Code.ROWS_MERGED, Severity.NOTE, message, file))
    return kept, told


def game_of(deck: Deck, index: CardIndex) -> str | None:
    """The game that a deck names or that alone has most of its cards; None if it is unclear."""
    named = deck.details.get("game", "")
    if named in index.games:
        return named
    wanted = deck.details.get("format", "").strip().lower()
    for code, game in index.games.items():
        if wanted and wanted in (game.definition.get("formats") or {}):
            return code
    known = dict.fromkeys(index.games, 0)
    for line in deck.lines:
        for code in {card.game for card in look_up(index, line).cards}:
            known[code] += 1
    most = max(known.values(), default=0)
    fitting = [code for code, count in known.items() if most and count == most]
    return fitting[0] if len(fitting) == 1 else None


def fill(line: DeckLine, index: CardIndex, game: str | None) -> Filled:
    """``line`` with the number, name, edition, zone and set of the card that it means.

    What several cards could mean is left as it was written.
    """
    before, meant = line, look_up(index, line, game)
    line, found = meant.mention, meant.cards
    if len(found) != 1:
        return Filled(line, None, found, before)
    card = found[0]
    zone = index.games[card.game].zone_of_kind.get(card.kind or "")
    set_code = line.set_code or (card.printings[0].set_code if card.printings else None)
    filled = replace(
        line,
        number=card.number,
        edition=card.edition or None,
        name=_name(line, card),
        bare_name=None,
        whole=None,
        explicit=True,
        zone=zone if zone and line.zone == MAIN else line.zone,
        set_code=set_code,
    )
    return Filled(filled, card, found, before)


def _name(line: DeckLine, card: Card) -> str:
    """The card's name in the language in which it was written, else the first of its names."""
    if not card.names:
        return line.name
    key = search_key(line.name)
    same = (name.text for name in card.names if key and search_key(name.text) == key)
    return next(same, card.name)


def _no_writer(deck: Deck, form: DeckFileFormat) -> Problem:
    return Problem(
        Code.FORM_READ_ONLY,
        Severity.ERROR,
        f"{form.code} can be read, not written",
        deck.file,
        next_step="choose another form",
    )


def _doubts(filled: Iterable[Filled], file: str, game: str | None) -> Iterator[Problem]:
    """What a reader of the result should know of its cards; nothing is changed for it."""
    for entry in filled:
        line, card = entry.line, entry.card
        if not entry.found:
            where = f"the {game} cards" if game else "the database"
            message = f"{line.shown} is not among {where}; written as it stands"
            yield _about(line, Code.CARD_UNKNOWN, Severity.WARNING, message, file)
        elif card is None and (line.number or len({found.number for found in entry.found}) > 1):
            titles = ", ".join(found.title for found in entry.found[:_SHOWN])
            more = " ..." if len(entry.found) > _SHOWN else ""
            message = f"{line.shown} can mean {titles}{more}; written as it stands"
            yield _about(line, Code.SEVERAL_CARDS, Severity.WARNING, message, file)


def name_clashes(filled: Iterable[Filled], file: str) -> Iterator[Problem]:
    """Lines whose name is not a name of the card that their number means."""
    for entry in filled:
        before = entry.before
        names = {search_key(name) for name in (before.name, before.bare_name or "") if name}
        card = entry.card
        if not (before.number and card and card.names and names):
            continue
        if not any(card.is_named(key) for key in names):
            message = f"{card.full_number} is {card.name}, the line said {before.name!r}"
            yield _about(before, Code.NAME_DIFFERS, Severity.WARNING, message, file)


def _about(line: DeckLine, code: Code, severity: Severity, message: str, file: str) -> Problem:
    mention = CardMention(line.shown, line.count, line.line)
    return Problem(code, severity, message, file, line.line, cards=(mention,))


def _refusals(filled: Iterable[Filled], form: DeckFileFormat, file: str) -> Iterator[Problem]:
    """The lines that the form cannot hold at all."""
    spells = re.compile(form.numbers) if form.numbers else None
    for entry in filled:
        line = entry.line
        if form.needs_number and not line.number:
            reason, to_do = f"{form.code} needs its number", _numbers_to_choose(entry.found)
        elif EDITIONS in form.lacks and line.edition:
            reason = f"{form.code} has no place for the edition, and the number is another card's"
            to_do = "choose another form, such as text, yaml, csv, lackey or cockatrice"
        elif spells and not spells.fullmatch(line.number or ""):
            reason = f"{form.code} holds only numbers such as BT1-001"
            to_do = "choose another form"
        else:
            continue
        message = f"{line.shown} cannot be written: {reason}"
        problem = _about(line, Code.LINE_UNWRITABLE, Severity.ERROR, message, file)
        yield replace(problem, next_step=to_do)


def _numbers_to_choose(found: Sequence[Card]) -> str:
    if not found:
        return "write its number into the deck, or import the card: digideck import"
    listed = some_of([card.full_number for card in found], 12)
    return f"write the number into the deck: {listed}"


def _losses(
    filled: Sequence[Filled], complete: Deck, before: Deck, form: DeckFileFormat, index: CardIndex
) -> Iterator[Problem]:
    """A warning for each kind of thing that the form has no place for."""
    lines = complete.lines
    if form.game and complete.details.get("game", form.game) != form.game:
        games = f"{form.game} ({index.games[form.game].name})" if form.game in index.games else ""
        message = f"{form.code} is a form for {games or form.game}; these are cards of another game"
        yield loss(Code.FORM_OF_OTHER_GAME, message, before.file)
    zones = [entry.line for entry in filled if _kept_zone(entry, form, index) != entry.line.zone]
    if zones:
        names = ", ".join(dict.fromkeys(line.zone for line in zones))
        message = f"no place for the zone {names}: {_some(zones)} written with the other cards"
        yield loss(Code.ZONES_LOST, _lost(form, message), before.file)
    if VARIANTS in form.lacks:
        yield from _lost_of(
            lines, form, before, Code.VARIANTS_LOST, "the printing of", lambda line: line.variant
        )
    if SETS in form.lacks:
        yield from _lost_of(
            before.lines, form, before, Code.SETS_LOST, "the set of", lambda line: line.set_code
        )
    if NAMES in form.lacks:
        unknown = [entry.line for entry in filled if not entry.found]
        yield from _lost_of(
            unknown, form, before, Code.NAMES_LOST, "the name of", lambda line: line.name
        )
    if form.details is not None:
        lost = [key for key in before.details if key not in (*form.details, "game")]
        if lost:
            message = _lost(form, f"no place for the deck's {', '.join(lost)}: left out")
            yield loss(Code.METADATA_LOST, message, before.file)


def _lost_of(
    lines: Iterable[DeckLine],
    form: DeckFileFormat,
    deck: Deck,
    code: Code,
    what: str,
    value: Callable[[DeckLine], str | None],
) -> Iterator[Problem]:
    for line in lines:
        if value(line):
            message = _lost(form, f"no place for {what} {line.shown}: left out")
            yield _about(line, code, Severity.WARNING, message, deck.file)


def _lost(form: DeckFileFormat, message: str) -> str:
    return f"{form.code} has {message}"


def _some(lines: Sequence[DeckLine]) -> str:
    return some_of([line.shown for line in lines], _SHOWN)


def _kept_zone(entry: Filled, form: DeckFileFormat, index: CardIndex) -> str:
    """The zone that the line has again once what was written is read and looked up."""
    zone = entry.line.zone
    if form.zones is None or zone in form.zones:
        return zone
    card = entry.card
    own = index.games[card.game].zone_of_kind.get(card.kind or "") if card else None
    return own or MAIN


def _reduced(deck: Deck, filled: Sequence[Filled], form: DeckFileFormat, index: CardIndex) -> Deck:
    """The deck without what the form has no place for."""
    lines = []
    for entry in filled:
        zone = entry.line.zone
        if form.zones is not None and zone not in form.zones:
            zone = MAIN
        variant = None if VARIANTS in form.lacks else entry.line.variant
        line = replace(entry.line, zone=_without_controls(zone), variant=variant)
        name, number = _without_controls(line.name), line.number and _without_controls(line.number)
        set_code = line.set_code and _without_controls(line.set_code)
        lines.append(replace(line, name=name, number=number, set_code=set_code))
    details = {
        _without_controls(key): clean
        for key, value in deck.details.items()
        if (clean := _without_controls(value)) and (form.details is None or key in form.details)
    }
    return replace(deck, lines=tuple(lines), details=details)


def _without_controls(text: str) -> str:
    """``text`` with nothing in it that steers a terminal; line ends and tabs stay."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) != "Cc")
