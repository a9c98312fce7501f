"""Rendered pictures cut into scenes of the size that the trainings read, with cards as wide as the detector sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from vision.lab.training.generate_scenes import Stored, pack
from vision.render.scenes import Scene

#: Pieces cut from one picture, and their width and height, px.
_PIECES: Final = 6
_SIZE: Final = (448, 336)
#: The width that the median card is brought to for a piece, px, and how much that varies (a logarithm's deviation).
_CARD: Final = 52.0
_VARIES: Final = 0.25


def pieces(rng: np.random.Generator, scene: Scene) -> Iterator[Stored]:
    """Yield pieces of a rendered picture around some of its cards."""
    width, height = _SIZE
    typical = float(np.median(np.linalg.norm(scene.quads[:, 1] - scene.quads[:, 0], axis=1)))
    for _ in range(_PIECES):
        wanted = _CARD * float(np.exp(rng.normal(0, _VARIES))) / typical
        least = max(width / scene.ids.shape[1], height / scene.ids.shape[0])
        size = np.ceil(np.array(scene.ids.shape[::-1]) * max(wanted, least)).astype(int)
        factor = size / scene.ids.shape[::-1]
        how = cv2.INTER_AREA if factor[0] < 1 else cv2.INTER_LINEAR
        image = cv2.resize(scene.image, size.tolist(), interpolation=how)
        ids = cv2.resize(scene.ids, size.tolist(), interpolation=cv2.INTER_NEAREST)
        quads = scene.quads * factor
        middle = quads[rng.integers(len(quads))].mean(axis=0) - rng.uniform(0.2, 0.8, 2) * _SIZE
        x, y = np.clip(middle, 0, size - _SIZE).astype(int).tolist()
        piece = Scene(
            np.asarray(image[y : y + height, x : x + width], np.uint8),
            np.asarray(ids[y : y + height, x : x + width], np.uint8),
            (quads - (x, y)).astype(np.float32),
            scene.class_ids,
            scene.identities,
        )
        yield pack(piece, int(rng.integers(40, 97)))
