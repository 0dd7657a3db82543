"""Collections out of files and into them, whichever program they are for."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digideck.catalog.cards import CardIndex
from digideck.collection.layouts import BY_CODE
from digideck.collection.ledger import Holding
from digideck.collection.list_contents import Mode, contents, plan
from digideck.collection.list_reader import read_collection
from digideck.collection.list_writer import COLLECTION_FORMATS, guarded, write_collection
from digideck.collection.vocabulary import CONDITIONS, LANGUAGES, normalize
from digideck.core.problems import InputError, RowError
from tests.conftest import Run, Write

HEADERS = {
    "TCGplayer seller": (
        "TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,"
        "TCG Market Price,TCG Direct Low,TCG Low Price With Shipping,TCG Low Price,Total Quantity,"
        "Add to Quantity,TCG Marketplace Price,Photo URL"
    ),
    "PullSheet": (
        "Product Line,Product Name,Condition,Number,Set,Rarity,Quantity,Main Photo URL,"
        "Set Release Date,SkuId,Order Quantity"
    ),
    "TCGplayer app": (
        "Quantity,Name,Simple Name,Set,Card Number,Set Code,Printing,Condition,Language,Rarity,"
        "Product ID,SKU,Price,Price Each"
    ),
    "Dragon Shield": (
        '"sep=,"\r\nFolder Name,Quantity,Trade Quantity,Card Name,Set Code,Set Name,Card Number,'
        "Condition,Printing,Language,Price Bought,Date Bought,LOW,MID,MARKET"
    ),
    "Cardmarket API": (
        '"idArticle";"idProduct";"English Name";"Local Name";"Exp.";"Exp. Name";"Price";"Language";'
        '"Condition";"Foil?";"Signed?";"Playset?";"Altered?";"Comments";"Amount";"onSale"'
    ),
    "PowerTools": (
        "cardmarketId,quantity,name,set,setCode,cn,condition,language,isFoil,isPlayset,isSigned,"
        "price,comment,location,nameDE,nameES,nameFR,nameIT,rarity,listedAt"
    ),
    "ManaBox": (
        "Binder Name,Binder Type,Name,Set code,Set name,Collector number,Foil,Rarity,Quantity,"
        "ManaBox ID,Scryfall ID,Purchase price,Misprint,Altered,Condition,Language,"
        "Purchase price currency"
    ),
    "Deckbox": (
        "Count,Tradelist Count,Name,Edition,Edition Code,Card Number,Condition,Language,Foil,"
        "Signed,Artist Proof,Altered Art,Misprint,Promo,Textless,Printing Id,Printing Note,Tags,"
        "My Price,Cost,Rarity,Price,TcgPlayer ID,Scryfall ID"
    ),
    "Moxfield": (
        "Count,Tradelist Count,Name,Edition,Condition,Language,Foil,Tags,Last Modified,"
        "Collector Number,Alter,Proxy,Purchase Price"
    ),
}


def imported(run: Run, path: Path, *options: str) -> list[dict[str, object]]:
    """What an import adds, without blanks."""
    done = run("collection", "import", path, "--add", "--json", *options)
    assert done.exit_code == 0, done.stdout
    return [
        {key: value for key, value in change.items() if value is not None and key != "name"}
        for change in done.json["data"]["changes"]
    ]


@pytest.mark.parametrize(
    ("header", "row", "want"),
    [
        (
            "TCGplayer seller",
            "123,Digimon Card Game,ST1,Agumon,,ST1-03,C,Near Mint Foil - Japanese,1,1,1,1,4,0,1,",
            {"condition": "NM", "finish": "foil", "language": "ja", "change": 4, "set": "ST1"},
        ),
        (
            "PullSheet",
            "Digimon Card Game,Agumon,Lightly Played,ST1-03,ST1,C,2,,2021,99,2\n"
            "Orders Contained in Pull Sheet:,,,,,,,,,,",
            {"condition": "LP", "change": 2, "set": "ST1"},
        ),
        (
            "TCGplayer app",
            "3,Agumon (Alternate Art),Agumon,Starter,ST1-03,ST1,Normal,Near Mint,English,C,1,2,1,1",
            {"condition": "NM", "language": "en", "change": 3, "set": "ST1"},
        ),
        (
            "Dragon Shield",
            "box 1,2,0,Agumon,ST1,Starter,ST1-03,LightlyPlayed,Foil,Japanese,1.5,2024-01-02,1,1,1",
            {"place": "box 1", "condition": "LP", "finish": "foil", "language": "ja",
             "change": 2, "set": "ST1"},
        ),
        (
            "Cardmarket API",
            '"1";"2";"Koromon";"x";"ST1";"Starter";"0.02";"7";"2";"";"";"";"";"signed";"5";"1"',
            {"card": "dcg/ST1-01", "condition": "NM", "language": "ja", "note": "signed",
             "change": 5, "set": "ST1"},
        ),
        (
            "PowerTools",
            "1,2,Agumon,Starter,ST1,ST1-03,EX,German,true,,,1,my note,shelf,,,,,,",
            {"condition": "EX", "language": "de", "finish": "foil", "note": "my note",
             "place": "shelf", "change": 2, "set": "ST1"},
        ),
        (
            "ManaBox",
            "binder,binder,Agumon,ST1,Starter,ST1-03,foil,common,2,1,1,0.5,false,false,near_mint,ja,EUR",
            {"place": "binder", "condition": "NM", "finish": "foil", "language": "ja",
             "change": 2, "set": "ST1"},
        ),
        (
            "Deckbox",
            "2,0,Agumon,Starter,ST1,ST1-03,Good (Lightly Played),English,foil,,,,,,,,old,,,,,,,",
            {"condition": "LP", "language": "en", "finish": "foil", "note": "old",
             "change": 2, "set": "ST1"},
        ),
        (
            "Moxfield",
            "2,2,Agumon,st1,Near Mint,English,,,2024-01-01 00:00:00,ST1-03,False,False,",
            {"condition": "NM", "language": "en", "change": 2, "set": "ST1"},
        ),
    ],
    ids=list(HEADERS),
)  # fmt: skip
def test_files_of_other_programs(
    run: Run, write: Write, header: str, row: str, want: dict[str, object]
) -> None:
    path = write("theirs.csv", f"{HEADERS[header]}\r\n{row}\r\n")
    assert imported(run, path, "--game", "dcg") == [{"card": "dcg/ST1-03"} | want]


def test_cardmarkets_export_of_ids_is_refused_with_that_reason(run: Run, write: Write) -> None:
    path = write(
        "stock.csv",
        "idProduct;groupCount;price;idLanguage;condition;isFoil;isSigned;isAltered;isPlayset;"
        "isReverseHolo;isFirstEd;isFullArt;isUberRare;isWithDie\n567;1;0.5;7;2;;;;;;;;;\n",
    )
    refused = run("collection", "import", path, "--add")
    assert refused.exit_code == 3
    assert f"{path}:1: a Cardmarket export that has product ids only" in refused.stderr


@pytest.mark.parametrize(
    "content",
    [
        'id,count\r\n"BT1-001",1\r\n"BT1-003_P1",2',
        'count,id\r\n1,"BT1-001"\r\n2,"BT1-003_P1"',
        "1 BT1-001\n2\tBT1-003_P1\n",
        '{"uid": "x", "displayName": "y", "collection": [{"id": "BT1-001", "count": 1},'
        ' {"id": "BT1-003_P1", "count": 2}], "decks": [], "settings": {}}',
    ],
    ids=["id-count", "count-id", "lines", "save"],
)
def test_digimoncard_app(run: Run, write: Write, content: str) -> None:
    assert imported(run, write("app.csv", content)) == [
        {"card": "dcg/BT1-001", "change": 1},
        {"card": "dcg/BT1-003", "variant": "P1", "change": 2},
    ]


def test_digimoncard_app_rows_of_none(run: Run, write: Write) -> None:
    """Its exports used to have rows of 0: with --set they say that none is left."""
    path = write("app.csv", 'count,id\r\n0,"BT1-001"\r\n4,"BT1-009_P1"')
    run("collection", "add", "BT1-001", "3", "BT1-009", "1", "St-1", "1")
    assert run("collection", "import", path, "--set").exit_code == 0
    left = {
        c["card"]: c["count"] for c in run("collection", "list", "--json").json["data"]["cards"]
    }
    assert left == {"dcg/BT1-009": 4, "hyper-colosseum/St-1": 1}


def test_the_three_modes(run: Run, write: Write) -> None:
    path = write("own.csv", "game,number,count,place\nhyper-colosseum,St-1,2,box\n")
    run("collection", "add", "St-1", "3", "St-2", "1")

    def held() -> dict[tuple[str, str], int]:
        cards = run("collection", "list", "--json").json["data"]["cards"]
        return {(c["card"][-4:], p["place"] or ""): p["count"] for c in cards for p in c["piles"]}

    run("collection", "import", path, "--add")
    assert held() == {("St-1", ""): 3, ("St-1", "box"): 2, ("St-2", ""): 1}
    run("collection", "import", path, "--set")
    assert held() == {("St-1", "box"): 2, ("St-2", ""): 1}
    run("collection", "import", path, "--replace")
    assert held() == {("St-1", "box"): 2}
    run("collection", "undo")
    assert held() == {("St-1", "box"): 2, ("St-2", ""): 1}
    again = run("collection", "import", path, "--set")
    assert "Nothing to write" in again.stdout


@pytest.mark.parametrize("modes", [[], ["--add", "--set"], ["--set", "--partial"]])
def test_the_mode_must_be_said(run: Run, write: Write, modes: list[str]) -> None:
    path = write("own.csv", "number,count\nSt-1,2\n")
    assert run("collection", "import", path, *modes).exit_code == 2


def test_dry_run_shows_the_plan_and_writes_nothing(run: Run, write: Write) -> None:
    path = write("own.csv", "number,count\nSt-1,2\n")
    done = run("collection", "import", path, "--add", "--dry-run")
    assert "+2  hyper-colosseum/St-1  Agumon" in done.stdout
    assert run("collection", "list").exit_code == 1


def test_one_bad_row_keeps_the_file_out_unless_partial(run: Run, write: Write) -> None:
    path = write("own.csv", "number,count\nSt-1,2\nSt-99999,1\nSt-2,x\n")
    refused = run("collection", "import", path, "--add")
    assert refused.exit_code == 3
    assert f"{path}:3: no card has the number or name" in refused.stderr
    assert f"{path}:4: count 'x' is not a number of copies" in refused.stderr
    assert run("collection", "list").exit_code == 1
    assert run("collection", "import", path, "--add", "--partial").exit_code == 3
    assert run("collection", "list", "--json").json["data"]["copies"] == 2


# --- cases that broke other tools, by the ids of the list they come from --------------


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
def test_d1_semicolon(run: Run, write: Write, mark: str) -> None:
    path = write("t.csv", f"Number{mark}Count\nSt-1{mark}4\n")
    assert imported(run, path) == [{"card": "hyper-colosseum/St-1", "change": 4}]


def test_d1_the_delimiter_is_told_and_can_be_named(run: Run, write: Write) -> None:
    path = write("t.csv", "Number~Count\nSt-1~4\n")
    assert run("collection", "import", path, "--add").exit_code == 3
    done = run("collection", "import", path, "--add", "--delimiter", "~")
    assert done.exit_code == 0
    named = write("s.csv", "Number;Count\nSt-1;4\n")
    assert "separated by semicolon" in run("collection", "import", named, "--add").stdout


def test_d3_mixed_delimiters(run: Run, write: Write) -> None:
    path = write("t.csv", "number;count;note\nSt-1;2;1,1\nSt-2;1;a,b,c,d,e\n")
    assert [row["note"] for row in imported(run, path)] == ["1,1", "a,b,c,d,e"]


@pytest.mark.parametrize(
    "header",
    ["Card Number,Quantity", "card_number,QTY", "CardNumber,copies", "No.,amount", "番号,枚数"],
)
def test_d4_header_names(run: Run, write: Write, header: str) -> None:
    assert imported(run, write("t.csv", f"{header}\nSt-1,2\n"))[0]["change"] == 2


def test_d4_unknown_headers_are_listed_once_with_the_accepted_ones(run: Run, write: Write) -> None:
    refused = run("collection", "import", write("t.csv", "Foo,Bar\n1,2\n"), "--add")
    assert refused.exit_code == 3
    assert refused.stderr.count("one of: number, card number") == 1
    path = write("u.csv", "number,count,Price,Colour\nSt-1,1,2,red\n")
    told = run("collection", "import", path, "--add")
    assert "columns without a meaning here: Price, Colour" in told.stderr


@pytest.mark.parametrize("content", ["", "number,count\n", "a,b\n1,2\n"])
def test_d6_nothing_read_is_no_success(run: Run, write: Write, content: str) -> None:
    assert run("collection", "import", write("t.csv", content), "--add").exit_code == 3


def test_d7_leading_zeros(run: Run, write: Write) -> None:
    path = write("t.csv", "game,number,count,place\ndccg,DM-001,1,007\n")
    assert imported(run, path) == [{"card": "dccg/DM-001", "place": "007", "change": 1}]
    run("collection", "import", path, "--add")
    assert "007" in run("collection", "export").stdout


@pytest.mark.parametrize("value", ["=1+1", "+2 Mace", "-x", "@x", "'quoted", "007", "1-2", "1E5",
                                   "2dec", "MAR-1", "TRUE", "'", "''='"])  # fmt: skip
def test_d9_d10_d11_spreadsheets(run: Run, tmp_path: Path, value: str) -> None:
    """Guarded for a spreadsheet, raw otherwise, and the same again when read."""
    run("collection", "add", "St-1", "2", "--note", value, "--place", value)
    raw = run("collection", "export").stdout
    assert next(csv.DictReader(io.StringIO(raw)))["note"] == value
    path = tmp_path / "sheet.csv"
    assert run("collection", "export", path, "--excel").exit_code == 0
    content = path.read_text("utf-8")
    row = next(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"))))
    assert row["note"] == f"'{value}"
    same = run("collection", "import", path, "--replace")
    assert "Nothing to write" in same.stdout


def test_d11_a_quote_of_the_users_own_stays(run: Run, write: Write) -> None:
    path = write("t.csv", "number,count,note\nSt-1,1,'=x\n")
    assert imported(run, path)[0]["note"] == "'=x"


def test_d12_sylk(run: Run) -> None:
    run("collection", "add", "BT1-001", "1")
    for form in COLLECTION_FORMATS:
        written = run("collection", "export", "--to", form).stdout
        assert not written.startswith("ID"), form


def test_d14_same_row_twice(run: Run, write: Write) -> None:
    path = write("t.csv", "number,count\nSt-1,2\nSt-1,3\n")
    done = run("collection", "import", path, "--replace")
    assert done.exit_code == 0
    assert "1 rows repeat an earlier one" in done.stderr
    assert run("collection", "list", "--json").json["data"]["copies"] == 5


def test_d15_count_column_wrong(run: Run, write: Write) -> None:
    refused = run("collection", "import", write("a.csv", "number,sku\nSt-1,1162167\n"), "--add")
    assert "no column for the number of copies" in refused.stderr
    refused = run("collection", "import", write("b.csv", "number,count\nSt-1,1162167\n"), "--add")
    assert refused.exit_code == 3
    assert "more than 9,999" in refused.stderr


@pytest.mark.parametrize("code", CONDITIONS)
def test_d17_condition_words(code: str) -> None:
    for word in (code, *CONDITIONS[code]):
        for spelling in (word, word.lower(), word.replace(" ", ""), word.replace(" ", "_")):
            assert normalize("condition", spelling) == code


def test_d17_one_grouped_problem(run: Run, write: Write) -> None:
    rows = "".join(f"St-{n},1,shiny\n" for n in range(1, 41))
    refused = run(
        "collection", "import", write("t.csv", "number,count,condition\n" + rows), "--add"
    )
    assert refused.exit_code == 3
    assert "and 35 more like it" in refused.stderr
    assert refused.stderr.count("condition 'shiny' is unknown") == 5


def test_d18_error_needs_row(run: Run, write: Write) -> None:
    path = write("t.csv", 'number,count,language\nSt-1,1,en\n\nSt-2,1,"kling\non"\n')
    refused = run("collection", "import", path, "--add")
    assert f"{path}:4: language 'kling" in refused.stderr


def test_e1_e2_bom(run: Run, write: Write) -> None:
    path = write("t.csv", b"\xef\xbb\xbfnumber,count\nSt-1,2\n")
    assert imported(run, path)[0]["change"] == 2
    utf16 = write("u.csv", "number,count\nSt-1,2\n\n".encode("utf-16"))
    assert imported(run, utf16)[0]["change"] == 2
    lines = run("collection", "add", "-", stdin=b"\xef\xbb\xbf3 St-2\n")
    assert lines.exit_code == 0


def test_e5_shift_jis(run: Run, write: Write) -> None:
    path = write("t.csv", "番号,枚数,場所\nSt-1,2,箱\n".encode("cp932"))
    refused = run("collection", "import", path, "--add")
    assert refused.exit_code == 3
    assert "--encoding cp932" in refused.stderr
    assert imported(run, path, "--encoding", "cp932")[0]["place"] == "箱"


def test_e6_cp1252(run: Run, write: Write) -> None:
    path = write("t.csv", b"number,count,note\nSt-1,2,it\x92s\n")
    refused = run("collection", "import", path, "--add")
    assert refused.exit_code == 3
    assert f"{path}:2: byte 0x92 at offset" in refused.stderr
    assert imported(run, path, "--encoding", "cp1252")[0]["note"] == "it’s"


def test_e7_bom_on_export(run: Run, tmp_path: Path) -> None:
    run("collection", "add", "St-1", "1")
    run("collection", "export", tmp_path / "a.csv")
    run("collection", "export", tmp_path / "b.csv", "--excel")
    assert not (tmp_path / "a.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert (tmp_path / "b.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_c8_number_and_name_that_clash_are_refused(run: Run, write: Write) -> None:
    path = write("t.csv", "number,name,count\nSt-1,Gabumon,1\n")
    refused = run("collection", "import", path, "--add")
    assert refused.exit_code == 3
    assert "St-1 is Agumon, but the row says Gabumon" in refused.stderr


def test_a_name_alone_is_enough_where_it_is_one_card(run: Run, write: Write) -> None:
    path = write("t.csv", "game,name,count\ndccg,Tai,2\nalpha,Growmon (Orange),1\n")
    done = run("collection", "import", path, "--add", "--json")
    assert done.json["data"]["changes"][0]["card"] == "dccg/DD-001"


def test_a_name_may_stand_where_numbers_are(run: Run, write: Write) -> None:
    path = write("t.csv", "game,number,count\ndccg,Tai,2\n,St-1,1\n")
    done = run("collection", "import", path, "--add", "--json").json
    assert [(c["card"], c["change"]) for c in done["data"]["changes"]] == [
        ("dccg/DD-001", 2),
        ("hyper-colosseum/St-1", 1),
    ]


def test_a_near_spelling_beside_a_number_is_said(run: Run, write: Write) -> None:
    done = run(
        "collection", "import", write("t.csv", "number,name,count\nSt-1,Agumonn,1\n"), "--add"
    )
    assert done.exit_code == 0
    assert "t.csv:2: warning: St-1 is Agumon; 'Agumonn' is a near spelling" in done.stderr


def test_two_columns_of_one_meaning_are_refused(run: Run, write: Write) -> None:
    path = write("t.csv", "number,card no,count\nSt-1,St-2,1\n")
    refused = run("collection", "import", path, "--add")
    assert refused.exit_code == 3
    assert "the columns 'number' and 'card no' both mean" in refused.stderr


# --- there and back ----------------------------------------------------------------

TEXT = st.text(
    st.characters(exclude_categories=["Cc", "Cs"]), max_size=12
).map(lambda text: normalize("note", text))  # fmt: skip
FINISH = st.sampled_from(["", "foil", "Reverse Holofoil", "etched"])


@pytest.fixture(scope="module")
def cards(index: CardIndex) -> list[int]:
    """Cards of every game, editions and Greek letters among them."""
    rows = index.connection.execute(
        """SELECT id FROM card WHERE (edition <> '' OR game = 'alpha' OR id % 97 = 0)
           ORDER BY id % 89, id LIMIT 60"""
    )
    return [row[0] for row in rows]


def piles_of(
    index: CardIndex, ids: list[int], *, exact: bool
) -> st.SearchStrategy[dict[Holding, int]]:
    sets: dict[int, list[str]] = {}
    for card in index.by_ids(ids):
        sets[card.id] = ["", *(p.set_code for p in card.printings)]
    text = TEXT if exact else st.sampled_from(["", "box 1", "a, b", 'say "x"'])

    def holding(card: int) -> st.SearchStrategy[Holding]:
        variants = TEXT if exact else st.just("")
        return st.builds(
            Holding,
            st.just(card),
            st.sampled_from(sets[card]),
            variants,
            st.sampled_from(["", *CONDITIONS]),
            st.sampled_from(["", *LANGUAGES]),
            TEXT.map(lambda finish: normalize("finish", finish)) if exact else FINISH,
            text,
            text,
        )

    return st.dictionaries(
        st.sampled_from(ids).flatmap(holding), st.integers(1, 9_999), max_size=8
    )  # fmt: skip


def read_back(index: CardIndex, text: str, game: str | None = None) -> dict[Holding, int]:
    listing = read_collection(text.removeprefix("\ufeff"), "t", "utf-8")
    found = contents(listing, index, game)
    assert not found.refused, found.problems
    return plan(found, Mode.ADD, {})


@pytest.mark.parametrize("form", ["csv", "json", "excel"])
def test_our_own_forms_lose_nothing(index: CardIndex, cards: list[int], form: str) -> None:
    by_id = {card.id: card for card in index.by_ids(cards)}

    @given(piles_of(index, cards, exact=True))
    def there_and_back(held: dict[Holding, int]) -> None:
        excel = form == "excel"
        text = write_collection(held, by_id, index.games, "csv" if excel else form, excel=excel)
        assert read_back(index, text) == held

    there_and_back()


SHARED = {
    code: {name for name in layout.columns if name not in ("number", "name", "count", "game")}
    for code, layout in BY_CODE.items()
    if code in COLLECTION_FORMATS and code not in ("csv", "digimoncard-app")
}


@pytest.mark.parametrize("form", SHARED)
def test_other_programs_forms_keep_the_fields_they_share(
    index: CardIndex, cards: list[int], form: str
) -> None:
    ids = [card.id for card in index.by_ids(cards) if card.game == "alpha"]
    by_id = {card.id: card for card in index.by_ids(ids)}

    @given(piles_of(index, ids, exact=False))
    def there_and_back(held: dict[Holding, int]) -> None:
        want: dict[Holding, int] = {}
        for holding, count in held.items():
            kept = Holding(
                holding.card_id,
                **{
                    field: getattr(holding, field)
                    for field in Holding._fields[1:]
                    if field.removesuffix("_code") in SHARED[form]
                },
            )
            want[kept] = want.get(kept, 0) + count
        if any(count > 9_999 for count in want.values()):
            return
        text = write_collection(held, by_id, index.games, form)
        assert read_back(index, text, "alpha") == want

    there_and_back()


@given(st.text(max_size=8))
def test_a_guard_is_one_quote_or_none(text: str) -> None:
    assert guarded(text) in (text, f"'{text}")
    assert not guarded(text)[:1] or guarded(text)[0] not in "=+-@\t\r"


def test_numbers_survive_the_forms_of_digimoncard_app(run: Run, tmp_path: Path) -> None:
    run("collection", "add", "BT1-003_P1", "2", "BT1-003", "1", "P-029", "4", "St-1", "9")
    for form in ("digimoncard-app", "lines", "digimoncard-app-json"):
        told = run("collection", "export", tmp_path / form, "--to", form)
        assert "9 copies of other games are not in it" in told.stderr
        changes = imported(run, tmp_path / form, "--dry-run")
        assert {(c["card"], c.get("variant"), c["change"]) for c in changes} == {
            ("dcg/BT1-003", "P1", 2),
            ("dcg/BT1-003", None, 1),
            ("dcg/P-029", None, 4),
        }


def test_an_export_does_not_overwrite(run: Run, write: Write) -> None:
    path = write("mine.csv", "precious")
    assert run("collection", "export", path).exit_code == 3
    assert path.read_text() == "precious"
    assert run("collection", "export", path, "--force").exit_code == 0
    assert run("collection", "export", "--to", "nothing").exit_code == 3


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(index: CardIndex, text: str) -> None:
    with suppress(InputError):  # refused with a reason, as a user is told
        contents(read_collection(text, "t", "utf-8"), index)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["collection", "digideck", "holdings", "id", "count",
                                       "card", "number"]), inner, max_size=4),
    max_leaves=8,
))  # fmt: skip
def test_any_json_is_read_or_refused(index: CardIndex, value: object) -> None:
    with suppress(InputError):
        listing = read_collection(json.dumps({"collection": [value], "x": value}), "t", "utf-8")
        contents(listing, index)


@pytest.mark.parametrize("field", ["condition", "language"])
def test_a_bad_word_names_the_accepted_ones(field: str) -> None:
    with pytest.raises(RowError) as refused:
        normalize(field, "nonsense")
    assert refused.value.allowed


def test_an_ending_that_promises_another_kind_is_refused(run: Run, tmp_path: Path) -> None:
    run("collection", "add", "St-1")
    for name in ("a.xlsx", "a.txt", "a.tsv"):
        refused = run("collection", "export", tmp_path / name)
        assert refused.exit_code == 3
        assert "--to" in refused.stderr
        assert not (tmp_path / name).exists()
        assert run("collection", "export", tmp_path / name, "--to", "csv").exit_code == 0
    for name in ("b.csv", "B.CSV", "b.json", "plain"):
        assert run("collection", "export", tmp_path / name).exit_code == 0


def test_what_is_said_of_a_file_is_in_words(run: Run, write: Write) -> None:
    path = write("mine.csv", "game,number,count\nhyper-colosseum,St-1,2\n".encode("utf-8-sig"))
    said = run("collection", "import", path, "--replace").stdout
    assert "utf-8-sig" not in said
    assert "UTF-8" in said
    assert "In all: 2 copies added, 0 removed" in said


def test_another_programs_list_is_not_for_a_spreadsheet(run: Run) -> None:
    run("collection", "add", "dcg/BT1-003", "2")
    refused = run("collection", "export", "-", "--to", "moxfield", "--excel")
    assert refused.exit_code == 3
    assert "is for that program, not for a spreadsheet" in refused.stderr


@pytest.mark.parametrize("count", ["true", "1.5", "[1]", "null"])
def test_a_count_in_json_is_a_number(run: Run, write: Write, count: str) -> None:
    text = (
        '{"digideck": "collection", "version": 1, "holdings": '
        f'[{{"card": "hyper-colosseum/St-1", "count": {count}}}]}}'
    )
    refused = run("collection", "import", write("mine.json", text), "--add")
    assert refused.exit_code == 3, refused.stdout
    assert "Nothing was written" in refused.stdout
