"""Which fields of a game's cards tell something of a deck: ``figures`` in its YAML file."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from digideck.core.strict_yaml import Mapping

if TYPE_CHECKING:
    from digideck.schema.games.fields import Field


@dataclass(frozen=True)
class Battle:
    """The field with a Digimon's battle type, and for each type the field with the
    attack that is used against a Digimon of it.
    """

    type: str
    against: dict[str, str]


@dataclass(frozen=True)
class StatsWanted:
    """What ``deck show`` counts, by the codes of fields.

    ``curves`` are numbers to draw as curves and average, ``groups`` words to count,
    ``by_level`` numbers to average level by level. ``kinds`` are the kinds of card
    that a field is printed on; for a field that is not listed, Digimon and whatever
    else has it. ``separator`` stands between
    the words of a card that is of several groups.
    """

    curves: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    by_level: tuple[str, ...] = ()
    battle: Battle | None = None
    kinds: MappingType[str, tuple[str, ...]] = field(default_factory=dict)
    separator: str = ""

    def printed_on(self, code: str) -> tuple[str, ...]:
        """The kinds of card that have a field, so that its lack is something unknown."""
        return self.kinds.get(code, ("Digimon",))


def read_stats(
    entry: Mapping, fields: MappingType[str, Field], kinds: Collection[str]
) -> StatsWanted:
    """The figures that ``entry`` names. Raises InputError for what is no field or no number."""
    found = StatsWanted(
        _fields(entry, "curves", fields, "integer"),
        _fields(entry, "groups", fields, "text"),
        _fields(entry, "by_level", fields, "integer"),
        _battle(entry.mapping("battle"), fields) if "battle" in entry.entries else None,
        _kinds(entry.mapping("kinds"), fields, kinds),
        entry.text("separator", ""),
    )
    entry.done()
    return found


def _kinds(
    entry: Mapping, fields: MappingType[str, Field], known: Collection[str]
) -> dict[str, tuple[str, ...]]:
    found = {code: tuple(entry.texts(code)) for code in entry.entries}
    for code, kinds in found.items():
        if code not in fields:
            raise entry.problem(f"kinds: no field is {code!r}", code, ", ".join(fields))
        for kind in kinds:
            if kind not in known:
                raise entry.problem(f"{code}: no kind is {kind!r}", code, ", ".join(known))
    return found


def _fields(
    entry: Mapping, key: str, fields: MappingType[str, Field], wanted: str
) -> tuple[str, ...]:
    codes = tuple(entry.texts(key))
    fitting = [code for code, field in fields.items() if field.type == wanted]
    for code in codes:
        if code not in fitting:
            raise entry.problem(f"{key}: no {wanted} field is {code!r}", key, ", ".join(fitting))
    return codes


def _battle(entry: Mapping, fields: MappingType[str, Field]) -> Battle:
    against = entry.mapping("against")
    numbers = [code for code, field in fields.items() if field.type == "integer"]
    battle = Battle(
        entry.choice("type", fields),
        {battle_type: against.choice(battle_type, numbers) for battle_type in against.entries},
    )
    if not battle.against:
        raise entry.problem("against is missing", allowed="A: attack_a")
    entry.done()
    return battle
