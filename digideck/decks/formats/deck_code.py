"""The 2020 game's deck code as a form: one word, bare or at the end of an address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, RowError, Severity, input_error
from digideck.core.text import some_of
from digideck.decks.formats import codec
from digideck.decks.formats.codec import CodeCard, CodeDeck
from digideck.decks.formats.deck_file_format import (
    GAME_2020,
    Written,
    loss,
)
from digideck.decks.model import MAIN, MOST_ON_A_LINE, SIDE, Deck, DeckLine, DeckVocabulary
from digideck.decks.parse.text_deck import numbered_line

EGGS = "eggs"
DEFAULT_LANGUAGE = "en"  # what a code without a language means; not told of a deck
_COMMENT = re.compile(r"\s*(?:(?:#|//).*)?")
_CODE = re.compile(r"(?:https?://\S*[/=])?(DCG[A-Za-z0-9_-]{6,}={0,2})")
_PARALLEL = re.compile(r"[_-][pP]([0-9]{1,3})")


def _words(text: str) -> list[str]:
    """What is left without comments."""
    lines = (line for line in text.splitlines() if not _COMMENT.fullmatch(line))
    return " ".join(lines).split()


def recognise_deck_code(text: str) -> bool:
    """Whether ``text`` is nothing but deck codes, in one piece or wrapped."""
    found = _words(text)
    if not found or not _CODE.fullmatch(found[0]):
        return False
    return all(re.fullmatch(r"[A-Za-z0-9_-]+={0,2}", word) for word in found[1:])


def read_deck_code(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in the code. Raises InputError naming the byte that is wrong."""
    found = _words(text)
    codes = [word for word in found if word.startswith("DCG") and len(word) > 8]
    if len(codes) > 1:
        raise _unusable(Code.CODE_SEVERAL, f"{len(codes)} deck codes, expected one", file)
    first = re.search(r"(?:^|[/=])(DCG.*)", found[0]) if found else None
    if first is None:
        raise _unusable(Code.CODE_UNREADABLE, "no deck code: it begins with DCG", file)
    try:
        # A wrapped code stands on several lines; words after a whole one spoil its sum.
        return _as_deck(codec.decode(first[1] + "".join(found[1:])), file, words)
    except RowError as fault:
        raise _unusable(fault.code, f"deck code: {fault}", file) from None


def _unusable(kind: Code, message: str, file: str) -> InputError:
    steps = {
        Code.CODE_VERSION: "look for a newer digideck, or copy the deck as a text list",
        Code.CODE_SEVERAL: "put each code into a file of its own",
    }
    return input_error(
        kind,
        message,
        file=file,
        next_step=steps.get(
            kind, "copy the whole code again, from DCG to its last character and nothing behind it"
        ),
    )


def _as_deck(decoded: CodeDeck, file: str, words: DeckVocabulary) -> Deck:
    details = {
        "game": GAME_2020 if GAME_2020 in words.games else "",
        "name": decoded.name.strip(),
        "language": decoded.language if decoded.language != DEFAULT_LANGUAGE else "",
        "icon": decoded.icon or "",
    }
    problems = []
    if decoded.name_repaired:
        problems.append(
            Problem(
                Code.CODE_NAME,
                Severity.WARNING,
                "the deck's name was not stored as it should be; it is read as "
                f"{decoded.name.strip()!r}",
                file,
            )
        )
    lines = (
        line
        for zone, cards in ((EGGS, decoded.eggs), (MAIN, decoded.main), (SIDE, decoded.side))
        for line in _lines(cards, zone, words)
    )
    kept = {key: value for key, value in details.items() if value}
    return Deck(file, tuple(lines), tuple(problems), kept)


def _lines(cards: Iterable[CodeCard], zone: str, words: DeckVocabulary) -> Iterator[DeckLine]:
    for card in cards:
        variant = f"_P{card.parallel}" if card.parallel else ""
        line = numbered_line(card.count, card.number + variant, words, zone=zone)
        for start in range(0, card.count, MOST_ON_A_LINE):
            yield replace(line, count=min(MOST_ON_A_LINE, card.count - start))


def parallel_of(variant: str | None) -> int | None:
    """The number in the mark of a printing: 1 for _P1, 0 for none, None for other marks."""
    match = _PARALLEL.fullmatch(variant or "_p0")
    return int(match[1]) if match else None


def write_deck_code(deck: Deck, words: DeckVocabulary) -> Written:
    """The code in its newest version. Raises InputError for cards that do not fit."""
    problems: list[Problem] = []
    zones = {zone: _cards(deck, zone, problems) for zone in (EGGS, MAIN, SIDE)}
    icon = deck.details.get("icon", "")
    if len(icon) > codec.ICON_WIDTH or not icon.isascii():
        problems.append(loss(Code.ICON_LOST, f"{icon!r} is too long for an icon", deck.file))
        icon = ""
    language = deck.details.get("language", DEFAULT_LANGUAGE)
    if language not in codec.LANGUAGES:
        known = ", ".join(codec.LANGUAGES)
        message = (
            f"the code knows no language {language!r} ({known}); {DEFAULT_LANGUAGE} is written"
        )
        problems.append(loss(Code.LANGUAGE_LOST, message, deck.file))
        language = DEFAULT_LANGUAGE
    name = _fitting(deck, icon, problems)
    coded = CodeDeck(
        codec.NEWEST, zones[EGGS], zones[MAIN], zones[SIDE], name, language, icon or None
    )
    try:
        return Written(codec.encode(coded) + "\n", tuple(problems))
    except RowError as fault:
        raise input_error(
            fault.code,
            f"does not fit into a deck code: {fault}",
            file=deck.file,
            next_step="choose another form",
        ) from None


def _fitting(deck: Deck, icon: str, problems: list[Problem]) -> str:
    """The deck's name in as many bytes as there are, cut between characters."""
    name = " ".join(deck.details.get("name", "").split())
    room = codec.LONGEST_NAME - (codec.ICON_WIDTH if icon else 0)
    cut = name.encode()[:room].decode("utf-8", "ignore").strip()
    if cut != name:
        message = f"the name is cut to {room} bytes: {cut!r}"
        problems.append(loss(Code.NAME_CUT, message, deck.file))
    return cut


def _cards(deck: Deck, zone: str, problems: list[Problem]) -> tuple[CodeCard, ...]:
    """The lines of a zone, the same printing on several lines added up."""
    counts: dict[tuple[str, int], int] = {}
    refused: list[Problem] = []
    lost: list[DeckLine] = []
    for line in deck.lines:
        if line.zone != zone:
            continue
        parallel = parallel_of(line.variant)
        if parallel is None or parallel > codec.MOST_PARALLEL:
            lost.append(line)
            parallel = 0
        key = (line.number or "", parallel)
        counts[key] = counts.get(key, 0) + line.count
        fault = codec.fault_of(CodeCard(line.number or "", counts[key], parallel))
        if fault:
            message = f"{line.shown} cannot be written: {fault}"
            refused.append(
                Problem(
                    Code.LINE_UNWRITABLE,
                    Severity.ERROR,
                    message,
                    deck.file,
                    line.line,
                    next_step="choose another form",
                )
            )
    if refused:
        raise InputError(*refused)
    if lost:
        problems.append(_lost_variants(lost, deck.file))
    return tuple(CodeCard(number, count, parallel) for (number, parallel), count in counts.items())


def _lost_variants(lost: Sequence[DeckLine], file: str) -> Problem:
    shown = some_of([line.full_number for line in lost])
    return loss(
        Code.VARIANTS_LOST,
        f"the code has no place for the printing of {shown}: the plain one is written",
        file,
    )
