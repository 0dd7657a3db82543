"""Codes as people write them, and files of links that people share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.catalog.cards import CardIndex
from digideck.core.problems import InputError
from digideck.scan.decode.symbologies import Symbology, ean_check_digit
from digideck.scan.store.link_files import form_of, merge, read_lines, write_links
from digideck.scan.store.links import Barcode, checked_code, escaped, kind_named, unescaped
from tests.conftest import Run

ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
PAYLOADS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@given(ANY_TEXT)
def test_a_payload_is_written_on_one_line_and_read_back(payload: str) -> None:
    written = escaped(payload)
    assert unescaped(written) == payload
    assert not any(char < " " or char == "\x7f" for char in written)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("EAN-13", Symbology.EAN_13),
        ("ean13", Symbology.EAN_13),
        ("Code 128", Symbology.CODE_128),
        ("CODE_128", Symbology.CODE_128),
        ("qr", Symbology.QR),
        ("upc", Symbology.UPC_A),
        ("https", None),
    ],
)
def test_kinds_have_many_spellings(text: str, kind: Symbology | None) -> None:
    assert kind_named(text) is kind


@given(st.text("0123456789", min_size=12, max_size=12))
def test_an_article_number_is_one_code_however_it_is_spelled(digits: str) -> None:
    ean = digits + str(ean_check_digit(digits))
    code = checked_code(Symbology.EAN_13, ean)
    assert code == Barcode("EAN-13", ean)
    if ean.startswith("0"):
        assert checked_code(Symbology.UPC_A, ean[1:]) == code
    wrong = ean[:-1] + str((int(ean[-1]) + 1) % 10)
    with pytest.raises(InputError, match="its last digit would be"):
        checked_code(Symbology.EAN_13, wrong)


@pytest.mark.parametrize("text", ["4.00638E+12", "400638133393", "", "abc"])
def test_digits_that_a_spreadsheet_spoilt_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        checked_code(Symbology.EAN_13, text)


# Codes of kinds that take any text, and cards that are there.
CODES = st.dictionaries(
    st.builds(Barcode, st.sampled_from(["Code 128", "Code 93", "QR"]), PAYLOADS),
    st.lists(
        st.sampled_from(["alpha/Dα-065", "alpha/DM02-095@asia", "hyper-colosseum/St-1"]),
        min_size=1,
        unique=True,
    ),
    max_size=6,
)


@pytest.mark.parametrize("form", ["yaml", "csv"])
@given(codes=CODES)
def test_what_is_exported_is_imported_alike(
    form: str, codes: dict[Barcode, list[str]], index: CardIndex
) -> None:
    codes = {checked_code(Symbology(c.kind), c.payload): cards for c, cards in codes.items()
             if c.kind != "Code 128" or c.payload.replace("\x1d", "")}  # fmt: skip
    text = write_links(codes, form)
    assert form_of(text) == form
    assert text.count("\n") == len(codes) + (1 if form == "csv" else 2)
    merged = merge(read_lines(text, "links", form), "links", index, {})
    assert merged.problems == []
    found: dict[Barcode, set[str]] = {}
    for code, card_id in merged.new:
        found.setdefault(code, set()).add(index.by_ids([card_id])[0].key)
    assert found == {code: set(cards) for code, cards in codes.items()}
    again = {code: [i for c, i in merged.new if c == code] for code in found}
    assert merge(read_lines(text, "links", form), "links", index, again).new == []


def test_h19_eight_digits_that_only_a_upc_e_has_are_one(run: Run) -> None:
    assert (
        "EAN-13:0065400000128 is hyper-colosseum/St-1"
        in run("barcode", "link", "06541238", "hyper-colosseum/St-1").stdout
    )
    refused = run("barcode", "link", "06541237", "hyper-colosseum/St-1")
    assert refused.exit_code == 3
    assert "check the digits" in refused.stderr
