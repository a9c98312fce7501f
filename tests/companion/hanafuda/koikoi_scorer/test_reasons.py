"""The reasons why a completed yaku does not pay, and which near yaku are listed."""

from typing import Any

import pytest

from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.games.koikoi import Situation, score, to_dict
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import resolve
from companion.messages import render, with_texts

FLOWERS = ["cherry-curtain", "chrysanthemum-sake"]
MOON = ["susuki-moon", "chrysanthemum-sake"]
CHAFF = [card.id for card in HANAFUDA if card.kind == "chaff"]
WILLOWS = ["willow-rainman", "willow-swallow", "willow-ribbon", "willow-lightning"]


def _answer(cards: list[str], rules: dict[str, Any], **situation: Any) -> dict[str, Any]:
    found = resolve(rules)
    assert isinstance(found, KoiKoiRules)
    answer: dict[str, Any] = with_texts(to_dict(score(to_bits(cards), found, Situation(**situation))), "en")
    return answer


@pytest.mark.parametrize(
    ("cards", "rules", "situation", "en", "ja"),
    [
        (
            [*FLOWERS, "willow-lightning"],
            {"viewing_spoilt": "captured_rain"},
            {},
            "Flower Viewing does not pay: the pile has a rain card.",
            "花見で一杯は無効：取り札に小野道風か雷がある。",
        ),
        (
            [*MOON, "willow-ribbon"],
            {"viewing_spoilt": "captured_willow"},
            {},
            "Moon Viewing does not pay: the pile has a willow.",
            "月見で一杯は無効：取り札に柳がある。",
        ),
        (
            FLOWERS,
            {"viewing_spoilt": "field"},
            {"field": to_bits(["willow-swallow"])},
            "Flower Viewing does not pay: a willow is on the field.",
            "花見で一杯は無効：場に柳がある。",
        ),
        (
            MOON,
            {"viewing_spoilt": "field"},
            {"field": to_bits(["paulownia-yellow"])},
            "Moon Viewing does not pay: a paulownia is on the field.",
            "月見で一杯は無効：場に桐がある。",
        ),
        (
            FLOWERS,
            {"viewing_needs": "month"},
            {"month": 8},
            "Flower Viewing does not pay: it pays in month 3 only.",
            "花見で一杯は無効：3月だけの役。",
        ),
        (
            MOON,
            {"viewing_needs": "month"},
            {"month": 3},
            "Moon Viewing does not pay: it pays in month 8 only.",
            "月見で一杯は無効：8月だけの役。",
        ),
        (
            FLOWERS,
            {"viewing_needs": "month"},
            {},
            "Flower Viewing does not pay: it pays in month 3 only, and the month is unknown.",
            "花見で一杯は無効：3月だけの役（月が不明）。",
        ),
        (
            MOON,
            {"viewing_needs": "another_yaku"},
            {},
            "Moon Viewing does not pay: it pays only beside another yaku.",
            "月見で一杯は無効：他の役がない。",
        ),
        (
            WILLOWS,
            {"month_cards": 4},
            {},
            "Month Cards does not pay: the month is unknown.",
            "月札は無効：月が不明。",
        ),
    ],
)
def test_unscored_yaku_have_a_reason(
    cards: list[str], rules: dict[str, Any], situation: dict[str, int], en: str, ja: str
) -> None:
    output = _answer(cards, rules, **situation)
    assert (output["why"], render(Message.from_dict(output["reason"]), "ja")) == (
        f"No yaku: 0 points. {en}",
        f"役なし：0点。{ja}",
    )


@pytest.mark.parametrize(
    ("cards", "rules", "situation"),
    [
        (WILLOWS, {"month_cards": 4}, {"month": 1}),
        (WILLOWS, {"month_cards": 0}, {}),
        (WILLOWS[:3], {"month_cards": 4}, {}),
        ([*WILLOWS[:2], "pine-ribbon", "pine-chaff-1"], {"month_cards": 4}, {}),
        (["cherry-ribbon", "pine-crane"], {"viewing_needs": "another_yaku"}, {}),
    ],
)
def test_yaku_that_nobody_made_are_not_mentioned(
    cards: list[str], rules: dict[str, Any], situation: dict[str, int]
) -> None:
    assert _answer(cards, rules, **situation)["why"] == "No yaku: 0 points."


def test_the_cup_is_mentioned_only_if_it_is_in_the_pile() -> None:
    rules = {"sake_cup": "animal_or_chaff"}
    assert "sake cup" not in _answer(CHAFF[:10], rules)["why"]
    assert "sake cup counts as chaff" in _answer([*CHAFF[:9], "chrysanthemum-sake"], rules)["why"]


@pytest.mark.parametrize(
    ("cup", "count"), [("animal", 2), ("animal_and_chaff", 1), ("animal_or_chaff", 2), ("uncounted", 2)]
)
def test_the_cup_counts_toward_a_near_yaku(cup: str, count: int) -> None:
    """With eight chaff and the cup, the yaku Chaff lacks one card if the cup counts as chaff; by default it is an
    animal."""
    lacks = _answer([*CHAFF[:8], "chrysanthemum-sake"], {"sake_cup": cup})["missing"]
    assert [lack["count"] for lack in lacks if lack["yaku"] == "chaff"] == [count]


def test_a_near_yaku_that_would_not_raise_the_points_is_not_named() -> None:
    """Four brights in place of three, for the same points, is no gain (`bright_group`: only the best pays)."""
    three = ["pine-crane", "cherry-curtain", "susuki-moon"]
    named = {
        points: [lack["yaku"] for lack in _answer(three, {"four_brights": points})["missing"]]
        for points in (5, 6)
    }
    assert "four-brights" not in named[5]
    assert "four-brights" in named[6]


def test_four_brights_with_the_rain_man_are_explained() -> None:
    four = ["pine-crane", "cherry-curtain", "susuki-moon", "willow-rainman"]
    for rules, en, ja in (
        ({"rain_man": "counts"}, "Four brights: 8 points", "光札四枚：8点"),
        (
            {"rainy_four_brights": 7},
            "Four brights, the Rain Man among them: 7 points",
            "雨を含む光札四枚：7点",
        ),
    ):
        (found,) = _answer(four, rules)["yaku"]
        assert (found["why"], render(Message.from_dict(found["reason"]), "ja")) == (en, ja)


@pytest.mark.parametrize("off", ["poetry_ribbons", "blue_ribbons"])
def test_both_ribbons_replace_the_yaku_they_contain(off: str) -> None:
    six = [f"{flower}-ribbon" for flower in ("pine", "plum", "cherry", "peony", "chrysanthemum", "maple")]
    output = _answer(six, {"poetry_blue": "replace", off: 0})
    assert [(each["name"], each["points"]) for each in output["yaku"]] == [
        ("poetry-and-blue", 10),
        ("ribbons", 2),
    ]


@pytest.mark.parametrize(
    ("cards", "rules", "situation", "name", "en", "ja"),
    [
        (
            ["clover-boar", "maple-deer", "peony-butterflies", "plum-warbler", "iris-bridge"],
            {"animals_special": "stack_extra"},
            {},
            "boar-deer-butterfly",
            "The boar, the deer and the butterflies: 5 points, 2 for 2 more cards",
            "猪・鹿・蝶：5点、ほか2枚で＋2点",
        ),
        (
            FLOWERS,
            {"viewing_after_call": 3},
            {"own_calls": 1},
            "flower-viewing",
            "The curtain and the sake cup: 3 points after koi-koi",
            "桜に幕と菊に盃：3点（こいこい後）",
        ),
        (
            FLOWERS,
            {},
            {"own_calls": 1},
            "flower-viewing",
            "The curtain and the sake cup: 5 points",
            "桜に幕と菊に盃：5点",
        ),
        (
            MOON,
            {"viewing_spoilt": "field"},
            {},
            "moon-viewing",
            "The full moon and the sake cup: 5 points, if no paulownia is on the field (the field is unknown)",
            "芒に月と菊に盃：5点（場が不明。桐があれば無効）",
        ),
    ],
)
def test_the_explanation_of_a_yaku_s_points(
    cards: list[str], rules: dict[str, Any], situation: dict[str, int], name: str, en: str, ja: str
) -> None:
    (found,) = (each for each in _answer(cards, rules, **situation)["yaku"] if each["name"] == name)
    assert (found["why"], render(Message.from_dict(found["reason"]), "ja")) == (en, ja)


def test_the_explanation_mentions_the_cup_counted_as_an_animal() -> None:
    animals = ["plum-warbler", "wisteria-cuckoo", "iris-bridge", "susuki-geese", "chrysanthemum-sake"]
    output = _answer(animals, {"sake_cup": "animal_or_chaff"})
    assert output["why"] == "Animals 1 point. The sake cup counts as an animal, the better choice."
    assert render(Message.from_dict(output["reason"]), "ja") == "タネ1点。菊に盃は種札として数える。"


@pytest.mark.parametrize(
    ("combine", "calls", "together"),
    [("add", (1, 1), True), ("add", (0, 1), False), ("multiply", (1, 1), False)],
)
def test_added_factors_are_explained_together(combine: str, calls: tuple[int, int], together: bool) -> None:
    rules = {"combine": combine, "own_call": ["x2"], "opponent_call": ["x2"]}
    output = _answer(CHAFF[:10], rules, own_calls=calls[0], opponent_calls=calls[1])
    assert ("Together × 3" in output["why"]) == together
    assert ("合わせて3倍" in render(Message.from_dict(output["reason"]), "ja")) == together


def test_a_near_yaku_has_its_names() -> None:
    (lack,) = (each for each in _answer(MOON[:1], {})["missing"] if each["yaku"] == "moon-viewing")
    assert lack == {
        "yaku": "moon-viewing",
        "ja": "月見で一杯",
        "en": "Moon Viewing",
        "needs": ["chrysanthemum-sake"],
        "count": 1,
    }
