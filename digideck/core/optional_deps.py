"""Libraries that only some readers need, and what to say where they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from digideck.core.codes import Code
from digideck.core.problems import input_error


def require(module: str, extra: str, file: str, what: str) -> Any:
    """The module. Raises InputError naming the extra that brings it, and the command."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise input_error(
            Code.EXTRA_MISSING,
            f"{what} needs {module}, which is not installed",
            file=file,
            next_step=f"pip install 'digideck[{extra}]'  (or: pipx inject digideck {module})",
        ) from None
