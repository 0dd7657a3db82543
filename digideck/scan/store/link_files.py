"""Links as files that people share and merge: YAML, one code a line, or CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import one_card
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.strict_yaml import load
from digideck.core.suggestions import no_such
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.store.links import Barcode, checked_code, escaped, kind_named, unescaped

YAML, CSV = "yaml", "csv"
ENDINGS = {".yaml": YAML, ".yml": YAML, ".csv": CSV}
_HEADER = "# Barcodes and the cards they are on. Lines can be added, taken out and merged.\n"
_COLUMNS = ("kind", "payload", "cards")
_LINKS = re.compile("^links:", re.MULTILINE)  # so does a YAML file begin, after comments
_SEPARATOR = ";"  # between the cards of a code that is on several


@dataclass(frozen=True, slots=True)
class LinkLine:
    """What one line of a file says: a code and the cards it is on, as written there."""

    number: int
    kind: str
    payload: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """What a file adds: new links as (code, card id), how many are known, what is wrong.

    ``lines`` has the line of each code, the first where it has several.
    """

    new: list[tuple[Barcode, int]]
    known: int
    problems: list[Problem]
    lines: dict[Barcode, int]


def write_links(codes: Mapping[Barcode, Sequence[str]], form: str) -> str:
    """The file with ``codes`` and the keys of their cards, ordered, one code a line."""
    ordered = sorted(codes.items())
    if form == CSV:
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for code, cards in ordered:
            listed = f"{_SEPARATOR} ".join(cards)
            writer.writerow([code.kind, escaped(code.payload), listed])
        return out.getvalue()
    lines = (
        f"- {{kind: {_quoted(code.kind)}, payload: {_quoted(escaped(code.payload))}, "
        f"cards: [{', '.join(map(_quoted, cards))}]}}\n"
        for code, cards in ordered
    )
    return f"{_HEADER}links:{'' if codes else ' []'}\n{''.join(lines)}"


def _quoted(text: str) -> str:
    """``text`` as a double-quoted string, which in YAML is written as in JSON."""
    return json.dumps(text, ensure_ascii=False)


def read_lines(text: str, file: str, form: str) -> list[LinkLine]:
    """The lines of a file. Raises InputError for what has not the form of such a file."""
    return _csv_lines(text, file) if form == CSV else _yaml_lines(text, file)


def form_of(text: str, file: str = "") -> str:
    """The form that a text is in: as it begins, else as its file's ending says, else YAML."""
    first = text.lstrip("\ufeff").partition("\n")[0].strip()
    if first.replace('"', "").lower().startswith("kind,payload"):
        return CSV
    if _LINKS.search(text):
        return YAML
    return ENDINGS.get(PurePath(file).suffix.lower(), YAML)


def _csv_lines(text: str, file: str) -> list[LinkLine]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    lines = []
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        if tuple(header) != _COLUMNS:
            raise input_error(
                Code.WRONG_COLUMNS,
                f"columns {', '.join(header)}" if header else "no columns",
                file=file,
                line=1,
                allowed=", ".join(_COLUMNS),
                next_step=f"expected {', '.join(_COLUMNS)}",
            )
        for row in reader:
            if any(cell.strip() for cell in row):
                lines.append(_csv_line(row, reader.line_num, file))
    except csv.Error as error:
        raise input_error(
            Code.NOT_CSV, f"not CSV: {error}", file=file, line=reader.line_num
        ) from None  # fmt: skip
    return lines


def _csv_line(row: list[str], number: int, file: str) -> LinkLine:
    if len(row) != len(_COLUMNS):
        raise input_error(
            Code.WRONG_COLUMNS,
            f"{len(row)} cells",
            file=file,
            line=number,
            have=len(row),
            allowed=len(_COLUMNS),
            next_step="fix the line: kind, payload, cards",
        )
    cards = tuple(card.strip() for card in row[2].split(_SEPARATOR) if card.strip())
    return LinkLine(number, row[0].strip(), row[1], cards)


def _yaml_lines(text: str, file: str) -> list[LinkLine]:
    document = load(text, file)
    lines = []
    for entry in document.mappings("links"):
        kind, payload, cards = entry.text("kind"), entry.text("payload"), entry.texts("cards")
        entry.done()
        lines.append(LinkLine(entry.line or 0, str(kind), str(payload), tuple(map(str, cards))))
    document.done()
    return lines


def merge(
    lines: Iterable[LinkLine],
    file: str,
    index: CardIndex,
    linked: Mapping[Barcode, Sequence[int]],
    game: str | None = None,
) -> Merged:
    """What the lines add to the links there are.

    A code that is linked to other cards here, or that two lines give to different
    cards, is a conflict: shown, and nothing of it is taken.
    """
    problems: list[Problem] = []
    wanted: dict[Barcode, list[tuple[LinkLine, tuple[int, ...]]]] = {}
    for line in lines:
        try:
            code = _code(line)
            ids = tuple(one_card(index, card, game).id for card in line.cards)
        except InputError as failure:
            problems += failure.at(file, line.number).problems
            continue
        if ids:
            wanted.setdefault(code, []).append((line, ids))
        else:
            problems.append(_problem(Code.NO_CARDS, "a code without a card", file, line.number))
    new: list[tuple[Barcode, int]] = []
    known = 0
    for code, entries in wanted.items():
        conflict = _conflict(code, entries, file, index, linked.get(code, ()))
        if conflict:
            problems.append(conflict)
            continue
        ids = tuple(dict.fromkeys(card_id for _, ids in entries for card_id in ids))
        known += sum(card_id in linked.get(code, ()) for card_id in ids)
        new += [(code, card_id) for card_id in ids if card_id not in linked.get(code, ())]
    lines_of = {code: entries[0][0].number for code, entries in wanted.items()}
    return Merged(new, known, problems, lines_of)


def _code(line: LinkLine) -> Barcode:
    kind = kind_named(line.kind)
    if kind is None:
        message = f"no kind of code is called {line.kind!r}"
        raise no_such(Code.UNKNOWN_KIND, message, str(line.kind), Symbology)
    return checked_code(kind, unescaped(line.payload))


def _conflict(
    code: Barcode,
    entries: Sequence[tuple[LinkLine, tuple[int, ...]]],
    file: str,
    index: CardIndex,
    linked: Sequence[int],
) -> Problem | None:
    line, first = entries[0]
    for other, ids in entries[1:]:
        if not set(first) & set(ids):
            return _problem(
                Code.LINK_CONFLICT,
                f"{code.short} is {_named(index, first)} in line {line.number}, but "
                f"{_named(index, ids)} here",
                file,
                other.number,
                "keep one of the lines, or name both cards in one line",
            )
    theirs = {card_id for _, ids in entries for card_id in ids}
    if linked and not theirs & set(linked):
        return _problem(
            Code.LINK_CONFLICT,
            f"{code.short} is {_named(index, sorted(theirs))} here, but "
            f"{_named(index, linked)} in the database",
            file,
            line.number,
            f"if the file is right: digideck barcode unlink {code.typed}, then import again",
        )
    return None


def _named(index: CardIndex, ids: Sequence[int]) -> str:
    return " and ".join(f"{card.key} {card.name}" for card in index.by_ids(ids))


def _problem(code: Code, message: str, file: str, line: int, next_step: str = "") -> Problem:
    return Problem(code, Severity.ERROR, message, file, line, next_step=next_step or None)
