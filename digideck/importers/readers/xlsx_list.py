"""Excel workbooks (.xlsx), row by row. Sizes are looked at before anything is unpacked."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO, Any
from xml.etree import ElementTree

from digideck.core.codes import Code
from digideck.core.optional_deps import require
from digideck.core.problems import InputError, Problem, RowError, Severity, input_error
from digideck.files.input import InputFile
from digideck.importers.list_columns import Columns, TitledRows, no_header
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import DAMAGE, Row, Table

LARGEST_UNPACKED = 500_000_000  # bytes, all parts together
LARGEST_STRINGS = 100_000_000  # bytes of the part that is held in memory
HIGHEST_RATIO = 200  # unpacked to packed, from a size on that could hurt
MOST_PARTS = 5_000
_HEADER_WITHIN = 30  # rows from the top
_MERGED = re.compile(rb'<mergeCell [^>]*ref="([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)"')
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ZEROS = re.compile(r"(0{2,})")


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether it is a zip archive, which among card lists is a workbook."""
    return sample.data.startswith(b"PK\x03\x04")


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """The rows of each visible sheet that has a header. Raises InputError for a zip bomb."""
    _refuse_bomb(source)
    openpyxl = require("openpyxl", "xlsx", source.name, "reading .xlsx")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that do not matter here
            book = openpyxl.load_workbook(source.rewound(), read_only=True, data_only=False)
    except Exception as error:  # openpyxl raises of all kinds on what is no workbook
        raise _broken(source.name, error) from None
    table = Table(source.name, "xlsx", "Excel workbook", iter(()))
    table.rows = _unbroken(_rows(book, source, columns, table, how.sheet), source.name)
    return table


def _unbroken(rows: Iterator[Row | RowError], file: str) -> Iterator[Row | RowError]:
    """The rows of a workbook, whose damage may show at any of them."""
    try:
        yield from rows
    except InputError:
        raise
    except Exception as error:
        raise _broken(file, error) from None


def _broken(file: str, error: Exception) -> InputError:
    return input_error(
        Code.NOT_XLSX,
        f"not an Excel workbook, or a damaged one: {type(error).__name__}: {error}"[:200],
        file=file,
        next_step="open it in a spreadsheet and save it as .xlsx or CSV",
    )


def _refuse_bomb(source: InputFile) -> None:
    try:
        with zipfile.ZipFile(source.rewound()) as archive:
            parts = archive.infolist()
            _refuse_sizes(source.name, parts)
            for part in parts:
                if part.filename.endswith((".xml", ".rels")):
                    with archive.open(part) as file:
                        _refuse_doctype(source.name, part.filename, file)
            if "[Content_Types].xml" not in archive.namelist():
                raise zipfile.BadZipFile("a zip archive without a workbook in it")
    except InputError:
        raise
    except Exception as error:  # zipfile raises of all kinds on what is damaged
        raise _broken(source.name, error) from None


def _refuse_sizes(file: str, parts: Sequence[zipfile.ZipInfo]) -> None:
    total = sum(part.file_size for part in parts)
    strings = sum(part.file_size for part in parts if part.filename.endswith("sharedStrings.xml"))
    worst = max(
        (part.file_size / max(1, part.compress_size) for part in parts if part.file_size > 10**7),
        default=0,
    )
    if (
        total > LARGEST_UNPACKED
        or strings > LARGEST_STRINGS
        or worst > HIGHEST_RATIO
        or len(parts) > MOST_PARTS
    ):
        raise input_error(
            Code.ZIP_BOMB,
            f"unpacks to {total:,} bytes in {len(parts):,} parts, too much for a card list",
            file=file,
            have=total,
            allowed=LARGEST_UNPACKED,
            next_step="save the list as CSV, which is read row by row",
        )


def _refuse_doctype(file: str, part: str, content: IO[bytes]) -> None:
    """Entities could expand without end; no workbook has any."""
    if b"<!" in content.read(1024).replace(b"<!--", b""):
        raise input_error(
            Code.XML_ENTITIES,
            f"{part} declares a document type, which no workbook does",
            file=file,
            next_step="save it anew with a spreadsheet program",
        )


def _rows(
    book: Any, source: InputFile, columns: Columns, table: Table, wanted: str | None
) -> Iterator[Row | RowError]:
    names = [sheet.title for sheet in book.worksheets]
    if wanted and wanted not in names:
        raise input_error(
            Code.UNKNOWN_SHEET,
            f"no sheet is called {wanted!r}",
            file=source.name,
            next_step=f"one of: {', '.join(names)}",
        )
    read_sheets, merges = [], _merged_cells(source, names)
    for sheet in book.worksheets:
        if wanted and sheet.title != wanted:
            continue
        if sheet.sheet_state != "visible" and not wanted:
            _note(
                table,
                Code.SHEET_HIDDEN,
                f"the sheet {sheet.title!r} is hidden and was left out",
                f"--sheet '{sheet.title}' imports it",
            )
            continue
        found = _find_header(sheet, columns)
        if found is None:
            _note(
                table,
                Code.SHEET_IGNORED,
                f"the sheet {sheet.title!r} has no header with a number",
                None,
            )
            continue
        read_sheets.append(sheet.title)
        yield from _sheet_rows(sheet, found, columns, table, merges.get(sheet.title, []))
    if not read_sheets:
        raise no_header(source.name)


def _note(table: Table, code: Code, message: str, next_step: str | None) -> None:
    table.notes.append(Problem(code, Severity.WARNING, message, table.file, next_step=next_step))


def _find_header(sheet: Any, columns: Columns) -> tuple[int, list[str]] | None:
    for place, cells in enumerate(sheet.iter_rows(max_row=_HEADER_WITHIN), start=1):
        titles = [str(cell.value) if cell.value is not None else "" for cell in cells]
        if columns.rate(titles):
            return place, titles
    return None


def _sheet_rows(
    sheet: Any,
    found: tuple[int, list[str]],
    columns: Columns,
    table: Table,
    merges: list[tuple[str, int, int]],
) -> Iterator[Row | RowError]:
    place, titles = found
    rows = TitledRows(titles, columns, table, place, sheet.title)
    numbers = [at for at, column in rows.places if column == "number"]
    for ref, first, last in merges:
        if first <= place <= last:
            yield RowError(
                Code.HEADER_MERGED,
                f"merged cells in the header: {ref}",
                "unmerge them, so that each column has a title of its own",
                line=place,
                part=sheet.title,
            )
        elif first > place:
            _note(
                table,
                Code.CELLS_MERGED,
                f"merged cells {sheet.title}!{ref}: only the first of them holds the value",
                "unmerge them if each row should have it",
            )
    for line, cells in enumerate(sheet.iter_rows(min_row=place + 1), start=place + 1):
        texts = [_text(cell, at in numbers) for at, cell in enumerate(cells)]
        row = rows.row(line, texts)
        if row.values:
            yield row


def _text(cell: Any, is_number: bool) -> str:
    """A cell as text, with no guess: what the file keeps as a date or a number may have
    been something else before.
    """
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        shown = value.isoformat()[:10] if isinstance(value, datetime.date) else str(value)
        return f"{DAMAGE}{shown} is a date, which a spreadsheet made of what was typed"
    if isinstance(value, int | float):
        return _figure(value, cell.number_format or "", is_number)
    if cell.data_type == "e":
        return f"{DAMAGE}{value} is a spreadsheet's error, not a value"
    if cell.data_type == "f" or not isinstance(value, str):
        return f"{DAMAGE}{str(value)[:40]} is a formula, not a value"
    return value


def _figure(value: float, number_format: str, is_number: bool) -> str:
    if value == int(value) and abs(value) < 10**15:
        text = str(int(value))
        shown = _ZEROS.fullmatch(number_format)
        if shown:  # shown as 007 by its format
            return text.zfill(len(shown[1]))
        if is_number and len(text) >= 12:
            return f"{DAMAGE}{text} is a number that a spreadsheet may have rounded"
        return text
    return repr(value)


def _merged_cells(source: InputFile, names: Sequence[str]) -> dict[str, list[tuple[str, int, int]]]:
    """Reference, first and last row of each sheet's merged cells, which reading by rows skips."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    with zipfile.ZipFile(source.rewound()) as archive:
        for name, part in _sheet_parts(archive).items():
            if name in names and part in archive.namelist():
                with archive.open(part) as file:
                    found[name] = list(_merges(file))
    return found


def _sheet_parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """The part of each sheet by its title."""
    try:
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    except (KeyError, ElementTree.ParseError):
        return {}
    targets = {entry.get("Id"): entry.get("Target", "") for entry in relations}
    parts = {}
    for sheet in book.iter():
        if sheet.tag.endswith("}sheet"):
            target = targets.get(sheet.get(_RELATION), "")
            parts[sheet.get("name", "")] = (
                target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            )
    return parts


def _merges(file: IO[bytes]) -> Iterator[tuple[str, int, int]]:
    tail = b""
    while chunk := file.read(1 << 20):
        text = tail + chunk
        end = 0
        for match in _MERGED.finditer(text):
            left, top, right, bottom = (part.decode() for part in match.groups())
            yield f"{left}{top}:{right}{bottom}", int(top), int(bottom)
            end = match.end()
        tail = text[max(end, len(text) - 200) :]
