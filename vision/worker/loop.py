"""The camera worker's work: looks and reports to one table's server, for as long as there are frames."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from companion.hanafuda.errors import BadRequestError
from companion.observations import Observation
from vision.sources import Frame, FrameSource, SourceState
from vision.tracking.camera_loop import Lookout
from vision.worker.uplink import Uplink

__all__ = ["Worker"]

#: How often the camera is reported on where nothing changes, s.
_REPORT_S: Final = 1.0
#: How often a picture goes with that while nothing moves, s: each costs as much as two frames.
_PICTURE_S: Final = 3.0
#: The small picture's width, px, and its quality.
_PREVIEW_PX: Final = 960
_PREVIEW_QUALITY: Final = 75
#: A look's picture is made smaller where it has more bytes: the server takes 4 MB.
_MOST_BYTES: Final = 3_500_000
#: Frames that the rate is measured over.
_RATE: Final = 20

_STATES: Final[dict[SourceState, str]] = {
    "absent": "failed",
    "opening": "starting",
    "live": "watching",
    "stale": "failed",
    "back-off": "failed",
    "ended": "ended",
}


class Zoned(Protocol):
    """What knows where the zones lie and takes others; `vision.tracking.table_observer.Watcher`."""

    def set_layout(self, layout: Any) -> None:
        """Take zones that a person has drawn; None: the default."""

    def zones(self) -> list[dict[str, Any]]:
        """Return the zones, each with ``zone`` and ``polygon``, in parts (0-1) of the picture's width and height."""


@runtime_checkable
class Speaking(Protocol):
    """A source whose players can be heard; `vision.demo.demo_source.DemoSource`."""

    def take_calls(self) -> list[tuple[int, str]]:
        """Return what players said since this was asked last: seat, and the word of a call."""


class Worker:
    """Watches a source and tells one table of it."""

    def __init__(
        self,
        source: FrameSource,
        lookout: Lookout,
        watcher: Zoned,
        uplink: Uplink,
        *,
        name: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``name``: what the source is called on the host's page."""
        self._source, self._lookout, self._watcher, self._uplink = source, lookout, watcher, uplink
        self._name, self._clock = name, clock
        self._reported: tuple[str, str | None, float] = ("", None, float("-inf"))
        self._pictured: Frame | None = None
        self._pictured_at = float("-inf")
        self._times: deque[float] = deque(maxlen=_RATE)

    def run(self, stop: threading.Event) -> None:
        """Work until the source ends or ``stop`` is set; `vision.sources.live_source.CaptureHungError` where the driver hangs for good."""
        while not stop.is_set() and not self._lookout.ended:
            self.step()
        if self._reported[0] != "ended":
            self._report("ended")

    def step(self) -> None:
        """Take one frame, and tell what there is to tell."""
        before = self._lookout.frame
        found = self._lookout.next()
        if self._lookout.frame is not before:
            self._times.append(self._clock())
        if found:
            settled, look = found
            self._uplink.look(look, _evidence(settled.frame))
        if isinstance(self._source, Speaking):
            for seat, said in self._source.take_calls():
                self._uplink.tell({"kind": "moved", "data": {"player": seat, "words": ["call", said]}})
        if (came := self._uplink.new_layout()) is not None:
            self._take_layout(came[0])
        state, fault, when = self._reported
        now = self._state()
        if (now, self._source.fault) != (state, fault) or self._clock() - when >= _REPORT_S:
            self._report(now)

    def _take_layout(self, layout: dict[str, Any] | None) -> None:
        try:
            self._watcher.set_layout(layout)
        except BadRequestError as error:
            print(
                f"companion watch: the table's zones are left as they were: {error}",
                file=sys.stderr,
                flush=True,
            )

    def _state(self) -> str:
        state = _STATES[self._source.state]
        return "hands" if state == "watching" and self._lookout.moving else state

    def _report(self, state: str) -> None:
        self._reported = state, self._source.fault, self._clock()
        frame, look = self._lookout.frame, self._lookout.look
        told: dict[str, Any] = {"state": state, "source": self._name}
        if (fault := self._source.fault) is not None:
            told["message"] = fault
        if self._times:
            told["frame_age_ms"] = round((self._clock() - self._times[-1]) * 1e3)
        if len(self._times) > 1 and self._times[-1] > self._times[0]:
            told["fps"] = round((len(self._times) - 1) / (self._times[-1] - self._times[0]), 1)
        if look is not None:
            told |= {
                "size": look.extra["size"],
                "quads": _quads(look),
                "zones": self._zones(look.extra["size"]),
            }
        if self._lookout.recording is not None:
            told["more"] = {"recording": str(self._lookout.recording.folder)}
        picture = None
        due = self._lookout.moving or self._clock() - self._pictured_at >= _PICTURE_S
        if frame is not None and frame is not self._pictured and due:
            self._pictured, self._pictured_at = frame, self._clock()
            picture = frame.preview(_PREVIEW_PX, _PREVIEW_QUALITY)
        self._uplink.report(told, picture)

    def _zones(self, size: Sequence[int]) -> list[dict[str, Any]]:
        """Return the zones in px."""
        return [
            {**zone, "polygon": [[round(x * size[0]), round(y * size[1])] for x, y in zone["polygon"]]}
            for zone in self._watcher.zones()
        ]


def _quads(look: Observation) -> list[dict[str, Any]]:
    """Return the cards that a look shows, as a report has them."""
    quads = look.extra["quads"]
    return [
        {"card": card.card, "key": card.key, "quad": quads[str(card.key)]}
        for card in look.cards
        if str(card.key) in quads
    ]


def _evidence(frame: Frame) -> bytes:
    """Return a frame's JPEG, small enough for the server."""
    if len(frame.jpeg) <= _MOST_BYTES:
        return frame.jpeg
    return frame.preview(1920, 85)
