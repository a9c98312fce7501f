"""Frames of a drawn table for tests of frame selection: a cloth, cards as rectangles, arms, noise, light; simple, so that they are fast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np

from vision.sources.frames import Frame
from vision.tracking.frame_selection import FrameSelector, StableFrame

SIDES = ("top", "right", "bottom", "left")
_SIZE = (1280, 720)


@dataclass(frozen=True)
class Table:
    """The contents of a frame; places are fractions of the picture."""

    cards: tuple[tuple[float, float, int], ...] = (
        (0.3, 0.4, 1),
        (0.4, 0.4, 2),
        (0.5, 0.4, 3),
        (0.6, 0.55, 4),
    )
    """x, y and the seed of what is printed on it."""
    arm: tuple[str, float, float] | None = None
    """The side it comes from, and where its fingertips are."""
    other_arm: tuple[str, float, float] | None = None
    light: float = 1.0
    lamp: float = 1.0
    """Light of a lamp at the left border, which fades out to the middle of the picture."""
    shift: tuple[float, float] = (0.0, 0.0)
    noise: float = 3.0
    banding: float = 0.0


@cache
def _cloth(size: tuple[int, int]) -> np.ndarray:
    rng = np.random.default_rng(5)
    coarse = rng.uniform(60, 110, (12, 20, 3)).astype(np.float32)
    return cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC)


@lru_cache(maxsize=4)
def _noise(size: tuple[int, int], strength: float) -> np.ndarray:
    # The same for all colors: the worst case, and faster.
    gray = np.random.default_rng(6).normal(0, strength, (size[1], size[0], 1))
    return np.repeat(gray.round().astype(np.int16), 3, axis=2)


@cache
def _card(seed: int, width: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    coarse = rng.choice(np.array((20, 120, 240), np.float32), (6, 4, 3))
    face = cv2.resize(coarse, (width, width * 54 // 33), interpolation=cv2.INTER_NEAREST)
    return cv2.copyMakeBorder(face[4:-4, 4:-4], 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(15, 15, 15))


@lru_cache(maxsize=8)
def _without_noise(table: Table, size: tuple[int, int]) -> np.ndarray:
    """Return the table in its light (H x W x 3 int16), which several frames in a row show."""
    width, height = size
    image = _cloth(size).copy()
    for x, y, number in table.cards:
        face = _card(number, width // 28)
        left, top = round(x * width), round(y * height)
        image[top : top + face.shape[0], left : left + face.shape[1]] = face
    for arm in (table.arm, table.other_arm):
        if arm:
            _arm(image, *arm)
    if table.lamp != 1:
        image *= np.interp(np.arange(width), (0, width / 2), (table.lamp, 1.0)).astype(np.float32)[:, None]
    if table.shift != (0.0, 0.0):
        back = np.array(((1, 0, table.shift[0]), (0, 1, table.shift[1])), np.float32)
        image = cv2.warpAffine(image, back, size, borderMode=cv2.BORDER_REPLICATE)
    return (image * table.light).round().astype(np.int16)


def drawn(table: Table, seed: int = 0, size: tuple[int, int] = _SIZE) -> np.ndarray:
    """Return the picture (H x W x 3 uint8); ``seed`` determines the noise."""
    height = size[1]
    image = _without_noise(table, size)
    if table.banding:
        phase = np.random.default_rng(seed).uniform(0, 6)
        rows = np.sin(np.arange(height) / height * 6 + phase) * table.banding
        image = (image * (1 + rows[:, None, None])).round().astype(np.int16)
    noise = np.roll(_noise(size, table.noise), (seed * 131, seed * 217), (0, 1))
    return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)


def entry(side: str, size: tuple[int, int] = _SIZE) -> tuple[int, int]:
    """Return the point at which an arm from a side enters the picture, px."""
    width, height = size
    return {
        "top": (width * 6 // 10, -60),
        "bottom": (width * 6 // 10, height + 60),
        "left": (-60, height * 4 // 10),
        "right": (width + 60, height * 4 // 10),
    }[side]


def _arm(image: np.ndarray, side: str, x: float, y: float) -> None:
    height, width = image.shape[:2]
    start, tip = np.array(entry(side, (width, height)), float), np.array((x * width, y * height))
    palm = tip + (start - tip) / np.linalg.norm(start - tip) * width * 0.05
    points = [tuple(int(value) for value in point) for point in (start, palm, tip)]
    cv2.line(image, points[0], points[1], (190, 140, 160), width // 18, cv2.LINE_AA)
    cv2.line(image, points[1], points[2], (150, 180, 225), width // 30, cv2.LINE_AA)


def frames(
    scenes: Iterable[tuple[float, Table]], fps: float = 10.0, size: tuple[int, int] = _SIZE
) -> Iterator[Frame]:
    """Yield the frames of tables, each visible for some seconds."""
    number = 0
    for seconds, table in scenes:
        for _ in range(round(seconds * fps)):
            yield Frame(f"{number:04d}", number / fps, bgr=drawn(table, number, size))
            number += 1


class Selector(FrameSelector):
    """Frame selection whose frames are seen as before the camera moved."""

    def __init__(self) -> None:
        super().__init__(self._follow_camera)
        self._motion = np.eye(3)

    def feed(self, frame: Frame) -> StableFrame | None:
        self._taken = frame
        return super().feed(self._seen_as_before())

    def _follow_camera(self, motion: np.ndarray) -> Frame:
        self._motion = motion @ self._motion
        return self._seen_as_before()

    def _seen_as_before(self) -> Frame:
        taken = self._taken
        if (self._motion == np.eye(3)).all():
            return taken
        bgr = cv2.warpPerspective(taken.bgr, self._motion, taken.size, borderMode=cv2.BORDER_REPLICATE)
        return Frame(taken.name, taken.time, bgr=np.asarray(bgr, np.uint8))


def watched(selector: FrameSelector, recording: Iterable[Frame]) -> list[StableFrame]:
    """Return the frames selected by frame selection, including at the end."""
    through = [settled for frame in recording if (settled := selector.feed(frame))]
    last = selector.finish()
    return through + ([last] if last else [])


def path(start: Table, side: str, points: Sequence[tuple[float, float]]) -> list[tuple[float, Table]]:
    """Return an arm that enters from a side and is at each point in turn for 0.1 s."""
    return [(0.1, Table(start.cards, (side, x, y))) for x, y in points]
