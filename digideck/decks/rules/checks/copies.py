"""How many copies of a card."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from digideck.catalog.cards import Card, Name
from digideck.core.names import search_key, without_x_antibody
from digideck.core.numbers import plain
from digideck.core.problems import Fix, FixAction, Problem, Severity
from digideck.core.strict_yaml import Mapping
from digideck.decks.matched_deck import DeckEntry, MatchedDeck
from digideck.decks.rules.checks.common import Check, listed, problem, total
from digideck.decks.rules.checks.sharing import crowded
from digideck.decks.rules.rule import Rule
from digideck.schema.games.fields import UNLIMITED
from digideck.schema.games.game import Game


def copies(entry: Mapping, game: Game) -> Check:
    """At most ``most`` copies of each card, told apart by ``count_by``: name or number.

    ``own_limit`` is the field in which a card states its own limit, which then
    holds for that number alone. ``where`` restricts the rule to cards that
    have this flag. ``open_count_by`` is the other way of counting where no
    source tells which is meant: a different outcome is reported, not judged.
    """
    counter = _Copies(
        most=entry.integer("most"),
        count_by=entry.choice("count_by", ("name", "number")),
        own_limit=_field(entry, game, "own_limit"),
        where=_field(entry, game, "where"),
        open_count_by=entry.choice("open_count_by", ("name", "number", ""), ""),
    )
    return counter.check


def _field(entry: Mapping, game: Game, key: str) -> str | None:
    name = entry.optional_text(key)
    return None if name is None else game.field_in(entry, key, name).code


class _Copies(NamedTuple):
    """Counts copies under the keys that each line may count under."""

    most: int
    count_by: str
    own_limit: str | None
    where: str | None
    open_count_by: str

    def check(self, deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        entries, unflagged = self._flagged(deck.played)
        broken: set[int] = set()
        for found_problem, group in self._count(deck, rule, entries):
            broken |= {id(found) for found in group}
            yield found_problem
        yield from self._unknown_flags(deck, rule, unflagged, entries)
        rest = [found for found in entries if id(found) not in broken]
        if self.open_count_by:
            yield from self._open_counting(deck, rule, rest)
        if self.count_by == "name":
            yield from self._open_names(deck, rule, rest)
            yield from self._counted_apart(deck, rule, rest)

    def _flagged(self, entries: Sequence[DeckEntry]) -> tuple[list[DeckEntry], list[DeckEntry]]:
        """The entries the rule is for, and those of which that is not known."""
        if self.where is None:
            return list(entries), []
        flagged, unknown = [], []
        for entry in entries:
            flags = {
                None if self.where in card.doubts else card.fields.get(self.where)
                for card in entry.candidates
            } or {None}
            if flags == {True}:
                flagged.append(entry)
            elif flags != {False}:
                unknown.append(entry)
        return flagged, unknown

    def _keys(self, entry: DeckEntry, count_by: str) -> dict[str, int | None]:
        """Each key the entry may count under, with its limit (None: no limit)."""
        keys: dict[str, int | None] = {}
        for card in entry.candidates:
            own = card.fields.get(self.own_limit) if self.own_limit else None
            if own is not None:
                keys[f"number {card.full_number}"] = None if own == UNLIMITED else int(own)
            elif count_by == "number":
                keys[f"number {card.full_number}"] = self.most
            else:
                keys[card.limit_key or f"number {card.full_number}"] = self.most
        if not entry.candidates:
            names = entry.name_keys
            written = plain(entry.line.written_number).casefold()
            keys = {f"number {written}": self.most} if count_by == "number" and written else {}
            keys = keys or dict.fromkeys(names, self.most)
        return keys

    def _count(
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[DeckEntry]
    ) -> Iterator[tuple[Problem, list[DeckEntry]]]:
        """What is too much in every reading of the lines, and what is so in some only."""
        readings = [(entry, self._keys(entry, self.count_by)) for entry in entries]
        groups: dict[str, list[DeckEntry]] = defaultdict(list)
        limits: dict[str, int | None] = {}
        sole: dict[str, int] = defaultdict(int)
        for entry, keys in readings:
            limits |= keys
            for key in keys:
                groups[key].append(entry)
            if len(keys) == 1:
                sole[next(iter(keys))] += entry.count
        full: set[int] = set()
        for entry_group, allowed in crowded(readings, limits, sole):
            full |= {id(found) for found in entry_group}
            have = total(entry_group)
            yield self._too_many(deck, rule, entry_group, have, allowed), entry_group
        told: set[tuple[int, ...]] = set()  # lines with several readings stand in several groups
        for key, group in groups.items():
            limit = limits[key]
            if limit is None:
                continue
            have, possible = sole[key], total(group)
            lines = tuple(map(id, group))
            if have > limit:
                yield self._too_many(deck, rule, group, have, limit), group
            elif possible > limit and lines not in told and not full.issuperset(lines):
                told.add(lines)
                yield self._perhaps(deck, rule, group, possible, limit), group

    def _too_many(
        self, deck: MatchedDeck, rule: Rule, group: Sequence[DeckEntry], have: int, limit: int
    ) -> Problem:
        name = _group_name(group, self.count_by)
        numbers = {found.candidates[0].full_number for found in group if len(found.candidates) == 1}
        note = f" ({len(numbers)} numbers)" if self.count_by == "name" and len(numbers) > 1 else ""
        stated = self.own_limit and any(
            card.fields.get(self.own_limit) is not None
            for found in group
            for card in found.candidates
        )
        allowed = f"{limit} allowed"
        if stated:
            allowed += " by the card itself"
        elif self.own_limit:
            allowed += "; no limit of its own is recorded for the card"
        return problem(
            deck,
            rule,
            Severity.ERROR,
            f"{have} copies of {name}{note}, {allowed}",
            entries=group,
            have=have,
            allowed=limit,
            fix=Fix(FixAction.TAKE_OUT, have - limit, name),
        )

    def _perhaps(
        self, deck: MatchedDeck, rule: Rule, group: Sequence[DeckEntry], possible: int, limit: int
    ) -> Problem:
        return problem(
            deck,
            rule,
            Severity.UNKNOWN,
            f"perhaps {possible} copies of one card, {limit} allowed: "
            f"{listed([found.mention.card for found in group])} can mean different cards",
            entries=group,
            have=possible,
            allowed=limit,
            next_step="write the number, and the edition where it has one",
        )

    def _unknown_flags(
        self,
        deck: MatchedDeck,
        rule: Rule,
        unflagged: Sequence[DeckEntry],
        flagged: Sequence[DeckEntry],
    ) -> Iterator[Problem]:
        groups: dict[str, list[DeckEntry]] = defaultdict(list)
        for entry in unflagged:
            for key in self._keys(entry, self.count_by):
                groups[key].append(entry)
        for entry in flagged:  # "Agumon" may be one more of the DM-035 that is marked
            for key in groups.keys() & self._keys(entry, self.count_by):
                groups[key].append(entry)
        doubtful = [group for group in groups.values() if total(group) > self.most]
        if not doubtful:
            return
        concerned = list(dict.fromkeys(found for group in doubtful for found in group))
        titles = list(dict.fromkeys(found.mention.card for found in concerned))
        mark = deck.game.fields[self.where or ""].label
        yield problem(
            deck,
            rule,
            Severity.UNKNOWN,
            f"not known whether {listed(titles)} {'is' if len(titles) == 1 else 'are'} marked "
            f"{mark}; if so, only {self.most} of each is allowed",
            entries=concerned,
            have=max(total(group) for group in doubtful),
            allowed=self.most,
            next_step=f"look at the cards and import a CSV: number,{self.where}",
        )

    def _open_counting(
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[DeckEntry]
    ) -> Iterator[Problem]:
        """Where no source tells how copies are counted: the outcome of the other way."""
        groups: dict[str, list[DeckEntry]] = defaultdict(list)
        for entry in entries:
            keys = self._keys(entry, self.open_count_by)
            if len(keys) == 1:
                groups[next(iter(keys))].append(entry)
        for group in groups.values():
            have = total(group)
            if len(group) > 1 and have > self.most:
                name = _group_name(group, self.open_count_by)
                yield problem(
                    deck,
                    rule,
                    Severity.WARNING,
                    f"counted by {self.open_count_by}, {name} would have {have} copies, "
                    f"{self.most} allowed; no source tells which way counts",
                    entries=group,
                    have=have,
                    allowed=self.most,
                )

    def _open_names(
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[DeckEntry]
    ) -> Iterator[Problem]:
        """Second names, and species that share their Japanese name."""
        fold = deck.game.folds_x_antibody
        groups: dict[str, list[DeckEntry]] = defaultdict(list)
        for entry in entries:
            if len(entry.name_keys) == 1 and entry.candidates and self._own(entry) is None:
                for key in {key for card in entry.candidates for key in _name_keys(card, fold)}:
                    groups[key].append(entry)
        told: set[tuple[int, ...]] = set()
        for group in groups.values():
            have = total(group)
            names = dict.fromkeys(found.candidates[0].name for found in group)
            own_names = {key for found in group for key in found.name_keys}
            lines = tuple(map(id, group))
            if have > self.most and len(own_names) > 1 and lines not in told:
                told.add(lines)
                yield problem(
                    deck,
                    rule,
                    Severity.WARNING,
                    f"{listed(list(names))} share a name; no source tells whether they "
                    f"share the {self.most} copies (together {have})",
                    entries=group,
                    have=have,
                    allowed=self.most,
                )

    def _counted_apart(
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[DeckEntry]
    ) -> Iterator[Problem]:
        """A number with a limit of its own, beside other numbers of its name."""
        exempt: dict[str, list[DeckEntry]] = defaultdict(list)
        for entry in entries:
            if entry.candidates and self._own(entry) is not None:
                exempt[entry.candidates[0].limit_key or ""].append(entry)
        for key, own in exempt.items():
            others = [
                found for found in entries if key in found.name_keys and self._own(found) is None
            ]
            have = total(own)
            beside = total(others)
            if beside and have + beside > self.most:
                yield problem(
                    deck,
                    rule,
                    Severity.WARNING,
                    f"{have} of {own[0].mention.card} are counted apart, by the card's own limit, "
                    f"from {beside} of the same name; no source tells how they mix",
                    entries=[*own, *others],
                    have=have + beside,
                    allowed=self.most,
                )

    def _own(self, entry: DeckEntry) -> object:
        """The limit that a line's card states; None where it may be another card."""
        limits = {
            card.fields.get(self.own_limit) if self.own_limit else None for card in entry.candidates
        }
        return limits.pop() if len(limits) == 1 else None


def _name_keys(card: Card, fold: bool) -> Iterable[str]:
    """What a card may be counted under: its limit key and those of its other names."""
    if card.limit_key:
        yield card.limit_key
    yield from _other_keys(card.names, fold and card.kind == "Digimon")


@lru_cache(maxsize=10_000)  # decks repeat their cards
def _other_keys(names: tuple[Name, ...], fold: bool) -> frozenset[str]:
    """The limit keys of a card's second and Japanese names."""
    texts = [
        name.text
        for name in names
        if name.role == "also" or (name.language == "ja" and name.role in ("name", "species"))
    ]
    return frozenset(search_key(without_x_antibody(text) if fold else text) for text in texts)


def shared_number(entry: Mapping, game: Game) -> Check:
    """Warns of two editions of one number in a deck, where no source tells of it."""

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        groups: dict[str, dict[str, DeckEntry]] = defaultdict(dict)
        for found in deck.played:
            if len(found.candidates) == 1 and found.candidates[0].edition:
                card = found.candidates[0]
                groups[card.number][card.edition] = found
        for number, editions in groups.items():
            if len(editions) > 1:
                yield problem(
                    deck,
                    rule,
                    Severity.WARNING,
                    f"{number} is in the deck in {len(editions)} editions; "
                    "no source tells whether that is allowed",
                    entries=list(editions.values()),
                    have=len(editions),
                )

    return check


def _group_name(group: Sequence[DeckEntry], count_by: str) -> str:
    """The card that a group is about; every card it can be where its lines leave that open."""
    names: dict[str, str] = {}
    for found in group:
        for card in found.candidates:
            if count_by == "name" and card.limit_key:
                names.setdefault(card.limit_key, card.name)
            else:
                names.setdefault(card.key, card.title)
    return listed(list(names.values()), joined_by="or") if names else group[0].line.shown
