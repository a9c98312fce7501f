"""Cuts rendered pictures into training scenes, with cards as wide as the detector expects them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from hanafuda_training.render.scenes import Scene
from hanafuda_training.training.generate_scenes import Stored, pack

#: Number of crops of one picture, and their (width, height), px.
_CROPS: Final = 6
_SIZE: Final = (448, 336)
#: Mean width of the median card in a crop, px, and standard deviation of its logarithm.
_CARD_PX: Final = 52.0
_LOG_DEVIATION: Final = 0.25


def random_crops(rng: np.random.Generator, scene: Scene) -> Iterator[Stored]:
    """Yield random crops of a rendered picture that contain cards."""
    width, height = _SIZE
    typical = float(np.median(np.linalg.norm(scene.quads[:, 1] - scene.quads[:, 0], axis=1)))
    for _ in range(_CROPS):
        scale = _CARD_PX * float(np.exp(rng.normal(0, _LOG_DEVIATION))) / typical
        min_scale = max(width / scene.ids.shape[1], height / scene.ids.shape[0])
        size = np.ceil(np.array(scene.ids.shape[::-1]) * max(scale, min_scale)).astype(int)
        factor = size / scene.ids.shape[::-1]
        interpolation = cv2.INTER_AREA if factor[0] < 1 else cv2.INTER_LINEAR
        image = cv2.resize(scene.image, size.tolist(), interpolation=interpolation)
        ids = cv2.resize(scene.ids, size.tolist(), interpolation=cv2.INTER_NEAREST)
        quads = scene.quads * factor
        corner = quads[rng.integers(len(quads))].mean(axis=0) - rng.uniform(0.2, 0.8, 2) * _SIZE
        x, y = np.clip(corner, 0, size - _SIZE).astype(int).tolist()
        crop = Scene(
            np.asarray(image[y : y + height, x : x + width], np.uint8),
            np.asarray(ids[y : y + height, x : x + width], np.uint8),
            (quads - (x, y)).astype(np.float32),
            scene.class_ids,
            scene.identities,
        )
        yield pack(crop, int(rng.integers(40, 97)))
