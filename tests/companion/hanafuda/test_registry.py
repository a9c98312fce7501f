"""The registry: games of other distributions, and broken ones."""

from __future__ import annotations

from importlib import metadata

import pytest

from companion.hanafuda import registry


def _found(monkeypatch: pytest.MonkeyPatch, *points: metadata.EntryPoint) -> list[str]:
    monkeypatch.setattr(metadata, "entry_points", lambda group: points)
    return list(registry._load_games())


BUILT_IN = ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"]


def test_the_built_in_games_need_no_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(monkeypatch) == BUILT_IN


def test_a_game_that_cannot_be_loaded_is_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """One broken distribution must not take all games away."""
    broken = metadata.EntryPoint("broken", "no_such_module:GAME", "hanafuda.games")
    with pytest.warns(
        UserWarning, match=r"the game broken \(no_such_module:GAME\) cannot be loaded: ModuleNotFoundError"
    ):
        assert _found(monkeypatch, broken) == BUILT_IN


def test_a_game_cannot_take_the_place_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    other = metadata.EntryPoint("other", "companion.hanafuda.games.kekoro.description:GAME", "hanafuda.games")
    with pytest.warns(
        UserWarning, match=r"the game other .* is left out: kekoro has its slug or share letter already"
    ):
        assert _found(monkeypatch, other) == BUILT_IN
