"""Invalid values are refused with their name and the nearest valid value: the same for every option of every game."""

from __future__ import annotations

import json
from typing import Any

import pytest
from any_rules import OPTIONS, edges, option_of, records
from hypothesis import given, settings

from companion.hanafuda.errors import quote
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import BadRuleValueError, Option, UnknownRuleError, resolve
from companion.hanafuda.rules.options import _CallsOption, _ChoiceOption, _WholeOption, written
from companion.messages import error_text, render
from tests.message_text import raises_text

WHOLE = [each for each in OPTIONS if isinstance(option_of(*each), _WholeOption)]
CHOICES = [each for each in OPTIONS if isinstance(option_of(*each), _ChoiceOption)]


def refusal(game: str, values: dict[str, Any]) -> BadRuleValueError:
    with pytest.raises(BadRuleValueError) as caught:
        resolve({"preset": GAMES[game].rules.standard(), **values})
    return caught.value


def nearest(game: str, key: str, value: Any) -> Any:
    """The nearest valid value, as in the error message."""
    error = refusal(game, {key: value})
    (bad,) = error.values
    assert bad.key == key
    assert bad.nearest is None or option_of(game, key).is_valid(bad.nearest)
    hint = "" if bad.nearest is None else f"; did you mean {written(bad.nearest)}?"
    assert error_text(error).startswith(f"{key} must be ")
    assert error_text(error).endswith(f", not {quote(value)}{hint}")
    return bad.nearest


@pytest.mark.parametrize(("game", "key"), WHOLE)
def test_numbers_out_of_range_name_the_nearest_allowed(game: str, key: str) -> None:
    option = option_of(game, key)
    assert isinstance(option, _WholeOption)
    assert nearest(game, key, option.high + 1) == option.high
    assert nearest(game, key, 10**30) == option.high
    assert nearest(game, key, option.low - 1) == option.low
    assert nearest(game, key, str(option.high)) == option.high
    assert nearest(game, key, option.low + 0.9) == option.low + 1
    for hopeless in (None, True, [], {}, float("nan"), "xyzzy", "1" * 5000):
        assert nearest(game, key, hopeless) is None
    assert f"must be a whole number from {option.low} to {option.high}" in error_text(
        refusal(game, {key: None})
    )


@pytest.mark.parametrize(("game", "key"), CHOICES)
def test_choices_name_the_nearest_value(game: str, key: str) -> None:
    option = option_of(game, key)
    assert isinstance(option, _ChoiceOption)
    for value in option.values:
        # An equal value in another notation is valid.
        other = f" {written(value).upper().replace('_', '-')} "
        assert nearest(game, key, other) == value
        assert type(nearest(game, key, other)) is type(value)
        if isinstance(value, str) and len(value) > 5:
            assert nearest(game, key, value[:2] + value[3:]) == value
    assert nearest(game, key, "xyzzy") is None
    assert nearest(game, key, None) is None or None in option.values
    values = " or ".join(map(written, option.values))
    assert f"must be {values}, not 'xyzzy'" in error_text(refusal(game, {key: "xyzzy"}))


@pytest.mark.parametrize(("game", "key"), OPTIONS)
def test_every_value_that_an_option_lists_is_taken_and_has_a_meaning(game: str, key: str) -> None:
    option = option_of(game, key)
    for value in edges(option):
        assert option.is_valid(value)
        meaning = option.meaning(value)
        assert render(meaning)
        assert render(meaning, "ja")
    assert list(option.choices())


@pytest.mark.parametrize(("game", "key"), OPTIONS)
def test_every_option_reads_like_a_rule(game: str, key: str) -> None:
    option = option_of(game, key)
    assert option.section in GAMES[game].rules.sections
    assert render(option.text)[0].isupper() or render(option.text)[0].isdigit()
    assert not render(option.text).endswith(".")
    assert not render(option.text, "ja").endswith("。")
    assert option.source


@pytest.mark.parametrize("game", GAMES)
def test_options_stand_in_the_order_of_the_sections(game: str) -> None:
    sections = [option.section for option in GAMES[game].rules.options().values()]
    order = list(GAMES[game].rules.sections)
    assert sections == sorted(sections, key=order.index)
    assert set(sections) == set(order)


def test_a_number_or_a_word() -> None:
    assert nearest("koikoi", "max_calls", "Once-a-Round") == "once_a_round"
    assert nearest("koikoi", "max_calls", "once") is None
    assert nearest("koikoi", "max_calls", 9) == 8
    assert error_text(refusal("koikoi", {"max_calls": -2})) == (
        "max_calls must be a whole number from 0 to 8 or 'once_a_round', not -2; did you mean 0?"
    )


@pytest.mark.parametrize(
    ("key", "value", "near"),
    [
        ("hand_size", 9, 8),
        ("hand_size", 12, 10),
        ("hand_size", -5, 8),
        ("hand_size", 9.6, 10),
        ("hand_size", "10", 10),
        ("hand_size", "ten", None),
        ("zero_sum", 1, True),
        ("zero_sum", 0, False),
        ("zero_sum", "yes", True),
        ("zero_sum", "No", False),
        ("zero_sum", "on", True),
        ("zero_sum", "off", False),
        ("zero_sum", "true", True),
        ("zero_sum", "maybe", None),
        ("lightning_wild", True, None),
        ("seven", "bsae", "base"),
        ("sake_cup", "animal and chaff", "animal_and_chaff"),
        ("own_call", "x2", ["x2"]),
        ("own_call", 3, ["x3"]),
        ("own_call", [2], ["x2"]),
        ("own_call", ["X2", "*3", "×4", " +5 "], ["x2", "x3", "x4", "+5"]),
        ("own_call", ["x0", "x100", "+250"], ["x1", "x99", "+99"]),
        ("own_call", ["x2"] * 11, ["x2"] * 10),
        ("own_call", [True], None),
        ("own_call", [2.0], None),
        ("own_call", ["x2", "double"], None),
        ("own_call", {"x2": 1}, None),
        ("own_call", None, None),
    ],
)
def test_the_nearest_value(key: str, value: Any, near: Any) -> None:
    found = nearest("koikoi", key, value)
    assert found == near
    assert type(found) is type(near)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x2", "not 'x2'; did you mean [\"x2\"]?"),
        (["x2", "x0", 5], 'not [\'x2\', \'x0\', 5]; did you mean ["x2", "x1", "x5"]?'),
        (
            ["+1"] * 12,
            "not ['+1', '+1', '+1', '+1', '+1', '+1', '+1', '+1', '+1', '+...;"
            ' did you mean ["+1", "+1", "+1", "+1", "+1", "+1", "+1", "+1", "+1", "+1"]?',
        ),
    ],
)
def test_the_error_for_a_list_of_effects_names_the_nearest_one(value: Any, message: str) -> None:
    assert error_text(refusal("koikoi", {"own_call": value})) == (
        "own_call must be a list of at most 10 effects from x1 to x99 or +1 to +99, by number of calls,"
        f' such as ["+1", "x2"], or [] for none, {message}'
    )


@pytest.mark.parametrize("effects", [[], ["x1"], ["+99"], ["x10", "+1"], ["x2"] * 10])
def test_lists_of_effects_that_can_be_played(effects: list[str]) -> None:
    assert resolve({"own_call": effects}).to_dict()["own_call"] == effects


def test_all_invalid_options_are_reported_at_once() -> None:
    error = refusal("kakkuri", {"players": "9", "stakes": -1, "swap": "aye"})
    assert [bad.key for bad in error.values] == ["players", "swap", "stakes"]
    assert [error_text(error).count(f"{bad.key} must be") for bad in error.values] == [1, 1, 1]
    assert error.code == "bad-rule-value"


@pytest.mark.parametrize("game", GAMES)
def test_unknown_keys_are_named_with_the_nearest_right_one(game: str) -> None:
    key = next(iter(GAMES[game].rules.options()))
    with pytest.raises(UnknownRuleError) as caught:
        resolve(
            {"preset": GAMES[game].rules.standard(), f"{key}x": 1, "xyzzy": 2, key.replace("_", "-") + "s": 3}
        )
    assert caught.value.nearest == {f"{key}x": key, "xyzzy": None, key.replace("_", "-") + "s": key}
    assert f"'{key}x' (did you mean {key}?) or 'xyzzy' or " in error_text(caught.value)
    assert error_text(caught.value).endswith(
        f"`companion rules show {GAMES[game].rules.standard()}` lists them"
    )


def test_the_error_for_an_option_of_another_game_names_that_game() -> None:
    with pytest.raises(UnknownRuleError) as caught:
        resolve({"stakes": 30, "min_draws": 0, "wager_limit": 5})
    assert error_text(caught.value) == (
        "the rules have no option 'stakes' (for that, name rules like kakkuri under \"preset\")"
        " or 'min_draws' (for that, name rules like kingo under \"preset\")"
        " or 'wager_limit' (for that, name rules like kingo-bank under \"preset\");"
        " `companion rules show koikoi-standard` lists them"
    )
    with raises_text(
        UnknownRuleError, match=r"'stones' \(for that, name rules like kingo or kingo-bank under"
    ):
        resolve({"stones": 30})


@pytest.mark.parametrize("game", GAMES)
def test_contradictions_have_a_sentence_but_no_value(game: str) -> None:
    endless = {
        "koikoi": {"rounds": 0, "target": 0},
        "kakkuri": {"rounds": 0, "stakes": 0},
        "kingo": {"rounds": 0, "debt": "allow"},
        "kingo-bank": {"rounds": 0, "debt": "allow"},
    }
    if game in endless:
        error = refusal(game, endless[game])
        assert error.values == ()
        (contradiction,) = error.contradictions
        assert set(contradiction.keys) == set(endless[game])
        assert "end" in error_text(error)


@settings(max_examples=80, deadline=None)
@given(records())
def test_any_record_goes_through_json(rules: Any) -> None:
    again = resolve(json.loads(json.dumps({"preset": rules.standard(), **rules.to_dict()})))
    assert again == rules
    assert hash(again) == hash(rules)
    assert again.hash == rules.hash
    assert again.changes(rules) == {}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (3, "3"),
        ("best", "best"),
        ((), "[]"),
        (["x2", "+1"], '["x2", "+1"]'),
    ],
)
def test_values_as_a_player_writes_them(value: Any, text: str) -> None:
    assert written(value) == text


def test_an_option_lists_its_values() -> None:
    def listed(game: str, key: str) -> dict[str, str]:
        return {value: render(text) for value, text in option_of(game, key).choices()}

    assert listed("koikoi", "zero_sum") == {"true": "yes", "false": "no"}
    assert listed("koikoi", "hand_size") == {"8": "8", "10": "10"}
    assert listed("koikoi", "chaff") == {"0": "not played", "1–1000": "points"}
    assert listed("koikoi", "max_calls") == {
        "0": "no limit",
        "once_a_round": "once in all, whoever calls",
        "1–8": "times per player",
    }
    assert listed("kekoro", "lead_points") == {"1–1000": "points"}
    assert listed("koikoi", "own_call") == {
        "[]": "nothing",
        '["x2"]': "points × 2, however many calls",
        '["+1", "x2"]': "call 1: 1 more and call 2: points × 2; further calls like the last",
    }


@pytest.mark.parametrize(
    ("key", "value", "en", "ja"),
    [
        ("chaff", 0, "not played", "採用しない"),
        ("chaff", 1, "1 point", "1点"),
        ("chaff", 2, "2 points", "2点"),
        ("max_calls", 1, "1 time per player", "1回まで"),
        ("max_calls", "once_a_round", "once in all, whoever calls", "双方合わせて一度だけ"),
        ("rounds", 1, "1 round", "1局"),
        ("own_call", ("+3",), "3 more, however many calls", "何度でも＋3点"),
        (
            "own_call",
            ("x2", "+12"),
            "call 1: points × 2 and call 2: 12 more; further calls like the last",
            "回数別に1回：2倍と2回：＋12点、以降は同じ",
        ),
        ("own_call", (), "nothing", "なし"),
        ("zero_sum", True, "yes", "あり"),
    ],
)
def test_what_values_mean(key: str, value: Any, en: str, ja: str) -> None:
    meaning = option_of("koikoi", key).meaning(value)
    assert (render(meaning), render(meaning, "ja")) == (en, ja)


def test_the_option_base_class_is_abstract() -> None:
    bare = Option("points", "rule-koikoi-chaff", "FudaWiki")
    for ask in (bare.is_valid, bare.nearest, bare.meaning):
        with pytest.raises(NotImplementedError):
            ask(1)
    with pytest.raises(NotImplementedError):
        bare.choices()
    with pytest.raises(NotImplementedError):
        bare.valid_values()


def test_effects_are_neither_numbers_nor_choices() -> None:
    assert {type(option_of(game, key)) for game, key in OPTIONS} == {
        _WholeOption,
        _ChoiceOption,
        _CallsOption,
    }
