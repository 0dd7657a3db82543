"""How a game's hands are drawn, as its YAML file says under ``drawing``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from digideck.core.results import json_field
from digideck.core.strict_yaml import Mapping

REFILL, DRAW = "refill", "draw"
EACH_TURN = (REFILL, DRAW)
TURN_ONE = ("everybody", "second", "nobody")  # who draws again on the first turn
WISHED, LACKING = "wished", "lacking"
CERTAINTIES = ("sure", "one source", "inferred", "open")


@dataclass(frozen=True)
class DrawingSentence:
    """A sentence about the drawing, where it is from, and how sure that is.

    ``assumed`` marks a choice where no source tells.
    """

    text: str = json_field("says")
    source: str = ""
    certainty: str = ""
    assumed: bool = False


@dataclass(frozen=True)
class Start:
    """The card that a player chooses and puts out before the deck is shuffled:
    one of ``kind`` and one of ``levels``, the usual level first.
    """

    kind: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Redraw:
    """A hand that is put back and drawn anew, once.

    ``when``: WISHED by the player, or LACKING a card of ``kind`` and ``levels``.
    """

    when: str
    kind: str = ""
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """The rules of drawing of a game.

    ``hand`` cards are dealt from ``zone`` once ``start`` is out; ``unseen`` more
    lie face down and are never drawn. From then on each turn the hand is filled
    up again (REFILL), or ``cards`` are drawn (DRAW). ``unknown_for`` are formats
    of the game of which no source tells whether they draw alike.
    """

    zone: str
    hand: int
    each_turn: str
    cards: int
    turn_one: str
    unseen: int
    start: Start | None
    redraw: Redraw | None
    says: tuple[DrawingSentence, ...]
    unknown_for: tuple[str, ...]


def read_drawing(
    entry: Mapping,
    levels: Collection[str],
    kinds: Collection[str],
    zones: Collection[str],
    sources: dict[str, Any],
) -> Drawing:
    """The drawing that ``entry`` describes. Raises InputError for what is not understood."""
    each_turn = entry.choice("each_turn", EACH_TURN)
    found = Drawing(
        entry.choice("zone", zones, "main"),
        entry.integer("hand"),
        each_turn,
        entry.integer("cards") if each_turn == DRAW else 0,
        entry.choice("turn_one", TURN_ONE),
        entry.optional_integer("unseen") or 0,
        _start(entry.mapping("start"), levels, kinds) if "start" in entry.entries else None,
        _redraw(entry.mapping("redraw"), levels, kinds) if "redraw" in entry.entries else None,
        tuple(_sentence(told, sources) for told in entry.mappings("says")),
        tuple(entry.texts("unknown_for")),
    )
    if not found.says:
        raise entry.problem("says is missing: the rules in sentences, with their sources", "says")
    if not 1 <= found.hand <= 99:
        raise entry.problem("hand: not a number of cards", "hand", "1 to 99")
    entry.done()
    return found


def _start(entry: Mapping, levels: Collection[str], kinds: Collection[str]) -> Start:
    start = Start(entry.choice("kind", kinds), _levels(entry, levels))
    entry.done()
    return start


def _redraw(entry: Mapping, levels: Collection[str], kinds: Collection[str]) -> Redraw:
    when = entry.choice("when", (WISHED, LACKING))
    redraw = Redraw(when)
    if when == LACKING:
        redraw = Redraw(when, entry.choice("kind", kinds), _levels(entry, levels))
    entry.done()
    return redraw


def _levels(entry: Mapping, known: Collection[str]) -> tuple[str, ...]:
    found = tuple(entry.texts("levels"))
    unknown = [level for level in found if level not in known]
    if unknown or not found:
        message = f"levels: {unknown[0]!r} is not known" if unknown else "levels are missing"
        raise entry.problem(message, "levels", ", ".join(known))
    return found


def _sentence(entry: Mapping, sources: dict[str, Any]) -> DrawingSentence:
    sentence = DrawingSentence(
        entry.text("text"),
        str(sources[entry.choice("source", sources)]),
        entry.choice("certainty", CERTAINTIES),
        entry.flag("assumed"),
    )
    entry.done()
    return sentence
