"""``digideck barcode import``"""

from __future__ import annotations

from typing import Annotated

import typer

from digideck.cli.exits import Exit, worst
from digideck.cli.options import Db, Encoding, GameOption, Json
from digideck.cli.output import command, counted
from digideck.cli.resolve import check_game
from digideck.scan.link_files import Merged, form_of, merge, read_lines
from digideck.scan.links import Code, Link, add_links, cards_by_code
from digideck.scan.symbologies import Symbology
from digideck.schema.cards import CardIndex
from digideck.schema.database import open_to_write, transaction
from digideck.schema.problems import Problem, Severity
from digideck.schema.textfile import decode, read_bytes, shown_path

LARGEST_FILE = 50_000_000  # bytes


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
        lines = read_lines(text, shown, form_of(text))
        index = CardIndex(open_to_write(db))
        wanted = check_game(index, game)
        with transaction(index.connection):
            merged = merge(lines, shown, index, cards_by_code(index.connection), wanted)
            _refuse_alike(index, merged, cards_by_code(index.connection), shown)
            if not dry_run:
                add_links(index.connection, (Link(code, card, shown) for code, card in merged.new))
        conflicts = sum(problem.code == "link-conflict" for problem in merged.problems)
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
        for problem in merged.problems:
            report.problem(problem)
        refused = f", {report.data['refused']:,} refused" if report.data["refused"] else ""
        report.say(
            f"{shown}: {counted(len(merged.new), 'new link')}, {merged.known:,} known, "
            f"{counted(conflicts, 'conflict')}{refused}"
        )
        if dry_run:
            report.say("Nothing was written (--dry-run).")
        report.exit_code = worst(
            [
                Exit.OK,
                *(
                    Exit.NO if problem.code == "link-conflict"
                    else Exit.UNDECIDED if problem.severity is Severity.UNKNOWN
                    else Exit.UNUSABLE
                    for problem in merged.problems
                ),
            ]
        )  # fmt: skip


def _refuse_alike(
    index: CardIndex, merged: Merged, linked: dict[Code, tuple[int, ...]], file: str
) -> None:
    """Take out profiles that could be taken for another card's."""
    if not any(code.kind == Symbology.PROFILE for code, _ in merged.new):
        return
    from digideck.scan.enrol import too_alike
    from digideck.scan.folders import require_libraries

    require_libraries()
    found = too_alike(merged.new, linked)
    cards = {code: index.by_ids(ids) for code, ids in linked.items()}
    for code, card_id in merged.new:
        cards[code] = [*cards.get(code, ()), *index.by_ids([card_id])]
    for code, other in found.items():
        one, two = (" and ".join(card.title for card in cards[of]) for of in (code, other))
        merged.problems.append(
            Problem(
                "link-conflict",
                Severity.ERROR,
                f"the bars of {one} ({code.short}) are those of {two} ({other.short}) as far "
                "as can be told; the line is left out",
                file,
                next_step="look which card it is, and mend the line or unlink the other profile",
            )
        )
    merged.new[:] = [(code, card_id) for code, card_id in merged.new if code not in found]
