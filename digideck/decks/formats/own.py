"""The two forms of this program's own: text for typing, and the same lines in YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digideck.decks.formats.deck_file_format import Written, zones_in_order
from digideck.decks.model import MAIN, TEXT_DETAILS, Deck, DeckLine, DeckVocabulary

_PLAIN_YAML = re.compile(r"[A-Za-z0-9][^:#\x00-\x1f\x7f\"'{}\[\]&*!|>%@`,\\]*")


def card_text(line: DeckLine) -> str:
    """Count, name and number, as in "3 Agumon (St-1)"."""
    number = line.full_number
    if line.game:
        number = f"{line.game}/{number}" if number else ""
    if not line.name:
        return f"{line.count} {number}"
    return f"{line.count} {line.name} ({number})" if number else f"{line.count} {line.name}"


def write_text(deck: Deck, words: DeckVocabulary) -> Written:
    """Details as comments, then the zones, each under its heading if there are several."""
    blocks = [_details(deck)] if deck.details else []
    zones = zones_in_order(deck)
    for zone, lines in zones.items():
        block = [card_text(line) for line in lines]
        if len(zones) > 1 or zone != MAIN:
            block.insert(0, f"{words.zone_titles.get(zone, zone)}:")
        blocks.append(block)
    return Written("\n\n".join("\n".join(block) for block in blocks if block) + "\n")


def _details(deck: Deck) -> list[str]:
    """A comment for each detail; those that a list has no key for stay as plain comments."""
    lines = []
    for key, value in deck.details.items():
        if key == "comment":
            lines += [f"# comment: {line}".rstrip() for line in value.splitlines()]
        elif key in TEXT_DETAILS:
            lines.append(f"# {key}: {' '.join(value.split())}")
        else:
            lines.append(f"# comment: {key}: {' '.join(value.split())}")
    return lines


def write_yaml(deck: Deck, words: DeckVocabulary) -> Written:
    """Details as keys, then a list of cards for each zone."""
    return Written("\n".join(_yaml_lines(deck, words)) + "\n")


def _yaml_lines(deck: Deck, words: DeckVocabulary) -> Iterator[str]:
    yield "---"
    for key, value in deck.details.items():
        yield f"{_scalar(key)}: {_scalar(value)}"
    for zone, lines in zones_in_order(deck).items():
        name = zone if words.zone_of(zone) == zone else words.zone_titles.get(zone, zone)
        yield f"{_scalar(name)}:"
        for line in lines:
            yield f"  - {_scalar(card_text(line))}"
    yield "---"


def _scalar(text: str) -> str:
    """``text`` as YAML, quoted where it must be."""
    import json

    if _PLAIN_YAML.fullmatch(text) and not text.endswith(" ") and text.lower() != "null":
        return text
    quoted = json.dumps(text, ensure_ascii=False)  # JSON's strings are YAML's, nearly
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in quoted)
