"""Formats of the user's own: what they can say, and what they are told when it is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from digideck.core.strict_yaml import Mapping, load
from digideck.decks.rules.checks import CHECKS
from digideck.schema.data_folder import DATA
from digideck.schema.shipped_files import games
from tests.conftest import Run, Write

ROOT = Path(__file__).parents[3]
LEGAL = "\n".join(
    [
        "3 Agumon St-1",
        "3 Greymon St-2",
        "3 Piyomon St-3",
        "3 Birdramon St-4",
        "3 Gabumon St-5",
        "3 Garurumon St-6",
        "3 Tentomon St-7",
        "3 Kabuterimon St-8",
        "3 Palmon St-9",
        "3 Togemon St-10",
    ]
)
Verdict = Callable[[str], tuple[str, set[str]]]


@pytest.fixture
def verdict(run: Run, write: Write) -> Verdict:
    """The verdict on a legal deck in a format, and the rules that complain."""
    deck = write("deck.txt", LEGAL)

    def judged(text: str) -> tuple[str, set[str]]:
        own = write("own.yaml", text)
        result = run("deck", "check", deck, "--format", own, "--json")
        (found,) = result.json["data"]["decks"]
        assert found["format"] == "own"
        return found["verdict"], {p["code"] for p in found["problems"] if p["severity"] != "note"}

    return judged


RULES = {
    "a changed number": ("  - {id: copies, most: 2}", "copies"),
    "a bigger deck": ("  - {id: deck-size, least: 31, most: ~}", "deck-size"),
    "a card banned": (
        "  - {id: bans, says: no, check: limits, cards: [{card: St-1, most: 0}]}",
        "bans",
    ),
    "a name banned": (
        "  - {id: bans, says: no, check: limits, cards: [{name: agumon, most: 0}]}",
        "bans",
    ),
    "a pair banned": (
        "  - {id: pair, says: no, check: together, pairs: [{card: St-1, not_with: [St-2]}]}",
        "pair",
    ),
    "a pool of sets": ("  - {id: pool, says: only, check: pool, sets: [Bo1]}", "pool"),
    "a pool of prefixes": ("  - {id: pool, says: only, check: pool, prefixes: [Bo-]}", "pool"),
    "a pool of numbers": ("  - {id: pool, says: only, check: pool, numbers: [St-##]}", "pool"),
    "a pool until a date": (
        '  - {id: pool, says: only, check: pool, released_until: "1999-05"}',
        "pool",
    ),
    "a pool of frames": (
        "  - {id: pool, says: only, check: pool, fields: {frame: [Gold]}}",
        "pool",
    ),
    "a pool of kinds": ("  - {id: pool, says: only, check: pool, kinds: [Option]}", "pool"),
    "at most so many of a level": (
        "  - {id: low, says: few, check: number_of, kind: Digimon, levels: [III], most: 14}",
        "low",
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_a_format_can_change_another(name: str, verdict: Verdict) -> None:
    rule, breaks = RULES[name]
    assert verdict(f"extends: hyper-colosseum\nrules:\n{rule}\n") == ("illegal", {breaks})


@pytest.mark.parametrize(
    ("fields", "outside"),
    [
        ("colour: [Red]", {"BT8-032"}),
        ("color: [red]", {"BT8-032"}),
        ("色: [Green]", {"BT1-010"}),
        ("Colour: [Blue|Green]", {"BT1-010"}),
        ("Color: [Red, blue]", set()),
        ("cost: [3]", {"BT8-032"}),
        ("Play cost: ['12']", {"BT1-010"}),
        ("ace: [no]", set()),
        ("ACE: [YES]", {"BT1-010", "BT8-032"}),
        ("type: [Ancient dragonkin]", {"BT1-010"}),
    ],
)
def test_a_pool_takes_the_fields_and_values_of_find(
    fields: str, outside: set[str], run: Run, write: Write
) -> None:
    deck = write("deck.txt", "4 BT1-010\n4 BT8-032\n")
    own = write(
        "own.yaml",
        f"game: dcg\nrules:\n  - {{id: pool, says: x, check: pool, fields: {{{fields}}}}}\n",
    )
    result = run("deck", "check", deck, "--format", own, "--json")
    problems = result.json["data"]["decks"][0]["problems"]
    cards = {card["card"].split()[0] for problem in problems for card in problem["cards"]}
    assert cards == outside


def test_a_format_that_changes_nothing_judges_alike(verdict: Verdict) -> None:
    assert verdict("extends: hyper-colosseum\n") == ("legal", set())


def test_rules_can_be_left_out(verdict: Verdict) -> None:
    text = "extends: hyper-colosseum\nrules:\n  - {id: copies, most: 1}\n"
    assert verdict(text) == ("illegal", {"copies"})
    assert verdict("extends: hyper-colosseum\nwithout: [copies]\n") == ("legal", set())


def test_a_date_in_the_pool_is_partial_on_both_sides(verdict: Verdict) -> None:
    """St1 came out in 1999-06: whether by the 15th is not known, by July it is."""
    pool = "extends: hyper-colosseum\nrules:\n  - {{id: pool, says: x, check: pool, {}}}\n"
    assert verdict(pool.format('released_until: "1999-07"')) == ("legal", set())
    assert verdict(pool.format('released_until: "1999"')) == ("legal", set())
    assert verdict(pool.format('released_until: "1999-06-15"')) == ("undecided", {"pool"})
    assert verdict(pool.format('released_from: "1999-07"')) == ("illegal", {"pool"})


def test_a_format_of_its_own_needs_no_other(verdict: Verdict) -> None:
    text = """
game: hyper-colosseum
title: Short game
rules:
  - {id: size, says: ten at most, check: size, most: 10}
"""
    assert verdict(text) == ("illegal", {"size"})


def test_an_own_rule_names_its_file_as_the_source(run: Run, write: Write) -> None:
    deck = write("deck.txt", LEGAL)
    own = write("own.yaml", "extends: hyper-colosseum\nrules:\n  - {id: copies, most: 2}\n")
    (found,) = run("deck", "check", deck, "--format", own, "--json").json["data"]["decks"]
    assert {p["source"] for p in found["problems"]} == {"the file of the format itself (own)"}


def test_formats_in_the_configuration_folder_go_by_their_name(
    run: Run, write: Write, tmp_path: Path
) -> None:
    (tmp_path / "config" / "formats").mkdir(parents=True)
    own = tmp_path / "config" / "formats" / "club.yaml"
    own.write_text("extends: hyper-colosseum\ntitle: Club\nrules:\n  - {id: copies, most: 2}\n")
    deck = write("deck.txt", f"# format: club\n{LEGAL}")
    env = {"DIGIDECK_CONFIG": str(tmp_path / "config")}
    assert run("deck", "check", deck, env=env).exit_code == 1
    assert "club" in run("formats", env=env).stdout
    assert "Club" in run("formats", "club", env=env).stdout
    assert run("deck", "check", deck).exit_code == 3


OWN = "extends: hyper-colosseum\ntitle: Club\nrules:\n  - {id: copies, most: 2}\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "config" / "formats"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("name", ["Club.yaml", "club.yml", "CLUB.YML", "Club.Yaml"])
def test_the_case_and_the_ending_of_its_file_do_not_matter(
    name: str, run: Run, write: Write, config: Path
) -> None:
    (config / name).write_text(OWN)
    deck = write("deck.txt", LEGAL)
    env = {"DIGIDECK_CONFIG": str(config.parent)}
    for asked in ("club", "Club"):
        result = run("deck", "check", deck, "--format", asked, "--json", env=env)
        assert result.exit_code == 1
        assert result.json["data"]["decks"][0]["format"] == "club"
    listed = run("formats", "--json", env=env)
    assert "club" in [entry["code"] for entry in listed.json["data"]["formats"]]


def test_what_cannot_be_read_hides_no_other(run: Run, write: Write, config: Path) -> None:
    (config / "club.yaml").write_text(OWN)
    (config / "folder.yaml").mkdir()
    (config / "broken.yml").write_text("extends: [")
    (config / "gone.yaml").symlink_to(config / "nowhere")
    (config / ".#club.yaml").write_text("an editor's own")
    (config / "notes.txt").write_text("not a format")
    if hasattr(os, "mkfifo"):
        os.mkfifo(config / "pipe.yaml")
    env = {"DIGIDECK_CONFIG": str(config.parent)}
    assert run("formats", "club", env=env).exit_code == 0
    assert run("deck", "check", write("a.txt", LEGAL), "-f", "club", env=env).exit_code == 1
    assert run("deck", "check", write("a.txt", LEGAL), env=env).exit_code == 0
    listed = run("formats", "--json", env=env)
    assert listed.exit_code == 3
    assert {"club", "alpha"} <= {entry["code"] for entry in listed.json["data"]["formats"]}
    wrong = {Path(problem["file"]).name for problem in listed.json["problems"]}
    assert wrong == {"folder.yaml", "broken.yml", "gone.yaml"} | (
        {"pipe.yaml"} if hasattr(os, "mkfifo") else set()
    )


@pytest.mark.parametrize(
    ("names", "code", "says"),
    [
        (["Alpha.yml"], "alpha", "'alpha' is a shipped format already"),
        (["club.yaml", "club.yml"], "club", "'club' is the file"),
    ],
)
def test_a_name_that_is_taken_is_refused(
    names: list[str], code: str, says: str, run: Run, write: Write, config: Path
) -> None:
    for name in names:
        (config / name).write_text(OWN)
    env = {"DIGIDECK_CONFIG": str(config.parent)}
    for words in (("formats", code), ("deck", "check", write("a.txt", LEGAL), "-f", code)):
        result = run(*words, env=env)
        assert result.exit_code == 3
        assert says in result.stderr
        assert str(config / names[-1]) in result.stderr
        assert "another name" in result.stderr
    listed = run("formats", "--json", env=env)
    assert listed.exit_code == 3
    assert [problem["code"] for problem in listed.json["problems"]] == ["format-twice"]
    assert len(listed.json["data"]["formats"]) > 3
    assert run("formats", "hyper-colosseum", env=env).exit_code == 0


WRONG = {
    "unknown key": ("extends: hyper-colosseum\nrulez: []\n", "own.yaml:2:1", "rules"),
    "unknown key of a rule": (
        "extends: hyper-colosseum\nrules:\n  - id: copies\n    moost: 2\n",
        "own.yaml:4:5",
        "most",
    ),
    "unknown check": (
        "extends: hyper-colosseum\nrules:\n  - id: new\n    says: x\n    check: magic\n",
        "own.yaml:5:12",
        "copies",
    ),
    "no number": (
        "extends: hyper-colosseum\nrules:\n  - id: copies\n    most: zwei\n",
        "own.yaml:4:11",
        "digits",
    ),
    "octal is no trap": (
        "extends: hyper-colosseum\nrules:\n  - id: copies\n    most: 0x2\n",
        "own.yaml:4:11",
        "digits",
    ),
    "key twice": ("extends: hyper-colosseum\ntitle: a\ntitle: b\n", "own.yaml:3:1", "line 2"),
    "unknown parent": ("extends: hyper\n", "own.yaml:1:10", "hyper-colosseum"),
    "unknown game": ("game: chess\nrules: []\n", "own.yaml:1:7", "alpha"),
    "unknown level": (
        "game: alpha\nrules:\n  - id: a\n    says: x\n    check: number_of\n    kind: Digimon\n"
        "    least: 1\n    levels: [Mega]\n",
        "own.yaml:8",
        "Ultimate",
    ),
    "unknown field": (
        "game: alpha\nrules:\n  - id: a\n    says: x\n    check: pool\n    fields: {shape: [x]}\n",
        "own.yaml:6",
        "accepted: cost, speed, battle_type, hp, attack_a",
    ),
    "unknown flag": (
        "game: hyper-colosseum\nrules:\n"
        "  - {id: a, says: x, check: copies, count_by: name, most: 1, where: golden}\n",
        "own.yaml:3",
        "copy_limit",
    ),
    "no such value of a flag": (
        "game: dcg\nrules:\n  - {id: a, says: x, check: pool, fields: {ace: [maybe]}}\n",
        "own.yaml:3",
        "such as yes, no",
    ),
    "no such number": (
        "extends: alpha\nrules:\n  - id: a\n    says: x\n    check: limits\n"
        "    cards: [{card: ZZ-1, most: 0}]\n",
        "own.yaml:6",
        "Dα-###",
    ),
    "no such name": (
        "extends: alpha\nrules:\n  - id: a\n    says: x\n    check: limits\n"
        "    cards: [{name: Agumonn, most: 0}]\n",
        "own.yaml:6",
        "did you mean Agumon",
    ),
    "no such set": (
        "extends: alpha\nrules:\n  - {id: a, says: x, check: pool, sets: [AE99]}\n",
        "own.yaml:3",
        "such as AE1",
    ),
    "no such value": (
        "extends: hyper-colosseum\nrules:\n"
        "  - {id: a, says: x, check: pool, fields: {frame: [Bleu]}}\n",
        "own.yaml:3",
        "Blue",
    ),
    "revised on no day": ("extends: alpha\nrevised: tomorrow\n", "own.yaml:2:10", "YYYY-MM-DD"),
    "no such date": (
        "extends: alpha\nrules:\n  - id: a\n    says: x\n    check: pool\n"
        "    released_until: 2026-02-31\n",
        "own.yaml:6:21",
        "YYYY-MM-DD",
    ),
    "rule to leave out": ("extends: alpha\nwithout: [size]\n", "own.yaml:2", "deck-size"),
    "not YAML": ("extends: [alpha\n", "own.yaml:2", ""),
    "rule twice": (
        "extends: alpha\nrules:\n  - {id: deck-size, exactly: 40}\n  - {id: deck-size, exactly: 60}\n",
        "own.yaml:4",
        "two rules are called 'deck-size'",
    ),
    "code of a shipped format": ("format: dcg\nextends: alpha\n", "own.yaml:1:9", "shipped"),
    "a list": ("- alpha\n", "own.yaml:1", "keys"),
    "empty": ("", "own.yaml", "empty"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_format_file_says_where_and_what_is_accepted(
    name: str, run: Run, write: Write
) -> None:
    text, place, says = WRONG[name]
    own = write("own.yaml", text)
    result = run("deck", "check", write("deck.txt", LEGAL), "--format", own)
    assert result.exit_code == 3
    assert place in result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.output


SCHEMA = json.loads((DATA / "format.schema.json").read_text("utf-8"))


def typed(value: Any) -> Any:
    """A strict value as an editor's YAML reader sees it."""
    if isinstance(value, dict):
        return {key: typed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [typed(entry) for entry in value]
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def shipped_formats() -> dict[str, Any]:
    return {
        code: entry
        for game in games()
        for code, entry in (game.definition.get("formats") or {}).items()
    }


@pytest.mark.parametrize("code", shipped_formats())
def test_the_schema_accepts_what_ships(code: str) -> None:
    jsonschema.validate(typed(shipped_formats()[code]), SCHEMA)


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "formats").glob("*.yaml")), ids=str)
def test_the_schema_and_the_loader_accept_the_examples(path: Path, run: Run, write: Write) -> None:
    jsonschema.validate(typed(load(path.read_text("utf-8"), path.name).as_plain()), SCHEMA)
    result = run("deck", "check", write("deck.txt", LEGAL), "--format", path)
    assert result.exit_code in (0, 1), result.stderr


@pytest.mark.parametrize("check", CHECKS)
def test_the_schema_has_the_keys_of_each_check(check: str) -> None:
    """A check tells its keys by asking for them."""
    (variant,) = [
        entry
        for entry in SCHEMA["$defs"]["rule"]["anyOf"]
        if entry["properties"].get("check", {}).get("const") == check
    ]
    common = {"id", "says", "source", "certainty", "assumed", "check"}
    (alpha,) = [game for game in games() if game.code == "alpha"]
    entry = Mapping.from_plain(
        {"kind": "Digimon", "least": "1", "most": "3", "count_by": "name"}, "schema"
    )
    CHECKS[check](entry, alpha)
    assert set(entry.asked) == set(variant["properties"]) - common


def test_an_unknown_format_without_a_near_one_lists_none(run: Run) -> None:
    refused = run("formats", "qqq")
    assert refused.exit_code == 3
    assert "did you mean" not in refused.stderr
    assert "digideck formats lists them all" in refused.stderr
    assert "--format" not in refused.stderr  # which formats does not take
