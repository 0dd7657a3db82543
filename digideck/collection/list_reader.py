"""Collections out of files: whichever program wrote them, rows with their line."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from digideck.collection.layouts import (
    ANY,
    BY_CODE,
    EXCEL_MARK,
    FIELDS,
    IDS_ONLY,
    LAYOUTS,
    ListLayout,
)
from digideck.collection.vocabulary import CONDITIONS
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import Problem, RowError, Severity, input_error
from digideck.files.columns import HEADER_WORDS, NAMES, NOTHING, HeaderWords, column_twice
from digideck.files.tables import DelimitedTable

WORDS = HeaderWords((*FIELDS, *NAMES[1:]))
_IDS_ONLY = {search_key(title) for title in IDS_ONLY}
_QUANTITY_ID = re.compile(r"([0-9]{1,9})[ \t]+(\S+)")
# "Near Mint Holofoil - Japanese": condition, then finish, then language.
_SELLER_CONDITION = re.compile(r"(.*?)(?:\s+-\s+([^-]+))?")


@dataclass(frozen=True, slots=True)
class ListRow:
    """What one row says, by the fields of `layouts.FIELDS`; blanks are left out."""

    line: int
    values: dict[str, str]


@dataclass
class CollectionList:
    """A file's rows. ``reading`` is how it was read, in words."""

    file: str
    layout: ListLayout
    reading: str
    rows: list[ListRow]
    ignored: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)


def read_collection(
    text: str, file: str, encoding: str, delimiter: str | None = None
) -> CollectionList:
    """The rows of a collection file. Raises InputError where none can be told."""
    start = text.lstrip()
    if start.startswith(("{", "[")):
        return _read_json(text, file)
    if not start:
        raise input_error(Code.NO_ROWS, "the file is empty", file=file)
    lines = _quantity_id_lines(text, file)
    return lines or _read_table(text, file, encoding, delimiter)


# --- tables -------------------------------------------------------------------


def _read_table(text: str, file: str, encoding: str, delimiter: str | None) -> CollectionList:
    table = DelimitedTable(io.StringIO(text, newline=""), file, _rate, delimiter)
    if table.header is None:
        raise input_error(
            Code.NO_HEADER,
            "no header row that says where card and count are",
            file=file,
            allowed=_accepted(),
            next_step=f"add a first row such as: number,count. {_accepted()}",
        )
    titles, line = table.header.titles, table.header.place + 1
    keys = [search_key(title) for title in titles]
    layout = _layout(set(keys), file, line)
    if layout is ANY:
        columns: Sequence[str] = WORDS.header(titles, file, line)
    else:
        columns = _columns(layout, keys, titles, file, line)
    ignored = tuple(
        title
        for title, key, column in zip(titles, keys, columns, strict=True)
        if title.strip()
        and not (column or key == EXCEL_MARK or WORDS.known(title))
        and layout is ANY
    )
    listing = CollectionList(
        file, layout, f"{layout.title}; {encoding}, {table.words}", [], ignored
    )
    guarded = EXCEL_MARK in keys

    def row(line: int, cells: Sequence[str]) -> ListRow:
        pairs = zip(columns, cells, strict=False)
        values = {column: cell for column, cell in pairs if column and cell.strip()}
        return ListRow(line, _finished(values, layout, guarded))

    for found in table.rows(row):
        if isinstance(found, RowError):
            listing.problems.append(found.problem(file))
        else:
            listing.rows.append(found)
    listing.problems += table.comments_left_out()
    if layout.code == "tcgplayer-pullsheet":
        _drop_trailer(listing)
    return listing


def _rate(titles: Sequence[str]) -> int:
    """How many titles are known, 0 for a row that is no header of a collection."""
    keys = {search_key(title) for title in titles}
    if keys >= _IDS_ONLY or any(layout.tells(keys) for layout in LAYOUTS):
        return len(keys & _KNOWN_TITLES)
    columns = WORDS.columns_of(titles)
    return len(keys & _KNOWN_TITLES) if columns & {"number", *NAMES} else 0


def _accepted() -> str:
    number, name, count = (HEADER_WORDS[column] for column in ("number", "name", "count"))
    return (
        f"A column for the card is called one of: {', '.join(number[:4])}, "
        f"{', '.join(name[:2])}; one for the copies: {', '.join(count[:5])}"
    )


def _layout(keys: set[str], file: str, line: int) -> ListLayout:
    for layout in LAYOUTS:
        if layout.tells(keys):
            return layout
    if keys >= _IDS_ONLY:
        raise input_error(
            Code.IDS_ONLY,
            "a Cardmarket export that has product ids only: nothing in it names a card",
            file=file,
            line=line,
            next_step="export through a tool that adds the names (Cardmarket PowerTools), "
            "or make a list with number and count",
        )
    if not any(WORDS.meanings.get(key) == "count" for key in keys):
        accepted = HEADER_WORDS["count"]
        raise input_error(
            Code.NO_COUNT,
            "no column for the number of copies",
            file=file,
            line=line,
            allowed=", ".join(accepted),
            next_step=f"call it one of: {', '.join(accepted[:6])}",
        )
    return ANY


def _columns(
    layout: ListLayout, keys: Sequence[str], titles: Sequence[str], file: str, line: int
) -> list[str]:
    """The field of each column. Of several titles for a field, the first one serves."""
    columns = [NOTHING] * len(keys)
    for name, accepted in layout.columns.items():
        wanted = [search_key(title) for title in accepted]
        found = sorted((wanted.index(key), at) for at, key in enumerate(keys) if key in wanted)
        if len(found) > 1 and found[0][0] == found[1][0]:
            raise column_twice(titles[found[0][1]], titles[found[1][1]], name, file, line)
        for rank, (_, at) in enumerate(found):
            columns[at] = f"{name} {rank}" if rank else name  # serves where the first is blank
    return columns


def _finished(values: dict[str, str], layout: ListLayout, guarded: bool) -> dict[str, str]:
    if guarded:
        values = {name: unguarded(value) for name, value in values.items()}
    for name in list(values):
        base = "name" if name in NAMES else name.partition(" ")[0]
        if base != name:
            value = values.pop(name)
            values.setdefault(base, value)
    if layout.code.startswith("tcgplayer-"):
        _split_seller_condition(values)
    if layout.code == "cardmarket-api":
        _name_numbers(values)
    return values


def unguarded(value: str) -> str:
    """A cell without the quote that an export for spreadsheets put before it."""
    return value[1:] if value.startswith("'") else value


def _split_seller_condition(values: dict[str, str]) -> None:
    match = _SELLER_CONDITION.fullmatch(values.pop("condition", "").strip())
    if match is None or not match[1]:
        return
    for words in sorted((w for ws in CONDITIONS.values() for w in ws), key=len, reverse=True):
        if match[1].casefold().startswith(words.casefold()):
            values["condition"] = words
            rest = match[1][len(words) :].strip()
            if rest:
                values["finish"] = rest
            break
    else:
        values["condition"] = match[1]
    if match[2]:
        values["language"] = match[2]


# Cardmarket's numbers for languages and conditions.
_LANGUAGE_NUMBERS = {
    "1": "en", "2": "fr", "3": "de", "4": "es", "5": "it", "6": "zh-hans", "7": "ja", "8": "pt",
    "9": "ru", "10": "ko", "11": "zh-hant",
}  # fmt: skip
_CONDITION_NUMBERS = dict(zip("1234567", ("M", "NM", "EX", "GD", "LP", "PL", "PO"), strict=True))


def _name_numbers(values: dict[str, str]) -> None:
    for name, numbers in (("language", _LANGUAGE_NUMBERS), ("condition", _CONDITION_NUMBERS)):
        if name in values:
            values[name] = numbers.get(values[name].strip(), values[name])


def _drop_trailer(listing: CollectionList) -> None:
    """The last line of a PullSheet names the orders it is for."""
    if listing.rows and not {"number", "count"} & listing.rows[-1].values.keys():
        trailer = listing.rows.pop()
        listing.problems.append(
            Problem(
                Code.TRAILER_IGNORED,
                Severity.NOTE,
                "the last line names orders, no card",
                listing.file,
                trailer.line,
            )
        )


_KNOWN_TITLES = (
    {
        search_key(title)
        for layout in LAYOUTS
        for titles in (*layout.columns.values(), layout.signs)
        for title in titles
    }
    | WORDS.meanings.keys()
    | _IDS_ONLY
)


# --- lines and JSON -------------------------------------------------------------


def _quantity_id_lines(text: str, file: str) -> CollectionList | None:
    """Lines "3 BT1-001", as digimoncard.app takes them; None for anything else."""
    rows = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = raw.strip()
        if not line or line.startswith(("#", "//")):
            continue
        match = _QUANTITY_ID.fullmatch(line)
        if match is None:
            return None
        rows.append(ListRow(number, {"count": match[1], "number": match[2]}))
    return CollectionList(file, BY_CODE["digimoncard-app"], "lines of count and number", rows)


def _read_json(text: str, file: str) -> CollectionList:
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise input_error(Code.NOT_JSON, f"not JSON: {error}", file=file, line=line) from None
    entries = content.get("collection") if isinstance(content, dict) else None
    if isinstance(content, dict) and content.get("digideck") == "collection":
        entries = content.get("holdings")
        return _json_rows(entries, file, BY_CODE["csv"], "digideck's own JSON")
    return _json_rows(
        entries, file, BY_CODE["digimoncard-app"], "a digimoncard.app save", {"id": "number"}
    )


def _json_rows(
    entries: Any, file: str, layout: ListLayout, reading: str, renamed: dict[str, str] | None = None
) -> CollectionList:
    if not isinstance(entries, list):
        raise input_error(
            Code.NO_COLLECTION,
            "JSON without a collection",
            file=file,
            allowed="digideck's own export, or a digimoncard.app save with a key collection",
            next_step="expected digideck's own export, or a digimoncard.app save",
        )
    listing = CollectionList(file, layout, reading, [])
    for place, entry in enumerate(entries, start=1):
        values = _json_values(entry, renamed or {})
        if values is None:
            message = f"entry {place} is not an object of texts and numbers"
            listing.problems.append(Problem(Code.ROW_UNREADABLE, Severity.ERROR, message, file))
        else:
            listing.rows.append(ListRow(place, values))
    return listing


def _json_values(entry: Any, renamed: dict[str, str]) -> dict[str, str] | None:
    if not isinstance(entry, dict):
        return None
    values: dict[str, str] = {}
    for key, value in entry.items():
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            return None
        if any("\ud800" <= char <= "\udfff" for char in f"{key}{value}"):
            return None  # half a character is no text
        values[renamed.get(str(key), str(key))] = str(value)
    if "card" in values:  # game/number@edition
        values["game"], _, rest = values.pop("card").partition("/")
        values["number"], _, values["edition"] = rest.partition("@")
    return {key: text for key, text in values.items() if text}
