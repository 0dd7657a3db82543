"""What a user asks to add, remove or set: cards with counts, from words or lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from digideck.catalog.advice import no_card, set_meant
from digideck.catalog.arguments import sets_called
from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import expect, the_card
from digideck.catalog.mention_text import clean, read_card, read_copies
from digideck.catalog.mentions import Mention
from digideck.collection.vocabulary import normalize_count, variant_of
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import InputError, Problem, RowError, input_error
from digideck.core.text import one_width

_COUNT = re.compile(r"[xX×]?([0-9]{1,9})[xX×]?")
_COMMENT = re.compile(r"#|//")


@dataclass(frozen=True, slots=True)
class CopyRequest:
    """So many copies of a card, with what was said of these copies and where."""

    card: Card
    count: int
    details: Mapping[str, str]
    file: str | None = None
    line: int | None = None


Asked = tuple[list[CopyRequest], list[Problem]]
_Read = tuple[int | None, str, Mention | None]  # line, what stands there, the card it names


class CopyReader:
    """Reads cards with counts, of one game or of all; ``set_name`` tells cards of a name apart."""

    def __init__(self, index: CardIndex, game: str | None = None, set_name: str = "") -> None:
        self.index = index
        self.game = game
        meant = sets_called(index, set_name, game)
        self.set_name = meant[0][1] if len(meant) == 1 else set_name

    def words(self, words: Sequence[str]) -> Asked:
        """Requests of a command line: CARD [COUNT] ..., or COUNT CARD ... throughout."""
        vocabulary = self.index.vocabulary
        return self._requests(
            (None, text, replace(read_card(text, vocabulary), count=int(count)))
            if count
            else (None, text, read_copies(clean(text), vocabulary))
            for count, text in _pairs(words)
        )

    def lines(self, text: str, file: str) -> Asked:
        """Requests of lines such as "3 St-1", "St-1 x3", "Agumon (St-1)" and "3<tab>St-1"."""
        read: list[_Read] = []
        for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
            line = clean(raw)
            if line and not _COMMENT.match(line):
                read.append((number, line, read_copies(line, self.index.vocabulary)))
        expect(self.index, (mention for _, _, mention in read if mention))
        return self._requests(read, file)

    def _requests(self, read: Iterable[_Read], file: str | None = None) -> Asked:
        requests: list[CopyRequest] = []
        problems: list[Problem] = []
        for line, text, mention in read:
            try:
                requests.append(replace(self._request(text, mention), file=file, line=line))
            except InputError as error:
                problems += error.at(file, line).problems if file else error.problems
            except RowError as error:
                problems.append(error.problem(file, line))
        return requests, problems

    def _request(self, text: str, mention: Mention | None) -> CopyRequest:
        if mention is None:
            raise InputError(no_card(self.index, text, self.game))
        if mention.unclear:
            raise RowError(
                Code.COUNT_REFUSED,
                f"two counts beside the card: {mention.count} and {mention.unclear}",
                "write one of them",
            )
        count = normalize_count(str(mention.count))
        mention = replace(mention, set_code=self.set_name or mention.set_code)
        found = the_card(self.index, mention, self.game)
        card = found.cards[0]
        details = {"finish": mention.finish} if mention.finish else {}
        if found.mention.variant:
            details["variant"] = variant_of(found.mention)
        if self.set_name:
            code = self.index.set_codes.get((card.game, search_key(self.set_name)))
            if code is None:
                raise self._no_set(card)
            details["set_code"] = code
        return CopyRequest(card, count, details)

    def _no_set(self, card: Card) -> InputError:
        return input_error(
            Code.SET_UNKNOWN,
            f"{card.game}, the game of {card.title}, has no set {self.set_name!r}",
            next_step=set_meant(self.index.connection, self.set_name, card.game),
        )


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Counts (blank: none written) and cards. A count follows its card, unless the first
    word is one.
    """
    plain = [one_width(word).strip() for word in words]
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
