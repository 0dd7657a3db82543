"""The tables in which programs keep collections, told apart by their header.

A layout says which of its columns holds what is recorded here. The headers are
those of real exports (see the sources in each entry's comment); columns that
are not named here have no meaning for a collection and are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from digideck.collection.vocabulary import CONDITIONS, LANGUAGES
from digideck.core.names import search_key

# What a row may say. "number" is the card's, with its variant where the layout has none.
FIELDS = (
    "game", "number", "edition", "name", "set", "variant", "count",
    "condition", "language", "finish", "place", "note",
)  # fmt: skip
EXCEL_MARK = "excel"  # the header of the column that says: cells are guarded against Excel

Style = Callable[[str], str]


def _words(code: str) -> str:
    return CONDITIONS[code][0] if code in CONDITIONS else code


def _joined(code: str) -> str:
    return _words(code).replace(" ", "")


def _snake(code: str) -> str:
    return _words(code).lower().replace(" ", "_")


def _as_is(code: str) -> str:
    return code


def _language_name(code: str) -> str:
    return LANGUAGES[code][0] if code in LANGUAGES else code


def _printing(finish: str) -> str:
    return {"": "Normal", "foil": "Foil"}.get(finish, finish)


@dataclass(frozen=True)
class ListLayout:
    """One program's table.

    ``columns`` maps our fields to its titles (several where they vary, the
    first to write), ``signs`` are the titles that tell it from others,
    ``header`` the titles to write in their order (default: those of
    ``columns``). ``exact``: what cannot be resolved is refused, not skipped.
    """

    code: str
    title: str
    columns: Mapping[str, tuple[str, ...]]
    signs: tuple[str, ...]
    header: tuple[str, ...] = ()
    delimiter: str = ","
    first_line: str = ""
    newline: str = "\r\n"
    condition: Style = _words
    language: Style = _language_name
    finish: Style = _as_is
    exact: bool = False
    only_columns: bool = False  # no further columns: told from others by having just these
    game: str | None = None  # the only game it can hold
    constants: Mapping[str, str] = field(default_factory=dict)  # what else to write in a row

    def tells(self, keys: set[str]) -> bool:
        """Whether a header with these keys is of this layout."""
        signs = {search_key(sign) for sign in self.signs}
        return keys == signs if self.only_columns else signs <= keys

    @property
    def titles(self) -> tuple[str, ...]:
        """The header to write."""
        return self.header or tuple(titles[0] for titles in self.columns.values())


def _columns(**titles: str) -> dict[str, tuple[str, ...]]:
    """The titles of each field; a bar stands between several."""
    return {name: tuple(text.split("|")) for name, text in titles.items()}


OWN = ListLayout(
    "csv",
    "digideck's own CSV: every detail, exact",
    {name: (name,) for name in FIELDS},
    signs=("game", "number", "edition", "variant", "count", "place", "note"),
    newline="\n",
    condition=_as_is,
    language=_as_is,
    exact=True,
)

# Headers as found in exports: digimoncard.app (TakaOtaku/Digimon-Card-App issue 444),
# TCGplayer seller files and app (seller notes), Dragon Shield (reader notes), Cardmarket
# (PowerTools and API exports), ManaBox, Deckbox and Moxfield (MtgCsvHelper site log).
LAYOUTS: tuple[ListLayout, ...] = (
    OWN,
    ListLayout(
        "digimoncard-app", "digimoncard.app CSV: number with variant, and count",
        _columns(number="id", count="count"),
        signs=("id", "count"),
        only_columns=True, game="dcg",
    ),
    ListLayout(
        "tcgplayer", "TCGplayer app collection CSV",
        _columns(
            count="Quantity", name="Simple Name", set="Set Code|Set", number="Card Number",
            finish="Printing", condition="Condition", language="Language",
        ),
        signs=("Quantity", "Simple Name", "Card Number", "Printing"),
        header=(
            "Quantity", "Name", "Simple Name", "Set", "Card Number", "Set Code", "Printing",
            "Condition", "Language", "Rarity", "Product ID", "SKU",
        ),
        finish=_printing,
    ),
    ListLayout(
        "tcgplayer-seller", "TCGplayer seller CSV (MyPricing)",
        _columns(
            game="Product Line", set="Set Name", name="Product Name", number="Number",
            condition="Condition", count="Total Quantity",
        ),
        signs=("TCGplayer Id", "Product Line", "Total Quantity"),
    ),
    ListLayout(
        "tcgplayer-pullsheet", "TCGplayer seller CSV (PullSheet)",
        _columns(
            game="Product Line", set="Set", name="Product Name", number="Number",
            condition="Condition", count="Quantity",
        ),
        signs=("Product Line", "SkuId", "Order Quantity"),
    ),
    ListLayout(
        "dragon-shield", "Dragon Shield CSV",
        _columns(
            place="Folder Name", count="Quantity", name="Card Name",
            set="Set Code|Set Name|Expansion Code|Expansion Name",
            number="Card Number|Collector Number", condition="Condition", finish="Printing",
            language="Language",
        ),
        signs=("Folder Name", "Quantity", "Card Name", "Printing"),
        header=(
            "Folder Name", "Quantity", "Trade Quantity", "Card Name", "Set Code", "Set Name",
            "Card Number", "Condition", "Printing", "Language", "Price Bought", "Date Bought",
        ),
        first_line='"sep=,"', condition=_joined, finish=_printing,
    ),
    ListLayout(
        "cardmarket", "Cardmarket through PowerTools (CSV with names)",
        _columns(
            count="quantity", name="name", set="setCode|set", number="cn", condition="condition",
            language="language", finish="isFoil|finishType", note="comment", place="location",
        ),
        signs=("cardmarketId", "quantity", "name", "cn"),
        header=(
            "cardmarketId", "quantity", "name", "set", "setCode", "cn", "condition", "language",
            "isFoil", "isPlayset", "isSigned", "price", "comment", "location",
        ),
        condition=_as_is,
    ),
    ListLayout(
        "cardmarket-api", "Cardmarket stock with names (API, semicolons)",
        _columns(
            name="English Name", set="Exp.|Exp. Name", language="Language", condition="Condition",
            finish="Foil?", note="Comments", count="Amount",
        ),
        signs=("idArticle", "English Name", "Amount"),
        delimiter=";", condition=_as_is,
    ),
    ListLayout(
        "manabox", "ManaBox CSV",
        _columns(
            place="Binder Name", name="Name", set="Set code|Set name", number="Collector number",
            finish="Foil", count="Quantity", condition="Condition", language="Language",
        ),
        signs=("Name", "Set code", "Collector number", "Foil", "Quantity"),
        header=(
            "Binder Name", "Binder Type", "Name", "Set code", "Set name", "Collector number",
            "Foil", "Rarity", "Quantity", "ManaBox ID", "Scryfall ID", "Purchase price", "Misprint",
            "Altered", "Condition", "Language", "Purchase price currency",
        ),
        newline="\n", condition=_snake, language=_as_is, finish=lambda finish: finish or "normal",
    ),
    ListLayout(
        "deckbox", "Deckbox CSV",
        _columns(
            count="Count", name="Name", set="Edition Code|Edition", number="Card Number",
            condition="Condition", language="Language", finish="Foil", note="Printing Note",
        ),
        signs=("Count", "Tradelist Count", "Edition", "Card Number"),
        header=(
            "Count", "Tradelist Count", "Name", "Edition", "Edition Code", "Card Number",
            "Condition", "Language", "Foil", "Signed", "Artist Proof", "Altered Art", "Misprint",
            "Promo", "Textless", "Printing Id", "Printing Note",
        ),
    ),
    ListLayout(
        "moxfield", "Moxfield CSV",
        _columns(
            count="Count", name="Name", set="Edition", condition="Condition", language="Language",
            finish="Foil", number="Collector Number",
        ),
        signs=("Count", "Tradelist Count", "Edition", "Collector Number"),
        header=(
            "Count", "Tradelist Count", "Name", "Edition", "Condition", "Language", "Foil", "Tags",
            "Last Modified", "Collector Number", "Alter", "Proxy", "Purchase Price",
        ),
        constants={"Alter": "False", "Proxy": "False"},
    ),
)  # fmt: skip
# A table of somebody's own: any of the words for its fields, in any order.
ANY = ListLayout(
    "table",
    "a table with a column for the number or name and one for the count",
    {},
    signs=(),
)
BY_CODE = {layout.code: layout for layout in LAYOUTS}
# Cardmarket's newer stock export: product ids, and nothing that names a card.
IDS_ONLY = ("idProduct", "idLanguage", "isFoil")
