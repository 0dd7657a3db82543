"""Writing a file that the user names: whole or not at all, and never over another."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error
from digideck.core.text import shown_path

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def write_file(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write ``content``, text as UTF-8, beside ``path`` and move it there.

    A link stays and what it leads to is written. Raises InputError if the file is
    there and not ``force``, and for a device, a pipe or a folder in either case.
    """
    refuse_unwritable(path, force=force)
    try:
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        data = content.encode() if isinstance(content, str) else content
        _write_beside(target, data, force)
    except FileExistsError:
        raise _is_there(path) from None
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def form_by_ending(
    path: Path, forms: Mapping[str, str], default: str | None = None, *, instead: str = ""
) -> str:
    """Which of ``forms``, by their endings, the name of a file promises; one without an
    ending gets the ``default``. Raises InputError, with what can be done ``instead``.
    """
    ending = path.suffix.lower()
    form = forms.get(ending) if ending else default
    if form is None:
        first: dict[str, str] = {}
        for known, of in forms.items():
            first.setdefault(of, known)
        endings = " or ".join(first.values())
        raise input_error(
            Code.UNKNOWN_FORM,
            f"does not end with {endings}",
            file=shown_path(str(path)),
            allowed=", ".join(first),
            next_step=f"call it {path.stem}{next(iter(forms))}{instead}",
        )
    return form


def make_folder(path: Path) -> None:
    """Make a folder to write to, unless it is there. Raises InputError where it cannot be."""
    try:
        path.mkdir(exist_ok=True)
    except FileExistsError:
        raise input_error(
            Code.NOT_A_FOLDER,
            "is a file, where a folder is needed",
            file=str(path),
            next_step="name a folder",
        ) from None
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def refuse_unwritable(path: Path, *, force: bool = False) -> None:
    """Raises InputError where `write_file` could not write, as far as that shows before the
    work for it, or for several files, is done.
    """
    try:
        _refuse_what_is_no_file(path)
        if not force and os.path.lexists(path):
            raise _is_there(path)
        os.stat(Path(os.path.realpath(path)).parent)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def _is_there(path: Path) -> InputError:
    return input_error(
        Code.FILE_EXISTS,
        "is there already and is not overwritten",
        file=str(path),
        next_step="name another file, or add --force",
    )


def _refuse_what_is_no_file(path: Path) -> None:
    """A move would put a file in the place of a device or of a pipe that somebody reads."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # nothing there; what else is wrong shows when it is written
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file, but a device or a pipe"
        raise input_error(
            Code.FILE_UNWRITABLE,
            f"cannot be written: this is {what}",
            file=str(path),
            next_step="name another file",
        )


def _write_beside(path: Path, data: bytes, force: bool) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(prefix=".digideck-", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # some disks tell only now that they are full
        os.chmod(name, _mode(path))
        if force:
            os.replace(name, path)
        else:
            _move_to_free_name(name, path)
        _sync_folder(path.parent)
    finally:
        Path(name).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Have the disk keep the name, so that a file that was written lasts."""
    with suppress(OSError):  # not every system syncs folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _mode(path: Path) -> int:
    """The permissions of the file that is there, else those of any new file."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0o077)  # there is no way to read it but to set it
        os.umask(mask)
        return 0o666 & ~mask


def _move_to_free_name(name: str, path: Path) -> None:
    """Move; FileExistsError if somebody has made a file of that name meanwhile."""
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with open(path, "x", encoding="utf-8"):
            pass
        os.replace(name, path)


def _unwritable(path: Path, error: OSError | ValueError) -> InputError:
    number = error.errno if isinstance(error, OSError) else None
    if number in _FULL:
        to_do = "the disk is full: free some space, or name a file on another disk"
    elif number == errno.EFBIG:
        to_do = "the disk or a limit (ulimit -f) allows no file as large: name one on another disk"
    else:
        to_do = "name a file in a folder that can be written to"
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return input_error(
        Code.FILE_UNWRITABLE, f"cannot be written: {reason}", file=str(path), next_step=to_do
    )
