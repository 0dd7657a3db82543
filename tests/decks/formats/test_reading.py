"""What people and programs really write, and what nobody should: recognised, read, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from digideck.decks.formats.registry import DECK_FILE_FORMATS
from digideck.decks.model import DeckVocabulary
from digideck.decks.read_deck import LARGEST_FILE, read_deck
from tests.conftest import Run

EXAMPLES = Path(__file__).parent / "examples"
CODE = "DCGAREdU1QxIEHBU1QxIE_CwcHBwUHBwUFBwcHBQUFTdGFydGVyIERlY2ssIEdhaWEgUmVkIFtTVC0xXQ"


@pytest.mark.parametrize(
    ("name", "form", "lines", "cards"),
    [
        ("digimoncardio_text_a.txt", "digimoncard.io", 19, 55),
        ("digimoncardio_text_b_trailing_space.txt", "digimoncard.io", 24, 55),
        ("digimoncarddev_text_padded.txt", "digimoncard.dev", 22, 53),
        ("digimoncardapp_text_idfirst.txt", "digimoncard.app", 17, 54),
        ("dcgo_text_minimal.txt", "dcgo", 2, 3),
        ("dcgo_saved_constructed.txt", "dcgo", 2, 3),
        ("digimonmeta_text.txt", "digimonmeta", 22, 54),
        ("untap_parens.txt", "untap", 29, 54),
        ("untap_brackets_minimal.txt", "untap", 1, 2),
        ("tts_digimoncardapp_illegal_bt9-099x2.json", "tts", 27, 55),
        ("tts_digimoncarddev.json", "tts", 29, 54),
        ("tts_digimoncardmoe.json", "tts", 22, 55),
        ("tts_digimonmeta.json", "tts", 16, 54),
        ("dcgo_tts_minimal.json", "tts", 2, 3),
        ("cockatrice_constructed.cod", "cockatrice", 2, 5),
        ("lackey_constructed.dek", "lackey", 3, 4),
        ("digimoncardapp_collection.csv", "csv", 9, 9),
    ],
)
def test_example_is_recognised_and_read(
    name: str, form: str, lines: int, cards: int, words: DeckVocabulary
) -> None:
    deck = read_deck(str(EXAMPLES / name), words)
    assert deck.problems == ()
    assert (deck.form, len(deck.lines), deck.cards()) == (form, lines, cards)


def test_lackey_deck_keeps_zones_numbers_and_sets(words: DeckVocabulary) -> None:
    deck = read_deck(str(EXAMPLES / "lackey_constructed.dek"), words)
    assert [
        (line.count, line.number, line.name, line.zone, line.set_code) for line in deck.lines
    ] == [
        (2, "St-1", "Agumon", "main", "St1"),
        (1, "St-4", "Birdramon", "main", "St1"),
        (1, "St-5", "Gabumon", "side", "St1"),
    ]
    assert deck.details == {
        "name": "Net Ocean of Blue",
        "lackey game": "DigimonHC",
        "lackey format": "Modern",
    }


def test_lackey_deck_in_the_encoding_that_it_declares(run: Run, write) -> None:  # type: ignore[no-untyped-def]
    text = (EXAMPLES / "lackey_constructed.dek").read_text("utf-8").replace("Ocean of", "Océan of")
    done = run("deck", "convert", "--to", "text", write("d.dek", text.encode("latin-1")))
    assert done.exit_code == 0, done.output
    assert "# name: Net Océan of Blue" in done.stdout


@pytest.mark.parametrize(("day", "code"), [("2022-11-10", 0), ("2023-01-01", 1), ("2026-05-01", 0)])
def test_example_is_judged(day: str, code: int, run: Run) -> None:
    """Two BT9-099, which were limited to one for a while; its eggs stand among the others."""
    path = EXAMPLES / "tts_digimoncardapp_illegal_bt9-099x2.json"
    done = run("deck", "check", "--format", "dcg", "--as-of", day, path)
    assert done.exit_code == code, done.output
    assert ("BT9-099" in done.stdout) == (code == 1)


DIRTY_ARRAYS = {
    "lost-bracket": '["Exported from x","BT1-010","BT1-010"',
    "no-quotes": "[BT1-010,BT1-010]",
    "single-quotes": "['BT1-010', 'BT1-010']",
    "curly-quotes": "[“BT1-010”, “BT1-010”]",
    "one-a-line": '[\n  "BT1-010",\n  "BT1-010"\n]\n',
    "trailing-comma": '["BT1-010","BT1-010",]',
    "other-spelling": '["BT01-010","bt1-10"]',
    "byte-order-mark": '\ufeff["BT1-010","BT1-010"]',
    "no-header": '["BT1-010","BT1-010"]',
}


@pytest.mark.parametrize("text", DIRTY_ARRAYS.values(), ids=DIRTY_ARRAYS)
def test_array_that_readers_in_the_field_accept(text: str, run: Run) -> None:
    done = run("deck", "convert", "--to", "digimonmeta", "-", stdin=text)
    assert done.exit_code == 0, done.output
    counts = [line.split(" ", 1) for line in done.stdout.splitlines()]
    assert sum(int(count) for count, _ in counts) == 2
    assert {number for _, number in counts} == {"(BT1-010)"}
    assert ("bracket is missing" in done.stderr) == (text == DIRTY_ARRAYS["lost-bracket"])


@pytest.mark.parametrize(
    ("line", "card"),
    [
        pytest.param("4 Koromon ST01-01", "4 Koromon (ST1-01)", id="zero-in-the-set"),
        pytest.param("4 Koromon ST1-1", "4 Koromon (ST1-01)", id="no-zero"),
        pytest.param("2 x EX09-013", "2 BlitzGreymon (EX9-013)", id="EX09"),
        pytest.param("2 RB1-10", "2 Siriusmon (RB1-010)", id="RB1-10"),
        pytest.param("4\u00a0Agumon\u00a0BT1-010", "4 Agumon (BT1-010)", id="no-break-space"),
        pytest.param("4 Agumon （BT1-010）", "4 Agumon (BT1-010)", id="full-width-bracket"),
        pytest.param("４ Ａｇｕｍｏｎ ＢＴ１－０１０", "4 Agumon (BT1-010)", id="full-width"),
        pytest.param("1 Symphony No.1 ＜Polyphony＞ BT1-106", "BT1-106", id="angle-brackets"),
        pytest.param("1 Agumon BT1-010_P1", "1 Agumon (BT1-010_P1)", id="printing"),
        pytest.param("1 Agumon BT1-010-p1", "1 Agumon (BT1-010-p1)", id="printing-of-apitcg"),
        pytest.param("1 Agumon BT1-010-Errata", "1 Agumon (BT1-010-Errata)", id="errata"),
        pytest.param("BT19-078 ADR-01 Jeri 3", "3 ADR-01 Jeri (BT19-078)", id="id-like-name"),
        pytest.param("3 ADR-01 Jeri BT19-078", "3 ADR-01 Jeri (BT19-078)", id="id-like-last"),
        pytest.param("LM-021 Agumon - Bond of Bravery 4", "(LM-021)", id="lone-dash"),
        pytest.param(
            "4 Agumon - Bond of Bravery BT6-018",
            "4 Agumon - Bond of Bravery (BT6-018)",
            id="lone-dash-last",
        ),
        pytest.param("BT12-112 Shoutmon X7: Superior Mode x2", "(BT12-112)", id="X7"),
        pytest.param("2 Shoutmon X4 BT10-009", "2 Shoutmon X4 (BT10-009)", id="X4"),
        pytest.param("BT10-009 Shoutmon X4", "1 Shoutmon X4 (BT10-009)", id="X4-no-count"),
        pytest.param("4 Agumon [DCG] (BT1-010) ", "4 Agumon (BT1-010)", id="untap"),
        pytest.param("2 Agumon   BT1-010_P1 ", "2 Agumon (BT1-010_P1)", id="dcgo"),
    ],
)
def test_line_that_breaks_naive_readers(line: str, card: str, run: Run) -> None:
    done = run("deck", "convert", "--to", "text", "--game", "dcg", "-", stdin=line)
    assert done.exit_code == 0, done.output
    assert card in done.stdout


def test_digimonmeta_code(run: Run) -> None:
    for text in (
        "4nBT22-002a4nST19-03",
        "4nBT22-002a\b4nST19-03\n",
        "https://digimonmeta.com/deck-builder/?deck=4nBT22-002a4nST19-03",
    ):
        done = run("deck", "convert", "--to", "digimonmeta-code", "-", stdin=text)
        assert (done.exit_code, done.stdout) == (0, "4nBT22-002a4nST19-03\n"), text


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"  {CODE}==\n",
        f"https://heroi.cc/deck/{CODE}",
        f"# my deck\n{CODE}\n",
        f"{CODE[:40]}\n{CODE[40:]}\n",
    ],
)
def test_deck_code_in_the_ways_it_is_passed_on(text: str, run: Run) -> None:
    done = run("deck", "convert", "--to", "text", "--json", "-", stdin=text)
    assert done.exit_code == 0, done.output
    (deck,) = done.json["data"]["decks"]
    assert (deck["read_as"], deck["cards"]) == ("deck-code", 54)
    assert deck["details"]["name"] == "Starter Deck, Gaia Red [ST-1]"


@pytest.mark.parametrize(
    "text",
    [
        "count,number\n4,BT1-010\n",
        "Quantity;Card Name;Card Number\n4;Agumon;BT1-010\n",
        "Qty\tCard No.\tName\n4\tBT1-010\tAgumon\n",
        'id,count\r\n"BT1-010",4',
        "\ufeffNumber,Count\nBT1-010,4\n",
        '"sep=,"\nFolder Name,Quantity,Card Name,Set Code,Card Number\na,4,Agumon,BT1,BT1-010\n',
        "番号,枚数\nBT1-010,4\n",
    ],
)
def test_csv_by_its_header(text: str, run: Run) -> None:
    done = run("deck", "convert", "--to", "digimonmeta", "-", stdin=text)
    assert (done.exit_code, done.stdout) == (0, "4 (BT1-010)\n"), done.output


def test_csv_rows_of_none_are_left_out_and_said(run: Run) -> None:
    text = 'count,id\n0,"BT1-001"\n4,"BT1-010"\n'
    done = run("deck", "convert", "--to", "digimonmeta", "-", stdin=text)
    assert (done.exit_code, done.stdout) == (0, "4 (BT1-010)\n")
    assert "1 rows with a count of 0" in done.stderr


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE {0} [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]><{0}><deckname>&j;</deckname></{0}>"
)
HOSTILE = {
    "bomb-cockatrice": (BOMB.format("cockatrice_deck"), "DTD of its own"),
    "bomb-lackey": (BOMB.format("deck"), "DTD of its own"),
    "outside-entity": (
        '<!DOCTYPE deck [<!ENTITY x SYSTEM "file:///etc/passwd">]><deck>&x;</deck>',
        "DTD of its own",
    ),
    "undefined-entity": ("<deck><meta>&x;</meta></deck>", "undefined entity"),
    "skipped-entity": (
        '<!DOCTYPE deck SYSTEM "http://127.0.0.1:1/x.dtd"><deck><meta>&x;</meta></deck>',
        "uses the entity",
    ),
    "deep-xml": ("<deck>" + "<a>" * 100_000, "nested more than"),
    "cut-xml": ('<cockatrice_deck version="1"><zone name="main"><card number="4" na', "not XML"),
    "web-page": ("<!DOCTYPE html><html><body>3 Agumon</body></html>", "a web page"),
    "other-xml": ('<Pile><Cards Quantity="4" Name="x" /></Pile>', "root element <pile>"),
    "magic-online": (
        '<Deck><Cards Quantity="4" Name="x" /></Deck>',
        "a deck of Magic Online (.dek)",
    ),
    "octgn": (
        '<deck game="1"><section name="Main"><card qty="3">A</card></section></deck>',
        "a deck of OCTGN (.o8d)",
    ),
    "forge": ("[metadata]\nName=x\n[Main]\n3 Agumon|BT1\n", "a deck of Forge (.dck)"),
    "deep-json": ("[" * 100_000, "arrays inside an array"),
    "deep-json-closed": ("[" * 100_000 + "]" * 100_000, "arrays inside an array"),
    "deep-json-later": ('["BT1-001",' + "[" * 100_000, "no card number"),
    "json-object": ('{"deck": ["BT1-001"]}', "a JSON object"),
    "json-of-objects": ('[{"id": "BT1-001", "count": 4}]', "arrays inside an array"),
    "json-of-numbers": ('["Exported from x", 1, 2, null]', "no card number"),
    "json-header-alone": ('["Exported from x"]', "no card line found"),
    "open-quote": ('["BT1-001","' + "x" * 100_000, "no card number"),
    "too-large": (json.dumps(["BT1-001"] * 1_000_000), "more than 1,000,000 bytes"),
    "code-cut": (CODE[:50], "deck code: byte"),
    "code-changed": (CODE.replace("AREd", "AREe"), "deck code: byte 1, the checksum"),
    "code-version-6": ("DCGYREdU1QxIEHBU1QxIE_CwcH", "deck code: byte 0 says version 6"),
    "two-codes": (f"{CODE}\n{CODE}", "2 deck codes"),
    "csv-open-quote": ('number,count\n"BT1-010,4\n', "a quote opens here that never ends"),
    "csv-wide-row": ("number,count\nBT1-010,4,5,6\n", "4 values for 2 columns"),
    "csv-count": ("number,count\nBT1-010,many\n", "no whole number of copies"),
    "cockatrice-count": (
        '<cockatrice_deck><zone name="main"><card number="9e9" name="Agumon"/></zone>'
        "</cockatrice_deck>",
        "no whole number of copies",
    ),
    "cockatrice-no-name": (
        '<cockatrice_deck><zone name="main"><card number="4"/></zone></cockatrice_deck>',
        "no card name or number",
    ),
    "lackey-no-name": (
        '<deck><superzone name="Deck"><card></card></superzone></deck>',
        "no name or number",
    ),
}


@pytest.mark.parametrize(("text", "said"), HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("command", ["check", "convert"])
def test_hostile_file_is_refused_in_a_sentence(
    command: str, text: str, said: str, run: Run
) -> None:
    options = ["--to", "text"] if command == "convert" else []
    done = run("deck", command, *options, "-", stdin=text)
    assert done.exit_code == 3, done.output[:500]
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert len(done.stderr) < 3000


@pytest.mark.parametrize("code", DECK_FILE_FORMATS)
@pytest.mark.parametrize(
    "text",
    ["", "\n", "[", "<", "{", "DCG", "---", ",", "\ufeff", "[" * 5000, "<a>" * 5000, "a" * 10_000]
    + [text for text, _ in HOSTILE.values() if len(text) < LARGEST_FILE],
)
def test_any_text_forced_into_any_form_ends_in_a_problem_or_a_deck(
    code: str, text: str, words: DeckVocabulary, tmp_path: Path
) -> None:
    path = tmp_path / "deck"
    path.write_text(text, "utf-8")
    deck = read_deck(str(path), words, form=DECK_FILE_FORMATS[code])
    assert deck.form == code
    assert deck.lines or deck.problems


def test_cockatrice_says_what_is_no_deck(run: Run) -> None:
    text = (
        '<cockatrice_deck><zone name="main"><card number="4" name="Agumon"/></zone>'
        '<zone name="tokens"><card number="1" name="Token"/></zone>'
        '<zone name="attic"><card number="2" name="Gabumon"/></zone>'
        "<sideboard_plan><name>x</name></sideboard_plan></cockatrice_deck>"
    )
    done = run("deck", "convert", "--to", "text", "-", stdin=text)
    assert done.exit_code == 0
    assert done.stdout == "4 Agumon\n2 Gabumon\n"
    for said in ("the zone of tokens", "'attic'", "<sideboard_plan>"):
        assert said in done.stderr
