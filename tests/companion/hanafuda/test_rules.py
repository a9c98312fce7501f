"""House rules: options, presets, hashes, and invalid values."""

import json
import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.rules import PRESETS, BadRuleValueError, UnknownPresetError, UnknownRuleError, resolve
from companion.messages import render
from tests.message_text import raises_text

OPTIONS = KoiKoiRules.options()
KOIKOI_PRESETS = {name: PRESETS[name] for name in KoiKoiRules.presets}
NAMES = (
    r"(Koi-Koi guide|Kangni Hu|FudaWiki|Nintendo|KoiKoi-Japan|Board Game Arena|gamedesign\.jp|Hanafuda Companion)"
    r"( §\d(\.\d)?)?"
)
SOURCE = rf"(\w+: )?{NAMES}(, {NAMES})*|\w+: none"
RULINGS = Path(__file__).parents[4] / "shared" / "rules" / "rulings.md"


def test_no_rules_means_the_standard_preset() -> None:
    assert resolve(None) is PRESETS["koikoi-standard"]
    assert resolve({}) is PRESETS["koikoi-standard"]
    assert KoiKoiRules() == PRESETS["koikoi-standard"]


def test_changes_keep_the_rest_of_the_preset() -> None:
    rules = resolve({"preset": "koikoi-hu", "three_brights": 5, "own_call": ["x2"]})
    assert (rules.three_brights, rules.own_call, rules.rain_man) == (5, ("x2",), "counts")
    assert rules.name == "koikoi-hu with 2 changes"
    assert rules.changes(PRESETS["koikoi-hu"]) == {"three_brights": 5, "own_call": ["x2"]}


def test_a_record_equal_to_a_preset_is_that_preset() -> None:
    for name, rules in KOIKOI_PRESETS.items():
        assert resolve(rules.to_dict()).name == name
        assert resolve(rules) is rules
        assert resolve(json.loads(json.dumps(rules.to_dict()))) == rules


def test_hash_stands_for_the_values_alone() -> None:
    assert resolve({"preset": "koikoi-guide"}).hash == PRESETS["koikoi-guide"].hash
    assert resolve({"seven": "base"}).hash == PRESETS["koikoi-standard"].hash
    assert len({rules.hash for rules in KOIKOI_PRESETS.values()}) == len(KOIKOI_PRESETS)
    one_way = resolve({"preset": "koikoi-hu", "rain_man": "excluded"})
    other_way = resolve({key: v for key, v in one_way.to_dict().items() if key != "rain_man"})
    assert one_way.hash == other_way.hash
    assert hash(one_way) == hash(other_way)


def test_hashes_stay_what_they_are() -> None:
    """Logs and exports contain these hashes: after a change, old scores would seem to follow other rules."""
    assert {name: rules.hash for name, rules in KOIKOI_PRESETS.items()} == {
        "koikoi-standard": "44136fa355b3",
        "koikoi-guide": "7e4ea5789d4a",
        "koikoi-hu": "df3616a1996d",
    }


def test_records_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        PRESETS["koikoi-standard"].chaff = 2  # type: ignore[misc]


@pytest.mark.parametrize("key", OPTIONS)
def test_every_option_reads_like_a_rule(key: str) -> None:
    option = OPTIONS[key]
    assert option.section in KoiKoiRules.sections
    assert not render(option.text).endswith(".")
    assert not render(option.text, "ja").endswith("。")
    for part in option.source.split("; "):
        assert re.fullmatch(SOURCE, part), part
    for rules in KOIKOI_PRESETS.values():
        meaning = option.meaning(rules.to_dict()[key])
        assert render(meaning)
        assert render(meaning, "ja")


def test_presets_have_a_sentence() -> None:
    assert all(preset.sentence is not None for preset in PRESETS.values())


@pytest.mark.parametrize(
    ("value", "en"),
    [
        ([], "nothing"),
        (["x2"], "points × 2, however many calls"),
        (["+1", "x3"], "call 1: 1 more and call 2: points × 3; further calls like the last"),
    ],
)
def test_texts_of_what_calls_do(value: list[str], en: str) -> None:
    assert render(OPTIONS["own_call"].meaning(value)) == en


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("five_brights", -1),
        ("five_brights", 5.0),
        ("five_brights", "5"),
        ("five_brights", True),
        ("five_brights", None),
        ("chaff", 10**9),
        ("sake_cup", "chaff"),
        ("sake_cup", ["animal"]),
        ("poetry_blue", 10),
        ("own_call", "x2"),
        ("own_call", ["x0"]),
        ("own_call", ["2"]),
        ("own_call", ["x2 "]),
        ("own_call", [2]),
        ("opponent_call", None),
        ("max_calls", "once"),
        ("max_calls", -1),
        ("zero_sum", 1),
        ("zero_sum", "true"),
        ("hand_size", 9),
        ("hand_size", True),
        ("hand_size", 8.0),
    ],
)
def test_impossible_values_are_refused_by_name(key: str, value: Any) -> None:
    with raises_text(BadRuleValueError, match=key):
        resolve({key: value})


def test_a_game_has_an_end() -> None:
    with raises_text(BadRuleValueError, match="^Rounds of a game and Points that end the game: "):
        resolve({"rounds": 0})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_calls", "once_a_round"),
        ("max_calls", 2),
        ("own_call", []),
        ("own_call", ["+1", "x10"]),
        ("hand_size", 10),
        ("zero_sum", True),
        ("five_brights", 0),
    ],
)
def test_possible_values_stay_as_given(key: str, value: Any) -> None:
    assert resolve({key: value}).to_dict()[key] == value


def test_a_game_by_target_has_no_rounds() -> None:
    assert resolve({"rounds": 0, "target": 50}).rounds == 0


def test_all_impossible_values_are_named_at_once() -> None:
    with raises_text(BadRuleValueError, match=r"five_brights.*sake_cup.*seven"):
        resolve({"five_brights": -1, "seven": "yes", "sake_cup": "tea"})


def test_unknown_keys_get_the_nearest_right_one() -> None:
    with raises_text(UnknownRuleError, match=r"'sake_cop' \(did you mean sake_cup\?\)"):
        resolve({"sake_cop": "animal"})
    with raises_text(UnknownRuleError, match=r"five_brights.*or 'xyzzy'"):
        resolve({"five-brights": 5, "xyzzy": 1})


@pytest.mark.parametrize("value", [5, 5.5, True, ["koikoi-hu"]])
def test_rules_are_a_name_or_an_object(value: Any) -> None:
    with raises_text(BadRequestError, match="rules must be"):
        resolve(value)


def test_unknown_presets_get_the_nearest_right_one() -> None:
    with raises_text(UnknownPresetError, match="did you mean koikoi-guide"):
        resolve("koikoi-gide")
    with raises_text(UnknownPresetError, match="koikoi-standard"):
        resolve({"preset": None})


def test_values_no_json_can_hold_are_refused() -> None:
    with raises_text(BadRequestError, match="JSON"):
        resolve({"own_call": {"x2"}})


def test_replace_checks_again() -> None:
    with raises_text(BadRuleValueError, match="judge"):
        replace(KoiKoiRules(), judge="never")  # type: ignore[arg-type]


def _rulings_table() -> list[tuple[str, list[Any]]]:
    """Parse section 0 of the rulings: each key with its values in the three presets."""
    text = RULINGS.read_text(encoding="utf-8").split("## 0 ")[1].split("\n## 1")[0]
    rows = []
    for line in text.splitlines():
        if not line.startswith("| `"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        keys = re.findall(r"`(\w+)`", cells[0])
        columns = [[cell] * len(keys) if cell.startswith("[") else cell.split() for cell in cells[-3:]]
        for index, key in enumerate(keys):
            output = [column[index] if len(column) == len(keys) else column[0] for column in columns]
            rows.append(
                (key, [json.loads(word) if re.match(r"[\[\d]|true|false", word) else word for word in output])
            )
    return rows


@pytest.mark.skipif(not RULINGS.exists(), reason="the rulings are not here (../shared/rules/rulings.md)")
def test_options_and_presets_are_those_of_the_rulings() -> None:
    table = _rulings_table()
    assert {key for key, _ in table} == set(OPTIONS)
    for key, values in table:
        assert [rules.to_dict()[key] for rules in KOIKOI_PRESETS.values()] == values, key
