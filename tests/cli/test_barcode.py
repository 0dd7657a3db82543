"""``digideck barcode`` at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run, Write

EAN = "4006381333931"


def linked(run: Run) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for link in run("barcode", "list", "--json").json["data"]["links"]:
        found.setdefault(link["code"], []).append(link["card"])
    return found


@pytest.mark.parametrize(
    ("code", "written"),
    [
        (EAN, f"EAN-13:{EAN}"),
        ("ean13:4006 3813 3393 1", f"EAN-13:{EAN}"),
        ("012345678905", "EAN-13:0012345678905"),
        ("96385074", "EAN-8:96385074"),
        ("ABC123456", "Code128:ABC123456"),
        ("code128:4006381333932", "Code128:4006381333932"),  # no article number ends so
        ("40063813339321", "Code128:40063813339321"),
        ("code39:ABC-1", "Code39:ABC-1"),
        ("qr:https://example.org/?a=1", "QR:https://example.org/?a=1"),
        ("https://example.org", "Code128:https://example.org"),
        ("upce:01234565", "EAN-13:0012345000065"),
        ("upce:04963406", "EAN-13:0049000006346"),  # its check digit is that of the whole
        ("codabar:A123B", "Codabar:123"),
    ],
)
def test_a_code_is_linked_in_its_one_spelling(run: Run, code: str, written: str) -> None:
    done = run("barcode", "link", code, "St-1")
    assert done.exit_code == 0, done.output
    assert written in done.stdout
    assert linked(run) == {written: ["hyper-colosseum/St-1"]}
    shown = run("show", "St-1")
    assert f"{written}" in shown.stdout
    assert run("show", "St-1", "--json").json["data"]["cards"][0]["barcodes"] == [written]


@pytest.mark.parametrize(
    ("code", "card", "exit_code", "says"),
    [
        ("ean13:4006381333932", "St-1", 3, "its last digit would be 1"),
        ("ean13:123", "St-1", 3, "13 digits"),
        ("qr:", "St-1", 3, "without content"),
        ("4006381333932", "St-1", 3, "its last digit would be 1"),
        ("4006381333932", "St-1", 3, "if it is a Code 128: Code128:4006381333932"),
        ("012345678906", "St-1", 3, "no UPC-A: its last digit would be 5"),
        ("96385075", "St-1", 3, "no EAN-8: its last digit would be 4"),
        ("profile:1234abcd", "St-1", 3, "no profile is called 1234abcd"),
        ("profile:e251", "St-1", 3, "no profile is called e251"),
        ("Code182:DG8", "St-1", 3, "did you mean Code128:DG8?"),
        (EAN, "St-99999", 3, "no card"),
        (EAN, "Agumon", 4, "alpha/DM-183"),
        ("St-1", "4543112084972", 3, "digideck barcode link 4543112084972 St-1"),
        ("St-1", "qr:ABC", 3, "digideck barcode link qr:ABC St-1"),
        ("St-1", "Agumonn", 3, "did you mean Agumon"),  # labels bear the keys of cards
    ],
)
def test_what_cannot_be_linked(run: Run, code: str, card: str, exit_code: int, says: str) -> None:
    done = run("barcode", "link", code, card)
    assert done.exit_code == exit_code
    assert says in done.stderr
    assert run("barcode", "list").exit_code == 1


def test_a_code_that_was_read_comes_first_though_a_card_is_called_so(run: Run) -> None:
    run("barcode", "link", "St-1", "St-1")
    run("barcode", "link", "ABC123456", "St-2")
    assert "no card" in run("barcode", "link", "St-1", "ABC123456").stderr
    assert "the code comes first" in run("barcode", "link", "St-3", "ABC123456").stderr


def test_a_long_code_is_named_as_the_list_shows_it(run: Run) -> None:
    for payload, card in (("y" * 200, "St-1"), ("z" * 99 + "1", "St-2"), ("z" * 99 + "2", "St-2")):
        assert run("barcode", "link", f"qr:{payload}", card).exit_code == 0
    listed = run("barcode", "list", "St-1").stdout
    shown = next(word for word in listed.split() if word.startswith("QR:"))
    assert shown.endswith("...")
    assert run("barcode", "list", shown).stdout == listed
    assert run("barcode", "unlink", shown).exit_code == 0
    assert run("barcode", "unlink", shown).exit_code == 1
    several = run("barcode", "unlink", shown.replace("y", "z"))
    assert several.exit_code == 3
    assert "can be any of 2 codes" in several.stderr


def test_many_to_many(run: Run) -> None:
    run("barcode", "link", EAN, "St-1")
    again = run("barcode", "link", EAN, "St-2")
    assert "on 2 cards now" in again.stderr
    run("barcode", "link", "ABC123456", "St-1")
    assert linked(run) == {
        f"EAN-13:{EAN}": ["hyper-colosseum/St-1", "hyper-colosseum/St-2"],
        "Code128:ABC123456": ["hyper-colosseum/St-1"],
    }
    assert len(run("barcode", "list", "St-1", "--json").json["data"]["links"]) == 2
    assert len(run("barcode", "list", EAN, "--json").json["data"]["links"]) == 2
    assert run("barcode", "unlink", EAN, "St-2").exit_code == 0
    assert run("barcode", "unlink", EAN, "St-2").exit_code == 1
    assert run("barcode", "unlink", "ABC123456").exit_code == 0
    assert linked(run) == {f"EAN-13:{EAN}": ["hyper-colosseum/St-1"]}


@pytest.mark.parametrize("name", ["links.yaml", "links.csv"])
def test_a_shared_file_goes_round(run: Run, tmp_path: Path, name: str, built: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(built.read_bytes())
    for code, card in ((EAN, "St-1"), (EAN, "St-2"), (r"code128:A\x01\\B, ;", "DM02-095@asia")):
        run("barcode", "link", code, card)
    file = tmp_path / name
    assert run("barcode", "export", file).exit_code == 0
    assert run("barcode", "export", file).exit_code == 3  # never over another
    done = run("barcode", "import", file, "--db", other)
    assert done.exit_code == 0, done.output
    assert "3 new links" in done.stdout
    assert "0 new links, 3 known" in run("barcode", "import", file, "--db", other).stdout
    assert run("barcode", "export", "--db", other).stdout == run("barcode", "export").stdout


def test_a_conflict_is_shown_and_nothing_is_overwritten(run: Run, write: Write) -> None:
    run("barcode", "link", EAN, "St-1")
    file = write(
        "theirs.csv",
        f"kind,payload,cards\nEAN-13,{EAN},St-2\nCode 128,NEW,St-3\n"
        "Code 128,TWICE,St-1\nCode 128,TWICE,St-2\nCode 128,BAD,St-99999\nnonsense,1,St-1\n",
    )
    dry = run("barcode", "import", file, "--dry-run")
    assert dry.exit_code == 3
    assert linked(run) == {f"EAN-13:{EAN}": ["hyper-colosseum/St-1"]}
    done = run("barcode", "import", file)
    assert done.exit_code == 3
    for says in ("theirs.csv:2: ", "theirs.csv:5: ", "theirs.csv:6: ", "theirs.csv:7: "):
        assert says in done.stderr
    assert "St-2 Greymon here, but hyper-colosseum/St-1 Agumon in the database" in done.stderr
    assert linked(run) == {
        f"EAN-13:{EAN}": ["hyper-colosseum/St-1"],
        "Code128:NEW": ["hyper-colosseum/St-3"],
    }
    only = write("conflict.yaml", f'links:\n- {{kind: EAN-13, payload: "{EAN}", cards: [St-2]}}\n')
    assert run("barcode", "import", only).exit_code == 1


@pytest.mark.parametrize(
    "text",
    [
        "kind,payload,cards\nEAN-13,1\n",
        "kind,payload,cards,extra\n",
        'kind,payload,cards\n"open\n',
        "links:\n- {kind: QR, payload: a}\n",
        "links:\n- {kind: QR, payload: a, cards: [St-1], more: 1}\n",
        "link: []\n",
        "",
        "\x00",
        "- a",
    ],
)
def test_files_of_another_form_are_refused(run: Run, write: Write, text: str) -> None:
    done = run("barcode", "import", write("links.txt", text))
    assert done.exit_code == 3
    assert "links.txt" in done.stderr
    assert "Traceback" not in done.output


def test_a_csv_file_with_other_columns_is_told_the_columns(run: Run, write: Write) -> None:
    for text in ("code,card\n1,St-1\n", ""):
        done = run("barcode", "import", write("mine.csv", text))
        assert done.exit_code == 3
        assert "mine.csv:1: " in done.stderr
        assert "expected kind, payload, cards" in done.stderr


def test_the_form_is_told_by_the_ending_or_by_the_user(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", EAN, "St-1")
    done = run("barcode", "export", tmp_path / "links.json")
    assert done.exit_code == 3
    assert ".yaml or .csv" in done.stderr
    assert not (tmp_path / "links.json").exists()
    for name, form in (("links.json", "csv"), ("links.txt", "yaml"), ("links.csv", "yaml")):
        assert run("barcode", "export", tmp_path / name, "--to", form).exit_code == 0
        assert "0 new links, 1 known" in run("barcode", "import", tmp_path / name).stdout
    for name in ("links.YML", "links"):
        assert run("barcode", "export", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_text("utf-8") == run("barcode", "export").stdout


def test_links_are_the_users_data(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", EAN, "DM02-095@asia")
    text, other = tmp_path / "all.jsonl", tmp_path / "new.db"
    assert run("db", "export", text).exit_code == 0
    assert run("db", "import", text, "--db", other).exit_code == 0
    assert run("barcode", "list", "--db", other).stdout == run("barcode", "list").stdout
    assert run("db", "verify", "--db", other).exit_code == 0
