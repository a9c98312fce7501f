"""The rules of a request: the record that they stand for, and its game."""

from __future__ import annotations

from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS, UnknownPresetError, UnknownRuleError, WrongGameError, resolve
from companion.messages import error_text, render
from tests.message_text import raises_text


@pytest.mark.parametrize("game", GAMES)
def test_the_game_selects_the_rules_if_no_preset_is_given(game: str) -> None:
    standard = PRESETS[GAMES[game].rules.standard()]
    assert resolve(None, game) is standard
    assert resolve({}, game) is standard
    assert resolve(standard, game) is standard
    assert resolve(standard.name, game) is standard
    assert standard.preset == GAMES[game].rules().preset == standard.name
    with pytest.raises(UnknownRuleError):
        resolve({"xyzzy": 1}, game)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", PRESETS)
def test_rules_of_another_game_are_refused(game: str, name: str) -> None:
    # Kingo with a banker is a form of Kingo; the form with a pot is not one with a banker.
    if PRESETS[name].game == game or (game, name) == ("kingo", "kingo-bank"):
        assert resolve(name, game) is PRESETS[name]
        assert resolve({"preset": name}, game) is PRESETS[name]
    else:
        titles = [render(GAMES[each].title) for each in (PRESETS[name].game, game)]
        with raises_text(WrongGameError, match=f"the rules {name} are for {titles[0]}, not {titles[1]}; "):
            resolve(name, game)


def test_the_error_lists_the_presets_of_the_game() -> None:
    with pytest.raises(WrongGameError) as caught:
        resolve("kekoro", "kingo")
    assert error_text(caught.value) == "the rules kekoro are for Kekoro, not Kingo; it has kingo, kingo-bank"
    assert caught.value.code == "wrong-game"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "xyzzy",
            "there is no rules preset 'xyzzy'; there are koikoi-standard, koikoi-guide, koikoi-hu, kekoro, kakkuri,"
            " kakkuri-porges, kingo, kingo-bank",
        ),
        ({"preset": "kakuri"}, "there is no rules preset 'kakuri'; did you mean kakkuri or kakkuri-porges?"),
        ({"preset": ["kingo"]}, "there is no rules preset ['kingo']; did you mean kingo"),
    ],
)
def test_names_that_there_are_not(value: Any, message: str) -> None:
    with pytest.raises(UnknownPresetError) as caught:
        resolve(value)
    assert error_text(caught.value).startswith(message)


def test_invalid_rules_are_quoted() -> None:
    with pytest.raises(BadRequestError) as caught:
        resolve(5)  # type: ignore[arg-type]
    assert (
        error_text(caught.value)
        == "rules must be a preset's name, a share code or an object of options, not 5"
    )


def test_hyphens_are_as_good_as_underlines() -> None:
    with pytest.raises(UnknownRuleError) as caught:
        resolve({"flower-viewing": 1, "o-c": 2})
    assert caught.value.nearest == {"flower-viewing": "flower_viewing", "o-c": None}
