"""The JSON of a score: cards, reasons, near yaku, and rules."""

from typing import Any

import pytest

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import PRESETS
from companion.hanafuda.scoring import score_request
from companion.messages import render, with_texts

CHAFF = [card.id for card in HANAFUDA if card.kind == "chaff"]
SIX_RIBBONS = [f"{flower}-ribbon" for flower in ("pine", "plum", "cherry", "peony", "chrysanthemum", "maple")]


def score(*cards: str, rules: Any = None, **rest: Any) -> dict[str, Any]:
    """Score captured cards in Koi-Koi."""
    request = {"game": "koikoi", "captured": list(cards), "rules": rules, **rest}
    answer: dict[str, Any] = with_texts(score_request(request), "en")
    return answer


def yaku(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one yaku of an answer."""
    return next(each for each in answer["yaku"] if each["name"] == name)


def missing(answer: dict[str, Any]) -> dict[str, tuple[list[str], int]]:
    """Return the missing cards by yaku."""
    return {lack["yaku"]: (lack["needs"], lack["count"]) for lack in answer["missing"]}


def test_shape_of_the_contract() -> None:
    answer = score("susuki-moon", "chrysanthemum-sake", "pine-crane", rules="koikoi-hu")
    assert list(answer) == ["yaku", "base", "total", "why", "reason", "missing", "rules"]
    assert answer["yaku"] == [
        {
            "name": "moon-viewing",
            "ja": "月見で一杯",
            "romaji": "tsukimi de ippai",
            "en": "Moon Viewing",
            "points": 5,
            "cards": ["susuki-moon", "chrysanthemum-sake"],
            "why": "The full moon and the sake cup: 5 points",
            "reason": {
                "code": "labeled",
                "params": {
                    "label": {"code": "rule-koikoi-moon-viewing"},
                    "text": {"code": "points", "params": {"count": 5}},
                },
            },
        }
    ]
    assert answer["rules"] == {"name": "koikoi-hu", "hash": PRESETS["koikoi-hu"].hash}


def test_rules_that_differ_are_named_so() -> None:
    rules = score(rules={"preset": "koikoi-guide", "seven": "base"})["rules"]
    assert rules["name"] == "koikoi-guide with 1 change"
    assert rules["hash"] != PRESETS["koikoi-guide"].hash


def test_only_the_cards_of_the_yaku_are_listed() -> None:
    answer = score(
        "pine-crane", "cherry-curtain", "susuki-moon", "willow-rainman", rules={"rainy_four_brights": 0}
    )
    assert yaku(answer, "three-brights")["cards"] == ["pine-crane", "cherry-curtain", "susuki-moon"]
    all_five = score(*(c.id for c in HANAFUDA if c.kind == "bright"), rules={"bright_group": "all"})
    assert [len(each["cards"]) for each in all_five["yaku"]] == [5, 4, 3]


def test_further_cards_are_listed_if_they_score() -> None:
    pile = ("clover-boar", "maple-deer", "peony-butterflies", "plum-warbler")
    assert len(yaku(score(*pile), "boar-deer-butterfly")["cards"]) == 3
    extra = yaku(score(*pile, rules={"animals_special": "best_extra"}), "boar-deer-butterfly")
    assert set(extra["cards"]) == set(pile)


@pytest.mark.parametrize(
    ("cards", "rules", "name", "en", "ja"),
    [
        (CHAFF[:10], None, "chaff", "10 chaff: 1 point for 10", "カス札10枚：10枚で1点"),
        (
            CHAFF[:12],
            None,
            "chaff",
            "12 chaff: 1 point for 10, 2 for 2 more",
            "カス札12枚：10枚で1点、2枚増しで＋2点",
        ),
        (
            ["pine-crane", "cherry-curtain", "susuki-moon"],
            None,
            "three-brights",
            "Three brights without the Rain Man: 5 points",
            "雨を除く光札三枚：5点",
        ),
        (
            ["pine-crane", "cherry-curtain", "willow-rainman"],
            "koikoi-hu",
            "three-brights",
            "Three brights: 6 points",
            "光札三枚：6点",
        ),
        (
            [*SIX_RIBBONS, "willow-ribbon"],
            {"ribbons_special": "best_extra", "poetry_blue": "replace"},
            "poetry-and-blue",
            "Poetry ribbons and blue ribbons together: 10 points, 1 for 1 more card, in place of the two",
            "赤短と青短の重複：10点、ほか1枚で＋1点（赤短・青短に代わる）",
        ),
        (
            SIX_RIBBONS,
            {"poetry_blue": "add"},
            "poetry-and-blue",
            "Poetry ribbons and blue ribbons together: 10 points, on top of the two",
            "赤短と青短の重複：10点（赤短・青短に加わる）",
        ),
        (
            ["cherry-curtain", "chrysanthemum-sake"],
            {"viewing_spoilt": "field"},
            "flower-viewing",
            "The curtain and the sake cup: 5 points, if no willow is on the field (the field is unknown)",
            "桜に幕と菊に盃：5点（場が不明。柳があれば無効）",
        ),
    ],
)
def test_why_a_yaku_pays(cards: list[str], rules: Any, name: str, en: str, ja: str) -> None:
    found = yaku(score(*cards, rules=rules), name)
    assert (found["why"], render(Message.from_dict(found["reason"]), "ja")) == (en, ja)


def test_why_a_viewing_pays_more_after_koi_koi() -> None:
    rules = {"flower_viewing": 1, "viewing_after_call": 3}
    answer = score("cherry-curtain", "chrysanthemum-sake", rules=rules, calls={"own": 1})
    assert yaku(answer, "flower-viewing")["why"] == "The curtain and the sake cup: 3 points after koi-koi"


@pytest.mark.parametrize(
    ("cards", "rest", "en", "ja"),
    [
        ([], {}, "No yaku: 0 points.", "役なし：0点。"),
        (CHAFF[:10], {}, "Chaff 1 point.", "カス1点。"),
        (
            [*CHAFF[:10], "susuki-moon", "chrysanthemum-sake"],
            {"rules": "koikoi-guide"},
            "Moon Viewing 3 + Chaff 1 = 4 points.",
            "月見で一杯3点＋カス1点＝4点。",
        ),
        (
            ["pine-crane", "cherry-curtain", "susuki-moon", "paulownia-phoenix"],
            {"calls": {"opponent": 2}},
            "Four Brights 8 points. Opponent's koi-koi (2): points × 2. 7 or more doubles: 8 × 2. Total: 32 points.",
            "四光8点。相手のこいこい2回で2倍。7点以上で2倍：8×2。計32点。",
        ),
        (
            CHAFF[:10],
            {"rules": {"own_call": ["+1"]}, "calls": {"own": 1}},
            "Chaff 1 point. Own koi-koi (1): 1 more. Total: 2 points.",
            "カス1点。自分のこいこい1回で＋1点。計2点。",
        ),
        (
            CHAFF[:10],
            {"rules": {"own_call": ["x2"], "combine": "add"}, "calls": {"own": 1, "opponent": 1}},
            "Chaff 1 point. Own koi-koi (1): points × 2. Opponent's koi-koi (1): points × 2. "
            "Together × 3. Total: 3 points.",
            "カス1点。自分のこいこい1回で2倍。相手のこいこい1回で2倍。合わせて3倍。計3点。",
        ),
        (
            ["cherry-curtain", "chrysanthemum-sake", "willow-ribbon"],
            {"rules": {"viewing_spoilt": "captured_willow"}},
            "No yaku: 0 points. Flower Viewing does not pay: the pile has a willow.",
            "役なし：0点。花見で一杯は無効：取り札に柳がある。",
        ),
        (
            ["susuki-moon", "chrysanthemum-sake"],
            {"rules": {"viewing_needs": "month"}},
            "No yaku: 0 points. Moon Viewing does not pay: it pays in month 8 only, and the month is unknown.",
            "役なし：0点。月見で一杯は無効：8月だけの役（月が不明）。",
        ),
        (
            ["pine-crane", "pine-ribbon", "pine-chaff-1", "pine-chaff-2"],
            {"rules": {"month_cards": 4}},
            "No yaku: 0 points. Month Cards does not pay: the month is unknown.",
            "役なし：0点。月札は無効：月が不明。",
        ),
        (
            [*CHAFF[:9], "chrysanthemum-sake"],
            {"rules": {"sake_cup": "animal_or_chaff"}},
            "Chaff 1 point. The sake cup counts as chaff, the better choice.",
            "カス1点。菊に盃はカス札として数える。",
        ),
    ],
)
def test_why_the_total(cards: list[str], rest: dict[str, Any], en: str, ja: str) -> None:
    answer = score(*cards, **rest)
    assert (answer["why"], render(Message.from_dict(answer["reason"]), "ja")) == (en, ja)


def test_near_yaku_and_their_cards() -> None:
    near = missing(score("clover-boar", "maple-deer"))
    assert near == {"boar-deer-butterfly": (["peony-butterflies"], 1)}


def test_any_card_of_several() -> None:
    answer = score("wisteria-ribbon", "iris-ribbon", "clover-ribbon", "willow-ribbon")
    others = [
        "pine-ribbon",
        "plum-ribbon",
        "cherry-ribbon",
        "peony-ribbon",
        "chrysanthemum-ribbon",
        "maple-ribbon",
    ]
    assert missing(answer) == {"ribbons": (others, 1)}


def test_nearest_first() -> None:
    answer = score("pine-crane", "cherry-curtain", "susuki-moon")
    assert [lack["yaku"] for lack in answer["missing"]] == [
        "four-brights",
        "rainy-four-brights",
        "flower-viewing",
        "moon-viewing",
        "five-brights",
    ]


@pytest.mark.parametrize(
    ("cards", "rest", "absent"),
    [
        # Two brights and no Rain Man: no two of the other three make a rainy four.
        (["pine-crane", "cherry-curtain"], {}, "rainy-four-brights"),
        # A single card of three is not near.
        (["clover-boar"], {}, "boar-deer-butterfly"),
        # Held already.
        (["susuki-moon", "chrysanthemum-sake"], {}, "moon-viewing"),
        # Would not pay.
        (["susuki-moon", "willow-lightning"], {"rules": {"viewing_spoilt": "captured_rain"}}, "moon-viewing"),
        (["susuki-moon"], {"rules": {"viewing_needs": "month"}, "month": 3}, "moon-viewing"),
        (["susuki-moon"], {"rules": {"moon_viewing": 0}}, "moon-viewing"),
        (
            ["susuki-moon"],
            {"rules": {"viewing_spoilt": "field"}, "field": ["paulownia-yellow"]},
            "moon-viewing",
        ),
        # Would pay no more than what is held.
        (
            ["pine-crane", "cherry-curtain", "susuki-moon", "paulownia-phoenix"],
            {"rules": {"rainy_four_brights": 8}},
            "rainy-four-brights",
        ),
    ],
)
def test_not_near(cards: list[str], rest: dict[str, Any], absent: str) -> None:
    assert absent not in missing(score(*cards, **rest))


def test_month_cards_of_the_round_are_near() -> None:
    answer = score("iris-bridge", "iris-chaff-1", "iris-chaff-2", rules={"month_cards": 4}, month=5)
    assert missing(answer)["month-cards"] == (["iris-ribbon"], 1)
