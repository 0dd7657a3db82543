"""Decks as YAML: a list of cards under a zone's word, with or without front matter marks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from digideck.catalog.mention_text import clean
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import Problem, Severity
from digideck.core.strict_yaml import Mapping, Text, load
from digideck.decks.model import MAIN, MOST_ON_A_LINE, Deck, DeckLine, DeckVocabulary
from digideck.decks.parse.text_deck import card_line, shown_count, unreadable_line

_FENCE = re.compile(r"---\s*")
_SKIPPED = re.compile(r"\s*|https?://\S+\s*|\s*(?:#|//).*")
_COUNT_KEYS = ("count", "qty", "quantity", "copies")
_COUNT = re.compile(r"[-+]?[0-9]{1,40}")


def looks_like_yaml(text: str) -> bool:
    """Whether the first line that says anything opens YAML front matter."""
    for line in text.splitlines():
        if _FENCE.fullmatch(line):
            return True
        if not _SKIPPED.fullmatch(line):
            return False
    return False


def read_yaml_deck(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in ``text``. Raises InputError where it is not one YAML document."""
    inside, outside = _front_matter(text)
    reader = _YamlDeck(file, words)
    reader.read(load(inside, file, list_as="cards"))
    reader.report_outside(outside)
    return Deck(file, tuple(reader.lines), tuple(reader.problems), reader.details)


def _front_matter(text: str) -> tuple[str, list[Text]]:
    """The YAML between the marks, in its place so that line numbers hold, and what
    else the file says.
    """
    lines = [line if not _SKIPPED.fullmatch(line) else "" for line in text.splitlines()]
    fences = [index for index, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if not fences:
        return "\n".join(lines), []
    start, end = fences[0], fences[1] if len(fences) > 1 else len(lines)
    outside = [
        Text(line, index + 1)
        for index, line in enumerate(lines)
        if line and not start <= index <= end
    ]
    return "\n".join([""] * (start + 1) + lines[start + 1 : end]), outside


class _YamlDeck:
    def __init__(self, file: str, words: DeckVocabulary) -> None:
        self.file = file
        self.words = words
        self.lines: list[DeckLine] = []
        self.problems: list[Problem] = []
        self.details: dict[str, str] = {}

    def read(self, top: Mapping) -> None:
        """Keys that name a zone hold cards, those with a text are details."""
        for key, value in top.entries.items():
            zone = self.words.zones.get(search_key(key))
            if zone is None and search_key(key) in self.words.headings:
                zone = MAIN
            if isinstance(value, Text) and (zone is None or not self.is_card(value, zone)):
                self.details["name" if zone else key.lower()] = value
            elif value is None:
                continue
            elif zone is None:
                known = ", ".join(["cards", *sorted(set(self.words.zone_titles.values()))])
                self.problems.append(
                    Problem(
                        Code.YAML_KEY,
                        Severity.ERROR,
                        f"{key!r} is no part of a deck, so its cards would not be read",
                        self.file,
                        top.line_of(key),
                        allowed=known,
                        next_step=f"call it one of: {known}",
                    )
                )
            elif isinstance(value, Mapping):
                for card, count in value.entries.items():
                    self.add_counted(card, count, zone, None)
            else:
                for item in value if isinstance(value, list) else [value]:
                    self.add(item, zone)

    def report_outside(self, outside: list[Text]) -> None:
        """A card outside the marks is an error, any other text is reported as skipped."""
        for text in outside:
            if self.is_card(text):
                reason = "it stands outside the --- marks"
                self.problems.append(unreadable_line(self.file, text.line, text, reason))
        if outside:
            lines = "1 line" if len(outside) == 1 else f"{len(outside)} lines"
            self.problems.append(
                Problem(
                    Code.YAML_OUTSIDE,
                    Severity.NOTE,
                    f"{lines} outside the --- marks: not read",
                    self.file,
                    outside[0].line,
                    next_step="move what belongs to the deck between the marks, or begin "
                    "comments with #",
                )
            )

    def is_card(self, text: Text, zone: str = MAIN) -> bool:
        """Whether a text by itself is a card and not a deck's name or a story."""
        line = card_line(clean(text), self.words, zone=zone, place=text.line)
        return line is not None and line.explicit

    def add(self, item: Any, zone: str) -> None:
        """One entry: a line of text, ``{St-1: 3}``, or ``{number, name, count}``."""
        if isinstance(item, Text):
            line = card_line(clean(item), self.words, zone=zone, place=item.line)
            self.keep(line, str(item), item.line)
        elif isinstance(item, Mapping):
            entries = {key.lower(): value for key, value in item.entries.items()}
            if "number" not in entries and "name" not in entries:
                for card, count in item.entries.items():
                    self.add_counted(card, count, zone, item)
                return
            card = " ".join(str(entries[key]) for key in ("name", "number") if entries.get(key))
            counts = [entries.pop(key) for key in _COUNT_KEYS if key in entries]
            set_code = entries.get("set")
            unknown = sorted(entries.keys() - {"name", "number", "set"})
            if unknown or len(counts) > 1:
                reason = f"the key {unknown[0]!r} is not known" if unknown else "two counts"
                self.problems.append(unreadable_line(self.file, item.line, card, reason))
            elif set_code is not None and not isinstance(set_code, Text):
                reason = "its set is no set code"
                self.problems.append(unreadable_line(self.file, item.line, card, reason))
            else:
                kept = clean(set_code or "") or None
                self.add_counted(card, counts[0] if counts else "1", zone, item, kept)
        else:
            self.keep(None, str(item), None)

    def add_counted(
        self,
        card: str,
        count: Any,
        zone: str,
        item: Mapping | None,
        set_code: str | None = None,
    ) -> None:
        place = count.line if isinstance(count, Text) else item.line if item else None
        if not isinstance(count, str) or not _COUNT.fullmatch(count):
            self.problems.append(
                unreadable_line(self.file, place, f"{card}: {count}", "no whole number of copies")
            )
            return
        line = card_line(clean(f"{int(count)} {card}"), self.words, zone=zone, place=place)
        self.keep(replace(line, set_code=set_code) if line and set_code else line, card, place)

    def keep(self, line: DeckLine | None, text: str, place: int | None) -> None:
        if line is None:
            reason = "no card name or number"
        elif not 1 <= line.count <= MOST_ON_A_LINE:
            reason = f"a count of {shown_count(line.count)}"
        else:
            self.lines.append(line)
            return
        self.problems.append(unreadable_line(self.file, place, text, reason))
