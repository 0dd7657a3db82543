"""Deck lists as people type them: the ids are those of the public bug reports they come from."""

from __future__ import annotations

import pytest

from digideck.core.problems import Severity
from digideck.decks.model import DeckVocabulary
from digideck.decks.parse.text_deck import LONGEST_LINE, read_text_deck

# A card line as it is read: count, number, name, zone.
Line = tuple[int, str | None, str, str]


def one(count: int, name: str = "", number: str | None = None, zone: str = "main") -> Line:
    return count, number, name, zone


A = [
    ("A1-count-x", "4x Agumon\n4 Gabumon", [one(4, "Agumon"), one(4, "Gabumon")]),
    ("A2-count-space-x", "4 x Agumon", [one(4, "Agumon")]),
    ("A3-count-suffix", "Agumon x4\nAgumon\tx4", [one(4, "Agumon"), one(4, "Agumon")]),
    ("A5-suffix-hyphen", "Annoy-o-mon x 2", [one(2, "Annoy-o-mon")]),
    ("A6-suffix-comma", "Omega, the Last x1", [one(1, "Omega, the Last")]),
    ("A8-tabs", "2\tAgumon\tBooster 1", [one(2, "Agumon")]),
    ("A8-tabs-number", "St-1\t2\tAgumon", [one(2, "Agumon", "St-1")]),
    ("A9-trailing-space", "1 Agumon ", [one(1, "Agumon")]),
    ("A9-trailing-nbsp", "1 Agumon\u00a0\u3000", [one(1, "Agumon")]),
    ("A10-paste-linefeed", "3 Agumon\r\n\r\n", [one(3, "Agumon")]),
    ("A10-control-characters", "3 Agu\x0bmon\x07\u200b", [one(3, "Agumon")]),
    ("A12-comments", "// 20 Digimon\n4 Agumon\n# note", [one(4, "Agumon")]),
    (
        "A12-comment-behind",
        "3 Agumon # my favourite\n3 Card #1",
        [one(3, "Agumon"), one(3, "Card #1")],
    ),
    (
        "A13-side-prefix",
        "SB: 1 Agumon\nsb: 2x Gabumon\n3 Patamon",
        [one(1, "Agumon", zone="side"), one(2, "Gabumon", zone="side"), one(3, "Patamon")],
    ),
    ("A14-side-heading", "SIDEBOARD:\n1 Agumon", [one(1, "Agumon", zone="side")]),
    (
        "A15-sections",
        "Side Deck\n1 Agumon\n\nMain Deck\n1 Gabumon",
        [one(1, "Agumon", zone="side"), one(1, "Gabumon")],
    ),
    (
        "A15-sections-of-a-game",
        "デジタマデッキ\n4 ST1-01\nメインデッキ\n4 ST1-02",
        [one(4, number="ST1-01", zone="eggs"), one(4, number="ST1-02")],
    ),
    ("A15-heading-with-count", "== Level III (3) ==\n3 Agumon", [one(3, "Agumon")]),
    ("A16-mainboard-lower", "mainboard\n1 Agumon", [one(1, "Agumon")]),
    ("A16-mainboard-upper", "MAINBOARD\n1 Agumon", [one(1, "Agumon")]),
    ("A16-mainboard-full-width", "ＭＡＩＮＢＯＡＲＤ：\n1 Agumon", [one(1, "Agumon")]),
    ("A19-banner", "Exported from https://example.org/deck\n1 BT1-001", [one(1, number="BT1-001")]),
    ("A19-link", "https://example.org/deck\n1 BT1-001", [one(1, number="BT1-001")]),
    (
        "A23-duplicate",
        "2 Agumon [St-1]\n1 Agumon [Bo-9]",
        [one(2, "Agumon", "St-1"), one(1, "Agumon", "Bo-9")],
    ),
]
# Relatives of the reports: each was read as one copy, or as no card, by an earlier version.
COUNTS = [
    ("brackets-first", "(3) Agumon", [one(3, "Agumon")]),
    ("brackets-last", "Agumon (3)", [one(3, "Agumon")]),
    ("brackets-x", "Agumon (x3)", [one(3, "Agumon")]),
    ("brackets-behind-number", "Agumon [St-1] (3)", [one(3, "Agumon", "St-1")]),
    ("year-is-no-count", "Agumon (2006 Anime Version)", [one(1, "Agumon (2006 Anime Version)")]),
    ("times", "3 × Agumon\nAgumon×3", [one(3, "Agumon"), one(3, "Agumon")]),
    ("no-space", "3xAgumon\nx3 St-1", [one(3, "Agumon"), one(3, number="St-1")]),
    ("bullets", "- 3 Agumon\n* 3 Agumon\n• 3 Agumon", [one(3, "Agumon")] * 3),
    (
        "bullets-kana",
        "・グレイモン 2枚\n･グレイモン 2枚\n●グレイモン 2枚\n■ グレイモン 2枚",
        [one(2, "グレイモン")] * 4,
    ),
    ("bullet-without-count", "- Agumon", [one(1, "Agumon")]),
    ("dash-in-name", "1 Agumon - Bond of Bravery", [one(1, "Agumon - Bond of Bravery")]),
    ("count-last", "St-1 3", [one(3, number="St-1")]),
    ("count-of-a-label", "Agumon: 3", [one(3, "Agumon")]),
    ("none-is-one", "St-1\nSt-1", [one(1, number="St-1")] * 2),
    ("mai-last", "アグモン ３枚\nアグモン3枚\nアグモン×３枚", [one(3, "アグモン")] * 3),
    ("mai-first", "3枚 アグモン", [one(3, "アグモン")]),
    ("kana-times", "アグモン×3\nアグモンx3\n3xアグモン", [one(3, "アグモン")] * 3),
]
B = [
    ("B1-curly-apostrophe", "1 Angel’s Feather", [one(1, "Angel’s Feather")]),
    ("B2-curly-double", "1 Tamer “Taichi”", [one(1, "Tamer “Taichi”")]),
    ("B3-html-entity", "1 Koh &amp; Sayo", [one(1, "Koh &amp; Sayo")]),
    ("B4-accents", "1 Déjà Vu", [one(1, "Déjà Vu")]),
    ("B6-ligature", "1 Æther", [one(1, "Æther")]),
    ("B7-cjk", "1 アグモン\n1 ガブモン", [one(1, "アグモン"), one(1, "ガブモン")]),
    ("B9-full-width-latin", "3 ＡＧＵＭＯＮ\n3 ｱｸﾞﾓﾝ", [one(3, "AGUMON"), one(3, "アグモン")]),
    ("B10-full-width-digits", "４x Agumon\n４ Agumon", [one(4, "Agumon")] * 2),
    ("B10-superscript", "² Agumon", [one(2, "Agumon")]),
    ("B11-nbsp", "1 War\u00a0Greymon", [one(1, "War Greymon")]),
    ("B14-ampersand", "1 R&D Lab", [one(1, "R&D Lab")]),
    ("B15-slash", "1 Fire // Ice\nFire/Ice", [one(1, "Fire // Ice"), one(1, "Fire/Ice")]),
    ("B18-comma", "1 Beatrice, Lady", [one(1, "Beatrice, Lady")]),
    ("B19-colon", "1 Strange Solution: Unidentified", [one(1, "Strange Solution: Unidentified")]),
    (
        "B20-dash",
        "1 Agumon - Bond of Bravery LM-021",
        [one(1, "Agumon - Bond of Bravery", "LM-021")],
    ),
]
C = [
    ("C1-alt-art", "4 BT5-001_P1", [one(4, number="BT5-001")]),
    ("C3-square", "1 Agumon [Bo-1]", [one(1, "Agumon", "Bo-1")]),
    ("C3-round", "1 Agumon (Bo-1)", [one(1, "Agumon", "Bo-1")]),
    ("C4-game-tag", "1 MetalGreymon (DCG) (BT1-114)", [one(1, "MetalGreymon", "BT1-114")]),
    ("C6-leading-zeros", "1 ST-1\n1 ST-01\n1 ST-0000001", [
        one(1, number="ST-1"), one(1, number="ST-01"), one(1, number="ST-0000001")
    ]),
    ("C12-suffix", "1 Bo-1t\n1 Bo-1vj", [one(1, number="Bo-1t"), one(1, number="Bo-1vj")]),
    ("C12-dots", "1 G.E.M.-1", [one(1, number="G.E.M.-1")]),
    ("C12-greek", "3 Dα-065\n3 Da-065", [one(3, number="Dα-065"), one(3, number="Da-065")]),
]  # fmt: skip


def ids(table: list[tuple[str, str, list[Line]]]) -> list[object]:
    return [pytest.param(text, lines, id=name) for name, text, lines in table]


@pytest.mark.parametrize(("text", "lines"), ids(A + COUNTS + B + C))
def test_a_line_is_a_count_a_name_and_a_number(
    words: DeckVocabulary, text: str, lines: list[Line]
) -> None:
    deck = read_text_deck(text, "deck.txt", words)
    read = [(line.count, line.number, line.name, line.zone) for line in deck.lines]
    assert read == lines
    assert deck.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(line, id=line)
        for line in (
            "3 Agumon St-1", "3 St-1 Agumon", "Agumon St-1 x3", "St-1 Agumon x3",
            "3x Agumon (St-1)", "St-1 Agumon 3", "x3 St-1, Agumon", "3 Agumon [ St-1 ]",
            "(3) St-1: Agumon", "3\tSt-1\tAgumon", "Agumon\tSt-1\t3", "- 3 St-1 - Agumon",
        )
    ],
)  # fmt: skip
def test_count_name_and_number_in_any_usual_order(words: DeckVocabulary, text: str) -> None:
    (line,) = read_text_deck(text, "deck.txt", words).lines
    assert (line.count, line.number, line.name) == (3, "St-1", "Agumon")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("0 Agumon", "a count of 0", id="A26-zero"),
        pytest.param("-1 Agumon", "a count of -1", id="A26-negative"),
        pytest.param("400 Agumon", "a count of 400", id="A26-too-many"),
        pytest.param(f"{10**30} Agumon", "more than a billion", id="A26-astronomic"),
        pytest.param("9" * 400 + " Agumon", "more than a billion", id="A26-400-digits"),
        pytest.param("Agumon x0", "a count of 0", id="A26-zero-last"),
        pytest.param("3", "no card name or number", id="count-alone"),
        pytest.param("***", "no card name or number", id="punctuation"),
        pytest.param("x" * (LONGEST_LINE + 1), "a line of 501 characters", id="long-line"),
    ],
)
def test_a_line_that_cannot_be_read_is_an_error_with_its_line(
    words: DeckVocabulary, text: str, reason: str
) -> None:
    deck = read_text_deck(f"1 Gabumon\n{text}\n1 Patamon", "deck.txt", words)
    (problem,) = deck.problems
    assert problem.severity is Severity.ERROR
    assert problem.place == "deck.txt:2"
    assert reason in problem.message
    assert problem.next_step
    assert [line.name for line in deck.lines] == ["Gabumon", "Patamon"]  # hides no other line


@pytest.mark.parametrize(
    ("text", "claimed", "have", "line"),
    [
        pytest.param("Digimon: 30\n30 Agumon\nTotal Cards: 50", 50, 30, 3, id="A21-total"),
        pytest.param("Digimon: 20\n18 Agumon", 20, 18, 1, id="A21-section"),
        pytest.param("合計：５０\n30 アグモン", 50, 30, 1, id="A21-japanese"),
    ],
)
def test_totals_are_not_cards_but_are_checked(
    words: DeckVocabulary, text: str, claimed: int, have: int, line: int
) -> None:
    deck = read_text_deck(text, "deck.txt", words)
    assert len(deck.lines) == 1
    (problem,) = deck.problems
    assert problem.severity is Severity.WARNING
    assert (problem.allowed, problem.have, problem.line) == (claimed, have, line)


def test_totals_that_hold_are_silent(words: DeckVocabulary) -> None:
    deck = read_text_deck("Digimon: 3\n3 Agumon\nOptions: 1\n1 Plug\nTotal: 4", "deck.txt", words)
    assert deck.cards() == 4
    assert deck.problems == ()


def test_a_line_knows_where_it_came_from(words: DeckVocabulary) -> None:
    deck = read_text_deck("# format: alpha\n\n3 Agumon\r\n3 Gabumon\r2 Patamon", "deck.txt", words)
    assert [line.line for line in deck.lines] == [3, 4, 5]
    assert deck.details["format"] == "alpha"


@pytest.mark.parametrize("text", ["# format: alpha", "Format: alpha", "// FORMAT : alpha"])
def test_a_header_names_the_format(words: DeckVocabulary, text: str) -> None:
    assert read_text_deck(text, "deck.txt", words).details == {"format": "alpha"}


@pytest.mark.parametrize(
    ("text", "edition", "game"),
    [
        ("1 BO-109@bandai", "bandai", None),
        ("1 BO-109 (Upper-Deck)", "upper-deck", None),
        ("1 digi-battle/BO-109@upper-deck", "upper-deck", "digi-battle"),
        ("1 Penguinmon [BO-109@upper-deck]", "upper-deck", None),
        ("1 Shine Greymon alpha/DM02-095", None, "alpha"),
    ],
)
def test_editions_and_games(
    words: DeckVocabulary, text: str, edition: str | None, game: str | None
) -> None:
    (line,) = read_text_deck(text, "deck.txt", words).lines
    assert (line.edition, line.game) == (edition, game)
    assert line.number in ("BO-109", "DM02-095")
