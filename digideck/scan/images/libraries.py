"""OpenCV and NumPy, imported when they are first used: most commands need neither."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from digideck.core.codes import Code
from digideck.core.problems import input_error

__all__ = ["MOST_PIXELS", "cv2", "np", "require_libraries"]
MOST_PIXELS = 120 * 10**6  # of a picture; a 108-megapixel telephone passes


class _Library:
    """A module in whose place it stands; what was asked for once is found at once."""

    def __init__(self, name: str, **environment: str) -> None:
        self._name = name
        self._environment = environment

    def __getattr__(self, name: str) -> Any:
        for variable, value in self._environment.items():
            os.environ.setdefault(variable, value)
        found = getattr(importlib.import_module(self._name), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import cv2
    import numpy as np
else:
    np = _Library("numpy")
    # OpenCV reads both when it is imported. It says nothing itself: what is wrong with a
    # picture is told once, in this program's words.
    cv2 = _Library(
        "cv2", OPENCV_LOG_LEVEL="SILENT", OPENCV_IO_MAX_IMAGE_PIXELS=str(2 * MOST_PIXELS)
    )


def require_libraries() -> None:
    """Raises InputError, naming what to install, where reading pictures is impossible."""
    from importlib.util import find_spec

    packages = {"numpy": "numpy", "cv2": "opencv-python-headless", "zxingcpp": "zxing-cpp"}
    missing = [package for module, package in packages.items() if find_spec(module) is None]
    if missing:
        raise input_error(
            Code.SCANNING_NEEDS,
            f"scanning needs {' and '.join(missing)}, which cannot be found",
            next_step=f"pip install {' '.join(missing)} (digideck doctor shows what is there)",
        )
