"""``python -m digideck`` and the ``digideck`` script."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; completing a word takes a short way that loads little."""
    if sys.argv[1:2] == ["__complete"]:
        from digideck.cli.complete import main as complete

        complete(sys.argv[2:])
    else:
        from digideck.cli.app import main as run

        run()


if __name__ == "__main__":
    main()
