"""Writing a file that the user names: whole or not at all, and never over another."""

from __future__ import annotations

import os
from pathlib import Path

from digideck.schema.problems import unusable


def write_file(path: Path, text: str, *, force: bool = False) -> None:
    """Write ``text`` as UTF-8. Raises Unusable if the file is there and not ``force``."""
    try:
        if force and path.exists():
            _replace(path, text)
        else:
            with open(path, "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except FileExistsError:
        raise unusable(
            "file-exists",
            "is there already and is not overwritten",
            file=str(path),
            next_step="name another file, or add --force",
        ) from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise unusable(
            "file-unwritable",
            f"cannot be written: {reason}",
            file=str(path),
            next_step="name a file in a folder that can be written to",
        ) from None


def _replace(path: Path, text: str) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(prefix=".digideck-", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
