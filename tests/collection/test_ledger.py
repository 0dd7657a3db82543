"""Adding, removing, setting, undoing: nothing is lost and nothing overwritten."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.collection.ledger import (
    Holding,
    Shortage,
    counts,
    differences,
    entries_of,
    extend,
    held,
    history,
    ledger_problems,
    record,
    undo,
)
from digideck.core.problems import InputError
from digideck.schema.connection import open_to_read, open_to_write, transaction
from tests.conftest import Run, Write


def owned(run: Run, card: str) -> int:
    return run("show", card, "--json").json["data"]["cards"][0]["owned"]


def test_add_shows_in_show_find_and_list(run: Run) -> None:
    added = run("collection", "add", "St-1", "3", "--condition", "near mint", "--place", "binder 2")
    assert added.exit_code == 0
    assert "+3  hyper-colosseum/St-1  Agumon (NM, binder 2); owned: 3" in added.stdout
    assert "Owned                  3  NM, binder 2" in run("show", "St-1").stdout
    assert (
        run("find", "St-1", "--game", "hyper-colosseum", "--json").json["data"]["cards"][0]["owned"]
        == 3
    )
    listed = run("collection", "list", "--json").json["data"]
    assert listed["copies"] == 3
    assert listed["cards"][0]["piles"][0]["place"] == "binder 2"


def test_many_cards_on_one_line_make_one_batch(run: Run) -> None:
    done = run("collection", "add", "St-1", "3", "Bo-12", "St-2", "x2", "--json").json
    assert [(c["card"], c["change"]) for c in done["data"]["changes"]] == [
        ("hyper-colosseum/St-1", 3),
        ("hyper-colosseum/Bo-12", 1),
        ("hyper-colosseum/St-2", 2),
    ]
    assert done["data"]["batch"] == 1


def test_counts_may_come_first(run: Run) -> None:
    run("collection", "add", "3", "St-1", "2", "St-2")
    assert (owned(run, "St-1"), owned(run, "St-2")) == (3, 2)


@pytest.mark.parametrize(
    ("line", "card", "count"),
    [
        ("3 St-1", "St-1", 3),
        ("3x St-1", "St-1", 3),
        ("St-1 x3", "St-1", 3),
        ("St-1 3", "St-1", 3),
        ("St-1", "St-1", 1),
        ("2\tSt-1", "St-1", 2),
        ("Agumon (St-1) x2", "St-1", 2),
        ("St-1 Agumon", "St-1", 1),
        ("４ St-1", "St-1", 4),
        ("2 dcg/BT1-003_P1", "dcg/BT1-003", 2),
        ("alpha/DM02-095@asia", "alpha/DM02-095@asia", 1),
    ],
)
def test_lines_of_standard_input(run: Run, line: str, card: str, count: int) -> None:
    assert run("collection", "add", "-", stdin=f"# a note\n\n{line}\r\n").exit_code == 0
    assert owned(run, card) == count


def test_a_count_within_a_word(run: Run) -> None:
    assert run("collection", "add", "St-1 x3", "2x St-2", "Bo-12").exit_code == 0
    assert [owned(run, card) for card in ("St-1", "St-2", "Bo-12")] == [3, 2, 1]


def test_a_name_that_ends_in_a_number_is_a_card(run: Run) -> None:
    refused = run("collection", "add", "-", stdin="Shoutmon X4\n")
    assert refused.exit_code == 4
    assert "hyper-colosseum/Re-11  Shoutmon X4" in refused.stderr


def test_a_list_file_and_all_or_nothing(run: Run, write: Write) -> None:
    path = write("list.txt", "2 St-1\n3 Nothingmon\n1 St-2\n")
    refused = run("collection", "add", "--file", path)
    assert refused.exit_code == 3
    assert f"{path}:2: no card has the number or name" in refused.stderr
    assert owned(run, "St-1") == 0
    path.write_text("2 St-1\n1 St-2\n")
    assert run("collection", "add", "--file", path).exit_code == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == (2, 1)


def test_an_ambiguous_name_lists_its_cards_and_a_set_tells(run: Run) -> None:
    refused = run("collection", "add", "WarGreymon")
    assert refused.exit_code == 4
    assert "dcg/AD1-004  WarGreymon" in refused.stderr
    assert run("collection", "list").exit_code == 1
    assert run("collection", "add", "WarGreymon", "--set", "ST1", "--game", "dcg").exit_code == 0
    assert owned(run, "dcg/ST1-11") == 1


def test_a_variant_is_kept(run: Run) -> None:
    run("collection", "add", "BT1-003_P1", "2", "BT1-003")
    holdings = run("collection", "list", "--json").json["data"]["cards"][0]["piles"]
    assert sorted((holding["variant"] or "", holding["count"]) for holding in holdings) == [
        ("", 1),
        ("P1", 2),
    ]


@pytest.mark.parametrize(
    ("option", "value"),
    [("--condition", "shiny"), ("--language", "klingon"), ("--place", "a\x07b"),
     ("--note", "x" * 501), ("--note", "\udcff")],
)  # fmt: skip
def test_a_detail_that_cannot_be_recorded_is_refused(run: Run, option: str, value: str) -> None:
    refused = run("collection", "add", "St-1", option, value)
    assert refused.exit_code == 3
    assert "expected:" in refused.stderr
    assert owned(run, "St-1") == 0


@pytest.mark.parametrize("count", ["0", "10000", "99999999"])
def test_counts_out_of_range_are_refused(run: Run, count: str) -> None:
    assert run("collection", "add", "St-1", count).exit_code == 3
    assert owned(run, "St-1") == 0


def test_removing_more_than_held_is_refused_and_changes_nothing(run: Run) -> None:
    run("collection", "add", "St-1", "3", "St-2", "5")
    refused = run("collection", "remove", "St-2", "1", "St-1", "4")
    assert refused.exit_code == 1
    assert "St-1 Agumon: 3 held, 4 to remove" in refused.stderr
    assert (owned(run, "St-1"), owned(run, "St-2")) == (3, 5)
    assert len(run("collection", "history", "--json").json["data"]["batches"]) == 1


def test_removing_twice_in_one_batch_counts_both(run: Run) -> None:
    run("collection", "add", "St-1", "3")
    assert run("collection", "remove", "St-1", "2", "St-1", "2").exit_code == 1
    assert run("collection", "remove", "St-1", "2", "St-1", "1").exit_code == 0
    assert owned(run, "St-1") == 0


def test_which_copies_to_remove_is_asked_not_guessed(run: Run) -> None:
    run("collection", "add", "St-1", "2", "--place", "box")
    run("collection", "add", "St-1", "3", "--condition", "NM")
    refused = run("collection", "remove", "St-1", "1")
    assert refused.exit_code == 4
    assert "2  box" in refused.stderr
    assert "3  NM" in refused.stderr
    assert run("collection", "remove", "St-1", "1", "--place", "box").exit_code == 0
    assert run("collection", "remove", "St-1", "1", "--any").exit_code == 0
    assert run("collection", "remove", "St-1", "3").exit_code == 0  # all there are
    assert owned(run, "St-1") == 0


@pytest.mark.parametrize("words", ["remove St-1 5", "set St-1 0"])
def test_taking_all_copies_asks_nothing(run: Run, words: str) -> None:
    run("collection", "add", "St-1", "2", "--place", "box")
    run("collection", "add", "St-1", "3", "--condition", "NM")
    assert run("collection", *words.split()).exit_code == 0
    assert owned(run, "St-1") == 0


def test_setting_what_is_so_in_several_places_asks_nothing(run: Run) -> None:
    run("collection", "add", "St-1", "2", "--place", "box")
    run("collection", "add", "St-1", "3", "--condition", "NM")
    assert run("collection", "set", "St-1", "5").stdout == "Nothing to change: it is so already.\n"
    assert run("collection", "set", "St-1", "6").exit_code == 4
    assert run("collection", "set", "St-1", "4").exit_code == 4
    assert owned(run, "St-1") == 5


def test_whichever_copies_are_first_those_of_which_least_is_recorded(run: Run) -> None:
    run("collection", "add", "St-1", "--place", "box", "--condition", "NM")
    run("collection", "add", "St-1", "--place", "shelf")
    run("collection", "add", "St-1")
    for left in (["box", "shelf"], ["box"]):
        assert run("collection", "remove", "St-1", "1", "--any").exit_code == 0
        (card,) = run("collection", "list", "--json").json["data"]["cards"]
        assert sorted(pile["place"] for pile in card["piles"]) == left


def test_set_adds_the_difference(run: Run) -> None:
    run("collection", "add", "St-1", "2", "--place", "box")
    changed = run("collection", "set", "St-1", "5", "St-2", "1", "--json").json["data"]["changes"]
    assert [(c["card"], c["place"], c["change"]) for c in changed] == [
        ("hyper-colosseum/St-1", "box", 3),
        ("hyper-colosseum/St-2", None, 1),
    ]
    assert run("collection", "set", "St-1", "5").stdout == "Nothing to change: it is so already.\n"
    run("collection", "set", "St-1", "0")
    assert owned(run, "St-1") == 0


def test_undo_and_undo_of_undo(run: Run) -> None:
    run("collection", "add", "St-1", "3")
    run("collection", "remove", "St-1", "1")
    assert run("collection", "undo").exit_code == 0
    assert owned(run, "St-1") == 3
    assert run("collection", "undo").exit_code == 0
    assert owned(run, "St-1") == 2
    again = run("collection", "undo", "3")
    assert again.exit_code == 3
    assert "batch 3 was undone already, by batch 4" in again.stderr
    assert run("collection", "undo", "4").exit_code == 0
    assert owned(run, "St-1") == 3


def test_undo_is_refused_where_copies_are_gone(run: Run) -> None:
    run("collection", "add", "St-1", "3")
    run("collection", "remove", "St-1", "1")
    refused = run("collection", "undo", "1")
    assert refused.exit_code == 1
    assert "St-1 Agumon: 2 held, 3 to take back" in refused.stderr
    assert owned(run, "St-1") == 2


def test_undo_without_a_batch(run: Run) -> None:
    assert run("collection", "undo").exit_code == 3
    assert run("collection", "undo", "77").exit_code == 3


def test_history_by_card_and_by_time(run: Run) -> None:
    run("collection", "add", "St-1", "3", "St-2", "1")
    run("collection", "add", "Bo-12")
    every = run("collection", "history", "--json").json["data"]["batches"]
    assert [batch["batch"] for batch in every] == [2, 1]
    of_card = run("collection", "history", "St-2", "--json").json["data"]["batches"]
    assert [(b["batch"], [e["card"] for e in b["entries"]]) for b in of_card] == [
        (1, ["hyper-colosseum/St-2"])
    ]
    run("collection", "add", "Sx-6")  # an Agumon as well
    of_name = run("collection", "history", "Agumon", "--json").json["data"]["batches"]
    assert [batch["batch"] for batch in of_name] == [3, 1]
    assert run("collection", "history", "Nothingmon").exit_code == 3
    today = every[0]["made_at"][:10]
    assert (
        len(run("collection", "history", "--since", today, "--json").json["data"]["batches"]) == 3
    )
    assert "Nothing found" in run("collection", "history", "--since", "2999").stdout
    assert run("collection", "history", "--since", "soon").exit_code == 3


def test_history_since_the_moment_of_a_batch_has_it(run: Run, database: Path) -> None:
    run("collection", "add", "St-1")
    connection = open_to_read(database)
    ((batch, _),) = history(connection).rows
    assert history(connection, since=batch.made_at).total == 1
    assert history(connection, since=batch.made_at + "x").total == 0
    connection.close()


def test_entries_can_be_neither_changed_nor_deleted(run: Run, database: Path) -> None:
    run("collection", "add", "St-1", "3")
    connection = sqlite3.connect(database)
    for statement in (
        "UPDATE entry SET count = 9",
        "UPDATE entry SET place = 'x'",
        "DELETE FROM entry",
        "DELETE FROM batch",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    with pytest.raises(sqlite3.IntegrityError, match="holding_not_negative"):
        connection.execute(
            """INSERT INTO entry (batch_id, card_id, set_code, variant, condition, language,
                 finish, place, note, count)
               SELECT batch_id, card_id, '', '', '', '', '', '', '', -4 FROM entry"""
        )
    connection.close()


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("change"), st.dictionaries(st.integers(0, 5), st.integers(-3, 4))),
        st.tuples(st.just("undo"), st.none() | st.integers(1, 8)),
    ),
    max_size=12,
)


@given(STEPS)
def test_holdings_are_the_sum_of_the_ledger_whatever_happens(
    database: Path, steps: list[tuple[str, object]]
) -> None:
    """Against a model: a list of batches, each a change of counts."""
    connection = open_to_write(database)
    cards = [row[0] for row in connection.execute("SELECT id FROM card ORDER BY id LIMIT 3")]
    holdings = [Holding(card, place=place) for card in cards for place in ("", "box")]
    connection.execute("BEGIN")
    model: Counter[Holding] = Counter()
    written: list[tuple[int, dict[Holding, int]]] = []
    try:
        for step, value in steps:
            before = dict(model)
            try:
                if step == "change":
                    assert isinstance(value, dict)
                    changes = {holdings[place]: count for place, count in value.items() if count}
                    batch = record(connection, "test", "", changes)
                    written.append((batch, changes))
                else:
                    assert value is None or isinstance(value, int)
                    batch, undone = undo(connection, value)
                    of_before = dict(written)[undone.id]
                    changes = {holding: -count for holding, count in of_before.items()}
                    written.append((batch, changes))
                model.update(changes)
                assert all(count >= 0 for count in model.values())
            except (Shortage, InputError):
                model = Counter(before)
            assert held(connection) == {holding: count for holding, count in model.items() if count}
            assert differences(connection) == []
        assert [
            (b.id, {c.holding: c.count for c in changes}) for b, changes in history(connection).rows
        ] == list(reversed(written))
        for batch, changes in written:
            assert {
                change.holding: change.count for change in entries_of(connection, batch)
            } == changes
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def test_a_failed_batch_leaves_nothing(database: Path) -> None:
    connection = open_to_write(database)
    card = connection.execute("SELECT id FROM card LIMIT 1").fetchone()[0]
    with pytest.raises(Shortage), transaction(connection):
        record(connection, "test", "", {Holding(card): 2, Holding(card, place="box"): -1})
    assert held(connection) == {}
    assert list(connection.execute("SELECT * FROM batch")) == []
    connection.close()


def test_a_batch_that_grows_is_one_to_undo_until_it_was_undone(database: Path) -> None:
    connection = open_to_write(database)
    (card_id,) = connection.execute("SELECT id FROM card LIMIT 1").fetchone()
    holding = Holding(card_id)
    with transaction(connection):
        batch = record(connection, "scan", "camera", {holding: 1})
        assert extend(connection, batch, holding, 1)
        assert extend(connection, batch, Holding(card_id, place="box"), 1)
    assert counts(connection) == {card_id: 3}
    with transaction(connection):
        undo(connection, batch)
    assert counts(connection) == {}
    with transaction(connection):
        assert not extend(connection, batch, holding, 1)
    assert counts(connection) == {}
    assert ledger_problems(connection) == []
    connection.close()


@pytest.mark.parametrize("line", ["2 Nosuch", "Nosuch x2", "2x Nosuch", "Nosuch 2"])
def test_an_unknown_card_is_named_without_its_count(run: Run, line: str) -> None:
    refused = run("collection", "add", "-", stdin=f"{line}\n")
    assert refused.exit_code == 3
    assert "no card has the number or name 'Nosuch'" in refused.stderr


def test_a_list_given_as_a_card_is_said_to_be_a_file(run: Run, write: Write) -> None:
    path = write("lst.txt", "2 St-1\n")
    refused = run("collection", "add", path)
    assert refused.exit_code == 3
    assert f"--file {path}" in refused.stderr
    assert run("collection", "add", "--file", path).exit_code == 0


def test_copies_of_which_nothing_is_recorded_can_be_meant(run: Run) -> None:
    run("collection", "add", "St-1", "3")
    run("collection", "add", "St-1", "3", "--place", "box")
    run("collection", "add", "St-1", "3", "--set", "St1")
    asked = run("collection", "remove", "St-1")
    assert asked.exit_code == 4
    assert "or --any" in asked.stderr
    assert run("collection", "remove", "St-1", "--place", "").exit_code == 4  # or those of a set
    assert run("collection", "remove", "St-1", "--place", "", "--set", "").exit_code == 0
    left = run("collection", "list", "--place", "", "--set", "", "--json").json["data"]
    assert left["copies"] == 2
    many = run("collection", "remove", "St-1", "9", "--place", "", "--set", "")
    assert "2 held (no place, no set)" in many.stderr


def test_an_unknown_set_names_the_nearest(run: Run) -> None:
    for words in (
        ("collection", "add", "St-1", "--set", "Startr Ver. 1"),
        ("collection", "list", "--set", "Startr Ver. 1"),
        ("collection", "wants", "--collect", "Startr Ver. 1"),
        ("collection", "progress", "Startr Ver. 1"),
        ("find", 'set:"Startr Ver. 1"'),
    ):
        refused = run(*words)
        assert refused.exit_code == 3, words
        assert "did you mean Starter Ver. 1" in refused.stderr, words


def test_undo_says_how_to_go_further_back(run: Run) -> None:
    for card in ("St-1", "St-2", "St-3"):
        run("collection", "add", card)
    assert "further back: digideck collection undo 2 (add St-2" in run("collection", "undo").stdout
    assert "further back: digideck collection undo 1 " in run("collection", "undo", "2").stdout
    assert "further back" not in run("collection", "undo", "1").stdout
    assert run("collection", "list").exit_code == 1
    restored = run("collection", "undo")
    assert restored.stdout.startswith("In effect again: batch 1, add St-1 Agumon; its undo is")
    assert run("collection", "undo").stdout.startswith("Undone: batch 1, add St-1 Agumon\n")
    assert "further back" not in restored.stdout
