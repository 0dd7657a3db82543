"""What somebody wrote for a card, before any card is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from digideck.core.names import search_key
from digideck.schema.games.game import Game, games_meant

BRACKETS = re.compile(r"[\[(]([^\[\]()]*)[\])]")  # a set, a number, or part of a name
MOST_REMEMBERED = 50_000  # words, so that a folder of decks is read in constant memory


@dataclass(frozen=True, slots=True)
class Mention:
    """Some copies of one card, as they were written.

    ``text`` is what stands for the card, ``number`` and ``name`` what was told
    apart in it (either may be missing). ``bare_name`` is the name without the
    bracketed words that may not belong to it. ``whole`` is all of it read as a
    name: "Shoutmon X4" is a card, not four of a Shoutmon. ``x_name`` is the name with the X
    of its count: "3 X Program", "Agumon X 3". ``variant`` is the mark
    of a printing behind the number ("_P1" of BT5-001_P1), ``set_code`` the set
    that was written beside the card, ``line`` the place in the file. ``finish`` is that of
    a mark such as ``*F*``; ``unclear`` is a second count, so that nobody knows how many.
    """

    count: int
    text: str
    number: str | None = None
    name: str = ""
    edition: str | None = None
    game: str | None = None
    line: int | None = None
    bare_name: str | None = None
    whole: str | None = None
    x_name: str = ""
    explicit: bool = True  # a count or a number was written
    variant: str | None = None
    set_code: str | None = None
    finish: str = ""
    unclear: str = ""

    @property
    def full_number(self) -> str:
        """Number, printing and edition, as readers take it; empty without a number."""
        if not self.number:
            return ""
        edition = f"@{self.edition}" if self.edition else ""
        return f"{self.number}{self.variant or ''}{edition}"

    @property
    def written_number(self) -> str:
        """The number with the edition, as far as they were written."""
        number = self.number or ""
        return f"{number}@{self.edition}" if number and self.edition else number

    @property
    def shown(self) -> str:
        """Number and name as written, for messages."""
        return " ".join(part for part in (self.full_number, self.name) if part) or self.text


class CardVocabulary:
    """The words and numbers by which cards are written, of one game or of all.

    ``tags`` are words in brackets that name a game.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        self.games = {game.code: game for game in games}
        self.tags: set[str] = set()
        self.editions: set[str] = set()
        self._game_of: dict[str, str] = {}
        for game in self.games.values():
            tags = {search_key(word) for word in game.definition.get("tags") or ()}
            self.tags |= tags | {search_key(game.code)}
            self.editions |= set(game.editions)
            for word in (search_key(game.code), search_key(game.name), *tags):
                self._game_of.setdefault(word, game.code)
        self._is_number: dict[str, bool] = {}
        self._with_variants = [game for game in self.games.values() if game.numbers.variants]

    def is_number(self, text: str) -> bool:
        """Whether some game writes its card numbers like this."""
        known = self._is_number.get(text)
        if known is None:
            if len(self._is_number) >= MOST_REMEMBERED:
                self._is_number.clear()
            known = any(game.numbers.reads(text) for game in self.games.values())
            self._is_number[text] = known
        return known

    def split_variant(self, number: str) -> tuple[str, str | None]:
        """A number without the mark of its printing, and that mark: BT5-001 and _P1."""
        for game in self._with_variants:
            bare = game.numbers.without_variant(number)
            if bare != number and game.numbers.reads(bare):
                return bare, number[len(bare) :]
        return number, None

    def split_game(self, text: str) -> tuple[str | None, str]:
        """The game that ``game/NUMBER`` or ``game/NAME`` begins with, and the rest."""
        word, slash, rest = text.partition("/")
        game = self._game_of.get(search_key(word)) if slash and rest.strip() else None
        if slash and not game and self.is_number(rest.partition("@")[0].strip()):
            meant = games_meant(self.games.values(), word)  # hyper/St-1
            game = meant[0].code if len(meant) == 1 else None
        return (game, rest.strip()) if game else (None, text)
