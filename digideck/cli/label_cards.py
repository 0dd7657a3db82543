"""The cards that labels are made for: named, found by a query, taken by decks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from digideck.cli.decks import Decks, deck_paths
from digideck.cli.exits import Exit
from digideck.cli.output import Report
from digideck.collection.query import collection_terms
from digideck.decks.match import Entry
from digideck.schema.cards import Card, CardIndex
from digideck.schema.problems import Problem, Severity, Unusable
from digideck.schema.query import find_ids, parse
from digideck.schema.resolve import one_card, several_cards


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
    found = [
        *_named(report, index, named, game),
        *(_queried(report, index, query, game) if query else ()),
        *(_of_decks(report, decks, db) if decks else ()),
    ]
    if any(problem.code == "card-ambiguous" for problem in report.problems):
        return []
    return list({card.id: card for card in found}.values())


def _named(
    report: Report, index: CardIndex, named: Sequence[str], game: str | None
) -> Iterator[Card]:
    for text in named:
        try:
            yield one_card(index, text, game)
        except Unusable as error:
            report.failed(error)


def _queried(report: Report, index: CardIndex, query: str, game: str | None) -> list[Card]:
    nodes = parse(query, index, collection_terms(index.connection))
    ids = find_ids(index, nodes, game=game, first=query)
    if not ids:
        report.problem(
            Problem(
                "nothing-found",
                Severity.ERROR,
                f"no card matches {query!r}",
                next_step="the words are those of digideck find; a game is asked for with "
                "game:alpha, or with -g outside the query",
            )
        )
        report.ended(Exit.NO)
    return index.by_ids(ids)


def _of_decks(report: Report, paths: Sequence[str], db: Path | None) -> Iterator[Card]:
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
            problem = several_cards(text, list(entry.candidates))
            report.problem(replace(problem, file=deck.deck.file, line=entry.line.line))
            report.ended(Exit.UNDECIDED)
        yield from (entry.candidates[0] for entry in deck.entries if entry.candidates)
