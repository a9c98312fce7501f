"""Looking closely at each card found: exact corners and the visible part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import MASK_SIZE, REFINE_MARGIN, REFINE_SIZE, Pyramid, Quads, frame
from vision.plane import complete
from vision.sessions import open_session
from vision.steps import ALL_STEPS, Steps

#: How far in from a corner, towards the middle, one looks whether the card is seen there.
_INSIDE: Final = 0.2


@dataclass(frozen=True)
class Refined:
    """Cards after a close look: ``quads`` n x 4 x 2 px, ``shares`` visible (n, 0-1), and ``masks`` n x 28 x 20 (0-1), the
    visible part over ``windows``, the quads looked at.
    """

    quads: Quads
    shares: NDArray[np.float32]
    masks: NDArray[np.float32]
    windows: Quads

    def take(self, chosen: NDArray[np.intp]) -> Refined:
        """Return the chosen cards."""
        return Refined(self.quads[chosen], self.shares[chosen], self.masks[chosen], self.windows[chosen])


class Refiner:
    """The crop network that corrects a quad and says which pixels of it show the card."""

    def __init__(self, models: Path, steps: Steps = ALL_STEPS) -> None:
        self._session, self.form = open_session(models, "refiner")
        self._steps = steps

    def look(self, pyramid: Pyramid, quads: Quads) -> Refined:
        """Take two looks at each quad (n x 4 x 2 px), the second at the corrected one."""
        shares = np.zeros(len(quads), np.float32)
        masks, windows = np.zeros((len(quads), *MASK_SIZE[::-1]), np.float32), quads
        inner = frame(REFINE_SIZE, REFINE_MARGIN)
        extent = inner[2] - inner[0]
        looks = 2 if self._steps.second_look else 1
        for _ in range(looks if len(quads) else 0):
            windows = quads
            crops = np.stack([pyramid.cut(quad, REFINE_SIZE, REFINE_MARGIN) for quad in windows])
            numbers, masks = (
                np.asarray(part, np.float32) for part in self._session.run(None, {"crops": crops})
            )
            moved = inner + numbers[:, :8].reshape(-1, 4, 2) * extent
            looked = np.stack(
                [_back(quad, inner, corners) for quad, corners in zip(windows, moved, strict=True)]
            )
            quads = complete(looked, _corners_seen(masks, moved)) if self._steps.plane else looked
            shares = numbers[:, 8]
        return Refined(quads, shares, masks, windows)


def _corners_seen(masks: NDArray[np.float32], corners: Quads) -> NDArray[np.float32]:
    """Return how well each corner is seen (n x 4, 0-1): the visible part just inside it.

    ``corners`` n x 4 x 2 in px of the crop.
    """
    inward = corners + (corners.mean(axis=1, keepdims=True) - corners) * _INSIDE
    cells = inward * (np.array(MASK_SIZE) / np.array(REFINE_SIZE)) - 0.5
    columns = np.clip(np.round(cells[..., 0]).astype(int), 0, MASK_SIZE[0] - 1)
    rows = np.clip(np.round(cells[..., 1]).astype(int), 0, MASK_SIZE[1] - 1)
    return np.asarray(masks[np.arange(len(masks))[:, None], rows, columns], np.float32)


def _back(window: Quads, inner: Quads, corners: Quads) -> Quads:
    """Map ``corners`` from the crop's px to the picture's."""
    matrix = cv2.getPerspectiveTransform(inner, window.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(corners[None].astype(np.float32), matrix)[0], np.float32)


def mask_on(
    refined: Refined, index: int, quad: Quads, size: tuple[int, int], margin: float
) -> NDArray[np.uint8]:
    """Return the visible part of card ``index`` (0-255) in a crop of ``size`` px with ``margin`` around ``quad``."""
    cells = frame(MASK_SIZE, REFINE_MARGIN)
    to_picture = cv2.getPerspectiveTransform(cells, refined.windows[index])
    to_crop = cv2.getPerspectiveTransform(quad.astype(np.float32), frame(size, margin))
    shift = np.array(((1, 0, -0.5), (0, 1, -0.5), (0, 0, 1)))
    matrix = shift @ to_crop @ to_picture @ np.linalg.inv(shift)
    mask = (refined.masks[index] * 255).astype(np.uint8)
    return np.asarray(
        cv2.warpPerspective(mask, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )
