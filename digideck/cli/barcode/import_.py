"""``digideck barcode import``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.cli.barcode.profile_conflicts import alike_profiles
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.render.output import command
from digideck.core.codes import Code
from digideck.core.problems import InputError
from digideck.core.text import pluralize, shown_path
from digideck.files.input import decode, read_bytes
from digideck.scan.store.link_files import form_of, merge, read_lines
from digideck.scan.store.links import Link, add_links, cards_by_code
from digideck.schema.connection import open_to_write, transaction

LARGEST_FILE = 50_000_000  # bytes
_CONFLICTS = (Code.LINK_CONFLICT, Code.PROFILE_TOO_ALIKE)


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change, write nothing.")
    ] = False,
    game: GameOption = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Reads what barcode export writes, YAML or CSV. Lines that fit are taken; a code
    that is linked to another card here is shown, and your link stays as it is.

    Exit codes: 1 there are such conflicts, 3 a line cannot be used, 4 a card in it
    can be any of several.
    """
    with command("barcode import", json) as report:
        shown = shown_path(file)
        data = read_bytes(file, limit=LARGEST_FILE, what="a file of links")
        text, _ = decode(data, file=shown, encoding=encoding or None)
        lines = read_lines(text, shown, form_of(text, file))
        index = CardIndex(open_to_write(db))
        wanted = check_game(index, game)
        with transaction(index.connection):
            merged = merge(lines, shown, index, cards_by_code(index.connection), wanted)
            alike = alike_profiles(
                index, merged.new, cards_by_code(index.connection), shown, merged.lines
            )
            merged.new[:] = [(code, card) for code, card in merged.new if code not in alike]
            merged.problems.extend(alike.values())
            if not dry_run:
                add_links(index.connection, (Link(code, card, shown) for code, card in merged.new))
        conflicts = sum(problem.code in _CONFLICTS for problem in merged.problems)
        report.data = {
            "file": shown,
            "new": [
                {"code": code.written, "card": index.by_ids([card])[0].key}
                for code, card in merged.new
            ],
            "known": merged.known,
            "conflicts": conflicts,
            "refused": len(merged.problems) - conflicts,
        }
        in_order = sorted(merged.problems, key=lambda problem: problem.line or 0)
        report.failed(InputError(*in_order), no=_CONFLICTS)
        refused = f", {report.data['refused']:,} refused" if report.data["refused"] else ""
        report.say(
            f"{shown}: {pluralize(len(merged.new), 'new link')}, {merged.known:,} known, "
            f"{pluralize(conflicts, 'conflict')}{refused}"
        )
        if dry_run:
            report.say("Nothing was written (--dry-run).")
