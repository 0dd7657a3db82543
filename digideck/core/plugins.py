"""What other packages add: entry points, looked up only when what is built in will not do."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

READERS = "digideck.readers"  # modules with recognises and read, for import
DECK_FORMATS = "digideck.deck_formats"  # values of DeckFileFormat


def added(group: str) -> dict[str, EntryPoint]:
    """What installed packages add to a group, by name."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in sorted(entry_points(group=group))}


def load(entry: EntryPoint, kind: type = object) -> Any:
    """What an entry point names, of a ``kind``. Raises InputError where its package is broken."""
    try:
        found = entry.load()
        if not isinstance(found, kind):
            raise TypeError(f"{entry.value} is no {kind.__name__}")
        return found
    except Exception as error:  # whatever another package does while it is imported
        package = entry.dist.name if entry.dist else entry.value
        raise input_error(
            Code.PLUGIN_BROKEN,
            f"{entry.name} of the package {package} cannot be loaded: "
            f"{type(error).__name__}: {error}",
            next_step=f"update or remove it: pip uninstall {package}",
        ) from None


def loaded(group: str, kind: type = object) -> list[Any]:
    """All of a group that can be loaded; what is broken is told where it is named."""
    found = []
    for entry in added(group).values():
        with suppress(InputError):
            found.append(load(entry, kind))
    return found
