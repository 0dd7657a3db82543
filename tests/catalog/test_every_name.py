"""Every name and number that ships, in every language, finds its card however it is typed."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable

import pytest

from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import look_up, meant_by
from digideck.catalog.mention_text import clean, read_copies
from digideck.catalog.query import understand
from digideck.collection.copy_requests import CopyReader
from digideck.collection.list_contents import contents
from digideck.collection.list_reader import read_collection
from digideck.core.problems import Severity
from tests.conftest import Run
from tests.strategies import full_width, half_width

FORMS = {
    "printed": str,
    "full-width": full_width,
    "half-width": half_width,
    "upper-case": str.upper,
    "lower-case": str.lower,
}
as_typed = pytest.mark.parametrize("typed", FORMS.values(), ids=FORMS)
Typed = Callable[[str], str]


@pytest.fixture(scope="module")
def names(index: CardIndex) -> dict[str, set[int]]:
    """The ids of the cards that have it, by name."""
    found: dict[str, set[int]] = defaultdict(set)
    for card_id, name in index.connection.execute("SELECT card_id, name FROM card_name"):
        found[name].add(card_id)
    index.by_ids(index.all_ids())
    assert len(found) > 4000
    return found


def copies(index: CardIndex, line: str, count: int) -> set[int]:
    """The cards of a line of a deck, if that is the count that is read in it."""
    mention = read_copies(clean(line), index.vocabulary)
    found = look_up(index, mention) if mention else None
    return {card.id for card in found.cards} if found and found.mention.count == count else set()


@as_typed
def test_show(index: CardIndex, names: dict[str, set[int]], typed: Typed) -> None:
    def shown(name: str) -> set[int]:
        return {card.id for card in meant_by(index, typed(name)).cards}

    assert [name for name, ids in names.items() if not ids & shown(name)] == []


@as_typed
def test_find(index: CardIndex, names: dict[str, set[int]], typed: Typed) -> None:
    def finds(name: str, ids: Iterable[int]) -> bool:
        node, written = understand(index, [typed(name)])
        return all(card.id in written or node.matches(card) for card in index.by_ids(ids))

    assert [name for name, ids in names.items() if not finds(name, ids)] == []


@as_typed
@pytest.mark.parametrize(("line", "count"), [("3 {}", 3), ("{} x3", 3), ("{}", 1)])
def test_a_line_of_a_deck(
    index: CardIndex, names: dict[str, set[int]], typed: Typed, line: str, count: int
) -> None:
    lost = [
        name
        for name, ids in names.items()
        if not ids & copies(index, line.format(typed(name)), count)
    ]
    # "3 x eraser" is three of the card Eraser; with a large X it is asked which. "Shoutmon x3"
    # is one of Shoutmon X3, which a deck is told.
    doubtful = {"3 {}": {"X Eraser"}, "{} x3": {"Shoutmon", "シャウトモン"}}
    assert set(lost) <= doubtful.get(line, set())


@as_typed
def test_a_collection(index: CardIndex, names: dict[str, set[int]], typed: Typed) -> None:
    """Beside the number every name is that of its card; alone it is, where no other card has it."""
    rows, alone = [], []
    for name, ids in names.items():
        for card in {card.game: card for card in index.by_ids(ids)}.values():
            rows.append((card.game, card.number, card.edition, typed(name)))
            if len(index.by_name(name, card.game)) == 1:
                alone.append((card.game, typed(name)))
    assert len(rows) > 5000
    assert len(alone) > 2000
    for header, table in ((("game", "number", "edition", "name"), rows), (("game", "name"), alone)):
        file = io.StringIO()
        csv.writer(file).writerows([(*header, "count"), *((*row, 1) for row in table)])
        found = contents(read_collection(file.getvalue(), "list.csv", "utf-8"), index)
        assert [p.message for p in found.problems if p.severity is not Severity.NOTE] == []
        assert sum(found.holdings.values()) == len(table)
    for game in index.games:
        lines = "\n".join(f"3 {name}" for code, name in alone if code == game)
        requests, problems = CopyReader(index, game).lines(lines, "list.txt")
        assert [problem.message for problem in problems] == []
        assert {request.count for request in requests} <= {3}


@pytest.mark.parametrize(
    "typed",
    [str, full_width, str.lower, lambda number: number.replace("-", "ー")],
    ids=["printed", "full-width", "lower-case", "long-vowel"],
)
def test_every_number(index: CardIndex, typed: Typed) -> None:
    """In capitals Bo-1 is BO-1, which another game prints."""
    cards = index.by_ids(index.all_ids())
    assert len(cards) > 9000
    for card in cards:
        text = typed(card.number) + (f"@{card.edition}" if card.edition else "")
        assert card in meant_by(index, text).cards, text


def test_on_the_command_line(run: Run, names: dict[str, set[int]]) -> None:
    """Every hundredth name, and each with a character that a shell or a query could mind."""
    chosen = {name for place, name in enumerate(sorted(names)) if place % 100 == 0}
    chosen |= {name for name in names if set(name) & set('"&%<>=?;_/Ω')}
    for name in sorted(chosen):
        for command in ("find", "show"):
            assert run(command, name).exit_code in (0, 4), (command, name)
        deck = run("deck", "check", "-", "--json", stdin=f"3 {name}\n").json["data"]["decks"]
        assert not deck[0]["unknown_cards"], name
