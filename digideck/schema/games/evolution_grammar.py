"""The requirements on cards: how the sources write what a card evolves from.

They do so in grammars of their own ("Agumon + OO", "Jogress: A + B",
"Groundramon [with Wingdramon]", "Red/Lv3/2"). What cannot be read as one is kept
as a phrase, and whoever asks is told that nobody can tell. The words of a game's
grammar are in its YAML file under ``evolution``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

from digideck.core.names import search_key
from digideck.schema.games.game import Game

_PARTNERS = re.compile(r"(.+?)\s*\[with (.+)\]")
_COST = re.compile(r"[OX]+")
_COLOUR_LEVEL = re.compile(r"([A-Za-z]+)/Lv([0-9])/([0-9]+)")
QUALIFIED = re.compile(r"(.+?)\s*\(([^()]+)\)")


class Need(NamedTuple):
    """One thing that an evolution takes. Which keys count depends on the kind:

    ``name`` is a card by name, with ``qualifier`` a property that it must have;
    ``level`` (and ``colour``) any Digimon of it; ``cost`` cards that every deck
    can pay; a ``phrase`` nobody can judge. ``others`` are names that do as well.
    """

    text: str
    name: str | None = None
    qualifier: str | None = None
    level: str | None = None
    colour: str | None = None
    cost: bool = False
    others: tuple[str, ...] = ()

    @property
    def phrase(self) -> bool:
        """Whether it is words that cannot be judged."""
        return not (self.name or self.level or self.cost)


class Way(NamedTuple):
    """One way to evolve: everything that it needs, and what it is called."""

    text: str
    kind: str | None
    needs: tuple[Need, ...]


def level_key(level: str) -> str:
    """How "any Digimon of this level" is written in the table evolution."""
    return f"level {level}"


class EvolutionGrammar:
    """How one game's cards say what they evolve from."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.words: dict[str, Any] = game.definition.get("evolution") or {}
        self.kinds: list[str] = self.words.get("kinds") or []
        self.field: str = self.words.get("field", "evolves_from")

    @cached_property
    def start_levels(self) -> frozenset[str]:
        """The levels of Digimon that are put into play as they are."""
        return frozenset(self.words.get("start_levels") or self.game.levels[:1])

    @cached_property
    def levels(self) -> dict[str, str]:
        """The words for "any Digimon of this level"."""
        return dict(self.words.get("level_words") or {})

    def read(self, text: str) -> Way:
        """One alternative as the sources write it."""
        head, colon, rest = text.partition(": ")
        kind = head if colon and head in self.kinds else None
        body = rest if kind else text
        if body in self.kinds:
            return Way(text, body, (Need(body),))
        colour = _COLOUR_LEVEL.fullmatch(body)
        if colour:
            return Way(text, None, (Need(body, level=colour[2], colour=colour[1]),))
        partners = _PARTNERS.fullmatch(body)
        if partners:
            first, *others = partners[2].split("/")
            both = (self._need(partners[1]), Need(partners[2], name=first, others=tuple(others)))
            return Way(text, "Jogress", both)
        return Way(text, kind, tuple(self._need(part) for part in body.split(" + ")))

    def index_keys(self, texts: Iterable[str]) -> set[str]:
        """What the alternatives of a card ask for, as the table evolution holds it."""
        keys: set[str] = set()
        for need in (need for text in texts for need in self.read(text).needs):
            if need.level:
                keys.add(level_key(need.level))
            for name in (need.name, *need.others):
                if name:
                    qualified = QUALIFIED.fullmatch(name)
                    keys |= {
                        search_key(text) for text in (name, qualified and qualified[1]) if text
                    }
        return keys

    def _need(self, text: str) -> Need:
        if _COST.fullmatch(text):
            return Need(text, cost=True)
        if text in self.levels:
            return Need(text, level=self.levels[text])
        if text.startswith("Any ") or "Digimon" in text.split()[1:]:
            return Need(text)
        return Need(text, name=text)
