"""Invariants of scores for every pile and all rules."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.cards import HANAFUDA, twin
from companion.hanafuda.games.koikoi import YAKU
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.messages import Message
from companion.hanafuda.scoring import score_request
from companion.messages import render

IDS = [card.id for card in HANAFUDA]

piles = st.sets(st.sampled_from(IDS))
months = st.none() | st.integers(1, 12)
_calls = st.lists(st.sampled_from(["x2", "x3", "x10", "+1", "+5"]), max_size=4)
_choices = {
    "poetry_blue": ["both", "replace", "add"],
    "animals_special": ["stack", "stack_extra", "best_extra"],
    "ribbons_special": ["stack", "stack_extra", "best_extra"],
    "bright_group": ["best", "all"],
    "rain_man": ["excluded", "counts"],
    "sake_cup": ["animal", "animal_and_chaff", "animal_or_chaff", "uncounted"],
    "viewing_spoilt": ["none", "captured_rain", "captured_willow", "field"],
    "viewing_needs": ["nothing", "month", "another_yaku"],
    "combine": ["multiply", "add"],
    "seven": ["base", "multiplied", "off"],
}
rules = st.fixed_dictionaries(
    {},
    optional={
        "preset": st.sampled_from(["koikoi-standard", "koikoi-guide", "koikoi-hu"]),
        "own_call": _calls,
        "opponent_call": _calls,
        "viewing_after_call": st.integers(0, 9),
        **{yaku.option: st.integers(0, 15) for yaku in YAKU.values()},
        **{key: st.sampled_from(values) for key, values in _choices.items()},
    },
)
requests = st.builds(
    lambda pile, field, **rest: {
        "game": "koikoi",
        "captured": sorted(pile),
        "field": sorted(field - pile),
        **rest,
    },
    pile=piles,
    field=piles,
    rules=rules,
    month=months,
    calls=st.fixed_dictionaries({}, optional={"own": st.integers(0, 9), "opponent": st.integers(0, 9)}),
)


def test_the_strategies_know_every_value_of_a_choice() -> None:
    for key, values in _choices.items():
        assert all(KoiKoiRules.options()[key].is_valid(value) for value in values)
        assert not KoiKoiRules.options()[key].is_valid("nonsense")


@given(requests)
def test_yaku_add_up_and_lie_in_the_pile(request: dict[str, Any]) -> None:
    answer = score_request(request)
    assert answer["base"] == sum(yaku["points"] for yaku in answer["yaku"])
    assert answer["total"] >= answer["base"]
    assert (answer["total"] == 0) == (answer["base"] == 0)
    for yaku in answer["yaku"]:
        assert yaku["points"] > 0
        assert yaku["cards"]
        assert set(yaku["cards"]) <= set(request["captured"])
        assert render(Message.from_dict(yaku["reason"]), "ja")
    names = [yaku["name"] for yaku in answer["yaku"]]
    assert len(names) == len(set(names))


@given(requests, st.randoms())
def test_order_does_not_matter(request: dict[str, Any], random: Any) -> None:
    shuffled = list(request["captured"])
    random.shuffle(shuffled)
    assert score_request({**request, "captured": shuffled}) == score_request(request)


@given(requests)
def test_twins_are_equivalent(request: dict[str, Any]) -> None:
    other = [twin(card) or card for card in request["captured"]]
    field = [twin(card) or card for card in request["field"]]
    answers = score_request(request), score_request({**request, "captured": other, "field": field})
    points = [[(yaku["name"], yaku["points"]) for yaku in answer["yaku"]] for answer in answers]
    assert points[0] == points[1]
    assert answers[0]["total"] == answers[1]["total"]
    assert answers[0]["reason"] == answers[1]["reason"]


@given(piles, st.sampled_from(IDS), st.sampled_from(["koikoi-standard", "koikoi-guide", "koikoi-hu"]))
def test_a_further_card_never_costs_points(pile: set[str], card: str, preset: str) -> None:
    fewer, more = (
        score_request({"game": "koikoi", "rules": preset, "captured": sorted(cards)})["base"]
        for cards in (pile - {card}, pile | {card})
    )
    assert fewer <= more


@given(requests)
@settings(max_examples=60)
def test_what_is_missing_makes_the_yaku_and_raises_the_points(request: dict[str, Any]) -> None:
    answer = score_request(request)
    made = {yaku["name"] for yaku in answer["yaku"]}
    for lack in answer["missing"]:
        assert lack["yaku"] not in made
        assert 1 <= lack["count"] <= min(2, len(lack["needs"]))
        assert not set(lack["needs"]) & set(request["captured"])
        # With exactly enough cards there is one way to choose them, and it must be found.
        if len(lack["needs"]) == lack["count"]:
            field = [card for card in request["field"] if card not in lack["needs"]]
            pile = request["captured"] + lack["needs"]
            then = score_request({**request, "captured": pile, "field": field})
            assert lack["yaku"] in {yaku["name"] for yaku in then["yaku"]}
            assert then["base"] > answer["base"]


@given(piles, st.sampled_from(["animal", "animal_and_chaff", "animal_or_chaff", "uncounted"]))
def test_the_sake_cup_is_worth_most_as_both_and_least_as_neither(pile: set[str], cup: str) -> None:
    def base(sake_cup: str) -> int:
        request = {"game": "koikoi", "rules": {"sake_cup": sake_cup}, "captured": sorted(pile)}
        return int(score_request(request)["base"])

    assert base("uncounted") <= base(cup) <= base("animal_and_chaff")
    assert base("animal_or_chaff") >= base("animal")


@given(piles)
def test_the_whole_deck_and_nothing_bound_every_pile(pile: set[str]) -> None:
    request = {"game": "koikoi", "rules": {"bright_group": "all"}, "captured": sorted(pile)}
    assert 0 <= score_request(request)["base"] <= score_request({**request, "captured": IDS})["base"]
