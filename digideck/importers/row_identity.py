"""Which game a row is of, and which card its number names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from digideck.catalog.cards import of_number
from digideck.catalog.mentions import CardVocabulary
from digideck.core.codes import Code
from digideck.core.numbers import number_key, plain
from digideck.core.problems import RowError
from digideck.importers.card_states import CardState
from digideck.importers.outcomes import Options
from digideck.importers.rows import Head, Row
from digideck.importers.values import number_damage, serial_damage
from digideck.schema.games.game import Game, games_meant

LONGEST_NUMBER = 40  # characters


class RowIdentifier:
    """Tells games and cards apart by what a row gives. Raises RowError where it cannot."""

    def __init__(self, games: Mapping[str, Game], options: Options) -> None:
        self.games = games
        self.options = options
        self.vocabulary = CardVocabulary(games.values())
        self._found: dict[tuple[Head, str], tuple[Game, ...]] = {}
        self._last: tuple[Head, str, tuple[Game, ...]] | None = None

    def games_of(self, row: Row) -> tuple[Game, ...]:
        """The games the row may be of: named, else those that have all its columns."""
        code = row.values.get("game", "")
        last = self._last
        if last is None or last[0] is not row.head or last[1] != code:
            key = (row.head, code)
            if key not in self._found:
                self._found[key] = self._possible_games(row.head, code)
            last = self._last = (*key, self._found[key])
        return last[2]

    def _possible_games(self, head: Head, code: str) -> tuple[Game, ...]:
        named = code.lower() or self.options.game
        if named:
            game = self.games.get(named) or self._game_called(code)
            if self.options.game and game.code != self.options.game:
                raise RowError(
                    Code.OTHER_GAME, f"the row is of {game.code}, --game says {self.options.game}"
                )
            return (game,)
        every_field = {field for game in self.games.values() for field in game.fields}
        asked = every_field.intersection(head.columns)
        return tuple(game for game in self.games.values() if asked <= game.fields.keys())

    def _game_called(self, name: str) -> Game:
        """A game by its name or one of the tags that other tools give it."""
        meant = games_meant(self.games.values(), name)
        if len(meant) == 1:
            return meant[0]
        raise RowError(
            Code.UNKNOWN_GAME, f"no game is called {name!r}", f"one of: {', '.join(self.games)}"
        )

    def number(self, row: Row) -> str:
        """The number of a row; a game and an edition that are written with it go to theirs."""
        number = plain(row.values.get("number", ""))
        if not number:
            raise RowError(
                Code.NO_NUMBER, "no card number in this row", "fill it in, or take the row out"
            )
        if len(number) > LONGEST_NUMBER:
            raise RowError(Code.NUMBER_SHAPE, f"{number[:LONGEST_NUMBER]!r}... is no card number")
        if "/" in number or "@" in number:
            game, number = self.vocabulary.split_game(number)
            number, _, edition = number.partition("@")
            for column, value in (("game", game), ("edition", edition)):
                if value and not row.values.get(column):
                    row.values[column] = value
        return number

    def card(
        self,
        number: str,
        edition: str,
        games: Iterable[Game],
        states: Mapping[str, list[CardState]],
    ) -> CardState | None:
        """The card with this number, of ``states`` by the tolerant keys of their numbers."""
        found: list[CardState] = []
        having = {state.game for state in states.get(number_key(number), ())}
        for game in games:
            if game.code not in having and not game.numbers.variants:
                continue
            prints = of_number(number, self.games, lambda key: states.get(key, ()), game.code)
            chosen = [entry for entry in prints if entry.edition == edition]
            if not edition and not chosen and len(prints) > 1:
                editions = ", ".join(sorted(entry.edition for entry in prints))
                raise RowError(
                    Code.SEVERAL_EDITIONS,
                    f"{number} has several editions: {editions}",
                    "add a column edition with one of them",
                )
            found += chosen
        if len(found) > 1:
            found = [entry for entry in found if entry.number == number] or found
        if len(found) > 1:
            raise RowError(
                Code.SEVERAL_GAMES,
                f"{number} is a card of several games: {', '.join(e.game for e in found)}",
                "add --game, or a column game",
            )
        if found:
            _refuse_other_game(number, found[0], games)
        return found[0] if found else None

    def game_of_new(self, row: Row, number: str, edition: str, games: tuple[Game, ...]) -> Game:
        """The game whose numbers look like that of a card that is not known yet."""
        told = bool(row.values.get("game") or self.options.game)
        free = told and not games[0].numbers.templates
        damage = number_damage(number)
        fitting = games if free and not damage else [g for g in games if g.numbers.prints(number)]
        if len(fitting) > 1:
            raise RowError(
                Code.SEVERAL_GAMES,
                f"{number} fits the numbers of several games: {', '.join(g.code for g in fitting)}",
                "add --game, or a column game",
            )
        if not fitting:
            raise _no_number(number, games, damage)
        game = fitting[0]
        if edition and edition not in game.editions:
            known = ", ".join(game.editions) or "none"
            raise RowError(
                Code.UNKNOWN_EDITION,
                f"edition {edition!r} is unknown in {game.code}",
                f"known: {known}",
            )
        return game


def _refuse_other_game(number: str, card: CardState, games: Iterable[Game]) -> None:
    """A number as one game prints it must not change a card of another silently."""
    if card.number == number:
        return
    printing = [game.code for game in games if game.numbers.prints_as_typed(number)]
    if printing and card.game not in printing:
        raise RowError(
            Code.SEVERAL_GAMES,
            f"{number} is how {', '.join(printing)} prints numbers, but the only card near it is "
            f"{card.game}/{card.full_number}",
            "add --game, or a column game",
        )


def _no_number(number: str, games: Sequence[Game], damage: tuple[str, str] | None) -> RowError:
    """Why ``number`` is none: what a spreadsheet did to it, or how it would be printed."""
    damage = damage or serial_damage(number)
    if damage:
        return RowError(Code.NUMBER_DAMAGED, *damage)
    whole = [form for game in games if (form := game.numbers.as_printed(number)) != number]
    if whole:
        return RowError(
            Code.NUMBER_ZEROS,
            f"{number} is not how the number is printed: were zeros lost?",
            f"printed as {', '.join(whole[:3])}; format the column as text; or add --game",
        )
    templates = games[0].numbers.templates if len(games) == 1 else ()
    shapes = f" in {games[0].code} ({', '.join(templates[:8])} ...)" if templates else ""
    without = [game.code for game in games if not game.numbers.templates]
    also = f"; --game {without[0]} if it is of that game" if without else ""
    return RowError(
        Code.NUMBER_SHAPE,
        f"{number!r} is not how card numbers are printed{shapes}",
        f"correct the number{also}; a game of your own: --new-game CODE",
    )
