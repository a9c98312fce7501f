"""The loop over a camera's frames: selects stable frames and turns each into an observation."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from companion.observations import Observation
from vision.pictures.crops import Floats
from vision.sources.frames import Frame, FrameSource
from vision.tracking.frame_recording import FrameRecording
from vision.tracking.frame_selection import FrameSelector, StableFrame
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView

#: Interval at which frames with motion are read, s: the order in which cards appear distinguishes the played card from the drawn one.
_MOTION_INTERVAL_S: Final = 0.5


class CameraLoop:
    """Reads the frames of a source one by one."""

    def __init__(
        self,
        source: FrameSource,
        observer: TableObserver,
        view: TableView,
        recording: FrameRecording | None = None,
    ) -> None:
        """``view`` rectifies frames of an oblique camera."""
        self._source, self._observer = source, observer
        self.view = view
        self.recording = recording
        """Where frames are recorded, if anywhere."""
        self._selector = FrameSelector(self._follow)
        self.taken: Frame | None = None
        """The newest frame as the camera took it."""
        self.frame: Frame | None = None
        """The newest frame."""
        self.observation: Observation | None = None
        """The newest observation."""
        self.ended = False
        """Whether the source has delivered its last frame."""
        self._motion_read_at = 0.0

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return self._selector.moving

    def next(self) -> tuple[StableFrame, Observation] | None:
        """Read the next frame; return it with its observation if it is stable.

        Returns None if it is not, or if no frame arrived in time (`FrameSource.next`).
        """
        frame = self._source.next()
        if frame is None:
            if self._source.state != "ended" or self.ended:
                return None
            self.ended = True
            stable = self._selector.finish()
        else:
            frame, stable = self._select(frame)
            self.frame = frame
            self._source.calm = self._selector.calm
        if self.recording and self.frame:
            self.recording.add(self.frame, self._selector, stable)
        if stable is None:
            if frame is not None:
                self._read_motion(frame)
            return None
        self.observation = self._observer.observe(stable)
        self._selector.card_px = self._observer.card_px
        if not stable.covered.all():
            self._selector.keep_out(self._observer.unknown)
        return stable, self.observation

    def _follow(self, motion: Floats) -> Frame:
        """Keep showing the table as before after the camera moved; return the newest frame again."""
        assert self.taken is not None
        self.view.follow(motion)
        return self.view.apply(self.taken)

    def _select(self, frame: Frame) -> tuple[Frame, StableFrame | None]:
        """Return the rectified frame, and the stable frame if there is one."""
        self.taken = frame
        frame = self.view.apply(frame)
        stable = self._selector.feed(frame)
        if stable is None:
            return frame, None
        rectifying = None
        if not stable.covered.any():
            rectifying = self.view.learn(stable.frame, self._observer.objects(stable.frame))
        if rectifying is not None:
            self._observer.rectify(self.view.apply)
            # Frames are rectified from now on and need a new selector; the table is stable all the same.
            hands = tuple(hand.seen_from(rectifying) for hand in stable.hands)
            self._selector = FrameSelector(self._follow)
            stable = replace(self._selector.start(self.view.apply(self.taken)), hands=hands)
        return stable.frame, stable

    def _read_motion(self, frame: Frame) -> None:
        # Not shortly before a stable frame: on a slow machine that would delay its observation.
        in_motion = self._selector.moving and not self._selector.about_to_report
        if in_motion and frame.time - self._motion_read_at >= _MOTION_INTERVAL_S:
            self._observer.observe_motion(frame)
            self._motion_read_at = frame.time
