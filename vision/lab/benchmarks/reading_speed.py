"""How long the eyes take here: a camera's frame, the next frames of the same table, and a large photograph."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vision.lab.benchmarks.evaluation import peak_memory
from vision.networks.crops import Image, Quads
from vision.networks.detector import card_widths
from vision.photograph.picture_decoding import read_picture
from vision.photograph.read_cards import CardCandidates
from vision.photograph.scanner import Scanner, build_result
from vision.tracking.reading_cache import ReadingCache

__all__ = ["FRAME", "Timed", "speed"]

#: A settled frame of 24 cards, 1,920 x 1,080, drawn by ``vision.lab.training.draw_benchmark_frame``.
FRAME: Final = Path(__file__).parent / "settled.jpg"
#: What the sensor adds to each frame anew, standard deviation of 255.
_NOISE: Final = 2.0
#: The photograph, px, and the frame's enlargement in it.
_PHOTOGRAPH: Final = (4000, 3000)
_ENLARGED: Final = 2


@dataclass(frozen=True, slots=True)
class Timed:
    """What was timed: ``what``, how many ``cards`` were told of, wall and processor milliseconds of each run, and the most
    MB that the process had held by then (None where the system does not tell).
    """

    what: str
    cards: int
    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    cache: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON has them."""
        p50, p95 = np.percentile(self.wall, (50, 95))
        return {
            "what": self.what,
            "cards": self.cards,
            "runs": len(self.wall),
            "ms": {"p50": round(float(p50), 1), "p95": round(float(p95), 1)},
            "cpu_ms": round(float(np.median(self.cpu)), 1),
            "memory_mb": None if self.cache is None else round(self.cache),
        }


def speed(scanner: Scanner, runs: int, of_photographs: Callable[[], Scanner]) -> Iterator[Timed]:
    """Time ``runs`` readings of each kind, from the pixels (of the photograph: from the file) to the cards and their names.

    ``of_photographs`` makes the scanner that reads the photograph, when its turn comes: what it takes is no part of what a
    watched table takes.
    """
    rng = np.random.default_rng(0)
    frame = read_picture(FRAME.read_bytes())
    seen = scanner.detect_cards(frame)
    card_px = float(np.median(card_widths(seen.quads)))
    cache = ReadingCache(scanner)
    other = _exchanged(frame, seen.refined.quads)
    either = (frame, other)

    known = scanner.accept(seen)[1]
    last, cards = cache.read(_noisy(rng, frame)), len(seen.scores)

    def tell(picture: Image, look: Callable[[Image], CardCandidates], deck: str | None = None) -> int:
        told, name, believed = scanner.accept(look(picture), deck)
        return len(
            build_result(told, picture.shape[1], picture.shape[0], name, believed, scanner.calibration).cards
        )

    def tell_again(picture: Image) -> int:
        nonlocal last, cards
        before, last = last, cache.read(picture)
        if last is not before:
            cards = tell(picture, lambda _: last, known)
        return cards

    yield _timed("first", runs, lambda _: _noisy(rng, frame), lambda now: tell(now, scanner.detect_cards))
    yield _timed(
        "settled",
        runs,
        lambda _: _noisy(rng, frame),
        lambda now: tell(now, lambda it: scanner.detect_cards(it, card_px), known),
    )
    yield _timed("unchanged", runs, lambda _: _noisy(rng, frame), tell_again)
    yield _timed("one-changed", runs, lambda run: _noisy(rng, either[(run + 1) % 2]), tell_again)
    photograph, exact = _photograph(frame), of_photographs()
    yield _timed(
        "photograph",
        max(3, runs // 4),
        lambda _: photograph,
        lambda data: len(exact.scan(read_picture(data)).cards),
    )


def _timed(what: str, runs: int, ready: Callable[[int], Any], read: Callable[[Any], int]) -> Timed:
    """Time ``read`` of what ``ready`` gives for each run; the first is not counted."""
    wall, cpu, cards = [], [], 0
    for run in range(runs + 1):
        now = ready(run)
        began, used = time.perf_counter(), time.process_time()
        cards = read(now)
        wall.append((time.perf_counter() - began) * 1e3)
        cpu.append((time.process_time() - used) * 1e3)
    return Timed(what, cards, tuple(wall[1:]), tuple(cpu[1:]), peak_memory())


def _noisy(rng: np.random.Generator, frame: Image) -> Image:
    """Return the frame as a sensor would give it once more."""
    noise = rng.normal(0, _NOISE, frame.shape[:2]).astype(
        np.float32
    )  # of the brightness; each colour's own takes longer
    return np.asarray(np.clip(frame + noise[..., None], 0, 255), np.uint8)


def _exchanged(frame: Image, quads: Quads) -> Image:
    """Return the frame with the card at the left in the place of the one nearest to the bottom right."""
    lowest, left = quads.sum(axis=2).max(axis=1).argmax(), quads[..., 0].max(axis=1).argmin()
    matrix = cv2.getPerspectiveTransform(quads[left], quads[lowest])
    size = (frame.shape[1], frame.shape[0])
    cover = np.zeros(frame.shape[:2], np.uint8)
    cv2.fillConvexPoly(cover, np.round(quads[lowest]).astype(np.int32), 255)
    return np.where(cover[..., None] > 0, cv2.warpPerspective(frame, matrix, size), frame)


def _photograph(frame: Image) -> bytes:
    """Return the frame enlarged to a photograph's size, more table around it, as a JPEG file."""
    large = cv2.resize(frame, None, fx=_ENLARGED, fy=_ENLARGED, interpolation=cv2.INTER_CUBIC)
    wide, high = _PHOTOGRAPH[0] - large.shape[1], _PHOTOGRAPH[1] - large.shape[0]
    sides = (high // 2, high - high // 2, wide // 2, wide - wide // 2)
    whole = cv2.copyMakeBorder(large, *sides, cv2.BORDER_REPLICATE)
    return cv2.imencode(".jpg", whole, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
