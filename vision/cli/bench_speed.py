"""``companion bench speed``: speed of scanning on this machine."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click
import cv2
import numpy as np
import onnxruntime

from companion.bench import machine
from companion.cli.terminal import json_option, print_json
from vision.demo.film_source import FilmSource
from vision.networks.detector import card_widths
from vision.networks.read_cards import CardCandidates
from vision.photograph.scanner import Scanner, build_result
from vision.pictures.crops import Image, Quads
from vision.pictures.picture_decoding import read_picture, to_jpeg
from vision.tracking.reading_cache import ReadingCache

_TITLES = {
    "first": "first frame of a table",
    "settled": "frame with known deck and card size",
    "unchanged": "next frame, unchanged",
    "one-changed": "next frame, one card changed",
    "photograph": "photograph file of 4,000 × 3,000",
}
_TITLE_WIDTH: Final = 2 + max(map(len, _TITLES.values()))
"""Width of the first column, characters."""

#: The frame of the demo's film that is read, counted from 1: a table at rest, 24 cards; and the size to which it is enlarged, px.
_FRAME_NUMBER: Final = 228
_FRAME_SIZE: Final = (1920, 1080)
#: Standard deviation of the sensor noise of each frame, of 255.
_NOISE: Final = 2.0
#: Size of the photograph (width, height), px, and enlargement of the frame in it.
_PHOTOGRAPH: Final = (4000, 3000)
_ENLARGEMENT: Final = 2


@click.command("speed")
@click.option(
    "--runs",
    type=click.IntRange(min=3, max=10_000),
    default=40,
    show_default=True,
    help="Number of runs of each case; a quarter of it for the photograph.",
)
@click.option(
    "--models",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="Folder of weights to use instead of the shipped ones.",
)
@json_option
def bench_speed(*, runs: int, models: Path | None, as_json: bool) -> None:
    """Measure the speed of scanning: drawn frames of 1,920 × 1,080 with 24 cards, and a photograph.

    Each run is timed from the pixels (the photograph: from the file) to the named cards. Reported are the
    median and the 95th percentile of the wall time (ms), the median CPU time of all threads (ms), and the
    peak memory of the process so far (MB). Frames are read in int8, as those of a watched table; the
    photograph is read in fp32.
    """
    scanner = Scanner(models, fast=True)
    environment: dict[str, Any] = {
        **machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "onnxruntime": onnxruntime.__version__,
    }
    if not as_json:
        click.echo(
            f"{environment['python']} on {environment['cpu']}, {environment['cores']} cores, load {environment['load']}"
        )
        click.echo(f"{'':<{_TITLE_WIDTH}}{'cards':>6}{'median':>9}{'95 %':>9}{'cpu':>9}{'memory':>9}")
    for figures in speed(scanner, runs, lambda: Scanner(models)):
        if as_json:
            print_json({**figures, **environment})
            continue
        memory = "" if figures["memory_mb"] is None else f"{figures['memory_mb']} MB"
        click.echo(
            f"{_TITLES[figures['what']]:<{_TITLE_WIDTH}}{figures['cards']:>6}{figures['ms']['p50']:>9.1f}{figures['ms']['p95']:>9.1f}"
            f"{figures['cpu_ms']:>9.1f}{memory:>9}"
        )


def speed(scanner: Scanner, runs: int, of_photographs: Callable[[], Scanner]) -> Iterator[dict[str, Any]]:
    """Time ``runs`` scans of each case, from the pixels (for the photograph: from the file) to the named
    cards.

    Yields for each case its name ``what``, the number of ``cards`` reported, the median and the 95th percentile of
    the wall time (``ms``), the median CPU time (``cpu_ms``), and the peak memory of the process by then
    (``memory_mb``, None if the system does not report it).

    ``of_photographs`` creates the scanner for the photograph only when it is needed, so that its memory does
    not count in the other cases.
    """
    rng = np.random.default_rng(0)
    frame = _frame()
    detected = scanner.detect_cards(frame)
    card_px = float(np.median(card_widths(detected.quads)))
    cache = ReadingCache(scanner)
    changed = _with_card_replaced(frame, detected.refined.quads)
    frames = (frame, changed)

    known = scanner.accept(detected).deck
    last, cards = cache.read(_noisy(rng, frame)), len(detected.scores)

    def count_cards(
        picture: Image, detect: Callable[[Image], CardCandidates], deck: str | None = None
    ) -> int:
        accepted = scanner.accept(detect(picture), deck)
        return len(build_result(accepted, picture.shape[1], picture.shape[0], scanner.calibration).cards)

    def count_cached(picture: Image) -> int:
        nonlocal last, cards
        previous, last = last, cache.read(picture)
        if last is not previous:
            cards = count_cards(picture, lambda _: last, known)
        return cards

    yield _timed(
        "first", runs, lambda _: _noisy(rng, frame), lambda image: count_cards(image, scanner.detect_cards)
    )
    yield _timed(
        "settled",
        runs,
        lambda _: _noisy(rng, frame),
        lambda image: count_cards(image, lambda pixels: scanner.detect_cards(pixels, card_px), known),
    )
    yield _timed("unchanged", runs, lambda _: _noisy(rng, frame), count_cached)
    yield _timed("one-changed", runs, lambda run: _noisy(rng, frames[(run + 1) % 2]), count_cached)
    photograph, photograph_scanner = _photograph(frame), of_photographs()
    yield _timed(
        "photograph",
        max(3, runs // 4),
        lambda _: photograph,
        lambda data: len(photograph_scanner.scan(read_picture(data)).cards),
    )


def _frame() -> Image:
    """Return the picture that is read."""
    picture: Image = np.zeros((0, 0, 3), np.uint8)
    with FilmSource(clock=lambda: 0.0, sleep=lambda _: None) as film:
        for _ in range(_FRAME_NUMBER):
            frame = film.next(math.inf)
            picture = picture if frame is None else frame.bgr
    return np.asarray(cv2.resize(picture, _FRAME_SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)


def _timed(
    name: str, runs: int, make_input: Callable[[int], Any], read: Callable[[Any], int]
) -> dict[str, Any]:
    """Time ``read`` on the input that ``make_input`` returns for each run; an additional first run is not counted."""
    wall, cpu, cards = [], [], 0
    for run in range(runs + 1):
        data = make_input(run)
        start, cpu_start = time.perf_counter(), time.process_time()
        cards = read(data)
        wall.append((time.perf_counter() - start) * 1e3)
        cpu.append((time.process_time() - cpu_start) * 1e3)
    p50, p95 = np.percentile(wall[1:], (50, 95))
    memory = peak_memory()
    return {
        "what": name,
        "cards": cards,
        "runs": runs,
        "ms": {"p50": round(float(p50), 1), "p95": round(float(p95), 1)},
        "cpu_ms": round(float(np.median(cpu[1:])), 1),
        "memory_mb": None if memory is None else round(memory),
    }


def _noisy(rng: np.random.Generator, frame: Image) -> Image:
    """Return the frame with new sensor noise."""
    noise = rng.normal(0, _NOISE, frame.shape[:2]).astype(
        np.float32
    )  # brightness only; separate noise per channel takes longer
    return np.asarray(np.clip(frame + noise[..., None], 0, 255), np.uint8)


def _with_card_replaced(frame: Image, quads: Quads) -> Image:
    """Return the frame with the leftmost card copied over the card nearest to the bottom right."""
    bottom_right, leftmost = quads.sum(axis=2).max(axis=1).argmax(), quads[..., 0].max(axis=1).argmin()
    matrix = cv2.getPerspectiveTransform(quads[leftmost], quads[bottom_right])
    size = (frame.shape[1], frame.shape[0])
    mask = np.zeros(frame.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(quads[bottom_right]).astype(np.int32), 255)
    return np.where(mask[..., None] > 0, cv2.warpPerspective(frame, matrix, size), frame)


def _photograph(frame: Image) -> bytes:
    """Return the frame enlarged, with its border extended to the size of a photograph, as a JPEG file."""
    large = cv2.resize(frame, None, fx=_ENLARGEMENT, fy=_ENLARGEMENT, interpolation=cv2.INTER_CUBIC)
    extra_width, extra_height = _PHOTOGRAPH[0] - large.shape[1], _PHOTOGRAPH[1] - large.shape[0]
    borders = (
        extra_height // 2,
        extra_height - extra_height // 2,
        extra_width // 2,
        extra_width - extra_width // 2,
    )
    photograph = cv2.copyMakeBorder(large, *borders, cv2.BORDER_REPLICATE)
    return to_jpeg(np.asarray(photograph, np.uint8), 90)


def peak_memory() -> float | None:
    """Return the peak memory (RSS) of this process so far, MB; None if the system does not report it."""
    try:
        import resource  # noqa: PLC0415  # Windows has none
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3 / 1.024)
