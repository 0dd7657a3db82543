"""Where the user's own files are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_XDG = {"data": (".local", "share"), "config": (".config",)}


def user_folder(kind: str) -> Path | None:
    """Where the user's files of a ``kind``, data or config, are kept for this program.

    None for a user without a home folder.
    """
    if sys.platform == "linux" and not hasattr(sys, "getandroidapilevel"):
        # platformdirs says the same, but loading it takes as long as half of bare Python.
        named = os.environ.get(f"XDG_{kind.upper()}_HOME", "")
        home = os.environ.get("HOME", "")
        if os.path.isabs(named) or os.path.isabs(home):
            base = Path(named) if os.path.isabs(named) else Path(home, *_XDG[kind])
            return base / "digideck"
    import platformdirs

    find = platformdirs.user_data_dir if kind == "data" else platformdirs.user_config_dir
    try:
        folder = Path(find("digideck", appauthor=False))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None  # a ~ that nothing is known for
