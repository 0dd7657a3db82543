"""``find`` as a person and as a script sees it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.conftest import Run, Write


def test_columns_are_those_of_the_game_when_there_is_one(run: Run) -> None:
    header = run("find", "greymon", "game:hyper-colosseum").stdout.splitlines()[0].split()
    assert header[:3] == ["card", "name", "Japanese"]
    assert "lost" in header
    assert "lost" not in run("find", "greymon").stdout.splitlines()[0].split()


def test_full_width_names_keep_the_columns_aligned(run: Run) -> None:
    lines = run("find", "x-antibody", "game:alpha").stdout.splitlines()
    columns = {_column_of(line, "Digimon") for line in lines[1:-1]}
    assert len(columns) == 1


def _column_of(line: str, word: str) -> int:
    """The terminal column of a word, a full-width character taking two."""
    before = line[: line.index(f" {word} ")]
    return sum(2 if ord(char) > 0x2E80 else 1 for char in before)


def test_limit_count_and_what_is_not_shown(run: Run) -> None:
    total = int(run("find", "greymon", "--count").stdout)
    lines = run("find", "greymon", "--limit", "3").stdout.splitlines()
    assert len(lines) == 6
    assert lines[-2:] == [f"and {total - 3} more (--limit 0 shows all)", f"{total} cards"]


@pytest.mark.parametrize(
    ("words", "key"),
    [("find greymon", "cards"), ("collection list", "cards"), ("collection history", "batches")],
)
def test_scripts_get_all_and_a_terminal_the_first(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: str, key: str
) -> None:
    monkeypatch.setattr("digideck.cli.render.paging.MOST_ROWS", 2)
    for number in ("St-1", "St-2", "St-3"):
        run("collection", "add", number)
    command = words.split()
    everything = run(*command, "--json").json["data"][key]
    assert len(everything) > 2
    assert len(run(*command, "--limit", "0", "--json").json["data"][key]) == len(everything)
    assert len(run(*command, "--limit", "1", "--json").json["data"][key]) == 1
    assert "more (--limit 0" not in run(*command).stdout
    monkeypatch.setattr("digideck.cli.render.paging.at_terminal", lambda: True)
    assert f"and {len(everything) - 2} more (--limit 0 shows all)" in run(*command).stdout
    assert "more (--limit 0" not in run(*command, "--limit", "0").stdout
    assert len(run(*command, "--json").json["data"][key]) == len(everything)


@pytest.mark.parametrize("words", ["find greymon", "collection list"])
def test_json_and_csv_are_one_choice(run: Run, words: str) -> None:
    result = run(*words.split(), "--json", "--csv")
    assert result.exit_code == 2
    assert "only one of them" in result.json["problems"][0]["message"]


def test_numbers_can_be_piped_into_a_deck(run: Run, write: Write) -> None:
    numbers = run("find", "level:III", "game:alpha", "--numbers").stdout
    assert "alpha/Dα-065\n" in numbers
    deck = write("deck.txt", numbers)
    verdict = run("deck", "check", deck, "--json").json["data"]["decks"][0]
    assert verdict["format"] == "alpha"
    assert verdict["unknown_cards"] == []


def test_csv_has_all_cards_and_reads_back(run: Run, write: Write) -> None:
    out = run("find", "game:digi-battle", "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 714
    assert rows[0]["number"] == "BO-01"
    again = run("import", write("cards.csv", out), "--dry-run")
    assert "714 unchanged" in again.stdout
    assert again.exit_code == 0


def test_sorting_puts_the_unknown_last_both_ways(run: Run) -> None:
    for sort in ("hp", "-hp"):
        cards = run("find", "game:alpha", "--sort", sort, "--json", "--limit", "9").json["data"][
            "cards"
        ]
        figures = [card["fields"].get("hp") for card in cards]
        assert figures[4:] == [None] * 5
        assert figures[:4] == sorted(figures[:4], reverse=sort.startswith("-"))


def test_sorting_takes_every_word_for_a_field(run: Run) -> None:
    def found(sort: str) -> str:
        return run("find", "game:dcg", "agumon", "--sort", sort, "--numbers").stdout

    assert found("color") == found("Colour") == found("色") == found("colour")
    assert found("-play cost") == found("-cost") != found("cost")


def test_sorting_by_level_follows_the_game(run: Run) -> None:
    cards = run("find", "agumon", "game:dccg", "--sort", "-level", "--json").json["data"]["cards"]
    assert cards
    assert run("find", "agumon", "--sort", "colur").exit_code == 3


def test_nothing_found_suggests_near_names(run: Run) -> None:
    result = run("find", "agumonn")
    assert result.exit_code == 1
    assert "did you mean Agumon" in result.stderr
    assert run("find", "agumonn", "--count").stdout == "0\n"


def test_a_wrong_query_shows_a_caret(run: Run) -> None:
    result = run("find", "coost:3")
    assert result.exit_code == 3
    assert result.stderr.splitlines()[1:3] == ["    coost:3", "    ^"]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "nothing is asked for"),
        ("  ", "nothing is asked for"),
        ("()", "nothing is in these brackets"),
        ("agumon (  )", "nothing is in these brackets"),
        ("-()", "nothing is in these brackets"),
        ("number:-", "nothing to look for"),
        ("number:---", "nothing to look for"),
        ("cost:999999999999999999999", "a number too large"),
        ("cost>=9999999999", "a number too large"),
        ("cost:1..99999999999999999999", "a number too large"),
        ("cost:9999999999..", "a number too large"),
        ("agumon " * 1001, "more than 1,000 terms"),
        ("(" * 51 + "agumon" + ")" * 51, "more than 50 deep"),
        ("-(" * 26 + "agumon" + ")" * 26, "more than 50 deep"),
        ("(" * 100_000, "more than 50 deep"),
    ],
    ids=lambda text: text[:20],
)
def test_what_asks_for_nothing_or_too_much(query: str, says: str, run: Run) -> None:
    result = run("find", f" {query}" if query.startswith("-") else query)
    assert result.exit_code == 3
    assert says in result.stderr
    assert "^" in result.stderr
    assert len(result.stderr) < 1000


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("name:agumon " * 1000, "name:agumon"),
        (" or ".join(["number:St-1"] * 1000), "number:St-1"),
        ("(" * 50 + "name:agumon" + ")" * 50, "name:agumon"),
    ],
    ids=["terms", "or", "brackets"],
)
def test_the_most_that_can_be_asked(query: str, same: str, run: Run) -> None:
    result = run("find", query, "--count")
    assert result.exit_code == 0, result.stderr[:1000]
    assert result.stdout == run("find", same, "--count").stdout


@pytest.mark.parametrize(
    ("typed", "first"),
    [("agunom", "Agumon"), ("agumno", "Agumon"), ("agumonn", "Agumon"), ("wargraymon", "War")],
)
def test_a_slip_of_the_pen_is_near_whatever_its_kind(run: Run, typed: str, first: str) -> None:
    assert f"did you mean {first}" in run("find", typed).stderr


def test_near_names_are_listed_once_however_they_are_spelt(run: Run) -> None:
    hint = run("find", "wargraymon").stderr.splitlines()[1]
    named = [name.replace(" ", "").casefold() for name in hint.strip(" ?").split(", ")]
    assert "didyoumeanwargreymon" in named
    assert len(named) == len(set(named))
    assert "wargreymon" not in named


@pytest.mark.parametrize(
    ("game", "step"),
    [
        ("dccg", "no Japanese names are recorded for dccg; did you mean Agumon?"),
        ("digi-battle", "no Japanese names are recorded for digi-battle; did you mean Agumon?"),
    ],
)
@pytest.mark.parametrize("command", ["find", "show"])
def test_a_japanese_name_of_a_game_without_any_gives_the_english_one(
    run: Run, command: str, game: str, step: str
) -> None:
    result = run(command, "アグモン", "-g", game)
    assert result.exit_code == 1
    assert step in result.stderr
    assert run(command, "Agumon", "-g", game).exit_code != 1  # what is offered works


def test_a_japanese_name_of_one_game_means_no_card_of_another(run: Run) -> None:
    """The same Digimon bears it in three games: where one is given, its cards alone are meant."""
    for game in ("alpha", "dcg", "hyper-colosseum"):
        found = run("find", "グレイモン", "-g", game, "--json").json["data"]["cards"]
        assert {card["game"] for card in found} == {game}
    assert run("show", "-g", "alpha", "グレイモン").exit_code == 4  # several of alpha, none of dcg
    assert "dcg/" not in run("show", "-g", "alpha", "グレイモン").stderr


def test_a_japanese_name_that_no_game_knows_is_said_to_be_of_no_use(run: Run) -> None:
    hint = run("find", "ホゲモン", "-g", "dccg").stderr
    assert "no Japanese names are recorded for dccg; write the English one" in hint


def test_a_query_for_copies_that_finds_nothing_does_not_advise_on_names(run: Run) -> None:
    nothing = run("find", "owned")
    assert nothing.exit_code == 1
    assert "collection list" in nothing.stderr
    assert "name~" not in nothing.stderr


def test_a_name_with_a_word_for_copies_within_it_gets_advice_on_names(run: Run) -> None:
    """ "Renowned" has "owned" in it and was answered with the collection."""
    nothing = run("find", "Renowned")
    assert nothing.exit_code == 1
    assert "try fewer words, or name~word" in nothing.stderr
    assert "collection list" not in nothing.stderr
    assert "collection list" in run("find", "Agumon", "(-owned<9 or wanted)").stderr


@pytest.mark.parametrize("game", ["Hyper-Colosseum", "HYPER-COLOSSEUM", "1999"])
def test_a_game_is_found_however_it_is_written(run: Run, game: str) -> None:
    wanted = run("find", "agumon", "-g", "hyper-colosseum", "--count").stdout
    assert run("find", "agumon", "-g", game, "--count").stdout == wanted
    assert run("find", "agumon", f"game:{game}", "--count").stdout == wanted
    assert run("show", f"{game}/St-1").exit_code == 0


def test_the_beginning_of_a_game_format_or_set_is_enough(run: Run, write: Write) -> None:
    deck = write("deck.txt", "3 hyper/St-1\n")
    for words, said in (
        ("find agumon -g hyper --numbers", "hyper-colosseum/"),
        ("find agumon game:DIGI --numbers", "digi-battle/"),
        ("find set:DoubleD --numbers", "dcg/BT6-001"),
        ("show hyper/St-1", "hyper-colosseum/St-1"),
        ("sets alp", "AE1"),
        ("formats street", "street-battle"),
        (f"deck check {deck} -f street", "street-battle"),
        ("collection add dg/St-1 -g hyper", "no card"),
        ("collection add dcg/BT6-1 --set doubled -g dcg", "dcg/BT6-001"),
        ("collection add alph/Dα-065", "alpha/Dα-065"),
        ("collection list --set DoubleD", "dcg/BT6-001"),
        ("collection progress alp --all", "AE2"),
        ("collection progress DoubleD", "BT6"),
        ("collection export - -g alp", "Dα-065"),
    ):
        result = run(*words.split())
        assert said in result.output, words
        assert (result.exit_code == 3) == (said == "no card"), words


def test_a_beginning_that_several_have_lists_them(run: Run) -> None:
    for words, said in (
        ("find agumon -g digimon", "dccg, dcg, digi-battle"),
        ("find game:digimon", "dccg, dcg, digi-battle"),
        ("find set:AE", "AE1, AE2"),
        ("formats hyper", "hyper-colosseum, hyper-colosseum-adventure"),
        ("collection progress AE", "AE1, AE2"),
        ("collection wants --collect AE", "AE1, AE2"),
    ):
        refused = run(*words.split())
        assert said in refused.stderr, words
        assert refused.exit_code == 3


@pytest.mark.parametrize("game", ["hyper-colloseum", "Alhpa"])
def test_an_unknown_game_names_the_nearest(run: Run, game: str) -> None:
    refused = run("find", "agumon", "-g", game)
    assert refused.exit_code == 3
    assert "did you mean" in refused.stderr


def test_a_phrase_is_words_side_by_side_in_their_order(run: Run) -> None:
    words = int(run("find", "greymon", "war", "--count").stdout)
    assert int(run("find", '"war greymon"', "--count").stdout) in range(1, words + 1)
    assert run("find", '"greymon war"').exit_code == 1


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ('"war', "this quote is never closed"),
        ('"', "this quote is never closed"),
        ('level:"', "this quote is never closed"),
        ('level:""', "level: needs a value"),
    ],
)
def test_a_quote_must_end_and_hold_something(run: Run, query: str, says: str) -> None:
    wrong = run("find", query)
    assert wrong.exit_code == 3
    assert says in wrong.stderr


def test_the_gaps_of_a_series_close_as_cards_are_imported(run: Run, write: Write) -> None:
    def gaps() -> list[tuple[str | None, str, str, int]]:
        found = run("sets", "alpha", "--gaps", "--json").json["data"]["gaps"]
        return [(gap["set_code"], gap["first"], gap["last"], gap["count"]) for gap in found]

    assert (None, "DM-002", "DM-009", 8) in gaps()
    assert "  DM-002 to DM-009, DM-011," in run("sets", "alpha", "--gaps").stdout
    cards = write(
        "cards.csv", "number,name,kind\nDM-004,Testmon,Digimon\nDM-011,Trialmon,Digimon\n"
    )
    assert run("import", cards, "--game", "alpha").exit_code == 0
    assert gaps()[1:4] == [
        (None, "DM-002", "DM-003", 2),
        (None, "DM-005", "DM-009", 5),
        (None, "DM-017", "DM-017", 1),
    ]


def test_a_game_of_which_all_cards_are_known_has_no_gaps(run: Run) -> None:
    """Neither in the ranges of its sets nor in its series."""
    assert run("sets", "dccg", "--gaps", "--json").json["data"]["gaps"] == []
    assert "no gaps between the known numbers" in run("sets", "dccg", "--gaps").stdout


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        pytest.param(
            "Matt Ishida & T.K. Takaishi", "Matt Ishida & T.K. Takaishi", id="H3-ampersand-find"
        ),
        ("tk takaishi & matt ishida", "Matt Ishida & T.K. Takaishi"),
        pytest.param(
            "Imperialdramon: Fighter Mode", "Imperialdramon: Fighter Mode", id="H4-colon-find"
        ),
        ("imperialdramon: fighter", "Imperialdramon: Fighter Mode"),
        ("Imperialdramon:Fighter", "Imperialdramon: Fighter Mode"),
        ("インペリアルドラモン：ファイター", "Imperialdramon Fighter Mode"),
        pytest.param("Winning Percentage: 40%", "Winning Percentage: 40%!", id="H4-percent"),
        ("Dead or Alive", "Dead or Alive"),
        ("Agumon -Bond of Courage-", "Agumon -Bond of Courage-"),
        ('Let"s Stop Fighting', 'Let"s Stop Fighting'),
        ("moon=millenniumon", "Moon=Millenniumon"),
        ("Symphony No.1 <Polyphony>", "Symphony No.1 <Polyphony>"),
        ("X-Antibody Protoform", "X-Antibody Protoform"),
        ("version omega", "Divine Arms Version Ω"),
        ("- Ｔ．Ｋ． ! & Ishida", "Matt Ishida & T.K. Takaishi"),
    ],
)
def test_a_name_is_found_as_one_argument_whatever_is_in_it(
    run: Run, typed: str, printed: str
) -> None:
    cards = run("find", typed, "--json").json["data"]["cards"]
    assert printed in {card["name"] for card in cards}
    assert {card["name"].split()[0].strip(":") for card in cards} == {
        printed.split(maxsplit=1)[0].strip(":")
    }
    run("collection", "add", cards[0]["key"])
    owned = run("collection", "list", typed, "--json").json["data"]["cards"]
    assert [card["card"] for card in owned] == [cards[0]["key"]]


def test_a_name_is_a_query_of_every_command(run: Run, write: Write, tmp_path: Path) -> None:
    name = "Imperialdramon: Fighter Mode"
    labels = ("barcode", "labels", "--query", name, "-g", "dcg", "-o", tmp_path / "labels.svg")
    assert run(*labels, "--json").json["data"]["labels"]
    deck = write("deck.txt", "# format: dcg\n4 BT8-032\n46 BT1-010\n")
    (row,) = run("deck", "odds", deck, "--find", name, "--json").json["data"]["rows"]
    assert row["targets"][0]["copies"] == 4


def test_a_name_that_is_a_term_too_is_found_with_what_the_term_finds(run: Run) -> None:
    found = run("find", "x-antibody", "--numbers").stdout.splitlines()
    assert found[0] == "hyper-colosseum/Sx-27"
    assert "alpha/DM-119" in found


@pytest.mark.parametrize("command", ["find", "collection list"])
def test_a_query_may_begin_with_a_minus(run: Run, command: str) -> None:
    def found(*words: str) -> set[str]:
        data = run(*command.split(), *words, "--json").json["data"]
        return {card.get("card") or card["key"] for card in data["cards"]}

    for number in ("alpha/Dα-065", "alpha/DM-119", "hyper-colosseum/St-1"):
        run("collection", "add", number)
    everything = found("owned")
    assert found("-set:AE2", "owned") == everything - {"alpha/Dα-065"}
    assert found("owned", "-game:alpha") == {"hyper-colosseum/St-1"}
    assert found("-name:greymon", "owned", "-g", "alpha") == {"alpha/Dα-065"}
    assert found("owned", "-galpha") == {"alpha/Dα-065", "alpha/DM-119"}
    assert found("-", "owned", "&", "-x-antibody", "--limit", "0") < everything
    assert "Usage" in run(*command.split(), "-h").stdout
    assert run(*command.split(), "--sets").exit_code == 2


def test_what_an_option_is_given_may_begin_with_a_minus(run: Run) -> None:
    numbers = run("find", "--sort", "-number", "-game:alpha", "--numbers").stdout
    assert numbers.startswith("hyper-colosseum/")
