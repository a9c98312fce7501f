"""Cameras and network streams: a thread grabs always, the newest frame wins, and what hangs or breaks is opened again for ever.

A driver's or decoder's ``read`` can hang for ever, and no thread can be stopped from outside. The watchdog therefore leaves a grabber
that hangs behind and starts another; should the old one ever come back, it finds that it was left and lets go of its device.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.sources.frames import Frame, FrameSource, SourceError, State

__all__ = ["Capture", "Live", "StuckError", "Timing"]

Pixels = NDArray[np.uint8]


class Capture(Protocol):
    """An opened camera or stream."""

    def grab(self) -> bool:
        """Wait for the next frame and take it, not decoded yet; whether there was one."""

    def retrieve(self) -> Pixels | bytes | None:
        """Return the frame that was grabbed: H x W x 3 uint8 BGR, or a JPEG's bytes; None where it is damaged."""

    def release(self) -> None:
        """Let go of the device."""


Opener = Callable[[], Capture]
"""Opens a camera or stream; `SourceError` says why it cannot."""


class StuckError(RuntimeError):
    """So many grabbers hang that only a new process can help."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How patient a live source is, s."""

    stale: float = 2.0
    """Without a frame for this long it is stale,"""
    hangs: float = 8.0
    """and for this long: it is opened again."""
    opening: float = 20.0
    """How long opening may take: a network camera that is away lets one wait."""
    first_wait: float = 0.5
    """The wait before it is opened again; doubled each time,"""
    longest_wait: float = 10.0
    """up to this."""
    jitter: float = 0.3
    """Each wait is longer or shorter by up to this share: cameras on one hub do not come back all at once."""


@dataclass(slots=True)
class _Grabber:
    """One life of a capture. The thread that runs it and the source share it; `left`: nobody waits for it any more."""

    since: float
    left: threading.Event = field(default_factory=threading.Event)
    opened: bool = False
    thread: threading.Thread | None = None


#: This many grabbers may hang at once.
_MOST_STUCK: Final = 4
#: How long the end waits for a frame under way, s: a decoder that the program's end finds at work aborts it.
_LAST_FRAME_S: Final = 1.5


class Live(FrameSource):
    """A camera or stream that is opened, watched and opened again until it is closed."""

    live = True

    def __init__(self, name: str, opener: Opener, fps: float, timing: Timing | None = None) -> None:
        """Start grabbing. ``fps``: at most so many frames a second are decoded and given."""
        self._name, self._opener, self._step = name, opener, 1 / fps
        self._timing = timing or Timing()
        self._changed = threading.Condition()
        self._began = time.monotonic()
        self._newest: Frame | None = None
        self._grabbed = -np.inf  # when the newest frame was taken
        self._number = 0
        self._state: State = "opening"
        self._fault: str | None = None
        self._wait = self._timing.first_wait
        self._again = np.inf  # when to open again
        self._grabber: _Grabber | None = None
        self._hanging: list[_Grabber] = []
        self._start()

    @property
    def state(self) -> State:
        """How the source is now; ``absent`` where it was never there, ``back-off`` where it was and will be tried again."""
        with self._changed:
            if self._state == "live" and time.monotonic() - self._grabbed > self._timing.stale:
                return "stale"
            return self._state

    @property
    def fault(self) -> str | None:
        """What went wrong last, in a sentence for the person at the table; None while frames come."""
        with self._changed:
            return self._fault

    @property
    def age(self) -> float | None:
        """How old the newest frame is, s; None where none came yet."""
        with self._changed:
            return None if self._grabbed == -np.inf else time.monotonic() - self._grabbed

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the newest frame that was not given yet; None where none came within ``wait`` s.

        Raises `StuckError` where the driver hangs beyond what this process can mend.
        """
        until = time.monotonic() + wait
        with self._changed:
            while self._newest is None and self._state != "ended":
                self._watch()
                left = until - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait(min(left, 0.1))
            frame, self._newest = self._newest, None
            return frame

    def close(self) -> None:
        """End; a grabber that hangs is left behind."""
        with self._changed:
            self._state, grabber = "ended", self._grabber
            if grabber:
                grabber.left.set()
            self._changed.notify_all()
        if grabber and grabber.thread:
            grabber.thread.join(_LAST_FRAME_S)

    # --- the watchdog, called with the lock held

    def _watch(self) -> None:
        now = time.monotonic()
        grabber = self._grabber
        if grabber is None:
            if now >= self._again:
                self._start()
            return
        patience = self._timing.hangs if grabber.opened else self._timing.opening
        if now - max(grabber.since, self._grabbed) > patience:
            grabber.left.set()
            self._hanging.append(grabber)
            if len(self._hanging) > _MOST_STUCK:
                raise StuckError(f"{self._name} hangs, and has hung {_MOST_STUCK} times before")
            self._end_of(grabber, f"{self._name} gave no frame for {patience:.0f} s")

    def _start(self) -> None:
        self._grabber = _Grabber(time.monotonic())
        self._again = np.inf
        self._state = "opening"
        self._grabber.thread = threading.Thread(
            target=self._run, args=(self._grabber,), name=f"grab {self._name}", daemon=True
        )
        self._grabber.thread.start()

    def _end_of(self, grabber: _Grabber, fault: str) -> None:
        if self._grabber is not grabber or self._state == "ended":
            return
        self._grabber, self._fault = None, fault
        self._state = "back-off" if self._number else "absent"
        wait = self._wait * (1 + self._timing.jitter * random.uniform(-1, 1))
        self._again = time.monotonic() + wait
        self._wait = min(2 * self._wait, self._timing.longest_wait)
        self._changed.notify_all()

    # --- the grabber's thread

    def _run(self, grabber: _Grabber) -> None:
        capture: Capture | None = None
        try:
            capture = self._opener()
            with self._changed:
                grabber.opened, grabber.since = True, time.monotonic()
            self._grab(capture, grabber)
            fault = f"{self._name} gives no more frames: it was unplugged, switched off or taken by another program"
        except SourceError as error:
            fault = str(error)
        except Exception as error:  # a driver raises whatever it trips over; the watching goes on
            fault = f"{self._name} broke: {error}"
        finally:
            if capture is not None:
                capture.release()
        with self._changed:
            if grabber in self._hanging:
                self._hanging.remove(grabber)
            self._end_of(grabber, fault)

    def _grab(self, capture: Capture, grabber: _Grabber) -> None:
        due = -np.inf
        while capture.grab() and not grabber.left.is_set():
            now = time.monotonic()
            if now < due:
                continue
            due = max(due + self._step, now)
            if (frame := self._frame(capture.retrieve(), now)) is None:
                continue
            with self._changed:
                if grabber.left.is_set():
                    return
                self._newest, self._grabbed, self._number = frame, now, self._number + 1
                self._state, self._fault, self._wait = "live", None, self._timing.first_wait
                self._changed.notify_all()

    def _frame(self, pixels: Pixels | bytes | None, now: float) -> Frame | None:
        """Return the frame of what was grabbed; None where it is damaged, as now and then one of a camera is."""
        name = f"{self._number + 1:06d}"
        try:
            if isinstance(pixels, bytes):
                return Frame(name, now - self._began, jpeg=pixels)
            return None if pixels is None else Frame(name, now - self._began, bgr=pixels)
        except SourceError:
            return None
