"""Finding cards: from a picture to quads of whole cards, also of partly covered ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import Image, Quads
from vision.networks.onnx_sessions import open_session

__all__ = ["CONFIDENT_DETECTION", "LARGE_DETECTOR", "Detections", "Detector", "card_widths"]

LARGE_DETECTOR: Final = "detector-large"
"""The network that is read with where half as long again is no matter: a photograph."""

CONFIDENT_DETECTION: Final = 0.6
"""The score from which on a find is surely a card."""

_STRIDE: Final = 4
_MULTIPLE: Final = 32
#: Peaks kept at most; a full deck and some doubt.
_MOST: Final = 96


@dataclass(frozen=True)
class Detections:
    """Cards found in one pass, best score first.

    ``quads`` n x 4 x 2 px of the full picture; ``points`` n x 2 px, on the visible part of each; ``scores`` and visible
    ``shares``, n each, 0-1. The first corner of a quad is either end's left one: which end is up is not known yet.
    """

    quads: Quads
    points: NDArray[np.float32]
    scores: NDArray[np.float32]
    visible: NDArray[np.float32]

    def take(self, chosen: NDArray[np.intp]) -> Detections:
        """Return the chosen cards."""
        return Detections(self.quads[chosen], self.points[chosen], self.scores[chosen], self.visible[chosen])

    @property
    def widths(self) -> NDArray[np.float32]:
        """Width of each card, px."""
        return card_widths(self.quads)


def card_widths(quads: Quads) -> NDArray[np.float32]:
    """Return each card's width in px: the mean of its two short edges."""
    top = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    bottom = np.linalg.norm(quads[:, 2] - quads[:, 3], axis=1)
    return np.asarray((top + bottom) / 2, np.float32)


def _sigmoid(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)


class Detector:
    """The point-and-quad network: a card is a point on its visible part, with four corners, seen or not."""

    def __init__(self, models: Path, fast: bool = False) -> None:
        """Load the network of ``models``: unless it is to be ``swift``, the larger one for photographs, where it is there."""
        large = not fast and (models / f"{LARGE_DETECTOR}.onnx").is_file()
        self._session, self.form = open_session(models, LARGE_DETECTOR if large else "detector", fast)

    def find(self, image: Image, scale: float, least: float) -> Detections:
        """Look at ``image`` (H x W x 3 uint8 BGR) resized by ``scale``; return what scores at least ``least``."""
        height, width = image.shape[:2]
        size = (max(8, round(width * scale)), max(8, round(height * scale)))
        small = (
            image
            if size == (width, height)
            else cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        )
        pad_x, pad_y = -size[0] % _MULTIPLE, -size[1] % _MULTIPLE
        padded = (
            cv2.copyMakeBorder(small, 0, pad_y, 0, pad_x, cv2.BORDER_REFLECT_101) if pad_x or pad_y else small
        )
        scores, cells, values = (
            np.asarray(part)
            for part in self._session.run(
                ["scores", "cells", "values"],
                {"picture": np.ascontiguousarray(padded)[None], "least": np.array([least], np.float32)},
            )
        )
        rows, columns = np.divmod(cells, padded.shape[1] // _STRIDE)
        inside = np.flatnonzero((rows * _STRIDE < size[1]) & (columns * _STRIDE < size[0]))
        best = inside[np.argsort(-scores[inside], kind="stable")[:_MOST]]
        rows, columns, scores, values = rows[best], columns[best], scores[best], values[best]
        # The long axis decides which ordering of the corners is the unambiguous one here.
        upright = values[:, 16] < 0
        corners = np.where(upright[:, None], values[:, 0:8], values[:, 8:16]).reshape(-1, 4, 2) * 32
        centres = np.stack((columns, rows), axis=1) * _STRIDE + _STRIDE / 2
        factor = np.array((size[0] / width, size[1] / height))
        quads = ((corners + centres[:, None]) / factor).astype(np.float32)
        points = (centres / factor).astype(np.float32)
        return Detections(quads, points, scores.astype(np.float32), _sigmoid(values[:, 18]))
