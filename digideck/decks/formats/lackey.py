"""LackeyCCG's ``.dek``: XML with one element for every copy of a card.

Layout: lotrtcgpc.net's wiki, "DEK file format"; decks quoted in public
repositories. ``<name id>`` is the card's picture: in the players' plugin for
the 1999 game (RosaZhang/DMHC) that is its number, and the zones are called Net
Ocean and Side Deck. Real files name a DTD, may be ISO-8859-1, and may lack id or set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from digideck.catalog.mention_text import clean, looks_like_number
from digideck.core.codes import Code
from digideck.core.problems import Problem, input_error
from digideck.decks.formats.deck_file_format import (
    Copies,
    Written,
    each_copy,
    known_zone,
    zones_in_order,
)
from digideck.decks.formats.xml_tree import Element, escaped, parse_xml
from digideck.decks.model import MAIN, Deck, DeckLine, DeckVocabulary
from digideck.decks.parse.text_deck import card_line, numbered_line, unreadable_line

# The details that the file has elements for, by the element.
_META = {"title": "name", "author": "author", "format": "format", "note": "comment"}
_PICTURES = (".jpg", ".jpeg", ".png")


def read_lackey(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in the XML of ``text``. Raises InputError for other XML."""
    root = parse_xml(text, file)
    if root.tag != "deck":
        raise input_error(
            Code.XML_UNKNOWN,
            f"its root element is <{root.tag}>, expected <deck>",
            file=file,
            line=root.line,
            next_step="leave --from out to have the form recognised",
        )
    copies = Copies()
    problems: list[Problem] = []
    for zone_element in root.all("superzone"):
        title = clean(zone_element.attributes.get("name", ""))
        zone, problem = known_zone(title, words, MAIN, file, zone_element.line)
        if problem:
            problems.append(problem)
        for card in zone_element.all("card"):
            line = _card(card, words, zone)
            if line:
                copies.add(line)
            else:
                problems.append(unreadable_line(file, card.line, "<card>", "no name or number"))
    return Deck(file, tuple(copies.lines()), tuple(problems), _details(root, words))


def _card(card: Element, words: DeckVocabulary, zone: str) -> DeckLine | None:
    name_element = next(card.all("name"), None)
    name = clean(name_element.text) if name_element else ""
    picture = name_element.attributes.get("id", "") if name_element else ""
    number = _number(picture, words)
    set_code = clean(card.text_of("set")) or None
    line: DeckLine | None
    if number:
        line = numbered_line(1, number, words, name=name, zone=zone, place=card.line)
    else:
        line = card_line(f"1 {name}" if name else "", words, zone=zone, place=card.line)
    return replace(line, set_code=set_code) if line else None


def _number(picture: str, words: DeckVocabulary) -> str | None:
    """The number that a picture is called by; two-faced cards name two pictures."""
    first = clean(picture.partition(",")[0])
    for ending in _PICTURES:
        if first.lower().endswith(ending):
            first = first[: -len(ending)]
    return first if first and looks_like_number(first, words) else None


def _details(root: Element, words: DeckVocabulary) -> dict[str, str]:
    """Its title, author and the like. A format or game of another world is kept apart."""
    details: dict[str, str] = {}
    for meta in root.all("meta"):
        for child in meta.children:
            value = child.text.strip()
            key = _META.get(child.tag, child.tag)
            known = words.formats if key == "format" else words.games if key == "game" else (value,)
            if value:
                details.setdefault(key if value in known else f"lackey {key}", value)
    return details


def write_lackey(deck: Deck, words: DeckVocabulary) -> Written:
    """The deck as XML, in the zones of the game's plugin where one is known."""
    return Written("\n".join(_lines(deck, words)) + "\n")


def _lines(deck: Deck, words: DeckVocabulary) -> Iterator[str]:
    game = words.games.get(deck.details.get("game", ""))
    titles = (game.definition.get("lackey_zones") if game else None) or {}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<deck version="0.8">'
    yield "\t<meta>"
    for element, value in _elements(deck).items():
        yield f"\t\t<{element}>{escaped(value)}</{element}>"
    yield "\t</meta>"
    for zone, lines in zones_in_order(deck).items():
        title = titles.get(zone) or _ZONES.get(zone) or words.zone_titles.get(zone, zone)
        yield f'\t<superzone name="{escaped(title)}">'
        for line in each_copy(lines):
            number = escaped(f"{line.game}/{line.full_number}" if line.game else line.full_number)
            set_code = f"<set>{escaped(line.set_code)}</set>" if line.set_code else "<set></set>"
            yield f'\t\t<card><name id="{number}">{escaped(line.name)}</name>{set_code}</card>'
        yield "\t</superzone>"
    yield "</deck>"


def _elements(deck: Deck) -> dict[str, str]:
    """What stands in ``<meta>``; the plugin's own word for game or format goes first."""
    names = {detail: element for element, detail in _META.items()}
    own = [key for key in deck.details if key.startswith("lackey ")]
    found: dict[str, str] = {key.removeprefix("lackey "): deck.details[key] for key in own}
    for key, value in deck.details.items():
        if key not in own:
            found.setdefault(names.get(key, key), value)
    return found


_ZONES = {"main": "Deck", "side": "Sideboard"}
