"""A recorded round, frame by frame: reported correctly from its ground truth, without detection errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from referee_session import TIME

from companion.hanafuda.rules import resolve
from companion.observations import Observation, TrackedCard
from companion.table import Table
from companion.table.events import NewEvent
from companion.watch.interface import referee_for
from tests.companion.watch.fishing_sim import first_of

SCENE = Path(__file__).parents[4] / "shared" / "scenes" / "game-a"
MM_A_PX = 0.7
"""Approximate scale: a card of 33 mm is about 47 px wide."""

pytestmark = pytest.mark.skipif(not SCENE.is_dir(), reason=f"the recorded table is not here: {SCENE}")


def observations(frames: list[dict[str, Any]]) -> Iterator[Observation]:
    keys: dict[str, int] = {}
    since: dict[tuple[str, str], float] = {}
    for number, frame in enumerate(frames):
        time, found = number * 0.5, []
        for card in frame["cards"]:
            if card["visible"] < 0.12:
                continue
            at = tuple(MM_A_PX * sum(corner[axis] for corner in card["quad"]) / 4 for axis in (0, 1))
            name = card["card"] if card["card"] == "back" else first_of(card["card"])
            key = keys.setdefault(card["card"], len(keys) + 1)
            came = since.setdefault((card["card"], card["zone"]), time)
            found.append(
                TrackedCard(key, name, ((name, 0.98),), card["zone"], at, visible=card["visible"], since=came)
            )
        yield Observation(frame["image"], time, tuple(found))


@pytest.mark.parametrize("played", [True, False], ids=["cards-on-their-matches-too", "settled-only"])
def test_every_turn_is_reported(played: bool) -> None:
    record = json.loads((SCENE / "record.json").read_text())
    frames = [
        frame
        for frame in json.loads((SCENE / "truth.json").read_text())
        if frame["settled"] or (played and "-b-played-" in frame["image"])
    ]
    opened = {"name": "a", "game": "koikoi", "rules": record["rules"], "players": ["A", "B"], "deck": None}
    table = Table.open(NewEvent("opened", opened), actor="test", source="program", time=TIME)
    referee = referee_for(resolve(record["rules"], "koikoi"), 2)
    for observation in observations(frames):
        if new := referee.see(observation, table):
            table.append(new, actor="test", source="camera", time=TIME)
    table.append(referee.close(table), actor="test", source="camera", time=TIME)
    reported = table.record(1)
    assert list(map(plain, reported["turns"])) == list(map(plain, record["turns"]))
    assert reported["result"] == record["result"]
    assert table.open_problems == []
    assert not any(event.kind in {"asked", "noticed"} for event in table.events)


def plain(turn: dict[str, Any]) -> list[Any]:
    """Return a turn with look-alikes under one name."""
    captured = [sorted(map(first_of, turn[key])) for key in ("captured", "draw_captured")]
    return [turn["player"], first_of(turn["play"]), first_of(turn["draw"]), *captured, turn["call"]]
