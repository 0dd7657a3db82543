"""Reading a text file of a user's: its bytes, its encoding, and what to say when it fails."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from pathlib import Path

from digideck.schema.problems import unusable

STDIN = "-"

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def shown_path(path: str) -> str:
    """``path`` as messages name it; names that are not UTF-8 stay readable."""
    if path == STDIN:
        return "<stdin>"
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read_bytes(path: str, *, limit: int, what: str) -> bytes:
    """The bytes of a regular file or of stdin (``-``), at most ``limit`` of them.

    ``what`` names the expected kind of file in messages ("a deck file").
    Raises Unusable for anything that is missing, not a file, unreadable or larger.
    """
    shown = shown_path(path)
    if path == STDIN:
        data = sys.stdin.buffer.read(limit + 1)
    else:
        data = _read_regular_file(path, shown, limit + 1, what)
    if len(data) > limit:
        raise unusable(
            "file-too-large",
            f"too large for {what}: more than {limit:,} bytes",
            file=shown,
            allowed=limit,
            next_step=f"check that this is {what}",
        )
    return data


def _read_regular_file(path: str, shown: str, size: int, what: str) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            kind = "a folder" if os.path.isdir(path) else "not a regular file"
            raise unusable(
                "not-a-file",
                f"{kind}, expected {what}",
                file=shown,
                next_step="name the files in it" if os.path.isdir(path) else None,
            )
        with open(path, "rb") as file:
            return file.read(size)
    except FileNotFoundError:
        raise unusable(
            "file-missing", "no such file", file=shown, next_step=_near_files(path)
        ) from None
    except ValueError:  # a NUL in the name
        raise unusable("file-missing", "no such file", file=shown) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise unusable("file-unreadable", f"cannot be read: {reason}", file=shown) from None


def _near_files(path: str) -> str | None:
    import difflib

    try:
        siblings = os.listdir(Path(path).parent)
    except OSError:
        return None
    near = difflib.get_close_matches(Path(path).name, siblings, n=3)
    return f"did you mean {', '.join(near)}?" if near else None


def decode(data: bytes, *, file: str, encoding: str | None = None) -> tuple[str, str]:
    """``data`` as text and the encoding that was taken.

    A byte order mark decides, else UTF-8, else what ``encoding`` names; nothing
    is guessed. Raises Unusable naming the byte and the line that do not fit.
    """
    taken = next((name for bom, name in _BOMS if data.startswith(bom)), encoding or "utf-8")
    if b"\0" in data and not taken.lower().startswith("utf-16"):
        raise unusable(
            "not-text",
            "not a text file: it has NUL bytes",
            file=file,
            next_step="if it is UTF-16 text without a byte order mark, add --encoding utf-16-le",
        )
    try:
        return data.decode(taken), taken
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = next((name for name in ("cp932", "euc-jp") if _decodes(data, name)), "cp1252")
        raise unusable(
            "wrong-encoding",
            f"byte 0x{data[error.start]:02X} at offset {error.start} is not {taken}",
            file=file,
            line=line,
            next_step=f"name the file's encoding, perhaps --encoding {hint}",
        ) from None
    except LookupError:
        raise unusable(
            "unknown-encoding",
            f"no encoding is called {taken!r}",
            allowed="utf-8, utf-16, cp932, euc-jp, cp1252 and Python's other names",
        ) from None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
