"""Decks as YAML: a list of cards under a zone's word, with or without front matter marks."""

from __future__ import annotations

import re
from typing import Any

from digideck.decks.model import MOST_ON_A_LINE, Deck, DeckLine, DeckWords
from digideck.decks.text import card_line, clean, shown_count, unreadable_line
from digideck.schema.names import search_key
from digideck.schema.problems import Problem
from digideck.schema.strict_yaml import Mapping, Text, load

_FENCE = re.compile(r"---\s*")
_SKIPPED = re.compile(r"\s*|https?://\S+\s*|\s*(?:#|//).*")
_COUNT = re.compile(r"[-+]?[0-9]{1,40}")


def looks_like_yaml(text: str) -> bool:
    """Whether the first line that says anything opens YAML front matter."""
    for line in text.splitlines():
        if _FENCE.fullmatch(line):
            return True
        if not _SKIPPED.fullmatch(line):
            return False
    return False


def read_yaml_deck(text: str, file: str, words: DeckWords) -> Deck:
    """The deck in ``text``. Raises Unusable where it is not YAML."""
    reader = _YamlDeck(file, words)
    reader.read(load(_front_matter(text), file, list_as="cards"))
    return Deck(file, tuple(reader.lines), tuple(reader.problems), reader.details)


def _front_matter(text: str) -> str:
    """The YAML between the marks, in its place, so that line numbers hold."""
    lines = [line if not _SKIPPED.fullmatch(line) else "" for line in text.splitlines()]
    fences = [index for index, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if fences:
        start = fences[0]
        end = fences[1] if len(fences) > 1 else len(lines)
        lines = [""] * (start + 1) + lines[start + 1 : end]
    return "\n".join(lines)


class _YamlDeck:
    def __init__(self, file: str, words: DeckWords) -> None:
        self.file = file
        self.words = words
        self.lines: list[DeckLine] = []
        self.problems: list[Problem] = []
        self.details: dict[str, str] = {}

    def read(self, top: Mapping) -> None:
        """Keys that name a zone hold cards, the others are details."""
        for key, value in top.entries.items():
            zone = self.words.zones.get(search_key(key))
            if zone is None or isinstance(value, str):
                if isinstance(value, str):
                    self.details[key.lower()] = value
            elif isinstance(value, Mapping):
                for card, count in value.entries.items():
                    self.add_counted(card, count, zone, None)
            else:
                for item in value or ():
                    self.add(item, zone)

    def add(self, item: Any, zone: str) -> None:
        """One entry: a line of text, ``{St-1: 3}``, or ``{number, name, count}``."""
        if isinstance(item, Text):
            line = card_line(clean(item), self.words, zone=zone, place=item.line)
            self.keep(line, str(item), item.line)
        elif isinstance(item, Mapping):
            entries = dict(item.entries)
            if "number" in entries or "name" in entries:
                card = " ".join(str(entries[key]) for key in ("name", "number") if entries.get(key))
                self.add_counted(card, entries.get("count", "1"), zone, item)
            else:
                for card, count in entries.items():
                    self.add_counted(card, count, zone, item)
        else:
            self.keep(None, str(item), None)

    def add_counted(self, card: str, count: Any, zone: str, item: Mapping | None) -> None:
        place = count.line if isinstance(count, Text) else item.line if item else None
        if not isinstance(count, str) or not _COUNT.fullmatch(count):
            self.problems.append(
                unreadable_line(self.file, place, f"{card}: {count}", "no whole number of copies")
            )
            return
        self.keep(
            card_line(clean(f"{int(count)} {card}"), self.words, zone=zone, place=place),
            card,
            place,
        )

    def keep(self, line: DeckLine | None, text: str, place: int | None) -> None:
        if line is None:
            reason = "no card name or number"
        elif not 1 <= line.count <= MOST_ON_A_LINE:
            reason = f"a count of {shown_count(line.count)}"
        else:
            self.lines.append(line)
            return
        self.problems.append(unreadable_line(self.file, place, text, reason))
