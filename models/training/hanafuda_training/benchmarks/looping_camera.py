"""A network camera that plays drawn rounds in a loop, so that the true state of the table is known at all
times.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import cv2
import numpy as np

from companion.hanafuda.registry import default_game
from companion.hanafuda.simulation import record_of
from hanafuda_training.rounds.film import SEED, TABLE
from hanafuda_training.rounds.fishing import gather, round_moments
from hanafuda_training.rounds.greedy_players import evening
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.stage import Manner, Moment, Stage
from vision.sources.frames import Frame
from vision.tracking.motion import MAX_SPECKS, SmoothImage, difference_mask, smooth

__all__ = ["SIZE", "LoopingCamera", "Shot", "film", "still"]

SIZE: Final = (1280, 720)
"""Size of the frames (width, height), px."""

#: Fast players: a turn takes about five seconds.
_MANNER: Final = Manner(reach=0.7, rest=1.3, pause=0.0, mm=1.2, degrees=2.5)
#: Number of frames of each stable table; they differ only by the sensor's noise.
_STILL_FRAMES: Final = 5
_QUALITY: Final = 90


@dataclass(frozen=True, slots=True)
class Shot:
    """A JPEG frame; ``table``: number of the stable table that it shows, None while something moves."""

    jpeg: bytes
    table: int | None


def film(turns: int, fps: float, seed: int = SEED) -> list[Shot]:
    """Draw whole rounds of the default game with hands until at least ``turns`` turns were played, ``fps``
    frames per second.

    A table counts as stable from the first frame that does not differ from it, even if a hand is still just
    out of sight.
    """
    renderer = Renderer(TABLE, SIZE, mess=0.0)
    shots: list[Shot] = []
    small_images: list[SmoothImage] = []
    drawn: dict[object, tuple[int, list[bytes], SmoothImage]] = {}
    for moment, fraction in _sampled(_moments(turns, seed), fps):
        state = (moment.cards, moment.view, moment.lamp)
        if moment.hand is not None:
            frame = Frame("", 0.0, bgr=renderer.draw(moment, fraction)[0])
            shots.append(Shot(_jpeg(frame), None))
            small_images.append(smooth(frame.small))
            continue
        if state not in drawn:
            frames = [Frame("", 0.0, bgr=renderer.draw(moment, fraction)[0]) for _ in range(_STILL_FRAMES)]
            drawn[state] = len(drawn), [_jpeg(frame) for frame in frames], smooth(frames[0].small)
        table, jpegs, small = drawn[state]
        for index in range(len(shots) - 1, -1, -1):
            if (
                shots[index].table is not None
                or np.count_nonzero(difference_mask(small_images[index], small)) > MAX_SPECKS
            ):
                break
            shots[index] = replace(shots[index], table=table)
        shots.append(Shot(jpegs[len(shots) % _STILL_FRAMES], table))
        small_images.append(small)
    return shots


def still(size: tuple[int, int], seed: int = SEED) -> list[Shot]:
    """Draw a dealt table in pictures of ``size`` (width, height) px that differ only by the sensor's noise."""
    dealt = next(moment for moment in _moments(1, seed) if moment.settled and len(moment.cards) > 8)
    renderer = Renderer(TABLE, size, mess=0.0)
    return [Shot(_jpeg(Frame("", 0.0, bgr=renderer.draw(dealt, 0.0)[0])), 0) for _ in range(_STILL_FRAMES)]


def _moments(turns: int, seed: int) -> Iterator[Moment]:
    stage = Stage(np.random.default_rng((seed, 9)), _MANNER)
    for round_played in evening(default_game().slug, seed):
        record = record_of(round_played)
        yield from round_moments(stage, record)
        yield from stage.rest("end", 2 * stage.manner.rest)
        yield from gather(stage, record["dealer"])
        turns -= len(record["turns"])
        if turns <= 0:
            return


def _sampled(moments: Iterable[Moment], fps: float) -> Iterator[tuple[Moment, float]]:
    """Yield for each frame the moment and the fraction of the moment that has passed (0-1)."""
    number, start = 0, 0.0
    for moment in moments:
        while number / fps < start + moment.seconds:
            yield moment, (number / fps - start) / moment.seconds
            number += 1
        start += moment.seconds


def _jpeg(frame: Frame) -> bytes:
    return cv2.imencode(".jpg", frame.bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()


class LoopingCamera:
    """Sends frames in an endless loop as motion JPEG over HTTP."""

    def __init__(self, shots: Sequence[Shot], fps: float) -> None:
        """Listen on this machine; the frames start with the first client."""
        self._shots, self._index = shots, 0
        self._lock = threading.Lock()
        self.displayed: list[tuple[float, int | None]] = []
        """Pairs of the time at which a frame state was first displayed (`time.monotonic`, s) and its stable
        table's number, None for the start of a movement.
        """
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                due = time.monotonic()
                try:
                    while True:
                        jpeg = camera._next()
                        header = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                        self.wfile.write(header.encode() + jpeg + b"\r\n")
                        due += 1 / fps
                        time.sleep(max(0.0, due - time.monotonic()))
                except OSError:
                    pass  # the client has left

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="camera", daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/table.mjpg"

    def show(self, shots: Sequence[Shot]) -> None:
        """Show other frames from now on."""
        with self._lock:
            self._shots, self._index = shots, 0

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def _next(self) -> bytes:
        with self._lock:
            shot = self._shots[self._index % len(self._shots)]
            self._index += 1
            if not self.displayed or self.displayed[-1][1] != shot.table:
                self.displayed.append((time.monotonic(), shot.table))
            return shot.jpeg
