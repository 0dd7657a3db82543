"""Collections into files, in any layout that can be read."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from digideck.catalog.cards import Card, card_order
from digideck.collection.layouts import BY_CODE, EXCEL_MARK, ListLayout
from digideck.collection.ledger import Holding
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.schema.games.game import Game

LINES = "lines"
JSON = "json"
SAVE = "digimoncard-app-json"
# Cardmarket's own stock lists and TCGplayer's seller lists are made from ids of theirs.
_NOT_WRITTEN = ("tcgplayer-seller", "tcgplayer-pullsheet", "cardmarket-api")
COLLECTION_FORMATS: dict[str, str] = {
    **{code: layout.title for code, layout in BY_CODE.items() if code not in _NOT_WRITTEN},
    JSON: "digideck's own JSON: every detail, exact",
    LINES: 'lines "3 BT1-001", as digimoncard.app takes them',
    SAVE: "a digimoncard.app save with the collection alone",
}

# What Excel runs, or turns into a number or a date.
_CHANGED_BY_SPREADSHEETS = re.compile(
    r"""['=+\-@\t\r＝＋－＠]        # formulas, in both widths; and the guard itself
    |   [0-9][0-9.,/:eE%\ -]*$        # numbers: leading zeros, dates, exponents
    |   [0-9]+[a-zA-Z]{3,9}[-\ /.]?   # 2dec
    |   (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-\ /.]?[0-9]+
    |   (?:true|false)$
    """,
    re.IGNORECASE | re.VERBOSE,
)

Held = Mapping[Holding, int]
Cards = Mapping[int, Card]


def write_collection(
    held: Held, cards: Cards, games: Mapping[str, Game], form: str, *, excel: bool = False
) -> str:
    """``held`` as text in one of FORMS. ``cards``: the cards in it by id.

    With ``excel``: cells that a spreadsheet would run or change have a quote
    before them, and a column says so, so that reading it back takes them off.
    """
    holdings = sorted(
        held.items(), key=lambda item: (card_order(cards[item[0].card_id]), item[0][1:])
    )
    if form == JSON:
        return _own_json(holdings, cards)
    if form in (LINES, SAVE):
        return _by_id(holdings, cards, games, form)
    layout = BY_CODE[form]
    if excel and layout.code != "csv":
        raise input_error(
            Code.EXCEL_OWN_ONLY,
            f"{layout.title} is for that program, not for a spreadsheet",
            next_step="leave out --to, or --excel",
        )
    return _table(_rows(holdings, cards, games, layout), layout, excel=excel)


def left_out(held: Held, cards: Cards, form: str) -> int:
    """The copies that a form cannot hold, since it knows the cards of one game only."""
    game = "dcg" if form in (LINES, SAVE) else BY_CODE[form].game if form in BY_CODE else None
    return sum(n for holding, n in held.items() if game and cards[holding.card_id].game != game)


def _number(card: Card, holding: Holding, games: Mapping[str, Game]) -> str:
    """The number with its variant, where the game writes variants so."""
    for number in (f"{card.number}_{holding.variant}", f"{card.number}-{holding.variant}"):
        if holding.variant and games[card.game].numbers.without_variant(number) == card.number:
            return number
    return card.number


def _rows(
    holdings: Iterable[tuple[Holding, int]],
    cards: Cards,
    games: Mapping[str, Game],
    layout: ListLayout,
) -> Counter[tuple[str, ...]]:
    """The rows to write, holdings that the layout cannot tell apart added up."""
    rows: Counter[tuple[str, ...]] = Counter()
    for holding, count in holdings:
        card = cards[holding.card_id]
        if layout.game in (None, card.game):
            values = _values(card, holding, games, layout)
            rows[tuple(values.get(name, "") for name in layout.columns)] += count
    return rows


def _values(
    card: Card, holding: Holding, games: Mapping[str, Game], layout: ListLayout
) -> dict[str, str]:
    number = card.number if "variant" in layout.columns else _number(card, holding, games)
    if card.edition and "edition" not in layout.columns:
        number = f"{number}@{card.edition}"
    return {
        "game": card.game,
        "number": number,
        "edition": card.edition,
        "name": card.name if card.names else "",
        "set": holding.set_code,
        "variant": holding.variant,
        "condition": layout.condition(holding.condition) if holding.condition else "",
        "language": layout.language(holding.language) if holding.language else "",
        "finish": layout.finish(holding.finish),
        "place": holding.place,
        "note": holding.note,
    }


def _table(rows: Counter[tuple[str, ...]], layout: ListLayout, *, excel: bool) -> str:
    fields = list(layout.columns)
    place_of = {titles[0]: fields.index(name) for name, titles in layout.columns.items()}
    out = io.StringIO(newline="")
    if layout.first_line:
        out.write(layout.first_line + layout.newline)
    writer = csv.writer(out, delimiter=layout.delimiter, lineterminator=layout.newline)
    writer.writerow([*layout.titles, *([EXCEL_MARK] if excel else [])])
    count_at = fields.index("count")
    for row, count in rows.items():
        cells = [*row[:count_at], str(count), *row[count_at + 1 :]]
        shown = [guarded(cell) if excel and place != count_at else cell
                 for place, cell in enumerate(cells)]  # fmt: skip
        writer.writerow(
            [
                *(
                    shown[place_of[title]] if title in place_of else layout.constants.get(title, "")
                    for title in layout.titles
                ),
                *([""] if excel else []),
            ]
        )
    return ("\ufeff" if excel else "") + out.getvalue()


def guarded(cell: str) -> str:
    """A cell that a spreadsheet takes for text: a quote before what it would run or change."""
    return f"'{cell}" if _CHANGED_BY_SPREADSHEETS.match(cell) else cell


def _own_json(holdings: Iterable[tuple[Holding, int]], cards: Cards) -> str:
    names = {"set_code": "set"}
    entries = [
        {"card": cards[holding.card_id].key, "name": cards[holding.card_id].name, "count": count}
        | {names.get(k, k): v for k, v in holding._asdict().items() if k != "card_id" and v}
        for holding, count in holdings
    ]
    document = {"digideck": "collection", "version": 1, "holdings": entries}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _by_id(
    holdings: Iterable[tuple[Holding, int]], cards: Cards, games: Mapping[str, Game], form: str
) -> str:
    ids: Counter[str] = Counter()
    for holding, count in holdings:
        if cards[holding.card_id].game == "dcg":
            ids[_number(cards[holding.card_id], holding, games)] += count
    if form == LINES:
        return "".join(f"{count} {number}\n" for number, count in ids.items())
    return json.dumps({"collection": list(_entries(ids)), "decks": []}, indent=1) + "\n"


def _entries(ids: Counter[str]) -> Iterator[dict[str, str | int]]:
    for number, count in ids.items():
        yield {"id": number, "count": count}
