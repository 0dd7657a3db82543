"""Name and number keys: what folds together, and what must not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.core.names import exact_key, limit_key, search_key, without_x_antibody
from digideck.core.numbers import NumberShapes, number_key, plain, sort_key
from digideck.schema.shipped_files import games
from tests.strategies import DASHES, names, printed_numbers, respelled

SAME = [
    ("B1-apostrophes", ["A's", "A’s", "A‘s", "Aʼs", "A＇s", "A`s", "A´s"]),
    ("B2-quotes", ['Tamer "T"', "Tamer “T”", "Tamer „T”", "Tamer 「T」", "Tamer ＂T＂"]),
    ("B4-accents", ["Déjà Vu", "Deja Vu", "DE\u0301JA\u0300 VU"]),
    ("B6-ligatures", ["Æther", "AEther", "Aether", "æther"]),
    ("B9-width", ["AGUMON", "ＡＧＵＭＯＮ", "agumon"]),
    ("B9-kana-width", ["アグモン", "ｱｸﾞﾓﾝ"]),
    ("B11-spaces", ["War Greymon", "War\u00a0Greymon", "War\u3000Greymon", " War  Greymon "]),
    ("B15-slashes", ["Fire/Ice", "Fire / Ice", "Fire // Ice"]),
    ("voicing-marks", ["グモン", "ク゛モン", "ク\u3099モン", "く゛もん", "ｸﾞﾓﾝ", "ｸ゛ﾓﾝ"]),
    ("small-kana", ["フォックス", "フオックス", "ふぉつくす", "ﾌｵﾂｸｽ"]),
    ("greek", ["Version Ω", "version ω", "Version Omega", "VERSIONOMEGA"]),
    ("lambda", ["Λ", "lambda"]),
    ("dashes", ["XV-mon", "XV–mon", "XV−mon", "XV‐mon"]),
]  # fmt: skip
OTHER = [
    ("B7-cjk", ["アグモン", "ガブモン", "パタモン"]),
    ("B14-ampersand", ["R&D Lab", "R"]),
    ("voicing-marks", ["ハグモン", "バグモン", "パグモン"]),
    ("long-vowel", ["レモン", "レーモン"]),
    ("colours", ["Agumon", "Agumon (Black)", "BlackAgumon"]),
    ("modes", ["Rosemon", "Rosemon: Burst Mode"]),
    ("punctuation-only", ["!", "?", "-", "..."]),
]
FOLDED = [
    ("War Greymon X-Antibody", "War Greymon"),
    ("War Greymon (X-Antibody)", "War Greymon"),
    ("WarGreymon (X Antibody)", "WarGreymon"),
    ("ウォーグレイモン（X抗体）", "ウォーグレイモン"),
    ("ウォーグレイモンX抗体", "ウォーグレイモン"),
    ("ウォーグレイモン（Ｘ抗体）", "ウォーグレイモン"),
    ("Agumon (Black) (X-Antibody)", "Agumon (Black)"),
]
KEPT = [
    "Death-X-mon", "Death-X-DORUgamon", "Death-X-DORUguremon", "XV-mon", "Xuanwumon", "Examon",
    "EX-Tyranomon", "Gizmon: XT", "Shoutmon X3", "Shoutmon X4", "Shoutmon X5", "Shoutmon X7",
    "JESmon GX", "Digivice X", "X-Antibody Protoform", "X Breaker", "X Eraser", "X-Evolution!",
    "Death-X-Evolution!!", "X-Antibody", "X抗体", "Rosemon: Burst Mode", "Agumon (Black)",
]  # fmt: skip


@pytest.mark.parametrize("spellings", [pytest.param(row, id=name) for name, row in SAME])
def test_spellings_of_one_name(spellings: list[str]) -> None:
    assert {search_key(text) for text in spellings} == {search_key(spellings[0])}


@pytest.mark.parametrize("names", [pytest.param(row, id=name) for name, row in OTHER])
def test_names_that_differ(names: list[str]) -> None:
    assert len({search_key(text) for text in names}) == len(names)


@pytest.mark.parametrize("spellings", [("ツカイモン", "ッカイモン"), ("Ω", "Omega")])
def test_what_counts_as_the_same_can_be_told_apart(spellings: tuple[str, str]) -> None:
    assert len({search_key(text) for text in spellings}) == 1
    assert len({exact_key(text) for text in spellings}) == 2


@pytest.mark.parametrize(("name", "base"), FOLDED)
def test_an_x_antibody_digimon_is_its_base(name: str, base: str) -> None:
    assert without_x_antibody(name) == base
    assert limit_key(name, kind="Digimon", folds_x_antibody=True) == search_key(base)
    assert limit_key(name, kind="Digimon", folds_x_antibody=False) == search_key(name)
    assert limit_key(name, kind="Option", folds_x_antibody=True) == search_key(name)


@pytest.mark.parametrize("name", KEPT)
def test_names_with_an_x_of_their_own(name: str) -> None:
    assert limit_key(name, kind="Digimon", folds_x_antibody=True) == search_key(name)


def test_a_bare_x_is_a_suffix_in_dub_names_only() -> None:
    assert without_x_antibody("WarGreymon X", dub=True) == "WarGreymon"
    assert without_x_antibody("WarGreymon X") == "WarGreymon X"
    assert without_x_antibody("X", dub=True) == "X"


@given(names)
def test_a_search_key_is_its_own_key(name: str) -> None:
    key = search_key(name)
    assert search_key(key) == key
    assert bool(key) == bool(name.strip())


@given(st.data())
def test_case_width_and_spaces_change_no_key(data: st.DataObject) -> None:
    name = data.draw(st.text("AgumonéöアグモンXx0189 -(:)", min_size=1, max_size=20))
    assert search_key(data.draw(respelled(name))) == search_key(name)


@pytest.mark.parametrize(
    "spellings",
    [
        pytest.param(["St-1", "ST-01", "st1", "st-0000001", "St–1", "Ｓｔ－１"], id="C6-zeros"),
        pytest.param(["Dα-065", "Da-65", "DA-065", "dα065"], id="greek"),
        pytest.param(["DM02-095", "dm2-95", "DM02−095"], id="dash-between-digits"),
        pytest.param(["Bo-12", "Boー12", "BOｰ12", "boー012"], id="long-vowel"),
        pytest.param(["Bo-1t", "BO-01T"], id="suffix"),
    ],
)
def test_spellings_of_one_number(spellings: list[str]) -> None:
    assert len({number_key(text) for text in spellings}) == 1


@pytest.mark.parametrize(
    "numbers",
    [
        ["Bo-1", "Bo-1t", "Bo-1j", "Bo-1L", "Bo-1v", "Bo-1vj", "Bo-11", "Bo-10"],
        ["DM-295", "DM02-95", "DM2-95" "0"],
        ["ST1-01", "ST-101", "ST10-1"],
        ["スー1", "ス1"],
    ],
)  # fmt: skip
def test_numbers_that_differ(numbers: list[str]) -> None:
    assert len({number_key(text) for text in numbers}) == len(numbers)


def test_numbers_sort_naturally() -> None:
    """C12."""
    ordered = ["Bo-1", "Bo-1t", "Bo-2", "Bo-2a", "Bo-2b", "Bo-10", "Bo-100", "St-1"]
    mixed = [*ordered[4:], *ordered[:4]]
    assert sorted(mixed, key=sort_key) == ordered


GAMES = {game.code: game.numbers for game in games()}


@given(data=st.data())
@pytest.mark.parametrize("shapes", GAMES.values(), ids=GAMES)
def test_a_game_reads_what_it_prints(data: st.DataObject, shapes: NumberShapes) -> None:
    number = data.draw(printed_numbers(shapes))
    assert shapes.prints(number)
    assert shapes.reads(number)
    assert shapes.as_printed(number) == number
    other = number.replace("-", data.draw(st.sampled_from(DASHES))).replace("α", "a")
    written = data.draw(st.sampled_from([other, other.lower(), other.upper()]))
    assert shapes.reads(written)
    assert number_key(written) == number_key(number)


@given(st.text("AaSsTtαβ０１09-–−. _Pdwx", max_size=30))
def test_number_keys_of_anything(text: str) -> None:
    assert number_key(number_key(text)) == number_key(text)
    assert number_key(plain(text)) == number_key(text)


@pytest.mark.parametrize("text", ["", "-", "St-", "St-٣", "xSt-1", "St-1x", "1-St"])
def test_what_is_no_number(text: str) -> None:
    assert not GAMES["hyper-colosseum"].reads(text)


@pytest.mark.parametrize(
    ("game", "text", "printed"),
    [
        ("alpha", "dα-9", "Dα-009"),
        ("alpha", "Da-0999", "Dα-999"),
        ("digi-battle", "mp-111", "MP-111"),
        ("digi-battle", "st1", "st1"),  # ST-01 or ST-001: not sure
        ("dcg", "bt5-1_p1", "BT5-001"),
        ("alpha", "Qx-1", "Qx-1"),
        ("hyper-colosseum", "gem1", "gem1"),
    ],
)
def test_a_number_as_its_game_prints_it(game: str, text: str, printed: str) -> None:
    assert GAMES[game].as_printed(text) == printed
