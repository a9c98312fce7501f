"""Card detection: from a picture to the quads of whole cards, including partly covered ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.card_arrays import CardArrays
from vision.networks.onnx_sessions import open_session
from vision.pictures.crops import Image, Quads

#: Score from which a detection is confidently a card.
CONFIDENT_DETECTION: Final = 0.6

_STRIDE: Final = 4
_MULTIPLE: Final = 32
#: Maximum number of detections per pass: a full deck, and the figures of a printed cloth.
_MAX_DETECTIONS: Final = 256


@dataclass(frozen=True)
class Detections(CardArrays):
    """Cards detected in one pass, best score first.

    ``quads``: n x 4 x 2 px of the full picture. ``points``: n x 2 px, a point on the visible part of each
    card. ``scores``: n, 0-1. ``visible``: n, visible fractions, 0-1. A quad starts at the left corner of
    either end of the card: which end is up is not known yet.
    """

    quads: Quads
    points: NDArray[np.float32]
    scores: NDArray[np.float32]
    visible: NDArray[np.float32]

    @property
    def widths(self) -> NDArray[np.float32]:
        """Width of each card, px."""
        return card_widths(self.quads)


def card_widths(quads: Quads) -> NDArray[np.float32]:
    """Return the width of each card (n), px: the mean of its two short edges."""
    top = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    bottom = np.linalg.norm(quads[:, 2] - quads[:, 3], axis=1)
    return np.asarray((top + bottom) / 2, np.float32)


def _sigmoid(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)


class Detector:
    """Point-and-quad detector: predicts for each card a point on its visible part and all four corners,
    including covered ones.
    """

    def __init__(self, models: Path, fast: bool = False) -> None:
        """Load the detector from the folder ``models``: the smaller one, in int8, if ``fast``; otherwise the one for
        photographs, where half as much time again does not matter.
        """
        self._session = open_session(models / ("detector-int8.onnx" if fast else "detector-large.onnx"))

    def detect(self, image: Image, scale: float, min_score: float) -> Detections:
        """Detect cards in ``image`` (H x W x 3 uint8 BGR) resized by ``scale``.

        Returns the detections with a score of at least ``min_score``.
        """
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
                {"picture": np.ascontiguousarray(padded)[None], "least": np.array([min_score], np.float32)},
            )
        )
        rows, columns = np.divmod(cells, padded.shape[1] // _STRIDE)
        inside = np.flatnonzero((rows * _STRIDE < size[1]) & (columns * _STRIDE < size[0]))
        best = inside[np.argsort(-scores[inside], kind="stable")[:_MAX_DETECTIONS]]
        rows, columns, scores, values = rows[best], columns[best], scores[best], values[best]
        # The network predicts two corner orders; the direction of the long axis selects the unambiguous one.
        upright = values[:, 16] < 0
        corners = np.where(upright[:, None], values[:, 0:8], values[:, 8:16]).reshape(-1, 4, 2) * 32
        centers = np.stack((columns, rows), axis=1) * _STRIDE + _STRIDE / 2
        factor = np.array((size[0] / width, size[1] / height))
        quads = ((corners + centers[:, None]) / factor).astype(np.float32)
        points = (centers / factor).astype(np.float32)
        return Detections(quads, points, scores.astype(np.float32), _sigmoid(values[:, 18]))
