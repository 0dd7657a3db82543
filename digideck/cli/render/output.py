"""What every command prints: text for people, one JSON object for scripts.

A command works inside ``with command(...) as report``, says lines and adds
problems. Text goes out as it comes; JSON goes out at the end, also when the
work failed. This is the one place that prints and the one that exits.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

import typer

from digideck.core.codes import Code
from digideck.core.problems import InputError, Problem, Severity, input_error
from digideck.core.results import Answer, answer_of, to_json, worst
from digideck.core.text import width

JSON_VERSION = 1
EXIT_CODES = {Answer.OK: 0, Answer.NO: 1, Answer.UNUSABLE: 3, Answer.UNDECIDED: 4}
USAGE = 2
BROKEN_PIPE = 141  # what a shell gives for a program that SIGPIPE ends
INTERRUPTED = 130  # and for one that Ctrl-C ends
STOPPED = "stopped; nothing was left half written"
_MOST_ALIKE = 5  # problems of one code that are shown in full
_ASKED_BACK = (Code.CARD_AMBIGUOUS, Code.WHICH_COPIES)  # codes of what the user can settle at once
_COLOURS = {"error": "31", "unknown": "33", "warning": "33", "good": "32", "dim": "2"}
_COLOURED = re.compile(r"(\033\[(?:31|32|33|2)m[^\033]*\033\[0m)")  # what `styled` gives
_CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}
# What steers a terminal or turns the order of what is shown, as JSON may write it.
_JSON_ESCAPES = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


class Report:
    """The output of one command; its exit code is the worst of the answers it is told."""

    def __init__(self, name: str, as_json: bool) -> None:
        self.name = name
        self.as_json = as_json
        self._data: Any = {}
        self._answers: list[Answer] = []
        self._problems: list[Problem] = []
        self._shown: Counter[str] = Counter()

    def say(self, line: str = "") -> None:
        """A line for people; nothing in JSON."""
        if not self.as_json:
            print(_for_terminal(line))

    def table(
        self,
        rows: Iterable[Sequence[Any]],
        header: Sequence[str],
        right: Sequence[int] = (),
        **settings: Sequence[int],
    ) -> None:
        """The lines of a `table` for people."""
        if not self.as_json:
            for line in table(rows, header, right, **settings):
                self.say(line)

    def problem(self, problem: Problem) -> None:
        """Something wrong with the input: on stderr at once, in JSON at the end."""
        self._problems.append(problem)
        if self.as_json:
            return
        self._shown[problem.public_code] += 1
        if self._shown[problem.public_code] <= _MOST_ALIKE:
            place = f"{_on_one_line(problem.place)}: " if problem.place else ""
            plain = problem.severity is Severity.ERROR or problem.code in _ASKED_BACK
            kind = "" if plain else f"{problem.severity}: "
            print(printable(f"{place}{kind}{problem.message}"), file=sys.stderr)
            if problem.next_step:
                print(printable(f"    {problem.next_step}"), file=sys.stderr)

    def show(self, result: Any) -> None:
        """Take over what an operation gave: its fields for JSON, its problems, its answer."""
        for problem in result.problems:
            self.problem(problem)
        self.take(result)

    def take(self, result: Any) -> None:
        """The same for a result whose problems have been shown as they came."""
        if self.as_json:
            self._data = to_json(result)
        self._answers.append(result.answer)

    def failed(self, error: InputError) -> None:
        """The problems that stopped the work. What could mean several things is undecided."""
        for problem in error.problems:
            self.problem(problem)
        self._answers.append(answer_of(error.problems))

    def finish(self, *, usage: bool = False) -> int:
        """Print what is left and give the exit code."""
        answer = worst(self._answers)
        code = USAGE if usage else EXIT_CODES[answer]
        if self.as_json:
            import json

            envelope = {
                "version": JSON_VERSION,
                "command": self.name,
                "status": "usage" if usage else str(answer),
                "exit_code": code,
                "data": self._data,
                "problems": [problem.as_json() for problem in self._problems],
            }
            encoding = (sys.stdout.encoding or "ascii").lower()
            text = json.dumps(envelope, ensure_ascii=not encoding.startswith("utf"), indent=1)
            print(text.translate(_JSON_ESCAPES))
        else:
            for kind, count in self._shown.items():
                if count > _MOST_ALIKE:
                    print(f"and {count - _MOST_ALIKE} more like it ({kind})", file=sys.stderr)
        return code


@contextmanager
def command(name: str, as_json: bool, *, csv: bool = False) -> Iterator[Report]:
    """Run a command's work, turn what stops it into problems, and exit."""
    if as_json and csv:
        raise typer.BadParameter("it can be only one of them", param_hint="--json, --csv")
    report = Report(name, as_json)
    try:
        try:
            yield report
        except InputError as error:
            report.failed(error)
        except UnicodeEncodeError as error:
            report.failed(_not_unicode(error))
        code = report.finish()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; typer would exit with 1, which is "no"
        silence(sys.stdout)
        code = BROKEN_PIPE
    except KeyboardInterrupt as stop:  # typer would exit without a word
        print(STOPPED, file=sys.stderr)
        code = getattr(stop, "exit_code", INTERRUPTED)
    raise typer.Exit(code)


def print_exactly(text: str) -> None:
    """The content of a file to standard output: UTF-8 whatever the terminal's encoding,
    line ends as they are.
    """
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    buffer.write(text.encode("utf-8"))
    buffer.flush()


def printable(text: str) -> str:
    r"""``text`` with its control characters shown (``\x1b``), so that no name or title
    from a file can steer a terminal. Line ends and tabs stay.
    """
    return text.translate(_CONTROLS)


def _for_terminal(line: str) -> str:
    """``line`` printable, but for the colours that `styled` gave to parts of it."""
    parts = _COLOURED.split(line) if sys.stdout.isatty() else [line]
    return "".join(part if place % 2 else printable(part) for place, part in enumerate(parts))


def _on_one_line(text: str) -> str:
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def silence(stream: TextIO) -> None:
    """Send what is left in a stream nowhere, so that closing it raises nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _not_unicode(error: UnicodeEncodeError) -> InputError:
    """The problem with an argument whose bytes are no text in the user's encoding."""
    shown = str(error.object).encode("utf-8", "backslashreplace").decode("utf-8")
    return input_error(
        Code.NOT_UNICODE,
        f"not text: {shown[:200]}",
        next_step="check the encoding of the terminal or of the file the argument is from",
    )


def styled(text: str, style: str) -> str:
    """``text`` in the colour of ``style`` on a terminal, plain elsewhere or with NO_COLOR."""
    text = printable(text)
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\033[{_COLOURS[style]}m{text}\033[0m"


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """``text`` filled with spaces to ``columns``."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def table(
    rows: Iterable[Sequence[Any]],
    header: Sequence[str],
    right: Sequence[int] = (),
    *,
    texts: Sequence[int] = (),
    spare: Sequence[int] = (),
) -> Iterator[str]:
    """The lines of an aligned table; the columns numbered in ``right`` align right.

    On a terminal that is too narrow for it the columns in ``texts`` are shortened; where
    that is not enough, those in ``spare`` are left out, the last one first, which is said.
    """
    shown = [["" if cell is None else _on_one_line(str(cell)) for cell in row] for row in rows]
    shown.insert(0, list(header))
    measured = [[width(cell) for cell in row] for row in shown]
    wanted = [max(column) for column in zip(*measured, strict=True)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    widths = _fitted(wanted, room, texts, spare)
    if widths != wanted:
        shown = [
            [_shortened(cell, columns or 0) for cell, columns in zip(row, widths, strict=True)]
            for row in shown
        ]
        measured = [[width(cell) for cell in row] for row in shown]
    for row, sizes in zip(shown, measured, strict=True):
        cells = [
            " " * (columns - size) + cell if place in right else cell + " " * (columns - size)
            for place, (cell, size, columns) in enumerate(zip(row, sizes, widths, strict=True))
            if columns is not None
        ]
        yield "  ".join(cells).rstrip()
    left_out = [title for title, columns in zip(header, widths, strict=True) if columns is None]
    if any(left_out):
        yield f"(too wide for this terminal: {', '.join(left_out)})"


_NARROWEST = 12  # columns that a text needs to be told from others


def _fitted(
    wanted: Sequence[int], room: int | None, texts: Sequence[int], spare: Sequence[int]
) -> list[int | None]:
    """The widths with which a table fits into ``room``, if it can; None: a column left out."""
    if room is None:
        return list(wanted)
    least = [
        min(columns, _NARROWEST) if place in texts else columns
        for place, columns in enumerate(wanted)
    ]
    kept = list(range(len(wanted)))
    for place in reversed(spare):
        if sum(least[other] + 2 for other in kept) - 2 > room:
            kept.remove(place)
    widths = {place: wanted[place] for place in kept}
    over = sum(columns + 2 for columns in widths.values()) - 2 - room
    while over > 0 and any(widths[place] > least[place] for place in kept):
        widest = max(kept, key=lambda place: (widths[place] > least[place], widths[place]))
        widths[widest] -= 1
        over -= 1
    return [widths.get(place) for place in range(len(wanted))]


def _shortened(text: str, columns: int) -> str:
    """``text`` with … in place of what ``columns`` have no room for."""
    if width(text) <= columns:
        return text
    while text and width(text) >= columns:
        text = text[:-1]
    return f"{text}…"
