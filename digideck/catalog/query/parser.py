"""From the text of a query to its nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from digideck.catalog.advice import set_meant
from digideck.catalog.arguments import sets_called
from digideck.catalog.cards import CardIndex
from digideck.catalog.query.found import evolves_from, evolves_into, fuzzy_name, x_antibody
from digideck.catalog.query.nodes import (
    All,
    Column,
    Either,
    FieldText,
    Figure,
    FlagIs,
    InSet,
    NameHas,
    NameIs,
    Node,
    Not,
    NumberIs,
    Word,
)
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import number_key
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import did_you_mean, nearest
from digideck.core.text import one_width
from digideck.schema.games.fields import Field
from digideck.schema.games.game import Game, games_meant

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<open>\() | (?P<close>\)) |
      (?P<minus>-)(?=["(\w]) |
      (?P<field>[^\W\d][\w-]*)(?P<op>:|=|<=|>=|<|>|~)(?P<value>"[^"]*"?|[^\s()"]*) |
      (?P<phrase>"[^"]*"?) |
      (?P<word>[^\s()"]+)
    )""",
    re.VERBOSE,
)
_RANGE = re.compile(r"(-?[0-9]*)\.\.(-?[0-9]*)")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_LARGE = re.compile(r"(?:-?[0-9]*\.\.)?-?[0-9]{10,}(?:\.\.-?[0-9]*)?")
MOST_TERMS = 1000
_SHOWN, _SHOWN_BEFORE = 200, 60  # characters of a long query, around what is wrong
DEEPEST = 50  # brackets and minus signs one in another; deeper ones exhaust SQLite and Python

# What a term beyond the built-in ones means, such as owned>=1: (operator, value) -> node.
Extra = dict[str, Callable[[str, str], Node]]


def parse(text: str, index: CardIndex, extra: Extra | None = None) -> Node:
    """The query in ``text``. Raises InputError showing where it is wrong."""
    return _Parser(text, index, extra or {}).query()


def _is_or(token: re.Match[str]) -> bool:
    return (token["word"] or "").casefold() == "or"


class _Parser:
    def __init__(self, text: str, index: CardIndex, extra: Extra) -> None:
        self.text = one_width(text)
        self.index = index
        self.extra = extra
        self.tokens = self._read_tokens()
        self.place = 0
        self.depth = 0

    def _read_tokens(self) -> list[re.Match[str]]:
        """All tokens that say something; brackets, minus signs and "or" are no terms."""
        tokens: list[re.Match[str]] = []
        terms = 0
        for token in self._tokens():
            terms += not (token["open"] or token["close"] or token["minus"] or _is_or(token))
            if terms > MOST_TERMS:
                message = f"more than {MOST_TERMS:,} terms"
                raise self.wrong(token.start(), message, "look for fewer at once")
            if not token["word"] or any(map(str.isalnum, token["word"])):  # as in "Ai & Mako"
                tokens.append(token)
        return tokens

    def _tokens(self) -> Iterable[re.Match[str]]:
        position = 0
        while self.text[position:].strip():
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise self.wrong(position, "this cannot be read", "quote what belongs together")
            position = match.end()
            yield match

    def wrong(self, position: int, message: str, next_step: str) -> InputError:
        shown = "".join(" " if char.isspace() else char for char in self.text)
        while position < len(shown) and shown[position] == " ":
            position += 1
        start = max(0, position - _SHOWN_BEFORE) if len(shown) > _SHOWN else 0
        part = shown[start : start + _SHOWN]
        return input_error(
            Code.QUERY_WRONG,
            message,
            column=position + 1,
            next_step=f"{part}\n    {' ' * (position - start)}^\n    {next_step}",
        )

    def query(self) -> Node:
        if not self.tokens and self.text.strip():
            raise self.wrong(0, "nothing to look for", "write letters or digits")
        if not self.tokens:
            raise self.wrong(0, "nothing is asked for", "write part of a name, or a number")
        node = self.either()
        if self.place < len(self.tokens):
            position = self.tokens[self.place].start()
            raise self.wrong(position, "a bracket is closed that was never opened", "take it out")
        return node

    def either(self) -> Node:
        parts = [self.all()]
        while self._at_or():
            token = self.tokens[self.place]
            self.place += 1
            part = self.all()
            if part == All(()) or parts[-1] == All(()):
                raise self.wrong(
                    token.start(), '"or" stands alone', 'write a or b, or "or" in quotes'
                )
            parts.append(part)
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def all(self) -> Node:
        parts: list[Node] = []
        while self.place < len(self.tokens) and not self._at_or():
            if self.tokens[self.place]["close"]:
                break
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _at_or(self) -> bool:
        return self.place < len(self.tokens) and _is_or(self.tokens[self.place])

    def one(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST + 1:
            message = f"brackets or minus signs more than {DEEPEST} deep"
            raise self.wrong(self.tokens[self.place].start(), message, "take some out")
        node = self._one()
        self.depth -= 1
        return node

    def _one(self) -> Node:
        token = self.tokens[self.place]
        self.place += 1
        if token["minus"]:
            if self.place == len(self.tokens):
                raise self.wrong(token.start(), "nothing stands behind the minus", "take it out")
            return Not(self.one())
        if token["open"]:
            inner = self.either()
            if self.place >= len(self.tokens):
                raise self.wrong(token.start(), "this bracket is never closed", "add )")
            if inner == All(()) and self.tokens[self.place - 1] is token:
                raise self.wrong(token.start(), "nothing is in these brackets", "take them out")
            self.place += 1
            return inner
        if token["phrase"]:
            if len(token["phrase"]) < 2 or not token["phrase"].endswith('"'):
                raise self.wrong(token.start(), "this quote is never closed", 'add "')
            return Word(self.searchable(token, token["phrase"][1:-1]))
        if token["field"]:
            return self.term(token)
        return self.word(token)

    def searchable(self, token: re.Match[str], text: str) -> str:
        if not any(char.isalnum() for char in text):
            raise self.wrong(token.start(), "nothing to look for", "write letters or digits")
        return text

    def word(self, token: re.Match[str]) -> Node:
        word = token["word"]
        if word.casefold() in ("x-antibody", "x抗体"):
            return x_antibody(self.index)
        if word.casefold() in self.extra:
            return self.extra[word.casefold()]("", "")
        if word.startswith("-") and len(word) > 1:
            return Not(Word(self.searchable(token, word[1:])))
        return Word(self.searchable(token, word))

    def term(self, token: re.Match[str]) -> Node:
        name, sign, value = token["field"], token["op"], token["value"]
        if value.startswith('"'):
            if len(value) < 2 or not value.endswith('"'):
                raise self.wrong(token.start("value"), "this quote is never closed", 'add "')
            value = value[1:-1]
        return _Term(self, token, name.casefold(), sign, value).node()


class _Term:
    """``field`` sign ``value``, read by what the field is."""

    def __init__(
        self, parser: _Parser, token: re.Match[str], name: str, sign: str, value: str
    ) -> None:
        self.parser = parser
        self.index = parser.index
        self.token = token
        self.name = name
        self.sign = sign
        self.value = value

    def node(self) -> Node:
        readers: dict[str, Callable[[], Node]] = {
            "name": self.by_name,
            "名前": self.by_name,
            "number": self.by_number,
            "番号": self.by_number,
            "game": self.by_game,
            "set": self.by_set,
            "セット": self.by_set,
            "edition": lambda: self.plain(Column("edition", (self.value,))),
            "kind": lambda: self.by_word("kind"),
            "種類": lambda: self.by_word("kind"),
            "level": self.by_level,
            "レベル": self.by_level,
            "from": lambda: self.plain(evolves_from(self.index, self.value)),
            "into": lambda: self.plain(evolves_into(self.index, self.value)),
        }
        extra, fields = self.parser.extra, self._fields()
        if self.name not in {*readers, *extra} and not fields:
            return self._of_no_field([*readers, *extra])
        if not self.value.strip():
            sign = f"{self.name}{self.sign}"
            raise self.parser.wrong(self.token.end(), f"{sign} needs a value", f"such as {sign}3")
        if self.name in readers:
            return readers[self.name]()
        if self.name in extra:
            try:
                return extra[self.name](self.sign, self.value)
            except ValueError as error:
                raise self.wrong(str(error), "value") from None
        nodes = tuple(self.by_field(field) for field in fields)
        return nodes[0] if len(nodes) == 1 else Either(nodes)

    def _fields(self) -> list[Field]:
        """The fields of that name over all games; equal ones once."""
        key = search_key(self.name)
        fields = (game.field_of.get(key) for game in self.index.games.values())
        return list({(field.code, field.type): field for field in fields if field}.values())

    def _of_no_field(self, own: list[str]) -> Node:
        """A colon that stands in a name, as in "Rosemon: Burst Mode" and "Rosemon:Burst"."""
        text = f"{self.name}{self.value}"
        names = self.index.known_names(None) if self.value.strip() else [search_key(text)]
        if self.sign == ":" and any(search_key(text) in name for name in names):
            return Word(text)
        fields = (field for game in self.index.games.values() for field in game.fields.values())
        codes = {field.code for field in fields if not field.of_sources}
        known = sorted({*own, *codes})
        meant = did_you_mean(nearest(self.name, known), f"one of: {', '.join(known)}")
        raise self.wrong(f"no field is called {self.name!r}", "field", meant)

    def wrong(self, message: str, part: str, next_step: str = "") -> InputError:
        return self.parser.wrong(self.token.start(part), message, next_step)

    def plain(self, node: Node) -> Node:
        """``node``, for fields that can only be asked for a value."""
        if self.sign not in (":", "="):
            raise self.wrong(f"{self.name} has no order", "op", f"write {self.name}:{self.value}")
        return node

    def by_name(self) -> Node:
        if self.sign == "~":
            return fuzzy_name(self.index, self.value)
        if not search_key(self.value):
            raise self.wrong("nothing to look for", "value", "write letters or digits")
        return self.plain(NameIs(self.value) if self.sign == "=" else NameHas(self.value))

    def by_number(self) -> Node:
        if not number_key(self.value.rstrip("-")):
            raise self.wrong("nothing to look for", "value", "write letters or digits")
        return self.plain(NumberIs(self.value, whole=not self.value.endswith("-")))

    def by_game(self) -> Node:
        meant = [game.code for game in games_meant(self.index.games.values(), self.value)]
        if len(meant) != 1:
            known = f"one of: {', '.join(meant or self.index.games)}"
            raise self.wrong(f"no game is called {self.value!r}", "value", known)
        return self.plain(Column("game", (meant[0],)))

    def by_set(self) -> Node:
        sets = tuple(sets_called(self.index, self.value))
        if not sets:
            raise self.wrong(
                f"no set is called {self.value!r}",
                "value",
                set_meant(self.index.connection, self.value),
            )
        return self.plain(InSet(sets))

    def by_word(self, column: str) -> Node:
        found = {game.word_of.get(search_key(self.value)) for game in self.index.games.values()}
        words = tuple(sorted(word for word in found if word))
        if not words:
            raise self._no_such_word(column)
        return self.plain(Column(column, words))

    def _no_such_word(self, what: str) -> InputError:
        words = {
            word
            for game in self.index.games.values()
            for word in (game.levels if what == "level" else game.kinds)
        }
        return self.wrong(
            f"no {what} is called {self.value!r}", "value", f"one of: {', '.join(sorted(words))}"
        )

    def by_level(self) -> Node:
        """A level, or those beyond it in each game's own order."""
        nodes: list[Node] = []
        for game in self.index.games.values():
            levels = self._levels(game)
            if levels is not None:
                nodes.append(All((Column("game", (game.code,)), Column("level", levels))))
        if not nodes:
            raise self._no_such_word("level")
        return Either(tuple(nodes))

    def _levels(self, game: Game) -> tuple[str, ...] | None:
        word = game.word_of.get(search_key(self.value))
        if word not in game.levels:
            return None
        place = game.levels.index(word)
        chosen = {
            ":": game.levels[place : place + 1],
            "=": game.levels[place : place + 1],
            "<": game.levels[:place],
            "<=": game.levels[: place + 1],
            ">": game.levels[place + 1 :],
            ">=": game.levels[place:],
        }
        if self.sign not in chosen:
            raise self.wrong("levels are not compared like that", "op", "one of : = < <= > >=")
        return chosen[self.sign] or ("",)

    def by_field(self, field: Field) -> Node:
        if field.type == "integer":
            return self.figure(field)
        if field.type == "flag":
            word = search_key(self.value)
            if word not in ("yes", "no", "true", "false"):
                raise self.wrong(f"{self.name} is yes or no", "value", f"write {self.name}:yes")
            return self.plain(FlagIs(field.code, word in ("yes", "true")))
        if not search_key(self.value):
            raise self.wrong("nothing to look for", "value", "write letters or digits")
        return self.plain(FieldText(field.code, self.value, self.sign == "=", field.type == "list"))

    def figure(self, field: Field) -> Node:
        least, most = read_span(self.sign, self.value) or (None, None)
        if least is None and most is None:
            if _LARGE.fullmatch(self.value):
                raise self.wrong("a number too large", "value", "write at most 9 digits")
            raise self.wrong(
                f"{self.value!r} is not a whole number", "value", f"such as {self.name}:3..5"
            )
        return Figure(field.code, least, most)


def read_span(sign: str, value: str) -> tuple[int | None, int | None] | None:
    """Least and most of ``>=3``, ``:3..5`` and their like; None where it is no number."""
    span = _RANGE.fullmatch(value) if sign in (":", "=") else None
    if span and value != "..":
        ends = [end for end in span.groups() if end]
        if all(_INTEGER.fullmatch(end) for end in ends):
            return (int(span[1]) if span[1] else None, int(span[2]) if span[2] else None)
    if not _INTEGER.fullmatch(value):
        return None
    number = int(value)
    spans: dict[str, tuple[int | None, int | None]] = {
        ":": (number, number),
        "=": (number, number),
        "<": (None, number - 1),
        "<=": (None, number),
        ">": (number + 1, None),
        ">=": (number, None),
    }
    return spans.get(sign)
