"""Where the data that ships is, and which data it is."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent.parent / "data"


def shipped_version() -> str:
    """What identifies the data that this program ships (see data/VERSION)."""
    return (DATA / "VERSION").read_text("ascii").strip()
