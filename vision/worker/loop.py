"""The loop of the camera worker: sends observations and camera states of one source to one table's server."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from companion.hanafuda.errors import BadRequestError
from companion.messages import error_text
from companion.observations import Observation
from vision.demo.film_source import FilmSource
from vision.sources.frames import Frame, FrameSource, SourceState
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_observer import TableObserver
from vision.worker.uplink import Uplink
from vision.worker.viewfinder import viewfinder

#: Interval of camera states while nothing changes, s.
_STATE_INTERVAL_S: Final = 1.0
#: Interval of preview pictures while nothing moves, s: each costs as much as six frames.
PREVIEW_INTERVAL_S: Final = 10.0
#: Width (px) and JPEG quality of the preview.
_PREVIEW_PX: Final = 960
_PREVIEW_QUALITY: Final = 75
#: Larger pictures of observations are scaled down, because the server accepts 4 MB.
_MAX_BYTES: Final = 3_500_000
_REDUCED_PX: Final = 1920
_REDUCED_QUALITY: Final = 85
#: Number of frames from which the rate is measured.
_RATE_FRAMES: Final = 20

_STATES: Final[dict[SourceState, str]] = {
    "absent": "failed",
    "opening": "starting",
    "live": "watching",
    "stale": "failed",
    "back-off": "failed",
    "ended": "ended",
}


class CameraWorker:
    """Watches a source and reports to one table."""

    def __init__(
        self,
        source: FrameSource,
        loop: CameraLoop,
        zones: TableObserver,
        uplink: Uplink,
        *,
        name: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``name`` is displayed as the camera's name on the host's page."""
        self._source, self._loop, self._zones, self._uplink = source, loop, zones, uplink
        self._name, self._clock = name, clock
        self._sent: tuple[str, str | None, float] = ("", None, float("-inf"))  # state, fault, when
        self._previewed: Frame | None = None
        self._previewed_at = float("-inf")
        self._frame_times: deque[float] = deque(maxlen=_RATE_FRAMES)

    def run(self, stop: threading.Event) -> None:
        """Work until the source ends or ``stop`` is set. Raises `vision.sources.live_source.CaptureHungError`."""
        while not stop.is_set() and not self._loop.ended:
            self.step()
        if self._sent[0] != "ended":
            self._send_state("ended")

    def step(self) -> None:
        """Read one frame and send what is due."""
        before = self._loop.frame
        result = self._loop.next()
        if self._loop.frame is not before:
            self._frame_times.append(self._clock())
        if result:
            stable, observation = result
            self._uplink.send_observation(observation, _jpeg_for_server(stable.frame))
        if isinstance(self._source, FilmSource):
            for seat, call in self._source.take_calls():
                self._uplink.send_event({"kind": "moved", "data": {"player": seat, "words": ["call", call]}})
        if (changed := self._uplink.new_layout()) is not None:
            self._set_layout(changed[0])
        state, fault, when = self._sent
        now = self._state()
        if (now, self._source.fault) != (state, fault) or self._clock() - when >= _STATE_INTERVAL_S:
            self._send_state(now)

    def _set_layout(self, layout: dict[str, Any] | None) -> None:
        try:
            self._zones.set_layout(layout)
        except BadRequestError as error:
            print(
                f"companion watch: the table's zones are unchanged: {error_text(error)}",
                file=sys.stderr,
                flush=True,
            )

    def _state(self) -> str:
        state = _STATES[self._source.state]
        return "hands" if state == "watching" and self._loop.moving else state

    def _send_state(self, state: str) -> None:
        self._sent = state, self._source.fault, self._clock()
        self._uplink.send_camera_state(self._document(state), self._preview())

    def _document(self, state: str) -> dict[str, Any]:
        """Return the camera's state as the API takes it."""
        observation = self._loop.observation
        document: dict[str, Any] = {"state": state, "source": self._name}
        if (fault := self._source.fault) is not None:
            document["message"] = fault
        times = self._frame_times
        if times:
            document["frame_age_ms"] = round((self._clock() - times[-1]) * 1e3)
        if len(times) > 1 and times[-1] > times[0]:
            document["fps"] = round((len(times) - 1) / (times[-1] - times[0]), 1)
        if observation is not None:
            size = observation.extra["size"]
            document |= {"size": size, "quads": _quads(observation), "zones": self._zones_px(size)}
        document["viewfinder"] = viewfinder(self._loop, self._zones)
        if self._loop.recording is not None:
            document["more"] = {"recording": str(self._loop.recording.folder)}
        return document

    def _preview(self) -> bytes | None:
        frame = self._loop.frame
        due = self._loop.moving or self._clock() - self._previewed_at >= PREVIEW_INTERVAL_S
        if frame is None or frame is self._previewed or not due:
            return None
        self._previewed, self._previewed_at = frame, self._clock()
        return preview(frame)

    def _zones_px(self, size: Sequence[int]) -> list[dict[str, Any]]:
        return [
            {**zone, "polygon": [[round(x * size[0]), round(y * size[1])] for x, y in zone["polygon"]]}
            for zone in self._zones.zones()
        ]


def preview(frame: Frame) -> bytes:
    """Return the JPEG that a host's page shows of a frame."""
    return frame.preview(_PREVIEW_PX, _PREVIEW_QUALITY)


def _quads(observation: Observation) -> list[dict[str, Any]]:
    """Return the visible cards with their quads, as a camera state has them."""
    quads = observation.extra["quads"]
    return [
        {"card": card.card, "key": card.key, "quad": quads[str(card.key)]}
        for card in observation.cards
        if str(card.key) in quads
    ]


def _jpeg_for_server(frame: Frame) -> bytes:
    """Return a frame's JPEG, scaled down if it is too large for the server."""
    if len(frame.jpeg) <= _MAX_BYTES:
        return frame.jpeg
    return frame.preview(_REDUCED_PX, _REDUCED_QUALITY)
