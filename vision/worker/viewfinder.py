"""What a phone that is the camera shows over its live picture: the cards, the zones, and what to change about its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import cv2
import numpy as np

from companion.hanafuda.cards import BACK
from companion.observations import TrackedCard
from vision.geometry.registration.view_quality import MIN_CARD_PX
from vision.networks.detector import card_widths
from vision.pictures.crops import Floats
from vision.sources.frames import Frame
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_observer import TableObserver

Hint = Literal["no-cards", "dark", "small", "steep", "glare", "edge", "moved"]
"""What is wrong with the camera's place or the light."""

#: Gray level (0-255) that the brightest hundredth of a picture must reach: from 20 down fewer cards are named (BENCHMARKS.md), and a real
#: phone in the dark also blurs.
_DARK: Final = 40
#: Gray level from which print is burnt out, and how much of it beside the cards that are named is a reflection, in areas of a card: less than
#: this did not hide a card, and more than the second is a white table.
_BURNT: Final = 252
_GLARE: Final = (2.0, 25.0)
#: A card that is wider than this fraction of the picture is none: the table would not fit into it.
_WIDEST: Final = 0.12
#: Visible fraction from which a card should be read.
_READABLE: Final = 0.5
#: Height of the cards in the picture, in their widths, below which the view is steep if most of them are not read: as at 55 degrees.
_FLAT: Final = 0.95
#: Tilt (degrees) up to which cards are named as from above.
_MAX_TILT: Final = 62.0
#: A card that comes this near to the border of the picture (fraction of its size) may be cut off.
_BORDER: Final = 0.004
#: How long a movement of the camera is reported, s.
_MOVED_S: Final = 8.0


def viewfinder(loop: CameraLoop, zones: TableObserver) -> dict[str, Any] | None:
    """Return the document of the newest observation: ``cards`` (``card``, ``quad``), ``zones`` (``zone``, ``polygon``) and ``hint``.

    Coordinates are fractions of width and height of the camera's picture. None before there is one.
    """
    frame, observation = loop.taken, loop.observation
    if frame is None:
        return None
    if observation is None:
        return {"cards": [], "zones": [], "hint": "dark" if _is_dark(frame) else "no-cards"}
    seen = observation.extra["quads"]
    cards = [each for each in observation.cards if str(each.key) in seen]
    quads = np.array([seen[str(each.key)] for each in cards], np.float64).reshape(-1, 4, 2)
    px = loop.view.to_picture(quads)
    outlines = px / frame.size
    size = np.array(observation.extra["size"])
    areas = [(each["zone"], loop.view.to_picture(np.array(each["polygon"]) * size)) for each in zones.zones()]
    return {
        "cards": [
            {"card": each.card, "quad": quad.round(4).tolist()}
            for each, quad in zip(cards, outlines, strict=True)
        ],
        "zones": [
            {"zone": zone, "polygon": (polygon / frame.size).round(4).tolist()} for zone, polygon in areas
        ],
        "hint": _hint(loop, frame, cards, px, [polygon for _, polygon in areas]),
    }


def _hint(
    loop: CameraLoop, frame: Frame, cards: Sequence[TrackedCard], px: Floats, zones: Sequence[Floats]
) -> Hint | None:
    """Return the most important thing that is wrong, None if nothing is, given the cards of the newest observation, their quads (n x 4 x 2
    px of the picture) and the zones of the table (m x 2 px each).
    """
    observation = loop.observation
    assert observation is not None
    has_moved = "camera-moved" in observation.notes and frame.time - observation.time < _MOVED_S
    widths = card_widths(px.astype(np.float32))
    fits = widths < _WIDEST * max(frame.size)
    wrong: dict[Hint, bool] = {"dark": _is_dark(frame), "moved": has_moved, "no-cards": not fits.any()}
    is_unread = False
    if fits.any():
        faces = fits & [each.card != BACK and each.visible >= _READABLE for each in cards]
        named = fits & [each.card is not None for each in cards]
        is_unread = bool(2 * np.count_nonzero(named & faces) < np.count_nonzero(faces))
        width, height = np.median(np.ptp(px[fits], axis=1), axis=0)
        places = px[fits] / frame.size
        wrong |= {
            "small": float(np.median(widths[fits])) < MIN_CARD_PX,
            "steep": loop.view.tilt > _MAX_TILT or (is_unread and height < _FLAT * width),
            "edge": bool(((places < _BORDER) | (places > 1 - _BORDER)).any()),
            "glare": _GLARE[0] < _reflection(frame, px[named], zones) < _GLARE[1],
        }
    return next((hint for hint, is_wrong in wrong.items() if is_wrong), "small" if is_unread else None)


def _is_dark(frame: Frame) -> bool:
    return float(np.percentile(frame.small, 99)) < _DARK


def _reflection(frame: Frame, named: Floats, zones: Sequence[Floats]) -> float:
    """Return how much of the table is burnt out beside the cards that are named (n x 4 x 2 px), in areas of a card; ``zones``: as `_hint`.

    White paper that is read is no reflection.
    """
    if not len(named):
        return 0.0
    scale = np.array(frame.gray.shape[::-1]) / frame.size
    quads = (named * scale).round().astype(np.int32)
    table = np.zeros(frame.gray.shape, np.uint8)
    outline = np.concatenate(
        [quads.reshape(-1, 2), *((each * scale).round().astype(np.int32) for each in zones)]
    )
    cv2.fillConvexPoly(table, cv2.convexHull(outline), 1)
    cv2.fillPoly(table, list(quads), 0)
    area = float(np.median([cv2.contourArea(quad) for quad in quads]))
    return np.count_nonzero(frame.gray[table > 0] >= _BURNT) / max(area, 1.0)
