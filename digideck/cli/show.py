"""``digideck show``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from digideck.catalog.cards import Card
from digideck.catalog.evolution import Evolution
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.card_table import shown_value
from digideck.cli.render.output import Report, command, pad, styled, table
from digideck.core.text import some_of
from digideck.operations.cards.show_cards import EvolutionWay, ShownCard, show_cards

_MOST_HIGHER = 12  # names that a card evolves into
_MOST_CARDS = 4  # of one of them
_LANGUAGES = {"en": "English", "ja": "Japanese", "dub": "English dub"}
_ROLES = {"species": "name of the species", "also": "second name", "alias": "another spelling"}


def run(
    cards: Annotated[list[str], typer.Argument(metavar="CARD...", help="A number or a name.")],
    game: GameOption = "",
    sources: Annotated[
        bool, typer.Option("--sources", help="Which source each value is from.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """CARD is a number as printed (St-1, Dα-065, or Da-65), a name in
    English or, where it is recorded, Japanese, or game/number@edition where a
    number alone is not enough.

    Exit code 1: no such card. 4: several cards have this number or name.
    """
    with command("show", json) as report:
        found = show_cards(cards, game=game, sources=sources, db=db)
        report.show(found)
        for card in found.cards if not json else ():
            report.say(styled(f"{card.card.key}  {card.card.name}", "good"))
            if sources:
                _say_sources(report, card)
            else:
                for label, value in _entries(card):
                    report.say(f"  {pad(label, 22)} {value}")
            report.say("")


def _say_sources(report: Report, shown: ShownCard) -> None:
    values = shown.sources or ()
    places = {
        source: place for place, source in enumerate(dict.fromkeys(v.shown for v in values), 1)
    }
    rows = [(entry.field, shown_value(entry.value)[:70], places[entry.shown]) for entry in values]
    for line in table(rows, ("field", "value", "source")):
        report.say(f"  {line}")
    for source, place in places.items():
        report.say(f"  source {place}: {source}")
    fields = shown.around.game.fields
    for code in dict.fromkeys(entry.field for entry in values):
        if code in fields and fields[code].says:
            report.say(f"  {code}: {fields[code].says}")


def _entries(shown: ShownCard) -> Iterator[tuple[str, Any]]:
    card, around = shown.card, shown.around
    yield "Game", around.game.name
    yield from _names(card)
    yield "Kind", card.kind or "unknown"
    if card.level or card.kind == "Digimon":
        yield "Level", card.level or "unknown"
    evolution = Evolution(around.game).field
    for code, entry in around.game.fields.items():
        value = card.fields.get(code)
        if code == evolution or entry.of_sources or (value is None and entry.type != "flag"):
            continue
        says = f": {entry.says}" if value and entry.says else ""
        yield entry.label, "unknown" if value is None else f"{shown_value(value)}{says}"
    for text in [printing.shown for printing in card.printings] or ["unknown"]:
        yield "Set", text
    yield from _branches("Evolves from", [_way(way) for way in around.evolves_from])
    into = [_way(way) for way in around.evolves_into]
    if len(into) > _MOST_HIGHER:
        into[_MOST_HIGHER:] = [f"{len(into) - _MOST_HIGHER} more: digideck find from:{card.key}"]
    yield from _branches("Evolves into", into)
    for limit in around.limits:
        yield "Limited in", f"{limit.format}: {limit.text}"
    for field, reason in card.doubts.items():
        yield "Doubt", f"{field}: {reason}"
    for field, source in shown.facts.corrections.items():
        yield "Yours", f"{field}, from {source}"
    yield "Source", shown.facts.source
    for barcode in around.codes:
        yield "Barcode", barcode.short
    for holding, count in around.holdings:
        yield "Owned", f"{count}{f'  {holding.shown}' if holding.shown else ''}"


def _names(card: Card) -> Iterator[tuple[str, str]]:
    shown: set[str] = set()
    for name in card.names:
        if name.language == "dub" and name.text in shown:
            continue
        shown.add(name.text)
        role = "" if name.role == "name" else f", {_ROLES[name.role]}"
        yield "Name", f"{name.text}  ({_LANGUAGES[name.language]}{role})"


def _branches(label: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, text in enumerate(texts):
        branch = "└─" if place == len(texts) - 1 else "├─"
        yield "" if place else label, f"{branch} {text}"


def _way(way: EvolutionWay) -> str:
    if not way.cards:
        return f"{way.text}  (no card known)"
    return f"{way.text}  ({some_of([card.full_number for card in way.cards], _MOST_CARDS)})"
