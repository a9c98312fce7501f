"""Observations: their JSON form, and merging one that was not delivered with the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.observations import (
    ELSEWHERE,
    FIELD,
    POSTED,
    HandEvent,
    Observation,
    TrackedCard,
)

CRANE = TrackedCard(1, "pine-crane", (("pine-crane", 0.9),), FIELD, (1.0, 2.0), on=(2,), towards=0.5)
BOAR = TrackedCard(2, "clover-boar", (("clover-boar", 0.8),), FIELD, (30.0, 2.0))
HANDS = (HandEvent(1.0, (0.0, 0.0), 1, 0.25), HandEvent(2.0, (5.0, 5.0)))
PASSING = (
    TrackedCard(0, "pine-crane", (("pine-crane", 1.0),), FIELD, (0.0, 0.0), since=1.5, absent=1.0),
    TrackedCard(0, "clover-boar", (("clover-boar", 1.0),), FIELD, (9.0, 0.0), since=2.5),
)
WEAK = (
    TrackedCard(0, "plum-ribbon", (("plum-ribbon", 0.3),), ELSEWHERE, (4.0, 4.0)),
    TrackedCard(0, "plum-ribbon", (("plum-ribbon", 0.4),), ELSEWHERE, (4.0, 5.0)),
)

#: By field: its value in an observation, in the next one, and in the two merged.
MERGED: Mapping[str, tuple[Any, Any, Any]] = {
    "frame": ("f1", "f2", "f2"),
    "time": (1.0, 2.0, 2.0),
    "cards": ((CRANE,), (CRANE, BOAR), (CRANE, BOAR)),
    "hand_events": (HANDS[:1], HANDS[1:], HANDS),
    "transient_detections": (PASSING[:1], PASSING[1:], PASSING),
    # Card 1 was touched before the second observation, 3 before the first: nothing is known of 3 since the
    # observation before both.
    "untouched": (((1, 0.5), (2, 0.9)), ((2, 1.9), (3, 1.9)), ((1, 0.5), (2, 1.9))),
    "notes": (("light-changed", POSTED), ("camera-moved", POSTED), ("light-changed", POSTED, "camera-moved")),
    "extra": ({"size": [1, 1]}, {"size": [2, 2]}, {"size": [2, 2]}),
    "weak_detections": (WEAK[:1], WEAK[1:], WEAK),
    "silent": (("pine-crane",), (), ()),
    "source": ("camera", "camera", "camera"),
}


def observation(which: int) -> Observation:
    return Observation(**{name: values[which] for name, values in MERGED.items()})


def test_every_field_is_merged() -> None:
    """A newer observation replaced an unsent one, and the camera worker forgot to keep what three fields reported."""
    assert set(MERGED) == {each.name for each in fields(Observation)}, "say here how a new field is merged"
    merged = observation(0).merged_with(observation(1))
    for name, (_, _, expected) in MERGED.items():
        assert getattr(merged, name) == expected, name


@pytest.mark.parametrize("which", [0, 1])
def test_json_keeps_every_field(which: int) -> None:
    sent = observation(which)
    assert Observation.from_json(json.loads(json.dumps(sent.to_json()))) == sent


@pytest.mark.parametrize(
    "reported", [{}, {"frame": "f", "time": "x", "cards": []}, {"frame": "f", "time": 1, "cards": [{}]}]
)
def test_invalid_observations_are_rejected(reported: dict[str, Any]) -> None:
    with pytest.raises(BadRequestError):
        Observation.from_json(reported)
