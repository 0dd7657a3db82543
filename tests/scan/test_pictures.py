# ruff: noqa: TID253 (these need them all)
import hashlib
import os
import socket
import struct
import sys
import zlib

import cv2
import numpy as np
import pytest

from digideck.core.problems import InputError, Problem
from digideck.scan.decode.reading import read_picture
from digideck.scan.images import pictures
from digideck.scan.images.headers import read_header
from digideck.scan.images.pictures import Picture, open_picture
from tests.scan.conftest import code_image, on_canvas

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX file system")


@pytest.fixture
def code():
    return on_canvas(code_image("EAN-13", "454311200001"), size=(200, 420))


def opened(path, **options) -> Picture:
    return open_picture(str(path), **options)


def refused(path, code, **options) -> Problem:
    with pytest.raises(InputError) as failure:
        open_picture(str(path), **options)
    (problem,) = failure.value.problems
    assert problem.code == code
    assert problem.file
    return problem


def png_chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png_of_size(width: int, height: int) -> bytes:
    """A PNG whose header is right and whose pixels are a few bytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    start = b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header)
    return start + png_chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + png_chunk(b"IEND", b"")


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "bmp", "tiff", "gif"])
def test_formats(picture_file, code, ending):
    try:
        path = picture_file(f"card.{ending}", code)
    except (cv2.error, AssertionError):
        pytest.skip(f"this OpenCV writes no {ending}")
    picture = opened(path)
    assert picture.header.format.lower()[:3] in (ending[:3], "jpe")
    assert picture.image.shape == code.shape
    assert [read.payload for read in read_picture(picture.image)] == ["4543112000019"]
    with open(path, "rb") as file:
        assert picture.sha256 == hashlib.sha256(file.read()).hexdigest()


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("ending", ["png", "jpg"])
def test_colour_on_demand(picture_file, ending, colour):
    path = picture_file(f"card.{ending}", np.zeros((20, 30, 3), np.uint8))
    assert opened(path, colour=colour).image.shape == ((20, 30, 3) if colour else (20, 30))


def test_alpha_is_composed_on_white(picture_file):
    image = np.zeros((10, 20, 4), np.uint8)
    image[:, 10:, 3] = 255
    picture = opened(picture_file("alpha.png", image))
    assert picture.image[0, 0] == 255
    assert picture.image[0, 15] == 0


def test_sixteen_bits(picture_file):
    picture = opened(picture_file("deep.png", np.full((4, 4), 0x8123, np.uint16)))
    assert picture.image.dtype == np.uint8
    assert picture.image[0, 0] == 0x81


def exif(orientation: int, order: str = "<") -> bytes:
    mark = b"II" if order == "<" else b"MM"
    start = mark + struct.pack(f"{order}HI", 42, 8)
    return start + struct.pack(f"{order}HHHIHHI", 1, 274, 3, 1, orientation, 0, 0)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("orientation", "corner"),
    [(1, "tl"), (2, "tr"), (3, "br"), (4, "bl"), (5, "tl"), (6, "tr"), (7, "br"), (8, "bl")],
)
def test_exif_orientation(picture_file, orientation, corner, order):
    image = np.full((64, 96, 3), 255, np.uint8)
    image[:32, :32] = 0  # the upper left corner of what the camera stored
    path = picture_file("turned.jpg", image)
    with open(path, "rb") as file:
        data = file.read()
    segment = b"Exif\0\0" + exif(orientation, order)
    segment = b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment
    with open(path, "wb") as file:
        file.write(data[:2] + segment + data[2:])
    shown = opened(path).image
    assert shown.shape == ((96, 64) if orientation > 4 else (64, 96))
    dark = {
        "tl": shown[8, 8],
        "tr": shown[8, -8],
        "bl": shown[-8, 8],
        "br": shown[-8, -8],
    }
    assert min(dark, key=dark.get) == corner
    assert (opened(path, colour=True).image[:, :, 0] < 99).sum() > 900


def test_broken_exif_is_no_reason_to_refuse(picture_file, code):
    path = picture_file("exif.jpg", code)
    with open(path, "rb") as file:
        data = file.read()
    segment = b"Exif\0\0II*\0\xff\xff\xff\xff"
    segment = b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment
    with open(path, "wb") as file:
        file.write(data[:2] + segment + data[2:])
    assert opened(path).header.orientation == 1


def test_30000_by_30000_is_refused_by_its_header(tmp_path, monkeypatch):
    (tmp_path / "bomb.png").write_bytes(png_of_size(30_000, 30_000))
    monkeypatch.setattr(pictures, "_decoded", lambda *_: pytest.fail("was decoded"))
    problem = refused(tmp_path / "bomb.png", "picture-too-large")
    assert problem.have == 900_000_000
    assert "30,000 x 30,000" in problem.message


def test_opencv_has_a_limit_of_its_own():
    program = "from digideck.scan.images.libraries import cv2; import os; cv2.error\n"
    program += "print(os.environ['OPENCV_IO_MAX_IMAGE_PIXELS'])"
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == 2 * pictures.MOST_PIXELS


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "bmp", "tiff"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_cut_short(picture_file, code, ending, share, capfd):
    path = picture_file(f"cut.{ending}", code)
    with open(path, "rb+") as file:
        file.truncate(int(os.path.getsize(path) * share))
    with pytest.raises(InputError) as failure:
        open_picture(path)
    (problem,) = failure.value.problems
    # A few bytes may be left that are no picture at all; what is never done is to
    # fill in the rest with grey and say nothing.
    assert problem.code in ("picture-broken", "not-a-picture")
    assert capfd.readouterr().err == ""  # libpng and others would say so once more


def test_bytes_after_the_end_of_a_jpeg_are_let_be(picture_file, code):
    path = picture_file("motion.jpg", code)
    with open(path, "ab") as file:
        file.write(b"\0" * 50_000)
    assert opened(path).image.shape == code.shape


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not-a-picture"),
        (b"hello", "not-a-picture"),
        (b"\x89PNG\r\n\x1a\n", "picture-broken"),
        (b"\xff\xd8\xff", "picture-broken"),
        (b"\xff\xd8\xff\xe0\0\0", "picture-broken"),
        (b"RIFF\0\0\0\0WEBP", "picture-broken"),
        (b"GIF89a", "picture-broken"),
        (b"GIF89a\0\0\0\0\0\0\0", "picture-broken"),
        (b"II*\0\x08\0\0\0\0\0", "picture-broken"),
        (png_of_size(0, 10), "picture-broken"),
        (png_of_size(200, 200), "picture-broken"),
    ],
)
def test_no_pictures(tmp_path, data, code):
    (tmp_path / "file.jpg").write_bytes(data)
    refused(tmp_path / "file.jpg", code)


def test_too_many_bytes(picture_file, code):
    problem = refused(picture_file("card.png", code), "file-too-large", most_bytes=100)
    assert problem.allowed == 100


def test_missing(tmp_path):
    refused(tmp_path / "none.jpg", "file-missing")
    refused("nul\0.jpg", "file-missing")


def test_folder(tmp_path):
    assert "a folder" in refused(tmp_path, "not-a-file").message


@posix
def test_fifo_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.jpg")
    refused(tmp_path / "pipe.jpg", "not-a-file")


@posix
def test_socket(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.jpg")
        refused("socket.jpg", "not-a-file")


@posix
def test_device():
    refused("/dev/null", "not-a-file")


@posix
def test_links_that_run_in_a_circle(tmp_path):
    (tmp_path / "a.jpg").symlink_to(tmp_path / "b.jpg")
    (tmp_path / "b.jpg").symlink_to(tmp_path / "a.jpg")
    refused(tmp_path / "a.jpg", "file-unreadable")


@posix
def test_unreadable(picture_file, code):
    path = picture_file("secret.png", code)
    os.chmod(path, 0)
    if os.access(path, os.R_OK):
        pytest.skip("root reads everything")
    refused(path, "file-unreadable")


@posix
def test_name_that_is_not_utf_8(tmp_path, picture_file, code):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.png")
    try:
        os.rename(picture_file("card.png", code), path)
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert opened(os.fsdecode(path)).image.shape == code.shape
    with open(path, "wb") as file:
        file.write(b"no picture")
    problem = refused(os.fsdecode(path), "not-a-picture")
    assert problem.file is not None
    problem.file.encode("utf-8")


def test_a_file_that_grows_is_read_once(picture_file, code, monkeypatch):
    path = picture_file("card.png", code)
    whole = os.path.getsize(path)
    real_header = pictures.read_header

    def grow(data):
        with open(path, "ab") as file:
            file.write(b"more")
        return real_header(data)

    monkeypatch.setattr(pictures, "read_header", grow)
    picture = opened(path)
    with open(path, "rb") as file:
        assert picture.sha256 == hashlib.sha256(file.read()[:whole]).hexdigest()


def test_decoder_that_fails_is_a_problem(picture_file, code, monkeypatch):
    def fail(*_):
        raise cv2.error("OpenCV: no")

    path = picture_file("card.png", code)
    monkeypatch.setattr(pictures.cv2, "imdecode", fail)
    refused(path, "picture-broken")


def test_heic_names_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    size = struct.pack(">I4sIII", 20, b"ispe", 0, 40, 30)
    (tmp_path / "card.heic").write_bytes(b"\0\0\0\x18ftypheic" + b"\0" * 12 + size)
    problem = refused(tmp_path / "card.heic", "picture-needs-extra")
    assert "heic" in (problem.next_step or "")


def test_size_in_the_header_is_the_size_of_the_picture(picture_file):
    for ending in ("png", "jpg", "webp", "bmp", "tiff"):
        with open(picture_file(f"size.{ending}", np.zeros((30, 50, 3), np.uint8)), "rb") as file:
            header = read_header(file.read())
        assert header is not None
        assert (header.width, header.height) == (50, 30), ending
