"""The demo as a frame source: one simulated round after another, as long as frames are requested."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

import numpy as np

from companion.hanafuda.simulation import record_of
from vision.demo.fishing import gather, round_moments
from vision.demo.greedy_players import evening
from vision.demo.renderer import Renderer
from vision.demo.stage import Manner, Moment, Stage
from vision.sources import Frame, FrameSource, SourceState

__all__ = ["SEED", "DemoSource", "moments_of_evenings", "source"]

#: Seed of a first round with many events: three brights, koi-koi, a fourth bright, stop.
SEED: Final = 7
#: Seed of a plain green tabletop.
TABLE: Final = 17
FPS: Final = 10.0
#: A turn takes about eight seconds, so that a visitor can follow it in the browser.
MANNER: Final = Manner(reach=0.85, rest=1.8, think=3.0, pause=0.9, mm=1.2, degrees=2.5)
#: Maximum step of the simulated time between two frames, s: the game waits for its viewer.
_MAX_STEP_S: Final = 0.4


def moments_of_evenings(stage: Stage, seed: int, game: str | None = None) -> Iterator[Moment]:
    """Yield endless rounds of players who capture greedily, with the cards gathered between rounds."""
    for played in evening(game, seed):
        record = record_of(played)
        yield from round_moments(stage, record)
        yield from stage.rest("end", 2 * stage.manner.rest + stage.manner.think)
        yield from gather(stage, record["dealer"])


class DemoSource(FrameSource):
    """Endless frames of the demo in real time; time stops while no frame is requested."""

    live = True

    def __init__(
        self,
        seed: int = SEED,
        fps: float = FPS,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock, self._sleep, self._step = clock, sleep, 1 / fps
        self._renderer = Renderer(TABLE, mess=0.0)
        self._moments = moments_of_evenings(Stage(np.random.default_rng((seed, 9)), MANNER), seed)
        self._moment = next(self._moments)
        self._moment_start = 0.0  # s in simulated time
        self._now, self._last_request = 0.0, clock()
        self._numbers, self._ended = count(1), False
        self._calls: list[tuple[int, str]] = []

    @property
    def state(self) -> SourceState:
        """``live`` until the source is closed, then ``ended``."""
        return "ended" if self._ended else "live"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next frame when it is due, or None if that is more than ``wait`` s from now."""
        if self._ended:
            return None
        early = self._last_request + self._step - self._clock()
        if early > wait:
            self._sleep(wait)
            return None
        if early > 0:
            self._sleep(early)
        now = self._clock()
        self._now += min(now - self._last_request, _MAX_STEP_S)
        self._last_request = now
        while self._moment_start + self._moment.seconds <= self._now:
            self._moment_start += self._moment.seconds
            self._moment = next(self._moments)
            if self._moment.call is not None:
                self._calls.append(self._moment.call)
        progress = (self._now - self._moment_start) / self._moment.seconds
        bgr, _ = self._renderer.draw(self._moment, progress)
        return Frame(f"demo-{next(self._numbers):06d}", self._now, bgr=bgr)

    def take_calls(self) -> list[tuple[int, str]]:
        """Return and clear the calls since the last request: seat and call."""
        calls, self._calls = self._calls, []
        return calls

    def close(self) -> None:
        """End the source."""
        self._ended = True


def source(seed: int = SEED, fps: float = FPS) -> DemoSource:
    """Return the source for ``demo:``; each seed plays different rounds."""
    return DemoSource(seed, fps)
