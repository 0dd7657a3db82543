"""One check for each kind of rule, never for a game.

A check is made once from a rule file's entry (``make``: which keys it takes)
and then run on decks: ``(deck, rule) -> problems``. It is pure: it prints
nothing and raises nothing for what a user can write.

A line with several candidates is taken in every reading. What holds in all of
them is an ERROR, what holds in some only is UNKNOWN.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingType
from typing import TYPE_CHECKING

from digideck.decks.match import Entry, MatchedDeck
from digideck.decks.model import MAIN
from digideck.schema.cards import Card
from digideck.schema.games import UNLIMITED, Game
from digideck.schema.names import search_key, without_x_antibody
from digideck.schema.numbers import plain
from digideck.schema.problems import CardMention, Problem, Severity
from digideck.schema.strict_yaml import Mapping

if TYPE_CHECKING:
    from digideck.decks.rules import Rule

Check = Callable[[MatchedDeck, "Rule"], Iterable[Problem]]


def size(entry: Mapping, game: Game) -> Check:
    """``least`` to ``most`` cards in ``zone`` (either may be left out)."""
    zone = entry.text("zone", MAIN)
    least, most = entry.optional_integer("least"), entry.optional_integer("most")

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        have = deck.deck.cards(zone)
        if least is not None and have < least:
            change = f"add {least - have}"
        elif most is not None and have > most:
            change = f"take out {have - most}"
        else:
            return
        yield _problem(
            deck,
            rule,
            Severity.ERROR,
            f"{have} cards, the format wants {_span(least, most)}",
            have=have,
            allowed=_span(least, most),
            next_step=change,
        )

    return check


def _span(least: int | None, most: int | None) -> str:
    if least == most:
        return f"exactly {least}"
    if most is None:
        return f"{least} or more"
    return f"at most {most}" if least is None else f"{least} to {most}"


def at_least(entry: Mapping, game: Game) -> Check:
    """At least ``cards`` cards of ``kind`` with one of ``levels``.

    ``open_levels`` are levels of which no source tells whether they serve.
    """
    wanted = entry.integer("cards")
    kind = entry.choice("kind", game.kinds)
    levels, open_levels = entry.texts("levels"), entry.texts("open_levels")
    for level in (*levels, *open_levels):
        if level not in game.levels:
            raise entry.problem(
                f"level {level!r} is not one of: {', '.join(game.levels)}", "levels"
            )
    named = " or ".join(levels)

    def may_serve(card: Card) -> bool:
        if card.kind not in (None, kind):
            return False
        return card.level in (None, *levels, *open_levels) or "level" in card.doubts

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        main = [found for found in deck.entries if found.line.zone == MAIN]
        sure = [
            found
            for found in main
            if found.candidates
            and all(
                card.kind == kind and card.level in levels and "level" not in card.doubts
                for card in found.candidates
            )
        ]
        have = sum(found.count for found in sure)
        if have >= wanted:
            return
        open_cards = [
            found
            for found in main
            if found.candidates
            and all(
                card.kind == kind and card.level in (*levels, *open_levels)
                for card in found.candidates
            )
        ]
        unknown = [
            found
            for found in main
            if not found.candidates or any(may_serve(card) for card in found.candidates)
        ]
        if open_cards:
            yield _problem(
                deck,
                rule,
                Severity.WARNING,
                f"no {kind} of level {named} but {open_cards[0].mention.card}: "
                f"no source tells whether {' or '.join(open_levels)} serves as {named}",
                entries=open_cards,
                have=have,
                allowed=f"{wanted} or more",
            )
        elif unknown:
            yield _problem(
                deck,
                rule,
                Severity.UNKNOWN,
                f"no card is known to be a {kind} of level {named}; the level of "
                f"{_list([found.mention.card for found in unknown])} is not known for sure",
                entries=unknown,
                have=have,
                allowed=f"{wanted} or more",
                next_step="import the level of one of them, or add a card that is known to be one",
            )
        else:
            yield _problem(
                deck,
                rule,
                Severity.ERROR,
                f"no {kind} of level {named}",
                have=have,
                allowed=f"{wanted} or more",
                next_step=f"put in a {kind} of level {named}",
            )

    return check


def copies(entry: Mapping, game: Game) -> Check:
    """At most ``most`` copies of each card, told apart by ``count_by``: name or number.

    ``own_limit`` is the field in which a card states its own limit, which then
    holds for that number alone. ``where`` restricts the rule to cards that
    have this flag. ``open_count_by`` is the other way of counting where no
    source tells which is meant: a different outcome is said, not judged.
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
    if name is not None and name not in game.fields:
        raise entry.problem(f"{key}: {name!r} is not a field of {game.code}", key)
    return name


class _Copies:
    """Counts copies under the keys that each line may count under."""

    def __init__(
        self,
        most: int,
        count_by: str,
        own_limit: str | None,
        where: str | None,
        open_count_by: str,
    ) -> None:
        self.most = most
        self.count_by = count_by
        self.own_limit = own_limit
        self.where = where
        self.open_count_by = open_count_by

    def check(self, deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        entries, unflagged = self._flagged(deck.entries)
        broken: set[int] = set()
        for problem, group in self._count(deck, rule, entries):
            broken |= {id(found) for found in group}
            yield problem
        yield from self._unknown_flags(deck, rule, unflagged, entries)
        rest = [found for found in entries if id(found) not in broken]
        if self.open_count_by:
            yield from self._open_counting(deck, rule, rest)
        if self.count_by == "name":
            yield from self._open_names(deck, rule, rest)
            yield from self._counted_apart(deck, rule, rest)

    def _flagged(self, entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
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

    def _keys(self, entry: Entry, count_by: str) -> dict[str, int | None]:
        """Each key the entry may count under, with its limit (None: no limit)."""
        keys: dict[str, int | None] = {}
        for card in entry.candidates:
            own = card.fields.get(self.own_limit) if self.own_limit else None
            if own is not None:
                keys[f"number {card.written_number}"] = None if own == UNLIMITED else int(own)
            elif count_by == "number":
                keys[f"number {card.written_number}"] = self.most
            else:
                keys[card.limit_key or f"number {card.written_number}"] = self.most
        if not entry.candidates:
            names = entry.name_keys
            written = plain(entry.line.written_number).casefold()
            keys = {f"number {written}": self.most} if count_by == "number" and written else {}
            keys = keys or dict.fromkeys(names, self.most)
        return keys

    def _count(
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[Entry]
    ) -> Iterator[tuple[Problem, list[Entry]]]:
        """What is too much in every reading of the lines, and what is so in some only."""
        readings = [(entry, self._keys(entry, self.count_by)) for entry in entries]
        groups: dict[str, list[Entry]] = defaultdict(list)
        limits: dict[str, int | None] = {}
        sole: dict[str, int] = defaultdict(int)
        for entry, keys in readings:
            limits |= keys
            for key in keys:
                groups[key].append(entry)
            if len(keys) == 1:
                sole[next(iter(keys))] += entry.count
        crowded: set[int] = set()
        for entry_group, allowed in _crowded(readings, limits, sole):
            crowded |= {id(found) for found in entry_group}
            have = sum(found.count for found in entry_group)
            yield self._too_many(deck, rule, entry_group, have, allowed), entry_group
        told: set[tuple[int, ...]] = set()  # lines with several readings stand in several groups
        for key, group in groups.items():
            limit = limits[key]
            if limit is None:
                continue
            have, possible = sole[key], sum(entry.count for entry in group)
            lines = tuple(map(id, group))
            if have > limit:
                yield self._too_many(deck, rule, group, have, limit), group
            elif possible > limit and lines not in told and not crowded.issuperset(lines):
                told.add(lines)
                yield self._perhaps(deck, rule, group, possible, limit), group

    def _too_many(
        self, deck: MatchedDeck, rule: Rule, group: Sequence[Entry], have: int, limit: int
    ) -> Problem:
        name = _group_name(group, self.count_by)
        numbers = {card.written_number for found in group for card in found.candidates}
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
        return _problem(
            deck,
            rule,
            Severity.ERROR,
            f"{have} copies of {name}{note}, {allowed}",
            entries=group,
            have=have,
            allowed=limit,
            next_step=f"take out {have - limit} of them",
        )

    def _perhaps(
        self, deck: MatchedDeck, rule: Rule, group: Sequence[Entry], possible: int, limit: int
    ) -> Problem:
        return _problem(
            deck,
            rule,
            Severity.UNKNOWN,
            f"perhaps {possible} copies of one card, {limit} allowed: "
            f"{_list([found.mention.card for found in group])} can mean different cards",
            entries=group,
            have=possible,
            allowed=limit,
            next_step="write the number, and the edition where it has one",
        )

    def _unknown_flags(
        self,
        deck: MatchedDeck,
        rule: Rule,
        unflagged: Sequence[Entry],
        flagged: Sequence[Entry],
    ) -> Iterator[Problem]:
        groups: dict[str, list[Entry]] = defaultdict(list)
        for entry in unflagged:
            for key in self._keys(entry, self.count_by):
                groups[key].append(entry)
        for entry in flagged:  # "Agumon" may be one more of the DM-035 that is marked
            for key in groups.keys() & self._keys(entry, self.count_by):
                groups[key].append(entry)
        doubtful = [
            group for group in groups.values() if sum(found.count for found in group) > self.most
        ]
        if not doubtful:
            return
        concerned = list(dict.fromkeys(found for group in doubtful for found in group))
        titles = list(dict.fromkeys(found.mention.card for found in concerned))
        mark = deck.game.fields[self.where or ""].label
        yield _problem(
            deck,
            rule,
            Severity.UNKNOWN,
            f"not known whether {_list(titles)} {'is' if len(titles) == 1 else 'are'} marked "
            f"{mark}; if so, only {self.most} of each is allowed",
            entries=concerned,
            have=max(sum(found.count for found in group) for group in doubtful),
            allowed=self.most,
            next_step=f"look at the cards and import a CSV: number,{self.where}",
        )

    def _open_counting(
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[Entry]
    ) -> Iterator[Problem]:
        """Where no source tells how copies are counted: the outcome of the other way."""
        groups: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            keys = self._keys(entry, self.open_count_by)
            if len(keys) == 1:
                groups[next(iter(keys))].append(entry)
        for group in groups.values():
            have = sum(found.count for found in group)
            if len(group) > 1 and have > self.most:
                name = _group_name(group, self.open_count_by)
                yield _problem(
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
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[Entry]
    ) -> Iterator[Problem]:
        """Second names, and species that share their Japanese name."""
        fold = deck.game.folds_x_antibody
        groups: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            if len(entry.name_keys) == 1 and entry.candidates and self._own(entry) is None:
                other = {key for card in entry.candidates for key in _other_keys(card, fold)}
                for key in other:
                    groups[key].append(entry)
        told: set[tuple[int, ...]] = set()
        for group in groups.values():
            have = sum(found.count for found in group)
            names = dict.fromkeys(found.candidates[0].name for found in group)
            own_names = {key for found in group for key in found.name_keys}
            lines = tuple(map(id, group))
            if have > self.most and len(own_names) > 1 and lines not in told:
                told.add(lines)
                yield _problem(
                    deck,
                    rule,
                    Severity.WARNING,
                    f"{_list(list(names))} share a name; no source tells whether they "
                    f"share the {self.most} copies (together {have})",
                    entries=group,
                    have=have,
                    allowed=self.most,
                )

    def _counted_apart(
        self, deck: MatchedDeck, rule: Rule, entries: Sequence[Entry]
    ) -> Iterator[Problem]:
        """A number with a limit of its own, beside other numbers of its name."""
        exempt: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            if entry.candidates and self._own(entry) is not None:
                exempt[entry.candidates[0].limit_key or ""].append(entry)
        for key, own in exempt.items():
            others = [
                found for found in entries if key in found.name_keys and self._own(found) is None
            ]
            have = sum(found.count for found in own)
            beside = sum(found.count for found in others)
            if beside and have + beside > self.most:
                yield _problem(
                    deck,
                    rule,
                    Severity.WARNING,
                    f"{have} of {own[0].mention.card} are counted apart, by the card's own limit, "
                    f"from {beside} of the same name; no source tells how they mix",
                    entries=[*own, *others],
                    have=have + beside,
                    allowed=self.most,
                )

    def _own(self, entry: Entry) -> object:
        """The limit that a line's card states; None where it may be another card."""
        limits = {
            card.fields.get(self.own_limit) if self.own_limit else None for card in entry.candidates
        }
        return limits.pop() if len(limits) == 1 else None


def _crowded(
    readings: Sequence[tuple[Entry, dict[str, int | None]]],
    limits: MappingType[str, int | None],
    sole: MappingType[str, int],
) -> Iterator[tuple[list[Entry], int]]:
    """Lines that have more copies than all they can mean together may have.

    Each copy is given one of the keys its line may count under, moving earlier
    copies to their other keys where that makes room. Where none can be made,
    the keys that were tried are full in every reading.
    """
    full = {key for key, limit in limits.items() if limit is not None and sole[key] > limit}
    open_ones = [
        (entry, list(keys))
        for entry, keys in readings
        if None not in keys.values() and not full.intersection(keys)
    ]
    shared = {key for _, keys in open_ones if len(keys) > 1 for key in keys}
    todo = [(entry, keys) for entry, keys in open_ones if shared.intersection(keys)]
    while todo:
        room = {key: limits[key] or 0 for key in shared}
        tried = _first_without_room([(entry.count, keys) for entry, keys in todo], room)
        if not tried:
            return
        group = [entry for entry, keys in todo if tried.issuperset(keys)]
        yield group, sum(room[key] for key in tried)
        todo = [(entry, keys) for entry, keys in todo if not tried.issuperset(keys)]


def _first_without_room(
    lines: Sequence[tuple[int, Sequence[str]]], room: MappingType[str, int]
) -> set[str]:
    """The keys that are full when the first copy finds no room; none if all find some."""
    under: dict[str, list[int]] = {key: [] for key in room}

    def place(line: int, tried: set[str]) -> bool:
        for key in lines[line][1]:
            if key in tried:
                continue
            tried.add(key)
            if len(under[key]) < room[key]:
                under[key].append(line)
                return True
            for slot, other in enumerate(under[key]):
                if place(other, tried):
                    under[key][slot] = line
                    return True
        return False

    for line, (count, _) in enumerate(lines):
        for _ in range(count):
            tried: set[str] = set()
            if not place(line, tried):
                return tried
    return set()


def _other_keys(card: Card, fold: bool) -> set[str]:
    """The limit key of a card with those of its second and Japanese names."""
    names = [
        name.text
        for name in card.names
        if name.role == "also" or (name.language == "ja" and name.role in ("name", "species"))
    ]
    if fold and card.kind == "Digimon":
        names = [without_x_antibody(name) for name in names]
    keys = {search_key(name) for name in names}
    return keys | ({card.limit_key} if card.limit_key else set())


def shared_number(entry: Mapping, game: Game) -> Check:
    """Warns of two editions of one number in a deck, where no source tells of it."""

    def check(deck: MatchedDeck, rule: Rule) -> Iterator[Problem]:
        groups: dict[str, dict[str, Entry]] = defaultdict(dict)
        for found in deck.entries:
            if len(found.candidates) == 1 and found.candidates[0].edition:
                card = found.candidates[0]
                groups[card.number][card.edition] = found
        for number, editions in groups.items():
            if len(editions) > 1:
                yield _problem(
                    deck,
                    rule,
                    Severity.WARNING,
                    f"{number} is in the deck in {len(editions)} editions; "
                    "no source tells whether that is allowed",
                    entries=list(editions.values()),
                    have=len(editions),
                )

    return check


CHECKS: dict[str, Callable[[Mapping, Game], Check]] = {
    "size": size,
    "at_least": at_least,
    "copies": copies,
    "shared_number": shared_number,
}


def _group_name(group: Sequence[Entry], count_by: str) -> str:
    """The card that a group is about; every card it can be where its lines leave that open."""
    names: dict[str, str] = {}
    for found in group:
        for card in found.candidates:
            if count_by == "name" and card.limit_key:
                names.setdefault(card.limit_key, card.name)
            else:
                names.setdefault(card.key, card.title)
    return _list(list(names.values()), joined_by="or") if names else group[0].line.shown


def _list(items: Sequence[str], most: int = 6, joined_by: str = "and") -> str:
    """Joined as in "a, b and c", cut after ``most``."""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"{len(items) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {joined_by} {shown[-1]}"


def _problem(
    deck: MatchedDeck,
    rule: Rule,
    severity: Severity,
    message: str,
    *,
    entries: Sequence[Entry] = (),
    have: int | None = None,
    allowed: int | str | None = None,
    next_step: str | None = None,
) -> Problem:
    mentions: tuple[CardMention, ...] = tuple(found.mention for found in entries)
    assumed = ", assumed" if rule.assumed else ""
    return Problem(
        rule.id,
        severity,
        message,
        deck.deck.file,
        mentions[0].line if mentions else None,
        cards=mentions,
        have=have,
        allowed=allowed,
        rule=rule.says,
        source=f"{rule.source} ({rule.certainty}{assumed})",
        next_step=next_step,
    )
