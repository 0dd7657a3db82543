"""Frames with their times: of a camera, a video file, numbered pictures or a URL."""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.text import shown_path
from digideck.scan.images.libraries import cv2

_PATTERN = re.compile(r"%0?[0-9]*d")
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_FRAMES_A_SECOND = 25.0  # of pictures, which have no times
_FIRST_FRAME_SECONDS = 10.0
_MOST_PIXELS = 40_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture (rows x columns x 3, BGR) and when it is from, in seconds."""

    image: Any
    seconds: float


class FrameSource:
    """What frames come from. Raises InputError where it cannot be opened.

    Frames of files are all given, with the times the file has for them. Of a camera
    and of a URL the newest is given, and those that came meanwhile are dropped.
    """

    def __init__(self, name: str) -> None:
        self.name = shown_path(name)
        is_camera = bool(re.fullmatch("[0-9]{1,3}", name))
        self.is_live = is_camera or bool(_URL.match(name))
        if not self.is_live and not _PATTERN.search(name):
            self.is_live = _checked(name)
        self._capture = _capture(int(name) if is_camera else name)
        if not self._capture.isOpened():
            kind = "camera" if is_camera else "source"
            raise input_error(
                Code.SOURCE_UNREADABLE,
                f"no {kind} {self.name} can be opened",
                next_step=_ADVICE
                if is_camera
                else "expected the number of a camera, a video "
                "file, pictures such as frames/%03d.png, or a URL",
            )

    def frames(self) -> Iterator[Frame]:
        """The frames, until the source ends."""
        try:
            yield from self._newest() if self.is_live else self._all()
        finally:
            self._capture.release()

    def _all(self) -> Iterator[Frame]:
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        rate = rate if 0.1 <= rate <= 1000 else _FRAMES_A_SECOND
        count, before = 0, -1.0
        while True:
            got, image = self._capture.read()
            if not got or image is None:
                return
            given = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            # Some files give no times, or the same one for every frame.
            seconds = given if given > before else max(count / rate, before + 1 / rate)
            count, before = count + 1, seconds
            yield Frame(_checked_size(image, self.name), seconds)

    def _newest(self) -> Iterator[Frame]:
        grabber = _Grabber(self._capture)
        start = time.monotonic()
        try:
            while True:
                image = grabber.newest(_FIRST_FRAME_SECONDS)
                if image is None:
                    return
                yield Frame(_checked_size(image, self.name), time.monotonic() - start)
        finally:
            grabber.stop()


_ADVICE = "check that it is plugged in and no other program uses it; the first camera is 0"


def _checked(name: str) -> bool:
    """Whether a path is a device. Raises InputError for what is neither it nor a file."""
    shown = shown_path(name)
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise input_error(
            Code.SOURCE_MISSING,
            f"cannot be read: {reason.lower()}",
            file=shown,
            next_step="name a video file, or the number of a camera (0 is the first)",
        ) from None
    if not stat.S_ISREG(mode) and not stat.S_ISCHR(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise input_error(
            Code.NOT_A_FILE,
            f"{kind}, expected a video file",
            file=shown,
            next_step="for pictures in a folder: digideck scan photos, or a pattern such as "
            "FOLDER/%03d.png",
        )
    return stat.S_ISCHR(mode)


def _capture(name: int | str) -> Any:
    """The capture, open or not. What FFmpeg would say itself is left out."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    try:
        return cv2.VideoCapture(name)
    except cv2.error:
        return cv2.VideoCapture()


def _checked_size(image: Any, name: str) -> Any:
    if image.shape[0] * image.shape[1] > _MOST_PIXELS:
        raise input_error(
            Code.FRAME_TOO_LARGE,
            f"frames of {image.shape[1]:,} x {image.shape[0]:,} pixels are too large",
            file=name,
            allowed=_MOST_PIXELS,
        )
    return image


class _Grabber:
    """Takes frames as they come and keeps the newest, so that none is old when it is read."""

    def __init__(self, capture: Any) -> None:
        self._capture = capture
        self._changed = threading.Condition()
        self._image: Any = None
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended:
            got, image = self._capture.read()
            with self._changed:
                self._image = image if got else None
                self._ended = self._ended or not got
                self._changed.notify()

    def newest(self, patience: float) -> Any:
        """The next frame; None if the source ended or shows nothing for so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._image is not None or self._ended, patience)
            image, self._image = self._image, None
            return image

    def stop(self) -> None:
        self._ended = True
        self._thread.join(timeout=5)
