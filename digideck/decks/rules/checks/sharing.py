"""Lines that can mean several cards, shared out over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from digideck.decks.matched_deck import DeckEntry


def crowded(
    readings: Sequence[tuple[DeckEntry, dict[str, int | None]]],
    limits: Mapping[str, int | None],
    sole: Mapping[str, int],
) -> Iterator[tuple[list[DeckEntry], int]]:
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
    lines: Sequence[tuple[int, Sequence[str]]], room: Mapping[str, int]
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
