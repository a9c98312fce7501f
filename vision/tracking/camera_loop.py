"""Watching one table: frames of a source, those that are settled, and what each of them shows."""

from __future__ import annotations

from typing import Final, Protocol

from companion.observations import Observation
from vision.geometry.table_view import TableView
from vision.sources import Frame, FrameSource
from vision.tracking.frame_recording import Recording
from vision.tracking.frame_selection import Gate, Settled

__all__ = ["Looker", "Lookout"]

#: How long a look at the source may wait for a frame, s.
_WAIT_S: Final = 0.25
#: While something moves, it is glimpsed at so often, s: which card came down first tells the played one from the drawn one.
_GLIMPSE_S: Final = 0.5


class Looker(Protocol):
    """What makes a look of a settled table; `vision.tracking.table_observer.Watcher`."""

    @property
    def card_px(self) -> float | None:
        """The width of a card in the frame, px, once one was seen."""

    def look(self, settled: Settled) -> Observation:
        """Return what a settled table shows."""

    def glimpse(self, frame: Frame) -> None:
        """Look at a table in motion."""


class Lookout:
    """Takes the frames of a source one by one."""

    def __init__(
        self,
        source: FrameSource,
        looker: Looker,
        recording: Recording | None = None,
        view: TableView | None = None,
    ) -> None:
        """``view``: how frames are watched; None as they are."""
        self._source, self._looker, self._view = source, looker, view
        self.recording = recording
        """What keeps the frames, None where nothing does."""
        self._gate = Gate()
        self.frame: Frame | None = None
        """The newest frame."""
        self.look: Observation | None = None
        """The newest look."""
        self.ended = False
        """Whether the source has given its last frame."""
        self._glimpsed = 0.0

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return self._gate.waiting

    @property
    def _in_motion(self) -> bool:
        # A glimpse just before the look would hold it up, on a slow machine by as long as the waiting took.
        return self._gate.waiting and not self._gate.settling

    def next(self, wait: float = _WAIT_S) -> tuple[Settled, Observation] | None:
        """Take the next frame, and return the settled table it shows; None where it shows none, or none came within ``wait`` s."""
        frame = self._source.next(wait)
        if frame is None:
            if self._source.state != "ended" or self.ended:
                return None
            self.ended = True
            settled = self._gate.finish()
        else:
            frame = self._apply_view(frame)
            settled = self._gate.feed(frame)
            if settled is not None and not settled.covered.any() and self._learn_view(settled.frame):
                # Frames are warped from now on, so a new gate has to compare them; the table is stable all the same.
                self._gate = Gate()
                frame = self._apply_view(frame)
                settled = self._gate.start(frame)
            self.frame = frame
        if self.recording and self.frame:
            self.recording.add(self.frame, self._gate, settled)
        if settled is None:
            if frame is not None and self._in_motion and frame.time - self._glimpsed >= _GLIMPSE_S:
                self._looker.glimpse(frame)
                self._glimpsed = frame.time
            return None
        self.look = self._looker.look(settled)
        self._gate.card_px = self._looker.card_px
        return settled, self.look

    def _apply_view(self, frame: Frame) -> Frame:
        return frame if self._view is None else self._view.apply(frame)

    def _learn_view(self, frame: Frame) -> bool:
        return self._view is not None and self._view.learn(frame)
