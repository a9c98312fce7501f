"""The observations of the first turns of a recorded table must not change while networks and tracking stay as they are.

The frames are in `shared`, which is not part of the repository; the observations are the first of ``observations/scene-game-a``. Cards
and zones are exact; positions and probabilities may differ a little, since processors round differently.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.rules import resolve
from tests.nets.stored import FOLDER, differences, read_lines
from vision.cli.source_argument import open_source
from vision.photograph.scanner import Scanner
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView

FRAMES = FOLDER.parents[2] / "shared" / "scenes" / "game-a"
TURNS = 3
NEAR_MM = 3.0
NEAR_DEGREES = 3.0
NEAR_PROBABILITY = 0.05
NEAR_OTHERWISE = 0.001
"""For all other numbers, such as times in seconds, which are stored rounded."""
NEWER = frozenset({"absent", "p_card", "silent", "source"})
"""Fields that the stored observations do not have yet, or in another place."""

pytestmark = pytest.mark.skipif(not FRAMES.is_dir(), reason=f"the recorded table is not here: {FRAMES}")


def near(where: str, one: float, other: float) -> bool:
    if ".at" in where:
        return abs(one - other) <= NEAR_MM
    if ".angle" in where:
        return min(abs(one - other), 360 - abs(one - other)) <= NEAR_DEGREES
    is_probability = ".likely" in where or ".visible" in where
    return abs(one - other) <= (NEAR_PROBABILITY if is_probability else NEAR_OTHERWISE)


def plain(observation: Any) -> Any:
    """Return an observation as it is stored: without data for drawing and `NEWER` fields, and with lists for tuples."""
    if isinstance(observation, dict):
        return {key: plain(each) for key, each in observation.items() if key not in {"extra", *NEWER}}
    return [plain(each) for each in observation] if isinstance(observation, list | tuple) else observation


def by_place(observation: Any) -> Any:
    """Return an observation with its visible cards in the order of their places, without the keys of their tracks.

    Which track goes on with which of two look-alikes that lie side by side depends on how a processor rounds. The stored observations also
    have cards that were remembered under others. Cards that one frame showed in motion are in no order.
    """
    cards = [
        {key: each for key, each in card.items() if key not in {"key", "on", "card", "source"}}
        for card in observation["cards"]
        if card["visible"] > 0
    ]
    untouched = sorted(time for _, time in observation["untouched"])
    moving = sorted(observation["transient_detections"], key=lambda card: (card["since"], card["card"]))
    return observation | {
        "transient_detections": moving,
        "cards": sorted(cards, key=lambda card: (card["zone"], card["at"])),
        "untouched": untouched,
    }


def test_the_first_turns_are_observed_as_before(tmp_path: Path) -> None:
    for turn in range(TURNS + 1):
        for frame in FRAMES.glob(f"{turn:03}-*.jpg"):
            shutil.copy(frame, tmp_path)
    observer = TableObserver(Scanner(fast=True), resolve("koikoi-standard").game, 2)
    found = []
    with open_source(str(tmp_path), 2.0) as source:
        loop = CameraLoop(source, observer, TableView(observer.scanner, None))
        while not loop.ended:
            if result := loop.next():
                found.append(plain(result[1].to_json()))
    _, *stored = read_lines(FOLDER / "observations" / "scene-game-a.jsonl.gz")
    found.pop()  # the end of the frames may cut the last one short
    assert len(found) > 2 * TURNS
    stored = [*map(by_place, stored[: len(found)])]
    assert list(differences(stored, [*map(by_place, found)], near)) == []
