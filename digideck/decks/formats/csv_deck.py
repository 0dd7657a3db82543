"""A deck as CSV: a header row names the columns, each further row is a card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from digideck.catalog.mention_text import clean
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import Problem, Severity, input_error
from digideck.decks.formats.deck_file_format import Written, known_zone
from digideck.decks.model import MAIN, MOST_ON_A_LINE, Deck, DeckLine, DeckVocabulary
from digideck.decks.parse.text_deck import card_line, numbered_line, shown_count, unreadable_line

_DELIMITERS = ",;\t|"
_HEADER_WITHIN = 30  # lines from the top
_WIDEST_FIELD = 100_000  # characters
_COUNT = re.compile(r"[xX×]?\s*([-+]?[0-9]{1,40})(?:\.0+)?\s*[xX×]?")
_COLUMNS = ("count", "number", "name", "zone", "set", "game")
# What the columns are called; spaces, case, dashes and underscores do not count.
_ALIASES = {
    "count": ("count", "quantity", "qty", "copies", "amount", "card count", "枚数"),
    "number": ("number", "card number", "card no", "no", "card id", "id", "番号", "カード番号"),
    "name": ("name", "card name", "card", "simple name", "名前", "カード名"),
    "zone": ("zone", "section", "board", "deck", "ゾーン"),
    "set": ("set", "set code", "setcode", "expansion", "セット", "収録"),
    "variant": ("variant", "printing mark"),
    "edition": ("edition", "print", "region"),
    "game": ("game", "product line"),
}
_NAMES = {search_key(alias): column for column, names in _ALIASES.items() for alias in names}


def recognise_csv(text: str) -> bool:
    """Whether one of the first lines is a header: a card's number or name, and one column more."""
    return _header(text.splitlines()[:_HEADER_WITHIN]) is not None


def _header(lines: Sequence[str]) -> tuple[int, str, list[str]] | None:
    """The place of the header, its delimiter and its columns. Only a header decides on the
    delimiter, since names hold anything.
    """
    for place, line in enumerate(lines):
        if line.lstrip().startswith(("#", "//")):
            continue
        for delimiter in _DELIMITERS:
            if delimiter in line and len(line) < 2000:
                columns = [_NAMES.get(search_key(cell), "") for cell in _cells(line, delimiter)]
                known = set(filter(None, columns))
                if len(known) > 1 and known & {"number", "name"}:
                    return place, delimiter, columns
    return None


def _cells(line: str, delimiter: str) -> list[str]:
    import csv

    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def read_csv_deck(text: str, file: str, words: DeckVocabulary) -> Deck:
    """The deck in the rows below the header. Raises InputError without one."""
    lines = text.splitlines(keepends=True)
    header = _header(lines[:_HEADER_WITHIN])
    if header is None:
        raise input_error(
            Code.NO_HEADER,
            "no header row with a column for the card's number or name",
            file=file,
            next_step="add a first row such as: count,number,name,zone",
        )
    place, delimiter, columns = header
    twice = [name for name in filter(None, columns) if columns.count(name) > 1]
    if twice:
        raise input_error(
            Code.COLUMN_TWICE,
            f"two columns mean {twice[0]}",
            file=file,
            line=place + 1,
            next_step="take one of them out",
        )
    reader = _Rows(file, words)
    for number, values in _rows(lines[place + 1 :], place + 1, delimiter, columns, reader):
        reader.read(number, values)
    reader.say_zeros()
    games = {line.game for line in reader.lines}
    if len(games) == 1 and None not in games:  # the game of the deck, not of each line
        details = {"game": games.pop() or ""}
        same = tuple(replace(line, game=None) for line in reader.lines)
        return Deck(file, same, tuple(reader.problems), details)
    return Deck(file, tuple(reader.lines), tuple(reader.problems))


def _rows(
    lines: list[str], offset: int, delimiter: str, columns: list[str], rows: _Rows
) -> Iterator[tuple[int, dict[str, str]]]:
    import csv

    csv.field_size_limit(_WIDEST_FIELD)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = offset + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            rows.broken(start, f"not CSV: {error}")
            if "end of data" in str(error):
                return
            continue
        if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
            continue
        if any(cell.strip() for cell in cells[len(columns) :]):
            rows.broken(start, f"{len(cells)} values for {len(columns)} columns")
            continue
        yield (
            start,
            {column: clean(cell) for column, cell in zip(columns, cells, strict=False) if column},
        )


class _Rows:
    """Turns rows into lines; what cannot be read becomes a problem."""

    def __init__(self, file: str, words: DeckVocabulary) -> None:
        self.file = file
        self.words = words
        self.lines: list[DeckLine] = []
        self.problems: list[Problem] = []
        self.zones: dict[str, str] = {}
        self.zeros = 0

    def broken(self, place: int, message: str) -> None:
        self.problems.append(
            Problem(
                Code.ROW_UNREADABLE,
                Severity.ERROR,
                message,
                self.file,
                place,
                next_step="put quotes around values that hold the delimiter or a quote",
            )
        )

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
        number, name = values.get("number", ""), values.get("name", "")
        if number:
            game = values.get("game", "")
            prefix = f"{game}/" if game in self.words.games and "/" not in number else ""
            marked = f"{prefix}{number}{values.get('variant', '')}"
            return numbered_line(
                count,
                marked,
                self.words,
                name=name,
                zone=zone,
                place=place,
                set_code=values.get("set"),
                edition=values.get("edition") or None,
            )
        line = card_line(f"{count} {name}", self.words, zone=zone, place=place) if name else None
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
    import csv
    import io

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
