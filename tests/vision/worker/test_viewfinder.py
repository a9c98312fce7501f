"""What a phone that is the camera shows: cards, zones, and one hint about its place or the light."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from companion.observations import Observation, TrackedCard
from vision.sources.frames import Frame
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_observer import TableObserver
from vision.worker.viewfinder import viewfinder

SIZE = (1600, 900)
CARD_PX = (60, 98)


def card_at(x: float, y: float, scale: float = 1.0) -> list[list[float]]:
    """Return the quad of a card, px."""
    width, height = (side * scale for side in CARD_PX)
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


def document(
    *quads: list[list[float]],
    light: int = 150,
    burnt: int | None = None,
    unread: int | None = None,
    tilt: float = 0.0,
    shift: float = 0.0,
    notes: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the document for a picture of a ``light`` (0-255) with cards; the card ``burnt`` is white, and ``unread`` has no name.

    ``shift``: by how many px frames were moved in comparison with the picture.
    """
    pixels = np.full((SIZE[1], SIZE[0], 3), light, np.uint8)
    if burnt is not None:
        (left, top), _, (right, bottom), _ = quads[burnt]
        pixels[int(top) : int(bottom), int(left) : int(right)] = 255
    cards = tuple(
        TrackedCard(key, None if key == unread else "pine-crane", (), "field", (0.0, 0.0))
        for key in range(len(quads))
    )
    extra = {"quads": {str(key): quad for key, quad in enumerate(quads)}, "size": SIZE}
    observation = Observation("f1", 1.0, cards, (), notes=notes, extra=extra)
    view = SimpleNamespace(tilt=tilt, to_picture=lambda points: points + shift)
    loop = SimpleNamespace(taken=Frame("f1", 2.0, bgr=pixels), observation=observation, view=view)
    field = [{"zone": "field", "polygon": [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75]]}]
    zones = SimpleNamespace(zones=lambda: field)
    found = viewfinder(cast("CameraLoop", loop), cast("TableObserver", zones))
    assert found is not None
    return found


TWO = (card_at(400, 300), card_at(800, 300))


@pytest.mark.parametrize(
    ("hint", "found"),
    [
        (None, lambda: document(*TWO)),
        ("no-cards", document),
        ("small", lambda: document(card_at(400, 300), unread=0)),  # nearer it may be read
        ("steep", lambda: document([[400, 300], [460, 300], [460, 350], [400, 350]], unread=0)),
        ("no-cards", lambda: document(card_at(100, 100, 4))),  # the table would not fit
        (None, lambda: document(*TWO, light=60)),
        ("dark", lambda: document(*TWO, light=30)),
        ("small", lambda: document(card_at(400, 300, 0.4), card_at(800, 300, 0.4))),
        ("steep", lambda: document(*TWO, tilt=63.0)),
        (None, lambda: document(*TWO, tilt=61.0)),
        ("edge", lambda: document(card_at(1, 300), card_at(800, 300))),
        ("glare", lambda: document(TWO[0], card_at(800, 300, 1.6), burnt=1, unread=1)),
        (None, lambda: document(*TWO, light=255)),  # a white table
        (None, lambda: document(*TWO, burnt=1)),  # white paper that is read all the same
        (None, lambda: document(*TWO, unread=1)),
        ("moved", lambda: document(*TWO, notes=("camera-moved",))),
    ],
)
def test_one_hint_at_a_time(hint: str | None, found: Any) -> None:
    assert found()["hint"] == hint


def test_cards_and_zones_are_fractions_of_the_picture_as_it_was_taken() -> None:
    found = document(card_at(400, 300), shift=80.0)
    assert found["cards"] == [
        {"card": "pine-crane", "quad": [[0.3, 0.4222], [0.3375, 0.4222], [0.3375, 0.5311], [0.3, 0.5311]]}
    ]
    assert found["zones"][0]["polygon"] == [[0.3, 0.3389], [0.8, 0.3389], [0.8, 0.8389]]


def test_before_the_first_picture_there_is_nothing() -> None:
    loop = SimpleNamespace(taken=None, observation=None)
    assert viewfinder(cast("CameraLoop", loop), cast("TableObserver", None)) is None
