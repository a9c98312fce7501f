"""Frames of whole simulated rounds with ground truth, for tests and for folders on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda import registry
from hanafuda_training.rounds import discarding, fishing, stock_drawing
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.stage import Disturb, Manner, Moment, Stage, undisturbed

__all__ = ["GAMES", "ROUND_MOMENTS", "DemoFrame", "frames", "render", "write"]

ROUND_MOMENTS: Final[Mapping[str, Callable[[Stage, Mapping[str, Any], Disturb], Iterator[Moment]]]] = {
    "beside-field": fishing.round_moments,
    "around-discards": discarding.round_moments,
    "around-stock": stock_drawing.round_moments,
}
"""Functions that play a round on a table, by `Camera.layout` of the game."""
#: With a tilted camera: width of the visible table, mm, so that the far edge stays in view; and size of the picture, px.
_TILTED_ACROSS: Final = 950.0
_TILTED_SIZE: Final = (1920, 1080)
GAMES: Final = tuple(slug for slug, game in registry.GAMES.items() if game.camera and not game.form_of)
"""The games whose rounds can be drawn."""


@dataclass(frozen=True, slots=True)
class DemoFrame:
    """A picture with its ground truth.

    ``bgr``: height x width x 3 uint8. ``time``: s since the first frame. ``truth``: an entry of ``truth.json`` (image, width,
    height, table, cards, turn, settled).
    """

    name: str
    time: float
    bgr: NDArray[np.uint8]
    truth: Mapping[str, Any]


def frames(moments: Iterable[Moment], renderer: Renderer, fps: float = 2.0) -> Iterator[DemoFrame]:
    """Yield the frames that a camera captures of ``moments`` at ``fps`` frames per second.

    A moment without hands yields at least one frame, even if it is shorter than the frame interval.
    """
    number, now, began = 0, 0.0, 0.0
    width, height = renderer.size
    for moment in moments:
        end = began + moment.seconds
        if moment.settled and now >= end:
            end = now + 1e-6
        while now < end:
            bgr, cards = renderer.draw(moment, min(1.0, max(0.0, (now - began) / moment.seconds)))
            name = f"{number:05d}-{moment.turn:02d}-{moment.what}.jpg"
            truth = {
                "image": name, "width": width, "height": height, "table": "demo", "cards": cards,
                "turn": moment.turn, "settled": moment.is_between_turns,
            }  # fmt: skip
            yield DemoFrame(name, now, bgr, truth)
            number, now = number + 1, now + 1 / fps
        began = end


def render(
    record: Mapping[str, Any],
    seed: int,
    *,
    fps: float = 2.0,
    mess: float = 0.3,
    manner: Manner | None = None,
    tilt: float | None = None,
) -> Iterator[DemoFrame]:
    """Yield the frames of a round, from the empty table to the last capture.

    ``record``: a round record with all its cards. ``seed``: determines table, lighting, camera and hands. ``mess``: from 0 (tidy,
    evenly lit) to 1. ``manner``: the players' style, random if omitted. ``tilt``: degrees of the camera from vertical, random if
    omitted.
    """
    rng = np.random.default_rng((seed, 9))
    stage = Stage(rng, manner or Manner.drawn(rng, mess))
    camera = registry.GAMES[record["game"]].camera
    assert camera is not None
    if tilt is None:
        renderer = Renderer(seed, mess=mess)
    else:
        renderer = Renderer(seed, _TILTED_SIZE, mess)
        renderer.view = replace(renderer.view, tilt=tilt, across=_TILTED_ACROSS)
    return frames(ROUND_MOMENTS[camera.layout](stage, record, undisturbed), renderer, fps)


def write(folder: Path, taken: Iterable[DemoFrame], record: Mapping[str, Any]) -> int:
    """Write frames as JPEGs with ``truth.json`` and ``record.json``; return the number of frames."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = []
    for frame in taken:
        cv2.imwrite(str(folder / frame.name), frame.bgr, [cv2.IMWRITE_JPEG_QUALITY, 90])
        truth.append(dict(frame.truth))
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    (folder / "record.json").write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    return len(truth)
