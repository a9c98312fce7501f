"""Draws the frame for ``companion bench speed``.

``python -m hanafuda_training.training.draw_benchmark_frame --out vision/cli/settled.jpg``

A 1080p camera picture of a table between two moves: 24 of the project's own faces, eight of them in a hand
turned to the camera, ten on the field, two of them on the cards they match, and six captured.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import cv2

from hanafuda_training.training.draw_samples import (
    DrawnSample,
    Light,
    SampleCamera,
    SampleCard,
    by_hand,
    draw,
    row_of,
    wood,
)

SIZE: Final = (1920, 1080)
_HAND = "pine-ribbon cherry-chaff-1 iris-bridge peony-ribbon susuki-geese chrysanthemum-chaff-2 maple-deer paulownia-chaff-1"
_FIELD = "pine-chaff-1 plum-ribbon cherry-curtain wisteria-chaff-2"
_FIELD_BELOW = "iris-chaff-1 clover-boar susuki-chaff-2 willow-swallow"
_CAPTURED = "plum-warbler plum-chaff-1 peony-butterflies peony-chaff-2 maple-ribbon maple-chaff-1"

SETTLED: Final = DrawnSample(
    "settled",
    wood((92, 132, 176)),
    by_hand(
        [
            *row_of(_HAND, 96, 336, 39),
            *row_of(_FIELD, 96, 150, 44),
            *row_of(_FIELD_BELOW, 96, 224, 44),
            SampleCard("cherry-chaff-2", 192, 168, 14),
            SampleCard("clover-chaff-1", 150, 240, -12),
            *row_of(_CAPTURED, 330, 176, 19, 0, 1),
        ],
        7, 1.0, 2.0,
    ),
    SampleCamera(10, 1, 540),
    Light(0.2, 240, 0.4, 1.0),
)  # fmt: skip


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the JPEG to write")
    cv2.imwrite(str(parser.parse_args().out), draw(SETTLED, SIZE), [cv2.IMWRITE_JPEG_QUALITY, 88])


if __name__ == "__main__":
    main()
