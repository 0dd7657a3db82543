"""Input files made up for the tests: none of them holds a card of anybody's."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# Words that stand for the text of a card: they must never reach the database.
CARD_TEXT = "Zwölfbold draws seven cards"


def wiki_template(name: str, **parameters: object) -> str:
    """A card template as pages write it, one parameter a line."""
    lines = "".join(f"|{key.rstrip('_')}={value}\n" for key, value in parameters.items())
    return f"{{{{{name}\n{lines}}}}}"


def alpha_pages() -> list[tuple[str, str]]:
    """Fifty pages of a made-up Alpha wiki: 32 Digimon, 8 Options, 6 Commands, and four others.

    Numbers are ones that nobody has listed; names are invented.
    """
    pages = []
    for place in range(32):
        level = ("Child", "Adult", "Perfect", "Ultimate")[place % 4]
        sources: dict[str, object] = (
            {"e1": f"[[Testmon {place - 1}]]", "e1a": "[[Partnermon]]"} if place % 4 else {}
        )
        if place % 8 == 7:
            sources |= {"e2": f"[[Testmon {place - 2}|Testmon {place - 2}]]", "e3d": "Any Perfect"}
        text = wiki_template(
            "AE",
            n=f"Testmon {place}",
            x="(made up)",
            i=f"{701 + place}",
            series="alpha",
            cs=place % 8,
            sp=1 + place % 3,
            hp=400 + 10 * place,
            bt="ABC"[place % 3],
            a="Pepper Breath",
            apt=300 + place,
            b="Claw",
            bpt=250 + place,
            c="Headbutt",
            cpt=200 + place,
            l=level,
            t="Reptile<br />Dragon" if place == 5 else "Reptile",
            at="Vaccine",
            f="DR",
            g="Group",
            ce=place % 6,
            **sources,
            yom=2006,
            ih="[[Alpha Evolve 2]]",
            i2h="Alpha Promo" if place == 3 else "",
            s1=CARD_TEXT,
            b1=CARD_TEXT,
            note=f"{CARD_TEXT}, '''bold'''",
        )
        before = "Intro text.\n\n" if place % 2 else ""
        pages.append((f"Testmon {place} (Alpha)", f"{before}{text}\n[[Category:Cards]]"))
    for place in range(8):
        text = wiki_template(
            "OAE", n=f"Testing Plug-In {place}", i=f"{801 + place}", cs=2, ih="Alpha Evolve 3",
            s1=CARD_TEXT,
        )  # fmt: skip
        pages.append((f"Testing Plug-In {place}", text))
    for place in range(6):
        text = wiki_template(
            "CAE", n=f"Test Command &amp; {place}", i=f"{901 + place}", ih="Alpha Expansion",
            note=CARD_TEXT,
        )  # fmt: skip
        pages.append((f"Test Command {place}", text))
    pages.append(("Old name", "#REDIRECT [[Testmon 1 (Alpha)]]"))
    pages.append(("Testmon", "A Digimon without a card. {{Infobox|name=Testmon}}"))
    both = wiki_template("AE", n="Asiamon", sn="DM02", i="801", asia="802", l="Adult", hp=500)
    pages.append(("Asiamon", both))
    pages.append(("Talk:Asiamon", "Is {{Template|AE}} right?"))
    return pages


def mediawiki_dump(pages: Iterable[tuple[str, str]]) -> str:
    """A dump as Special:Export writes it."""
    from xml.sax.saxutils import escape

    body = "".join(
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>0</ns>\n    <revision>\n"
        f'      <text xml:space="preserve">{escape(text)}</text>\n    </revision>\n  </page>\n'
        for title, text in pages
    )
    return f'<mediawiki version="0.11" xml:lang="en">\n{body}</mediawiki>\n'


def lackey_table(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str:
    """A CardData file: a header and rows, tabs between, blanks behind many values."""
    lines = ["\t".join(columns)]
    lines += ["\t".join(f"{row.get(column, '')} ".rstrip() for column in columns) for row in rows]
    return "\n".join(lines) + "\n"


def workbook(
    sheets: Mapping[str, Sequence[Sequence[Any]]],
    *,
    hidden: Sequence[str] = (),
    merged: Mapping[str, Sequence[str]] | None = None,
    formats: Mapping[tuple[str, str], str] | None = None,
) -> bytes:
    """An .xlsx file with these sheets of rows."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        for reference in (merged or {}).get(name, ()):
            sheet.merge_cells(reference)
        if name in hidden:
            sheet.sheet_state = "hidden"
    for (name, cell), number_format in (formats or {}).items():
        book[name][cell].number_format = number_format
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def api_card(number: str, **more: object) -> dict[str, object]:
    """A card as the digimoncard.io API gives it."""
    return {
        "name": "Testmon",
        "type": "Digimon",
        "id": number,
        "level": None,
        "play_cost": None,
        "evolution_cost": None,
        "evolution_color": None,
        "evolution_level": None,
        "color": "Red",
        "color2": None,
        "digi_type": "Reptile",
        "digi_type2": None,
        "form": None,
        "dp": None,
        "attribute": "Vaccine",
        "rarity": "c",
        "stage": "Rookie",
        "main_effect": CARD_TEXT,
        "source_effect": CARD_TEXT,
        "alt_effect": CARD_TEXT,
        "series": "Digimon Card Game",
        "set_name": ["BT-01: Booster New Evolution"],
    } | more


def as_json(value: object) -> str:
    """JSON as an API writes it."""
    return json.dumps(value, ensure_ascii=False, indent=2)
