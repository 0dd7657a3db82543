"""``digideck deck show``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Optional

import typer

from digideck.cli.deck.deck_files import Decks, said_readings
from digideck.cli.options import Db, Encoding, FromForm, Json
from digideck.cli.render.exits import Exit
from digideck.cli.render.output import command, pad, styled, table
from digideck.core.text import STDIN, pluralize, width
from digideck.decks.analysis.stats import Bars, Figures, Spans, as_json, figures, span_text
from digideck.files.atomic_write import form_by_ending, write_file

_LONGEST = 40  # of a bar, in characters


def run(
    decks: Annotated[
        list[str], typer.Argument(metavar="DECK...", help="Deck files; - is standard input.")
    ],
    format_name: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="The format of the decks.")
    ] = "",
    svg: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--svg", metavar="FILE", help="Write a picture of the same here."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the picture if it is there already.")
    ] = False,
    from_form: FromForm = "",
    encoding: Encoding = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Cards by kind and level, the curves and groups of the game, the attacks of each
    battle type against the others, figures by level, and copies by the name that
    they are counted by. "?" is unknown, which is left out of averages.
    """
    with command("deck show", json) as report:
        if svg and str(svg) == STDIN:
            raise typer.BadParameter("name a file to write", param_hint="--svg")
        if svg and len(decks) > 1:
            raise typer.BadParameter("a picture is of one deck", param_hint="--svg")
        if svg:
            form_by_ending(svg, {".svg": "svg"}, "svg")
        reader = Decks(db, encoding, from_form=from_form)
        report.data["decks"] = []
        for path in decks:
            matched = reader.matched(report, path, format_name)
            if matched is None:
                report.exit_code = Exit.UNUSABLE
                continue
            said_readings(report, matched)
            shown = figures(matched)
            if svg:
                from digideck.decks.analysis.stats_svg import picture

                write_file(svg, picture(shown), force=force)
            report.data["decks"].append({**as_json(shown), "svg": str(svg) if svg else None})
            for line in _lines(shown):
                report.say(line)
            if svg:
                report.say(f"picture: {svg}")


def _lines(shown: Figures) -> Iterator[str]:
    name = f"{shown.name}, " if shown.name else ""
    zones = ", ".join(f"{zone} {count}" for zone, count in shown.zones)
    beside = f" ({zones})" if len(shown.zones) > 1 else ""
    heading = f"{shown.file}: {name}{shown.format}, {pluralize(shown.cards, 'card')}{beside}"
    yield styled(heading, "good")
    if shown.unknown:
        yield f"  not in the database: {pluralize(shown.unknown, 'card')}"
    rows = [row for bars in shown.bars for row in bars.rows]
    label_width = max((width(label) for label, _ in rows), default=0)
    for bars in shown.bars:
        yield f"  {bars.title}{_note(bars)}"
        yield from _bar_lines(bars, label_width)
    for spans in shown.spans:
        yield f"  {spans.title}"
        for line in _span_lines(spans):
            yield f"    {line}"
    if shown.nothing_known:
        yield f"  Not known of any card: {', '.join(shown.nothing_known)}"
    yield "  Copies by name"
    name_width = max((width(entry.name) for entry in shown.copies), default=0)
    for entry in shown.copies:
        parts = ", ".join(f"{count} {title}" for title, count in entry.cards)
        yield f"    {pad(entry.name, name_width)}  {entry.copies:2}  {parts}"


def _note(bars: Bars) -> str:
    notes = []
    if bars.span and bars.span.mean is not None:
        notes.append(f"average {span_text(bars.span, ends=False)}")
        if any(label == "?" for label, _ in bars.rows):
            notes.append(f"known of {pluralize(bars.span.known, 'card')}")
    if bars.several:
        notes.append(f"{pluralize(bars.several, 'card')} in more than one")
    return f": {', '.join(notes)}" if notes else ""


def _bar_lines(bars: Bars, label_width: int) -> Iterator[str]:
    most = max(count for _, count in bars.rows)
    scale = max(1.0, most / _LONGEST)
    for label, count in bars.rows:
        bar = "#" * (max(1, round(count / scale)) if count else 0)
        yield f"    {pad(label, label_width)}  {count:3}  {bar}".rstrip()


def _span_lines(spans: Spans) -> Iterator[str]:
    rows = [(label, count, *map(span_text, found)) for label, count, found in spans.rows]
    header = ("", "cards", *spans.columns)
    return table(rows, header, right=range(1, len(header)))
