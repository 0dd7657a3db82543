"""What ``collection add``, ``remove`` and ``set`` share: one batch, all of it or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from digideck.catalog.cards import Card, CardIndex
from digideck.cli.render.output import Report
from digideck.collection.copy_requests import Request
from digideck.collection.holding_changes import Planner
from digideck.collection.ledger import Holding, counts, held, record
from digideck.core.codes import Code
from digideck.core.problems import InputError
from digideck.core.text import pluralize
from digideck.schema.connection import transaction

_MOST_SHOWN = 50


def change(
    report: Report,
    index: CardIndex,
    command: str,
    requests: list[Request],
    details: dict[str, str],
    apply: Callable[[Planner, Request], None],
) -> None:
    """Carry out the requests as one batch, unless one of them is refused."""
    report.data = {"batch": None, "changes": []}
    if not report.problems:
        _write(report, index, command, requests, details, apply)
    if report.problems:
        report.say("Nothing was changed.")


def _write(
    report: Report,
    index: CardIndex,
    command: str,
    requests: list[Request],
    details: dict[str, str],
    apply: Callable[[Planner, Request], None],
) -> None:
    asked = [request.card for request in requests]
    with transaction(index.connection):
        planner = Planner(held(index.connection, (card.id for card in asked)), details)
        for request in requests:
            apply(planner, request)
        changes = {holding: count for holding, count in planner.changes.items() if count}
        if changes and not planner.problems:
            report.data["batch"] = record(index.connection, command, said_of(asked), changes)
    report.failed(InputError(*planner.problems), no=(Code.TOO_FEW,))
    if not planner.problems:
        show_changes(report, index, changes)
        if not changes:
            report.say("Nothing to change: it is so already.")


def said_of(cards: Iterable[Card]) -> str:
    """What a batch is about, in a few words."""
    titles = list(dict.fromkeys(card.title for card in cards))
    return titles[0] if len(titles) == 1 else f"{titles[0]} and {len(titles) - 1} more"


def show_changes(report: Report, index: CardIndex, changes: dict[Holding, int]) -> None:
    """The entries of a batch that was written, with what is held now."""
    now = counts(index.connection, (holding.card_id for holding in changes))
    index.by_ids(dict.fromkeys(holding.card_id for holding in changes))
    report.data["changes"] = [
        pile_json(index, holding) | {"change": count, "owned": now.get(holding.card_id, 0)}
        for holding, count in changes.items()
    ]
    for holding, count in list(changes.items())[:_MOST_SHOWN]:
        (card,) = index.by_ids([holding.card_id])
        kind = f" ({holding.shown})" if holding.shown else ""
        report.say(f"{count:+d}  {card.key}  {card.name}{kind}; owned: {now.get(card.id, 0)}")
    if len(changes) > _MOST_SHOWN:
        report.say(f"and {len(changes) - _MOST_SHOWN:,} more; --json lists them all")
    if report.data.get("batch"):
        copies = sum(changes.values())
        report.say(
            f"{pluralize(len(changes), 'change')}, {copies:+,d} in all: batch "
            f"{report.data['batch']} (digideck collection undo takes it back)"
        )


def recorded(holdings: Sequence[tuple[Holding, int]]) -> str:
    """What is recorded of a card's copies, with how many of each kind where they differ."""
    if len(holdings) == 1:
        return holdings[0][0].shown
    return "; ".join(f"{count}: {holding.shown or '-'}" for holding, count in holdings)


def pile_json(index: CardIndex, holding: Holding) -> dict[str, Any]:
    """A pile for scripts; what is not recorded is null."""
    (card,) = index.by_ids([holding.card_id])
    return {
        "card": card.key,
        "name": card.name if card.names else None,
        "set": holding.set_code or None,
        "variant": holding.variant or None,
        "condition": holding.condition or None,
        "language": holding.language or None,
        "finish": holding.finish or None,
        "place": holding.place or None,
        "note": holding.note or None,
    }
