"""Verdicts on whole decks, one card away from each other.

The decks stand in legal/, illegal/ and undecided/. A line "# breaks:" names the
rules that must be broken and no others, "# hangs on:" what leaves a verdict
open, "# says:" what is said beside that, nothing of a legal deck without it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digideck.core.problems import Fix, FixAction, Severity
from digideck.decks.model import DeckVocabulary, Occasion
from digideck.decks.read_deck import read_deck
from digideck.decks.rules.verdict import Judge, Status, Verdict
from tests.conftest import Run, Write

HERE = Path(__file__).parent.parent
DECKS = [path for kind in Status for path in sorted((HERE / kind).glob("*.txt"))]
PUBLISHED = {
    "ccgreplays-biyomon-deck": Status.LEGAL,
    "ccgreplays-gazimon-deck": Status.LEGAL,
    "french-mega-pack-battle-deck-1": Status.UNDECIDED,
    "french-mega-pack-battle-deck-2": Status.UNDECIDED,
    "pannabakers-swimming-deck": Status.LEGAL,
    "queenroadkillcandy-vaccine-deck": Status.ILLEGAL,
    "starter-set-battle-deck-hand-1": Status.LEGAL,
    "starter-set-battle-deck-hand-2": Status.LEGAL,
    "teamcriticaltrigger-custom-starter-deck": Status.LEGAL,
    "the-digi-dudes-billiams-wind-guardians-deck": Status.LEGAL,
    "the-digi-dudes-devidudes-deck": Status.LEGAL,
    "the-digi-dudes-nightmare-soldier-deck": Status.LEGAL,
}
# Rules that no deck can break with the cards that are known, and why.
NEVER = {("extend-battle", "kinds"): "Digimon and Options are all the kinds that are known"}


def verdict_on(path: Path, judge: Judge, words: DeckVocabulary) -> Verdict:
    judge.occasion = Occasion("2026-11-29")
    return judge.verdict(read_deck(str(path), words))


def expected(path: Path, tag: str) -> set[str]:
    found = re.search(rf"^# {tag}: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return set(found[1].split()) if found else set()


def codes(verdict: Verdict, *severities: Severity) -> set[str]:
    return {problem.public_code for problem in verdict.problems if problem.severity in severities}


@pytest.mark.parametrize("path", DECKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_verdict(path: Path, judge: Judge, words: DeckVocabulary) -> None:
    verdict = verdict_on(path, judge, words)
    assert verdict.status == path.parent.name
    assert codes(verdict, Severity.ERROR) == expected(path, "breaks")
    if verdict.status is Status.UNDECIDED:
        assert codes(verdict, Severity.UNKNOWN) == expected(path, "hangs on")
    says = expected(path, "says")
    if says or verdict.status is Status.LEGAL:
        assert codes(verdict, Severity.WARNING) == says


@pytest.mark.parametrize("path", DECKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_problem_says_which_rule_which_cards_and_what_to_do(
    path: Path, judge: Judge, words: DeckVocabulary
) -> None:
    """F1, F6: nobody has to guess why, or by which rules."""
    verdict = verdict_on(path, judge, words)
    assert verdict.format is not None
    assert verdict.format.revised
    assert verdict.chosen_by == "named in the file"
    rules = {rule.id: rule for rule in verdict.format.rules}
    for problem in verdict.problems:
        assert problem.file == str(path)
        if problem.public_code in rules:
            assert problem.rule == rules[problem.public_code].says
            assert problem.source
            assert problem.source.startswith(rules[problem.public_code].source)
            assert problem.have is not None
        if problem.severity in (Severity.ERROR, Severity.UNKNOWN):
            assert problem.next_step
        for card in problem.cards:
            assert card.card
            assert card.count > 0
            assert card.line


@pytest.mark.parametrize("path", DECKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_to_be_taken_out_is_what_is_too_much(
    path: Path, judge: Judge, words: DeckVocabulary
) -> None:
    for problem in verdict_on(path, judge, words).problems:
        fix = problem.fix
        if fix and fix.action is FixAction.TAKE_OUT and fix.count and isinstance(problem.have, int):
            allowed = re.findall("[0-9]+", str(problem.allowed))
            assert fix.count == problem.have - int(allowed[-1])


def test_every_rule_of_every_format_fires(judge: Judge, words: DeckVocabulary) -> None:
    fired = {
        (verdict.format.code, problem.public_code)
        for path in DECKS
        for verdict in [verdict_on(path, judge, words)]
        if verdict.format
        for problem in verdict.problems
    }
    rules = {(entry.code, rule.id) for entry in judge.formats.all() for rule in entry.rules}
    assert rules - fired == set(NEVER)


def test_every_format_has_a_legal_and_an_illegal_deck_of_its_game(
    judge: Judge, words: DeckVocabulary
) -> None:
    seen = {
        (verdict.format.game, verdict.status)
        for verdict in (verdict_on(path, judge, words) for path in DECKS)
        if verdict.format
    }
    games = {entry.game for entry in judge.formats.all()}
    assert seen >= {(game, status) for game in games for status in (Status.LEGAL, Status.ILLEGAL)}


@pytest.mark.parametrize(("name", "status"), PUBLISHED.items(), ids=PUBLISHED)
def test_published_decks(name: str, status: Status, judge: Judge, words: DeckVocabulary) -> None:
    """The lists that people played with, as they stand on the site their first line names."""
    verdict = verdict_on(HERE / "published" / f"{name}.txt", judge, words)
    assert verdict.status is status
    assert verdict.format is not None
    assert verdict.format.code == "digi-battle"


def test_the_published_decks_are_nine_one_and_two() -> None:
    assert {path.stem for path in (HERE / "published").iterdir()} == set(PUBLISHED)
    by_status = [list(PUBLISHED.values()).count(status) for status in Status]
    assert by_status == [9, 1, 2, 0]


def test_why_three_published_decks_are_not_legal(judge: Judge, words: DeckVocabulary) -> None:
    vaccine = verdict_on(HERE / "published/queenroadkillcandy-vaccine-deck.txt", judge, words)
    (broken,) = [found for found in vaccine.problems if found.severity is Severity.ERROR]
    assert (broken.public_code, broken.have, broken.allowed) == ("deck-size", 29, "exactly 30")
    missing = {
        entry.line.number
        for name in ("1", "2")
        for entry in verdict_on(
            HERE / f"published/french-mega-pack-battle-deck-{name}.txt", judge, words
        ).unknown
    }
    assert missing == {f"MP-{number}" for number in range(111, 119)}


@settings(max_examples=10)
@given(data=st.data())
@pytest.mark.parametrize("path", DECKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_order_of_lines_changes_no_verdict(
    data: st.DataObject, path: Path, judge: Judge, words: DeckVocabulary
) -> None:
    judge.occasion = Occasion("2026-11-29")
    deck = read_deck(str(path), words)
    before = judge.verdict(deck)
    lines = data.draw(st.permutations(deck.lines))
    after = judge.verdict(replace(deck, lines=tuple(lines)))
    assert after.status is before.status
    assert sorted(problem.public_code for problem in after.problems) == sorted(
        problem.public_code for problem in before.problems
    )


@settings(max_examples=10)
@given(data=st.data())
@pytest.mark.parametrize("path", DECKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_splitting_a_line_changes_no_verdict(
    data: st.DataObject, path: Path, judge: Judge, words: DeckVocabulary
) -> None:
    """Three of a card are three whether on one line or on three."""
    judge.occasion = Occasion("2026-11-29")
    deck = read_deck(str(path), words)
    lines = [
        replace(line, count=part)
        for line in deck.lines
        for taken in [data.draw(st.integers(0, line.count - 1))]
        for part in (line.count - taken, taken)
        if part
    ]
    after = judge.verdict(replace(deck, lines=tuple(lines)))
    assert after.status is judge.verdict(deck).status


def gigapower_rows(flags: dict[str, str]) -> str:
    return "number,gigapower\n" + "".join(f"{number},{flag}\n" for number, flag in flags.items())


def test_gigapower_is_undecided_until_somebody_tells(run: Run) -> None:
    deck = HERE / "undecided/dccg-gigapower.txt"
    assert run("deck", "check", deck).exit_code == 4
    told = run("import", "-", stdin=gigapower_rows({"DM-035": "no"}))
    assert told.exit_code == 0
    assert run("deck", "check", deck).exit_code == 0
    rows = gigapower_rows({"DM-035": "yes"})
    assert run("import", "-", stdin=rows).exit_code == 3  # the first import says otherwise
    assert run("import", "-", "--on-conflict", "replace", stdin=rows).exit_code == 0
    result = run("deck", "check", deck)
    assert result.exit_code == 1
    assert "2 copies of DM-035 Agumon, 1 allowed" in result.stdout


def test_a_marked_card_may_hide_behind_its_bare_name(run: Run, write: Write) -> None:
    """One DM-035 that is marked, and one "Agumon" that may be DM-035 or DM-043."""
    lines = (HERE / "legal/dccg-plain.txt").read_text("utf-8").splitlines()
    deck = write("deck.txt", "\n".join([*lines[:-2], lines[-1], "1 Agumon"]))
    assert (
        run("import", "-", stdin=gigapower_rows({"DM-035": "yes", "DM-043": "no"})).exit_code == 0
    )
    assert run("deck", "check", deck).exit_code == 4


def test_an_unknown_card_can_be_filled_in_from_the_report(run: Run, write: Write) -> None:
    """The rows at the end of the report, saved and filled in, decide the verdict."""
    deck = HERE / "undecided/alpha-unknown-card.txt"
    result = run("deck", "check", deck)
    assert result.exit_code == 4
    header, row = [line.strip() for line in result.stdout.splitlines()[-2:]]
    assert header == "game,number,edition,name,kind,level"
    assert row == "alpha,Dα-002,,,,"
    rows = write("cards.csv", f"{header}\nalpha,Dα-002,,Yukimibotamon,Digimon,II\n")
    assert run("import", rows).exit_code == 0
    assert run("deck", "check", deck).exit_code == 0


@pytest.mark.parametrize("spelling", ["dα-2", "Da-002", "DA2", "ｄα－００２"])
def test_the_row_to_fill_in_has_the_number_as_printed(run: Run, spelling: str) -> None:
    result = run("deck", "check", "-", "--json", stdin=f"# format: alpha\n3 {spelling}")
    (row,) = result.json["data"]["rows_to_fill_in"]
    assert row["number"] == "Dα-002"


def test_names_with_commas_and_quotes_come_back_from_the_report(run: Run, write: Write) -> None:
    """B18: quoted on writing, unquoted on reading."""
    name = 'Beatrice, "the" Lady'
    result = run("deck", "check", "-", stdin=f"# format: alpha\n3 {name} Dα-002")
    header, row = [line.strip() for line in result.stdout.splitlines()[-2:]]
    assert run("import", write("cards.csv", f"{header}\n{row}\n")).exit_code == 0
    assert run("show", "Dα-002", "--json").json["data"]["cards"][0]["name"] == name


@pytest.mark.parametrize(
    ("row", "code"),
    [
        pytest.param("Dα-002,War Greymon,Digimon", 1, id="name"),
        pytest.param("Dα-002,War Greymon X-Antibody,Digimon", 1, id="x-antibody"),
        pytest.param("Dα-002,War Greymon X-Antibody,", 1, id="x-antibody-of-unknown-kind"),
        pytest.param("Dα-002,WarGreymon X,Digimon", 1, id="dub-x"),
        pytest.param("Dα-002,ウォーグレイモン,Digimon", 1, id="japanese"),
        pytest.param("Dα-002,ウォーグレイモン（Ｘ抗体）,Digimon", 1, id="japanese-x-antibody"),
        pytest.param("Dα-002,ウォーグレイモン：アレモード,Digimon", 0, id="japanese-mode"),
        pytest.param("Dα-002,Kerpymon X,Digimon", 0, id="dub-x-without-base"),
        pytest.param("Dα-002,X-Antibody,Option", 0, id="the-option"),
    ],
)
def test_a_card_of_the_users_own_counts_with_its_name(
    run: Run, write: Write, row: str, code: int
) -> None:
    """Whatever language its only name is in: two and two of War Greymon are four."""
    lines = (HERE / "illegal/alpha-four-with-x-antibody.txt").read_text("utf-8").splitlines()
    deck = write("deck.txt", "\n".join("2 Dα-002" if "DM-119" in line else line for line in lines))
    assert run("import", "-", stdin=f"number,name,kind\n{row}\n").exit_code == 0
    result = run("deck", "check", deck)
    assert result.exit_code == code, result.stdout


def test_an_own_limit_can_be_told(run: Run) -> None:
    """F3: a card that allows more says so in the data, and any user can add it."""
    deck = HERE / "illegal/alpha-four-of-a-name.txt"
    assert run("deck", "check", deck).exit_code == 1
    rows = "number,copy_limit\nDM-032,unlimited\n"
    assert run("import", "-", "--game", "alpha", stdin=rows).exit_code == 0
    assert run("deck", "check", deck).exit_code == 0


def test_a_level_that_is_open_is_said_for_alpha_too(run: Run, write: Write) -> None:
    deck = HERE / "illegal/alpha-no-level-iii.txt"
    lines = deck.read_text("utf-8").splitlines()
    changed = write("deck.txt", "\n".join([*lines[:-1], "2 Hybrimon Dα-002"]))
    rows = "number,name,kind,level\nDα-002,Hybrimon,Digimon,III/IV\n"
    assert run("import", "-", stdin=rows).exit_code == 0
    result = run("deck", "check", changed)
    assert result.exit_code == 0
    assert "no source tells whether III/IV" in result.stdout


def test_dcg_restrictions_go_by_the_day(run: Run, write: Write) -> None:
    legal = (HERE / "legal/dcg-plain.txt").read_text("utf-8").splitlines()
    deck = write("deck.txt", "\n".join([*legal[:4], "2 BT9-099", "2 BT1-010", *legal[5:]]))
    days = {"2022-11-10": 0, "2022-11-11": 1, "2026-04-03": 1, "2026-04-04": 0}
    found = {day: run("deck", "check", deck, "--as-of", day) for day in days}
    assert {day: json.loads(json.dumps(result.exit_code)) for day, result in found.items()} == days


def _published() -> Iterator[Path]:
    yield from sorted((HERE / "published").iterdir())


def test_all_published_decks_at_once(run: Run) -> None:
    result = run("deck", "check", *_published())
    assert result.exit_code == 1  # the worst of illegal, undecided and legal, in that order
    assert "12 decks: 9 legal, 1 illegal, 2 undecided" in result.stdout


def test_the_smallest_change_is_a_value_and_its_words_are_made_from_it(
    judge: Judge, words: DeckVocabulary
) -> None:
    verdict = verdict_on(HERE / "illegal" / "alpha-four-with-x-antibody.txt", judge, words)
    assert verdict.fixes[0] == Fix(FixAction.TAKE_OUT, 1, "DM-119 War Greymon (X-Antibody)")
    assert all(fix.text.startswith((fix.action, str(fix.count))) for fix in verdict.fixes)
    for problem in verdict.problems:
        assert problem.fix is None or problem.next_step == problem.fix.text


@pytest.mark.parametrize(
    ("fix", "text"),
    [
        (Fix(FixAction.ADD, 1), "add 1 card"),
        (Fix(FixAction.ADD, 2), "add 2 cards"),
        (Fix(FixAction.TAKE_OUT, 3, "Agumon"), "take out 3 Agumon"),
        (
            Fix(FixAction.TAKE_OUT, card="St-1 Agumon or St-2 Gabumon"),
            "take out St-1 Agumon or St-2 Gabumon",
        ),
    ],
)
def test_words_of_a_fix(fix: Fix, text: str) -> None:
    assert fix.text == text
