"""The 2020 game's deck code: every published code, every version, every kind of damage."""

from __future__ import annotations

import binascii
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.core.problems import RowError
from digideck.decks.formats.codec import (
    LANGUAGES,
    NEWEST,
    CodeCard,
    CodeDeck,
    decode,
    encode,
)

CODES: dict[str, Any] = json.loads((Path(__file__).parent / "dcg_codes.json").read_text("utf-8"))
ZONES = {"eggs": "digi_eggs", "main": "deck", "side": "sideboard"}


def published(name: str) -> CodeDeck:
    """The deck that the code called ``name`` is published with."""
    decoded = CODES[name]["decoded"]

    def cards(key: str) -> tuple[CodeCard, ...]:
        return tuple(
            CodeCard(card["number"], card["count"], card.get("parallel_id", 0))
            for card in decoded.get(key, ())
        )

    zones = {zone: cards(key) for zone, key in ZONES.items()}
    return CodeDeck(
        decoded["version"],
        **zones,
        name=decoded["name"],
        language=decoded.get("language"),
        icon=decoded.get("icon"),
    )


@pytest.mark.parametrize("name", CODES)
def test_published_code_decodes(name: str) -> None:
    assert decode(CODES[name]["code"]) == published(name)


@pytest.mark.parametrize("name", CODES)
def test_published_deck_encodes_in_its_own_version_to_the_same_code(name: str) -> None:
    assert encode(published(name)) == CODES[name]["code"]


@pytest.mark.parametrize("name", CODES)
def test_published_deck_is_the_same_in_the_newest_version(name: str) -> None:
    deck = published(name)
    again = decode(encode(replace(deck, version=NEWEST)))
    assert again == replace(deck, version=NEWEST, language=deck.language or "en")


SETS = ["ST1", "BT10", "P", "LM", "EX1", "AD1", "0", "ZZZZ"]


def printing(key: tuple[str, int, int, int]) -> tuple[str, int, int, int]:
    card_set, width, number, parallel = key
    return card_set, width, number % 10**width, parallel


@st.composite
def decks(draw: st.DrawFn) -> CodeDeck:
    """A deck that its version can hold."""
    version = draw(st.integers(0, NEWEST))

    def cards(most: int) -> tuple[CodeCard, ...]:
        keys = draw(
            st.lists(
                st.tuples(
                    st.sampled_from(SETS),
                    st.sampled_from([2, 3]),
                    st.integers(0, 999),
                    st.integers(0, 7),
                ),
                max_size=most,
                unique_by=printing,
            )
        )
        found = [
            CodeCard(
                f"{card_set}-{number % 10**width:0{width}}",
                draw(st.integers(1, 4 if version == 0 else 256)),
                parallel,
            )
            for card_set, width, number, parallel in keys
        ]
        return tuple(sorted(found, key=lambda card: (card.number, card.parallel)))

    has_icon = version >= 4 and draw(st.booleans())
    name = draw(st.text(max_size=60)).strip()
    name = name.encode()[: 55 if has_icon else 63].decode("utf-8", "ignore").strip("\x00").strip()
    return CodeDeck(
        version,
        cards(7),
        cards(40),
        cards(20) if version >= 2 else (),
        name,
        None if version < 3 else draw(st.sampled_from(LANGUAGES[: 2 if version < 5 else 4])),
        draw(st.sampled_from(["BT1-010", "P-001", "BACK-001"])) if has_icon else None,
    )


@given(decks())
def test_what_is_encoded_decodes_to_the_same(deck: CodeDeck) -> None:
    assert decode(encode(deck)) == deck


@given(st.binary(max_size=200), st.integers(0, 255))
def test_any_bytes_are_a_deck_or_a_fault(data: bytes, first: int) -> None:
    raw = bytes([first]) + data
    code = "DCG" + binascii.b2a_base64(raw, newline=False).decode().rstrip("=")
    with suppress(RowError):
        decode(code.translate(str.maketrans("+/", "-_")))


@given(st.text(max_size=60))
def test_any_text_is_a_deck_or_a_fault(text: str) -> None:
    with suppress(RowError):
        decode("DCG" + text)


@pytest.mark.parametrize("name", CODES)
def test_a_code_cut_short_is_never_the_same_deck(name: str) -> None:
    code = CODES[name]["code"]
    faults = 0
    for length in range(3, len(code)):
        try:
            assert decode(code[:length]) != published(name)
        except RowError:
            faults += 1
    # One in 256 may slip through the sum by chance; that is the format's limit.
    assert faults > 0.95 * (len(code) - 3)


def test_name_length_given_in_characters_is_repaired() -> None:
    """The Python encoder in the field counts characters: codec/python at 5d4d9fe9."""
    good = encode(CodeDeck(NEWEST, (), (CodeCard("BT1-010", 4),), name="アグモン", language="ja"))
    raw = bytearray(binascii.a2b_base64(good[3:].translate(str.maketrans("-_", "+/")) + "=="))
    assert raw[2] == 12  # bytes
    raw[2] = 4  # characters
    bad = "DCG" + binascii.b2a_base64(bytes(raw), newline=False).decode().rstrip("=")
    decoded = decode(bad.translate(str.maketrans("+/", "-_")))
    assert decoded.name == "アグモン"
    assert decoded.name_repaired
    assert decoded.main == (CodeCard("BT1-010", 4),)


def damaged(place: int, value: int) -> str:
    """The newest published code with one byte changed."""
    code = CODES["v5-digi-bros"]["code"][3:]
    raw = bytearray(binascii.a2b_base64(code.translate(str.maketrans("-_", "+/")) + "=="))
    raw[place] = value
    text = binascii.b2a_base64(bytes(raw), newline=False).decode().rstrip("=")
    return "DCG" + text.translate(str.maketrans("+/", "-_"))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(damaged(1, 0), "byte 1, the checksum, is 0x00", id="checksum"),
        pytest.param(damaged(6, 0), "byte 1, the checksum", id="card-changed"),
        pytest.param(damaged(0, 0x62), "byte 0 says version 6", id="version-6"),
        pytest.param(damaged(0, 0xF2), "byte 0 says version 15", id="version-15"),
        pytest.param("DCG", "0 bytes", id="empty"),
        pytest.param("DCGUopz?IudA", "character 8 is '?'", id="character"),
        pytest.param("DCGUopzA", "one is missing or too many", id="odd-length"),
    ],
)
def test_damage_is_named(code: str, said: str) -> None:
    with pytest.raises(RowError) as fault:
        decode(code)
    assert said in str(fault.value)


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (CodeDeck(5, main=(CodeCard("St-1", 1),)), "numbers such as BT1-001"),
        (CodeDeck(5, main=(CodeCard("BT1-010", 257),)), "1 to 256 copies"),
        (CodeDeck(0, main=(CodeCard("BT1-010", 5),)), "1 to 4 copies"),
        (CodeDeck(5, main=(CodeCard("BT1-010", 1, 8),)), "7 printings"),
        (CodeDeck(5, tuple(CodeCard(f"BT1-00{n}", 1) for n in range(8))), "8 different Digi-Eggs"),
        (CodeDeck(5, name="x" * 64), "64 bytes"),
    ],
)
def test_what_does_not_fit_is_refused(deck: CodeDeck, said: str) -> None:
    with pytest.raises(RowError, match=said):
        encode(deck)
