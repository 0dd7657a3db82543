"""``digideck formats``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from digideck.catalog.cards import CardIndex
from digideck.cli.options import Db, Json
from digideck.cli.render.output import Report, command, table
from digideck.core.problems import InputError
from digideck.decks.rules.rule import Format
from digideck.decks.rules.rule_files import FormatTable
from digideck.schema.connection import open_to_read


def run(
    name: Annotated[str, typer.Argument(metavar="[FORMAT]", help="Only this format.")] = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """With a FORMAT: each of its rules in a sentence, with its source and how
    sure it is.
    """
    with command("formats", json) as report:
        connection = open_to_read(db)
        index = CardIndex(connection)
        formats = FormatTable(connection, index.games)
        chosen = [formats.get(name)] if name else list(_all(report, formats))
        report.data["formats"] = [_as_json(entry) for entry in chosen]
        if name:
            for line in _details(chosen[0]):
                report.say(line)
            return
        rows = [(entry.code, entry.game, entry.title, entry.revised) for entry in chosen]
        for line in table(rows, ("format", "game", "title", "rules of"), texts=(2,)):
            report.say(line)
        report.say("digideck formats FORMAT shows its rules.")
        if formats.own_folder:
            report.say(f"Formats of your own are YAML files in {formats.own_folder}")


def _all(report: Report, formats: FormatTable) -> Iterator[Format]:
    """Every format; one of the user's own that is broken hides no other."""
    for code in formats.codes:
        try:
            yield formats.get(code)
        except InputError as error:
            report.failed(error)


def _details(entry: Format) -> Iterator[str]:
    yield f"{entry.code}: {entry.title} (game {entry.game}, rules of {entry.revised})"
    for rule in entry.rules:
        yield f"  {rule.says}"
        assumed = ", assumed" if rule.assumed else ""
        yield f"      {rule.id}; {rule.certainty}{assumed}; source: {rule.source}"
    for note in entry.notes:
        yield f"  Note: {note}"


def _as_json(entry: Format) -> dict[str, Any]:
    return {
        "code": entry.code,
        "game": entry.game,
        "title": entry.title,
        "revised": entry.revised,
        "notes": list(entry.notes),
        "rules": [
            {
                "id": rule.id,
                "says": rule.says,
                "check": rule.check,
                "source": rule.source,
                "certainty": rule.certainty,
                "assumed": rule.assumed,
            }
            for rule in entry.rules
        ],
    }
