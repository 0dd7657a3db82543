"""``digideck collection wants``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.catalog.advice import set_meant
from digideck.catalog.arguments import check_game, sets_called, split_name
from digideck.catalog.cards import CardIndex, card_order
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report, command, table
from digideck.collection.copy_requests import CopyReader, Request
from digideck.collection.ledger import counts
from digideck.collection.wants import (
    collect,
    collected_sets,
    deck_supply,
    targets,
    want,
    wants,
)
from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import pluralize
from digideck.decks.analysis.needs import DecksNeeds, needs_of
from digideck.decks.deck_reader import DeckReader, deck_paths
from digideck.schema.connection import open_to_read, open_to_write, transaction

Sets = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
    typer.Option("--collect", metavar="SET", help="Want every card of this set."),
]


def run(
    cards: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="[CARD [COUNT]...]", help="Want so many of a card; 0: none."),
    ] = None,
    collect_sets: Sets = None,
    drop_sets: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--drop", metavar="SET", help="Collect this set no more."),
    ] = None,
    decks: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--deck", metavar="DECK", help="Also what this deck takes; may be repeated."),
    ] = None,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Without arguments: what is wanted and not owned, from what you said you want,
    from the sets you collect (one of each card), and from --deck (decks that are
    built at once). The count of a want is what you want to own in all.
    """
    with command("collection wants", json) as report:
        changing = bool(cards or collect_sets or drop_sets)
        index = CardIndex(open_to_write(db) if changing else open_to_read(db))
        wanted = check_game(index, game)
        report.data = {"changes": [], "sets": [], "wants": [], "decks": []}
        if changing and not _change(report, index, wanted, cards, collect_sets, drop_sets):
            report.say("Nothing was changed.")
            return
        if not changing or decks:
            _list(report, index, wanted, decks or [], encoding)


def _change(
    report: Report,
    index: CardIndex,
    game: str | None,
    words: list[str] | None,
    collect_sets: list[str] | None,
    drop_sets: list[str] | None,
) -> bool:
    split = split_name(index, words or [], game, report.name)
    if split:
        raise InputError(split)
    requests, problems = CopyReader(index, game).words(words) if words else ([], [])
    report.failed(InputError(*problems))
    if problems:
        return False
    marks = [(*_set(index, game, name), True) for name in collect_sets or ()]
    marks += [(*_set(index, game, name), False) for name in drop_sets or ()]
    with transaction(index.connection):
        before = [want(index.connection, r.card.id, r.count) for r in requests]
        for set_game, code, on in marks:
            collect(index.connection, set_game, code, on)
    for request, was in zip(requests, before, strict=True):
        _say_change(report, request, was)
    for set_game, code, on in marks:
        report.data["sets"].append({"game": set_game, "set": code, "collected": on})
        report.say(f"{set_game} {code}: {'collected' if on else 'collected no more'}")
    return True


def _say_change(report: Report, request: Request, before: int) -> None:
    card = request.card
    report.data["changes"].append({"card": card.key, "wanted": request.count, "before": before})
    report.say(f"{card.key}  {card.name}: {request.count} wanted (before: {before})")


def _set(index: CardIndex, game: str | None, name: str) -> tuple[str, str]:
    found = sets_called(index, name, game)
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{set_game} {code}" for set_game, code in found)
    raise input_error(
        Code.UNKNOWN_SET,
        f"{name!r} can be {listed}" if found else f"no set is called {name!r}",
        next_step="add --game" if found else set_meant(index.connection, name, game),
    )


def _list(
    report: Report, index: CardIndex, game: str | None, paths: list[str], encoding: str
) -> None:
    decks = needs_of(DeckReader(index.connection, encoding=encoding), deck_paths(paths))
    for problem in decks.problems:
        report.problem(problem)
    if not decks.complete:
        report.ended(Exit.UNUSABLE)
    found = wants(index.connection)
    cards = {card.id: card for card in index.by_ids(entry.card_id for entry in found)}
    found = [entry for entry in found if game in (None, cards[entry.card_id].game)]
    found.sort(key=lambda entry: card_order(cards[entry.card_id]))
    report.data["wants"] = [
        {
            "card": cards[entry.card_id].key,
            "name": cards[entry.card_id].name,
            "wanted": entry.wanted,
            "owned": entry.owned,
            "missing": entry.missing,
            "why": list(entry.why),
        }
        for entry in found
    ]
    rows = [
        (
            entry.missing,
            cards[entry.card_id].key,
            cards[entry.card_id].name,
            f"{entry.owned} of {entry.wanted}",
            ", ".join(entry.why),
        )
        for entry in found
    ]
    if rows:
        for line in table(rows, ("get", "card", "name", "owned", "why"), right=(0,), texts=(2, 4)):
            report.say(line)
    copies = sum(entry.missing for entry in found)
    copies += _list_decks(report, index, decks)
    sets = sorted(collected_sets(index.connection))
    report.data["sets"] = [{"game": g, "set": code, "collected": True} for g, code in sets]
    report.data["copies"] = copies
    report.say(f"{pluralize(copies, 'copy', 'copies')} to get")


def _list_decks(report: Report, index: CardIndex, decks: DecksNeeds) -> int:
    """What decks take beyond what is owned and what is wanted anyway."""
    kept = {card: count for card, (count, _) in targets(index.connection).items()}
    supply = deck_supply(decks.wanted, counts(index.connection), kept, buying=True)
    rows = []
    place = 0
    for deck in decks.decks:
        for need in deck.needs:
            missing = supply.missing(place)
            place += 1
            if missing:
                rows.append((missing, need.shown, deck.file))
                report.data["decks"].append(
                    {
                        "file": deck.file,
                        "card": need.shown,
                        "missing": missing,
                        "any_of": [card.key for card in need.cards],
                    }
                )
    if rows:
        for line in table(rows, ("get", "card or its like", "for deck"), right=(0,)):
            report.say(line)
    return sum(row[0] for row in rows)
