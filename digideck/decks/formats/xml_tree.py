"""XML of strangers: a small tree with line numbers, and nothing that can blow up.

Entities and DTDs in the file are refused, nothing is fetched, and depth is
bounded; the form of a deck needs none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error

DEEPEST = 20
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


@dataclass
class Element:
    """An element: its tag and attributes with names in lower case, its own text, its children."""

    tag: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> Iterator[Element]:
        """The children of this tag."""
        return (child for child in self.children if child.tag == tag)

    def text_of(self, tag: str) -> str:
        """The text of the first child of this tag, without the spaces around it."""
        return next((child.text.strip() for child in self.all(tag)), "")


def escaped(text: str) -> str:
    """``text`` for an element or an attribute in double quotes."""
    return _NOT_XML.sub("", text).translate(_ESCAPES)


def parse_xml(text: str, file: str) -> Element:
    """The root element of ``text``. Raises InputError with the line for what is not accepted."""
    from xml.parsers import expat

    builder = _Builder(file)
    parser = expat.ParserCreate("utf-8")
    builder.attach(parser)
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise input_error(
            Code.XML_SYNTAX,
            f"not XML: {expat.errors.messages[error.code]}",
            file=file,
            line=error.lineno,
            column=error.offset + 1,
            next_step="save the deck again in its program; the file may be cut short",
        ) from None
    assert builder.root is not None  # expat has refused a file without an element
    return builder.root


class _Builder:
    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser: Any = None

    def attach(self, parser: Any) -> None:
        self.parser = parser
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.entity
        parser.SkippedEntityHandler = self.skipped

    def refused(self, what: str) -> InputError:
        return input_error(
            Code.XML_REFUSED,
            f"{what}, which no deck file needs: not read",
            file=self.file,
            line=self.parser.CurrentLineNumber,
            next_step="do not trust this file; ask whoever sent it for a plain list",
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= DEEPEST:
            raise self.refused(f"elements nested more than {DEEPEST} deep")
        lowered = {name.lower(): value for name, value in attributes.items()}
        element = Element(tag.lower(), self.parser.CurrentLineNumber, lowered)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        self.open[-1].text += text

    def doctype(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        """LackeyCCG's files name a DTD on its site, which is not fetched; one inside is refused."""
        if internal:
            raise self.refused("it has a DTD of its own")

    def entity(self, *declaration: object) -> None:
        raise self.refused("it declares entities")

    def skipped(self, name: str, is_parameter: bool) -> None:
        raise self.refused(f"it uses the entity {name[:40]!r}")
