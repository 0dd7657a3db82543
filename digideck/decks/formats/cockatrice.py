"""Cockatrice's ``.cod``: XML with a count and a name for each card.

Layout: doc/deck.xsd and deck_list.cpp of Cockatrice (157e7022). Cockatrice finds
its cards by name; the number stands in the attribute for a collector number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from digideck.catalog.mention_text import clean
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.core.text import some_of
from digideck.decks.formats.deck_file_format import Written, known_zone, loss, zones_in_order
from digideck.decks.formats.xml_tree import Element, escaped, parse_xml
from digideck.decks.model import MAIN, MOST_ON_A_LINE, Deck, DeckLine, DeckVocabulary
from digideck.decks.parse.text_deck import card_line, numbered_line, shown_count, unreadable_line

_COUNT = re.compile(r"[-+]?[0-9]{1,9}")
_IGNORED = ("lasttimestamp", "lastloadedtimestamp", "bannercard")
_DETAILS = {"deckname": "name", "format": "format", "comments": "comment"}


def read_cockatrice(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in the XML of ``text``. Raises InputError for other XML."""
    root = parse_xml(text, file)
    if root.tag != "cockatrice_deck":
        raise input_error(
            Code.XML_UNKNOWN,
            f"its root element is <{root.tag}>, expected <cockatrice_deck>",
            file=file,
            line=root.line,
            next_step="leave --from out to have the form recognised",
        )
    reader = _CockatriceReader(file, words)
    for child in root.children:
        reader.read(child)
    return Deck(file, tuple(reader.lines), tuple(reader.problems), reader.details)


class _CockatriceReader:
    def __init__(self, file: str, words: DeckVocabulary) -> None:
        self.file = file
        self.words = words
        self.lines: list[DeckLine] = []
        self.problems: list[Problem] = []
        self.details: dict[str, str] = {}

    def read(self, element: Element) -> None:
        if element.tag == "zone":
            self.read_zone(element)
        elif element.tag == "tags":
            self.detail("tags", ", ".join(" ".join(tag.text.split()) for tag in element.all("tag")))
        elif element.tag in _DETAILS:
            self.detail(_DETAILS[element.tag], element.text)
        elif element.tag not in _IGNORED and (element.children or element.text.strip()):
            self.left_out(element, f"<{element.tag}>")

    def detail(self, key: str, value: str) -> None:
        """A format of another world is kept apart, since no rules are known for it."""
        value = value.strip()
        if key == "format" and value not in self.words.formats:
            key = "cockatrice format"
        if value:
            self.details.setdefault(key, value)

    def left_out(self, element: Element, what: str) -> None:
        self.problems.append(
            Problem(
                Code.ELEMENT_LEFT_OUT,
                Severity.WARNING,
                f"{what} is no part of a deck and is left out",
                self.file,
                element.line,
            )
        )

    def read_zone(self, element: Element) -> None:
        name = clean(element.attributes.get("name", ""))
        if name.lower() == "tokens":
            if element.children:
                self.left_out(element, "the zone of tokens")
            return
        zone, problem = known_zone(name, self.words, MAIN, self.file, element.line)
        if problem:
            self.problems.append(problem)
        for card in element.all("card"):
            self.read_card(card, zone)

    def read_card(self, card: Element, zone: str) -> None:
        name = clean(card.attributes.get("name", ""))
        number = clean(card.attributes.get("collectornumber", ""))
        count_text = card.attributes.get("number", "1").strip()
        shown = f"{count_text} {name} {number}".strip()
        if not _COUNT.fullmatch(count_text):
            self.unreadable(card, shown, f"{count_text!r} is no whole number of copies")
        elif not 1 <= int(count_text) <= MOST_ON_A_LINE:
            self.unreadable(card, shown, f"a count of {shown_count(int(count_text))}")
        elif number:
            line = numbered_line(
                int(count_text), number, self.words, name=name, zone=zone, place=card.line
            )
            set_code = clean(card.attributes.get("setshortname", "")) or None
            self.lines.append(replace(line, set_code=set_code))
        else:
            named = card_line(f"{count_text} {name}", self.words, zone=zone, place=card.line)
            if named and name:
                self.lines.append(named)
            else:
                self.unreadable(card, shown, "no card name or number")

    def unreadable(self, card: Element, shown: str, reason: str) -> None:
        self.problems.append(unreadable_line(self.file, card.line, shown, reason))


def write_cockatrice(deck: Deck, words: DeckVocabulary) -> Written:
    """The deck as XML. Which names stand for several of its cards is reported."""
    return Written("\n".join(_lines(deck)) + "\n", tuple(_namesakes(deck)))


def _lines(deck: Deck) -> Iterator[str]:
    details = deck.details
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<cockatrice_deck version="1">'
    yield f"    <deckname>{escaped(details.get('name', ''))}</deckname>"
    format_name = details.get("format") or details.get("cockatrice format", "")
    yield f"    <format>{escaped(format_name)}</format>"
    yield f"    <comments>{escaped(details.get('comment', ''))}</comments>"
    yield "    <tags>"
    for tag in filter(None, details.get("tags", "").split(", ")):
        yield f"        <tag>{escaped(tag)}</tag>"
    yield "    </tags>"
    for zone, lines in zones_in_order(deck).items():
        yield f'    <zone name="{escaped(zone)}">'
        for line in lines:
            yield f"        <card {_attributes(line)}/>"
        yield "    </zone>"
    yield "</cockatrice_deck>"


def _attributes(line: DeckLine) -> str:
    number = f"{line.game}/{line.full_number}" if line.game else line.full_number
    values = {
        "number": str(line.count),
        "name": line.name,
        "setShortName": line.set_code or "",
        "collectorNumber": number,
    }
    return " ".join(
        f'{key}="{escaped(value)}"' for key, value in values.items() if value or key == "name"
    )


def _namesakes(deck: Deck) -> Iterator[Problem]:
    numbers: dict[str, set[str]] = {}
    for line in deck.lines:
        numbers.setdefault(line.name, set()).add(line.full_number)
    several = [name for name, found in numbers.items() if len(found) > 1]
    if several:
        yield loss(
            Code.NAMES_AMBIGUOUS,
            f"Cockatrice finds cards by name, and {some_of(several)} "
            "stand for several cards of this deck; their numbers are in collectorNumber",
            deck.file,
        )
