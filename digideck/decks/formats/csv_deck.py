"""A deck as CSV: a header row names the columns, each further row is a card."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace

from digideck.catalog.mention_text import clean
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity, input_error
from digideck.decks.formats.deck_file_format import Written, known_zone
from digideck.decks.model import MAIN, MOST_ON_A_LINE, Deck, DeckLine, DeckVocabulary
from digideck.decks.parse.text_deck import card_line, numbered_line, shown_count, unreadable_line
from digideck.files.columns import NAMES, HeaderWords
from digideck.files.tables import DelimitedTable

_COUNT = re.compile(r"[xX×]?\s*([-+]?[0-9]{1,40})(?:\.0+)?\s*[xX×]?")
_COLUMNS = ("count", "number", "name", "zone", "set", "game")
WORDS = HeaderWords((*_COLUMNS, *NAMES[1:], "variant", "edition"))


def recognise_csv(text: str) -> bool:
    """Whether one of the first lines is a header: a card's number or name, and one column more."""
    return DelimitedTable(io.StringIO(text, newline=""), "", _rate).header is not None


def _rate(titles: Sequence[str]) -> int:
    known = WORDS.columns_of(titles)
    return len(known) if len(known) > 1 and known & {"number", *NAMES} else 0


def read_csv_deck(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in the rows below the header. Raises InputError without one."""
    table = DelimitedTable(io.StringIO(text, newline=""), file, _rate)
    if table.header is None:
        raise input_error(
            Code.NO_HEADER,
            "no header row with a column for the card's number or name",
            file=file,
            next_step="add a first row such as: count,number,name,zone",
        )
    columns = WORDS.header(table.header.titles, file, table.header.place + 1)
    reader = _Rows(file, words)

    def row(line: int, cells: Sequence[str]) -> None:
        pairs = zip(columns, cells, strict=False)
        values = {column: clean(cell) for column, cell in pairs if column}
        values["name"] = next(filter(None, map(values.get, NAMES)), "")
        reader.read(line, values)

    for found in table.rows(row):
        if found:
            reader.problems.append(found.problem(file))
    reader.say_zeros()
    games = {line.game for line in reader.lines}
    if len(games) == 1 and None not in games:  # the game of the deck, not of each line
        details = {"game": games.pop() or ""}
        same = tuple(replace(line, game=None) for line in reader.lines)
        return Deck(file, same, tuple(reader.problems), details)
    return Deck(file, tuple(reader.lines), tuple(reader.problems))


class _Rows:
    """Turns rows into lines; what cannot be read becomes a problem."""

    def __init__(self, file: str, words: DeckVocabulary) -> None:
        self.file = file
        self.words = words
        self.lines: list[DeckLine] = []
        self.problems: list[Problem] = []
        self.zones: dict[str, str] = {}
        self.zeros = 0

    def read(self, place: int, values: dict[str, str]) -> None:
        count_text = values.get("count") or "1"
        match = _COUNT.fullmatch(count_text)
        shown = " ".join(filter(None, (values.get("number"), values.get("name"))))
        count = int(match[1]) if match else 0
        if not match:
            self.unreadable(place, shown, f"{count_text!r} is no whole number of copies")
        elif count == 0:
            self.zeros += 1
        elif not 1 <= count <= MOST_ON_A_LINE:
            self.unreadable(place, shown, f"a count of {shown_count(count)}")
        else:
            line = self.line(place, count, values)
            if line:
                self.lines.append(line)
            else:
                self.unreadable(place, shown, "no card name or number")

    def line(self, place: int, count: int, values: dict[str, str]) -> DeckLine | None:
        zone = self.zone(values.get("zone", ""), place)
        number, name = values.get("number", ""), values["name"]
        line: DeckLine | None
        if number:
            game = values.get("game", "")
            prefix = f"{game}/" if game in self.words.games and "/" not in number else ""
            marked = f"{prefix}{number}{values.get('variant', '')}"
            edition = values.get("edition") or None
            line = numbered_line(
                count, marked, self.words, name=name, zone=zone, place=place, edition=edition
            )
        else:
            text = f"{count} {name}" if name else ""
            line = card_line(text, self.words, zone=zone, place=place)
        return replace(line, set_code=values.get("set") or None) if line else None

    def zone(self, name: str, place: int) -> str:
        """The zone of a row; a name that means none is said once."""
        if name not in self.zones:
            self.zones[name], problem = known_zone(name, self.words, MAIN, self.file, place)
            if problem:
                self.problems.append(problem)
        return self.zones[name]

    def unreadable(self, place: int, text: str, reason: str) -> None:
        self.problems.append(unreadable_line(self.file, place, text, reason))

    def say_zeros(self) -> None:
        """Collection exports have a row for every card, owned or not."""
        if self.zeros:
            self.problems.append(
                Problem(
                    Code.ROWS_OF_NONE,
                    Severity.NOTE,
                    f"{self.zeros:,} rows with a count of 0 are left out",
                    self.file,
                )
            )


def write_csv_deck(deck: Deck, words: DeckVocabulary) -> Written:
    """A row for each line; the number carries its printing and edition."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    game = deck.details.get("game", "")
    for line in deck.lines:
        line_game = line.game or game
        writer.writerow(
            (line.count, line.full_number, line.name, line.zone, line.set_code or "", line_game)
        )
    return Written(out.getvalue())
