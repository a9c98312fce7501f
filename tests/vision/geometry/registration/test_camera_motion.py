"""The movement of a camera between two pictures of a drawn table (synthetic, `tests.vision.tabletop`)."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.tabletop import Table, drawn
from vision.geometry.registration.camera_fit import project
from vision.geometry.registration.camera_motion import LandmarkPicture, camera_motion

CARDS = tuple((0.12 + 0.11 * (k % 7), 0.2 + 0.3 * (k // 7), k) for k in range(14))
TABLE = Table(CARDS)
CORNERS = np.array(((200, 150), (1100, 150), (1100, 600), (200, 600)), np.float64)


def picture(table: Table, seed: int = 0, seen_from: np.ndarray | None = None) -> LandmarkPicture:
    bgr = drawn(table, seed)
    if seen_from is not None:
        bgr = np.asarray(cv2.warpPerspective(bgr, seen_from, (1280, 720)), np.uint8)
    return LandmarkPicture(bgr)


@pytest.mark.parametrize(
    "there",
    [
        np.array(((1, 0, 14), (0, 1, -9), (0, 0, 1.0))),
        np.array(((1.01, 0.03, -20), (-0.03, 0.99, 25), (1e-5, 4e-5, 1.0))),
    ],
    ids=["nudged", "turned and tilted"],
)
def test_the_motion_maps_the_newer_picture_to_the_older_one(there: np.ndarray) -> None:
    motion = camera_motion(picture(TABLE), picture(TABLE, 1, there))
    assert motion is not None
    assert motion.moved
    assert np.linalg.norm(project(motion.matrix, project(there, CORNERS)) - CORNERS, axis=1).max() < 2


@pytest.mark.parametrize(
    "after",
    [
        TABLE,
        replace(TABLE, noise=8.0),
        replace(TABLE, arm=("top", 0.45, 0.5)),
        # a group of cards is tidied: all of them by the same distance
        Table((*CARDS[:7], *((x + 0.05, y + 0.05, k) for x, y, k in CARDS[7:]))),
    ],
    ids=["nothing", "noise", "an arm", "a group of cards is moved"],
)
def test_a_camera_that_stood_still_did_not_move(after: Table) -> None:
    motion = camera_motion(picture(TABLE), picture(after, 1))
    assert motion is not None
    assert not motion.moved
    assert np.array_equal(motion.matrix, np.eye(3))


def test_a_card_that_moves_on_a_plain_table_tells_nothing_about_the_camera() -> None:
    one, other = (
        LandmarkPicture(cv2.copyMakeBorder(drawn(Table(CARDS[:1]))[140:260, 150:210], y, 400, 300, 600, 0))
        for y in (200, 240)
    )
    motion = camera_motion(one, other)
    assert motion is None or not motion.moved


def test_another_table_is_not_recognized() -> None:
    other = Table(tuple((x, y + 0.07, k + 50) for x, y, k in CARDS))
    assert camera_motion(picture(TABLE), picture(other)) is None
