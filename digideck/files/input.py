"""The one way to a user's file or standard input: its kind, its limits, its encoding.

Small files are read at once (`read_bytes`, `read_text`), long lists stay files (`InputFile`).
What is packed with gzip is unpacked on the way.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import did_you_mean, nearest
from digideck.core.text import STDIN, shown_path
from digideck.files.encodings import CHUNK, SAMPLE, Encoding, encoding_of

LARGEST_FILE = 4_000_000_000  # bytes of a list whose rows are streamed
_GZIP = b"\x1f\x8b\x08"
_HIGHEST_RATIO = 200  # unpacked to packed, from a size on that could hurt
_LARGE = 50_000_000


def read_bytes(path: str, *, limit: int, what: str) -> bytes:
    """The bytes of a regular file or of stdin (``-``), at most ``limit`` of them.

    ``what`` names the expected kind of file in messages ("a deck file").
    Raises InputError for anything that is missing, not a file, unreadable or larger.
    """
    shown = shown_path(path)
    if path == STDIN:
        data = _stdin().read(limit + 1)
    else:
        with _opened(path, shown, what) as file:
            data = file.read(limit + 1)
    if len(data) > limit:
        raise _too_large(shown, f"more than {limit:,} bytes", limit, what)
    if data.startswith(_GZIP):
        with _unpacked(io.BytesIO(data), shown, limit, len(data)) as file:
            return file.read()
    return data


def read_text(
    path: str,
    *,
    limit: int,
    what: str,
    encoding: str | None = None,
    declared: Callable[[bytes], str | None] | None = None,
) -> tuple[str, Encoding]:
    """The text of a file or of stdin, and its encoding. Raises InputError as `read_bytes` does.

    ``encoding`` is what the user named, ``declared`` finds what the file itself declares.
    """
    data = read_bytes(path, limit=limit, what=what)
    found = encoding_of(
        io.BytesIO(data), shown_path(path), encoding, declared(data) if declared else None
    )
    return data.decode(found.name), found


class InputFile:
    """A long list: hashed, and looked through for wrong bytes, before its rows are read.

    Stdin (``-``) is kept in a temporary file. Raises InputError for what is missing,
    unreadable, no regular file or too large.
    """

    def __init__(self, path: str, *, limit: int = LARGEST_FILE, what: str = "a card list") -> None:
        self.name = shown_path(path)
        self.path = None if path == STDIN else os.path.abspath(path)
        self.file = _spooled(_stdin(), limit) if path == STDIN else _opened(path, self.name, what)
        self.size = os.fstat(self.file.fileno()).st_size
        if self._first(len(_GZIP)) == _GZIP:
            with self.file:
                self.file = _unpacked(self.rewound(), self.name, limit, self.size)
            self.size = os.fstat(self.file.fileno()).st_size
        if self.size > limit:
            raise _too_large(self.name, f"{self.size:,} bytes", limit, what)
        self._texts: list[io.TextIOWrapper] = []
        self.sha256 = self._hash()
        self.sample = self._first(SAMPLE)

    def __enter__(self) -> InputFile:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._texts:
            stream.close()
        self.file.close()

    def rewound(self) -> IO[bytes]:
        """The bytes from the first on."""
        self.file.seek(0)
        return self.file

    def _first(self, size: int) -> bytes:
        try:
            return self.rewound().read(size)
        except OSError as error:
            raise _unreadable(self.name, error) from None

    def position(self) -> int:
        """How many bytes have been read, about."""
        with suppress(OSError, ValueError):
            return os.lseek(self.file.fileno(), 0, os.SEEK_CUR)
        return 0

    def check_unchanged(self) -> None:
        """Raise InputError if the bytes are no longer those that were there at first."""
        if self._hash() != self.sha256:
            raise input_error(
                Code.FILE_CHANGED,
                "the file changed while it was read; nothing was written",
                file=self.name,
                next_step="import it again once whatever writes it has finished",
            )

    def _hash(self) -> str:
        import hashlib

        try:
            digest = hashlib.sha256()
            file = self.rewound()
            while chunk := file.read(CHUNK):
                digest.update(chunk)
            return digest.hexdigest()
        except OSError as error:
            raise _unreadable(self.name, error) from None

    def whole(self, limit: int, what: str) -> bytes:
        """All bytes, for a format that must be read at once. Raises InputError beyond ``limit``."""
        if self.size > limit:
            size = f"{self.size:,} bytes, at most {limit:,} are read at once"
            step = "split it, or save it as CSV or JSON Lines, which are read row by row"
            raise _too_large(self.name, size, limit, what, step)
        return self.rewound().read(limit + 1)

    def encoding(self, named: str | None, declared: str | None = None) -> Encoding:
        """The text's encoding: by its byte order mark, else what the user named, else what
        the file declares, else UTF-8. Raises InputError naming the first byte that does not fit.
        """
        return encoding_of(self.rewound(), self.name, named, declared)

    def text(self, encoding: str) -> io.TextIOWrapper:
        """The text from the start, line ends as they are. `encoding` must have passed it."""
        raw = io.FileIO(os.dup(self.rewound().fileno()), closefd=True)
        raw.seek(0)
        self._texts.append(io.TextIOWrapper(io.BufferedReader(raw, CHUNK), encoding, newline=""))
        return self._texts[-1]


# --- opening --------------------------------------------------------------------


def _stdin() -> BinaryIO:
    """Standard input as bytes. Raises InputError where the caller has closed it."""
    if sys.stdin is None:
        raise input_error(
            Code.STDIN_CLOSED,
            "standard input is closed",
            file=shown_path(STDIN),
            next_step="name a file instead of -, or pipe something in",
        )
    return sys.stdin.buffer


def _opened(path: str, shown: str, what: str) -> IO[bytes]:
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            folder = stat.S_ISDIR(mode)
            if folder:
                os.scandir(path).close()  # where it cannot be read, that is what is wrong
            raise input_error(
                Code.NOT_A_FILE,
                f"{'a folder' if folder else 'not a regular file'}, expected {what}",
                file=shown,
                next_step="name the files in it" if folder else None,
            )
        return open(path, "rb")
    except (FileNotFoundError, ValueError):  # ValueError: a NUL in the name
        raise input_error(
            Code.FILE_MISSING, "no such file", file=shown, next_step=_near_files(path)
        ) from None
    except OSError as error:
        raise _unreadable(shown, error) from None


def _near_files(path: str) -> str | None:
    try:
        siblings = os.listdir(Path(path).parent)
    except (OSError, ValueError):
        return None
    return did_you_mean(nearest(Path(path).name, siblings)) or None


def _unreadable(shown: str, error: OSError) -> InputError:
    reason = (error.strerror or str(error)).lower()
    return input_error(Code.FILE_UNREADABLE, f"cannot be read: {reason}", file=shown)


def _too_large(
    shown: str, size: str, limit: int, what: str, next_step: str | None = None
) -> InputError:
    return input_error(
        Code.FILE_TOO_LARGE,
        f"too large for {what}: {size}",
        file=shown,
        allowed=limit,
        next_step=next_step or f"check that this is {what}",
    )


def _spooled(stream: Any, limit: int) -> IO[bytes]:
    """What is left of ``stream``, and at most a piece more than ``limit``, as a file."""
    import tempfile

    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by its user
    try:
        total = 0
        while total <= limit and (chunk := stream.read(CHUNK)):
            total += file.write(chunk)
    except BaseException:
        file.close()
        raise
    file.flush()
    file.seek(0)
    return file


def _unpacked(packed: IO[bytes], shown: str, limit: int, size: int) -> IO[bytes]:
    """What gzip packed into ``size`` bytes. Raises InputError for a damaged file, and for one
    that unpacks to far more than lists do.
    """
    import gzip
    import zlib

    most = min(limit, max(_LARGE, _HIGHEST_RATIO * size))
    try:
        file = _spooled(gzip.GzipFile(fileobj=packed), most)
    except (OSError, EOFError, zlib.error) as error:
        raise input_error(
            Code.FILE_UNREADABLE, f"gzip cannot unpack it: {error}".lower(), file=shown
        ) from None
    if os.fstat(file.fileno()).st_size > most:
        file.close()
        raise _too_large(shown, f"unpacks to more than {most:,} bytes", most, "a packed list")
    return file
