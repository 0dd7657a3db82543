"""``digideck formats``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from digideck.cli.options import Db, Json
from digideck.cli.render.output import command
from digideck.operations.cards.list_formats import FormatRow, list_formats


def run(
    name: Annotated[str, typer.Argument(metavar="[FORMAT]", help="Only this format.")] = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """With a FORMAT: each of its rules in a sentence, with its source and how
    sure it is.
    """
    with command("formats", json) as report:
        found = list_formats(name, db)
        report.show(found)
        if name:
            for line in _details(found.formats[0]):
                report.say(line)
            return
        rows = [(entry.code, entry.game, entry.title, entry.revised) for entry in found.formats]
        report.table(rows, ("format", "game", "title", "rules of"), texts=(2,))
        report.say("digideck formats FORMAT shows its rules.")
        if found.own_folder:
            report.say(f"Formats of your own are YAML files in {found.own_folder}")


def _details(entry: FormatRow) -> Iterator[str]:
    yield f"{entry.code}: {entry.title} (game {entry.game}, rules of {entry.revised})"
    for rule in entry.rules:
        yield f"  {rule.says}"
        assumed = ", assumed" if rule.assumed else ""
        yield f"      {rule.id}; {rule.certainty}{assumed}; source: {rule.source}"
    for note in entry.notes:
        yield f"  Note: {note}"
