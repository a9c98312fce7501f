"""For any JSON, replay returns an answer or an error message, and never crashes."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_breaks import hide
from replay_tables import simulated

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.replay import replay
from companion.messages import render

JUNK = [
    None, True, False, 0, 1, 2, -1, 3, 99, 10**30, 0.5, float("nan"), "", "1", "2", "stop", "koikoi", "win",
    "pine-crane", "willow-lightning", "clubs-1", "kabu-5-a", "back", "no card", "\ud800", [], {}, [[]], [None],
    ["pine-crane"], ["pine-crane", "pine-crane"], {"1": []}, {"1": ["pine-crane"], "2": None}, {"a": 1},
]  # fmt: skip

JSON = st.recursive(
    st.sampled_from(JUNK), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner)
)


def answered(record: Any) -> None:
    try:
        answer = replay(record).to_dict()
    except BadRequestError:
        return
    json.dumps(answer)
    for problem in answer["problems"]:
        assert problem["code"]
        assert render(Message.from_dict(problem["reason"]), "ja")


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every position inside a JSON value, as its container and key or index."""
    inside = list(value.items() if isinstance(value, dict) else enumerate(value))
    found = [(value, key) for key, _ in inside]
    for _, inner in inside:
        if isinstance(inner, dict | list):
            found += places(inner)
    return found


def change(record: Any, data: st.DataObject) -> None:
    """Change one position of a record: another value, none, a value from elsewhere, or an additional one."""
    found = places(record)
    holder, key = data.draw(st.sampled_from(found))
    match data.draw(st.sampled_from(["junk", "delete", "elsewhere", "again"])):
        case "junk":
            holder[key] = deepcopy(data.draw(st.sampled_from(JUNK)))
        case "delete":
            del holder[key]
        case "elsewhere":
            other, there = data.draw(st.sampled_from(found))
            holder[key] = deepcopy(other[there])
        case "again" if isinstance(holder, list):
            holder.insert(key, deepcopy(holder[key]))


@pytest.fixture(scope="module")
def records() -> dict[str, list[dict[str, Any]]]:
    return {game: simulated(game, 12) for game in GAMES}


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_records_with_anything_changed(
    records: dict[str, list[dict[str, Any]]], game: str, data: Any
) -> None:
    record = deepcopy(data.draw(st.sampled_from(records[game])))
    if data.draw(st.booleans()):
        record = hide(record)
    for _ in range(data.draw(st.integers(1, 3))):
        change(record, data)
    answered(record)


@settings(max_examples=80, deadline=None)
@given(JSON)
def test_anything(value: Any) -> None:
    answered(value)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(GAMES)), JSON, JSON, JSON)
def test_anything_for_a_deal_and_turns(game: str, deal: Any, turns: Any, result: Any) -> None:
    answered({"game": game, "deal": deal, "turns": turns, "result": result})
