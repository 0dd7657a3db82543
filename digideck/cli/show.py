"""``digideck show``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from digideck.cli.exits import Exit, worst
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.output import Report, command, pad, styled
from digideck.cli.resolve import cards_meant, check_game
from digideck.collection.ledger import Pile, held
from digideck.schema.cards import Card, CardIndex
from digideck.schema.database import open_to_read
from digideck.schema.facts import Facts, card_facts
from digideck.schema.resolve import no_card, several_cards


def run(
    cards: Annotated[list[str], typer.Argument(metavar="CARD...", help="A number or a name.")],
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """CARD is a number as printed (St-1, Dα-065, or Da-65), a name in any
    language, or game/number@edition where a number alone is not enough.

    Exit code 1: no such card. 4: several cards have this number or name.
    """
    with command("show", json) as report:
        index = CardIndex(open_to_read(db))
        wanted_game = check_game(index, game)
        report.data["cards"] = []
        report.exit_code = worst(_show(report, index, text, wanted_game) for text in cards)


def _show(report: Report, index: CardIndex, text: str, game: str | None) -> Exit:
    found = cards_meant(index, text, game)
    if len(found) == 1:
        facts = card_facts(index.connection, found[0])
        piles = held(index.connection, [found[0].id])
        report.data["cards"].append(facts.as_json() | {"owned": sum(piles.values())})
        for line in _lines(index, found[0], facts, piles):
            report.say(line)
        return Exit.OK
    report.problem(no_card(index, text, game) if not found else several_cards(text, found))
    return Exit.UNDECIDED if found else Exit.NO


def _lines(index: CardIndex, card: Card, facts: Facts, piles: dict[Pile, int]) -> Iterator[str]:
    yield styled(f"{card.key}  {card.name}", "good")
    for label, value in _entries(index, card, facts):
        yield f"  {pad(label, 22)} {value}"
    for pile, count in sorted(piles.items()):
        yield f"  {pad('Owned', 22)} {count}{f'  {pile.shown}' if pile.shown else ''}"
    yield ""


def _entries(index: CardIndex, card: Card, facts: Facts) -> Iterator[tuple[str, Any]]:
    game = index.games[card.game]
    yield "Game", game.name
    for name in card.names:
        role = "" if name.role == "name" else f", {_ROLES[name.role]}"
        yield "Name", f"{name.text}  ({_LANGUAGES[name.language]}{role})"
    yield "Kind", card.kind or "unknown"
    if card.level or card.kind == "Digimon":
        yield "Level", card.level or "unknown"
    for code, entry in game.fields.items():
        value = card.fields.get(code)
        if value is not None:
            yield entry.label, _shown(value)
        elif entry.type == "flag":
            yield entry.label, "unknown"
    for printing in facts.printings:
        yield "Set", printing.shown
    if not facts.printings:
        yield "Set", "unknown"
    for field, reason in card.doubts.items():
        yield "Doubt", f"{field}: {reason}"
    for field, source in facts.corrections.items():
        yield "Yours", f"{field}, from {source}"
    yield "Source", facts.source


_LANGUAGES = {"en": "English", "ja": "Japanese", "dub": "English dub"}
_ROLES = {"species": "name of the species", "also": "second name", "alias": "another spelling"}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(value)
    return str(value)
