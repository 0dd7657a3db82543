# ruff: noqa: TID253 (these need them all)
import subprocess
import sys

import cv2
import numpy as np
import pytest

from digideck.scan.decode import engines
from digideck.scan.decode.reading import read_picture
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.store.links import Barcode, checked_code, itf_lengths
from tests.scan.conftest import code_image, noisy, on_canvas, turned

SAMPLES = [
    ("EAN-13", "454311200001", "4543112000019"),
    ("EAN-8", "4217681", "42176817"),
    ("UPC-A", "02394243101", "0023942431015"),
    ("UPC-E", "0496340", "0049000006346"),
    ("Code 128", "DG1AB2345", "DG1AB2345"),
    ("Code 39", "BT4567", "BT4567"),
    ("Code 93", "CARD 93", "CARD 93"),
    ("ITF", "0829220875", "0829220875"),
    ("Codabar", "A31117013B", "31117013"),
    ("QR", "https://example.org/card", "https://example.org/card"),
]
IDS = [sample[0] for sample in SAMPLES]


def payloads(image, **options):
    return [(str(read.symbology), read.payload) for read in read_picture(image, **options)]


@pytest.mark.parametrize(("symbology", "text", "payload"), SAMPLES, ids=IDS)
@pytest.mark.parametrize("zbar", [True, False], ids=["zbar", "no-zbar"])
def test_every_symbology(symbology, text, payload, zbar):
    assert payloads(on_canvas(code_image(symbology, text)), zbar=zbar) == [(symbology, payload)]


@pytest.mark.parametrize(("symbology", "text", "payload"), SAMPLES, ids=IDS)
@pytest.mark.parametrize("degrees", [12, 90, 155, 180, 300])
def test_turned(symbology, text, payload, degrees):
    image = turned(on_canvas(code_image(symbology, text)), degrees)
    assert payloads(image) == [(symbology, payload)]


@pytest.mark.parametrize(("symbology", "text", "payload"), SAMPLES, ids=IDS)
def test_in_perspective(symbology, text, payload):
    image = on_canvas(code_image(symbology, text))
    corners = np.float32([[0, 0], [640, 0], [640, 480], [0, 480]])
    seen = np.float32([[20, 30], [600, 0], [640, 470], [0, 420]])
    matrix = cv2.getPerspectiveTransform(corners, seen)
    image = cv2.warpPerspective(image, matrix, (640, 480), borderValue=200)
    assert payloads(noisy(image)) == [(symbology, payload)]


@pytest.mark.parametrize("channels", [3, 4])
def test_colour_pictures(channels):
    grey = on_canvas(code_image("EAN-13", "454311200001"))
    image = np.repeat(grey[:, :, None], channels, axis=2)
    if channels == 4:
        image[:, :, 3] = 255
        image[:60] = 0  # transparent black is white
    assert payloads(image) == [("EAN-13", "4543112000019")]


@pytest.mark.parametrize("degrees", [0, 4, 180, 187, 270])
@pytest.mark.parametrize("text", ["454311200001", "978044101498", "002394243101"])
def test_out_of_focus(text, degrees):
    """Blur as wide as a bar: nothing is left to measure, and the fit still tells."""
    image = turned(on_canvas(code_image("EAN-13", text, height=120)), degrees)
    image = noisy(cv2.GaussianBlur(image, (0, 0), 3.0), 2)
    reads = read_picture(image)
    assert [read.payload[:12] for read in reads] == [text]
    assert reads[0].engine == "fit"


def test_quad_is_where_the_code_is():
    code = code_image("Code 128", "DG1AB2345")
    (read,) = read_picture(on_canvas(code, at=(300, 200)))
    xs, ys = [x for x, _ in read.quad], [y for _, y in read.quad]
    assert 190 <= min(xs) < max(xs) <= 210 + code.shape[1]
    assert 290 <= min(ys) < max(ys) <= 310 + code.shape[0]


def test_two_codes_and_a_hard_one_beside_an_easy_one():
    image = on_canvas(code_image("EAN-13", "454311200001", scale=2), at=(40, 60))
    hard = on_canvas(code_image("EAN-13", "978044101498", height=100), size=(200, 420))
    image[250:450, 100:520] = cv2.GaussianBlur(hard, (0, 0), 2.6)
    assert sorted(payloads(image)) == [("EAN-13", "4543112000019"), ("EAN-13", "9780441014989")]


@pytest.mark.parametrize("gap", [20, 40, 80])
def test_codes_close_below_each_other_are_two_reads(gap):
    codes = [code_image("Code 128", text) for text in ("AB12CD34", "ZZ99YY88")]
    step = codes[0].shape[0] + gap
    parts = [on_canvas(code, at=(40 + step * place, 100)) for place, code in enumerate(codes)]
    reads = read_picture(np.minimum(*parts))
    assert {read.payload for read in reads} == {"AB12CD34", "ZZ99YY88"}


def test_two_equal_codes_are_two_reads():
    image = on_canvas(code_image("EAN-13", "454311200001", scale=2), at=(40, 60))
    image[300:360, 300:][:, : 113 * 2] = image[40:100, 60 : 60 + 113 * 2]
    assert payloads(image) == [("EAN-13", "4543112000019")] * 2


def test_a_page_of_nine_in_a_large_picture():
    page = np.full((3000, 2400), 120, np.uint8)
    wanted = []
    for i in range(9):
        text = f"DG{i}AB234{i}"
        code = code_image("Code 128", text, scale=3, height=110)
        y, x = 300 + 900 * (i // 3), 100 + 760 * (i % 3)
        page[y : y + code.shape[0], x : x + code.shape[1]] = code
        wanted.append(("Code 128", text))
    page = noisy(cv2.GaussianBlur(page, (0, 0), 1.2))
    assert sorted(payloads(page)) == wanted


def test_one_code_in_a_large_picture():
    code = code_image("EAN-13", "454311200001", scale=6, height=200)
    assert payloads(on_canvas(code, size=(3000, 4000))) == [("EAN-13", "4543112000019")]


@pytest.mark.parametrize("size", [(1, 1), (1, 400), (400, 1), (7, 9), (480, 640), (2000, 30)])
def test_nothing_in_empty_pictures(size):
    assert read_picture(np.full(size, 128, np.uint8)) == ()


def _stripes() -> np.ndarray:
    columns = np.arange(640)
    return np.repeat((np.sin(columns / 4) * 100 + 128).astype(np.uint8)[None], 480, axis=0)


def _uneven_stripes() -> np.ndarray:
    rng = np.random.default_rng(3)
    row = np.repeat(rng.integers(0, 2, 400) * 200, rng.integers(3, 14, 400))[:640]
    return cv2.GaussianBlur(np.repeat(row.astype(np.uint8)[None], 480, axis=0), (0, 0), 3)


def _text() -> np.ndarray:
    image = np.full((480, 640), 240, np.uint8)
    for line in range(12):
        place = (10, 40 + 36 * line)
        cv2.putText(image, "Digivolve 0123 IIIIllll", place, 0, 1.2, 20, 2, cv2.LINE_AA)
    return image


@pytest.mark.parametrize("blur", [0, 2, 4])
@pytest.mark.parametrize("make", [_stripes, _uneven_stripes, _text], ids=lambda make: make.__name__)
def test_nothing_in_what_only_looks_like_bars(make, blur):
    image = make()
    if blur:
        image = cv2.GaussianBlur(image, (0, 0), blur)
    assert read_picture(noisy(image)) == ()


def test_noise_is_no_code():
    rng = np.random.default_rng(5)
    assert read_picture(rng.integers(0, 256, (480, 640), dtype=np.uint8)) == ()


def test_itf_is_read_at_linked_lengths_only():
    image = on_canvas(code_image("ITF", "0829220875"))
    assert payloads(image) == [("ITF", "0829220875")]
    assert payloads(image, itf_lengths={10}) == [("ITF", "0829220875")]
    assert payloads(image, itf_lengths={8, 12}) == []
    assert payloads(image, itf_lengths=()) == []


def test_a_link_confirms_a_read_in_any_spelling():
    named = [("UPC-E", "04963406"), ("Codabar", "A31117013B"), ("ITF", "0829220875")]
    linked = {checked_code(Symbology(kind), payload) for kind, payload in named}
    (upc,) = read_picture(on_canvas(code_image("UPC-A", "04900000634")))
    (other,) = read_picture(on_canvas(code_image("EAN-13", "454311200001")))
    assert Barcode(*upc.key) in linked
    assert Barcode(*other.key) not in linked
    assert itf_lengths(linked) == {10}


def test_goes_on_without_zbar(monkeypatch):
    monkeypatch.setattr(engines, "_zbar", lambda: None)
    assert not engines.zbar_is_there()
    assert read_picture(np.full((100, 100), 128, np.uint8)) == ()
    assert payloads(on_canvas(code_image("EAN-8", "4217681"))) == [("EAN-8", "42176817")]


def test_importing_the_room_loads_none_of_the_libraries():
    program = (
        "import sys, digideck.scan, digideck.scan.decode.reading, digideck.scan.images.pictures\n"
        "print(sorted({'cv2', 'numpy', 'zxingcpp', 'pyzbar'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_lines_of_one_code_that_read_as_two_are_what_most_of_it_says() -> None:
    """A blurred photo was read as two article numbers, both with a right check digit."""
    right, wrong = (
        code_image("EAN-13", text, scale=2, height=100)
        for text in ("9780764544200", "1790761544200")
    )
    mixed = right.copy()
    mixed[:14] = wrong[:14]
    mixed[14:30] = np.random.default_rng(0).integers(0, 255, (16, right.shape[1]))
    seen = read_picture(on_canvas(mixed, size=(240, 260)))
    assert [read.payload for read in seen] == ["9780764544200"]


@pytest.mark.parametrize("gap", [4, 20, 40])
def test_two_codes_side_by_side_are_two(gap: int) -> None:
    image = np.full((240, 560), 235, np.uint8)
    left = 60
    for text in ("4006381333931", "9780764544200"):
        code = code_image("EAN-13", text, scale=2, height=90)
        (bars,) = np.nonzero((code < 128).any(axis=0))
        code = code[:, bars[0] : bars[-1] + 1]
        image[70:160, left : left + code.shape[1]] = code
        left += code.shape[1] + 14 + gap
    image = noisy(cv2.GaussianBlur(image.astype(np.float32), (0, 0), 0.8), 2)
    assert {read.payload for read in read_picture(image)} == {"4006381333931", "9780764544200"}


def test_two_codes_one_above_the_other_are_two() -> None:
    image = np.full((300, 300), 235, np.uint8)
    for top, text in ((60, "4006381333931"), (140, "9780764544200")):
        code = code_image("EAN-13", text, scale=2, height=60)
        image[top : top + 60, 50 : 50 + code.shape[1]] = code
    assert {read.payload for read in read_picture(image)} == {"4006381333931", "9780764544200"}


def test_a_upc_e_below_an_article_number_is_a_code_of_its_own() -> None:
    """It looks like the left half of a longer code only where it is shorter than that."""
    image = np.full((420, 420), 235, np.uint8)
    codes = (("EAN-13", "4006381333931", 2), ("UPC-E", "0496340", 4))
    for (symbology, text, scale), top in zip(codes, (80, 180), strict=True):
        code = code_image(symbology, text, scale=scale)
        image[top : top + 60, 60 : 60 + code.shape[1]] = code
    assert {read.payload for read in read_picture(image)} == {"4006381333931", "0049000006346"}
