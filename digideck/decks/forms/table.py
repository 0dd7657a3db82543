"""All forms of deck files, in one table.

A new form is a file that reads and perhaps writes it, and a line here. The order
is the order of recognising: what has a mark of its own goes first, text takes the
rest. The files are imported when one of their functions is called.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from digideck.decks.forms import marks
from digideck.decks.forms.form import EDITIONS, GAME_2020, NAMES, SETS, VARIANTS, Form
from digideck.decks.model import MAIN, SIDE, TEXT_DETAILS
from digideck.decks.text import read_text_deck
from digideck.schema.problems import unusable

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


def _list(program: str, lacks: frozenset[str], zones: tuple[str, ...] = ()) -> Form:
    """The text list of a program for the 2020 game."""
    return Form(
        program,
        f"text list {'for' if program == 'untap' else 'of'} {_SITES.get(program, program)}",
        ".txt",
        read_text_deck,
        lambda text: bool(marks.LISTS[program].match(text)),
        _later("forms.lists", "write_list", program),
        lacks,
        zones,
        game=GAME_2020,
        needs_number=True,
    )


_SITES = {"dcgo": "DCGO", "digimonmeta": "digimonmeta.com", "untap": "untap.in"}
_BARE = frozenset({VARIANTS, EDITIONS, SETS})
_FORMS = (
    Form(
        "deck-code",
        "deck code of the 2020 game (DCG...)",
        ".txt",
        _later("forms.deck_code", "read_deck_code"),
        _both(marks.may_be_deck_code, _later("forms.deck_code", "recognise_deck_code")),
        _later("forms.deck_code", "write_deck_code"),
        lacks=frozenset({EDITIONS, SETS, NAMES}),
        zones=(MAIN, EGGS, SIDE),
        details=("name", "language", "icon"),
        game=GAME_2020,
        needs_number=True,
        numbers="[0-9A-Z]{1,4}-[0-9]{2,3}",
    ),
    Form(
        "cockatrice",
        "Cockatrice deck",
        ".cod",
        _later("forms.cockatrice", "read_cockatrice"),
        marks.is_cockatrice,
        _later("forms.cockatrice", "write_cockatrice"),
        zones=(MAIN, SIDE),
        details=("name", "format", "cockatrice format", "comment", "tags"),
    ),
    Form(
        "lackey",
        "LackeyCCG deck",
        ".dek",
        _later("forms.lackey", "read_lackey"),
        marks.is_lackey,
        _later("forms.lackey", "write_lackey"),
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
    Form(
        "drasil",
        "array for Project Drasil",
        ".json",
        _later("forms.arrays", "read_array"),
        marks.is_array_alone,
        _later("forms.arrays", "write_drasil"),
        lacks=frozenset({EDITIONS, SETS, NAMES}),
        game=GAME_2020,
        needs_number=True,
        copy_by_copy=True,
    ),
    Form(
        "tts",
        "array for Tabletop Simulator",
        ".json",
        _later("forms.arrays", "read_array"),
        marks.is_array,
        _later("forms.arrays", "write_tts"),
        lacks=_BARE | {NAMES},
        game=GAME_2020,
        needs_number=True,
        copy_by_copy=True,
    ),
    Form(
        "digimonmeta-code",
        "code in the addresses of digimonmeta.com",
        ".txt",
        _later("forms.meta_code", "read_meta_code"),
        _both(marks.may_be_meta_code, _later("forms.meta_code", "recognise_meta_code")),
        _later("forms.meta_code", "write_meta_code"),
        lacks=_BARE | {NAMES},
        game=GAME_2020,
        needs_number=True,
        numbers="[A-Z]{1,4}[0-9]{0,2}-[0-9]{1,4}",
    ),
    Form(
        "yaml",
        "YAML",
        ".yaml",
        _later("yaml_deck", "read_yaml_deck"),
        _both(marks.may_be_yaml, _later("yaml_deck", "looks_like_yaml")),
        _later("forms.own", "write_yaml"),
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
    Form(
        "csv",
        "CSV with a header row",
        ".csv",
        _later("forms.csv_deck", "read_csv_deck"),
        _both(marks.may_be_csv, _later("forms.csv_deck", "recognise_csv")),
        _later("forms.csv_deck", "write_csv_deck"),
        zones=None,
        details=("game",),
    ),
    Form(
        "text",
        "text list, as people type it",
        ".txt",
        read_text_deck,
        write=_later("forms.own", "write_text"),
        lacks=frozenset({SETS}),
        zones=None,
        details=TEXT_DETAILS,
    ),
)
FORMS = {form.code: form for form in _FORMS}


def form_named(code: str) -> Form:
    """The form called ``code``. Raises Unusable listing all of them."""
    wanted = code.strip().lower()
    if wanted not in FORMS:
        import difflib

        listed = ", ".join(sorted(FORMS))
        near = difflib.get_close_matches(wanted, FORMS, n=3)
        raise unusable(
            "unknown-form",
            f"no form of deck file is called {code!r}",
            allowed=listed,
            next_step=f"did you mean {', '.join(near)}?" if near else f"one of: {listed}",
        )
    return FORMS[wanted]


def form_of(text: str, file: str) -> Form:
    """The form that ``text`` is in, by its content; text where no other fits.

    Raises Unusable for XML that is no deck, since a text reader would only
    call every line of it unreadable.
    """
    start = text.strip("\ufeff \t\r\n")
    for form in _FORMS:
        if form.recognise(start):
            return form
    tag = marks.root_tag(start)
    if tag:
        what = "a web page" if tag == "html" else f"XML with the root element <{tag}>"
        raise unusable(
            "xml-unknown",
            f"{what}, no deck file",
            file=file,
            allowed="<cockatrice_deck>, <deck>",
            next_step="save the deck's list itself, as text or in another form",
        )
    return FORMS["text"]
