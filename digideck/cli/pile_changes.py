"""What ``collection add``, ``remove`` and ``set`` share: one batch, all of it or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from digideck.cli.output import Report
from digideck.collection.changes import Planner
from digideck.collection.ledger import Pile, counts, held, record
from digideck.collection.requests import Request
from digideck.schema.cards import Card, CardIndex
from digideck.schema.database import transaction
from digideck.schema.problems import Unusable
from digideck.schema.wording import counted

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
        changes = {pile: count for pile, count in planner.changes.items() if count}
        if changes and not planner.problems:
            report.data["batch"] = record(index.connection, command, said_of(asked), changes)
    report.failed(Unusable(*planner.problems), no=("too-few",))
    if not planner.problems:
        show_changes(report, index, changes)
        if not changes:
            report.say("Nothing to change: it is so already.")


def said_of(cards: Iterable[Card]) -> str:
    """What a batch is about, in a few words."""
    titles = list(dict.fromkeys(card.title for card in cards))
    return titles[0] if len(titles) == 1 else f"{titles[0]} and {len(titles) - 1} more"


def show_changes(report: Report, index: CardIndex, changes: dict[Pile, int]) -> None:
    """The entries of a batch that was written, with what is held now."""
    now = counts(index.connection, (pile.card_id for pile in changes))
    index.by_ids(dict.fromkeys(pile.card_id for pile in changes))
    report.data["changes"] = [
        pile_json(index, pile) | {"change": count, "owned": now.get(pile.card_id, 0)}
        for pile, count in changes.items()
    ]
    for pile, count in list(changes.items())[:_MOST_SHOWN]:
        (card,) = index.by_ids([pile.card_id])
        kind = f" ({pile.shown})" if pile.shown else ""
        report.say(f"{count:+d}  {card.key}  {card.name}{kind}; owned: {now.get(card.id, 0)}")
    if len(changes) > _MOST_SHOWN:
        report.say(f"and {len(changes) - _MOST_SHOWN:,} more; --json lists them all")
    if report.data.get("batch"):
        copies = sum(changes.values())
        report.say(
            f"{counted(len(changes), 'change')}, {copies:+,d} in all: batch "
            f"{report.data['batch']} (digideck collection undo takes it back)"
        )


def recorded(piles: Sequence[tuple[Pile, int]]) -> str:
    """What is recorded of a card's copies, with how many of each kind where they differ."""
    if len(piles) == 1:
        return piles[0][0].shown
    return "; ".join(f"{count}: {pile.shown or '-'}" for pile, count in piles)


def pile_json(index: CardIndex, pile: Pile) -> dict[str, Any]:
    """A pile for scripts; what is not recorded is null."""
    (card,) = index.by_ids([pile.card_id])
    return {
        "card": card.key,
        "name": card.name if card.names else None,
        "set": pile.set_code or None,
        "variant": pile.variant or None,
        "condition": pile.condition or None,
        "language": pile.language or None,
        "finish": pile.finish or None,
        "place": pile.place or None,
        "note": pile.note or None,
    }
