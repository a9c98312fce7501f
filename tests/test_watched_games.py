"""A Kakkuri round and a Kingo showdown with four players, from recorded observations to lines.

The observations are of the demo's pictures, drawn with our own faces (synthetic), read by the camera worker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.recorded_observations import recorded_round, standing_turns, watched_lines

#: Number of turns of the Kakkuri round that were recorded: they include two cards on their look-alikes and
#: eight passes.
TURNS = 13


def kind(card: str) -> str:
    """Return a card's name without its distinction from its look-alike."""
    return card.removesuffix("-1").removesuffix("-2") if "-chaff-" in card else card


def discarded(turns: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Return who turned up and discarded what; an empty list for a pass."""
    return [
        (
            turn["player"],
            kind(turn.get("box", "")),
            [[kind(card) for card in laid] for laid in turn["discards"]],
        )
        for turn in turns
        if "swap" not in turn
    ]


def test_of_a_kakkuri_round_every_discard_and_pass_is_reported() -> None:
    recorded = recorded_round("kakkuri")
    (record,), lines = recorded.records, watched_lines(recorded)
    reported = discarded(standing_turns(lines))
    # The last watched turn has not ended: the player may discard again.
    assert reported == discarded(record["turns"])[: len(reported)]
    assert len(reported) >= TURNS - 1
    assert not [line for line in lines if line["event"] in {"problem", "undone"}]


def test_a_kingo_showdown_of_four_is_worked_out() -> None:
    recorded = recorded_round("kingo-of-four")
    (record,), lines = recorded.records, watched_lines(recorded)
    (reported,) = [line for line in lines if line["event"] == "round"]
    displayed = {
        turn["player"]: {kind(card) for card in turn["show"]} for turn in reported["turns"] if "show" in turn
    }
    hands = {int(seat): set(map(kind, cards)) for seat, cards in record["deal"]["hands"].items()}
    for turn in record["turns"]:
        hands[turn["player"]] |= set(map(kind, turn["draws"]))
    # Nobody has entered who dealt, and a strip of player 2's hand looks like a third card.
    (question,) = [line for line in lines if line["event"] == "question"]
    assert question["reason"]["code"] == "question-who-dealt-which-hands"
    assert displayed.keys() == hands.keys()
    assert {seat for seat in hands if displayed[seat] != hands[seat]} <= {2}
    assert displayed[2] >= hands[2]
    assert not [line for line in lines if line["event"] in {"problem", "undone"}]
