"""Other packages add sources of cards and forms of deck files by their entry points."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run

EXAMPLE = Path(__file__).parent / "plugin_example"
Install = Callable[[dict[str, dict[str, str]]], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes the example known as an installer does, by its metadata."""

    def install(groups: dict[str, dict[str, str]]) -> None:
        folder = tmp_path / "site" / "digideck_example-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: digideck-example\nVersion: 1.0\n"
        )
        (folder / "entry_points.txt").write_text(
            "".join(
                f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
                for group, entries in groups.items()
            )
        )
        monkeypatch.syspath_prepend(folder.parent)
        monkeypatch.syspath_prepend(EXAMPLE)

    return install


@pytest.fixture
def example(install: Install) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    install(project["entry-points"])


CHECKLIST = "== Checklist ==\n[x] Dα-777 Spellmon\n[ ] Dα-778 Fieldmon\n"
DECK = "deck=St-1*3+St-2*4\n"


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize("options", [(), ("--as", "checklist")])
def test_a_source_of_cards(run: Run, options: tuple[str, ...]) -> None:
    result = run("import", "-", "-g", "alpha", *options, stdin=CHECKLIST)
    assert result.exit_code == 0, result.output
    assert "read as checklist, UTF-8" in result.stdout
    assert run("show", "Dα-778").exit_code == 0


@pytest.mark.usefixtures("example")
def test_a_form_of_deck_files(run: Run) -> None:
    for options in ((), ("--from", "oneline")):
        result = run("deck", "convert", "-", "--to", "csv", *options, stdin=DECK)
        assert result.exit_code == 0, result.output
        assert "3,St-1," in result.stdout
    result = run("deck", "convert", "-", "--to", "oneline", stdin="3 St-1\n4 St-2\n")
    assert result.stdout == DECK


def test_without_the_package_its_names_are_unknown(run: Run) -> None:
    assert run("import", "-", "--as", "checklist", stdin=CHECKLIST).exit_code == 3
    assert run("import", "-", stdin=CHECKLIST).exit_code == 3
    assert run("deck", "convert", "-", "--to", "oneline", stdin="3 St-1").exit_code == 3


@pytest.mark.usefixtures("example")
def test_the_names_of_all_are_listed(run: Run) -> None:
    assert "checklist" in run("import", "-", "--as", "chess", stdin=CHECKLIST).stderr
    assert "did you mean oneline" in run("deck", "check", "--from", "onelin", "-", stdin="x").stderr


def test_a_broken_package_is_named_and_stops_nothing_else(run: Run, install: Install) -> None:
    install(
        {
            "digideck.readers": {"broken": "digideck_example.nothing"},
            "digideck.deck_formats": {"wrong": "digideck_example.checklist:TITLE"},
        }
    )
    for command in (("import", "-", "--as", "broken"), ("deck", "show", "-", "--from", "wrong")):
        refused = run(*command, stdin=CHECKLIST)
        assert refused.exit_code == 3
        assert "of the package digideck-example cannot be loaded" in refused.stderr
    assert "no header row" in run("import", "-", stdin=CHECKLIST).stderr
    assert run("deck", "show", "-", stdin=DECK).exit_code == 3


def test_other_packages_are_looked_for_only_when_needed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(group: str) -> None:
        raise AssertionError(group)

    monkeypatch.setattr("digideck.core.plugins.added", refuse)
    assert run("deck", "show", "-", stdin="3 St-1\n").exit_code == 0
    assert run("import", "-", stdin="number,name\nSt-1,Agumon\n").exit_code == 0
