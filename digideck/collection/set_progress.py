"""How much of each set is owned, and of each number series where sets are unknown."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from digideck.catalog.sets import SetFacts, set_facts
from digideck.collection.ledger import counts
from digideck.collection.views import series


@dataclass
class SetProgress:
    """One set or series. ``code`` names it; ``printed`` is None where no source tells.

    ``known`` cards are known to be in it, ``owned`` of them are held, in
    ``copies`` copies. ``may_be_more``: cards are held that may be of this set
    too, since their set is not known.
    """

    game: str
    code: str
    name: str
    is_set: bool
    printed: int | None
    known: int
    owned: int = 0
    copies: int = 0
    may_be_more: bool = False
    missing: list[int] = field(default_factory=list)  # ids of known cards that are not held

    @property
    def spares(self) -> int:
        """The copies beyond one of each."""
        return self.copies - self.owned

    @property
    def out_of(self) -> int | None:
        """The cards there are: those printed, else those known; None if that is unknown."""
        return self.printed or self.known or None

    @property
    def share(self) -> float | None:
        """The part that is owned, 0 to 1; None where it cannot be told, which is not 0."""
        if not self.out_of or (not self.known and not self.owned):
            return None
        return min(1.0, self.owned / self.out_of)

    @property
    def complete(self) -> bool | None:
        """Whether every card is owned; None where it cannot be told."""
        if self.share is None:
            return None
        if self.owned >= (self.out_of or 0) and self.printed is not None:
            return True
        return False if self.missing or not self.may_be_more else None


def progress(connection: sqlite3.Connection, game: str | None = None) -> list[SetProgress]:
    """Every set of a game or of all, then the series of the cards whose set is unknown."""
    owned = counts(connection)
    members = _members(connection, game)
    homeless = _homeless(connection, game)
    uncertain = {key[0] for key, cards in homeless.items() if any(c in owned for c in cards)}
    found = []
    for facts in set_facts(connection, game):
        entry = _of_set(facts, facts.game in uncertain)
        copies = members.get((facts.game, facts.code), {})
        _count(entry, copies)
        found.append(entry)
    for (card_game, code), cards in homeless.items():
        entry = SetProgress(card_game, code, "", False, None, len(cards))
        _count(entry, {card: owned.get(card, 0) for card in cards})
        found.append(entry)
    return found


def _of_set(facts: SetFacts, uncertain: bool) -> SetProgress:
    name = facts.name_en or facts.name_ja or ""
    gap = facts.printed is None or facts.known < facts.printed
    return SetProgress(
        facts.game,
        facts.code,
        name,
        True,
        facts.printed,
        facts.known,
        may_be_more=uncertain and gap,
    )


def _count(entry: SetProgress, copies: dict[int, int]) -> None:
    entry.owned = sum(count > 0 for count in copies.values())
    entry.copies = sum(copies.values())
    entry.missing = [card for card, count in copies.items() if not count]


def _members(
    connection: sqlite3.Connection, game: str | None
) -> dict[tuple[str, str], dict[int, int]]:
    """By set: its cards with the copies held of them.

    A copy whose set is recorded counts there alone, another one in every set
    that its card is in.
    """
    found: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    rows = connection.execute(
        """SELECT in_set.game, in_set.set_code, card_id,
             COALESCE((SELECT SUM(count) FROM holding WHERE holding.card_id = in_set.card_id
                       AND holding.set_code IN ('', in_set.set_code)), 0)
           FROM in_set JOIN card ON card.id = card_id
           WHERE :game IS NULL OR in_set.game = :game
           ORDER BY in_set.game, number_sort, edition""",
        {"game": game},
    )
    for set_game, code, card, count in rows:
        found[set_game, code][card] = count
    elsewhere = connection.execute(
        """SELECT card.game, set_code, card_id, SUM(count) FROM holding
           JOIN card ON card.id = card_id
           WHERE set_code <> '' AND (:game IS NULL OR card.game = :game)
             AND NOT EXISTS (SELECT 1 FROM in_set WHERE in_set.card_id = holding.card_id
                             AND in_set.set_code = holding.set_code)
           GROUP BY 1, 2, 3""",
        {"game": game},
    )
    for set_game, code, card, count in elsewhere:  # the user knows better than the data
        found[set_game, code][card] = count
    return found


def _homeless(connection: sqlite3.Connection, game: str | None) -> dict[tuple[str, str], list[int]]:
    """The cards that are in no set, by game and series of their number."""
    found: dict[tuple[str, str], list[int]] = {}
    rows = connection.execute(
        """SELECT id, game, number FROM card
           WHERE NOT EXISTS (SELECT 1 FROM printing WHERE card_id = card.id)
             AND (:game IS NULL OR game = :game) ORDER BY game, number_sort, edition""",
        {"game": game},
    )
    for card, card_game, number in rows:
        found.setdefault((card_game, series(number)), []).append(card)
    return found


def worth_showing(
    entries: list[SetProgress], collected: set[tuple[str, str]]
) -> Iterator[SetProgress]:
    """The sets and series in which something is owned, and those being collected."""
    for entry in entries:
        if entry.owned or (entry.is_set and (entry.game, entry.code) in collected):
            yield entry
