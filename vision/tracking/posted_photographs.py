"""Observation of a table from single photographs that a player takes, instead of a camera stream."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.observations import POSTED, Observation
from vision.geometry.registration.camera_motion import LandmarkPicture, camera_motion
from vision.pictures.crops import Image
from vision.sources.frames import Frame
from vision.tracking.frame_selection import StableFrame
from vision.tracking.motion import SmoothImage, classify_change, smooth
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView


class PhotographObserver:
    """Observes photographs one after another, taken from a stand or handheld; each counts as a stable frame."""

    def __init__(self, observer: TableObserver, view: TableView) -> None:
        """``view`` rectifies photographs that were taken at an angle."""
        self._observer, self._view = observer, view
        self._small: SmoothImage | None = None
        self._before: LandmarkPicture | None = None

    def observe(self, bgr: Image, name: str, time: float) -> tuple[Frame, Observation]:
        """Return a photograph (H x W x 3 uint8) taken at ``time`` (s) as the frame ``name`` that was read, and its observation.

        A photograph that shows the table from elsewhere is aligned with the one before; if too little of the table is recognizable
        in both, its cards are matched as after a camera was moved.
        """
        frame, moved, aligned = self._as_before(Frame(name, time, bgr=bgr))
        small = smooth(frame.small)
        everywhere = np.ones(small.shape, np.bool_)
        changed, notes = everywhere, ["camera-moved"] if moved else []
        if self._small is not None and self._small.shape == small.shape and (aligned or not moved):
            changed, _ = classify_change(self._small, small, everywhere, same_place=True)
        stable = StableFrame(frame, changed, ~everywhere, notes=tuple(notes), aligned=aligned)
        observation = self._observer.observe(stable)
        self._small = small
        # Light differs between photographs; this needs no notice.
        kept = (note for note in observation.notes if note != "light-changed")
        extra = {**observation.extra, "zones": self._observer.zones()}
        return frame, replace(observation, notes=(*kept, POSTED), extra=extra)

    def _as_before(self, taken: Frame) -> tuple[Frame, bool, bool]:
        """Return a photograph as it is processed, whether it was taken from elsewhere, and whether it is aligned nevertheless."""
        frame, before = self._view.apply(taken), self._before
        self._before = LandmarkPicture(frame.bgr)
        motion = None if before is None else camera_motion(before, self._before)
        if motion is not None and motion.moved:
            self._view.follow(motion.matrix)
            frame = self._view.apply(taken)
        elif motion is not None:
            if self._view.learn(frame, self._observer.objects(frame)) is None:
                return frame, False, False
            motion, frame = None, self._view.apply(taken)
        else:
            frame = self._view.learn_again(taken)
        self._before = LandmarkPicture(frame.bgr)
        return frame, before is not None, motion is not None
