"""Cards as tables and CSV, for every command that lists them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from digideck.catalog.cards import Card
from digideck.cli.render.output import table

_ALWAYS = ("card", "name", "Japanese", "kind", "level")


def card_table(
    cards: Sequence[Card], columns_of: Mapping[str, Sequence[str]], owned: Mapping[int, int]
) -> Iterator[str]:
    """Aligned lines, with the columns that matter for the game when the cards are of one.

    ``columns_of`` are those of each game; ``owned`` are the copies by card id, without any
    of which there is no column for them.
    """
    of_games = {card.game for card in cards}
    columns = columns_of[of_games.pop()] if len(of_games) == 1 else ()
    rows = [_row(card, columns) for card in cards]
    used = [
        place for place, code in enumerate(columns) if any(code in card.fields for card in cards)
    ]
    keep = [*range(len(_ALWAYS)), *(len(_ALWAYS) + place for place in used), -1]
    header = [*_ALWAYS, *(code.replace("_", " ") for code in columns), "sets"]
    right = [
        number
        for number, place in enumerate(keep)
        if place >= len(_ALWAYS) and all(row[place].isdigit() or not row[place] for row in rows)
    ]
    shown = [[row[place] for place in keep] for row in rows]
    titles = [header[place] for place in keep]
    if any(card.id in owned for card in cards):
        right.append(len(titles))
        titles.append("owned")
        for row, card in zip(shown, cards, strict=True):
            row.append(str(owned.get(card.id, "")))
    always = len(_ALWAYS)
    texts = (1, 2, always + len(used))
    yield from table(shown, titles, right, texts=texts, spare=range(always, always + len(used)))


def _row(card: Card, columns: Iterable[str]) -> list[str]:
    japanese = next((name.text for name in card.names if name.language == "ja"), "")
    level = card.level or ("?" if card.kind == "Digimon" else "")
    values = (shown_value(card.fields.get(code)) for code in columns)
    sets = " ".join(entry.set_code for entry in card.printings) or "?"
    return [card.key, card.name, japanese, card.kind or "?", level, *values, sets]


def shown_value(value: Any) -> str:
    """A field's value for people; nothing where it is unknown."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(value) if isinstance(value, list) else str(value)


def cards_as_csv(cards: Sequence[Card], fields_of: Mapping[str, Sequence[str]]) -> str:
    """The cards as CSV in the columns that an import reads; ``fields_of`` each game."""
    codes = list(
        dict.fromkeys(
            code for card in cards for code in fields_of[card.game] if code in card.fields
        )
    )
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ["game", "number", "edition", "name_en", "name_ja", "kind", "level", "set", *codes]
    )
    for card in cards:
        english = next((name.text for name in card.names if name.language == "en"), "")
        japanese = next((name.text for name in card.names if name.language == "ja"), "")
        values = (shown_value(card.fields.get(code)) for code in codes)
        sets = "; ".join(entry.set_code for entry in card.printings)
        known = (english, japanese, card.kind or "", card.level or "", sets)
        writer.writerow([card.game, card.number, card.edition, *known, *values])
    return file.getvalue()
