"""The settings file, environment variables, and the message for an error in either."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.settings import SETTINGS_FILE, Settings, SettingsError
from tests.message_text import raises_text


def test_a_folder_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    settings = Settings.load(tmp_path)
    assert (settings.read, settings.proxies, settings.hosts) == ("everyone", 0, ())


def test_the_environment_overrides_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / SETTINGS_FILE).write_text('read = "paired"\nproxies = 1\nhosts = ["hanafuda.example"]\n')
    monkeypatch.setenv("COMPANION_PROXIES", "2")
    settings = Settings.load(tmp_path)
    assert (settings.read, settings.proxies, settings.hosts) == ("paired", 2, ("hanafuda.example",))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('read = "nobody"', "read"),
        ("proxies = -1", "proxies"),
        ("colour = 1", "colour"),
        ("read = ", "cannot read"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, names: str) -> None:
    (tmp_path / SETTINGS_FILE).write_text(text)
    with raises_text(SettingsError, match=names):
        Settings.load(tmp_path)
