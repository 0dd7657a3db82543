"""Pictures of codes, made here: nothing is read from outside."""

# ruff: noqa: TID253

from __future__ import annotations

import cv2
import numpy as np
import pytest
import zxingcpp

FORMATS = {
    "EAN-13": zxingcpp.BarcodeFormat.EAN13,
    "EAN-8": zxingcpp.BarcodeFormat.EAN8,
    "UPC-A": zxingcpp.BarcodeFormat.UPCA,
    "UPC-E": zxingcpp.BarcodeFormat.UPCE,
    "Code 128": zxingcpp.BarcodeFormat.Code128,
    "Code 39": zxingcpp.BarcodeFormat.Code39,
    "Code 93": zxingcpp.BarcodeFormat.Code93,
    "ITF": zxingcpp.BarcodeFormat.ITF,
    "Codabar": zxingcpp.BarcodeFormat.Codabar,
    "QR": zxingcpp.BarcodeFormat.QRCode,
}


def code_image(symbology: str, text: str, *, scale: int = 3, height: int = 60) -> np.ndarray:
    """A code as black on white, ``scale`` pixels a module."""
    image = np.array(zxingcpp.create_barcode(text, FORMATS[symbology]).to_image(scale=1))
    if symbology == "QR":
        return np.kron(image, np.ones((scale, scale), np.uint8))
    row = np.repeat(image[image.shape[0] // 3], scale)
    return np.repeat(row[None], height, axis=0)


def on_canvas(code: np.ndarray, *, size: tuple[int, int] = (480, 640), at=None) -> np.ndarray:
    """A code on a light grey page, in the middle or with its corner at (y, x)."""
    canvas = np.full(size, 235, np.uint8)
    y, x = at or ((size[0] - code.shape[0]) // 2, (size[1] - code.shape[1]) // 2)
    canvas[y : y + code.shape[0], x : x + code.shape[1]] = code
    return canvas


def turned(image: np.ndarray, degrees: float) -> np.ndarray:
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    return cv2.warpAffine(image, matrix, (width, height), borderValue=235)


def noisy(image: np.ndarray, sigma: float = 4) -> np.ndarray:
    noise = np.random.default_rng(1).normal(0, sigma, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


@pytest.fixture
def picture_file(tmp_path):
    """Write a picture under a name and give its path."""

    def write(name: str, image: np.ndarray, *options: int) -> str:
        encoded, data = cv2.imencode("." + name.rsplit(".", 1)[1], image, list(options))
        assert encoded
        (tmp_path / name).write_bytes(data.tobytes())
        return str(tmp_path / name)

    return write
