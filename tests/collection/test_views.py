"""Lists, progress, wants, trades, and decks against the collection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from digideck.catalog.cards import CardIndex
from digideck.catalog.query import find_ids, parse
from digideck.collection.query_terms import collection_terms
from digideck.schema.connection import open_to_read
from tests.conftest import Run, Write


def data(run: Run, *words: str | Path) -> dict[str, Any]:
    answer: dict[str, Any] = run(*words, "--json").json["data"]
    return answer


@pytest.fixture
def some(run: Run) -> Run:
    """A small collection of three games."""
    run("collection", "add", "St-1", "4", "St-2", "1", "--place", "box", "--condition", "NM")
    run("collection", "add", "St-1", "2", "--set", "St1", "--game", "hyper-colosseum")
    run("collection", "add", "Dα-065", "3", "ST1-03", "1")
    return run


def keys(run: Run, *words: str) -> list[str]:
    return [card["card"] for card in data(run, "collection", "list", *words)["cards"]]


def test_list_sorts(some: Run) -> None:
    assert keys(some) == [
        "alpha/Dα-065",
        "dcg/ST1-03",
        "hyper-colosseum/St-1",
        "hyper-colosseum/St-2",
    ]
    assert keys(some, "--sort", "count")[:2] == ["hyper-colosseum/St-1", "alpha/Dα-065"]
    assert keys(some, "--sort", "name")[-1] == "alpha/Dα-065"
    assert keys(some, "--sort", "newest")[-1] == "hyper-colosseum/St-2"
    assert some("collection", "list", "--sort", "colour").exit_code == 3


def test_list_takes_the_query_of_find(some: Run) -> None:
    assert keys(some, "agumon") == ["dcg/ST1-03", "hyper-colosseum/St-1"]
    assert keys(some, "agumon", "owned>=2") == ["hyper-colosseum/St-1"]
    assert keys(some, "game:alpha", "or", "level:IV") == ["alpha/Dα-065", "hyper-colosseum/St-2"]
    assert some("collection", "list", "gabumon").exit_code == 1
    assert some("find", "owned", "--count").stdout == "4\n"
    assert some("find", "owned:6", "--numbers").stdout == "hyper-colosseum/St-1\n"
    assert some("find", "owned=lots").exit_code == 3


@pytest.mark.parametrize("what", ["owned", "wanted"])
@pytest.mark.parametrize("term", ["", ":0", ":1", ">=2", "<3", ":2..6", ">100"])
def test_copies_in_a_query_mean_the_same_in_sql_and_in_python(
    some: Run, database: Path, what: str, term: str
) -> None:
    some("collection", "wants", "St-1", "2", "St-3", "7")
    index = CardIndex(open_to_read(database))
    node = parse(what + term, index, collection_terms(index.connection))
    every = index.by_ids(row[0] for row in index.connection.execute("SELECT id FROM card"))
    assert set(find_ids(index, node)) == {card.id for card in every if node.matches(card)}
    index.connection.close()


def test_list_by_details_and_groups(some: Run) -> None:
    assert data(some, "collection", "list", "--place", "box")["copies"] == 5
    assert data(some, "collection", "list", "--condition", "near mint")["copies"] == 5
    assert data(some, "collection", "list", "--game", "alpha")["copies"] == 3
    # A copy of St-2 whose set is not recorded counts in the set its card is in.
    assert data(some, "collection", "list", "--set", "St1")["copies"] == 7
    groups = data(some, "collection", "list", "--by", "place")["groups"]
    assert groups == [
        {"place": None, "cards": 3, "copies": 6},
        {"place": "box", "cards": 2, "copies": 5},
    ]
    assert "not recorded" in some("collection", "list", "--by", "place").stdout
    assert some("collection", "list", "--by", "weather").exit_code == 3


def test_list_csv_is_the_export_of_what_is_listed(some: Run) -> None:
    assert some("collection", "list", "--csv").stdout == some("collection", "export").stdout
    only = some("collection", "list", "agumon", "--csv").stdout.splitlines()
    assert len(only) == 1 + 3


def test_list_limit_says_what_is_left_out(some: Run) -> None:
    assert "and 2 more (--limit 0 shows all)" in some("collection", "list", "--limit", "2").stdout


def progress_of(run: Run, *words: str) -> dict[str, dict[str, Any]]:
    sets = data(run, "collection", "progress", *words)["sets"]
    return {entry["set"] or entry["series"]: entry for entry in sets}


def test_progress_counts_distinct_cards_and_spares(some: Run) -> None:
    st1 = progress_of(some)["St1"]
    assert (st1["owned"], st1["printed"], st1["copies"], st1["spares"]) == (2, 60, 7, 5)
    assert st1["complete"] is False
    line = next(
        line
        for line in some("collection", "progress").stdout.splitlines()
        if line.startswith("hyper-colosseum  St1 ")
    )
    assert line.split()[-1] == "3"


def test_a_recorded_set_counts_there_alone(run: Run, write: Write) -> None:
    run("import", write("set.csv", "game,number,set\nhyper-colosseum,St-2,Bo1\n"))
    run("collection", "add", "St-2", "--set", "Bo1", "--game", "hyper-colosseum")
    assert set(progress_of(run)) == {"Bo1"}
    run("collection", "add", "St-2", "2")
    found = progress_of(run)
    assert {code: entry["copies"] for code, entry in found.items()} == {"St1": 2, "Bo1": 3}


def test_a_set_may_hold_a_card_the_data_does_not_know_in_it(run: Run) -> None:
    run("collection", "add", "St-1", "--set", "Bo1", "--game", "hyper-colosseum")
    assert progress_of(run)["Bo1"]["owned"] == 1


def test_unknown_is_never_zero_per_cent(some: Run) -> None:
    every = progress_of(some, "alpha", "--all")
    unknown = [entry for entry in every.values() if not entry["known"]]
    assert unknown, "sets of which no card is known"
    for entry in unknown:
        assert (entry["owned"], entry["share"], entry["complete"]) == (None, None, None)
    shown = some("collection", "progress", "alpha", "--all").stdout
    line = next(line for line in shown.splitlines() if " AE1 " in line)
    assert line.split()[-1] == "?"


def test_cards_of_unknown_sets_count_by_series(run: Run) -> None:
    run("collection", "add", "DM-105", "2", "--game", "alpha")
    found = progress_of(run, "alpha")
    assert (found["DM-#"]["owned"], found["DM-#"]["copies"]) == (1, 2)
    every = progress_of(run, "alpha", "--all")
    assert any(entry["may_be_more"] for entry in every.values() if entry["set"])


def test_progress_missing_and_check(run: Run) -> None:
    numbers = [f"St-{n}" for n in range(1, 61) if n != 7]
    run("collection", "add", *numbers, "--game", "hyper-colosseum")
    shown = run("collection", "progress", "St1", "--missing", "--check")
    assert shown.exit_code == 1
    assert "  St-7  " in shown.stdout
    run("collection", "add", "St-7")
    assert run("collection", "progress", "St1", "--check").exit_code == 0
    assert run("collection", "progress", "Nowhere").exit_code == 3
    assert "Nothing is owned" in run("collection", "progress", "dccg").stdout


def test_wants(some: Run) -> None:
    done = some("collection", "wants", "St-1", "8", "St-3", "2")
    assert "St-1  Agumon: 8 wanted (before: 0)" in done.stdout
    wants = data(some, "collection", "wants")["wants"]
    assert [(w["card"], w["missing"], w["why"]) for w in wants] == [
        ("hyper-colosseum/St-1", 2, ["wanted"]),
        ("hyper-colosseum/St-3", 2, ["wanted"]),
    ]
    assert some("find", "wanted", "--numbers").stdout.split() == [
        "hyper-colosseum/St-1",
        "hyper-colosseum/St-3",
    ]
    some("collection", "wants", "St-1", "0", "St-3", "0")
    assert data(some, "collection", "wants")["copies"] == 0


def test_wants_of_collected_sets(some: Run) -> None:
    assert some("collection", "wants", "--collect", "St1").exit_code == 0
    assert data(some, "collection", "wants")["copies"] == 58
    some("collection", "wants", "St-3", "2")
    assert data(some, "collection", "wants")["copies"] == 59
    some("collection", "wants", "--drop", "St1")
    assert data(some, "collection", "wants")["copies"] == 2
    assert some("collection", "wants", "--collect", "BT1").exit_code == 3  # of two games
    assert some("collection", "wants", "Nothingmon", "3").exit_code == 3
    assert some("collection", "wants", "Agumon", "3").exit_code == 4


DECK = "# format: hyper-colosseum\n3 Agumon\n3 St-2 Greymon\n2 St-3\n"


def test_wants_of_decks_come_on_top_of_what_is_wanted_anyway(some: Run, write: Write) -> None:
    deck = write("deck.txt", DECK)
    found = data(some, "collection", "wants", "--deck", deck)
    assert [(d["card"], d["missing"]) for d in found["decks"]] == [
        ("St-2 Greymon", 2),
        ("St-3 Piyomon", 2),
    ]
    some("collection", "wants", "St-2", "3")  # 2 to get, which the deck can use
    found = data(some, "collection", "wants", "--deck", deck)
    assert [d["card"] for d in found["decks"]] == ["St-3 Piyomon"]
    assert found["copies"] == 4


def test_trades_keep_what_wants_and_decks_need(some: Run, write: Write) -> None:
    deck = write("deck.txt", DECK)

    def spares(*words: str | Path) -> dict[str, int]:
        found = data(some, "collection", "trades", *words)["spares"]
        return {entry["card"]: entry["spare"] for entry in found}

    assert spares() == {"alpha/Dα-065": 2, "hyper-colosseum/St-1": 5}
    assert spares("--keep", "0")["hyper-colosseum/St-2"] == 1
    assert spares("--deck", deck)["hyper-colosseum/St-1"] == 3
    assert spares("--deck", deck, "--deck", deck) == {"alpha/Dα-065": 2}
    some("collection", "wants", "St-1", "5")
    assert spares()["hyper-colosseum/St-1"] == 1


def test_missing_of_one_deck(some: Run, write: Write) -> None:
    deck = write("deck.txt", DECK)
    told = some("deck", "missing", deck)
    assert told.exit_code == 1
    assert f"{deck}: 4 of 8 cards missing" in told.stdout
    assert "  2 of 2 x St-3 Piyomon (or 5 other printings), line 4" in told.stdout
    some("collection", "add", "St-2", "2", "St-3", "2")
    done = some("deck", "missing", deck)
    assert (done.exit_code, done.stdout) == (0, f"{deck}: complete\n")


def test_decks_built_at_once_share_no_copies(some: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: hyper-colosseum\n4 Agumon\n")
    found = data(some, "deck", "missing", deck, deck)
    assert [entry["missing"] for entry in found["decks"]] == [0, 2]
    assert found["missing"] == 2


def test_copies_are_dealt_out_so_that_fewest_are_missing(run: Run, write: Write) -> None:
    """The first deck takes any Agumon; it must leave St-1 to the one that names it."""
    run("collection", "add", "St-1", "1", "Sx-6", "1")
    loose = write("loose.txt", "# format: hyper-colosseum\n1 Agumon\n")
    strict = write("strict.txt", "# format: hyper-colosseum\n1 St-1\n")
    for decks in ((loose, strict), (strict, loose)):
        done = run("deck", "missing", "--exact", *decks)
        assert done.exit_code == 0, done.stdout


def test_any_printing_of_a_name_serves_unless_told_otherwise(run: Run, write: Write) -> None:
    run("collection", "add", "Sx-6", "3")  # printed Agumon as well
    deck = write("deck.txt", "# format: hyper-colosseum\n3 St-1\n")
    assert run("deck", "missing", deck).exit_code == 0
    assert run("deck", "missing", "--exact", deck).exit_code == 1


def test_where_copies_count_by_number_only_the_number_serves(run: Run, write: Write) -> None:
    run("collection", "add", "BT1-010", "4")  # an Agumon, as is ST1-03
    deck = write("deck.txt", "# format: dcg\n4 ST1-03\n")
    assert run("deck", "missing", deck).exit_code == 1
    run("collection", "add", "ST1-03_P1", "4")  # other art of the same number
    assert run("deck", "missing", deck).exit_code == 0


def test_an_x_antibody_shares_the_limit_but_does_not_serve(
    run: Run, write: Write, index: CardIndex
) -> None:
    pair = index.connection.execute(
        """SELECT x.number AS x, base.number AS base FROM card AS x JOIN card AS base
           ON base.limit_key = x.limit_key AND base.game = x.game
           JOIN card_name AS xn ON xn.card_id = x.id AND xn.role = 'name' AND xn.language = 'en'
           JOIN card_name AS bn ON bn.card_id = base.id AND bn.role = 'name' AND bn.language = 'en'
           WHERE x.game = 'alpha' AND xn.name LIKE '%X-Antibody%'
             AND bn.name NOT LIKE '%X-Antibody%' AND x.edition = '' AND base.edition = ''
           LIMIT 1"""
    ).fetchone()
    run("collection", "add", pair["x"], "3", "--game", "alpha")
    deck = write("deck.txt", f"# format: alpha\n1 {pair['base']}\n")
    assert run("deck", "missing", deck).exit_code == 1


def test_unknown_cards_are_missing_and_unreadable_decks_said(run: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: alpha\n2 Nothingmon\n")
    told = run("deck", "missing", deck)
    assert told.exit_code == 1
    assert "2 of 2 x Nothingmon (not in the database)" in told.stdout
    both = run("deck", "missing", deck, "none.txt")
    assert both.exit_code == 3
    assert "none.txt: no such file" in both.stderr


def test_what_is_doubtful_in_a_deck_is_said(some: Run, write: Write) -> None:
    deck = write("deck.txt", "# format: hyper-colosseum\n1 St-1 Gabumon\nTotal: 5\n")
    told = some("deck", "missing", deck)
    assert f"{deck}:2: unknown: St-1 is Agumon, but the line says Gabumon" in told.stderr
    assert f"{deck}:3: warning: the list says a total of 5" in told.stderr
    assert told.exit_code == 0


def test_buildable_lists_the_nearest_first(some: Run, tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    (folder / "more").mkdir(parents=True)
    (folder / "far.txt").write_text("# format: hyper-colosseum\n3 St-3\n3 St-4\n")
    (folder / "built.txt").write_text("# format: hyper-colosseum\n3 Agumon\n")
    (folder / "more" / "near.txt").write_text("# format: hyper-colosseum\n2 St-2\n")
    (folder / "photo.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.txt").write_text("nonsense")
    done = some("collection", "buildable", folder)
    assert done.exit_code == 1
    heads = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert heads == [
        f"complete: {folder}/built.txt (hyper-colosseum, 3 cards)",
        f"1 of 2 missing: {folder}/more/near.txt (hyper-colosseum, 2 cards)",
        f"6 of 6 missing: {folder}/far.txt (hyper-colosseum, 6 cards)",
        "1 of 3 decks can be built",
    ]
    assert "1 file skipped" in done.stderr
    some("collection", "add", "St-2", "1", "St-3", "3", "St-4", "3")
    assert some("collection", "buildable", folder).exit_code == 0
    assert some("collection", "buildable", tmp_path / "none").exit_code == 3
    empty = tmp_path / "empty"
    empty.mkdir()
    assert some("collection", "buildable", empty).exit_code == 3


@pytest.mark.parametrize(
    "words",
    [
        ["collection", "list"],
        ["collection", "progress"],
        ["collection", "wants"],
        ["collection", "trades"],
        ["collection", "history"],
        ["collection", "export"],
        ["db", "verify"],
        ["db", "export"],
    ],
)
def test_every_view_speaks_json(some: Run, words: list[str]) -> None:
    answer = some(*words, "--json").json
    assert answer["command"] == " ".join(words)
    assert set(answer) == {"version", "command", "status", "exit_code", "data", "problems"}


def test_trades_say_as_list_does_what_is_recorded(run: Run) -> None:
    run("collection", "add", "St-1", "9")
    run("collection", "add", "St-1", "2", "--place", "box")
    for view in ("list", "trades"):
        assert "9: -; 2: box" in run("collection", view).stdout


def test_a_set_without_a_name_has_a_mark_in_its_place(run: Run) -> None:
    run("collection", "add", "hyper-colosseum/Bo-453")
    rows = run("collection", "progress", "Bo10").stdout.splitlines()
    assert rows[1].split()[:3] == ["hyper-colosseum", "Bo10", "?"]


def test_an_unknown_word_lists_the_words_once(run: Run) -> None:
    for option in ("--by", "--sort"):
        refused = run("collection", "list", option, "foo")
        assert refused.exit_code == 3
        assert refused.stderr.count("name") == 1
