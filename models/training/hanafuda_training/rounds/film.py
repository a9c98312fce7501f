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
from numpy.typing import NDArray

from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of
from hanafuda_training.rounds.fishing import gather, round_moments
from hanafuda_training.rounds.greedy_players import AnyRound, play_match
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.round_frames import frames
from hanafuda_training.rounds.stage import Manner, Moment, Stage
from vision.demo.film_source import CONTENTS, FILM

__all__ = ["MANNER", "SEED", "TABLE", "film_moments", "film_rounds"]

#: Seed of an evening with many events: koi-koi and stop after four brights, then a koi-koi that the opponent survives.
SEED: Final = 7
#: Seed of a plain green tabletop.
TABLE: Final = 17
#: The rules, otherwise the game's defaults: two rounds are a whole game, of four to five minutes.
_RULES: Final = {"rounds": 2}
_FPS: Final = 4.0
#: A turn takes about eight seconds, so that a visitor can follow it in the browser.
MANNER: Final = Manner(reach=0.85, rest=1.8, think=3.0, pause=0.9, mm=1.2, degrees=2.5)
#: How long the empty table is filmed after the last round, so that the final score stays on the pages, s.
_AFTER_S: Final = 12.0
#: WebP quality of the first frame and of the changes (1-100).
_FIRST_QUALITY: Final = 85
_QUALITY: Final = 55


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
    before = np.zeros((0, 0, 3), np.uint8)
    changes: list[tuple[int, int, int]] = []
    count = 0
    with zipfile.ZipFile(path, "w") as film:
        for number, frame in enumerate(frames(moments, renderer, _FPS)):
            count = number + 1
            x, y, width, height = _changed(before, frame.bgr)
            before = frame.bgr
            if not width:
                continue
            quality = [cv2.IMWRITE_WEBP_QUALITY, _QUALITY if number else _FIRST_QUALITY]
            picture = cv2.imencode(".webp", frame.bgr[y : y + height, x : x + width], quality)[1]
            film.writestr(f"{number}.webp", picture.tobytes())
            changes.append((number, x, y))
        contents = {"fps": _FPS, "frames": count, "changes": changes, "calls": _calls(moments)}
        film.writestr(CONTENTS, json.dumps(contents), zipfile.ZIP_DEFLATED)
    return count


def _changed(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return the rectangle in which two frames differ (x, y, width, height; px): all of a first one, an empty one if they are equal."""
    if not before.size:
        return 0, 0, after.shape[1], after.shape[0]
    x, y, width, height = cv2.boundingRect((before != after).any(axis=2).astype(np.uint8))
    return x, y, width, height


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
