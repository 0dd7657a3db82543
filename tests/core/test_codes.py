"""The codes of problems: each is used, and says what it means."""

from __future__ import annotations

import re
from pathlib import Path

import digideck
from digideck.core.codes import Code

SOURCES = {
    path.relative_to(Path(digideck.__file__).parent).as_posix(): path.read_text("utf-8")
    for path in Path(digideck.__file__).parent.rglob("*.py")
}


def test_every_code_is_used() -> None:
    used = {
        name
        for file, source in SOURCES.items()
        if file != "core/codes.py"
        for name in re.findall(r"\bCode\.([A-Z_]+)", source)
    }
    assert used == set(Code.__members__)


def test_no_code_is_made_of_a_string() -> None:
    made = {file for file, source in SOURCES.items() if re.search(r"\bCode[\[(]", source)}
    assert made == {"core/codes.py"}  # the class itself


def test_a_code_is_its_name_and_says_what_it_means_in_a_sentence() -> None:
    for code in Code:
        assert code.value == code.name.lower().replace("_", "-")
        assert re.fullmatch(r"[A-Z][^.]*\.", code.meaning), code
    assert len({code.meaning for code in Code}) == len(Code)
