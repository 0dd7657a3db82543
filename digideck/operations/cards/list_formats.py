"""The formats with their rules, and where each rule is from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from digideck.catalog.cards import CardIndex
from digideck.core.problems import InputError, Problem
from digideck.core.results import Result, json_field
from digideck.decks.rules.rule import Format
from digideck.decks.rules.rule_files import FormatTable
from digideck.schema.connection import closing_connections, open_to_read


class RuleRow(NamedTuple):
    """One rule of a format: ``says`` is the rule in a sentence."""

    id: str
    says: str
    check: str
    source: str
    certainty: str
    assumed: bool


class FormatRow(NamedTuple):
    """A format; ``revised`` dates its rules."""

    code: str
    game: str
    title: str
    revised: str
    notes: tuple[str, ...]
    rules: tuple[RuleRow, ...]

    @classmethod
    def of(cls, entry: Format) -> FormatRow:
        """What is to be told of a format."""
        rules = tuple(
            RuleRow(rule.id, rule.says, rule.check, rule.source, rule.certainty, rule.assumed)
            for rule in entry.rules
        )
        return cls(entry.code, entry.game, entry.title, entry.revised, entry.notes, rules)


@dataclass(frozen=True, slots=True)
class FormatList(Result):
    """The formats that can be read; ``own_folder`` is where the user's own files are."""

    formats: tuple[FormatRow, ...]
    own_folder: str | None = json_field(None)


@closing_connections()
def list_formats(name: str = "", db: Path | None = None) -> FormatList:
    """The format ``name``, or all of them; one that is broken hides no other."""
    connection = open_to_read(db)
    formats = FormatTable(connection, CardIndex(connection).games)
    if name:
        return FormatList((FormatRow.of(formats.get(name)),), None)
    found: list[FormatRow] = []
    problems: list[Problem] = []
    for code in formats.codes:
        try:
            found.append(FormatRow.of(formats.get(code)))
        except InputError as error:
            problems += error.problems
    folder = str(formats.own_folder) if formats.own_folder else None
    return FormatList(tuple(found), folder, problems=tuple(problems))
