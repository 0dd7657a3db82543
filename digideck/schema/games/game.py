"""What a game's YAML file says of its cards: numbers, levels, kinds, words, fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Set
from collections.abc import Mapping as MappingType
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.numbers import NumberShapes, edition_key
from digideck.core.problems import input_error
from digideck.core.strict_yaml import Mapping
from digideck.schema.games.fields import FIELD_TYPES, Field

if TYPE_CHECKING:
    from digideck.schema.games.deck_stats import StatsWanted
    from digideck.schema.games.drawing import Drawing

_NEEDED = {"numbers", "levels", "kinds"}


@dataclass(frozen=True)
class Game:
    """One game. ``definition`` is its YAML file as plain values."""

    code: str
    name: str
    years: str
    definition: dict[str, Any]

    @cached_property
    def numbers(self) -> NumberShapes:
        """The shapes of its card numbers."""
        return NumberShapes(self.definition["numbers"], self.definition.get("variants") or ())

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Its level words, lowest first."""
        return tuple(self.definition["levels"])

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Its kinds of card."""
        return tuple(self.definition["kinds"])

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The fields to show in a list of its cards."""
        return tuple(self.definition.get("columns") or ())

    @cached_property
    def word_of(self) -> dict[str, str]:
        """Levels and kinds by every word for them, as search keys."""
        words = {search_key(word): word for word in (*self.levels, *self.kinds)}
        for word, others in (self.definition.get("also_called") or {}).items():
            words |= {search_key(other): word for other in others}
        return words

    @cached_property
    def zones(self) -> tuple[str, ...]:
        """The parts of a deck."""
        return tuple(self.definition.get("zones") or ())

    @cached_property
    def zone_of_kind(self) -> dict[str, str]:
        """The zone of each kind of card that has one of its own, wherever it is listed."""
        zones = self.definition.get("zones") or {}
        return {kind: zone for zone, entry in zones.items() for kind in entry.get("kinds") or ()}

    @cached_property
    def editions(self) -> tuple[str, ...]:
        """The words that tell apart prints sharing a number."""
        return tuple(map(edition_key, self.definition.get("editions") or ()))

    @cached_property
    def folds_x_antibody(self) -> bool:
        """Whether an X-Antibody Digimon counts as its base Digimon."""
        return self.definition.get("folds_x_antibody") == "true"

    @cached_property
    def regions(self) -> dict[str, str]:
        """Its regions with restrictions of their own, each with what its list is called."""
        return dict(self.definition.get("regions") or {})

    @property
    def default_region(self) -> str:
        """The region whose list counts unless another is named; empty where there is none."""
        return next(iter(self.regions), "")

    @cached_property
    def fields(self) -> dict[str, Field]:
        """Its fields by code."""
        return {
            code: Field(
                code,
                entry.get("label") or code,
                entry["type"],
                tuple(entry.get("words") or ()),
                entry.get("says") or "",
                entry.get("of_sources") == "true",
            )
            for code, entry in (self.definition.get("fields") or {}).items()
        }

    @cached_property
    def field_of(self) -> dict[str, Field]:
        """Its fields by every word for them, as search keys."""
        return {
            search_key(word): field
            for field in self.fields.values()
            for word in (*field.words, field.label, field.code)
        }

    def field_in(self, entry: Mapping, key: str, name: str) -> Field:
        """The field that ``key`` of a format calls so. Raises InputError for none, listing all."""
        field = self.field_of.get(search_key(name))
        if field is None:
            known = ", ".join(self.fields)
            raise entry.problem(f"{name!r} is not a field of {self.code}", key, known)
        return field

    @cached_property
    def drawing(self) -> Drawing | None:
        """How its hands are drawn; None where the file does not say."""
        entry = self.definition.get("drawing")
        return self._read_drawing(Mapping.from_plain(entry, self.code)) if entry else None

    @cached_property
    def stats(self) -> StatsWanted:
        """What is counted in its decks."""
        return self._read_stats(Mapping.from_plain(self.definition.get("figures") or {}, self.code))

    # Both are imported where they are asked for: most commands start without them.
    def _read_stats(self, entry: Mapping) -> StatsWanted:
        from digideck.schema.games.deck_stats import read_stats  # start-up

        return read_stats(entry, self.fields, self.kinds)

    def _read_drawing(self, entry: Mapping) -> Drawing:
        from digideck.schema.games.drawing import read_drawing  # start-up

        sources = self.definition.get("sources") or {}
        zones = ("main", *self.zones)
        return read_drawing(entry, self.levels, self.kinds, zones, sources)

    def check(self, yaml_file: Mapping) -> None:
        """Read what is read only when it is asked for. Raises InputError."""
        if "drawing" in yaml_file.entries:
            self._read_drawing(yaml_file.mapping("drawing"))
        self._read_stats(yaml_file.mapping("figures"))


def read_game(yaml_file: Mapping) -> Game:
    """The game in a YAML file, checked key by key except for its formats.

    Formats are checked by the room that judges decks. Raises InputError.
    """
    code = yaml_file.text("game")
    name, years = yaml_file.text("name"), yaml_file.text("years")
    for key in sorted(_NEEDED):
        if not yaml_file.texts(key):
            raise yaml_file.problem(f"{key} is missing", key)
    for key in ("editions", "variants", "tags"):
        yaml_file.texts(key)
    _check_variants(yaml_file)
    yaml_file.flag("folds_x_antibody")
    yaml_file.texts("columns")
    called = yaml_file.mapping("also_called")
    for word in called.entries:
        called.texts(word)
    for _, field in yaml_file.mapping("fields").each_mapping():
        field.optional_text("label")
        field.choice("type", FIELD_TYPES)
        field.texts("words")
        field.optional_text("says")
        field.flag("of_sources")
        field.done()
    for _, zone in yaml_file.mapping("zones").each_mapping():
        zone.texts("words"), zone.texts("kinds")
        zone.done()
    for key in ("regions", "lackey_zones"):
        named = yaml_file.mapping(key)
        for code_of in named.entries:
            named.text(code_of)
    yaml_file.texts("headings")
    evolution = yaml_file.mapping("evolution")
    evolution.optional_text("field")
    evolution.choice("start", ("levels", "all"), "levels")
    for key in ("kinds", "start_levels"):
        evolution.texts(key)
    for key in ("level_words", "qualifiers"):
        words = evolution.mapping(key)
        for word in words.entries:
            words.text(word)
    evolution.done()
    yaml_file.mapping("sources")
    yaml_file.text("default_format", "")
    yaml_file.mapping("formats")
    game = Game(code, name, years, yaml_file.as_plain())
    game.check(yaml_file)
    yaml_file.done()
    return game


def _check_variants(yaml_file: Mapping) -> None:
    for variant in yaml_file.texts("variants"):
        try:
            re.compile(variant)
        except re.error as error:
            raise yaml_file.problem(
                f"variants: {variant!r} is no regular expression: {error}", "variants"
            ) from None


def game_called(games: Iterable[Game], text: str) -> Game | None:
    """The game of this code, name or tag, spelling aside."""
    key = search_key(text)
    for game in games:
        words = (game.code, game.name, *(game.definition.get("tags") or ()))
        if key in map(search_key, words):
            return game
    return None


def games_meant(games: Iterable[Game], text: str) -> list[Game]:
    """The game that is called so; else those whose code begins so, else those whose name does."""
    known = list(games)
    called = game_called(known, text)
    key = search_key(text)
    if called or not key:
        return [called] if called else []
    by_code = [game for game in known if search_key(game.code).startswith(key)]
    return by_code or [game for game in known if search_key(game.name).startswith(key)]


def game_from_row(row: MappingType[str, Any]) -> Game:
    """The game as the database holds it."""
    code = row["code"]
    definition = stored_description(f"the game {code}", row["definition"], _NEEDED)
    return Game(code, row["name"], row["years"], definition)


def stored_description(what: str, text: str, needed: Set[str] = frozenset()) -> dict[str, Any]:
    """What the database holds of a game or format. Raises InputError where it is damaged."""
    try:
        definition = json.loads(text)
    except ValueError:
        definition = None
    if not isinstance(definition, dict) or not definition.keys() >= needed:
        raise input_error(
            Code.DATABASE_CORRUPT,
            f"the database is damaged: what it holds of {what} is not its description",
            next_step="put back a copy from the folder backups beside it: digideck db restore FILE",
        )
    return definition
