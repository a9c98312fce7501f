"""Counting what a referee reported of a round."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("hanafuda_training")

from hanafuda_training.benchmarks.turns_reported import count

PLAYED = {
    "player": 1,
    "play": "pine-crane",
    "captured": ["pine-crane", "pine-chaff-1"],
    "draw": "plum-ribbon",
    "draw_captured": [],
}
EXCHANGED = {
    "player": 1,
    "play": "plum-ribbon",
    "captured": [],
    "draw": "pine-crane",
    "draw_captured": ["pine-crane", "pine-chaff-2"],
}
OTHER = PLAYED | {"draw": "iris-ribbon"}
RESULT = {"points": {"1": 5, "2": 0}}


def line(turn: dict[str, Any], order: float | None = None) -> dict[str, Any]:
    return {"event": "turn", **turn, "order_confidence": order}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([line(PLAYED)], {"cards": 1}),
        ([line(EXCHANGED)], {"cards": 1, "order wrong": 1}),
        ([line(EXCHANGED, 0.6)], {"cards": 1, "order unknown": 1}),
        ([line(EXCHANGED, 0.95)], {"cards": 1, "order wrong": 1}),
        ([line(OTHER)], {"extra": 1, "silent": 1}),
        ([line(OTHER), {"event": "question"}], {"extra": 1, "questions": 1}),
        ([line(OTHER), {"event": "undone", "of": line(OTHER)}, line(PLAYED)], {"cards": 1, "undone": 1}),
        ([], {"silent": 1}),
        ([line(PLAYED), {"event": "round", "result": RESULT}], {"cards": 1, "points": 1}),
        ([line(PLAYED), {"event": "round", "result": None}], {"cards": 1}),
    ],
)
def test_turns_are_counted_by_what_they_have_right(
    lines: list[dict[str, Any]], expected: dict[str, int]
) -> None:
    found = count(lines, {"turns": [PLAYED], "result": RESULT})
    assert {name: number for name, number in found.items() if number} == {"turns": 1, "rounds": 1, **expected}


DISCARDS = [
    {"player": 1, "box": "pine-crane", "discards": [["plum-chaff-2"], ["iris-bridge"]]},
    {"player": 2, "discards": []},
]
HANDS = {"1": ["pine-crane"], "2": ["plum-ribbon"]}
DRAWS = [{"player": 1, "draws": ["iris-chaff-2"], "pass": True}, {"player": 2, "draws": [], "pass": True}]


@pytest.mark.parametrize(
    ("game", "played", "reported", "expected"),
    [
        ("kakkuri", (None, DISCARDS), (None, DISCARDS), {"turns": 3, "cards": 3}),
        (
            "kakkuri",
            (None, DISCARDS),
            (None, [{"player": 1, "box": "pine-crane", "discards": [["plum-chaff-1"], ["iris-ribbon"]]}]),
            {"turns": 3, "cards": 2, "extra": 1, "silent": 1},
        ),
        (
            "kingo",
            (HANDS, DRAWS),
            ({}, [{"player": 1, "draws": [None], "show": ["iris-chaff-1", "pine-crane"]}]),
            {"turns": 2, "cards": 1, "silent": 1},
        ),
    ],
)
def test_of_other_games_discards_and_hands_are_counted(
    game: str, played: Any, reported: Any, expected: dict[str, int]
) -> None:
    record, found_round = (
        {"game": game, "deal": {"hands": hands}, "turns": turns, "result": result}
        for (hands, turns), result in ((played, RESULT), (reported, None))
    )
    found = count([{"event": "round", **found_round}], record)
    assert {name: number for name, number in found.items() if number} == {"rounds": 1, **expected}
