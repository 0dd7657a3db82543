"""What a shell offers while a word is typed: ``digideck __complete KIND PREFIX``.

Called at each press of the tab key, so it imports no Typer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from digideck.operations.cards.complete_words import complete_words


def main(arguments: Sequence[str]) -> None:
    """Print the words of a kind that begin like the given one, a line each."""
    kind, prefix = (*arguments, "", "")[:2]
    text = "".join(f"{word}\n" for word in complete_words(kind, prefix))
    with suppress(OSError):  # nobody listens
        sys.stdout.buffer.write(text.encode())
