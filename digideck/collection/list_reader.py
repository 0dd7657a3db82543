"""Collections out of files: whichever program wrote them, rows with their line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from digideck.collection.layouts import ANY, BY_CODE, EXCEL_MARK, IDS_ONLY, LAYOUTS, Layout
from digideck.collection.vocabulary import CONDITIONS
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import Problem, Severity, input_error

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_HEADER_WITHIN = 30  # lines from the top
_WIDEST_FIELD = 100_000  # characters
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_QUANTITY_ID = re.compile(r"([0-9]{1,9})[ \t]+(\S+)")
# "Near Mint Holofoil - Japanese": condition, then finish, then language.
_SELLER_CONDITION = re.compile(r"(.*?)(?:\s+-\s+([^-]+))?")


@dataclass(frozen=True, slots=True)
class Row:
    """What one row says, by the fields of `layouts.FIELDS`; blanks are left out."""

    line: int
    values: dict[str, str]


@dataclass
class Listing:
    """A file's rows. ``reading`` is how it was read, in words."""

    file: str
    layout: Layout
    reading: str
    rows: list[Row]
    ignored: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)


def read_collection(text: str, file: str, encoding: str, delimiter: str | None = None) -> Listing:
    """The rows of a collection file. Raises InputError where none can be told."""
    start = text.lstrip()
    if start.startswith(("{", "[")):
        return _read_json(text, file)
    if not start:
        raise input_error(Code.NO_ROWS, "the file is empty", file=file)
    lines = _quantity_id_lines(text, file)
    return lines or _read_table(text, file, encoding, delimiter)


# --- tables -------------------------------------------------------------------


def _read_table(text: str, file: str, encoding: str, delimiter: str | None) -> Listing:
    place, used, header = _find_header(text, file, delimiter)
    keys = [search_key(title) for title in header]
    layout = _layout(set(keys), file, place)
    columns = _columns(layout, keys, header, file, place)
    ignored = tuple(
        title
        for title, key, column in zip(header, keys, columns, strict=True)
        if title.strip() and column is None and key != EXCEL_MARK and layout is ANY
    )
    reading = f"{layout.title}; {encoding}, columns separated by {DELIMITERS.get(used, used)}"
    listing = Listing(file, layout, reading, [], ignored)
    guarded = EXCEL_MARK in keys
    for row in _rows(text, place, used, columns, listing):
        listing.rows.append(_finished(row, layout, guarded))
    if layout.code == "tcgplayer-pullsheet":
        _drop_trailer(listing)
    return listing


def _find_header(text: str, file: str, delimiter: str | None) -> tuple[int, str, list[str]]:
    """The header's line (from 0), delimiter and titles. Only the header decides on these."""
    lines = text.split("\n", _HEADER_WITHIN)[:_HEADER_WITHIN]
    best: tuple[int, int, str, list[str]] | None = None
    for place, raw in enumerate(lines):
        line = raw.rstrip("\r")
        separator = _SEPARATOR_LINE.fullmatch(line.strip())
        if separator:
            delimiter = delimiter or separator[1]
            continue
        for mark in [delimiter] if delimiter else DELIMITERS:
            titles = _titles(line, mark)
            known = sum(search_key(title) in _KNOWN_TITLES for title in titles)
            if known and _usable(titles) and (best is None or known > best[0]):
                best = (known, place, mark, titles)
        if best:
            return best[1:]
    raise input_error(
        Code.NO_HEADER,
        "no header row that says where card and count are",
        file=file,
        allowed=_accepted(),
        next_step=f"add a first row such as: number,count. {_accepted()}",
    )


def _titles(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _usable(titles: Sequence[str]) -> bool:
    keys = {search_key(title) for title in titles}
    if {search_key(title) for title in IDS_ONLY} <= keys or any(
        layout.tells(keys) for layout in LAYOUTS
    ):
        return True
    card = {search_key(title) for title in (*ANY.columns["number"], *ANY.columns["name"])}
    return bool(keys & card)


def _accepted() -> str:
    titles = ANY.columns
    return (
        f"A column for the card is called one of: {', '.join(titles['number'][:4])}, "
        f"{', '.join(titles['name'][:2])}; one for the copies: {', '.join(titles['count'][:5])}"
    )


def _layout(keys: set[str], file: str, place: int) -> Layout:
    for layout in LAYOUTS:
        if layout.tells(keys):
            return layout
    if {search_key(title) for title in IDS_ONLY} <= keys:
        raise input_error(
            Code.IDS_ONLY,
            "a Cardmarket export that has product ids only: nothing in it names a card",
            file=file,
            line=place + 1,
            next_step="export through a tool that adds the names (Cardmarket PowerTools), "
            "or make a list with number and count",
        )
    if not keys & {search_key(title) for title in ANY.columns["count"]}:
        raise input_error(
            Code.NO_COUNT,
            "no column for the number of copies",
            file=file,
            line=place + 1,
            allowed=", ".join(ANY.columns["count"]),
            next_step=f"call it one of: {', '.join(ANY.columns['count'][:6])}",
        )
    return ANY


def _columns(
    layout: Layout, keys: Sequence[str], header: Sequence[str], file: str, place: int
) -> list[str | None]:
    """The field of each column. Of several titles for a field, the first one serves."""
    columns: list[str | None] = [None] * len(keys)
    for name, titles in layout.columns.items():
        wanted = [search_key(title) for title in titles]
        found = [(wanted.index(key), index) for index, key in enumerate(keys) if key in wanted]
        if not found:
            continue
        found.sort()
        if len(found) > 1 and (layout is ANY or found[0][0] == found[1][0]):
            first, second = (header[index] for _, index in sorted(found[:2], key=lambda f: f[1]))
            raise input_error(
                Code.COLUMN_TWICE,
                f"the columns {first!r} and {second!r} both mean {name}",
                file=file,
                line=place + 1,
                next_step="take one of them out",
            )
        columns[found[0][1]] = name
        for rank, (_, index) in enumerate(found[1:], start=1):
            columns[index] = f"{name} {rank}"  # serves where the first is blank
    return columns


def _rows(
    text: str, header: int, delimiter: str, columns: Sequence[str | None], listing: Listing
) -> Iterator[Row]:
    csv.field_size_limit(_WIDEST_FIELD)
    body = text.split("\n", header + 1)
    if len(body) <= header + 1:
        return
    reader = csv.reader(io.StringIO(body[-1], newline=""), delimiter=delimiter, strict=True)
    while True:
        start = header + 2 + reader.line_num
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            listing.problems.append(_broken(listing.file, start, f"not CSV: {error}"))
            if "end of data" in str(error):
                return
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if any(cell.strip() for cell in cells[len(columns) :]):
            wide = f"{len(cells)} values for {len(columns)} columns"
            listing.problems.append(_broken(listing.file, start, wide))
            continue
        pairs = zip(columns, cells, strict=False)
        yield Row(start, {name: cell for name, cell in pairs if name is not None and cell.strip()})


def _broken(file: str, line: int, message: str) -> Problem:
    return Problem(
        Code.ROW_UNREADABLE,
        Severity.ERROR,
        message,
        file,
        line,
        next_step="put quotes around values that hold the delimiter or a quote",
    )


def _finished(row: Row, layout: Layout, guarded: bool) -> Row:
    values = dict(row.values)
    if guarded:
        values = {name: unguarded(value) for name, value in values.items()}
    for name in list(values):
        base, _, rank = name.partition(" ")
        if rank:
            value = values.pop(name)
            values.setdefault(base, value)
    if layout.code.startswith("tcgplayer-"):
        _split_seller_condition(values)
    if layout.code == "cardmarket-api":
        _name_numbers(values)
    return Row(row.line, values)


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


def _drop_trailer(listing: Listing) -> None:
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


_KNOWN_TITLES = {
    search_key(title)
    for layout in (*LAYOUTS, ANY)
    for titles in (*layout.columns.values(), layout.signs)
    for title in titles
} | {search_key(title) for title in IDS_ONLY}


# --- lines and JSON -------------------------------------------------------------


def _quantity_id_lines(text: str, file: str) -> Listing | None:
    """Lines "3 BT1-001", as digimoncard.app takes them; None for anything else."""
    rows = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = raw.strip()
        if not line or line.startswith(("#", "//")):
            continue
        match = _QUANTITY_ID.fullmatch(line)
        if match is None:
            return None
        rows.append(Row(number, {"count": match[1], "number": match[2]}))
    return Listing(file, BY_CODE["digimoncard-app"], "lines of count and number", rows)


def _read_json(text: str, file: str) -> Listing:
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
    entries: Any, file: str, layout: Layout, reading: str, renamed: dict[str, str] | None = None
) -> Listing:
    if not isinstance(entries, list):
        raise input_error(
            Code.NO_COLLECTION,
            "JSON without a collection",
            file=file,
            allowed="digideck's own export, or a digimoncard.app save with a key collection",
            next_step="expected digideck's own export, or a digimoncard.app save",
        )
    listing = Listing(file, layout, reading, [])
    for place, entry in enumerate(entries, start=1):
        values = _json_values(entry, renamed or {})
        if values is None:
            message = f"entry {place} is not an object of texts and numbers"
            listing.problems.append(Problem(Code.ROW_UNREADABLE, Severity.ERROR, message, file))
        else:
            listing.rows.append(Row(place, values))
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
        values[renamed.get(str(key), str(key))] = str(value)
    if "card" in values:  # game/number@edition
        values["game"], _, rest = values.pop("card").partition("/")
        values["number"], _, values["edition"] = rest.partition("@")
    return {key: text for key, text in values.items() if text}
