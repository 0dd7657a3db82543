"""``python -m digideck`` is the ``digideck`` command."""

from digideck.cli.app import main

if __name__ == "__main__":
    main()
