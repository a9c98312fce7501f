"""A camera that shows drawn rounds over and over, as a network camera would: frames of known tables at known times."""

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
from vision.demo.demo_source import SEED, TABLE
from vision.demo.fishing import gather, round_moments
from vision.demo.greedy_players import evening
from vision.demo.renderer import Renderer
from vision.demo.stage import Manner, Moment, Stage
from vision.sources import Frame
from vision.tracking.frame_selection import MAX_SPECKS
from vision.tracking.motion import SmoothImage, difference_mask, smooth

__all__ = ["SIZE", "Camera", "Shot", "film", "still"]

SIZE: Final = (1280, 720)
"""Of the film's frames, px."""

#: Players who do not dawdle: a turn takes some five seconds.
_MANNER: Final = Manner(reach=0.7, rest=1.3, pause=0.0, mm=1.2, degrees=2.5)
#: Frames of one table that differ by the sensor's noise alone.
_NOISES: Final = 5
_QUALITY: Final = 90


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame as JPEG; ``table``: the number of the settled table that it shows, None while something moves."""

    jpeg: bytes
    table: int | None


def film(turns: int, fps: float, seed: int = SEED) -> list[Shot]:
    """Draw whole rounds of the default game, hands and all, until at least so many turns were played; ``fps`` frames a second.

    A table counts as settled from the first frame on which nothing differs from it, hands that are out of sight or not.
    """
    renderer = Renderer(TABLE, SIZE, mess=0.0)
    shots: list[Shot] = []
    smalls: list[SmoothImage] = []
    known: dict[object, tuple[int, list[bytes], SmoothImage]] = {}
    for moment, share in _sampled(_moments(turns, seed), fps):
        lying = (moment.cards, moment.view, moment.lamp)
        if moment.hand is not None:
            frame = Frame("", 0.0, bgr=renderer.draw(moment, share)[0])
            shots.append(Shot(_jpeg(frame), None))
            smalls.append(smooth(frame.small))
            continue
        if lying not in known:
            frames = [Frame("", 0.0, bgr=renderer.draw(moment, share)[0]) for _ in range(_NOISES)]
            known[lying] = len(known), [_jpeg(frame) for frame in frames], smooth(frames[0].small)
        table, jpegs, small = known[lying]
        for at in range(len(shots) - 1, -1, -1):
            if (
                shots[at].table is not None
                or np.count_nonzero(difference_mask(smalls[at], small)) > MAX_SPECKS
            ):
                break
            shots[at] = replace(shots[at], table=table)
        shots.append(Shot(jpegs[len(shots) % _NOISES], table))
        smalls.append(small)
    return shots


def still(size: tuple[int, int], seed: int = SEED) -> list[Shot]:
    """Draw a dealt table in pictures of ``size`` (width, height) px that differ by the sensor's noise alone."""
    dealt = next(moment for moment in _moments(1, seed) if moment.settled and len(moment.cards) > 8)
    renderer = Renderer(TABLE, size, mess=0.0)
    return [Shot(_jpeg(Frame("", 0.0, bgr=renderer.draw(dealt, 0.0)[0])), 0) for _ in range(_NOISES)]


def _moments(turns: int, seed: int) -> Iterator[Moment]:
    stage = Stage(np.random.default_rng((seed, 9)), _MANNER)
    for played in evening(default_game().slug, seed):
        record = record_of(played)
        yield from round_moments(stage, record)
        yield from stage.rest("end", 2 * stage.manner.rest)
        yield from gather(stage, record["dealer"])
        turns -= len(record["turns"])
        if turns <= 0:
            return


def _sampled(moments: Iterable[Moment], fps: float) -> Iterator[tuple[Moment, float]]:
    """Yield the moment and the share of it (0-1) that each frame shows."""
    number, began = 0, 0.0
    for moment in moments:
        while number / fps < began + moment.seconds:
            yield moment, (number / fps - began) / moment.seconds
            number += 1
        began += moment.seconds


def _jpeg(frame: Frame) -> bytes:
    return cv2.imencode(".jpg", frame.bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()


class Camera:
    """Sends the frames of a film as motion JPEG over HTTP, again from the first after the last."""

    def __init__(self, shots: Sequence[Shot], fps: float) -> None:
        """Listen on this machine; frames run from the first client on."""
        self._shots, self._at = shots, 0
        self._lock = threading.Lock()
        self.shown: list[tuple[float, int | None]] = []
        """When which settled table was shown first (`time.monotonic`, s; its number), and None when something began to move."""
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
                        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                        self.wfile.write(head.encode() + jpeg + b"\r\n")
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
        """Show something else from now on."""
        with self._lock:
            self._shots, self._at = shots, 0

    def close(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()

    def _next(self) -> bytes:
        with self._lock:
            shot = self._shots[self._at % len(self._shots)]
            self._at += 1
            if not self.shown or self.shown[-1][1] != shot.table:
                self.shown.append((time.monotonic(), shot.table))
            return shot.jpeg
