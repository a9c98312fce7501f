"""Kakkuri's house rules: presets and invalid values."""

import re

import pytest

from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.rules import PRESETS, BadRuleValueError, resolve
from companion.messages import render
from tests.message_text import raises_text

OPTIONS = KakkuriRules.options()

# Rulings, section 3: the reading of the text, and that of its source (Po).
RULINGS = {
    "deck": ("mekurifuda", "mekurifuda"),
    "players": ("7_or_8", "2_to_8"),
    "dropout_dealer": ("drops_out", "drops_out"),
    "swap": (True, True),
    "deal_pass": (False, False),
    "rounds": (0, 0),
    "must_play": ("first", "none"),
    "fold": ("off", "before_first_card"),
    "wild": ("any_follows", "chosen_rank"),
    "wild_in_sets": ("own_number", "joker"),
    "four_is_two_pairs": (True, True),
    "all_pass": ("excluding_self", "including_self"),
    "reopen": ("forced", "optional"),
    "box_empty": ("recycle", "recycle"),
    "win_shares": (1, 1),
    "guri_shares": (2, 2),
    "lucky_shares": (3, 3),
    "pass_penalty": (1, 0),
    "fold_stake": (1, 1),
    "stakes": (20, 20),
}


def test_presets_are_those_of_the_rulings() -> None:
    assert PRESETS["kakkuri"].to_dict() == {key: value for key, (value, _) in RULINGS.items()}
    assert PRESETS["kakkuri-porges"].to_dict() == {key: value for key, (_, value) in RULINGS.items()}
    assert KakkuriRules() == PRESETS["kakkuri"]


@pytest.mark.parametrize("key", OPTIONS)
def test_every_option_reads_like_a_rule(key: str) -> None:
    option = OPTIONS[key]
    assert option.section in KakkuriRules.sections
    assert not render(option.text).endswith(".")
    assert not render(option.text, "ja").endswith("。")
    assert re.search(r"FudaWiki|Kusaba|gamefarm\.jp|games\.porg\.es|Hanafuda Companion", option.source)
    for value in RULINGS[key]:
        meaning = option.meaning(value)
        assert render(meaning)
        assert render(meaning, "ja")


@pytest.mark.parametrize(
    ("key", "value", "en", "ja"),
    [
        ("pass_penalty", 0, "nothing", "なし"),
        ("pass_penalty", 1, "1 share", "1口"),
        ("guri_shares", 2, "2 shares", "2口"),
        ("stakes", 0, "no limit", "無制限"),
        ("rounds", 12, "12 rounds", "12局"),
        ("deal_pass", True, "yes", "あり"),
    ],
)
def test_values_in_words(key: str, value: object, en: str, ja: str) -> None:
    meaning = OPTIONS[key].meaning(value)
    assert (render(meaning), render(meaning, "ja")) == (en, ja)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("players", "9"),
        ("players", 7),
        ("deck", "kabufuda"),
        ("win_shares", 0),
        ("guri_shares", 0),
        ("lucky_shares", 0),
        ("pass_penalty", -1),
        ("pass_penalty", 101),
        ("fold", True),
        ("swap", 1),
        ("rounds", 121),
        ("stakes", 1001),
    ],
)
def test_impossible_values_are_refused_by_name(key: str, value: object) -> None:
    with raises_text(BadRuleValueError, match=key):
        resolve({"preset": "kakkuri", key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [("pass_penalty", 100), ("fold_stake", 0), ("win_shares", 1), ("rounds", 120), ("stakes", 1000)],
)
def test_possible_values_stay(key: str, value: int) -> None:
    assert resolve({"preset": "kakkuri", key: value}).to_dict()[key] == value


def test_a_game_has_an_end() -> None:
    with raises_text(BadRuleValueError, match="Rounds of a game and Shares .* would never end"):
        resolve({"preset": "kakkuri", "stakes": 0})
    assert resolve({"preset": "kakkuri", "stakes": 0, "rounds": 7}).to_dict()["rounds"] == 7


@pytest.mark.parametrize(("players", "fewest"), [("7_or_8", 7), ("5_to_8", 5), ("2_to_8", 2)])
def test_the_fewest_players(players: str, fewest: int) -> None:
    assert resolve({"preset": "kakkuri", "players": players}).fewest_players == fewest  # type: ignore[attr-defined]
