"""All forms of deck files, in one table.

A new form is a file with a `Form` in it and a line here. The order is the order
of recognising: what is told by a mark of its own goes first, text takes the rest.
"""

from __future__ import annotations

from digideck.decks.forms.arrays import DRASIL, TTS
from digideck.decks.forms.cockatrice import COCKATRICE
from digideck.decks.forms.csv_deck import CSV
from digideck.decks.forms.deck_code import DECK_CODE
from digideck.decks.forms.form import SETS, Form
from digideck.decks.forms.lackey import LACKEY
from digideck.decks.forms.lists import LISTS
from digideck.decks.forms.meta_code import META_CODE
from digideck.decks.forms.own import write_text, write_yaml
from digideck.decks.forms.xml_tree import root_tag
from digideck.decks.model import TEXT_DETAILS
from digideck.decks.text import read_text_deck
from digideck.decks.yaml_deck import looks_like_yaml, read_yaml_deck
from digideck.schema.problems import unusable

TEXT = Form(
    "text",
    "text list, as people type it",
    ".txt",
    read_text_deck,
    write=write_text,
    lacks=frozenset({SETS}),
    zones=None,
    details=TEXT_DETAILS,
)
YAML = Form(
    "yaml",
    "YAML",
    ".yaml",
    read_yaml_deck,
    looks_like_yaml,
    write_yaml,
    frozenset({SETS}),
    zones=None,
    details=None,
)
FORMS = {
    form.code: form
    for form in (
        DECK_CODE,
        COCKATRICE,
        LACKEY,
        DRASIL,
        TTS,
        META_CODE,
        YAML,
        *LISTS,
        CSV,
        TEXT,
    )
}


def form_named(code: str) -> Form:
    """The form called ``code``. Raises Unusable listing all of them."""
    wanted = code.strip().lower()
    if wanted not in FORMS:
        listed = ", ".join(sorted(FORMS))
        raise unusable(
            "unknown-form",
            f"no form of deck file is called {code!r}",
            allowed=listed,
            next_step=f"one of: {listed}",
        )
    return FORMS[wanted]


def form_of(text: str, file: str) -> Form:
    """The form that ``text`` is in, by its content; text where no other fits.

    Raises Unusable for XML that is no deck, since a text reader would only
    call every line of it unreadable.
    """
    start = text.strip("\ufeff \t\r\n")
    for form in FORMS.values():
        if form.recognise(start):
            return form
    tag = root_tag(start)
    if tag:
        what = "a web page" if tag == "html" else f"XML with the root element <{tag}>"
        raise unusable(
            "xml-unknown",
            f"{what}, no deck file",
            file=file,
            allowed="<cockatrice_deck>, <deck>",
            next_step="save the deck's list itself, as text or in another form",
        )
    return TEXT
