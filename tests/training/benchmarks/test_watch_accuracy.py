"""The figures of ``bench watch``, for lines made by hand."""

from __future__ import annotations

import copy

import pytest

from hanafuda_training.benchmarks.watch_accuracy import compare, total

TURNS = [
    {"player": 1, "play": "pine-crane", "captured": ["pine-crane", "pine-chaff-1"], "draw": "plum-ribbon", "draw_captured": [], "call": None},
    {"player": 2, "play": "iris-ribbon", "captured": [], "draw": "maple-deer", "draw_captured": [], "call": None},
    {"player": 1, "play": "plum-warbler", "captured": ["plum-warbler", "plum-ribbon"], "draw": "clover-boar", "draw_captured": [], "call": "koikoi"},
]  # fmt: skip
RECORD = {
    "turns": TURNS, "players": 2, "deal": {"field": ["pine-chaff-1", "cherry-ribbon"]},
    "result": {"winner": 1, "points": {"1": 3, "2": 0}},
}  # fmt: skip


def lines(*turns):
    result = [{"event": "deal", "field": ["cherry-ribbon", "pine-chaff-2"]}]
    for number, turn in enumerate(turns, start=1):
        result.append(
            {
                "event": "turn",
                **{key: value for key, value in turn.items() if key != "call"},
                "frame": f"{number}.jpg",
            }
        )
        if turn.get("call"):
            result.append({"event": "call", "player": turn["player"], "call": turn["call"]})
    return [*result, {"event": "round", "result": RECORD["result"]}]


def changed(number, **others):
    turns = copy.deepcopy(TURNS)
    turns[number].update(others)
    return turns


PROBLEM = {"event": "problem", "code": "wrong-flower", "message": "", "frame": None}


def test_a_correct_game_with_twins_as_one_card():
    turns = changed(0, captured=["pine-chaff-2", "pine-crane"])
    found = compare("a", lines(*turns), RECORD, {"1.jpg": 1, "2.jpg": 2, "3.jpg": 4})
    assert (found.turns.hits, found.turns.n, found.silent, found.raised, found.extra) == (3, 3, 0, 0, 0)
    assert (found.calls.hits, found.calls.n) == (1, 1)
    assert found.points
    assert found.field
    assert (found.prompt.hits, found.prompt.n) == (2, 3)


@pytest.mark.parametrize(("before", "raised", "silent"), [(False, 0, 1), (True, 1, 0)])
def test_a_wrong_turn_counts_as_reported_only_with_a_problem(before, raised, silent):
    result = lines(*changed(1, play="iris-bridge"))
    if before:
        result.insert(2, PROBLEM)
    found = compare("a", result, RECORD)
    assert (found.turns.hits, found.raised, found.silent, found.extra) == (2, raised, silent, 1)


def test_a_problem_at_another_turn_does_not_count():
    result = lines(*changed(0, draw="plum-chaff-1"))
    result.insert(4, PROBLEM)
    found = compare("a", result, RECORD)
    assert (found.raised, found.silent) == (0, 1)


def test_a_retracted_turn_does_not_count():
    result = lines(*TURNS)
    wrong = {"event": "turn", **changed(1, play="iris-bridge")[1], "frame": "x"}
    result[2:2] = [wrong, {"event": "undone", "of": wrong, "frame": "y"}]
    found = compare("a", result, RECORD)
    assert (found.turns.hits, found.extra, found.undone) == (3, 0, 1)


def test_other_points_or_a_missing_end_are_no_agreement():
    result = lines(*TURNS)
    assert not compare("a", result[:-1], RECORD).points
    result[-1] = {"event": "round", "result": {"points": {"1": 2, "2": 0}}}
    assert not compare("a", result, RECORD).points


def test_rounds_are_summed():
    everything = total(
        [compare("a", lines(*TURNS), RECORD), compare("b", lines(*changed(2, draw="clover-ribbon")), RECORD)]
    )
    assert everything["turns"]["hits"] == 5
    assert everything["turns"]["n"] == 6
    assert everything["silent"] == 1


KINGO = {
    "game": "kingo", "players": 2,
    "deal": {"hands": {"1": ["pine-crane"], "2": ["maple-deer"]}},
    "turns": [
        {"player": 1, "draws": ["cherry-ribbon", "plum-chaff-2"], "pass": True},
        {"player": 2, "draws": ["willow-ribbon"], "bareta": True},
    ],
    "result": {"winner": 1, "points": {"1": 1, "2": -1}},
}  # fmt: skip


def showdown_events(*cards, draws=2, bareta=True):
    """Return the events of a showdown: cards drawn unseen, a hand shown at once and one shown at the end."""
    return [
        {"event": "deal", "field": []},
        {"event": "turn", "player": 1, "draws": [None] * draws, "pass": True, "frame": "1.jpg"},
        {"event": "turn", "player": 2, "draws": [None], "show": ["maple-deer", "willow-ribbon"], "bareta": bareta},
        {"event": "turn", "player": 1, "show": list(cards), "frame": "2.jpg"},
        {"event": "round", "result": KINGO["result"]},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("result", "right"),
    [
        (showdown_events("cherry-ribbon", "plum-chaff-1", "pine-crane"), 2),
        (showdown_events("cherry-ribbon", "plum-ribbon", "pine-crane"), 1),
        (showdown_events("cherry-ribbon", "plum-chaff-1", "pine-crane", draws=3), 1),
        (showdown_events("cherry-ribbon", "plum-chaff-1", "pine-crane", bareta=False), 1),
    ],
    ids=["as it was", "another card", "one drawn too many", "no bareta"],
)
def test_hidden_draws_are_compared_by_the_hands_revealed_at_the_end(result, right):
    found = compare("a", result, KINGO)
    assert (found.turns.hits, found.turns.n, found.silent, found.extra) == (right, 2, 2 - right, 2 - right)
    assert found.points
