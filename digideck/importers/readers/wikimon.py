"""wikimon: MediaWiki XML dumps and single wikitext pages with card templates.

{{AE}} an Alpha Digimon, {{CAE}} a Command, {{OAE}} an Option, {{HC}} and {{HCO}}
Digimon and Options of the 1999 game. Only the parameters below are looked at:
effect texts (s1.., b1.., note) never are.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

from digideck.core.codes import Code
from digideck.core.numbers import plain
from digideck.core.optional_deps import require
from digideck.core.problems import InputError, Problem, RowError, Severity, input_error
from digideck.files.columns import NOTHING
from digideck.files.input import InputFile
from digideck.importers.list_columns import TEXT, Columns, note
from digideck.importers.recognise import How, Sample
from digideck.importers.rows import Head, Row, Table

LARGEST_PAGE = 2_000_000  # characters
_CHUNK = 1 << 16
_TEMPLATE = re.compile(r"\{\{\s*(?:AE|CAE|OAE|HC|HCO)\s*(?:\||\}\}|$)", re.MULTILINE)
_REDIRECT = re.compile(r"\s*#(?:REDIRECT|転送)", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_LEVELS = {
    "child": "III", "level iii": "III", "iii": "III", "adult": "IV", "level iv": "IV", "iv": "IV",
    "perfect": "Perfect", "ultimate": "Ultimate", "hybrid": "Hybrid", "baby i": "I", "i": "I",
    "baby ii": "II", "ii": "II", "level iii/iv": "III/IV", "iii/iv": "III/IV",
}  # fmt: skip
_PLAIN = {
    "cs": "cost", "sp": "speed", "hp": "hp", "bt": "battle_type", "apt": "attack_a",
    "bpt": "attack_b", "cpt": "attack_c", "t": "type", "at": "attribute", "f": "field",
}  # fmt: skip
# Names of attacks, qualifiers of links and what the game's fields have no place for.
_LEFT_OUT = {"n2", "x", "series", "a", "b", "c", "g", "ce", "yom", "year"}
_EVOLUTIONS = re.compile(r"e[1-9](?:[abd])?")
_PRINTINGS = re.compile(r"i(?:[2-9])?h")
_TEXTS = re.compile(r"(?:s|b)[0-9]+[a-z]*|note[0-9]*|effect.*")
_COLUMNS = (
    "number", "edition", "game", "set", "name", "kind", "level", "cost", "speed", "battle_type",
    "hp", "attack_a", "attack_b", "attack_c", "field", "type", "attribute", "evolves_from",
)  # fmt: skip


@dataclass(frozen=True)
class _Kind:
    """What a template stands for; ``prefix`` begins the numbers that do not say otherwise,
    which have at least ``digits`` digits.
    """

    game: str
    kind: str
    prefix: str
    digits: int = 0


_KINDS = {
    "AE": _Kind("alpha", "Digimon", "Dα", 3),
    "CAE": _Kind("alpha", "Command", "Cα", 3),
    "OAE": _Kind("alpha", "Option", "Oα", 3),
    "HC": _Kind("hyper-colosseum", "Digimon", ""),
    "HCO": _Kind("hyper-colosseum", "Option", ""),
}


def recognises(sample: Sample, columns: Columns) -> bool:
    """Whether it is a MediaWiki dump, or text with one of the card templates."""
    text = sample.text
    return "<mediawiki" in text[:2000] or bool(_TEMPLATE.search(text))


def read(source: InputFile, columns: Columns, how: How) -> Table:
    """One row a card, two where it has an Asia print."""
    parser = require("mwparserfromhell", "wiki", source.name, "reading wikimon pages")
    is_dump = b"<mediawiki" in source.sample[:4000].replace(b"\0", b"")
    if is_dump:
        words, pages = "MediaWiki XML dump", _dump_pages(source)
    else:
        encoding, how_read = source.encoding(how.encoding)
        words, pages = f"wikitext, {how_read}", _single_page(source, encoding)
    table = Table(source.name, "wikimon", words, iter(()))
    table.rows = _rows(pages, parser, table)
    return table


@dataclass
class _Page:
    line: int
    title: str = ""
    namespace: str = "0"
    text: str = ""


def _single_page(source: InputFile, encoding: str) -> Iterator[_Page]:
    text = source.whole(LARGEST_PAGE, "a wikitext page").decode(encoding)
    yield _Page(1, "", "0", text)


def _dump_pages(source: InputFile) -> Iterator[_Page]:
    reader = _DumpReader(source.name)
    file = source.rewound()
    while True:
        chunk = file.read(_CHUNK)
        place = file.tell()
        reader.feed(chunk)
        yield from reader.pages
        reader.pages.clear()
        file.seek(place)
        if not chunk:
            return


class _DumpReader:
    """Pages off a dump, as expat meets them. Entities are refused before they are defined."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.pages: list[_Page] = []
        self.page: _Page | None = None
        self.parts: list[str] | None = None
        self.size = 0
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.buffer_text = True

    def feed(self, chunk: bytes) -> None:
        try:
            self.parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            raise input_error(
                Code.NOT_XML,
                f"not XML: {expat.ErrorString(error.code)}",
                file=self.file,
                line=error.lineno,
                column=error.offset + 1,
                next_step="export or download the dump again: it may be cut short",
            ) from None

    def _refuse_doctype(self, *_: object) -> None:
        raise input_error(
            Code.XML_ENTITIES,
            "the XML declares a document type, which no MediaWiki dump does",
            file=self.file,
            line=self.parser.CurrentLineNumber,
            next_step="export the pages anew with the wiki's Special:Export",
        )

    def _start(self, tag: str, _: Mapping[str, str]) -> None:
        if tag == "page":
            self.page = _Page(self.parser.CurrentLineNumber)
        elif self.page and tag in ("title", "ns", "text"):
            self.parts, self.size = [], 0
            if tag == "text":
                self.page.line = self.parser.CurrentLineNumber

    def _data(self, data: str) -> None:
        if self.parts is not None:
            self.size += len(data)
            if self.size > LARGEST_PAGE:
                raise self._too_long()
            self.parts.append(data)

    def _too_long(self) -> InputError:
        return input_error(
            Code.PAGE_TOO_LONG,
            f"a page of more than {LARGEST_PAGE:,} characters",
            file=self.file,
            line=self.parser.CurrentLineNumber,
        )

    def _end(self, tag: str) -> None:
        if self.page and self.parts is not None and tag in ("title", "ns", "text"):
            name = {"title": "title", "ns": "namespace", "text": "text"}[tag]
            setattr(self.page, name, "".join(self.parts))
            self.parts = None
        elif tag == "page" and self.page:
            self.pages.append(self.page)
            self.page = None


def _rows(pages: Iterator[_Page], parser: Any, table: Table) -> Iterator[Row | RowError]:
    heads = 0
    others = 0
    for page in pages:
        found = False
        if _TEMPLATE.search(page.text) and not _REDIRECT.match(page.text):
            for row in _page_rows(page, parser, table):
                found = True
                yield row
        heads += found
        others += not found
    if others:
        table.notes.append(
            Problem(
                Code.PAGES_WITHOUT_CARDS,
                Severity.NOTE,
                f"{heads + others:,} pages, {others:,} of them without a card template",
                table.file,
            )
        )


def _page_rows(page: _Page, parser: Any, table: Table) -> Iterator[Row | RowError]:
    head = Head(_COLUMNS, page.title)
    try:
        templates = parser.parse(page.text, skip_style_tags=True).filter_templates()
    except (parser.parser.ParserError, RecursionError) as error:
        yield RowError(
            Code.PAGE_UNREADABLE, f"not wikitext: {error}", None, line=page.line, part=page.title
        )
        return
    place = 0
    for template in templates:
        name = str(template.name).strip()
        if name not in _KINDS:
            continue
        text = str(template)
        found = page.text.find(text, place)
        place = found + 1 if found >= 0 else place
        line = page.line + page.text.count("\n", 0, max(found, 0))
        given = {
            str(parameter.name).strip().lower(): _plain(parameter.value)
            for parameter in template.params
        }
        for values in _cards(_KINDS[name], given, table):
            yield Row(line, values, head)


def _plain(value: Any) -> str:
    """A parameter's text: links by what they show, breaks as spaces, no markup."""
    for link in value.filter_wikilinks(recursive=False):
        if str(link.title).lower().startswith(("file:", "image:")):
            value.remove(link)
    text = _BREAK.sub(" ", str(value))
    if any(mark in text for mark in "[{<'&"):
        text = value.__class__(value.nodes).strip_code(normalize=True, collapse=True)
    return " ".join(html.unescape(text).split())


def _cards(kind: _Kind, given: Mapping[str, str], table: Table) -> Iterator[dict[str, str]]:
    """The card of a template, and its Asia print where it names one."""
    for key in given:
        if key in _LEFT_OUT or not _is_known(key):
            note(table, key, TEXT if _TEXTS.fullmatch(key) else NOTHING)
    values = {column: given[key] for key, column in _PLAIN.items() if given.get(key)}
    values["kind"] = kind.kind
    values["game"] = kind.game
    if given.get("n"):
        values["name"] = given["n"]
    if given.get("l"):
        values["level"] = _LEVELS.get(given["l"].lower(), given["l"])
    evolutions = _evolutions(given)
    if evolutions:
        values["evolves_from"] = "; ".join(evolutions)
    printings = [text for key, text in given.items() if _PRINTINGS.fullmatch(key) and text]
    if printings:
        values["set"] = "; ".join(dict.fromkeys(printings))
    prefix, digits = given.get("sn") or kind.prefix, kind.digits
    yield values | {"number": _number(prefix, given.get("i", ""), digits)}
    if given.get("asia"):
        yield values | {"number": _number(prefix, given["asia"], digits), "edition": "asia"}


def _is_known(key: str) -> bool:
    return (
        key in _PLAIN
        or key in ("n", "i", "sn", "asia", "l")
        or bool(_EVOLUTIONS.fullmatch(key) or _PRINTINGS.fullmatch(key))
    )


def _number(prefix: str, number: str, digits: int) -> str:
    """``65`` with its prefix and zeros; a number that has letters already stands as it is."""
    number = plain(number)
    if not prefix or not number.isascii() or not number.isdigit():
        return number
    return f"{prefix.rstrip('-')}-{number.zfill(digits)}"


def _evolutions(given: Mapping[str, str]) -> list[str]:
    """e1 .. e9 with their Jogress partners (a, b) in brackets, and their free texts (d)."""
    found = []
    for place in "123456789":
        source = given.get(f"e{place}")
        partners = [given[key] for key in (f"e{place}a", f"e{place}b") if given.get(key)]
        if source:
            found.append(f"{source} [with {'/'.join(partners)}]" if partners else source)
        if given.get(f"e{place}d"):
            found.append(given[f"e{place}d"])
    return list(dict.fromkeys(text.replace(";", ",") for text in found))
