"""``digideck barcode list``"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, GameOption, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command, table
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity
from digideck.core.text import pluralize
from digideck.scan.store.links import Link, code_named, links
from digideck.schema.connection import open_to_read


def run(
    words: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[CARD|CODE]...", help="Only the links of these."),
    ] = None,
    game: GameOption = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Exit code 1: there are no such links."""
    with command("barcode list", json) as report:
        index = CardIndex(open_to_read(db))
        wanted = check_game(index, game)
        found = list(links(index.connection))
        if words:
            kept = {link for word in words for link in _meant(index, found, word, wanted)}
            found = [link for link in found if link in kept]
        index.by_ids(dict.fromkeys(link.card_id for link in found))
        rows = []
        for link in found:
            (card,) = index.by_ids([link.card_id])
            if wanted in (None, card.game):
                rows.append((link, card))
        report.data["links"] = [
            {
                "code": link.code.written,
                "kind": link.code.kind,
                "payload": link.code.payload,
                "card": card.key,
                "name": card.name if card.names else None,
                "from": link.source,
            }
            for link, card in rows
        ]
        if not rows:
            report.exit_code = Exit.NO
            report.problem(
                Problem(
                    Code.NO_LINKS,
                    Severity.NOTE,
                    "no codes are linked" + (" to these" if words else ""),
                    next_step="digideck barcode link CODE CARD links one",
                )
            )
            return
        lines = [(link.code.short, card.key, card.name, link.source) for link, card in rows]
        for line in table(lines, ("code", "card", "name", "from")):
            report.say(line)
        report.say(pluralize(len(rows), "link"))


def _meant(index: CardIndex, all_links: list[Link], word: str, game: str | None) -> list[Link]:
    """The links of what a word means: a code, else every card of this number or name."""
    try:
        code = code_named(index.connection, word)
    except InputError:
        code = None
    found = [link for link in all_links if link.code == code]
    ids = {card.id for card in index.meant_by(word, game)}
    return found or [link for link in all_links if link.card_id in ids]
