"""The collection written to a file, in digideck's own form or a program's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.collection.ledger import held
from digideck.collection.list_writer import COLLECTION_FORMATS, left_out, write_collection
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.core.results import Result, json_field
from digideck.core.suggestions import no_such
from digideck.core.text import STDIN, shown_path
from digideck.files.atomic_write import form_by_ending, write_file
from digideck.schema.connection import closing_connections, open_to_read

_ENDINGS = {".csv": "csv", ".json": "json"}


@dataclass(frozen=True, slots=True)
class CollectionExport(Result):
    """What was written; ``text`` where no file was named. ``title`` says the form in words."""

    form: str
    copies: int
    left_out: int
    file: str | None
    text: str | None = json_field("text", optional=True)
    title: str = json_field(None)


def collection_forms() -> dict[str, str]:
    """What a collection can be written as: the code of each form, and its title."""
    return dict(COLLECTION_FORMATS)


@closing_connections()
def export_collection(
    file: str = STDIN,
    *,
    form: str = "",
    excel: bool = False,
    game: str = "",
    force: bool = False,
    db: Path | None = None,
) -> CollectionExport:
    """Write the copies of a game, or all, to a file (``-``: into the result) in ``form``,
    else the one its ending tells. With ``excel`` CSV that is safe in a spreadsheet.
    """
    chosen = form or form_by_ending(Path(file), _ENDINGS, "csv", instead=", or add --to")
    if chosen not in COLLECTION_FORMATS:
        message = f"no form is called {chosen!r}"
        raise no_such(Code.UNKNOWN_FORM, message, chosen, COLLECTION_FORMATS)
    index = CardIndex(open_to_read(db))
    wanted = check_game(index, game)
    holdings = held(index.connection)
    cards = {card.id: card for card in index.by_ids({holding.card_id for holding in holdings})}
    if wanted:
        holdings = {
            holding: count
            for holding, count in holdings.items()
            if cards[holding.card_id].game == wanted
        }
    text = write_collection(holdings, cards, index.games, chosen, excel=excel)
    others = left_out(holdings, cards, chosen)
    title = COLLECTION_FORMATS[chosen]
    problems = []
    if others:
        message = f"{others:,} copies of other games are not in it: {title}"
        problems.append(Problem(Code.LEFT_OUT, Severity.WARNING, message, have=others))
    named = file != STDIN
    if named:
        write_file(Path(file), text, force=force)
    return CollectionExport(
        chosen,
        sum(holdings.values()) - others,
        others,
        shown_path(file) if named else None,
        None if named else text,
        title,
        problems=tuple(problems),
    )
