"""Observation of a table from single photographs that a player takes, instead of a camera stream."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Protocol

import cv2
import numpy as np

from companion.observations import POSTED, Observation
from vision.pictures.crops import Image
from vision.sources import Frame
from vision.tracking.camera_loop import FrameObserver
from vision.tracking.frame_selection import StableFrame
from vision.tracking.motion import Mask, SmoothImage, classify_change, smooth

#: A card is unmoved if at most this fraction of its pixels differs.
_UNMOVED_DIFFERENCE: Final = 0.2
#: If at least this fraction of the cards is unmoved, the photograph was taken from the same position: a turn moves at most four cards.
_UNMOVED_CARDS: Final = 0.5


class ZonedObserver(FrameObserver, Protocol):
    """An observer that knows the zones of its table."""

    def zones(self) -> list[dict[str, Any]]:
        """Return the zones as polygons in fractions (0-1) of the picture's width and height."""


class PhotographObserver:
    """Observes photographs one after another, taken from a stand or handheld; each counts as a stable frame."""

    def __init__(self, observer: ZonedObserver) -> None:
        self._observer = observer
        self._small: SmoothImage | None = None
        self._quads: dict[str, Any] = {}
        self._scale = 1.0  # small px per full px

    def observe(self, bgr: Image, name: str, time: float) -> tuple[Frame, Observation]:
        """Return a photograph (H x W x 3 uint8) taken at ``time`` (s) as a frame called ``name``, and its observation.

        A photograph from another position is matched by its cards, as after a camera was moved.
        """
        frame = Frame(name, time, bgr=bgr)
        small = smooth(frame.small)
        everywhere = np.ones(small.shape, np.bool_)
        changed, notes = everywhere, list[str]()
        if self._small is not None:
            changed, notes = everywhere, ["camera-moved"]
            if self._small.shape == small.shape:
                difference, change_notes = classify_change(self._small, small, everywhere)
                if "camera-moved" not in change_notes and (
                    change_notes or self._is_same_position(difference)
                ):
                    changed, notes = difference, change_notes
        stable = StableFrame(frame, changed, np.zeros_like(everywhere), notes=tuple(notes))
        observation = self._observer.observe(stable)
        self._small, self._quads = small, observation.extra["quads"]
        self._scale = small.shape[1] / bgr.shape[1]
        # Light differs between photographs; this needs no notice.
        kept = (note for note in observation.notes if note != "light-changed")
        extra = {**observation.extra, "zones": self._observer.zones()}
        return frame, replace(observation, notes=(*kept, POSTED), extra=extra)

    def _is_same_position(self, changed: Mask) -> bool:
        """Return whether most cards of the photograph before are unmoved in this one."""
        if not self._quads:
            return True
        unmoved = 0
        for quad in self._quads.values():
            inside = np.zeros(changed.shape, np.uint8)
            cv2.fillConvexPoly(inside, np.round(np.array(quad) * self._scale).astype(np.int32), 1)
            pixels = changed[inside > 0]
            unmoved += bool(pixels.size) and float(pixels.mean()) <= _UNMOVED_DIFFERENCE
        return unmoved >= _UNMOVED_CARDS * len(self._quads)
