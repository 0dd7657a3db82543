"""A file to import: hashed before and after it is read, in an encoding that is said."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import nearest
from digideck.core.text import STDIN, shown_path
from digideck.files.input import stdin_bytes

LARGEST_FILE = 4_000_000_000  # bytes; rows are streamed
SAMPLE = 65_536  # bytes that tell what kind of file it is
_CHUNK = 1 << 20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16 (little-endian, by its byte order mark)"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16 (big-endian, by its byte order mark)"),
)
_JAPANESE = ("cp932", "euc-jp")
_FULL_KANA = re.compile(r"[ぁ-ヿ]")
_HALF_KANA = re.compile(r"[｡-ﾟ]")


class Source:
    """One file, or stdin (``-``), which is kept in a temporary file first.

    Raises InputError for what is missing, unreadable, no regular file or too large.
    """

    def __init__(self, path: str) -> None:
        self.name = shown_path(path)
        self.path = None if path == STDIN else os.path.abspath(path)
        self.file = _spooled() if path == STDIN else _opened(path, self.name)
        self.size = os.fstat(self.file.fileno()).st_size
        if self.size > LARGEST_FILE:
            raise input_error(
                Code.FILE_TOO_LARGE,
                f"too large for a card list: {self.size:,} bytes",
                file=self.name,
                allowed=LARGEST_FILE,
                next_step="check that this is a card list",
            )
        self._texts: list[io.TextIOWrapper] = []
        self.sha256 = self._hash()
        self.sample = self.rewound().read(SAMPLE)

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._texts:
            stream.close()
        self.file.close()

    def rewound(self) -> IO[bytes]:
        """The bytes from the first on."""
        self.file.seek(0)
        return self.file

    def position(self) -> int:
        """How many bytes have been read, about."""
        with suppress(OSError, ValueError):
            return os.lseek(self.file.fileno(), 0, os.SEEK_CUR)
        return 0

    def check_unchanged(self) -> None:
        """Raise Unusable if the bytes are no longer those that were there at first."""
        if self._hash() != self.sha256:
            raise input_error(
                Code.FILE_CHANGED,
                "the file changed while it was read; nothing was written",
                file=self.name,
                next_step="import it again once whatever writes it has finished",
            )

    def _hash(self) -> str:
        try:
            digest = hashlib.sha256()
            file = self.rewound()
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
            return digest.hexdigest()
        except OSError as error:
            raise _unreadable(self.name, error) from None

    def whole(self, limit: int, what: str) -> bytes:
        """All bytes, for a format that must be read at once. Raises InputError beyond ``limit``."""
        if self.size > limit:
            raise input_error(
                Code.FILE_TOO_LARGE,
                f"too large for {what}: {self.size:,} bytes, at most {limit:,} are read at once",
                file=self.name,
                allowed=limit,
                next_step="split it, or save it as CSV or JSON Lines, which are read row by row",
            )
        return self.rewound().read(limit + 1)

    def text(self, encoding: str) -> io.TextIOWrapper:
        """The text from the start, line ends as they are. `encoding_of` must have passed it."""
        raw = io.FileIO(os.dup(self.rewound().fileno()), closefd=True)
        raw.seek(0)
        self._texts.append(io.TextIOWrapper(io.BufferedReader(raw, _CHUNK), encoding, newline=""))
        return self._texts[-1]


def _opened(path: str, shown: str) -> IO[bytes]:
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            folder = stat.S_ISDIR(mode)
            raise input_error(
                Code.NOT_A_FILE,
                f"{'a folder' if folder else 'not a regular file'}, expected a card list",
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
    near = nearest(Path(path).name, siblings)
    return f"did you mean {', '.join(near)}?" if near else None


def _unreadable(shown: str, error: OSError) -> InputError:
    reason = (error.strerror or str(error)).lower()
    return input_error(Code.FILE_UNREADABLE, f"cannot be read: {reason}", file=shown)


def _spooled() -> IO[bytes]:
    stdin = stdin_bytes()
    file: Any = tempfile.TemporaryFile()  # noqa: SIM115 - closed by Source
    total = 0
    while chunk := stdin.read(_CHUNK):
        total += file.write(chunk)
        if total > LARGEST_FILE:
            break
    file.flush()
    return file  # type: ignore[no-any-return]


def encoding_of(source: Source, named: str | None, declared: str | None = None) -> tuple[str, str]:
    """Python's name of the text's encoding, and how it came about, in words.

    A byte order mark decides, else what the user named, else what the file itself
    declares, else UTF-8. All bytes are tried. Raises InputError naming the byte
    that does not fit, its line, and the encodings that would.
    """
    for mark, name, words in _BOMS:
        if source.sample.startswith(mark):
            _try_all(source, name)
            return name, words
    taken = named or declared or "utf-8"
    try:
        codecs.lookup(taken)
    except (LookupError, ValueError):
        raise input_error(
            Code.UNKNOWN_ENCODING,
            f"no encoding is called {taken!r}",
            file=source.name,
            allowed="utf-8, utf-16, cp932, euc-jp, cp1252 and Python's other names",
            next_step="one of: utf-8, utf-16-le, utf-16-be, cp932 (Shift_JIS), euc-jp, cp1252",
        ) from None
    _refuse_binary(source, taken)
    _try_all(source, taken)
    why = "as told" if named else "as the file declares" if declared else ""
    return taken, f"{taken.upper()}{' ' + why if why else ''}"


def _refuse_binary(source: Source, taken: str) -> None:
    if b"\0" not in source.sample or taken.lower().replace("_", "-").startswith(
        ("utf-16", "utf-32")
    ):
        return
    even = source.sample[0::2].count(0)
    odd = source.sample[1::2].count(0)
    guess = "utf-16-be" if even > odd else "utf-16-le"
    raise input_error(
        Code.NOT_TEXT,
        f"not a text file: NUL byte at offset {source.sample.index(0)}",
        file=source.name,
        line=source.sample.count(b"\n", 0, source.sample.index(0)) + 1,
        next_step=f"if it is UTF-16 text without a byte order mark, add --encoding {guess}",
    )


def _try_all(source: Source, encoding: str) -> None:
    """Decode the whole file for nothing, so that a wrong byte is found before any row is."""
    decoder = codecs.getincrementaldecoder(encoding)()
    file, offset, lines = source.rewound(), 0, 0
    while True:
        chunk = file.read(_CHUNK)
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            start = max(0, error.start - pending)
            raise _wrong_byte(
                source,
                encoding,
                offset - pending + error.start,
                lines + chunk.count(b"\n", 0, start) + 1,
            ) from None
        except UnicodeError as error:  # UTF-16 without its mark
            raise input_error(
                Code.WRONG_ENCODING, f"not {encoding}: {error}", file=source.name
            ) from None
        if not chunk:
            return
        offset += len(chunk)
        lines += chunk.count(b"\n")


def _wrong_byte(source: Source, encoding: str, offset: int, line: int) -> InputError:
    file = source.rewound()
    file.seek(offset)
    found = file.read(1)
    byte = f"byte 0x{found[0]:02X}" if found else "the end of the file"
    fitting = _fitting(source)
    shown = " or ".join(f"--encoding {name}" for name in fitting)
    return input_error(
        Code.WRONG_ENCODING,
        f"{byte} at offset {offset} is not {encoding}",
        file=source.name,
        line=line,
        next_step=f"name the file's encoding; its bytes would fit {shown}",
    )


def _fitting(source: Source) -> list[str]:
    """Encodings that the bytes at hand would fit, the likelier first. Only ever suggested."""
    sample = source.rewound().read(8 * SAMPLE)
    scores = {}
    for name in _JAPANESE:
        try:
            text = codecs.getincrementaldecoder(name)().decode(sample)
        except UnicodeDecodeError:
            continue
        scores[name] = len(_FULL_KANA.findall(text)) - 2 * len(_HALF_KANA.findall(text))
    return sorted(scores, key=lambda name: -scores[name]) or ["cp1252"]
