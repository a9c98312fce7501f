"""Table coordinates: mapping between px of the picture and mm on the table."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from vision.geometry.fitting import Floats
from vision.geometry.registration.table_registration import Registration


class TableCoordinates:
    """Maps between picture and table, by a registration or, without one, by the width of a card alone."""

    def __init__(self, size: tuple[int, int], card_px: float, registration: Registration | None) -> None:
        """Prepare the mapping for pictures of ``size`` (px); ``card_px``: the width of a card, px, used
        without a registration.
        """
        self.size = size
        self.measured = registration is not None
        """Whether the mapping is from a registration."""
        self._registration, self._scale = registration, CARD_MM[0] / card_px
        self._correction = np.eye(3)

    def to_mm(self, points: NDArray[np.floating[Any]]) -> Floats:
        """Map points (... x 2 px) to the table (mm)."""
        flat = np.asarray(points, np.float64)
        mm = flat * self._scale if self._registration is None else self._registration.to_mm(flat)
        return np.asarray(mm @ self._correction[:2, :2].T + self._correction[:2, 2], np.float64)

    def to_px(self, points: Floats) -> Floats:
        """Map points (... x 2 mm) to the picture (px)."""
        back = np.linalg.inv(self._correction)
        mm = points @ back[:2, :2].T + back[:2, 2]
        if self._registration is None:
            return np.asarray(mm / self._scale, np.float64)
        return self._registration.to_px(mm)

    def follow(self, present: Floats, previous: Floats) -> None:
        """Correct the mapping after a camera movement: ``present`` are the mapped positions (n x 2 mm) of points
        that were at ``previous`` before it.
        """
        moved, _ = cv2.estimateAffinePartial2D(present.astype(np.float32), previous.astype(np.float32))
        if moved is not None:
            self._correction = np.vstack((moved, (0, 0, 1))) @ self._correction


def expected_sizes(
    quads: NDArray[np.floating[Any]], sizes: NDArray[np.floating[Any]], reference: NDArray[np.bool_]
) -> Floats:
    """Return the expected size of a card at each of n positions (``quads``, n x 4 x 2 px), fitted to the
    ``sizes`` (n) of the ``reference`` cards (n, bool).

    In an oblique view, the size varies linearly across the picture.
    """
    centers = np.column_stack((quads.mean(axis=1), np.ones(len(quads))))
    return np.asarray(centers @ np.linalg.lstsq(centers[reference], sizes[reference])[0], np.float64)
