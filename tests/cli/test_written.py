"""Files that commands write: whole or not at all, and only in the place of files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from digideck.core.problems import InputError
from digideck.files.atomic_write import write_file
from tests.conftest import Run

DECK = "3 Agumon (St-1)\n"
posix = pytest.mark.skipif(os.name == "nt", reason="links, pipes and modes are otherwise there")


def convert(run: Run, out: Path, *more: str) -> tuple[int, str]:
    result = run("deck", "convert", "-", "--to", "text", "--out", out, *more, stdin=DECK)
    return result.exit_code, result.stderr


@posix
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_pipe_is_refused_and_stays(run: Run, tmp_path: Path, force: list[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code, said = convert(run, pipe, *force)
    assert code == 3
    assert "a device or a pipe" in said
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@posix
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_device_is_refused(run: Run, force: list[str]) -> None:
    code, said = convert(run, Path(os.devnull), *force)
    assert code == 3
    assert "a device or a pipe" in said


@posix
def test_a_link_stays_and_its_file_is_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "deck.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert convert(run, link)[0] == 3
    assert target.read_text() == "old"
    assert convert(run, link, "--force")[0] == 0
    assert link.is_symlink()
    assert "Agumon" in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(entry.name for entry in target.parent.iterdir()) == ["deck.txt"]


@posix
def test_links_that_lead_nowhere(run: Run, tmp_path: Path) -> None:
    dangling, loop = tmp_path / "dangling", tmp_path / "loop"
    dangling.symlink_to(tmp_path / "new.txt")
    loop.symlink_to(loop)
    assert convert(run, dangling)[0] == 3
    assert convert(run, dangling, "--force")[0] == 0
    assert dangling.is_symlink()
    assert (tmp_path / "new.txt").read_text()
    assert convert(run, loop, "--force")[0] == 3
    assert loop.is_symlink()


@posix
def test_a_new_file_has_the_modes_of_any_new_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "any").touch()
    assert convert(run, tmp_path / "deck.txt")[0] == 0
    assert (tmp_path / "deck.txt").stat().st_mode == (tmp_path / "any").stat().st_mode


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EFBIG, "ulimit"),
        (errno.EIO, "name a file in a folder"),
    ],
)
def test_a_write_that_fails_leaves_what_was_there(
    number: int, says: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "deck.txt"
    if there:
        path.write_text("old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError) as error:
        write_file(path, "new", force=there)
    (problem,) = error.value.problems
    assert problem.code == "file-unwritable"
    assert says in (problem.next_step or "")
    assert [entry.read_text() for entry in tmp_path.iterdir()] == (["old"] if there else [])


@pytest.mark.skipif(not os.path.exists("/bin/sh"), reason="needs ulimit")
def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(InputError, match="cannot be written"):
            write_file(tmp_path / "deck.txt", "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_a_file_made_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deck.txt"
    monkeypatch.setattr(os, "fsync", lambda _: path.write_text("somebody's"))
    with pytest.raises(InputError, match="is there already"):
        write_file(path, "new")
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["somebody's"]


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    write_file(tmp_path / "deck.txt", "new")
    with pytest.raises(InputError, match="is there already"):
        write_file(tmp_path / "deck.txt", "newer")
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["new"]
