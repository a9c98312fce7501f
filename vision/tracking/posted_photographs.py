"""A table of which somebody takes a picture now and then, instead of a camera that always looks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import cv2
import numpy as np

from companion.observations import POSTED, Observation
from vision.networks.crops import Image
from vision.sources import Frame
from vision.tracking.camera_loop import Looker
from vision.tracking.frame_selection import Settled
from vision.tracking.motion import Mask, Small, how_it_changed, soft

__all__ = ["Posted"]

#: A card's place is as it was where no more than this share of its pixels differs,
_AS_IT_WAS: Final = 0.2
#: and where this share of the cards lies as it lay, the picture was taken from the same place: a turn moves four cards at most.
_STANDS: Final = 0.5


class Posted:
    """Looks at picture after picture; each shows the table as it lies, taken from a stand or out of the hand."""

    def __init__(self, looker: Looker) -> None:
        self._looker = looker
        self._small: Small | None = None
        self._quads: dict[str, Any] = {}
        self._scale = 1.0  # px of the small picture to one of the whole

    def look(self, bgr: Image, name: str, time: float) -> tuple[Frame, Observation]:
        """Return the picture (H x W x 3 uint8), called ``name`` and taken at ``time`` (s), as a frame, and what it shows.

        From another place than before the same table is known again by its cards, as after a camera was knocked.
        """
        frame = Frame(name, time, bgr=bgr)
        small = soft(frame.small)
        everywhere = np.ones(small.shape, np.bool_)
        changed, notes = everywhere, list[str]()
        if self._small is not None:
            changed, notes = everywhere, ["camera-moved"]
            if self._small.shape == small.shape:
                differs, noted = how_it_changed(self._small, small, everywhere)
                if "camera-moved" not in noted and (noted or self._stands(differs)):
                    changed, notes = differs, noted
        settled = Settled(frame, changed, np.zeros_like(everywhere), notes=tuple(notes))
        look = self._looker.look(settled)
        self._small, self._quads = small, look.extra["quads"]
        self._scale = small.shape[1] / bgr.shape[1]
        # Whoever takes pictures moves about: nobody need be told.
        told = (note for note in look.notes if note != "light-changed")
        return frame, replace(look, notes=(*told, POSTED))

    def _stands(self, changed: Mask) -> bool:
        """Return whether most cards of the picture before lie where they lay in it."""
        if not self._quads:
            return True
        same = 0
        for quad in self._quads.values():
            inside = np.zeros(changed.shape, np.uint8)
            cv2.fillConvexPoly(inside, np.round(np.array(quad) * self._scale).astype(np.int32), 1)
            there = changed[inside > 0]
            same += bool(there.size) and float(there.mean()) <= _AS_IT_WAS
        return same >= _STANDS * len(self._quads)
