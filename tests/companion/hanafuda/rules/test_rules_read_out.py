"""The description of a rules record: everything that a page or a program needs to display it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS, resolve
from companion.hanafuda.rules.reading import comparison_preset, describe_rules


def test_the_description_of_changed_rules() -> None:
    rules = resolve({"preset": "koikoi-hu", "max_calls": "once_a_round"})
    reported = describe_rules(rules)
    assert {key: value for key, value in reported.items() if key not in {"rules", "sections", "options"}} == {
        "name": "koikoi-hu with 1 change",
        "game": "koikoi",
        "title": {"code": "game-koikoi"},
        "hash": rules.hash,
        "code": "K1C7-G9ZZ",
        "sentence": None,
        "preset": "koikoi-hu",
        "differs_from": "koikoi-hu",
        "changes": {"max_calls": "once_a_round"},
    }
    assert reported["rules"] == rules.to_dict()
    assert list(reported["sections"]) == ["points", "yaku", "paying", "calling", "cards", "game"]
    assert reported["sections"]["paying"] == {"code": "rule-section-paying"}
    options = {option["key"]: option for option in reported["options"]}
    assert list(options) == list(rules.options())
    assert options["max_calls"] == {
        "key": "max_calls",
        "section": "calling",
        "value": "once_a_round",
        "default": 0,
        "sentence": {"code": "rule-koikoi-max-calls"},
        "meaning": {"code": "rule-koikoi-max-calls-once-a-round"},
        "source": "once_a_round: Nintendo",
        "form": {
            "type": "number",
            "low": 0,
            "high": 8,
            "unit": {"code": "unit-times"},
            "values": [
                {"value": 0, "meaning": {"code": "rule-no-limit"}},
                {"value": "once_a_round", "meaning": {"code": "rule-koikoi-max-calls-once-a-round"}},
            ],
        },
        "instead_of": {"value": 0, "meaning": {"code": "rule-no-limit"}},
    }
    assert [key for key, option in options.items() if option["instead_of"]] == ["max_calls"]
    assert options["three_brights"]["value"] == 6
    assert options["three_brights"]["default"] == 5


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_a_sentence_and_are_compared_with_the_first_of_their_game(name: str) -> None:
    reported = describe_rules(PRESETS[name])
    assert reported["sentence"] == PRESETS[name].sentence.to_dict()
    assert reported["differs_from"] == PRESETS[name].standard()
    assert reported["changes"] == PRESETS[name].changes(PRESETS[reported["differs_from"]])


def test_named_rules_are_compared_with_the_preset_they_are_based_on() -> None:
    ours = replace(PRESETS["kakkuri-porges"], name="Ours")
    assert comparison_preset(ours).name == "kakkuri-porges"
    assert describe_rules(ours)["sentence"] is None
    assert describe_rules(ours)["changes"] == {}


def test_rules_are_compared_with_others_on_request() -> None:
    ours, theirs = resolve({"preset": "koikoi-hu", "rounds": 6}), resolve("koikoi-hu")
    reported = describe_rules(ours, theirs)
    assert (reported["differs_from"], reported["changes"]) == ("koikoi-hu", {"rounds": 6})
    assert describe_rules(theirs, ours)["changes"] == {"rounds": 12}


@pytest.mark.parametrize("game", GAMES)
def test_the_form_of_every_option_offers_only_what_the_option_accepts(game: str) -> None:
    for key, option in GAMES[game].rules.options().items():
        form = option.form()
        offered = [each["value"] for each in form["values"]]
        if form["type"] == "number":
            offered += [form["low"], form["high"]]
            assert not option.is_valid(form["high"] + 1)
        elif form["type"] == "flag":
            assert sorted(offered) == [False, True]
        assert all(map(option.is_valid, offered)), key
