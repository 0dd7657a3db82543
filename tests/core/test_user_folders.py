"""The user's folders are those of platformdirs, which takes longer to say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from digideck.core.user_folders import user_folder


@pytest.mark.parametrize("xdg", ["/somewhere/else", "", "relative/path", None, "/ends/with/"])
@pytest.mark.parametrize("home", ["/home/someone", "/", "/home/", "relative", None])
def test_a_folder_is_the_one_of_platformdirs(
    xdg: str | None, home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import platformdirs

    for name, value in (("XDG_DATA_HOME", xdg), ("XDG_CONFIG_HOME", xdg), ("HOME", home)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert user_folder("data") == Path(platformdirs.user_data_dir("digideck", appauthor=False))
    assert user_folder("config") == Path(platformdirs.user_config_dir("digideck", appauthor=False))
