"""Deck files into the form of another program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, input_error
from digideck.core.results import Answer, answer_of, json_field, worst
from digideck.core.text import STDIN
from digideck.decks.formats.convert import convert
from digideck.decks.formats.deck_file_format import DeckFileFormat
from digideck.decks.formats.registry import DECK_FILE_FORMATS, form_named
from digideck.files.atomic_write import make_folder, write_file
from digideck.operations.decks.deck_request import DeckRequest
from digideck.schema.connection import closing_connections, open_to_read

FORMS = {code: DECK_FILE_FORMATS[code].title for code in sorted(DECK_FILE_FORMATS)}


@dataclass(frozen=True, slots=True)
class ConvertedDeck:
    """A deck with its text in the other form; ``out`` is where that was written, if anywhere."""

    file: str
    read_as: str
    written_as: str
    game: str | None
    cards: int
    details: Mapping[str, str]
    out: Path | None
    text: str


@dataclass(frozen=True, slots=True)
class ConvertedDecks:
    """The decks that could be converted; ``failed`` is the answer for the others."""

    decks: tuple[ConvertedDeck, ...]
    failed: Answer = json_field(None)
    problems: tuple[Problem, ...] = json_field(None, default=())

    @property
    def answer(self) -> Answer:
        """The worst of those of the decks."""
        return self.failed


@closing_connections()
def convert_decks(
    request: DeckRequest,
    to: str,
    *,
    out: Path | None = None,
    force: bool = False,
    game: str = "",
    db: Path | None = None,
) -> ConvertedDecks:
    """Decks in the form ``to`` (of FORMS), their cards looked up in ``game``, else in that
    of the request's format, else in each deck's own. They are written to ``out``, a file,
    or a folder for several decks; with ``force`` in place of files that are there.

    A card that the form cannot hold at all stops its deck, of which nothing is written.
    """
    form = form_named(to)
    reader = request.reader(open_to_read(db))
    wanted = check_game(reader.index, game)
    if request.format:
        wanted = reader.formats.get(request.format).game
    done: list[ConvertedDeck] = []
    problems: list[Problem] = []
    failed = []
    targets = _targets(request.decks, out, form)
    for path, target in zip(request.decks, targets, strict=True):
        try:
            deck = reader.judge.without_title(reader.read(path))
            converted = convert(deck, form, reader.index, reader.words, wanted)
            if target:
                if target != out:  # made only now: where nothing converts, no folder is left
                    make_folder(target.parent)
                write_file(target, converted.text, force=force)
        except InputError as error:
            problems += error.problems
            failed.append(answer_of(error.problems))
            continue
        problems += converted.problems
        done.append(
            ConvertedDeck(
                deck.file,
                deck.form,
                form.code,
                converted.game,
                deck.cards(),
                converted.deck.details,
                target,
                converted.text,
            )
        )
    return ConvertedDecks(tuple(done), worst(failed), tuple(problems))


def _targets(decks: Sequence[str], out: Path | None, form: DeckFileFormat) -> Sequence[Path | None]:
    """Where each deck goes; None is nowhere."""
    if out is None:
        return [None for _ in decks]
    if len(decks) == 1 and not out.is_dir():
        return [out]
    targets = [
        out / f"{Path(path).stem if path != STDIN else 'deck'}{form.extension}" for path in decks
    ]
    twice = next((target for target in targets if targets.count(target) > 1), None)
    if twice:
        raise input_error(
            Code.TARGET_TWICE,
            "two of the decks would be written here",
            file=str(twice),
            next_step="convert them one at a time, with --out FILE",
        )
    return targets
