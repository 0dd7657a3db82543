"""What a user asks to add, remove or set: cards with counts, from words or lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from digideck.catalog.cards import Card
from digideck.catalog.lookup import set_meant
from digideck.collection.identify import Identifier
from digideck.collection.vocabulary import BadValue, tidy_count
from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error

_COUNT = re.compile(r"[xX×]?([0-9]{1,9})[xX×]?")
_LEADING = re.compile(r"([0-9]{1,9})\s*[xX×]?\s+(.+)|([0-9]{1,9})[xX×](\S.*)")
_TRAILING = re.compile(r"(.+?)\s+(?:[xX×]\s*([0-9]{1,9})|([0-9]{1,9})[xX×]?)")
_COMMENT = re.compile(r"#|//")


@dataclass(frozen=True, slots=True)
class Request:
    """So many copies of a card, with what was said of these copies and where."""

    card: Card
    count: int
    details: Mapping[str, str]
    file: str | None = None
    line: int | None = None


Asked = tuple[list[Request], list[Problem]]


def from_words(words: Sequence[str], identifier: Identifier) -> Asked:
    """Requests of a command line: CARD [COUNT] ..., or COUNT CARD ... throughout."""
    requests: list[Request] = []
    problems: list[Problem] = []
    for count, text in _pairs(words):
        try:
            requests.append(
                _request(text, count, identifier) if count else _line(_plain(text), identifier)
            )
        except InputError as error:
            problems += error.problems
        except BadValue as error:
            problems.append(_bad_count(error))
    return requests, problems


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Counts (blank: none written) and cards. A count follows its card, unless the first
    word is one.
    """
    plain = [unicodedata.normalize("NFKC", word).strip() for word in words]
    is_count = [bool(_COUNT.fullmatch(word)) for word in plain]
    place = 0
    while place < len(words):
        after = place + 1 < len(words)
        if is_count[0] and is_count[place] and after:
            yield _digits(plain[place]), words[place + 1]
            place += 2
        elif not is_count[0] and after and is_count[place + 1]:
            yield _digits(plain[place + 1]), words[place]
            place += 2
        else:
            yield "", words[place]  # "St-1 x3" in one word, perhaps
            place += 1


def _digits(text: str) -> str:
    match = _COUNT.fullmatch(text)
    return match[1] if match else text


def from_lines(text: str, file: str, identifier: Identifier) -> Asked:
    """Requests of lines such as "3 St-1", "St-1 x3", "Agumon (St-1)" and "3<tab>St-1"."""
    requests: list[Request] = []
    problems: list[Problem] = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = _plain(raw)
        if not line or _COMMENT.match(line):
            continue
        try:
            requests.append(replace(_line(line, identifier), file=file, line=number))
        except InputError as error:
            problems += error.at(file, number).problems
        except BadValue as error:
            problems.append(replace(_bad_count(error), file=file, line=number))
    return requests, problems


def _plain(raw: str) -> str:
    """One kind of space and digit, and no control characters."""
    text = " ".join(unicodedata.normalize("NFKC", raw).split())
    return "".join(char for char in text if unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def _line(line: str, identifier: Identifier) -> Request:
    """The first reading of a line that is one card; "Shoutmon X4" is a card."""
    failures: list[tuple[int, InputError]] = []
    for count, text in readings(line):
        try:
            return _request(text, count, identifier)
        except InputError as error:
            # Of several cards rather than none: that reading is the right one. Else it is
            # the shortest, which takes no count for a part of the name.
            unknown = error.problems[0].code == Code.CARD_UNKNOWN
            failures.append((len(text) if unknown else 0, error))
    raise min(failures, key=lambda failure: failure[0])[1]


def readings(line: str) -> Iterable[tuple[str, str]]:
    """The ways to read a line: (count, card), the likeliest first."""
    leading, trailing = _LEADING.fullmatch(line), _TRAILING.fullmatch(line)
    if leading:
        yield leading[1] or leading[3], leading[2] or leading[4]
    yield "1", line
    if trailing:
        yield trailing[2] or trailing[3], trailing[1]


def _request(text: str, count: str, identifier: Identifier) -> Request:
    card, variant = identifier.card(text)
    details = {"variant": variant} if variant else {}
    if identifier.set_name:
        code = identifier.set_named(card.game, identifier.set_name)
        if code is None:
            raise _no_set(identifier, card)
        details["set_code"] = code
    return Request(card, tidy_count(count), details)


def _no_set(identifier: Identifier, card: Card) -> InputError:
    name = identifier.set_name
    return input_error(
        Code.UNKNOWN_SET,
        f"{card.game}, the game of {card.title}, has no set {name!r}",
        next_step=set_meant(identifier.index.connection, name, card.game),
    )


def _bad_count(error: BadValue) -> Problem:
    return Problem(Code.COUNT_REFUSED, Severity.ERROR, str(error), allowed=error.allowed)
