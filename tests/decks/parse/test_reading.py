"""Deck files of every form, good and bad: what is read, and that nothing is raised."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.catalog.cards import CardIndex
from digideck.catalog.mention_text import clean
from digideck.core.problems import Severity
from digideck.decks.model import MOST_ON_A_LINE, Deck, DeckVocabulary
from digideck.decks.parse.text_deck import card_line, read_text_deck
from digideck.decks.parse.yaml_deck import read_yaml_deck
from digideck.decks.read_deck import MOST_LINES, read_deck
from tests.conftest import Write
from tests.strategies import respelled


def pluralize(deck: Deck) -> list[tuple[int, str | None, str, str]]:
    return [(line.count, line.number, line.name, line.zone) for line in deck.lines]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "https://example.org/d\n---\nname: D\ncards:\n  - St-1\n  - 2 St-2\n", id="url-first"
        ),
        pytest.param(
            "---\nname: D\ncards: ['St-1', '2 St-2']\n---\nA story of 3 Agumon.\n",
            id="front-matter",
        ),
        pytest.param(
            "---\ndeck:\n  - {number: St-1}\n  - {number: St-2, count: 2}\n", id="mappings"
        ),
        pytest.param("---\ndeck:\n  - St-1: 1\n  - St-2: 2\n", id="counted-items"),
        pytest.param("---\nmain:\n  St-1: 1\n  St-2: 02\n", id="counted-keys"),
        pytest.param("\ufeff---\n# note\ndeck: [St-1, St-2 x2]\n", id="E1-bom"),
    ],
)
def test_yaml_forms(words: DeckVocabulary, write: Write, text: str) -> None:
    deck = read_deck(str(write("deck.txt", text)), words)
    assert pluralize(deck) == [(1, "St-1", "", "main"), (2, "St-2", "", "main")]
    assert not [found for found in deck.problems if found.severity is not Severity.NOTE]


def test_a_yaml_list_knows_its_lines(words: DeckVocabulary) -> None:
    text = "https://example.org\n---\nname: D\ncards:\n  - St-1\n  - 0 St-2\n"
    deck = read_yaml_deck(text, "deck.txt", words)
    assert deck.lines[0].line == 5
    assert [problem.place for problem in deck.problems] == ["deck.txt:6"]
    assert deck.details["name"] == "D"


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        ("0", "a count of 0"),
        ("400", "a count of 400"),
        ("1.5", "no whole number"),
        ("yes", "no whole number"),
        ("", "no whole number"),
        ("'²'", "no whole number"),
        (str(10**30), "more than a billion"),
    ],
)
def test_yaml_counts_that_are_none(words: DeckVocabulary, count: str, reason: str) -> None:
    deck = read_yaml_deck(f"---\ncards:\n  - {{number: St-1, count: {count}}}\n", "d", words)
    (problem,) = deck.problems
    assert reason in problem.message
    assert problem.line == 3


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("---\ncards: [St-1\n", "yaml-syntax", id="unclosed"),
        pytest.param("---\ncards: [St-1]\ncards: [St-2]\n", "yaml-duplicate-key", id="F9-twice"),
        pytest.param("---\na: &a [*a]\n", "yaml-alias", id="alias"),
        pytest.param("---\njust words\n", "yaml-type", id="no-keys"),
        pytest.param("---\n", "yaml-empty", id="empty"),
        pytest.param("---\nname: D\n", "no-cards", id="no-cards"),
    ],
)
def test_yaml_that_is_no_deck(words: DeckVocabulary, write: Write, text: str, code: str) -> None:
    deck = read_deck(str(write("deck.yaml", text)), words)
    assert code in [problem.code for problem in deck.problems]
    assert deck.unreadable
    assert deck.lines == ()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        pytest.param("cards: [St-1]\nspare: [St-2]\n", 2, "'spare' is no part", id="unknown-zone"),
        pytest.param("---\ncards: [St-1]\n---\n3 St-2\n", 4, "outside", id="after-the-marks"),
        pytest.param("3 St-2\n---\ncards: [St-1]\n", 1, "outside", id="before-the-marks"),
        pytest.param(
            "cards:\n  - {number: St-1, amount: 3}\n", 2, "'amount' is not known", id="unknown-key"
        ),
        pytest.param(
            "cards:\n  - {number: St-1, qty: 3, count: 2}\n", 2, "two counts", id="two-counts"
        ),
    ],
)
def test_yaml_loses_no_card_silently(
    words: DeckVocabulary, write: Write, text: str, line: int, says: str
) -> None:
    deck = read_deck(str(write("deck.yaml", text)), words)
    (problem,) = [found for found in deck.problems if found.severity is Severity.ERROR]
    assert problem.line == line
    assert says in problem.message


@pytest.mark.parametrize(
    ("story", "says"),
    [("A story.\n", "1 line outside"), ("A story.\nIts end.\n", "2 lines outside")],
)
def test_yaml_says_how_much_it_does_not_read(words: DeckVocabulary, story: str, says: str) -> None:
    deck = read_yaml_deck(f"---\ncards: [St-1]\n---\n{story}", "deck.yaml", words)
    (problem,) = deck.problems
    assert (problem.severity, problem.line) == (Severity.NOTE, 4)
    assert problem.message.startswith(says)
    assert "between the marks" in (problem.next_step or "")


def test_yaml_keeps_the_set_of_a_card(words: DeckVocabulary) -> None:
    text = "cards:\n  - {number: St-1, set: Bo-1, qty: 2}\n  - {number: St-2, set: }\n"
    deck = read_yaml_deck(text, "deck.yaml", words)
    assert pluralize(deck) == [(2, "St-1", "", "main"), (1, "St-2", "", "main")]
    assert [line.set_code for line in deck.lines] == ["Bo-1", None]
    assert not deck.problems
    text = "cards:\n  - {number: St-1, set: [Bo-1]}\n"
    (problem,) = read_yaml_deck(text, "deck.yaml", words).problems
    assert "set" in problem.message


def test_yaml_cards_may_stand_beside_their_zone(words: DeckVocabulary, write: Write) -> None:
    deck = read_deck(str(write("deck.yaml", "name: D\nmain: 3 St-1\n")), words)
    assert pluralize(deck) == [(3, "St-1", "", "main")]


def test_a_json_list_has_a_banner_and_one_number_a_copy(
    words: DeckVocabulary, write: Write
) -> None:
    """A19."""
    path = write("deck.txt", '["Exported from https://example.org","BT1-001","BT1-001"]')
    deck = read_deck(str(path), words)
    assert pluralize(deck) == [(2, "BT1-001", "", "main")]
    assert deck.problems == ()


@pytest.mark.parametrize(
    ("data", "encoding", "name"),
    [
        pytest.param("\ufeff3 アグモン".encode(), None, "アグモン", id="E1-bom"),
        pytest.param("3 アグモン".encode("utf-16"), None, "アグモン", id="utf-16"),
        pytest.param("\ufeff3 アグモン".encode("utf-16-be"), None, "アグモン", id="utf-16-be-bom"),
        pytest.param("\ufeff3 アグモン".encode("utf-32-le"), None, "アグモン", id="utf-32-le-bom"),
        pytest.param("\ufeff3 アグモン".encode("utf-32-be"), None, "アグモン", id="utf-32-be-bom"),
        pytest.param("3 Agumon".encode("utf-16-be"), "utf-16-be", "Agumon", id="utf-16-be"),
        pytest.param("3 Agumon".encode("utf-16-le"), "UTF_16LE", "Agumon", id="another-name"),
        pytest.param("3 Agumon".encode("utf-32-le"), "utf-32-le", "Agumon", id="utf-32-le"),
        pytest.param("3 アグモン".encode("cp932"), "cp932", "アグモン", id="E5-cp932"),
        pytest.param("3 Löwemon’s".encode("cp1252"), "cp1252", "Löwemon’s", id="E6-cp1252"),
    ],
)
def test_encodings(
    words: DeckVocabulary, write: Write, data: bytes, encoding: str | None, name: str
) -> None:
    deck = read_deck(str(write("deck.txt", data)), words, encoding)
    assert pluralize(deck) == [(3, None, name, "main")]


@pytest.mark.parametrize(
    ("data", "code", "line", "hint"),
    [
        pytest.param(b"", "no-cards", None, "3 Agumon", id="empty"),
        pytest.param(b"\n\n# nothing\n", "no-cards", None, "3 Agumon", id="only-comments"),
        pytest.param(b"\0" * 100, "not-text", 1, "check", id="nul"),
        pytest.param(bytes(range(256)) * 9, "not-text", 1, "check", id="binary"),
        pytest.param(
            b"3 Agumon\n\xff\xfe\xfa", "wrong-encoding", 2, "--encoding", id="invalid-utf-8"
        ),
        pytest.param(
            "1 x\n3 アグモン".encode("cp932"), "wrong-encoding", 2, "cp932", id="E5-cp932"
        ),
        pytest.param(
            "1 x\n3 Mega\u2019s µ".encode("cp1252"),
            "wrong-encoding",
            2,
            "--encoding",
            id="E6-cp1252",
        ),
        pytest.param(b"3 " + b"x" * 10_000_000, "file-too-large", None, "check", id="10-MB-line"),
        pytest.param(b"3 " + b"x" * 900_000, "line-unreadable", 1, "#", id="900-kB-line"),
    ],
)
def test_files_that_are_no_decks(
    words: DeckVocabulary, write: Write, data: bytes, code: str, line: int | None, hint: str
) -> None:
    deck = read_deck(str(write("deck.txt", data)), words)
    (problem,) = deck.problems
    assert (problem.code, problem.line) == (code, line)
    assert problem.file
    assert hint in str(problem.next_step)
    assert deck.unreadable


@pytest.mark.parametrize("encoding", ["utf-13", "undefined", "punycode", "hex", "a\0b", "\udcff"])
def test_an_encoding_nobody_knows(words: DeckVocabulary, write: Write, encoding: str) -> None:
    deck = read_deck(str(write("deck.txt", "3 Agumon ü")), words, encoding)
    (problem,) = deck.problems
    # punycode's own error names a byte; whichever it is, it is a problem and no traceback
    assert problem.code in ("unknown-encoding", *["wrong-encoding"] * (encoding == "punycode"))


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("3 アグモン".encode("euc-jp"), "utf-8"),
        (b"3 L\x81", "cp932"),
        (b"3 L\xff", "shift_jisx0213"),
        (b"3 \x81\xff", "cp1252"),
        ("3 Agumon".encode("utf-32-le"), "utf-16-le"),
        ("3 アグモン!".encode(), "utf-16-le"),
        ("3 アグモン!".encode(), "utf-32-le"),
    ],
)
def test_advice_does_not_repeat_what_was_tried(
    words: DeckVocabulary, write: Write, data: bytes, encoding: str
) -> None:
    deck = read_deck(str(write("deck.txt", data)), words, encoding)
    (problem,) = deck.problems
    assert problem.code in ("wrong-encoding", "not-text")
    assert "--encoding" in str(problem.next_step)
    assert f"--encoding {encoding}" not in str(problem.next_step)


def test_a_missing_file_names_its_neighbours(words: DeckVocabulary, write: Write) -> None:
    path = write("my-deck.txt", "3 Agumon")
    deck = read_deck(str(path.with_name("my-dekc.txt")), words)
    (problem,) = deck.problems
    assert problem.code == "file-missing"
    assert "my-deck.txt" in str(problem.next_step)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_does_not_block(words: DeckVocabulary, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    deck = read_deck(str(tmp_path / "pipe"), words)
    assert [problem.code for problem in deck.problems] == ["not-a-file"]


@given(data=st.binary(max_size=300))
def test_any_bytes_are_a_deck_or_problems(
    words: DeckVocabulary, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "deck"
    for name in ("deck.txt", "deck.yaml"):
        path = tmp_path / name
        path.write_bytes(data)
        deck = read_deck(str(path), words)
        assert deck.lines or deck.problems


@given(text=st.text("Agu St-1x×3()[]:;,.#/\"'枚ア²\t\u3000", max_size=25))
def test_no_line_is_lost(words: DeckVocabulary, text: str) -> None:
    """What has a letter or a digit and is no comment is a card or a problem."""
    deck = read_text_deck(text, "deck.txt", words)
    if any(map(str.isalnum, text)) and not clean(text).startswith(("#", "//", "* #", "- #")):
        assert len(deck.lines) + len(deck.problems) == 1


@given(data=st.data())
def test_what_is_written_is_read(
    words: DeckVocabulary, index: CardIndex, data: st.DataObject
) -> None:
    """G3: every card of the database, in any order of count, name and number."""
    ids = index.all_ids()
    card = index.by_ids([data.draw(st.sampled_from(ids))])[0]
    count = data.draw(st.integers(1, MOST_ON_A_LINE))
    number, name = card.full_number, card.names[0].text if card.names else ""
    form = data.draw(
        st.sampled_from(
            [
                "{c} {m} {n}",
                "{c} {n} {m}",
                "{c}x {m} ({n})",
                "{n} {m} x{c}",
                "{m} [{n}] x{c}",
                "({c}) {n} {m}",
            ]
        )
    )
    text = clean(form.format(c=count, m=name, n=number))
    line = card_line(text, words, zone="main", place=1)
    assert line is not None
    assert (line.count, line.written_number) == (count, number)
    assert line.name == clean(name).strip(" ,;:-–—|") or line.bare_name == clean(name)


def test_every_card_is_read_back_by_its_number(words: DeckVocabulary, index: CardIndex) -> None:
    for card in index.by_ids(index.all_ids()):
        line = card_line(f"3 {card.full_number}", words, zone="main", place=1)
        assert line is not None
        assert (line.count, line.written_number, line.name) == (3, card.full_number, "")


@given(data=st.data())
def test_other_letters_of_a_name_find_the_same_cards(
    words: DeckVocabulary, index: CardIndex, data: st.DataObject
) -> None:
    query = "SELECT DISTINCT name FROM card_name ORDER BY name"
    names = [row["name"] for row in index.connection.execute(query)]
    name = data.draw(st.sampled_from(names))
    assert index.by_name(data.draw(respelled(name))) == index.by_name(name)


def test_the_longest_deck_is_read(words: DeckVocabulary, write: Write) -> None:
    deck = read_deck(str(write("deck.txt", "3 Agumon St-1\n" * MOST_LINES)), words)
    assert len(deck.lines) == MOST_LINES
    assert not deck.problems
