"""The cards that labels are made for: named, found by a query, taken by decks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from digideck.catalog.advice import several_cards
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import meant_by, not_one
from digideck.catalog.query import find_ids, parse
from digideck.cli.deck.deck_files import Decks
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import Report
from digideck.collection.query_terms import collection_terms
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity
from digideck.decks.deck_reader import deck_paths
from digideck.decks.matched_deck import Entry


def wanted_cards(
    report: Report,
    index: CardIndex,
    *,
    named: Sequence[str],
    query: str,
    decks: Sequence[str],
    game: str | None,
    db: Path | None,
) -> list[Card]:
    """Every card once, in the order asked for; what is no card is reported.

    None where a text can be any of several cards: the label of a guess would be linked.
    """
    meant = [
        *_named(report, index, named, game),
        *([card] for card in (_queried(report, index, query, game) if query else ())),
        *(_of_decks(report, decks, db) if decks else ()),
    ]
    if any(len(cards) > 1 for cards in meant):
        return []
    return list({card.id: card for cards in meant for card in cards}.values())


def _named(
    report: Report, index: CardIndex, named: Sequence[str], game: str | None
) -> Iterator[Sequence[Card]]:
    """The cards that each text can mean."""
    for text in named:
        meant = meant_by(index, text, game)
        if len(meant.cards) != 1:
            report.failed(InputError(not_one(index, text, meant, game)))
        yield meant.cards


def _queried(report: Report, index: CardIndex, query: str, game: str | None) -> list[Card]:
    nodes = parse(query, index, collection_terms(index.connection))
    ids = find_ids(index, nodes, game=game, first=query)
    if not ids:
        report.problem(
            Problem(
                Code.NOTHING_FOUND,
                Severity.ERROR,
                f"no card matches {query!r}",
                next_step="the words are those of digideck find; a game is asked for with "
                "game:alpha, or with -g outside the query",
            )
        )
        report.ended(Exit.NO)
    return index.by_ids(ids)


def _of_decks(report: Report, paths: Sequence[str], db: Path | None) -> Iterator[Sequence[Card]]:
    """The cards that each line can mean."""
    reader = Decks(db)
    for path in deck_paths(paths):
        deck = reader.matched(report, path)
        if deck is None:
            report.ended(Exit.UNUSABLE)
            continue
        if deck.unknown:
            report.ended(Exit.UNUSABLE)
        unclear: dict[str, Entry] = {}  # by what is written: asked once, at its first line
        for entry in deck.entries:
            if len(entry.candidates) > 1:
                unclear.setdefault(entry.line.shown, entry)
        for text, entry in unclear.items():
            problem = several_cards(text, entry.candidates)
            report.failed(InputError(problem).at(deck.deck.file, entry.line.line))
        yield from (entry.candidates for entry in deck.entries)
