"""Reading a text file of a user's: its bytes, its encoding, and what to say when it fails."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.suggestions import nearest
from digideck.core.text import STDIN, shown_path

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OFTEN = ("utf-8", "cp932", "euc-jp", "cp1252")
_WIDE = ("utf-16", "utf-32")  # whose letters have NUL bytes


def read_bytes(path: str, *, limit: int, what: str) -> bytes:
    """The bytes of a regular file or of stdin (``-``), at most ``limit`` of them.

    ``what`` names the expected kind of file in messages ("a deck file").
    Raises InputError for anything that is missing, not a file, unreadable or larger.
    """
    shown = shown_path(path)
    if path == STDIN:
        data = stdin_bytes().read(limit + 1)
    else:
        data = _read_regular_file(path, shown, limit + 1, what)
    if len(data) > limit:
        raise input_error(
            Code.FILE_TOO_LARGE,
            f"too large for {what}: more than {limit:,} bytes",
            file=shown,
            allowed=limit,
            next_step=f"check that this is {what}",
        )
    return data


def stdin_bytes() -> BinaryIO:
    """Standard input as bytes. Raises InputError where the caller has closed it."""
    if sys.stdin is None:
        raise input_error(
            Code.STDIN_CLOSED,
            "standard input is closed",
            file=shown_path(STDIN),
            next_step="name a file instead of -, or pipe something in",
        )
    return sys.stdin.buffer


def _read_regular_file(path: str, shown: str, size: int, what: str) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            kind = "a folder" if os.path.isdir(path) else "not a regular file"
            if os.path.isdir(path):
                os.scandir(path).close()  # where it cannot be read, that is what is wrong
            raise input_error(
                Code.NOT_A_FILE,
                f"{kind}, expected {what}",
                file=shown,
                next_step="name the files in it" if os.path.isdir(path) else None,
            )
        with open(path, "rb") as file:
            return file.read(size)
    except FileNotFoundError:
        raise input_error(
            Code.FILE_MISSING, "no such file", file=shown, next_step=_near_files(path)
        ) from None
    except ValueError:  # a NUL in the name
        raise input_error(Code.FILE_MISSING, "no such file", file=shown) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise input_error(Code.FILE_UNREADABLE, f"cannot be read: {reason}", file=shown) from None


def _near_files(path: str) -> str | None:
    try:
        siblings = os.listdir(Path(path).parent)
    except OSError:
        return None
    near = nearest(Path(path).name, siblings)
    return f"did you mean {', '.join(near)}?" if near else None


def decode(data: bytes, *, file: str, encoding: str | None = None) -> tuple[str, str]:
    """``data`` as text and the encoding that was taken.

    A byte order mark decides, else UTF-8, else what ``encoding`` names; nothing
    is guessed. Raises InputError naming the byte and the line that do not fit.
    """
    taken = next((name for bom, name in _BOMS if data.startswith(bom)), encoding or "utf-8")
    try:
        wide = _codec(taken).startswith(_WIDE)
        if b"\0" in data and not wide:
            raise _not_text(file, taken)
        text = data.decode(taken)
    except UnicodeDecodeError as error:
        raise _wrong_encoding(data, file, taken, error) from None
    except (LookupError, ValueError):  # also codecs that are for no file, such as "undefined"
        raise input_error(
            Code.UNKNOWN_ENCODING,
            f"no encoding of text files is called {taken!r}",
            allowed="utf-8, utf-16, cp932, euc-jp, cp1252 and Python's other names",
        ) from None
    if wide and "\0" in text:
        raise _not_text(file, taken)
    return text, taken


def _codec(encoding: str) -> str:
    """The one name of an encoding that has several."""
    return codecs.lookup(encoding).name


def _not_text(file: str, taken: str) -> InputError:
    others = (name for name in ("utf-16-le", "utf-32-le") if name != _codec(taken))
    return input_error(
        Code.NOT_TEXT,
        "not a text file: it has NUL bytes",
        file=file,
        next_step="if it is UTF-16 or UTF-32 text without a byte order mark, "
        f"add --encoding {' or '.join(others)}",
    )


def _wrong_encoding(data: bytes, file: str, taken: str, error: UnicodeDecodeError) -> InputError:
    tried = _codec(taken)
    others = [name for name in _OFTEN if _codec(name) != tried.removesuffix("-sig")]
    hint = next((name for name in others if _decodes(data, name)), "")
    return input_error(
        Code.WRONG_ENCODING,
        f"byte 0x{data[error.start : error.start + 1].hex().upper()} "
        f"at offset {error.start} is not {taken}",
        file=file,
        line=data.count(b"\n", 0, error.start) + 1,
        next_step=f"name the file's encoding, perhaps --encoding {hint}"
        if hint
        else f"name the file's encoding with --encoding; {', '.join(others)} do not fit either",
    )


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
