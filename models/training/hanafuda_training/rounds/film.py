"""The demo's film: an evening of two players who capture greedily, drawn once and stored with its calls.

``python -m hanafuda_training.rounds.film`` writes ``vision/demo/evening.zip``; ``--records FILE`` also writes the rounds played.
"""

from __future__ import annotations

import argparse
import json
import math
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import cv2
import numpy as np

from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of
from hanafuda_training.rounds.fishing import gather, round_moments
from hanafuda_training.rounds.greedy_players import AnyRound, play_match
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.round_frames import frames
from hanafuda_training.rounds.stage import Manner, Moment, Stage
from vision.demo.film_source import CONTENTS, FILM
from vision.pictures.crops import Image

__all__ = ["MANNER", "SEED", "TABLE", "film_moments", "film_rounds"]

#: Seed of an evening with many events: koi-koi and stop after four brights, then a koi-koi that the opponent survives.
SEED: Final = 7
#: Seed of a plain green tabletop.
TABLE: Final = 17
#: The rules, otherwise the game's defaults: two rounds are a whole game, of four to five minutes.
_RULES: Final = {"rounds": 2}
_FPS: Final = 4.0
#: A turn takes about eight seconds, so that a visitor can follow it in the browser.
MANNER: Final = Manner(reach=0.55, rest=1.8, think=3.0, pause=0.9, mm=1.2, degrees=2.5)
#: How long the empty table is filmed after the last round, so that the final score stays on the pages, s.
_AFTER_S: Final = 12.0
#: WebP quality (1-100) of frames that stay and of those in which something moves, and how much smaller the latter are stored: a moving
#: hand is blurred in a camera's picture too, and four frames of five are such ones.
_QUALITY: Final = 75
_MOVING_QUALITY: Final = 20
_MOVING_SHRINK: Final = 2
#: How long a frame stays at least to be a table at rest, s.
_REST_S: Final = 0.75
#: Side of the squares of which a change consists, px; a square of WebP, also when shrunk by two.
_SQUARE: Final = 16


def film_rounds() -> Iterator[AnyRound]:
    """Yield the rounds of the evening."""
    return play_match(resolve(_RULES, "koikoi"), Random(SEED))


def film_moments() -> Iterator[Moment]:
    """Yield the evening; the cards are gathered after each round."""
    stage = Stage(np.random.default_rng((SEED, 9)), MANNER)
    for played in film_rounds():
        record = record_of(played)
        yield from round_moments(stage, record)
        yield from stage.rest("end", 2 * MANNER.rest + MANNER.think)
        yield from gather(stage, record["dealer"])
    yield from stage.rest("gathered", _AFTER_S)


def write_film(path: Path) -> int:
    """Draw the evening and write the film in the format that `vision.demo.film_source` describes; return the number of frames."""
    moments, renderer = list(film_moments()), Renderer(TABLE, mess=0.0, noise=0.0)
    changes: list[tuple[int, int, int, int]] = []
    rest: Image | None = None
    count = 0
    with zipfile.ZipFile(path, "w") as film:
        for picture, repeated in _runs(frame.bgr for frame in frames(moments, renderer, _FPS)):
            shrink = 1 if rest is None or repeated >= _REST_S * _FPS else _MOVING_SHRINK
            x, y, change = _change(rest, picture)
            quality = [cv2.IMWRITE_WEBP_QUALITY, _QUALITY if shrink == 1 else _MOVING_QUALITY]
            height, width = change.shape[:2]
            small = cv2.resize(change, (width // shrink, height // shrink), interpolation=cv2.INTER_AREA)
            film.writestr(f"{count}.webp", cv2.imencode(".webp", small, quality)[1].tobytes())
            changes.append((count, x, y, shrink))
            if shrink == 1:
                rest = picture
            count += repeated
        contents = {"fps": _FPS, "frames": count, "changes": changes, "calls": _calls(moments)}
        film.writestr(CONTENTS, json.dumps(contents), zipfile.ZIP_DEFLATED)
    return count


def _runs(pictures: Iterable[Image]) -> Iterator[tuple[Image, int]]:
    """Yield each picture that differs from the one before, and for how many frames it stays."""
    current, repeated = None, 0
    for picture in pictures:
        if current is not None and np.array_equal(current, picture):
            repeated += 1
            continue
        if current is not None:
            yield current, repeated
        current, repeated = picture, 1
    if current is not None:
        yield current, repeated


def _change(before: Image | None, after: Image) -> tuple[int, int, Image]:
    """Return the rectangle that contains all changed squares: x and y (px), and its pixels, BGRA, of which unchanged squares are transparent."""
    if before is None:
        return 0, 0, after
    differs = (before != after).any(axis=2).astype(np.uint8)
    height, width = differs.shape
    squares = differs.reshape(height // _SQUARE, _SQUARE, width // _SQUARE, _SQUARE).max(axis=(1, 3))
    x, y, columns, rows = cv2.boundingRect(squares)
    if not columns:  # the table is again as it was at rest before
        x, y, columns, rows = 0, 0, 1, 1
    opaque = np.kron(squares[y : y + rows, x : x + columns], np.full((_SQUARE, _SQUARE), 255, np.uint8))
    x, y = x * _SQUARE, y * _SQUARE
    pixels = after[y : y + opaque.shape[0], x : x + opaque.shape[1]]
    return x, y, np.dstack((pixels, opaque))


def _calls(moments: Iterable[Moment]) -> list[tuple[int, int, str]]:
    """Return the calls with the frames in which they are made: frame, seat and call."""
    calls, began = [], 0.0
    for moment in moments:
        if moment.call is not None:
            calls.append((math.ceil(began * _FPS), *moment.call))
        began += moment.seconds
    return calls


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m hanafuda_training.rounds.film", description=__doc__)
    parser.add_argument("--records", type=Path, help="also write the records of the rounds, as JSON lines")
    arguments = parser.parse_args()
    if arguments.records is not None:
        lines = [json.dumps(record_of(played), ensure_ascii=False) for played in film_rounds()]
        arguments.records.write_text("\n".join(lines) + "\n", encoding="utf-8")
    count = write_film(FILM)
    print(f"{count} frames, {FILM.stat().st_size / 1e6:.1f} MB: {FILM}")


if __name__ == "__main__":
    main()
