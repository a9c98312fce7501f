"""What a phone that is the camera shows over its live picture: the cards, the zones, and what to change about its place."""

from __future__ import annotations

from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.observations import Observation
from vision.geometry.registration.view_quality import MIN_CARD_PX
from vision.networks.detector import card_widths
from vision.pictures.crops import Floats
from vision.sources.frames import Frame
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_observer import TableObserver

Hint = Literal["no-cards", "dark", "small", "steep", "glare", "edge", "moved"]
"""What is wrong with the camera's place or the light."""

#: Gray level (0-255) that the brightest hundredth of a picture must reach: darker paper is drowned in noise.
_DARK: Final = 85
#: Gray level from which print is burnt out, and by how much more of the unread cards' area than of the others' it is if light is the reason.
_BURNT: Final = 252
_GLARE: Final = 0.12
#: Visible fraction from which a card should be read.
_READABLE: Final = 0.5
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
    unread = np.array([each.card is None and each.visible >= _READABLE for each in cards], np.bool_)
    return {
        "cards": [
            {"card": each.card, "quad": quad.round(4).tolist()}
            for each, quad in zip(cards, outlines, strict=True)
        ],
        "zones": [
            {
                "zone": each["zone"],
                "polygon": (loop.view.to_picture(np.array(each["polygon"]) * size) / frame.size)
                .round(4)
                .tolist(),
            }
            for each in zones.zones()
        ],
        "hint": _hint(loop, frame, observation, px, unread),
    }


def _hint(
    loop: CameraLoop, frame: Frame, observation: Observation, px: Floats, unread: NDArray[np.bool_]
) -> Hint | None:
    """Return the most important thing that is wrong, None if nothing is, given the cards (n x 4 x 2 px of the picture) and which of them
    (n) should have been read and were not.
    """
    has_moved = "camera-moved" in observation.notes and frame.time - observation.time < _MOVED_S
    wrong: dict[Hint, bool] = {"dark": _is_dark(frame), "moved": has_moved, "no-cards": not len(px)}
    if len(px):
        places = px / frame.size
        wrong |= {
            "small": float(np.median(card_widths(px.astype(np.float32)))) < MIN_CARD_PX,
            "steep": loop.view.tilt > _MAX_TILT,
            "edge": bool(((places < _BORDER) | (places > 1 - _BORDER)).any()),
            "glare": _burnt(frame, px[unread]) > _burnt(frame, px[~unread]) + _GLARE,
        }
    return next((hint for hint, is_wrong in wrong.items() if is_wrong), None)


def _is_dark(frame: Frame) -> bool:
    return float(np.percentile(frame.small, 99)) < _DARK


def _burnt(frame: Frame, px: Floats) -> float:
    """Return the fraction of the cards' area (n x 4 x 2 px) that is burnt out."""
    mask = np.zeros(frame.gray.shape, np.uint8)
    scale = np.array(frame.gray.shape[::-1]) / frame.size
    cv2.fillPoly(mask, list((px * scale).round().astype(np.int32)), 1)
    return float((frame.gray[mask > 0] >= _BURNT).mean()) if mask.any() else 0.0
