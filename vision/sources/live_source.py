"""Cameras and network streams: a thread grabs continuously, only the newest frame is kept, and a source that fails is reopened.

A driver's or decoder's ``read`` can hang forever, and a thread cannot be stopped from outside. The watchdog therefore abandons a
grabber that hangs and starts another; an abandoned grabber that returns after all releases its device.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.net.retries import Backoff
from vision.pictures.crops import Image
from vision.sources.frames import Frame, FrameSource, SourceError, SourceState


class Capture(Protocol):
    """An open camera or stream."""

    def grab(self) -> bool:
        """Wait for the next frame and take it undecoded; return False if there is none."""

    def retrieve(self) -> Image | bytes | None:
        """Return the grabbed frame as H x W x 3 uint8 BGR or JPEG bytes; None if it is damaged."""

    def release(self) -> None:
        """Release the device."""


Opener = Callable[[], Capture]
"""Opens a camera or stream; raises `SourceError` with the reason if it cannot."""


class CaptureHungError(MessageError, RuntimeError):
    """So many grabbers hang that only a new process can help."""


@dataclass(frozen=True, slots=True)
class LiveTiming:
    """Timeouts of a live source, s."""

    stale: float = 2.0
    """Without a frame for this long, the source is stale."""
    hang: float = 8.0
    """Without a frame for this long, it is reopened."""
    open: float = 20.0
    """Longest time for opening: a network camera that is offline responds late."""
    first_wait: float = 0.5
    """Wait before the first reopening."""
    max_wait: float = 10.0
    """Longest wait between two attempts."""


@dataclass(slots=True)
class _Grabber:
    """One attempt at opening and grabbing, shared by the source and the thread that runs it."""

    since: float
    abandoned: threading.Event = field(default_factory=threading.Event)
    opened: bool = False
    thread: threading.Thread | None = None


#: While nothing happens, one of so many frames is decoded: a movement is then noticed up to 0.3 s later.
CALM_FRAMES: Final = 3
#: This many grabbers may hang at once.
_MAX_HUNG: Final = 4
#: How long `close` waits for the current frame, s: a decoder that is still running when the interpreter exits aborts it.
_LAST_FRAME_S: Final = 1.5
#: Interval at which a waiting caller checks for a hung grabber, s.
_WATCHDOG_S: Final = 0.1


class LiveSource(FrameSource):
    """A camera or stream that is opened, watched and reopened until it is closed."""

    live = True

    def __init__(self, name: str, opener: Opener, fps: float, timing: LiveTiming | None = None) -> None:
        """Start grabbing; at most ``fps`` frames/s are decoded and delivered."""
        self._name, self._opener, self._step = name, opener, 1 / fps
        self._timing = timing or LiveTiming()
        self._changed = threading.Condition()
        self._started = time.monotonic()
        self._newest: Frame | None = None
        self._grabbed_at = -np.inf
        self._number = 0
        self._state: SourceState = "opening"
        self._fault: str | None = None
        self._backoff = Backoff(self._timing.first_wait, self._timing.max_wait)
        self._reopen_at = np.inf
        self._grabber: _Grabber | None = None
        self._hung: list[_Grabber] = []
        self._start()

    @property
    def state(self) -> SourceState:
        """The current state: after a failure ``absent`` if no frame ever arrived, otherwise ``back-off``."""
        with self._changed:
            if self._state == "live" and time.monotonic() - self._grabbed_at > self._timing.stale:
                return "stale"
            return self._state

    @property
    def fault(self) -> str | None:
        """The last failure as a sentence for the user; None while frames arrive."""
        with self._changed:
            return self._fault

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the newest frame that was not returned yet, or None if none arrives within ``wait`` s.

        Raises `CaptureHungError` if the driver hangs and this process cannot recover.
        """
        deadline = time.monotonic() + wait
        with self._changed:
            while self._newest is None and self._state != "ended":
                self._check_grabber()
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    return None
                self._changed.wait(min(remaining, _WATCHDOG_S))
            frame, self._newest = self._newest, None
            return frame

    def close(self) -> None:
        """End the source; a grabber that hangs is abandoned."""
        with self._changed:
            self._state, grabber = "ended", self._grabber
            if grabber:
                grabber.abandoned.set()
            self._changed.notify_all()
        if grabber and grabber.thread:
            grabber.thread.join(_LAST_FRAME_S)

    # --- the watchdog; called with the lock held

    def _check_grabber(self) -> None:
        now = time.monotonic()
        grabber = self._grabber
        if grabber is None:
            if now >= self._reopen_at:
                self._start()
            return
        timeout = self._timing.hang if grabber.opened else self._timing.open
        if now - max(grabber.since, self._grabbed_at) > timeout:
            grabber.abandoned.set()
            self._hung.append(grabber)
            if len(self._hung) > _MAX_HUNG:
                raise CaptureHungError(Message("camera-hung", {"camera": self._name, "count": _MAX_HUNG + 1}))
            self._schedule_reopening(grabber, f"{self._name} delivered no frame for {timeout:.0f} s")

    def _start(self) -> None:
        self._grabber = _Grabber(time.monotonic())
        self._reopen_at = np.inf
        self._state = "opening"
        self._grabber.thread = threading.Thread(
            target=self._run, args=(self._grabber,), name=f"grab {self._name}", daemon=True
        )
        self._grabber.thread.start()

    def _schedule_reopening(self, grabber: _Grabber, fault: str) -> None:
        if self._grabber is not grabber or self._state == "ended":
            return
        self._grabber, self._fault = None, fault
        self._state = "back-off" if self._number else "absent"
        self._reopen_at = time.monotonic() + self._backoff.next()
        self._changed.notify_all()

    # --- the grabber's thread

    def _run(self, grabber: _Grabber) -> None:
        capture: Capture | None = None
        try:
            capture = self._opener()
            with self._changed:
                grabber.opened, grabber.since = True, time.monotonic()
            self._grab(capture, grabber)
            fault = f"{self._name} delivers no more frames: it may be unplugged, switched off or in use by another program"
        except SourceError as error:
            fault = error_text(error)
        except Exception as error:  # drivers raise arbitrary errors; the source reopens after any of them
            fault = f"{self._name} failed: {error_text(error)}"
        finally:
            if capture is not None:
                capture.release()
        with self._changed:
            if grabber in self._hung:
                self._hung.remove(grabber)
            self._schedule_reopening(grabber, fault)

    def _grab(self, capture: Capture, grabber: _Grabber) -> None:
        due = -np.inf
        while capture.grab() and not grabber.abandoned.is_set():
            now = time.monotonic()
            if now < due:
                continue
            due = max(due + self._step * (CALM_FRAMES if self.calm else 1), now)
            if (frame := self._make_frame(capture.retrieve(), now)) is None:
                continue
            with self._changed:
                if grabber.abandoned.is_set():
                    return
                self._newest, self._grabbed_at, self._number = frame, now, self._number + 1
                self._state, self._fault = "live", None
                self._backoff.reset()
                self._changed.notify_all()

    def _make_frame(self, pixels: Image | bytes | None, now: float) -> Frame | None:
        """Return the grabbed picture as a frame; None if it is damaged, which happens occasionally with cameras."""
        name = f"{self._number + 1:06d}"
        try:
            if isinstance(pixels, bytes):
                return Frame(name, now - self._started, jpeg=pixels)
            return None if pixels is None else Frame(name, now - self._started, bgr=pixels)
        except SourceError:
            return None
