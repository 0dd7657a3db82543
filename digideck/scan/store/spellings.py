"""Codes as lines of text name them: "CODE CARD", the code in any of its spellings."""

from __future__ import annotations

import sqlite3
from collections.abc import Container

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.scan.store.links import Barcode, cards_by_code, code_named, cut, escaped
from digideck.scan.store.read_store import codes_read


class CodeSpellings:
    """The codes that were read, or are linked, by each way to write them: they tell where
    in a line a code ends. Of several codes the one that ``waits`` is meant.
    """

    def __init__(self, connection: sqlite3.Connection, waits: Container[Barcode]) -> None:
        self._connection = connection
        self._waits = waits
        self._codes: dict[str, set[Barcode]] = {}
        for code in (*codes_read(connection), *cards_by_code(connection)):
            for spelling in (code.written, escaped(code.payload), code.short):
                self._codes.setdefault(spelling, set()).add(code)
        self._longest = max(map(len, self._codes), default=0)

    def split(self, line: str) -> tuple[Barcode, str]:
        """The code of a line, and the rest. Raises InputError."""
        payload, tab, text = line.partition("\t")
        if not tab:
            ends = (at for at in range(self._longest, 0, -1) if line[at : at + 1] == " ")
            end = next((at for at in ends if line[:at] in self._codes), None)
            if end is None:
                payload, _, text = line.strip().partition(" ")
            else:
                payload, text = line[:end], line[end:]
        if not text.strip():
            raise input_error(
                Code.NO_CARD_NAMED,
                f"{cut(escaped(line.strip()))!r} is one word",
                next_step='expected "CODE CARD", or "CODE -" for a code of no card',
            )
        return self._code(payload.strip()), text.strip()

    def _code(self, text: str) -> Barcode:
        codes = self._codes.get(text, set())
        found = {code for code in codes if code in self._waits} or codes
        return next(iter(found)) if len(found) == 1 else code_named(self._connection, text)
