"""Latency from a stable table to the clients: merges the timestamps of camera, worker, server, and client,
and computes statistics.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from companion.observations import Observation
from vision.photograph.scanner import Scanner
from vision.sources.frames import Frame
from vision.tracking.frame_selection import StableFrame
from vision.tracking.table_observer import TableObserver

__all__ = ["STAGES", "ChangeTimes", "TimedObserver", "growth", "latency", "traced"]

STAGES: Final = ("stability", "observation", "upload", "update", "stream")
"""The stages, in order: ``stability``: from the first frame of the new state until the table counts as
stable; ``observation``: detection and recognition; ``upload``: transfer of the observation to the server;
``update``: referee, table, and event log; ``stream``: the server-sent event's transfer to the client.
"""

_SECONDS_PER_HOUR: Final = 3600.0
#: Memory grows while code runs for the first time; growth after this fraction of a run is a leak.
_WARM_UP: Final = 0.5


@dataclass(frozen=True, slots=True)
class ChangeTimes:
    """Timestamps of one observation that caused a change, s, all from the same clock.

    ``displayed``: first frame of the present state of the table. ``began``, ``ended``: start and end of the
    observation. ``arrived``: arrival of the request at the server. ``published``, ``received``: publication
    of the event and its arrival at the client.
    """

    displayed: float
    began: float
    ended: float
    arrived: float
    published: float
    received: float
    again: bool = False
    """Whether a repeated observation of the same table caused the change: the first left a doubt."""

    @property
    def ms(self) -> dict[str, float]:
        """Duration of each stage and of all together (``total``), ms."""
        times = (self.displayed, self.began, self.ended, self.arrived, self.published, self.received)
        durations = {stage: (times[index + 1] - times[index]) * 1e3 for index, stage in enumerate(STAGES)}
        return {**durations, "total": (self.received - self.displayed) * 1e3}


class TimedObserver(TableObserver):
    """Reports the start and end of each observation, s of `time.monotonic`, a clock shared by all processes of a machine."""

    def __init__(self, scanner: Scanner, game: str, note: Callable[[str, float, float], None]) -> None:
        """``note`` is called with ``observation`` or ``motion`` (a frame in motion), the start, and the end."""
        super().__init__(scanner, game)
        self._note = note

    def observe(self, stable: StableFrame) -> Observation:
        """Return the observation of a stable frame."""
        began = time.monotonic()
        observation = super().observe(stable)
        self._note("observation", began, time.monotonic())
        return observation

    def observe_motion(self, frame: Frame) -> None:
        """Observe a frame in motion."""
        began = time.monotonic()
        super().observe_motion(frame)
        self._note("motion", began, time.monotonic())


def traced(
    received: Mapping[str, float],
    published: Mapping[str, float],
    arrived: Sequence[float],
    observations: Sequence[tuple[float, float]],
    displayed: Sequence[tuple[float, int | None]],
) -> list[ChangeTimes]:
    """Return the timestamps of each change, in order; changes whose start is unknown are left out.

    ``received`` and ``published``: times by change id. ``arrived``: arrival times of the observations at the
    server. ``observations``: start and end of each. ``displayed``: see
    `hanafuda_training.benchmarks.looping_camera.LoopingCamera`. All are sorted by time.
    """
    changes = []
    stable_since = [when for when, table in displayed if table is not None]
    observation_ends = [end for _, end in observations]
    for change, received_at in received.items():
        if change not in published:
            continue
        request = _last_index(arrived, published[change])
        observation = None if request is None else _last_index(observation_ends, arrived[request])
        if request is None or observation is None:
            continue
        began, ended = observations[observation]
        table = _last_index(stable_since, began)
        if table is not None:
            # A page may be woken before the thread that records the publication.
            again = observation > 0 and observations[observation - 1][0] > stable_since[table]
            changes.append(
                ChangeTimes(
                    stable_since[table],
                    began,
                    ended,
                    arrived[request],
                    min(published[change], received_at),
                    received_at,
                    again,
                )
            )
    return changes


def latency(changes: Sequence[ChangeTimes]) -> dict[str, Any]:
    """Return the median and the 95th percentile of each stage and of the total, ms, in JSON form; without
    ``ms`` if there was no change.

    ``again``: number of changes for which the first observation of the stable table left a doubt.
    """
    if not changes:
        return {"n": 0}
    durations = [change.ms for change in changes]
    ms = {}
    for stage in (*STAGES, "total"):
        p50, p95 = np.percentile([change[stage] for change in durations], (50, 95))
        ms[stage] = {"p50": round(float(p50), 1), "p95": round(float(p95), 1)}
    return {"n": len(changes), "again": sum(change.again for change in changes), "ms": ms}


def growth(samples: Sequence[tuple[float, float]]) -> float | None:
    """Return how fast memory grows over the second half of a run, MB per hour; None for fewer than three
    samples there.

    ``samples``: pairs of time (s) and memory (MB).
    """
    second_half = samples[int(len(samples) * _WARM_UP) :]
    if len(second_half) < 3:
        return None
    times, sizes = np.array(second_half).T
    return round(float(np.polyfit(times - times[0], sizes, 1)[0]) * _SECONDS_PER_HOUR, 2)


def _last_index(times: Sequence[float], until: float) -> int | None:
    """Return the index of the last of the sorted times that is not after ``until``; None if there is none."""
    index = bisect_right(times, until) - 1
    return index if index >= 0 else None
