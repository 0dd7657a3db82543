"""All forms of deck files, in one table.

A new form is a file that reads and perhaps writes it, and a line here. The order
is the order of recognising: what has a mark of its own goes first, text takes the
rest. The files are imported when one of their functions is called.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from digideck.core import plugins
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.suggestions import no_such
from digideck.decks.formats import marks
from digideck.decks.formats.deck_file_format import (
    EDITIONS,
    GAME_2020,
    NAMES,
    SETS,
    VARIANTS,
    DeckFileFormat,
)
from digideck.decks.model import MAIN, SIDE, TEXT_DETAILS
from digideck.decks.parse.text_deck import read_text_deck

EGGS = "eggs"


def _later(module: str, function: str, *first: str) -> Callable[..., Any]:
    """A function of a file of this room, imported when it is called."""

    def call(*arguments: Any) -> Any:
        loaded = importlib.import_module(f"digideck.decks.{module}")
        return getattr(loaded, function)(*first, *arguments)

    return call


def _both(mark: Callable[[str], bool], certain: Callable[[str], bool]) -> Callable[[str], bool]:
    """``certain`` where the cheap ``mark`` is there."""
    return lambda text: mark(text) and certain(text)


def _list(program: str, lacks: frozenset[str], zones: tuple[str, ...] = ()) -> DeckFileFormat:
    """The text list of a program for the 2020 game."""
    return DeckFileFormat(
        program,
        f"text list {'for' if program == 'untap' else 'of'} {_SITES.get(program, program)}",
        ".txt",
        read_text_deck,
        lambda text: bool(marks.LISTS[program].match(text)),
        _later("formats.lists", "write_list", program),
        lacks,
        zones,
        game=GAME_2020,
        needs_number=True,
    )


_SITES = {"dcgo": "DCGO", "digimonmeta": "digimonmeta.com", "untap": "untap.in"}
_BARE = frozenset({VARIANTS, EDITIONS, SETS})
_FORMS = (
    DeckFileFormat(
        "deck-code",
        "deck code of the 2020 game (DCG...)",
        ".txt",
        _later("formats.deck_code", "read_deck_code"),
        _both(marks.may_be_deck_code, _later("formats.deck_code", "recognise_deck_code")),
        _later("formats.deck_code", "write_deck_code"),
        lacks=frozenset({EDITIONS, SETS, NAMES}),
        zones=(MAIN, EGGS, SIDE),
        details=("name", "language", "icon"),
        game=GAME_2020,
        needs_number=True,
        numbers="[0-9A-Z]{1,4}-[0-9]{2,3}",
    ),
    DeckFileFormat(
        "cockatrice",
        "Cockatrice deck",
        ".cod",
        _later("formats.cockatrice", "read_cockatrice"),
        marks.is_cockatrice,
        _later("formats.cockatrice", "write_cockatrice"),
        zones=(MAIN, SIDE),
        details=("name", "format", "cockatrice format", "comment", "tags"),
    ),
    DeckFileFormat(
        "lackey",
        "LackeyCCG deck",
        ".dek",
        _later("formats.lackey", "read_lackey"),
        marks.is_lackey,
        _later("formats.lackey", "write_lackey"),
        zones=None,
        details=(
            "name",
            "author",
            "format",
            "comment",
            "game",
            "email",
            "date",
            "lackey format",
            "lackey game",
        ),
        copy_by_copy=True,
    ),
    DeckFileFormat(
        "drasil",
        "array for Project Drasil",
        ".json",
        _later("formats.arrays", "read_array"),
        marks.is_array_alone,
        _later("formats.arrays", "write_drasil"),
        lacks=frozenset({EDITIONS, SETS, NAMES}),
        game=GAME_2020,
        needs_number=True,
        copy_by_copy=True,
    ),
    DeckFileFormat(
        "tts",
        "array for Tabletop Simulator",
        ".json",
        _later("formats.arrays", "read_array"),
        marks.is_array,
        _later("formats.arrays", "write_tts"),
        lacks=_BARE | {NAMES},
        game=GAME_2020,
        needs_number=True,
        copy_by_copy=True,
    ),
    DeckFileFormat(
        "digimonmeta-code",
        "code in the addresses of digimonmeta.com",
        ".txt",
        _later("formats.meta_code", "read_meta_code"),
        _both(marks.may_be_meta_code, _later("formats.meta_code", "recognise_meta_code")),
        _later("formats.meta_code", "write_meta_code"),
        lacks=_BARE | {NAMES},
        game=GAME_2020,
        needs_number=True,
        numbers="[A-Z]{1,4}[0-9]{0,2}-[0-9]{1,4}",
    ),
    DeckFileFormat(
        "yaml",
        "YAML",
        ".yaml",
        _later("parse.yaml_deck", "read_yaml_deck"),
        _both(marks.may_be_yaml, _later("parse.yaml_deck", "looks_like_yaml")),
        _later("formats.own", "write_yaml"),
        lacks=frozenset({SETS}),
        zones=None,
        details=None,
    ),
    _list("digimoncard.io", _BARE, (MAIN, EGGS)),
    _list("untap", _BARE),
    _list("digimoncard.app", _BARE),
    _list("digimoncard.dev", _BARE),
    _list("dcgo", frozenset({EDITIONS, SETS})),
    _list("digimonmeta", _BARE | {NAMES}),
    DeckFileFormat(
        "csv",
        "CSV with a header row",
        ".csv",
        _later("formats.csv_deck", "read_csv_deck"),
        _both(marks.may_be_csv, _later("formats.csv_deck", "recognise_csv")),
        _later("formats.csv_deck", "write_csv_deck"),
        zones=None,
        details=("game",),
    ),
    DeckFileFormat(
        "text",
        "text list, as people type it",
        ".txt",
        read_text_deck,
        write=_later("formats.own", "write_text"),
        lacks=frozenset({SETS}),
        zones=None,
        details=TEXT_DETAILS,
    ),
)
DECK_FILE_FORMATS = {form.code: form for form in _FORMS}


def form_named(code: str) -> DeckFileFormat:
    """The form called ``code``. Raises InputError listing all of them."""
    wanted = code.strip().lower()
    if wanted not in DECK_FILE_FORMATS:
        others = plugins.added(plugins.DECK_FORMATS)
        if wanted in others:
            found: DeckFileFormat = plugins.load(others[wanted], DeckFileFormat)
            return found
        message = f"no form of deck file is called {code!r}"
        known = sorted([*DECK_FILE_FORMATS, *others])
        raise no_such(Code.UNKNOWN_FORM, message, wanted, known)
    return DECK_FILE_FORMATS[wanted]


def added_form_of(text: str) -> DeckFileFormat | None:
    """The form of another package that recognises ``text``."""
    start = text.strip("\ufeff \t\r\n")
    forms: list[DeckFileFormat] = plugins.loaded(plugins.DECK_FORMATS, DeckFileFormat)
    return next((form for form in forms if form.recognise(start)), None)


def form_of(text: str, file: str) -> DeckFileFormat:
    """The form that ``text`` is in, by its content; text where no other fits.

    Raises InputError for XML that is no deck, since a text reader would only
    call every line of it unreadable.
    """
    start = text.strip("\ufeff \t\r\n")
    program = marks.refused_program(start)
    if program:
        raise input_error(
            Code.FORM_REFUSED,
            f"a deck of {program}, whose cards are not told by number or name of these games",
            file=file,
            next_step="save the list as text there, with a count and a card on each line",
        )
    for form in _FORMS:
        if form.recognise(start):
            return form
    tag = marks.root_tag(start)
    added = added_form_of(text) if tag else None
    if added:
        return added
    if tag:
        what = "a web page" if tag == "html" else f"XML with the root element <{tag}>"
        raise input_error(
            Code.XML_UNKNOWN,
            f"{what}, no deck file",
            file=file,
            allowed="<cockatrice_deck>, <deck>",
            next_step="save the deck's list itself, as text or in another form",
        )
    return DECK_FILE_FORMATS["text"]
