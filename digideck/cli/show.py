"""``digideck show``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from digideck.catalog.arguments import check_game, split_name
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.evolution import Evolution, Tristate, evolving_from, evolving_into
from digideck.catalog.lookup import no_card, several_cards
from digideck.catalog.provenance import Facts, card_facts, said_of
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.card_table import shown_value
from digideck.cli.render.exits import Exit, worst
from digideck.cli.render.output import Report, command, pad, styled, table
from digideck.collection.ledger import Holding, held
from digideck.decks.rules.card_restrictions import restrictions_on
from digideck.decks.rules.rule_files import FormatTable
from digideck.scan.store.links import codes_of
from digideck.schema.connection import open_to_read
from digideck.schema.games.game import Game


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
        index = CardIndex(open_to_read(db))
        wanted_game = check_game(index, game)
        report.data["cards"] = []
        split = split_name(index, cards, wanted_game, "show")
        if split:
            report.problem(split)
            report.exit_code = Exit.NO
            return
        report.exit_code = worst(
            _show(report, index, text, wanted_game, sources=sources) for text in cards
        )


def _show(report: Report, index: CardIndex, text: str, game: str | None, *, sources: bool) -> Exit:
    found = index.meant_by(text, game)
    if len(found) == 1:
        facts = card_facts(index.connection, found[0])
        holdings = held(index.connection, [found[0].id])
        codes = [code.written for code in codes_of(index.connection, found[0].id)]
        report.data["cards"].append(
            facts.as_json() | {"owned": sum(holdings.values()), "barcodes": codes}
        )
        if sources:
            _show_sources(report, index, found[0])
            return Exit.OK
        for line in _lines(index, found[0], facts, holdings):
            report.say(line)
        return Exit.OK
    report.problem(no_card(index, text, game) if not found else several_cards(text, found))
    return Exit.UNDECIDED if found else Exit.NO


def _show_sources(report: Report, index: CardIndex, card: Card) -> None:
    said = said_of(index.connection, card)
    report.data["cards"][-1]["sources"] = [asdict(entry) for entry in said]
    report.say(styled(f"{card.key}  {card.name}", "good"))
    places = {source: place for place, source in enumerate(dict.fromkeys(s.shown for s in said), 1)}
    rows = [(entry.field, shown_value(entry.value)[:70], places[entry.shown]) for entry in said]
    for line in table(rows, ("field", "value", "source")):
        report.say(f"  {line}")
    for source, place in places.items():
        report.say(f"  source {place}: {source}")
    report.say("")


def _lines(
    index: CardIndex, card: Card, facts: Facts, holdings: dict[Holding, int]
) -> Iterator[str]:
    yield styled(f"{card.key}  {card.name}", "good")
    for label, value in _entries(index, card, facts):
        yield f"  {pad(label, 22)} {value}"
    for code in codes_of(index.connection, card.id):
        yield f"  {pad('Barcode', 22)} {code.short}"
    for holding, count in sorted(holdings.items()):
        yield f"  {pad('Owned', 22)} {count}{f'  {holding.shown}' if holding.shown else ''}"
    yield ""


def _entries(index: CardIndex, card: Card, facts: Facts) -> Iterator[tuple[str, Any]]:
    game = index.games[card.game]
    yield "Game", game.name
    shown: set[str] = set()
    for name in card.names:
        if name.language == "dub" and name.text in shown:
            continue
        shown.add(name.text)
        role = "" if name.role == "name" else f", {_ROLES[name.role]}"
        yield "Name", f"{name.text}  ({_LANGUAGES[name.language]}{role})"
    yield "Kind", card.kind or "unknown"
    if card.level or card.kind == "Digimon":
        yield "Level", card.level or "unknown"
    for code, entry in game.fields.items():
        if code == Evolution(game).field:
            continue
        value = card.fields.get(code)
        if value is not None:
            yield entry.label, shown_value(value)
        elif entry.type == "flag":
            yield entry.label, "unknown"
    for printing in card.printings:
        yield "Set", printing.shown
    if not card.printings:
        yield "Set", "unknown"
    yield from _evolution(index, card, game)
    for found in restrictions_on(card, game, FormatTable(index.connection, index.games)):
        yield "Limited in", f"{found.format}: {found.text}"
    for field, reason in card.doubts.items():
        yield "Doubt", f"{field}: {reason}"
    for field, source in facts.corrections.items():
        yield "Yours", f"{field}, from {source}"
    yield "Source", facts.source


def _evolution(index: CardIndex, card: Card, game: Game) -> Iterator[tuple[str, str]]:
    """What the card asks for with the cards that are it, and what it leads to."""
    evolution = Evolution(game)
    lower = evolving_into(index, [card])
    ways = []
    for way in evolution.ways(card):
        meeting = [
            other
            for other in lower
            if any(evolution.meets(other, need) is Tristate.YES for need in way.needs)
        ]
        ways.append(f"{way.text}  {_numbers(meeting)}")
    yield from _branches("Evolves from", ways)
    by_name: dict[str, list[Card]] = {}
    for higher in evolving_from(index, [card]):
        by_name.setdefault(higher.name, []).append(higher)
    into = [f"{name}  {_numbers(cards)}" for name, cards in by_name.items()]
    if len(into) > _MOST_HIGHER:
        rest = len(into) - _MOST_HIGHER
        into[_MOST_HIGHER:] = [f"{rest} more: digideck find from:{card.key}"]
    yield from _branches("Evolves into", into)


def _branches(label: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, text in enumerate(texts):
        branch = "└─" if place == len(texts) - 1 else "├─"
        yield "" if place else label, f"{branch} {text}"


def _numbers(cards: Sequence[Card]) -> str:
    shown = ", ".join(card.written_number for card in cards[:4])
    more = f" and {len(cards) - 4} more" if len(cards) > 4 else ""
    return f"({shown}{more})" if cards else "(no card known)"


_MOST_HIGHER = 12
_LANGUAGES = {"en": "English", "ja": "Japanese", "dub": "English dub"}
_ROLES = {"species": "name of the species", "also": "second name", "alias": "another spelling"}
