"""``python -m digideck`` and the ``digideck`` script."""

from __future__ import annotations

import signal


def _stop(number: int, frame: object) -> None:
    """Ctrl-C while modules are still being loaded: nothing was begun."""
    os.write(2, b"stopped; nothing was left half written\n")
    os._exit(130)


if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _stop)

import gc  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402

# Loading modules makes hardly any garbage, and would be searched for it dozens of times.
_OBJECTS_BETWEEN_SEARCHES = 50_000


def main() -> None:
    """Run the command line; completing a word takes a short way that loads little."""
    gc.set_threshold(_OBJECTS_BETWEEN_SEARCHES, *gc.get_threshold()[1:])
    _open_what_is_closed()
    if sys.argv[1:2] == ["__complete"]:
        from digideck.cli.complete import main as complete  # start-up

        complete(sys.argv[2:])
    else:
        from digideck.cli.main import main as run  # start-up

        run()


def _open_what_is_closed() -> None:
    """Give a stream that the caller has closed (``>&-``) somewhere to go, and its place.

    Else a file that is opened later would take that place, and be written to by whatever
    writes there. Standard input stays None, so that reading it can be told from an empty one.
    """
    if sys.stdin is None:
        os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
            os.set_inheritable(nowhere.fileno(), True)
            setattr(sys, name, nowhere)


if __name__ == "__main__":
    main()
