"""The ``digideck`` command: a table of commands, each imported only when it runs."""

from __future__ import annotations

import errno
import importlib
import inspect
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from keyword import iskeyword
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from digideck import __version__

# The help of each command; its code is cli/<name>.py, in a group cli/<group>/<name>.py.
COMMANDS = {
    "import": "Read set lists and card lists into the database.",
    "sets": "The sets of a game: printed, known.",
    "find": "Find cards: words of their names, fields, ranges, evolution.",
    "show": "Everything known about a card.",
    "formats": "The formats, their rules and where each rule is from.",
    "deck": "Deck files: judge, show, compare and convert them.",
    "collection": "What you own: a ledger of every change, and what it adds up to.",
    "scan": "Barcodes in photos and before a camera, turned into cards.",
    "barcode": "Which code is on which card: the links that scanning goes by.",
    "db": "The database file.",
    "completion": "A script that completes commands, card numbers and more in your shell.",
    "doctor": "What is installed, what is missing, how to get it.",
}
GROUPS = {
    "deck": {
        "check": "Judge deck files: legal, illegal or undecided, with reasons.",
        "missing": "What is missing to build decks from what you own.",
        "convert": "Write deck files in another form: for other programs, or by hand.",
        "diff": "What changed from one deck to another, by card and by name.",
        "hand": "Deal sample hands from a deck.",
        "lines": "What in a deck evolves from what, and what never comes into play.",
        "odds": "The chance of drawing cards, in the opening hand and by a turn.",
        "show": "What a deck is made of: levels, curves, attacks, copies.",
    },
    "collection": {
        "add": "Add copies of cards.",
        "remove": "Remove copies of cards.",
        "set": "Say how many copies of a card there are.",
        "list": "What you own.",
        "import": "Read a collection from a file.",
        "export": "Write the collection to a file.",
        "wants": "What you want and do not have; what is wanted of a card.",
        "trades": "Copies beyond what your wants and decks need.",
        "progress": "How much of each set you own.",
        "buildable": "Which decks of a folder can be built from what you own.",
        "history": "Every change, by card and by time.",
        "undo": "Take back a batch of changes.",
    },
    "scan": {
        "photos": "Read the barcodes in pictures and folders of pictures.",
        "camera": "Read the barcodes of cards that are held before a camera.",
        "review": "Name the cards of codes that were read but are not linked yet.",
    },
    "barcode": {
        "enrol": "Keep what bars that no reader decodes look like.",
        "link": "Say that a code is on a card.",
        "unlink": "Forget that a code is on a card.",
        "list": "The codes that are linked, with their cards.",
        "export": "Write the links to a file, to share them.",
        "import": "Read links from a file; none of yours is overwritten.",
        "labels": "Print labels for cards without a barcode, and link their codes.",
    },
    "db": {
        "create": "Make a database with the cards that ship.",
        "info": "What the database holds, and where it is.",
        "verify": "Prove that the database is whole and its sums are right.",
        "backup": "Copy the database to a file.",
        "restore": "Put a copy of the database in its place.",
        "export": "Write all that is yours as plain text.",
        "import": "Read what export wrote into a new database.",
    },
}
HELP_NAMES = {"help_option_names": ["-h", "--help"]}
EXIT_CODES = """\b
Exit codes: 0 yes or done; 1 the answer is no; 2 wrong usage;
3 input that cannot be used; 4 undecided."""


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and imports one when it is called.

    ``table`` is the help line of each, ``place`` where their modules are below digideck.cli.
    """

    table: Mapping[str, str] = COMMANDS
    place = ""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name the commands, for completion and near misses."""
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command now; None for a name that is not in the table."""
        if cmd_name not in self.table:
            return None
        if not self.place and cmd_name in GROUPS:
            return _group(cmd_name, GROUPS[cmd_name])
        return _command(cmd_name, self.place, self.table[cmd_name])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the help without importing what it is about."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))


def _app(**settings: Any) -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=HELP_NAMES,
        **settings,
    )


def _group(name: str, table: Mapping[str, str]) -> Any:
    """A group of commands, as the root command calls it."""
    kind = type("Group", (LazyGroup,), {"table": table, "place": f"{name}."})
    app = _app(name=name, cls=kind, help=COMMANDS[name], no_args_is_help=True)
    app.callback()(_nothing)
    return typer.main.get_command(app)


def _nothing() -> None:
    """A group by itself does nothing; Typer makes a group of what has a callback."""


def _command(name: str, place: str, help_line: str) -> Any:
    module = importlib.import_module(f"digideck.cli.{place}{name}{'_' if iskeyword(name) else ''}")
    app = _app()
    details = inspect.getdoc(module.run) or ""
    details = details.replace("\\b\n", "\b\n")  # as raw docstrings write "leave these lines alone"
    kind = getattr(module, "COMMAND", None)
    text = f"{help_line}\n\n{details}".strip()
    app.command(name=name, cls=kind, context_settings=HELP_NAMES, help=text)(module.run)
    return typer.main.get_command(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"digideck {__version__}")
        raise typer.Exit


def _root_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """The options before a command."""


def root() -> Any:
    """The command with all its groups."""
    app = _app(
        name="digideck",
        cls=LazyGroup,
        help="Cards, decks and collections of the Digimon card games.",
        epilog=EXIT_CODES,
        no_args_is_help=True,
    )
    app.callback()(_root_options)
    return typer.main.get_command(app)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    arguments = list(sys.argv[1:] if args is None else args)
    messages = sys.stderr
    sys.stderr = _Messages(messages)
    try:
        with _stopped_by_signals():
            code = _code(arguments)
    finally:
        sys.stderr = messages
    sys.exit(code)


class _Ended(KeyboardInterrupt):
    """Another process asks this one to end; it cleans up as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does; what is ignored stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise _Ended(number)

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, end)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _code(arguments: list[str]) -> int:
    """The exit code of the command line, whatever becomes of its output."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a kana gets its escape
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the help of a command, say
        _silence()
        code = 141
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG):
            from digideck.operations.database.maintain_database import was_written  # start-up

            done = was_written()
            done_so_far = "what was asked for is done; only " if done else ""
            print(f"{done_so_far}the output cannot be written: {error.strerror}", file=sys.stderr)
            _silence()
            return 0 if done else 3
        if _folder_is_gone():
            print("the folder that this shell is in no longer exists", file=sys.stderr)
            print("    go to another with cd, then try again", file=sys.stderr)
            return 3
        raise
    except KeyboardInterrupt as stop:
        from digideck.cli.render.output import STOPPED  # start-up

        print(STOPPED, file=sys.stderr)
        code = getattr(stop, "exit_code", 130)
    return code


class _Messages:
    """Standard error that may be full or closed at its other end: that changes no answer."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with self._lost():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._lost():
            self._stream.flush()

    @contextmanager
    def _lost(self) -> Iterator[None]:
        from digideck.cli.render.output import silence  # start-up

        try:
            yield
        except OSError:
            with suppress(OSError):  # of a stream without a file
                silence(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _folder_is_gone() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _silence() -> None:
    from digideck.cli.render.output import silence  # start-up

    silence(sys.stdout)


def _run(arguments: list[str]) -> int:
    try:
        result = root().main(arguments, prog_name="digideck", standalone_mode=False)
    except typer.TyperException as error:
        return _usage_error(error, arguments)
    except typer.Abort:
        raise KeyboardInterrupt from None
    return int(result or 0)


def _usage_error(error: typer.TyperException, arguments: list[str]) -> int:
    from digideck.cli.render.output import Report  # start-up
    from digideck.core.codes import Code  # start-up
    from digideck.core.problems import Problem, Severity  # start-up

    context = getattr(error, "ctx", None)
    path = context.command_path if context else "digideck"
    command = path.removeprefix("digideck").strip()
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())
        return error.exit_code
    report = Report(command, as_json="--json" in arguments)
    report.problem(
        Problem(
            Code.USAGE,
            Severity.ERROR,
            error.format_message().rstrip("."),
            next_step=f"{_commands_meant(context, arguments)}see {path} --help",
        )
    )
    return report.finish(usage=True)


def _commands_meant(context: Any, arguments: list[str]) -> str:
    """What an unknown command of a group may have meant, else all the group has."""
    from digideck.core.suggestions import nearest  # start-up

    group = context.command if context else None
    if not isinstance(group, LazyGroup):
        return ""
    if arguments and arguments[0].startswith("-"):
        return f"options come after the command: digideck COMMAND {arguments[0]}; "
    unknown = next((word for word in arguments if not word.startswith("-")), "")
    if group.place:
        rest = arguments[arguments.index(unknown) + 1 :]
        unknown = next((word for word in rest if not word.startswith("-")), "")
    if not unknown or unknown in group.table:
        return ""
    within = [f"{name} {unknown}" for name, table in GROUPS.items() if unknown in table]
    near = within or nearest(unknown, group.table, least=0.5)
    return f"did you mean {', '.join(near)}? " if near else f"one of: {', '.join(group.table)}; "
