"""One page of HTML with every picture that was scanned, and nothing to load from elsewhere."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from digideck.operations.scans.scan_rows import ScanRow

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #2a7d3b; --open: #b06000; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #7bd88f; --open: #ffb74d; --bad: #f2938c; } }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; }
td, th { border-top: 1px solid var(--line); padding: .6rem .8rem .6rem 0; vertical-align: top; }
td.picture { width: 24rem; }
img { display: block; max-width: 24rem; height: auto; border-radius: 4px; }
.bars { width: 24rem; max-width: 100%; }
.state { font-weight: 600; white-space: nowrap; }
.key { white-space: nowrap; }
.confirmed .state { color: var(--good); }
.unconfirmed .state, .several .state, .proposed .state { color: var(--open); }
.nothing .state, .refused .state { color: var(--bad); }
code { font-size: .9em; overflow-wrap: anywhere; }
.file { max-width: 24rem; overflow-wrap: break-word; }
.file, .advice { opacity: .8; font-size: .9em; }
@media (max-width: 45rem) { td { display: block; border: 0; padding: .2rem 0; }
  tr { display: block; border-top: 1px solid var(--line); padding: .8rem 0; }
  thead { display: none; } }
"""


def page(rows: Iterable[ScanRow], *, title: str) -> str:
    """The page. Whatever the texts hold, they are shown and never taken for HTML."""
    listed = list(rows)
    counts = Counter(row.shown_state for row in listed)
    summary = ", ".join(f"{count:,} {state}" for state, count in counts.most_common())
    pictures = groupby(listed, key=lambda row: row.file)
    body = [_picture(list(rows_of_it)) for _, rows_of_it in pictures]
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta http-equiv="Content-Security-Policy" ',
            "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n",
            f"<title>Scanned: {_shown(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n",
            f"<h1>Scanned: {_shown(title)}</h1>\n<p>{_shown(summary) or 'Nothing.'}</p>\n",
            "<table>\n<thead><tr><th>Picture</th><th>No.</th><th>Card</th><th>State</th>",
            "<th>Code</th></tr></thead>",
            "\n<tbody>\n",
            *body,
            "</tbody>\n</table>\n</body>\n</html>\n",
        )
    )


def _picture(rows: Sequence[ScanRow]) -> str:
    """The lines of one picture, which stands beside all of them."""
    first = rows[0]
    picture = ""
    if first.thumbnail:
        data = base64.b64encode(first.thumbnail).decode("ascii")
        picture = f'<img src="data:image/jpeg;base64,{data}" alt="">'
    file = f'<div class="file">{_shown(first.file)}</div>'
    cell = f'<td class="picture" rowspan="{len(rows)}">{picture}{file}</td>'
    lines = [
        _line(row, str(number) if len(rows) > 1 else "", "" if number > 1 else cell)
        for number, row in enumerate(rows, start=1)
    ]
    return "".join(lines)


def _line(row: ScanRow, number: str, picture: str) -> str:
    advice = f'<div class="advice">{_shown(row.advice)}</div>' if row.advice else ""
    if row.drawing:
        data = base64.b64encode(row.drawing).decode("ascii")
        advice = (
            f'<img class="bars" src="data:image/png;base64,{data}" alt="above as photographed, '
            f'below as the code is printed" title="above: photographed; below: the code">{advice}'
        )
    code = f"<code>{_shown(row.shown_code)}</code> " if row.shown_code else ""
    return (
        f'<tr class="{row.state}">{picture}<td>{number}</td>'
        f"<td>{_cards(row)}</td>"
        f'<td class="state">{_shown(row.shown_state)}</td>'
        f"<td>{code}{_shown(row.note)}{advice}</td></tr>\n"
    )


def _cards(row: ScanRow) -> str:
    """The cards that a code can mean; a ? where that is not known yet."""
    shown = [
        f'<div><span class="key">{_shown(key)}</span> {_shown(name)}</div>'
        for key, name in row.titles
    ]
    return "".join(shown) or "?" * bool(row.shown_code)


def _shown(text: str) -> str:
    # Controls other than white space are no characters of HTML, and a lone surrogate is no text.
    plain = "".join(char if char >= " " or char in "\t\n" else "\ufffd" for char in text)
    return escape(plain.encode("utf-8", "replace").decode("utf-8"))
