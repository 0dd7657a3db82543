"""Which card a row or a line means. Nothing is guessed: what is unclear is refused."""

from __future__ import annotations

import re
from functools import lru_cache

from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import one_of_them, only_card
from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import input_error
from digideck.schema.renumber import todays_key

_BRACKETS = re.compile(r"\s*[\[(][^\[\]()]*[\])]")
_VARIANT_MARK = re.compile(r"^[_-]")


class Identifier:
    """Finds cards, of one game or of all; ``set_name`` tells apart cards of one name."""

    def __init__(self, index: CardIndex, game: str | None = None, set_name: str = "") -> None:
        self.index = index
        self.game = game
        self.set_name = set_name
        self.game_named = lru_cache(maxsize=None)(self._game_named)
        self.set_named = lru_cache(maxsize=None)(self._set_named)

    def card(self, text: str) -> tuple[Card, str]:
        """The card that ``text`` means and the variant it names. Raises InputError."""
        found = self.index.meant_by(text, self.game) or self._number_within(text)
        return self._one(text, found, self.game, self.set_name), self.variant(text)

    def row(self, number: str, edition: str, name: str, game: str | None, set_name: str) -> Card:
        """The card of a row; the number has the say. Raises InputError."""
        game = game or self.game
        shown = number or name
        if number:
            number, _, marked = number.partition("@")
            edition = edition or marked
            found = self.index.by_number(number, game) or self._renumbered(number, edition, game)
            if not found and not name:  # lists of "3 Agumon" put names where numbers are
                found = self.index.by_name(number, game)
            if edition:
                found = [card for card in found if card.edition == edition]
                shown = f"{number}@{edition}"
            found = _preferred(found, name)
        else:
            found = self.index.by_name(name, game) or self.index.by_name(unbracketed(name), game)
        card = self._one(shown, found, game, set_name)
        if number and name:
            self._refuse_clash(card, name)
        return card

    def _one(self, text: str, found: list[Card], game: str | None, set_name: str) -> Card:
        if set_name and len(found) > 1:
            found = [card for card in found if self._is_in_set(card, set_name)] or found
        return only_card(self.index, text, found, game)

    def _is_in_set(self, card: Card, set_name: str) -> bool:
        code = self.set_named(card.game, set_name)
        return any(printing.set_code == code for printing in card.printings)

    def _number_within(self, text: str) -> list[Card]:
        """The card of the number in "Agumon (St-1)" or "St-1 Agumon", if the rest is its name."""
        clash: tuple[Card, str] | None = None
        for token in text.split():
            number = token.strip(",;:()[]")
            if not any(map(str.isdigit, number)):
                continue
            cards = self.index.meant_by(number, self.game)
            rest = search_key(text.replace(token, " ", 1))
            named = [card for card in cards if card.is_named(rest)]
            if named:
                return named
            if cards:
                clash = cards[0], text.replace(token, " ", 1).strip()
        if clash:
            self._refuse_clash(*clash)
        return []

    def variant(self, text: str) -> str:
        """The variant in a number: P1 of BT1-003_P1; blank where there is none."""
        for game in self.index.games.values():
            bare = game.numbers.without_variant(text)
            if bare != text:
                return _VARIANT_MARK.sub("", text[len(bare) :]).upper()
        return ""

    def _renumbered(self, number: str, edition: str, game: str | None) -> list[Card]:
        """The card that had this number before a data update, for files written then."""
        for code in [game] if game else self.index.games:
            key = todays_key(self.index.connection, (code, number, edition))
            if key != (code, number, edition):
                cards = self.index.by_number(key[1], key[0])
                return [card for card in cards if card.edition == key[2]]
        return []

    def _refuse_clash(self, card: Card, name: str) -> None:
        for spelling in dict.fromkeys((name, unbracketed(name))):
            if not search_key(spelling) or card.is_named(search_key(spelling)):
                return
            others = self.index.by_name(spelling, card.game)
            if others:
                raise input_error(
                    Code.NAME_CLASH,
                    f"{card.written_number} is {card.name}, but the row says {name}, "
                    f"which is {one_of_them(others)}",
                    next_step="correct the number or the name",
                )

    def is_named(self, card: Card, name: str) -> bool:
        """Whether ``name``, brackets aside, is one of the card's names."""
        return not card.names or _is_named(card, name)

    def _game_named(self, text: str) -> str | None:
        """The game that a file calls ``text``, None where no game is called so."""
        code = self.index.game_called(text)
        if code:
            return code
        key = search_key(text)
        starting = [
            game.code
            for game in self.index.games.values()
            if key and search_key(game.name).startswith(key)
        ]
        return starting[0] if len(starting) == 1 else None

    def _set_named(self, game: str, text: str) -> str | None:
        """The code of the set that a file calls ``text``, None where no set is called so."""
        row = self.index.connection.execute(
            "SELECT set_code FROM set_name WHERE game = ? AND search_key = ?",
            (game, search_key(text)),
        ).fetchone()
        if row is None:
            row = self.index.connection.execute(
                "SELECT code FROM card_set WHERE game = ? AND code = ?", (game, text)
            ).fetchone()
        return row[0] if row else None

    def sets_called(self, text: str) -> list[tuple[str, str]]:
        """The sets that ``text`` can mean, as (game, code); one spelled exactly so goes before."""
        games = [self.game] if self.game else list(self.index.games)
        found = [(game, code) for game in games if (code := self.set_named(game, text))]
        return [entry for entry in found if entry[1] == text] or found


def unbracketed(name: str) -> str:
    """A name without the bracketed words that sellers put behind it."""
    return _BRACKETS.sub("", name).strip()


def _preferred(found: list[Card], name: str) -> list[Card]:
    """The editions of a number: those that bear the name, else the one without an edition."""
    if len(found) > 1 and name:
        found = [card for card in found if _is_named(card, name)] or found
    plain = [card for card in found if not card.edition]
    return plain if len(plain) == 1 and len({card.number for card in found}) == 1 else found


def _is_named(card: Card, name: str) -> bool:
    keys = {search_key(name), search_key(unbracketed(name))}
    return any(card.is_named(key) for key in keys)
