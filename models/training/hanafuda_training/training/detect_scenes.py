"""Runs a trained detector on stored scenes, so that the refiner is trained on its real errors.

``python -m hanafuda_training.training.detect_scenes --scenes DIR --models models`` writes a ``.found`` file beside
each shard.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.scenes import Scene, visible_fractions
from hanafuda_training.training.generate_scenes import load_shard, unpack
from vision.networks.detector import Detector
from vision.occlusion.visible_overlap import quad_iou
from vision.pictures.crops import Quads, rotate_half_turn

_MIN_SCORE: Final = 0.25
#: Minimum overlap (intersection over union) of a detection with its card; others are false detections.
_MIN_OVERLAP: Final = 0.35
#: Minimum visible fraction of a card that detections are assigned to.
_MIN_VISIBLE: Final = 0.08


class SceneDetections(NamedTuple):
    """The detections in a scene: ``quads`` m x 4 x 2 px, starting at the end nearer to the card's own top,
    and ``cards``, the index of the card of each (m int16; -1 for a false detection).
    """

    quads: Quads
    cards: NDArray[np.int16]

    def of(self, card: int) -> Quads:
        """Return the detected quads of a card (k x 4 x 2); the false detections for -1."""
        return np.asarray(self.quads[self.cards == card], np.float32)


NO_DETECTIONS: Final = SceneDetections(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.int16))


def load_detections(shard: Path) -> list[SceneDetections] | None:
    """Return the detections in each scene of a shard, None if the detector was not run on it."""
    path = shard.with_suffix(".found")
    if not path.exists():
        return None
    with path.open("rb") as file:
        return [SceneDetections(*row) for row in pickle.load(file)]


def detect(detector: Detector, scene: Scene) -> SceneDetections:
    """Detect the cards of a scene at its own scale, and assign each detection to a card."""
    quads = detector.detect(scene.image, 1.0, _MIN_SCORE).quads
    visible = visible_fractions(scene.ids, scene.quads) if len(scene.quads) else np.zeros(0)
    cards = np.full(len(quads), -1, np.int16)
    for row, quad in enumerate(quads):
        overlaps = [
            quad_iou(quad, true) if fraction >= _MIN_VISIBLE else 0.0
            for true, fraction in zip(scene.quads, visible, strict=True)
        ]
        if overlaps and max(overlaps) >= _MIN_OVERLAP:
            cards[row] = int(np.argmax(overlaps))
            true = scene.quads[cards[row]]
            if np.abs(rotate_half_turn(quad) - true).sum() < np.abs(quad - true).sum():
                quads[row] = rotate_half_turn(quad)
    return SceneDetections(quads, cards)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder with detector-int8.onnx")
    parser.add_argument("--shards", type=int, default=24, help="number of shards, newest first")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    detector = Detector(args.models, fast=True)
    for shard in sorted(args.scenes.glob("*.shard"))[::-1][: args.shards]:
        rows = [tuple(detect(detector, unpack(stored))) for stored in load_shard(shard)]
        part = shard.with_suffix(".part-found")
        with part.open("wb") as file:
            pickle.dump(rows, file)
        part.rename(shard.with_suffix(".found"))


if __name__ == "__main__":
    main()
