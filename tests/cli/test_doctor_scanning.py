"""What ``digideck doctor`` says of scanning."""

from __future__ import annotations

import pytest

from digideck.operations.database import check_installation as doctor
from tests.conftest import Run

FOUND = doctor._version


def findings(run: Run, patch: pytest.MonkeyPatch, **versions: str | None) -> dict[str, str]:
    """The state of everything doctor looks at; ``versions`` by package, - written _."""
    changed = {name.replace("_", "-"): version for name, version in versions.items()}
    patch.setattr(doctor, "_version", lambda name: changed.get(name, FOUND(name)))
    data = run("doctor", "--json").json["data"]
    return {finding["what"]: finding["state"] for finding in data["findings"]}


def test_both_wheels_of_opencv_are_wrong(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    both = findings(run, monkeypatch, opencv_python="4.10", opencv_python_headless="4.10")
    assert both["OpenCV"] == "wrong"
    assert "OpenCV" not in findings(run, monkeypatch, opencv_python=None)


def test_a_missing_reader_is_no_failure_but_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert findings(run, monkeypatch, zxing_cpp=None)["zxing-cpp"] == "missing"


def test_scanning_without_its_packages_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import util

    there = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "cv2" else there(name))
    done = run("scan", "photos", "x.jpg")
    assert done.exit_code == 3
    assert "pip install opencv-python-headless" in done.stderr
