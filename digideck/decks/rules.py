"""Formats as data: a list of rules, each naming a check and giving its numbers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from digideck.decks.checks import CHECKS
from digideck.decks.match import MatchedDeck
from digideck.schema.games import Game
from digideck.schema.problems import Problem, unusable
from digideck.schema.strict_yaml import Mapping

CERTAINTIES = ("sure", "one source", "inferred", "open")


@dataclass(frozen=True)
class Rule:
    """One rule of a format. ``says`` is the rule in a sentence.

    ``certainty`` is how well the source bears it out (CERTAINTIES); ``assumed``
    marks a choice where the sources leave the rule open.
    """

    id: str
    says: str
    check: str
    source: str
    certainty: str
    assumed: bool
    run: Callable[[MatchedDeck, Rule], Iterable[Problem]]


@dataclass(frozen=True)
class Format:
    """A way to play a game, with its own rules for decks. ``revised`` dates the rules.

    ``same_card`` is what makes two cards the same by its rule on copies: name or number.
    """

    code: str
    game: str
    title: str
    revised: str
    notes: tuple[str, ...]
    rules: tuple[Rule, ...]
    same_card: str = "number"


def parse_format(code: str, entry: Mapping, game: Game) -> Format:
    """The format that ``entry`` describes. Raises Unusable for what is not understood."""
    sources: dict[str, str] = game.definition.get("sources") or {}
    found = Format(
        code,
        game.code,
        entry.text("title"),
        entry.text("revised"),
        tuple(entry.texts("notes")),
        tuple(_parse_rule(rule, game, sources) for rule in entry.mappings("rules")),
        _same_card(entry),
    )
    if not found.rules:
        raise entry.problem("rules are missing", "rules")
    entry.done()
    return found


def _same_card(entry: Mapping) -> str:
    """How the rule on copies that holds for all cards tells them apart."""
    for rule in entry.mappings("rules"):
        if rule.text("check") == "copies" and rule.optional_text("where") is None:
            return rule.text("count_by")
    return "number"


def _parse_rule(entry: Mapping, game: Game, sources: dict[str, str]) -> Rule:
    check = entry.choice("check", CHECKS)
    source = entry.text("source")
    if source not in sources:
        raise entry.problem(f"source {source!r} is not among the game's sources", "source")
    rule = Rule(
        entry.text("id"),
        entry.text("says"),
        check,
        sources[source],
        entry.choice("certainty", CERTAINTIES),
        entry.flag("assumed"),
        CHECKS[check](entry, game),
    )
    entry.done()
    return rule


class FormatTable:
    """The formats in a database, parsed when asked for."""

    def __init__(self, connection: sqlite3.Connection, games: dict[str, Game]) -> None:
        self.games = games
        self._definitions: dict[str, tuple[str, dict[str, Any]]] = {
            row["code"]: (row["game"], json.loads(row["definition"]))
            for row in connection.execute("SELECT code, game, definition FROM format ORDER BY code")
        }
        self._parsed: dict[str, Format] = {}

    @property
    def codes(self) -> list[str]:
        """Every format's code."""
        return list(self._definitions)

    def get(self, code: str) -> Format:
        """The format called ``code``. Raises Unusable listing the nearest ones."""
        wanted = code.strip().lower()
        if wanted not in self._definitions:
            import difflib

            near = difflib.get_close_matches(wanted, self.codes, n=3, cutoff=0.4)
            known = ", ".join(near or self.codes)
            raise unusable(
                "unknown-format",
                f"no format is called {code!r}",
                allowed=", ".join(self.codes),
                next_step=f"did you mean {known}? digideck formats lists them all",
            )
        if wanted not in self._parsed:
            game, definition = self._definitions[wanted]
            entry = Mapping.from_plain(definition, f"{game}.yaml")
            self._parsed[wanted] = parse_format(wanted, entry, self.games[game])
        return self._parsed[wanted]

    def all(self) -> list[Format]:
        """Every format."""
        return [self.get(code) for code in self.codes]

    def default_of(self, game: str) -> Format | None:
        """The format that a game is played in unless another is named."""
        code = self.games[game].definition.get("default_format")
        return self.get(code) if code else None
