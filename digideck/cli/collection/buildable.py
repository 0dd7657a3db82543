"""``digideck collection buildable``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.deck.needs import DeckReader, card_keys, dealt, deck_json, say_missing
from digideck.cli.options import Db, Encoding, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.text import pluralize
from digideck.decks.analysis.needs import deck_files
from digideck.schema.connection import open_to_read

_MOST_LINES = 5  # of a deck's missing cards, unless --all


def run(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder with deck files.")],
    exact: Annotated[
        bool, typer.Option("--exact", help="Only the very number serves where one is written.")
    ] = False,
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the decks.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Print every card that is missing.")
    ] = False,
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Each deck by itself, from all that is owned: the complete ones first, then
    those that lack the fewest cards, with what is missing. To build several at
    once: digideck deck missing.

    Exit code 1: a deck lacks cards.
    """
    with command("collection buildable", json) as report:
        index = CardIndex(open_to_read(db))
        reader = DeckReader(report, index, format_name=format_name, encoding=encoding, exact=exact)
        paths, others = deck_files(folder)
        if others:
            report.problem(
                Problem(
                    Code.NOT_DECKS,
                    Severity.NOTE,
                    f"{pluralize(len(others), 'file')} passed over: the name is not a deck's",
                    have=len(others),
                )
            )
        results = []
        for deck in reader.read(paths):
            supply = dealt(index, [deck])
            results.append((deck_json(deck, supply, 0, card_keys([deck])), deck, supply))
        results.sort(key=lambda result: (result[0]["missing"], result[0]["file"]))
        report.data["decks"] = [entry for entry, _, _ in results]
        for entry, deck, supply in results:
            missing = entry["missing"]
            word = f"{missing} of {deck.cards} missing" if missing else "complete"
            report.say(f"{word}: {deck.deck.file} ({entry['format']}, {deck.cards} cards)")
            say_missing(report, deck, supply, 0, None if everything else _MOST_LINES)
        complete = sum(not entry["missing"] for entry, _, _ in results)
        report.data["complete"] = complete
        report.say(f"{complete} of {pluralize(len(results), 'deck')} can be built")
        if not paths:
            report.problem(
                Problem(Code.NO_DECKS, Severity.ERROR, "no deck file in this folder", folder)
            )
            report.exit_code = Exit.UNUSABLE
        if complete < len(results):
            report.ended(Exit.NO)
