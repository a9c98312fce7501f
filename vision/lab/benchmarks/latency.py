"""What the way from a settled table to the phones takes: times of one look set in order, and what they come to."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from companion.observations import Observation
from vision.sources import Frame
from vision.tracking.camera_loop import FrameObserver
from vision.tracking.frame_selection import StableFrame

__all__ = ["STAGES", "TimedObserver", "Told", "growth", "latency", "traced"]

STAGES: Final = ("stillness", "looking", "posting", "telling", "stream")
"""Waiting until the table counts as settled, with the frame's way from the camera; cards and their names; the picture's way to the
server; referee, table and log; the server-sent event's way to the client."""

_PER_HOUR: Final = 3600.0
#: Memory grows while things are done for the first time; from this share of a run on growth is a leak.
_SETTLED_IN: Final = 0.5


@dataclass(frozen=True, slots=True)
class Told:
    """One look that told something, by one clock, s: the table first shown as it is now, the look begun and ended, the request
    at the server, its event published, and received.
    """

    shown: float
    began: float
    ended: float
    arrived: float
    published: float
    received: float
    again: bool = False
    """Whether it took another look at the same table: the first left a doubt."""

    @property
    def ms(self) -> dict[str, float]:
        """How long each stage took, ms, and all together as ``total``."""
        times = (self.shown, self.began, self.ended, self.arrived, self.published, self.received)
        each = {stage: (times[at + 1] - times[at]) * 1e3 for at, stage in enumerate(STAGES)}
        return {**each, "total": (self.received - self.shown) * 1e3}


class TimedObserver:
    """A looker whose looks are told of: begin and end, s of `time.monotonic`, which all processes of a machine share."""

    def __init__(self, observer: FrameObserver, note: Callable[[str, float, float], None]) -> None:
        """``note`` is called with ``look`` or ``glimpse`` and the two times."""
        self._observer, self._note = observer, note

    @property
    def card_px(self) -> float | None:
        """The width of a card in the frame, px, once one was seen."""
        return self._observer.card_px

    def observe(self, stable: StableFrame) -> Observation:
        """Return what a settled table shows."""
        began = time.monotonic()
        observation = self._observer.observe(stable)
        self._note("look", began, time.monotonic())
        return observation

    def observe_motion(self, frame: Frame) -> None:
        """Look at a table in motion."""
        began = time.monotonic()
        self._observer.observe_motion(frame)
        self._note("glimpse", began, time.monotonic())


def traced(
    received: Mapping[str, float],
    published: Mapping[str, float],
    arrived: Sequence[float],
    looks: Sequence[tuple[float, float]],
    shown: Sequence[tuple[float, int | None]],
) -> list[Told]:
    """Return how each change came about, in order; one whose beginning is not known is left out.

    ``received`` and ``published``: times by a change's name; ``arrived``: of the looks at the server; ``looks``: begin and end
    of each; ``shown`` as `vision.lab.benchmarks.looping_camera.Camera` has it. All in order of time.
    """
    told = []
    stable = [when for when, table in shown if table is not None]
    ends = [end for _, end in looks]
    for name, at in received.items():
        if name not in published:
            continue
        request = _last(arrived, published[name])
        observe = None if request is None else _last(ends, arrived[request])
        if request is None or observe is None:
            continue
        began, ended = looks[observe]
        table = _last(stable, began)
        if table is not None:
            # A page may be woken before the thread that notes what was published.
            again = observe > 0 and looks[observe - 1][0] > stable[table]
            told.append(
                Told(stable[table], began, ended, arrived[request], min(published[name], at), at, again)
            )
    return told


def latency(told: Sequence[Told]) -> dict[str, Any]:
    """Return the median and 95 % of each stage and of all, ms, as JSON has them; no ``ms`` where nothing was told.

    ``again``: of how many the first look at the settled table left a doubt.
    """
    if not told:
        return {"n": 0}
    each = [one.ms for one in told]
    ms = {}
    for stage in (*STAGES, "total"):
        p50, p95 = np.percentile([one[stage] for one in each], (50, 95))
        ms[stage] = {"p50": round(float(p50), 1), "p95": round(float(p95), 1)}
    return {"n": len(told), "again": sum(one.again for one in told), "ms": ms}


def growth(samples: Sequence[tuple[float, float]]) -> float | None:
    """Return how fast memory (s, MB) grows over the latter half of a run, MB an hour; None for fewer than three samples there."""
    late = samples[int(len(samples) * _SETTLED_IN) :]
    if len(late) < 3:
        return None
    times, sizes = np.array(late).T
    return round(float(np.polyfit(times - times[0], sizes, 1)[0]) * _PER_HOUR, 2)


def _last(times: Sequence[float], until: float) -> int | None:
    """Return the place of the last of ordered times that is not after ``until``."""
    at = bisect_right(times, until) - 1
    return at if at >= 0 else None
