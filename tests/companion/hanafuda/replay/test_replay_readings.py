"""Replay reports: illegal moves without evidence for another reading, and how the round ended."""

import json
from copy import deepcopy
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.hanafuda.replay import replay
from companion.hanafuda.simulation import random_round, record_of
from companion.messages import render

ROUND: dict[str, Any] = {
    "game": "koikoi",
    "deal": {
        "field": [
            "pine-ribbon", "wisteria-chaff-1", "iris-chaff-1", "peony-chaff-1",
            "susuki-moon", "maple-chaff-2", "willow-swallow", "paulownia-phoenix",
        ]
    },
    "turns": [
        {"player": 1, "play": "iris-bridge", "captured": ["iris-bridge", "iris-chaff-1"],
         "draw": "maple-ribbon", "draw_captured": ["maple-ribbon", "maple-chaff-2"], "call": None},
    ],
}  # fmt: skip


def after(**turn: Any) -> dict[str, Any]:
    """Return the replay of the round with its only turn changed."""
    record = deepcopy(ROUND)
    record["turns"][0].update(turn)
    return replay(record).to_dict()


@pytest.mark.parametrize(
    ("turn", "captured"),
    [
        ({}, ["iris-bridge", "iris-chaff-1", "maple-ribbon", "maple-chaff-2"]),
        ({"captured": []}, ["maple-ribbon", "maple-chaff-2"]),
        ({"draw_captured": []}, ["iris-bridge", "iris-chaff-1"]),
        (
            {"captured": ["iris-bridge", "peony-chaff-1"]},
            ["iris-bridge", "peony-chaff-1", "maple-ribbon", "maple-chaff-2"],
        ),
    ],
)
def test_a_capture_without_contrary_evidence_is_kept_as_recorded(
    turn: dict[str, Any], captured: list[str]
) -> None:
    reported = after(**turn)
    assert reported["legal"] is not bool(turn)
    assert sorted(reported["captured"]["1"]) == sorted(captured)
    assert reported["captured"]["2"] == []


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"])
def test_the_way_a_round_ended_is_printed_with_the_verdict(game: str) -> None:
    played = random_round(game, 1)
    outcome = played.outcome()
    assert outcome is not None
    reported = json.dumps(record_of(played))
    result = CliRunner().invoke(main, ["replay", "-"], input=reported, prog_name="companion")
    first = f"-:1  legal, result agrees  {game}, {len(played.turns())} turns: {render(outcome.why)}"
    assert result.stdout.splitlines()[0] == first


def test_a_card_dealt_twice_leaves_the_other_cards_known() -> None:
    """Where that card is remains unknown, and so does what is in its place; the other hand cards are as recorded."""
    record = record_of(random_round("koikoi", 3))
    hands = record["deal"]["hands"]
    hands["1"][0] = hands["2"][0]
    replayed = replay(record)
    assert [(noted.turn, noted.problem.code) for noted in replayed.noted] == [(0, "card-twice")]
    assert replayed.round.deal.hands == ((None, *hands["1"][1:]), (None, *hands["2"][1:]))


def test_hands_revealed_after_the_end_are_not_the_end_of_the_checking() -> None:
    record = {
        "game": "kingo",
        "deal": {"hands": {"1": ["iris-bridge"], "2": ["susuki-moon"]}},
        "turns": [
            {"player": 1, "draws": ["wisteria-cuckoo", "peony-ribbon"], "pass": True},
            {"player": 2, "draws": ["clover-boar"], "pass": True},
            {"player": 1, "show": ["iris-bridge"]},
            {"player": 2, "draws": ["pine-crane"], "pass": True},
        ],
    }
    problems = replay(record).to_dict()["problems"]
    assert [(each["turn"], each["code"]) for each in problems] == [(4, "round-over")]
