"""YAML without its traps: strings stay strings, nothing is ignored.

PyYAML's own loader turns ``no`` into False, ``010`` into 8 and lets the last
of two equal keys win. Here every scalar is the text that was written, a key
stands once, and whoever reads a mapping takes each key by name and then calls
`Mapping.done`, which refuses what nobody asked for. Errors carry file, line
and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error

_INTEGER = re.compile(r"[0-9]+")
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_DEEPEST = 50


def load(text: str, file: str, list_as: str | None = None) -> Mapping:
    """The mapping that ``text`` holds. Raises InputError with line and column.

    A list at the top is refused, unless ``list_as`` gives the key to take it under.
    """
    value = load_any(text, file)
    if isinstance(value, list) and list_as:
        return Mapping({list_as: value}, file)
    if not isinstance(value, Mapping):
        raise input_error(Code.YAML_TYPE, "expected keys with values at the top", file=file, line=1)
    return value


def load_any(text: str, file: str) -> Any:
    """The mapping, list or scalar that ``text`` holds. Raises InputError with line and column."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise input_error(
            Code.YAML_SYNTAX,
            f"not YAML: {error.problem or error.context}",
            file=file,
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
        ) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise input_error(
            Code.YAML_SYNTAX, f"not YAML: {str(error) or 'nested too deeply'}", file=file
        ) from None
    if node is None:
        raise input_error(Code.YAML_EMPTY, "the file is empty, expected YAML", file=file)
    return _NodeReader(file).plain(node, 0)


class Text(str):
    """A scalar with its place in the file."""

    line: int
    column: int

    def __new__(cls, value: str, line: int = 0, column: int = 0) -> Text:
        """Keep the text with its line and column, both 1-based, 0 where unknown."""
        text = super().__new__(cls, value)
        text.line, text.column = line, column
        return text


class _NodeReader:
    """Turns composed nodes into plain values, each node once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.seen: set[int] = set()

    def problem(self, node: Any, code: Code, message: str) -> InputError:
        mark = node.start_mark
        return input_error(
            code, message, file=self.file, line=mark.line + 1, column=mark.column + 1
        )

    def plain(self, node: Any, depth: int) -> Any:
        import yaml

        if isinstance(node, yaml.ScalarNode):
            if not node.style and node.value in ("", "~", "null"):
                return None
            return Text(node.value, node.start_mark.line + 1, node.start_mark.column + 1)
        if depth > _DEEPEST:
            raise self.problem(node, Code.YAML_DEPTH, "nested too deeply")
        if id(node) in self.seen:  # ten lines of aliases can stand for a billion values
            raise self.problem(node, Code.YAML_ALIAS, "anchors and aliases are not accepted")
        self.seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, depth + 1) for item in node.value]
        return self.mapping(node, depth)

    def mapping(self, node: Any, depth: int) -> Mapping:
        import yaml

        entries: dict[str, Any] = {}
        places: dict[str, tuple[int, int]] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.problem(key_node, Code.YAML_KEY, "a key must be a word")
            key = key_node.value
            if key in entries:
                first = places[key][0]
                message = f"{key!r} stands twice, first on line {first}"
                raise self.problem(key_node, Code.YAML_DUPLICATE_KEY, message)
            places[key] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            entries[key] = self.plain(value_node, depth + 1)
        start = (node.start_mark.line + 1, node.start_mark.column + 1)
        return Mapping(entries, self.file, places, start)


class Mapping:
    """Keys and values, each to be taken once by the type that is expected."""

    def __init__(
        self,
        entries: dict[str, Any],
        file: str,
        places: dict[str, tuple[int, int]] | None = None,
        start: tuple[int, int] | None = None,
    ) -> None:
        self.entries = entries
        self.file = file
        self._places = places or {}
        self._start: tuple[int | None, int | None] = start or (None, None)
        self._asked: list[str] = []

    @property
    def asked(self) -> tuple[str, ...]:
        """The keys that were asked for so far."""
        return tuple(dict.fromkeys(self._asked))

    def line_of(self, key: str) -> int | None:
        """The line that a key stands on."""
        return self._places.get(key, self._start)[0]

    @property
    def line(self) -> int | None:
        """The line it starts on."""
        return self._start[0]

    @classmethod
    def from_plain(cls, value: dict[str, Any], file: str) -> Mapping:
        """A mapping of values as `as_plain` gave them, without places."""
        return cls({key: cls._wrap(item, file) for key, item in value.items()}, file)

    @classmethod
    def _wrap(cls, value: Any, file: str) -> Any:
        if isinstance(value, dict):
            return cls.from_plain(value, file)
        if isinstance(value, list):
            return [cls._wrap(item, file) for item in value]
        return value

    def over(self, base: dict[str, Any]) -> Mapping:
        """Add the keys that only ``base`` (plain values) has.

        A key without a value here (``most: ~``) takes the one of ``base`` away.
        """
        merged = {key: self._wrap(value, self.file) for key, value in base.items()}
        merged |= self.entries
        kept = {key: value for key, value in merged.items() if value is not None}
        line, column = self._start
        start = (line, column) if line and column else None
        return Mapping(kept, self.file, self._places, start)

    def as_plain(self) -> dict[str, Any]:
        """Dictionaries, lists and strings, ready for JSON."""
        return {key: _unwrap(value) for key, value in self.entries.items()}

    def problem(
        self, message: str, key: str | None = None, allowed: str | None = None
    ) -> InputError:
        """The error for ``key`` of this mapping, or for the whole of it."""
        line, column = self._places.get(key or "") or self._start
        value = self.entries.get(key) if key in self._asked else None
        if isinstance(value, Text) and value.line:
            line, column = value.line, value.column
        return input_error(
            Code.YAML_VALUE,
            message,
            file=self.file,
            line=line,
            column=column,
            allowed=allowed,
            next_step=f"accepted: {allowed}" if allowed else None,
        )

    def _take(self, key: str, kind: type, expected: str) -> Any:
        self._asked.append(key)
        value = self.entries.get(key)
        if value is not None and not isinstance(value, kind):
            raise self.problem(f"{key}: expected {expected}", key)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A string that must be there unless a default is given."""
        value = self._take(key, str, "text")
        if value is None:
            value = default
        if value is None:
            raise self.problem(f"{key} is missing", allowed=key)
        return str(value)

    def optional_text(self, key: str) -> str | None:
        """A string, or None where the key is absent or empty."""
        value = self._take(key, str, "text")
        return None if value is None else str(value)

    def choice(self, key: str, words: Iterable[str], default: str | None = None) -> str:
        """One of ``words``."""
        accepted = list(words)
        value = self.optional_text(key) or default
        if value is None:
            raise self.problem(f"{key} is missing", allowed=f"{key}: {', '.join(accepted)}")
        if value not in accepted:
            raise self.problem(f"{key}: {value!r} is not known", key, ", ".join(accepted))
        return value

    def flag(self, key: str) -> bool:
        """``true`` or ``false``; false where the key is absent."""
        return self.choice(key, ("true", "false"), "false") == "true"

    def optional_integer(self, key: str) -> int | None:
        """A whole number written in decimal digits, or None where the key is absent."""
        value = self.optional_text(key)
        if value is None:
            return None
        if not _INTEGER.fullmatch(value) or len(value) > 9:
            raise self.problem(f"{key}: {value!r} is not a whole number", key, "digits 0-9")
        return int(value)

    def integer(self, key: str) -> int:
        """A whole number that must be there."""
        value = self.optional_integer(key)
        if value is None:
            raise self.problem(f"{key} is missing", allowed=key)
        return value

    def optional_date(self, key: str) -> str | None:
        """A date, YYYY, YYYY-MM or YYYY-MM-DD, or None where the key is absent."""
        value = self.optional_text(key)
        if value is not None and not _is_date(value):
            raise self.problem(f"{key}: {value!r} is not a date", key, "YYYY-MM-DD")
        return value

    def texts(self, key: str) -> list[str]:
        """A list of strings; empty where the key is absent."""
        value = self._take(key, list, "a list") or []
        if not all(isinstance(item, str) for item in value):
            raise self.problem(f"{key}: expected a list of words", key)
        return [str(item) for item in value]

    def items(self, key: str) -> list[Any]:
        """A list of anything; empty where the key is absent."""
        return list(self._take(key, list, "a list") or [])

    def mappings(self, key: str) -> list[Mapping]:
        """A list of mappings; empty where the key is absent."""
        value = self._take(key, list, "a list") or []
        if not all(isinstance(item, Mapping) for item in value):
            raise self.problem(f"{key}: expected a list of entries with keys", key)
        return list(value)

    def mapping(self, key: str) -> Mapping:
        """A mapping; an empty one where the key is absent."""
        value = self._take(key, Mapping, "keys with values")
        return Mapping({}, self.file) if value is None else value

    def each_mapping(self) -> Iterator[tuple[str, Mapping]]:
        """Every key with its value, which must be a mapping."""
        for key in self.entries:
            yield key, self.mapping(key)

    def done(self) -> None:
        """Refuse the keys that nobody asked for."""
        unknown = [key for key in self.entries if key not in self._asked]
        if unknown:
            accepted = ", ".join(self.asked)
            raise self.problem(f"unknown key {unknown[0]!r}", unknown[0], accepted)


def _is_date(text: str) -> bool:
    import datetime

    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        return False
    return True


def _unwrap(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value.as_plain()
    if isinstance(value, list):
        return [_unwrap(item) for item in value]
    return None if value is None else str(value)
