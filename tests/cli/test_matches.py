"""Bars that nothing reads, from the photo to the collection; profiles; who is believed."""

# ruff: noqa: TID253

from __future__ import annotations

import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from digideck.scan.decode.reading import bars_of
from digideck.scan.photos.auto_confirm import sure_reads
from digideck.scan.photos.scan_files import Scanned
from digideck.scan.store.links import Barcode
from digideck.scan.store.read_store import StoredPicture, StoredRead
from tests.cli.pictures import bars, photo
from tests.cli.typed import needs_terminal, terminal
from tests.conftest import Result, Run
from tests.scan.conftest import code_image, noisy, on_canvas


def blurred(path: Path, text: str, sigma: float = 2.8, noise: float = 2) -> Path:
    image = on_canvas(code_image("Code 128", text, scale=2, height=90)).astype(np.float32)
    cv2.imwrite(str(path), noisy(cv2.GaussianBlur(image, (0, 0), sigma), noise))
    return path


def scan(run: Run, *words: str | Path) -> Result:
    return run("scan", "photos", "--workers", "1", *words)


def owned(run: Run, card: str) -> int:
    return int(run("show", card, "--json").json["data"]["cards"][0]["owned"])


def test_a_match_is_proposed_and_entered_by_nobodys_leave(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    photo = blurred(tmp_path / "1.png", "DM-013A")
    page = tmp_path / "page.html"
    shown = scan(run, photo, "--add", "--report", page, "--json")
    (seen,) = shown.json["data"]["seen"]
    assert (seen["state"], seen["status"], seen["engine"]) == ("proposed", "proposed", "match")
    assert seen["cards"] == ["hyper-colosseum/St-1"]
    assert seen["likeness"] > 0.9
    assert seen["margin"] > 0
    assert owned(run, "St-1") == 0
    assert 'src="data:image/png;base64,' in page.read_text("utf-8")
    text = scan(run, photo).stdout
    assert "proposed" in text
    assert "bars alike by 0.9" in text
    assert "digideck scan review" in text


def test_a_match_is_confirmed_or_refused_in_review(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    run("barcode", "link", "Code128:XX-99B2", "St-2")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"), blurred(tmp_path / "2.png", "XX-99B2"))
    listed = run("scan", "review", "-", stdin="")
    assert listed.stdout.count("proposed for") == 2
    other = run("scan", "review", "-", stdin="Code128:DM-013A St-2\n")
    assert other.exit_code == 3
    assert "St-1" in other.stderr
    done = run("scan", "review", "-", stdin="Code128:DM-013A St-1\nCode128:XX-99B2 -\n")
    assert done.exit_code == 0, done.stderr
    assert "1 match confirmed" in done.stdout
    assert "1 match refused" in done.stdout
    assert (owned(run, "St-1"), owned(run, "St-2")) == (1, 0)
    assert run("scan", "review", "-", stdin="").exit_code == 1
    scan(run, tmp_path / "1.png", "--again", "--add")
    assert owned(run, "St-1") == 1


def test_trusted_matches_are_entered_once(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    photo = blurred(tmp_path / "1.png", "DM-013A")
    first = scan(run, photo, "--trust-matches", "--add", "--json").json["data"]
    assert [one["state"] for one in first["seen"]] == ["confirmed"]
    assert first["batch"] == 1
    scan(run, photo, "--trust-matches", "--add")
    assert owned(run, "St-1") == 1


def test_what_is_not_known_is_not_matched(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-014C", "St-1")
    shown = scan(run, blurred(tmp_path / "1.png", "DM-013A"), "--json").json["data"]["seen"]
    assert [one["state"] for one in shown] == ["nothing"]


def test_bars_without_a_decoding_are_enrolled_and_seen_again(run: Run, tmp_path: Path) -> None:
    said = run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Bo-400", "--json")
    assert said.exit_code == 0, said.stderr
    assert said.json["data"]["profiles"] == 1
    run("barcode", "enrol", bars(tmp_path / "2.png", 2), "Bo-401")
    again = scan(run, bars(tmp_path / "3.png", 1, 2.2), bars(tmp_path / "4.png", 9, 2.2), "--json")
    assert [one["cards"] for one in again.json["data"]["seen"]] == [["hyper-colosseum/Bo-400"], []]
    run("barcode", "enrol", bars(tmp_path / "5.png", 1, 1.2), "Bo-400")  # more photos are better
    again = scan(run, tmp_path / "3.png", tmp_path / "4.png", "--again", "--json")
    assert [one["cards"] for one in again.json["data"]["seen"]] == [["hyper-colosseum/Bo-400"], []]
    assert "profile:" in run("barcode", "list").stdout


def on_card(path: Path, sigma: float, *, upside_down: bool = False) -> Path:
    """A card on a dark table whose bars touch its lower right edge."""
    image = np.full((600, 800), 60, np.uint8)
    image[60:540, 230:574] = 225
    widths = np.random.default_rng(3).integers(1, 4, 58)
    row = np.repeat([35 if at % 2 == 0 else 225 for at in range(58)], widths)
    right = 230 + round(0.99 * 344)
    length = round(0.5 * 344)
    image[500:530, right - length : right] = cv2.resize(
        row[None].astype(np.uint8), (length, 30), interpolation=cv2.INTER_AREA
    )
    if upside_down:
        image = image[::-1, ::-1]
    blurred = cv2.GaussianBlur(image.astype(np.float32), (0, 0), sigma)
    cv2.imwrite(str(path), noisy(blurred, 2))
    return path


def test_bars_at_the_edge_of_a_card_are_looked_for_by_its_outline(run: Run, tmp_path: Path) -> None:
    sharp = on_card(tmp_path / "1.png", 0.5)
    assert bars_of(cv2.imread(str(sharp), cv2.IMREAD_GRAYSCALE)) == []
    assert run("barcode", "enrol", sharp, "Bo-400").exit_code == 0
    photos = [
        on_card(tmp_path / "2.png", 1.2),
        on_card(tmp_path / "3.png", 0.8, upside_down=True),
    ]
    seen = scan(run, *photos, "--json").json["data"]["seen"]
    assert [one["status"] for one in seen] == ["proposed", "proposed"]


def test_a_profile_that_is_another_cards_is_refused_with_both_named(
    run: Run, tmp_path: Path
) -> None:
    run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Bo-400")
    refused = run("barcode", "enrol", bars(tmp_path / "2.png", 1, 1.0), "Bo-401")
    assert refused.exit_code == 1
    assert "Bo-400" in refused.stderr
    assert "Bo-401" in refused.stderr
    more = run("barcode", "enrol", tmp_path / "2.png", "Bo-400", "--json")
    assert more.json["data"]["profiles"] == 2


@pytest.mark.parametrize("form", ["yaml", "csv"])
def test_profiles_are_shared_as_lines_of_text(run: Run, tmp_path: Path, form: str) -> None:
    run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Bo-400")
    links = tmp_path / f"links.{form}"
    run("barcode", "export", links)
    text = links.read_text("utf-8")
    known = run("barcode", "import", links, "--json").json["data"]
    assert (known["new"], known["known"]) == ([], 1)
    links.write_text(text.replace("Bo-400", "Bo-401"), "utf-8")
    assert run("barcode", "import", links).exit_code == 1
    payload = run("barcode", "list", "--json").json["data"]["links"][0]["payload"]
    links.write_text(
        text.replace(payload, payload[:-1] + ("0" if payload[-1] != "0" else "1")), "utf-8"
    )
    damaged = run("barcode", "import", links)
    assert damaged.exit_code == 3
    assert "checksum" in damaged.stderr
    for link in run("barcode", "list", "--json").json["data"]["links"]:
        assert run("barcode", "unlink", link["code"]).exit_code == 0
    links.write_text(text, "utf-8")
    assert run("barcode", "import", links).exit_code == 0
    assert "Bo-400" in run("barcode", "list").stdout


def test_another_cards_profile_is_refused_by_import_too(run: Run, tmp_path: Path) -> None:
    run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Bo-400")
    links = tmp_path / "links.yaml"
    run("barcode", "export", links)
    run("barcode", "unlink", run("barcode", "list", "--json").json["data"]["links"][0]["code"])
    run("barcode", "enrol", bars(tmp_path / "2.png", 1, 1.0), "Bo-401")
    refused = run("barcode", "import", links)
    assert refused.exit_code == 1
    assert "Bo-400" in refused.stderr
    assert "Bo-401" in refused.stderr


def test_a_profile_that_is_linked_by_hand_is_compared_too(run: Run, tmp_path: Path) -> None:
    run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Bo-400")
    code = run("barcode", "list", "--json").json["data"]["links"][0]["code"]
    refused = run("barcode", "link", code, "Bo-401", "--json")
    assert refused.exit_code == 1
    assert [one["code"] for one in refused.json["problems"]] == ["profile-too-alike"]
    assert run("barcode", "link", code, "Bo-400").exit_code == 0
    assert len(run("barcode", "list", "--json").json["data"]["links"]) == 1
    assert run("barcode", "link", "profile:rubbish", "Bo-400").exit_code == 3


def test_a_photo_without_sharp_bars_enrols_nothing(run: Run, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "empty.png"), np.full((480, 640), 235, np.uint8))
    assert run("barcode", "enrol", tmp_path / "empty.png", "Bo-400").exit_code == 3
    soft = run("barcode", "enrol", bars(tmp_path / "soft.png", 1, 6.0), "Bo-400")
    assert soft.exit_code == 3
    assert "sharp" in soft.stderr
    assert run("barcode", "enrol", tmp_path / "none.png", "Bo-400").exit_code == 3
    assert run("barcode", "enrol", bars(tmp_path / "1.png", 1), "Nobodymon").exit_code == 3


def test_matches_are_exported_and_come_back(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"))
    kept = tmp_path / "kept.jsonl"
    assert run("db", "export", kept).exit_code == 0
    assert '"likeness"' in kept.read_text("utf-8")
    assert run("db", "import", kept, "--db", tmp_path / "new.db").exit_code == 0
    listed = run("scan", "review", "-", "--db", tmp_path / "new.db", stdin="")
    assert "1 match proposed" in listed.stdout


def test_a_match_whose_link_is_gone_is_not_trusted(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    photo = blurred(tmp_path / "1.png", "DM-013A")
    scan(run, photo)
    run("barcode", "unlink", "Code128:DM-013A")
    shown = scan(run, photo, "--trust-matches", "--add", "--json").json["data"]
    assert [one["status"] for one in shown["seen"]] == ["proposed"]
    assert shown["batch"] is None
    run("barcode", "link", "Code128:DM-013A", "St-1")
    run("barcode", "link", "Code128:DM-013A", "St-2")
    assert scan(run, photo, "--trust-matches", "--add", "--json").json["data"]["batch"] is None


def test_two_photos_confirm_each_other_only_by_their_scores() -> None:
    def seen(sha256: str, read_id: int, similarity: float, margin: float) -> Scanned:
        read = StoredRead(
            read_id, "Code 128", "DM-013A", (), "match", "match", "proposed", None,
            similarity, margin, 0.75,
        )  # fmt: skip
        return Scanned(sha256, sha256, False, StoredPicture(1, sha256, "read", (read,)), None)

    codes = {Barcode("Code 128", "DM-013A"): 1}
    close, far = seen("a", 1, 0.936, 0.11), seen("b", 2, 0.936, 0.11)
    assert sure_reads([close], codes) == []
    assert sure_reads([close, far], codes) == [1, 2]
    assert sure_reads([close, seen("b", 2, 0.931, 0.11)], codes) == []
    assert sure_reads([close, seen("a", 2, 0.936, 0.11)], codes) == []  # the same photo twice
    assert sure_reads([close, far], {}) == []


def test_two_codes_of_one_card_confirm_each_other() -> None:
    def seen(sha256: str, read_id: int, payload: str) -> Scanned:
        read = StoredRead(
            read_id, "profile", payload, (), "match", "match", "proposed", None, 0.936, 0.11, 0.75
        )
        return Scanned(sha256, sha256, False, StoredPicture(1, sha256, "read", (read,)), None)

    pair = [seen("a", 1, "A"), seen("b", 2, "B")]
    first, second = Barcode("profile", "A"), Barcode("profile", "B")
    assert sure_reads(pair, {first: 7, second: 7}) == [1, 2]
    assert sure_reads(pair, {first: 7, second: 8}) == []


def test_a_match_whose_batch_was_undone_is_asked_about_again(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    photo = blurred(tmp_path / "1.png", "DM-013A")
    scan(run, photo, "--trust-matches", "--add")
    run("collection", "undo")
    for more in ([], ["--trust-matches"], ["--trust-matches", "--again"]):
        shown = scan(run, photo, "--add", "--json", *more).json["data"]
        assert [(one["state"], one["batch"]) for one in shown["seen"]] == [("proposed", None)]
        assert owned(run, "St-1") == 0
    assert "1 match proposed" in run("scan", "review", "-", stdin="").stdout
    refused = run("scan", "review", "-", "--json", stdin="DM-013A -\n")
    assert refused.exit_code == 0, refused.output
    assert refused.json["data"]["refused"] == [
        {"code": "Code128:DM-013A", "card": "hyper-colosseum/St-1", "file": str(photo)}
    ]
    scan(run, photo, "--trust-matches", "--add", "--again")
    assert owned(run, "St-1") == 0
    assert run("scan", "review", "-", stdin="DM-013A -\n").exit_code == 0  # once more


def test_a_match_that_was_confirmed_stays_so_and_can_be_refused(run: Run, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    photo = blurred(tmp_path / "1.png", "DM-013A")
    scan(run, photo)
    agreed = run("scan", "review", "-", "--no-add", "--json", stdin="DM-013A St-1\n")
    assert agreed.json["data"]["agreed"] == [
        {"code": "Code128:DM-013A", "card": "hyper-colosseum/St-1", "file": str(photo)}
    ]
    again = scan(run, photo, "--again", "--json").json["data"]["seen"]
    assert [one["status"] for one in again] == ["waiting"]
    assert "1 match confirmed and not entered" in run("scan", "review", "-", stdin="").stdout
    assert "1 match refused" in run("scan", "review", "-", stdin="DM-013A -\n").stdout
    scan(run, photo, "--add")
    assert owned(run, "St-1") == 0


@needs_terminal
def test_at_a_terminal_one_key_confirms_a_match(run: Run, database: Path, tmp_path: Path) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"), blurred(tmp_path / "2.png", "DM-013A", 2.7))
    with terminal(database, "scan", "review") as typed:
        said = typed.until("right? ")
        assert "Code128:DM-013A  bars alike by 0.9" in said
        assert "photo " in said
        assert "code  " in said
        assert "█" in said
        assert "St-1" in said
        for key in ("?", "x", "5"):  # no answers: it is explained and asked again
            typed.type(key)
            assert "n or - is no" in typed.until("right? ")
        typed.type("y")
        assert "yes" in typed.until("right? ")
        typed.type("n")
        said = typed.until("takes it back")
        assert "1 match refused" in said
        assert "1 match confirmed" in said
        assert typed.ended() == 0
    assert owned(run, "St-1") == 1
    assert run("scan", "review", "-", stdin="").exit_code == 1


@needs_terminal
@pytest.mark.parametrize("key", ["q", "\x03", "\x04"])
def test_the_terminal_is_as_it_was_however_a_question_ends(
    run: Run, database: Path, tmp_path: Path, key: str
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"), blurred(tmp_path / "2.png", "DM-013A", 2.7))
    with terminal(database, "scan", "review") as typed:
        before = typed.modes()
        typed.until("right? ")
        typed.type(" ")
        typed.until("right? ")
        typed.type(key)
        typed.until("2 matches still proposed")
        assert typed.ended() == 0
        assert typed.modes() == before


@needs_terminal
def test_what_was_entered_while_a_review_goes_on_is_entered_once(
    run: Run, database: Path, tmp_path: Path
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    run("barcode", "link", "Code128:XX-99B2", "St-2")
    first = blurred(tmp_path / "1.png", "DM-013A")
    second = blurred(tmp_path / "2.png", "XX-99B2")
    scan(run, first, second)
    with terminal(database, "scan", "review") as typed:
        typed.until("right? ")
        typed.type("y")
        typed.until("right? ")
        scan(run, first, "--add")
        run("scan", "review", "-", stdin="XX-99B2 -\n")
        typed.type("y")
        assert "somebody else" in typed.until("1 match confirmed")
        assert typed.ended() == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == (1, 0)


@needs_terminal
@pytest.mark.parametrize(("key", "card"), [("2", "St-2"), ("-", None)])
def test_a_match_of_a_code_on_several_cards_is_answered_by_number(
    run: Run, database: Path, tmp_path: Path, key: str, card: str | None
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"))
    run("barcode", "link", "Code128:DM-013A", "St-2")
    with terminal(database, "scan", "review") as typed:
        typed.until("which? ")
        typed.type("y")  # yes to which?
        typed.until("which? ")
        typed.type(key)
        typed.until("1 match confirmed" if card else "1 match refused")
        assert typed.ended() == 0
    assert owned(run, "St-1") == 0
    assert owned(run, "St-2") == (1 if card else 0)
    assert run("scan", "review", "-", stdin="").exit_code == 1


@needs_terminal
def test_a_match_of_a_code_on_no_card_can_be_refused(
    run: Run, database: Path, tmp_path: Path
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"))
    run("barcode", "unlink", "Code128:DM-013A")
    with terminal(database, "scan", "review") as typed:
        assert "no card any more" in typed.until("right? ")
        typed.type("-")
        typed.until("1 match refused")
        assert typed.ended() == 0
    assert run("scan", "review", "-", stdin="").exit_code == 1


@needs_terminal
@pytest.mark.parametrize(("answer", "held"), [("St-2", (1, 1)), ("-", (1, 0)), ("", (1, 0))])
def test_a_match_stays_what_was_said_of_it_whatever_is_said_of_its_code(
    run: Run, database: Path, tmp_path: Path, answer: str, held: tuple[int, int]
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"), photo(tmp_path / "2.png", "DM-013A"))
    run("barcode", "link", "Code128:DM-013A", "St-2")
    with terminal(database, "scan", "review") as typed:
        typed.until("which? ")
        typed.type("1")
        typed.until("card: ")
        typed.type(f"{answer}\n")
        typed.until("takes it back")
        assert typed.ended() == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == held


def test_which_of_several_cards_a_match_is_of_is_not_kept_without_entering_it(
    run: Run, tmp_path: Path
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"))
    run("barcode", "link", "Code128:DM-013A", "St-2")
    refused = run("scan", "review", "-", "--no-add", stdin="DM-013A St-2\n")
    assert refused.exit_code == 3
    assert "confirmed" not in refused.stdout
    assert "scan photos --add" not in refused.stdout
    assert "is kept only by entering it\n    leave out --no-add" in refused.stderr
    assert "1 match still proposed" in refused.stdout
    assert run("scan", "review", "-", stdin="DM-013A St-2\n").exit_code == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == (0, 1)


def test_what_is_confirmed_and_of_several_cards_by_now_is_not_for_scan_photos_to_enter(
    run: Run, tmp_path: Path
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"))
    agreed = run("scan", "review", "-", "--no-add", stdin="DM-013A St-1\n")
    assert "To enter them: digideck scan photos --add" in agreed.stdout
    run("barcode", "link", "Code128:DM-013A", "St-2")
    listed = run("scan", "review", "-", stdin="").stdout
    assert "1 match confirmed and not entered" in listed
    assert "scan photos --add" not in listed
    assert run("scan", "review", "-", stdin="DM-013A St-2\n").exit_code == 0
    assert (owned(run, "St-1"), owned(run, "St-2")) == (0, 1)


@needs_terminal
def test_a_review_that_is_cut_off_asks_again_which_of_several_cards_it_was(
    run: Run, database: Path, tmp_path: Path
) -> None:
    run("barcode", "link", "Code128:DM-013A", "St-1")
    scan(run, blurred(tmp_path / "1.png", "DM-013A"), photo(tmp_path / "2.png", "DM-013A"))
    run("barcode", "link", "Code128:DM-013A", "St-2")
    with terminal(database, "scan", "review", "--no-add") as typed:
        typed.until("which? ")
        typed.type("1")  # would not be kept
        assert "kept only by entering it" in typed.until("which? ")
        typed.type(" ")
        typed.until("card: ")
        typed.type("St-1\n")
        assert "kept only by entering it" in typed.until("card: ")
    with terminal(database, "scan", "review") as typed:
        typed.until("which? ")
        typed.type("1")
        typed.until("card: ")  # here it is ended
    assert "1 match proposed" in run("scan", "review", "-", stdin="").stdout


def test_pictures_older_than_a_link_are_told_of(run: Run, tmp_path: Path) -> None:
    photo = blurred(tmp_path / "1.png", "DM-013A")
    scan(run, photo)
    assert "--again" not in scan(run, photo).stdout
    time.sleep(1.1)  # dates are kept to the second
    run("barcode", "link", "Code128:DM-013A", "St-1")
    assert "1 picture with nothing read was scanned before some codes" in scan(run, photo).stdout
    again = scan(run, photo, "--again").stdout
    assert "1 code proposed" in again
    assert "--again" not in again
