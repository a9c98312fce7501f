"""The demo as a camera: rounds one after another, for as long as somebody asks for frames."""

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

#: The seed of a first round that shows much: three brights, koi-koi, a fourth bright, stop.
SEED: Final = 7
#: A green table that cards of all colours stand out on.
TABLE: Final = 17
FPS: Final = 10.0
#: A turn takes some eight seconds, so that a visitor can follow it on the pages.
MANNER: Final = Manner(reach=0.85, rest=1.8, think=3.0, pause=0.9, mm=1.2, degrees=2.5)
#: Time runs on by no more than this between two frames, s: the players wait for whoever watches.
_LONGEST: Final = 0.4


def moments_of_evenings(stage: Stage, seed: int, game: str | None = None) -> Iterator[Moment]:
    """Yield round after round of players who capture what they can, the cards gathered up between them."""
    for played in evening(game, seed):
        record = record_of(played)
        yield from round_moments(stage, record)
        yield from stage.rest("end", 2 * stage.manner.rest + stage.manner.think)
        yield from gather(stage, record["dealer"])


class DemoSource(FrameSource):
    """Frames of a demo in real time, without end; it waits where nobody asks for the next one."""

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
        self._began = 0.0  # the moment's beginning, in the demo's time
        self._now, self._asked = 0.0, clock()
        self._numbers, self._ended = count(1), False
        self._calls: list[tuple[int, str]] = []

    @property
    def state(self) -> SourceState:
        """``live`` until it is closed."""
        return "ended" if self._ended else "live"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next frame once it is time for it; None where that is later than ``wait`` s from now."""
        if self._ended:
            return None
        early = self._asked + self._step - self._clock()
        if early > wait:
            self._sleep(wait)
            return None
        if early > 0:
            self._sleep(early)
        now = self._clock()
        self._now += min(now - self._asked, _LONGEST)
        self._asked = now
        while self._began + self._moment.seconds <= self._now:
            self._began += self._moment.seconds
            self._moment = next(self._moments)
            if self._moment.said is not None:
                self._calls.append(self._moment.said)
        share = (self._now - self._began) / self._moment.seconds
        bgr, _ = self._renderer.draw(self._moment, share)
        return Frame(f"demo-{next(self._numbers):06d}", self._now, bgr=bgr)

    def take_calls(self) -> list[tuple[int, str]]:
        """Return what players said since this was asked last: seat, and the word of a call."""
        calls, self._calls = self._calls, []
        return calls

    def close(self) -> None:
        """End the demo."""
        self._ended = True


def source(seed: int = SEED, fps: float = FPS) -> DemoSource:
    """Return the source for ``demo:``; each seed plays another evening."""
    return DemoSource(seed, fps)
