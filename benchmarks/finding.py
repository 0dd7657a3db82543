"""How long queries over all shipped cards take, beyond the start of the command.

    python -m benchmarks.finding [RUNS]

In one process, from an open database to the cards found: the query is parsed,
turned into SQL and answered, with nothing remembered of the query before.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

QUERIES = (
    "greymon",
    "war greymon",
    "ガブ",
    '"agumon"',
    "number:Dα-065",
    "set:AE5",
    "game:alpha level>=perfect",
    "cost:3..5",
    "type:dragon",
    "x-antibody",
    "-game:dcg (level:III or level:IV) -x-antibody",
    "from:Agumon",
    'into:"War Greymon"',
    "game:alpha from:Agumon level:IV",
    "owned>=1",
    "missing game:hyper-colosseum",
    "a o u",
    "name~graymon",
    "name~wargreymonn",
)


def main() -> None:
    """Print the median CPU and the longest of each query, in milliseconds."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIGIDECK_DB"] = str(Path(folder) / "digideck.db")
        print(f"{'query':48}{'cards':>7}{'median ms':>11}{'longest':>9}")
        for query in QUERIES:
            found, seconds = zip(*(_once(query) for _ in range(runs + 1)), strict=True)
            seconds = seconds[1:]  # the first also imports
            print(
                f"{query:48}{found[0]:>7}{1000 * median(seconds):>11.1f}{1000 * max(seconds):>9.1f}"
            )


def _once(text: str) -> tuple[int, float]:
    """How many cards a query finds, and the CPU seconds it takes."""
    from digideck.catalog.cards import CardIndex
    from digideck.catalog.query import find_ids, parse
    from digideck.collection.query_terms import collection_terms
    from digideck.schema.connection import open_to_read

    connection = open_to_read(None)
    index = CardIndex(connection)
    start = time.process_time()
    found = find_ids(index, parse(text, index, collection_terms(connection)), first=text)
    seconds = time.process_time() - start
    connection.close()
    return len(found), seconds


if __name__ == "__main__":
    main()
