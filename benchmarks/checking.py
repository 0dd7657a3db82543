"""How many decks are judged in a second, in one process.

python -m benchmarks.checking [DECKS]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from digideck.catalog.cards import CardIndex
from digideck.decks.model import DeckVocabulary
from digideck.decks.read_deck import read_deck
from digideck.decks.rules.rule_files import FormatTable
from digideck.decks.rules.verdict import Judge
from digideck.schema.connection import create, open_to_read

FOLDER = Path(__file__).parent.parent / "examples" / "decks"


def main() -> None:
    """Print checks a second for parsed decks, and decks a second from files."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "digideck.db"
        create(database)
        index = CardIndex(open_to_read(database))
        judge = Judge(index, FormatTable(index.connection, index.games))
        words = DeckVocabulary(index.games.values())
        for path in sorted(FOLDER.glob("*-legal.*")):
            deck = read_deck(str(path), words)
            judge.verdict(deck)  # the cards are looked up once, as in a folder of decks

            def check() -> None:
                judge.verdict(deck)  # noqa: B023 - used at once

            def read() -> None:
                judge.verdict(read_deck(str(path), words))  # noqa: B023

            print(
                f"{path.name:32} {len(deck.lines):3} lines {deck.cards():3} cards: "
                f"{rate(check, wanted):7,.0f} checks/s parsed, "
                f"{rate(read, wanted // 4):7,.0f} decks/s from files"
            )
        print(f"bare loop of as many empty calls: {rate(lambda: None, wanted):,.0f}/s")


def rate(work: Callable[[], None], times: int) -> float:
    """Runs a second of CPU time."""
    start = time.process_time()
    for _ in range(times):
        work()
    return times / (time.process_time() - start)


if __name__ == "__main__":
    main()
