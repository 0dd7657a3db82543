"""Which files a scan is about."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from digideck.scan.images.file_discovery import Walk, listed_paths


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def names(walk: Walk, root: Path, *paths: Path) -> list[str]:
    found = walk.files([str(path) for path in paths or (root,)])
    return [os.path.relpath(path, root) for path in found]


def test_folders_in_the_order_of_their_numbers_and_hidden_files_counted(tmp_path: Path) -> None:
    tree(tmp_path, "b/10.jpg", "b/9.jpg", "a.jpg", ".DS_Store", "b/.thumbs/1.jpg")
    walk = Walk()
    assert names(walk, tmp_path) == ["a.jpg", "b/9.jpg", "b/10.jpg"]
    assert walk.hidden == 2  # the file and the folder


def test_every_file_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/1.jpg", "a/2.jpg")
    assert names(Walk(), tmp_path, tmp_path / "a" / "1.jpg", tmp_path) == ["a/1.jpg", "a/2.jpg"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_that_lead_back_end(tmp_path: Path) -> None:
    tree(tmp_path, "a/1.jpg", "a/b/2.jpg")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "a" / "link.jpg").symlink_to(tmp_path / "a" / "1.jpg")
    found = names(Walk(), tmp_path)
    assert sorted(found) == ["a/1.jpg", "a/b/2.jpg", "a/link.jpg", "self"]


def test_folders_nested_deeply(tmp_path: Path) -> None:
    path = tmp_path.joinpath(*"d" * 300)
    tree(path, "x.jpg")
    before = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(150)  # far fewer calls than folders
        found = list(Walk().files([str(tmp_path)]))
    finally:
        sys.setrecursionlimit(before)
    assert found == [str(path / "x.jpg")]


@pytest.mark.parametrize(
    "data", [b"a.jpg\nb c.jpg\n\n", b"a.jpg\r\nb c.jpg\r\n", b"a.jpg\0b c.jpg\0"]
)
def test_lists_of_paths(data: bytes) -> None:
    assert listed_paths(data) == ["a.jpg", "b c.jpg"]
