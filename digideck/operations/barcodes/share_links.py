"""Links as files that people share: written, and merged into those there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.results import Result, json_field
from digideck.core.text import STDIN, shown_path
from digideck.files.atomic_write import form_by_ending, write_file
from digideck.files.input import read_text
from digideck.scan.match.profile_conflicts import profile_conflicts
from digideck.scan.store.link_files import (
    CSV,
    ENDINGS,
    YAML,
    form_of,
    merge,
    read_lines,
    write_links,
)
from digideck.scan.store.links import Link, add_links, cards_by_code
from digideck.schema.connection import (
    closing_connections,
    open_to_read,
    open_to_write,
    transaction,
)

LARGEST_FILE = 50_000_000  # bytes


@dataclass(frozen=True, slots=True)
class ExportedLinks(Result):
    """The form ("yaml", "csv") and the number of codes; the file, or the text where none
    is named.
    """

    form: str
    codes: int
    file: str | None
    text: str | None = json_field("text", optional=True)


@closing_connections()
def export_links(
    file: str = STDIN,
    *,
    form: str = "",
    force: bool = False,
    game: str = "",
    db: Path | None = None,
) -> ExportedLinks:
    """Write the links to ``file``, in the form named or in that of its ending."""
    chosen = _form(file, form)
    index = CardIndex(open_to_read(db))
    wanted = check_game(index, game)
    codes = {}
    for code, ids in cards_by_code(index.connection).items():
        keys = [card.key for card in index.by_ids(ids) if wanted in (None, card.game)]
        if keys:
            codes[code] = sorted(keys)
    text = write_links(codes, chosen)
    if file == STDIN:
        return ExportedLinks(chosen, len(codes), None, text)
    write_file(Path(file), text, force=force)
    return ExportedLinks(chosen, len(codes), shown_path(file), None)


def _form(file: str, named: str) -> str:
    """The form that is named, else that of the file's ending."""
    if named in (YAML, CSV):
        return named
    if named:
        raise input_error(
            Code.UNKNOWN_FORM,
            f"no form is called {named!r}",
            allowed="yaml, csv",
            next_step="one of: yaml, csv",
        )
    return form_by_ending(Path(file), ENDINGS, YAML, instead=", or add --to")


@dataclass(frozen=True, slots=True)
class NewLink:
    """A code and the card that it was linked to."""

    code: str
    card: str


@dataclass(frozen=True, slots=True)
class ImportedLinks(Result):
    """What a file added: its new links, and how many are known, conflict or are refused."""

    no = (Code.LINK_CONFLICT, Code.PROFILE_TOO_ALIKE)
    file: str
    new: tuple[NewLink, ...]
    known: int
    conflicts: int
    refused: int


@closing_connections()
def import_links(
    file: str,
    *,
    dry_run: bool = False,
    game: str = "",
    encoding: str = "",
    db: Path | None = None,
) -> ImportedLinks:
    """Take the links of a file that fit. A code that is linked to another card stays as it is."""
    shown = shown_path(file)
    text, _ = read_text(file, limit=LARGEST_FILE, what="a file of links", encoding=encoding or None)
    lines = read_lines(text, shown, form_of(text, file))
    index = CardIndex(open_to_write(db))
    wanted = check_game(index, game)
    with transaction(index.connection):
        linked = cards_by_code(index.connection)
        merged = merge(lines, shown, index, linked, wanted)
        alike = profile_conflicts(index, merged.new, linked, shown, merged.lines)
        new = [(code, card_id) for code, card_id in merged.new if code not in alike]
        if not dry_run:
            add_links(index.connection, (Link(code, card_id, shown) for code, card_id in new))
    problems = sorted((*merged.problems, *alike.values()), key=lambda one: one.line or 0)
    conflicts = sum(problem.code in ImportedLinks.no for problem in problems)
    cards = index.by_ids(card_id for _, card_id in new)
    return ImportedLinks(
        shown,
        tuple(NewLink(code.written, card.key) for (code, _), card in zip(new, cards, strict=True)),
        merged.known,
        conflicts,
        len(problems) - conflicts,
        problems=tuple(problems),
    )
