"""Every spelling of a card that one command takes, every other takes, with the same result."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.lookup import expect, look_up, meant_by, one_card
from digideck.catalog.mention_text import clean, read_copies
from digideck.collection.copy_requests import CopyReader
from digideck.collection.list_contents import contents
from digideck.collection.list_reader import read_collection
from digideck.core.codes import Code
from digideck.core.problems import InputError
from digideck.decks.formats.convert import fill
from digideck.decks.matched_deck import LineLookup, Matcher
from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.text_deck import read_text_deck
from digideck.operations.cards.find_cards import find_cards
from tests.conftest import Run, Write
from tests.strategies import DASHES, full_width, respelled

FORMS = [
    "{number}",
    "{game}/{number}",
    "{game_name}/{number}",
    "{name}",
    "{game}/{name}",
    "{name} {number}",
    "{number} {name}",
    "{name} ({number})",
    "[{number}] {name}",
    "{name} ({game}/{number})",
    "{name} ({set})",
    "{name} ({edition})",
    "{name}@{edition}",
    "{number}{variant}",
    "{name} ({number}{variant})",
]


@st.composite
def numbers(draw: st.DrawFn, card: Card) -> str:
    """A number in other letters that mean the same."""
    number = card.number
    for change in draw(
        st.lists(st.sampled_from([str.lower, str.upper, full_width, _dashed, _greekless]))
    ):
        number = change(number)
    if draw(st.booleans()):
        number = number.replace("-", draw(st.sampled_from(DASHES)))
    return f"{number}@{card.edition}" if card.edition else number


def _dashed(number: str) -> str:
    return number.replace("-0", "-").replace("-0", "-")


def _greekless(number: str) -> str:
    return number.replace("α", "a")


@st.composite
def spellings(draw: st.DrawFn, index: CardIndex) -> tuple[Card, str]:
    """A card of the database, and a text that names it, maybe among others."""
    game = draw(st.sampled_from(sorted(index.games)))
    (card,) = index.by_ids([draw(st.sampled_from(index.all_ids(game)))])
    form = draw(st.sampled_from(FORMS))
    assume(card.names or "{name}" not in form)
    assume(card.edition or "{edition}" not in form)
    assume(card.printings or "{set}" not in form)
    assume(index.games[game].numbers.variants or "{variant}" not in form)
    name = draw(st.sampled_from(card.names)).text if card.names else ""
    assume(not name or card in index.by_name(name, game))  # not only its second name
    text = form.format(
        number=draw(numbers(card)),
        name=draw(respelled(name)).strip(),
        game=card.game,
        game_name=index.games[card.game].name,
        edition=card.edition,
        set=draw(st.sampled_from(card.printings)).set_code if card.printings else "",
        variant=draw(st.sampled_from(["_P1", "_P12"])),
    )
    return card, text


def keys(cards: Sequence[Card]) -> list[str]:
    return sorted(card.key for card in cards)


def only(cards: list[str]) -> list[str]:
    """What a command gives that takes exactly one card and refuses all else."""
    return cards if len(cards) == 1 else []


def linked(index: CardIndex, text: str, game: str | None) -> list[str]:
    try:
        return [one_card(index, text, game).key]
    except InputError:
        return []


def listed(index: CardIndex, column: str, text: str, game: str) -> list[str]:
    """What a row of a collection's list holds, the card written in one of its columns."""
    file = io.StringIO()
    csv.writer(file).writerows([(column, "count"), (text, "3")])
    found = contents(read_collection(file.getvalue(), "list.csv", "utf-8"), index, game)
    return keys(index.by_ids(holding.card_id for holding in found.holdings))


@settings(max_examples=250)
@given(data=st.data())
def test_every_command_takes_every_spelling(
    index: CardIndex, words: DeckVocabulary, built: Path, data: st.DataObject
) -> None:
    card, text = data.draw(spellings(index))
    game = card.game
    shown = keys(meant_by(index, text, game).cards)
    assert card.key in shown, text
    deck = read_text_deck(f"3 {text}\n{text} x3", "deck.txt", words)
    matched = Matcher(LineLookup(index), index.games[game]).match(deck)
    reader = CopyReader(index, game)
    assert [(entry.count, keys(entry.candidates)) for entry in matched.entries] == [(3, shown)] * 2
    assert [keys(fill(line, index, game).found) for line in deck.lines] == [shown] * 2
    for requests, _ in (
        reader.words([text, "3"]),
        reader.words(["3", text]),
        reader.words([f"{text} x3"]),
        reader.lines(f"3 {text}", "list.txt"),
    ):
        assert [request.card.key for request in requests] == only(shown)
        assert all(request.count == 3 for request in requests)
    assert linked(index, text, game) == only(shown)
    assert listed(index, "number", text, game) == only(shown)
    assert listed(index, "name", text, game) == only(shown)
    assert {card.key} <= {
        one.card.key for one in find_cards([text], game=game, db=built).cards.rows
    }


@settings(max_examples=60)
@given(data=st.data())
def test_a_look_up_of_many_is_that_of_each(index: CardIndex, data: st.DataObject) -> None:
    texts = [text for _, text in data.draw(st.lists(spellings(index), min_size=2, max_size=8))]
    mentions = [read_copies(clean(text), index.vocabulary) for text in texts]
    together = CardIndex(index.connection)
    expect(together, (mention for mention in mentions if mention))
    for mention in mentions:
        if mention:
            alone = look_up(CardIndex(index.connection), mention)
            assert look_up(together, mention) == alone


MEANT = [
    ("st1", None, ["digi-battle/ST-01", "hyper-colosseum/St-1"], "both-games-tolerantly"),
    ("St-1", None, ["hyper-colosseum/St-1"], "as-one-game-prints-it"),
    ("Boー12", None, ["hyper-colosseum/Bo-12"], "a-long-vowel-as-one-game-prints-it"),
    ("BOｰ12", None, ["digi-battle/BO-12"], "and-as-the-other-does"),
    ("Da-65", None, ["alpha/Dα-065"], "alpha-typed-as-a"),
    ("Da-2", None, ["hyper-colosseum/Da-2"], "no-slip-for-the-other"),
    ("DM-035", None, ["alpha/DM-035", "dccg/DM-035"], "two-games"),
    ("2006/DM-035", None, ["alpha/DM-035"], "a-tag-of-the-game"),
    ("nogame/DM-035", None, [], "a-game-that-is-none"),
    ("DM02-095", None, ["alpha/DM02-095"], "the-plain-edition"),
    ("St-1@asia", None, [], "an-edition-it-has-not"),
    ("BO-109", None, ["digi-battle/BO-109@bandai", "digi-battle/BO-109@upper-deck"], "editions"),
    ("BO-109 (Bandai)", None, ["digi-battle/BO-109@bandai"], "edition-in-brackets"),
    ("Agumon (St1)", "hyper-colosseum", ["hyper-colosseum/St-1"], "the-set-tells-the-card"),
    ("Shellmon (Bo1)", None, ["hyper-colosseum/Bo-9"], "a-set-that-looks-like-a-number"),
    ("Gigimon BT2-1", None, ["dcg/BT2-001"], "a-number-that-looks-like-a-set"),
    ("Agumon (Black)", "alpha", [], "brackets-that-are-no-set"),
    ("ADR-02 Searcher", None, ["dcg/EX2-046"], "a-name-that-looks-like-a-number"),
    ("アグモン St-1", None, ["hyper-colosseum/St-1"], "another-language"),
    ("St-1 (Promo) Agumon", None, ["hyper-colosseum/St-1"], "words-in-brackets"),
    ("St-1 Gabumon", None, [], "number-and-name-of-two-cards"),
    ("St-1 Agumonn", None, [], "a-slip-in-the-name"),
]


@pytest.mark.parametrize(
    ("text", "game", "cards"), [pytest.param(*row[:3], id=row[3]) for row in MEANT]
)
def test_what_a_text_means(index: CardIndex, text: str, game: str | None, cards: list[str]) -> None:
    assert keys(meant_by(index, text, game).cards) == cards
    assert linked(index, text, game) == only(cards)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("St-1 Gabumon", Code.NAME_CLASH, "St-1 is Agumon, but you wrote Gabumon, which is"),
        ("St-1 Agumonn", Code.NAME_DIFFERS, "St-1 is Agumon; 'Agumonn' is a near spelling"),
        ("St-1 Zzzz", Code.NAME_DIFFERS, "St-1 is Agumon; 'Zzzz' is no known name of it"),
        ("Agumonn", Code.CARD_UNKNOWN, "no card has the number or name 'Agumonn'"),
        ("BO-109", Code.CARD_AMBIGUOUS, "'BO-109' can be any of 2 cards"),
    ],
)
def test_why_a_text_is_refused(index: CardIndex, text: str, code: Code, says: str) -> None:
    with pytest.raises(InputError) as refused:
        one_card(index, text)
    (problem,) = refused.value.problems
    assert problem.code == code
    assert problem.message.startswith(says)
    assert problem.next_step


ROWS = [
    ("number,name", "DM-035,Dukemon", [], "neither-card-has-the-name"),
    ("number,name", "St-1,Zzzz", ["hyper-colosseum/St-1"], "an-unknown-name-is-told"),
    ("number,name", "St-1,Gabumon", [], "a-name-of-another-card"),
    ("name,set,game", "Agumon,St1,hyper-colosseum", ["hyper-colosseum/St-1"], "the-set-tells"),
    ("number,edition", "BO-109,Upper-Deck", ["digi-battle/BO-109@upper-deck"], "the-edition"),
    ("number,name,game", "DM-035,,dccg", ["dccg/DM-035"], "the-game"),
]


@pytest.mark.parametrize(
    ("header", "row", "cards"), [pytest.param(*row[:3], id=row[3]) for row in ROWS]
)
def test_what_a_row_means(index: CardIndex, header: str, row: str, cards: list[str]) -> None:
    listing = read_collection(f"{header},count\n{row},1\n", "list.csv", "utf-8")
    found = contents(listing, index)
    assert keys(index.by_ids(holding.card_id for holding in found.holdings)) == cards
    assert found.refused == (not cards)


def test_a_number_that_tells_no_game_is_told_by_the_name(index: CardIndex) -> None:
    for card in index.by_number("DM-035"):
        listing = read_collection(f"number,name,count\nDM-035,{card.name},1\n", "l.csv", "utf-8")
        (holding,) = contents(listing, index).holdings
        assert holding.card_id == card.id


def test_numbers_of_a_game_of_ones_own_are_found_beside_names(run: Run, write: Write) -> None:
    rows = write("own.csv", "number,name_en\nX99,Foomon\nX100,Barmon\n")
    assert run("import", rows, "--new-game", "own").exit_code == 0
    for text in ("X99", "own/X99", "x99", "Foomon", "Foomon (X99)", "X99 Foomon"):
        assert run("show", text, "--json").json["data"]["cards"][0]["key"] == "own/X99", text
        assert run("collection", "add", f"2 {text}").exit_code == 0, text
    deck = write("deck.txt", "# game: own\n3 X99\n2 Barmon X100\n")
    assert "X100" in run("deck", "convert", deck, "--to", "text").stdout
    assert run("show", "Foomon X100").exit_code == 1


SAME = [
    ("hyper-colosseum/St-1", ["hyper-colosseum/St-1", "Hyper Colosseum/st1", "[St-1] Agumon"]),
    ("alpha/DM02-095@asia", ["alpha/DM02-095@asia", "ＤＭ０２－０９５@Asia", "dm02‐095@ASIA"]),
    ("dcg/BT5-001", ["BT5-001", "BT5-001_P1", "bt5-1", "dcg/BT5-001"]),
    ("alpha/Dα-065", ["Dα-065", "alpha/Da-65", "Shamamon (Dα-065)", "シャーマモン Dα-065"]),
]


@pytest.mark.parametrize(
    ("key", "text"), [pytest.param(key, text, id=text) for key, texts in SAME for text in texts]
)
def test_the_commands_themselves(run: Run, write: Write, key: str, text: str) -> None:
    game, _, rest = key.partition("/")
    number, _, edition = rest.partition("@")
    row = write("list.csv", f'game,number,count\n{game},"{text}",2\n')
    assert run("show", text, "-g", game, "--json").json["data"]["cards"][0]["key"] == key
    found = run("find", text, "-g", game, "--json").json["data"]["cards"]
    assert key in [
        f"{one['game']}/{one['number']}" + (f"@{one['edition']}" if one["edition"] else "")
        for one in found
    ]
    deck = write("deck.txt", f"# game: {game}\n3 {text}\n")
    shown = run("deck", "show", deck, "--json").json["data"]
    assert number in str(shown)
    converted = run("deck", "convert", deck, "--to", "text").stdout
    assert (f"{number}@{edition}" if edition else number) in converted
    assert run("collection", "add", text, "2", "-g", game, "--json").exit_code == 0
    assert run("collection", "import", row, "--add").exit_code == 0
    assert run("barcode", "link", "4901234567894", text, "-g", game).exit_code == 0
    owned = run("show", key, "--json").json["data"]["cards"][0]
    assert (owned["owned"], len(owned["barcodes"])) == (4, 1)


def test_own_letters_go_before_those_that_count_as_the_same(run: Run) -> None:
    rows = "number,name_ja\nDα-901,ピョルモン\nDα-902,ピヨルモン\nDα-903,ピルモンΩ\n"
    assert run("import", "-", "--game", "alpha", stdin=rows).exit_code == 0
    for name, number in (("ピョルモン", "Dα-901"), ("ピヨルモン", "Dα-902"), ("ﾋﾟﾖﾙﾓﾝ", "Dα-902")):
        assert run("show", name, "--json").json["data"]["cards"][0]["number"] == number
    assert "Dα-903" in run("show", "ピルモン omega").stdout
    assert run("show", "Divine Arms Version Omega").exit_code == 0
    rows = "number,name_ja\nDα-902,ピヨルモン2\n"
    assert run("import", "-", "--on-conflict", "replace", stdin=rows).exit_code == 0
    assert "Dα-901" in run("show", "ピヨルモン").stdout


ODD_NAMES = (
    *('Quo"ted" Mon', "Aa & Bb", "& Bb", "Cc: Dd", "set: Dd", "level: up", "50% Off", "-Dashmon"),
    *("(Parenmon)", "This OR That", "OR", "x=1mon", "#Hashmon", "'Aposmon", "name=zzmon", "owned"),
    *("Zed (St1)", "2 Fast", "Mon 4", "3x", "Mon x9", "a/b", "Mon @asia", "St-4000", "--limit"),
    *("-set:AE2", "日本:語", "Mon,Comma", "[Brack]", "*Star*", "Mon*3", "Total: 30", "SB: Mon"),
)


def test_names_that_look_like_something_else_are_names(run: Run) -> None:
    rows = io.StringIO()
    csv.writer(rows).writerows([("number", "name"), *enumerate_names()])
    assert run("import", "-", "--game", "alpha", stdin=rows.getvalue()).exit_code == 0
    for number, name in enumerate_names():
        key = f"alpha/{number}"
        assert key in run("find", "--numbers", "--", name).stdout.split(), name
        assert run("show", "--", name).stdout.startswith(key), name
        deck = run("deck", "convert", "-", "-t", "text", "-g", "alpha", stdin=f"2 {name}\n")
        assert f"\n2 {name} ({number})\n" in deck.stdout, name
        assert key in run("collection", "add", "-", stdin=f"2 {name}\n").stdout, name


def enumerate_names() -> list[tuple[str, str]]:
    return [(f"Dα-{place}", name) for place, name in enumerate(ODD_NAMES, start=900)]
