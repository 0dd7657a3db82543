import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.scan.decode.symbologies import (
    Symbology,
    canonical,
    ean_check_digit,
    expand_upc_e,
    full_ascii,
    link_key,
)


@pytest.mark.parametrize(
    ("symbology", "text", "wanted"),
    [
        ("EAN-13", "4543112000019", ("EAN-13", "4543112000019")),
        ("UPC-A", "023942431015", ("UPC-A", "0023942431015")),
        ("EAN-13", "0023942431015", ("UPC-A", "0023942431015")),
        ("UPC-E", "04963406", ("UPC-E", "0049000006346")),
        ("UPC-E", "0049000006346", ("UPC-E", "0049000006346")),
        ("EAN-8", "42176817", ("EAN-8", "42176817")),
        ("Codabar", "A31117013206375B", ("Codabar", "31117013206375")),
        ("Codabar", "a10/53+17-70d", ("Codabar", "10/53+17-70")),
        ("Codabar", "31117013206375", ("Codabar", "31117013206375")),
        ("Code 128", "\x1d0104912345", ("Code 128", "0104912345")),
        ("Code 128", "DG1AB2345", ("Code 128", "DG1AB2345")),
        ("Code 39", "BT4567", ("Code 39", "BT4567")),
        ("Code 39", "E+X+T /A", ("Code 39", "Ext !")),
        ("QR", "A123B", ("QR", "A123B")),
    ],
)
def test_one_spelling(symbology, text, wanted):
    assert canonical(Symbology(symbology), text) == wanted


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("01234505", "012000003455"),
        ("01234514", "012100003454"),
        ("01234523", "012200003453"),
        ("01234531", "012300000451"),
        ("01234543", "012340000053"),
        ("01234558", "012345000058"),
        ("123455", "012345000058"),
        ("0123459", "012345000096"),
    ],
)
def test_upc_e_expands(short, full):
    assert expand_upc_e(short) == full


@pytest.mark.parametrize("text", ["B3% $DAD$", "A+", "100%", "PLAIN-39"])
def test_lone_shift_characters_stay(text):
    assert full_ascii(text) == text


def test_article_numbers_link_alike_however_printed():
    kinds = (Symbology.EAN_13, Symbology.UPC_A, Symbology.UPC_E)
    assert len({link_key(kind, "0049000006346") for kind in kinds}) == 1
    assert link_key(Symbology.ITF, "0049000006346") != link_key(kinds[0], "0049000006346")


@given(st.sampled_from(list(Symbology)), st.from_regex(r"[0-9]{8,13}", fullmatch=True))
def test_canonical_is_stable(symbology, text):
    once = canonical(symbology, text)
    assert canonical(*once) == once


@given(st.from_regex(r"[0-9]{12}", fullmatch=True))
def test_check_digit_makes_the_sum_whole(digits):
    full = digits + str(ean_check_digit(digits))
    assert sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(full)) % 10 == 0
