"""Find the cards of stored scenes with a trained detector, so that the refiner learns from its real errors.

``python -m vision.lab.training.detect_scenes --scenes DIR --models models`` writes a ``.found`` file beside each shard.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lab.training.generate_scenes import load_shard, unpack
from vision.networks.crops import Quads, rotate_half_turn
from vision.networks.detector import Detector
from vision.occlusion.visible_overlap import quad_iou
from vision.render.scenes import Scene, visible_fractions

_LEAST_SCORE: Final = 0.25
#: A find overlapping no card this much (intersection over union) shows none.
_LEAST_OVERLAP: Final = 0.35
#: Of a card found, this much shows.
_LEAST_VISIBLE: Final = 0.08


class Finds(NamedTuple):
    """What a detector found in a scene: quads m x 4 x 2 px, from the end that is nearer to the card's own top, and the
    index of each one's card (m int16; -1 for what is none).
    """

    quads: Quads
    cards: NDArray[np.int16]

    def of(self, card: int) -> Quads:
        """Return the quads found for a card (k x 4 x 2); of what is none for -1."""
        return np.asarray(self.quads[self.cards == card], np.float32)


NOTHING: Final = Finds(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.int16))


def load_finds(shard: Path) -> list[Finds] | None:
    """Return what was found in each scene of a shard, None where nobody has looked."""
    path = shard.with_suffix(".found")
    if not path.exists():
        return None
    with path.open("rb") as file:
        return [Finds(*row) for row in pickle.load(file)]


def find(detector: Detector, scene: Scene) -> Finds:
    """Look for cards, at the scale of the scene, and tell which card each find is."""
    quads = detector.detect(scene.image, 1.0, _LEAST_SCORE).quads
    visible = visible_fractions(scene.ids, scene.quads) if len(scene.quads) else np.zeros(0)
    cards = np.full(len(quads), -1, np.int16)
    for row, quad in enumerate(quads):
        over = [
            quad_iou(quad, true) if share >= _LEAST_VISIBLE else 0.0
            for true, share in zip(scene.quads, visible, strict=True)
        ]
        if over and max(over) >= _LEAST_OVERLAP:
            cards[row] = int(np.argmax(over))
            true = scene.quads[cards[row]]
            if np.abs(rotate_half_turn(quad) - true).sum() < np.abs(quad - true).sum():
                quads[row] = rotate_half_turn(quad)
    return Finds(quads, cards)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder with detector.onnx")
    parser.add_argument("--shards", type=int, default=24, help="how many shards, the newest first")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    detector = Detector(args.models)
    for shard in sorted(args.scenes.glob("*.shard"))[::-1][: args.shards]:
        rows = [tuple(find(detector, unpack(stored))) for stored in load_shard(shard)]
        part = shard.with_suffix(".part-found")
        with part.open("wb") as file:
            pickle.dump(rows, file)
        part.rename(shard.with_suffix(".found"))


if __name__ == "__main__":
    main()
