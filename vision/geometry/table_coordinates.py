"""The table's measure: where the pixels of its pictures lie on it, mm."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.registration.table_registration import CARD_MM, Registration

__all__ = ["TableCoordinates", "expected_sizes"]

Floats = NDArray[np.float64]


class TableCoordinates:
    """Maps the picture to the table and back, as a registration tells it, or else by the width of a card alone."""

    def __init__(self, size: tuple[int, int], card_px: float, registration: Registration | None) -> None:
        """Measure pictures of ``size`` (px) in which a card is ``card_px`` wide where nothing else is known."""
        self.size = size
        self.measured = registration is not None
        """Whether the table was measured, rather than one card."""
        self._registration, self._scale = registration, CARD_MM[0] / card_px
        self._after = np.eye(3)

    def to_mm(self, points: NDArray[np.floating[Any]]) -> Floats:
        """Map points (... x 2 px) to the table (mm)."""
        flat = np.asarray(points, np.float64)
        mm = flat * self._scale if self._registration is None else self._registration.to_mm(flat)
        return np.asarray(mm @ self._after[:2, :2].T + self._after[:2, 2], np.float64)

    def to_px(self, points: Floats) -> Floats:
        """Map points (... x 2 mm) to the picture (px)."""
        back = np.linalg.inv(self._after)
        mm = points @ back[:2, :2].T + back[:2, 2]
        if self._registration is None:
            return np.asarray(mm / self._scale, np.float64)
        return self._registration.to_px(mm)

    def follow(self, here: Floats, there: Floats) -> None:
        """Take ``here`` (n x 2 mm), as this plane has them, for ``there``: the same table after the camera was knocked."""
        moved, _ = cv2.estimateAffinePartial2D(here.astype(np.float32), there.astype(np.float32))
        if moved is not None:
            self._after = np.vstack((moved, (0, 0, 1))) @ self._after


def expected_sizes(
    quads: NDArray[np.floating[Any]], sizes: NDArray[np.floating[Any]], sure: NDArray[np.bool_]
) -> Floats:
    """Return the size expected at each of n places (``quads`` n x 4 x 2 px), by the ``sizes`` (n) of those that are ``sure`` (n).

    Seen aslant, a table's cards grow evenly across the picture.
    """
    middles = np.column_stack((quads.mean(axis=1), np.ones(len(quads))))
    return np.asarray(middles @ np.linalg.lstsq(middles[sure], sizes[sure])[0], np.float64)
