"""Single photographs of a table: rectified like camera frames, and aligned if they are taken from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.hanafuda.cards import first_of
from companion.observations import POSTED, Observation
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.stage import Moment, PlacedCard
from tests.vision.tracking.test_table_observer import DEAL, FIELD, at, named, scanner, without, zones
from vision.tracking.posted_photographs import PhotographObserver
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView

OBLIQUE = Path("/work/shared/scenes/rounds/rnd-08")


class Phone:
    """Takes photographs of a drawn table, each from its own position."""

    def __init__(self) -> None:
        self._renderer = Renderer(5, mess=0.4)
        self._posted = PhotographObserver(TableObserver(scanner(), "koikoi"), TableView(scanner()))
        self._time = 0.0

    def observe(self, cards: Sequence[PlacedCard], seen_from: np.ndarray | None = None) -> Observation:
        bgr, _ = self._renderer.draw(Moment("settled", 2.0, 1, tuple(cards), None), 0.5)
        if seen_from is not None:
            bgr = np.asarray(cv2.warpPerspective(bgr, seen_from, bgr.shape[1::-1]), np.uint8)
        self._time += 20.0
        return self._posted.observe(bgr, f"{self._time:g}", self._time)[1]


def test_photographs_from_other_positions_show_the_same_table() -> None:
    phone = Phone()
    before = phone.observe(DEAL)
    here = np.array(((1.02, 0.03, -30), (-0.02, 1.0, 20), (2e-5, 3e-5, 1.0)))
    same = phone.observe(DEAL, here)
    assert (before.notes, same.notes) == ((POSTED,), ("camera-moved", POSTED))
    kept, moved = named(before), named(same)
    assert {card: (each.key, each.zone, each.since) for card, each in moved.items()} == {
        card: (each.key, each.zone, each.since) for card, each in kept.items()
    }
    assert all(np.hypot(*np.subtract(each.at, kept[card].at)) < 3 for card, each in moved.items())
    played = phone.observe([*without("pine-crane"), at("maple-deer", 60.0, -31.0)])
    assert zones(played)["field"] == sorted({*FIELD, "maple-deer"} - {"pine-crane"})


@pytest.mark.skipif(not OBLIQUE.exists(), reason="the oblique round of the shared folder is missing")
def test_photographs_of_an_oblique_camera_are_rectified() -> None:
    """Incident: posted photographs were read as they were taken, and at 55° two of nine dealt cards had a name."""
    truth = {entry["image"]: entry for entry in json.loads((OBLIQUE / "truth.json").read_text())}
    posted = PhotographObserver(TableObserver(scanner(), "koikoi"), TableView(scanner()))
    for number, name in enumerate(("000-a-deal-2.jpg", "001-e-settled-2.jpg", "007-g-settled-2.jpg")):
        _, observation = posted.observe(cv2.imread(str(OBLIQUE / name)), name, 20.0 * number)
        found = sorted(
            (first_of(each.card), each.zone) for each in observation.cards if each.card and each.visible
        )
        laid = sorted((first_of(each["card"]), each["zone"]) for each in truth[name]["cards"])
        assert [each for each in found if each[1] != "stock"] == [each for each in laid if each[1] != "stock"]
