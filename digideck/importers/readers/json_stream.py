"""The objects in a JSON text, one after the other, each with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

from digideck.core.codes import Code
from digideck.core.problems import InputError, RowError, input_error
from digideck.importers.rows import DAMAGE

LONGEST_OBJECT = 1_000_000  # characters
_CHUNK = 1 << 16
_HALF = re.compile("[\ud800-\udfff]")  # of a pair; alone it is no text
_SPACE = re.compile(r"[ \t\r\n]*")


class Number(str):
    """A number as it was written: 007 is no JSON, 1.50 and 1e3 stay as they are."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        found["\0twice"] = next(key for key in keys if keys.count(key) > 1)
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=Number, parse_float=Number, parse_constant=Number
)


def decode(text: str) -> Any:
    """One JSON value, numbers as written. Raises ValueError, RecursionError."""
    return _DECODER.decode(text)


class Scanner:
    """Reads values off a text stream; only the one at hand is in memory."""

    def __init__(self, stream: TextIO, file: str) -> None:
        self.stream = stream
        self.file = file
        self.buffer = ""
        self.place = 0
        self.line = 1
        self.at_end = False

    def fill(self) -> None:
        """Read on, dropping what has been used."""
        chunk = self.stream.read(_CHUNK)
        self.at_end = not chunk
        self.buffer = self.buffer[self.place :] + chunk
        self.place = 0

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            match = _SPACE.match(self.buffer, self.place)
            assert match
            self._advance(match.end())
            if self.place < len(self.buffer):
                return self.buffer[self.place]
            if self.at_end:
                return ""
            self.fill()

    def expect(self, marks: str) -> str:
        """Take one of ``marks``. Raises InputError for anything else."""
        found = self.peek()
        if not found or found not in marks:
            wanted = " or ".join(repr(mark) for mark in marks)
            raise self.broken(
                f"expected {wanted}, found {found!r}" if found else "the end is missing"
            )
        self.place += 1
        return found

    def value(self) -> Any:
        """Take the next value. Raises InputError with its line."""
        self.peek()
        if len(self.buffer) - self.place < _CHUNK and not self.at_end:
            self.fill()
        while True:
            try:
                value, end = _DECODER.raw_decode(self.buffer, self.place)
            except RecursionError:
                raise self.broken("nested too deeply") from None
            except ValueError as error:
                if self.at_end:
                    raise self.broken(str(error).split(": line")[0]) from None
                if len(self.buffer) - self.place > LONGEST_OBJECT:
                    message = f"no end of the value within {LONGEST_OBJECT:,} characters"
                    raise self.broken(message) from None
                self.fill()
                continue
            self._advance(end)
            return value

    def _advance(self, end: int) -> None:
        self.line += self.buffer.count("\n", self.place, end)
        self.place = end

    def broken(self, message: str) -> InputError:
        """The problem of a text that is no JSON here."""
        return input_error(
            Code.NOT_JSON,
            f"not JSON: {message}",
            file=self.file,
            line=self.line,
            next_step="expected a list of objects, such as "
            '[{"number": "St-1", "name": "Agumon"}, ...]',
        )


def objects(stream: TextIO, file: str) -> Iterator[tuple[int, str, Any]]:
    """Line, key and value of each entry: of the list at the top (key ""), of the first
    list of objects in the object at the top (key ""), or of that object itself.
    """
    scanner = Scanner(stream, file)
    if scanner.peek() == "[":
        yield from _list(scanner)
    elif scanner.peek() == "{":
        yield from _object(scanner)
    else:
        raise scanner.broken("neither a list nor an object")
    if scanner.peek():
        raise scanner.broken("something stands behind the end")


def _list(scanner: Scanner) -> Iterator[tuple[int, str, Any]]:
    scanner.expect("[")
    if scanner.peek() == "]":
        scanner.expect("]")
        return
    while True:
        scanner.peek()
        line = scanner.line
        yield line, "", scanner.value()
        if scanner.expect(",]") == "]":
            return


def _object(scanner: Scanner) -> Iterator[tuple[int, str, Any]]:
    """Entries of the first list in it; the values by key where they are objects."""
    scanner.expect("{")
    if scanner.peek() == "}":
        scanner.expect("}")
        return
    while True:
        if scanner.peek() != '"':
            raise scanner.broken("expected a key in quotes")
        key = str(scanner.value())
        scanner.expect(":")
        mark, line = scanner.peek(), scanner.line
        if mark == "[":
            yield from _list(scanner)
        elif mark == "{":
            yield line, key, scanner.value()
        else:
            scanner.value()
        if scanner.expect(",}") == "}":
            return


def texts(value: dict[str, Any]) -> tuple[dict[str, str], str | None]:
    """An object's values as a row has them, and what is wrong with it.

    A list of texts becomes one text joined by "; ", true and false yes and no.
    """
    found: dict[str, str] = {}
    for key, entry in value.items():
        if key == "\0twice":
            return {}, f"the key {entry!r} stands twice"
        text = _text(entry)
        half = _HALF.search(text or "")
        if half:
            found[key] = f"{DAMAGE}it holds half a character (\\u{ord(half[0]):04x})"
        elif text is None:
            found[key] = f"{DAMAGE}keys with values of their own, not a value"
        elif text.strip():
            found[key] = text.strip()
    return found, None


def _text(value: Any) -> str | None:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return "; ".join(_text(item) or "" for item in value if item not in (None, ""))
    return None


def no_object(line: int) -> RowError:
    """The row for an entry that is no object."""
    return RowError(
        Code.ROW_UNREADABLE, "not an object: keys with values, such as number: St-1", line=line
    )
