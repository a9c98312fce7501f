"""Reading of a frame stream: only what changed since a frame was read before is read again.

Cards are still between moves. A frame is compared with the picture from which each quad was last read, on small copies of both, in which
noise averages out and a card still has hundreds of pixels; a quad is unchanged only if all its small pixels are. A change of light over the whole picture is compensated by a smooth field
that is too stiff to explain a card, a hand or glare.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.read_cards import CardCandidates
from vision.photograph.scanner import Scanner
from vision.pictures.crops import Image, Quads
from vision.pictures.picture_decoding import resized_to
from vision.sources.frames import SMALL
from vision.tracking.background_model import fill_quads
from vision.tracking.motion import BRIGHTNESS_FACTOR, FLICKER, FLOOR, MIN_DIFFERENCE, MOST

_SmallImage = NDArray[np.float32]


class ReadingCache:
    """Reads the frames of a camera, each only where it differs from those before."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._candidates: CardCandidates | None = None
        self._small: _SmallImage = np.zeros((0, 0, 3), np.float32)

    def read(self, bgr: Image, reread: Quads | None = None) -> CardCandidates:
        """Return the candidates in the next frame (H x W x 3 uint8): the same object as before if nothing changed.

        Quads in ``reread`` (n x 4 x 2 px) are read again in any case.
        """
        small = _small(bgr)
        before, self._candidates = self._candidates, None  # if reading fails, the next frame is read in full
        candidates, self._small = self._read(bgr, small, before, reread)
        self._candidates = candidates
        return candidates

    def replace(self, candidates: CardCandidates) -> None:
        """Replace the candidates of the last frame by an improved reading."""
        self._candidates = candidates

    def read_transient(self, bgr: Image) -> CardCandidates:
        """Return the candidates in a frame with motion without keeping them."""
        return self._read(bgr, _small(bgr), self._candidates)[0]

    def _read(
        self, bgr: Image, small: _SmallImage, before: CardCandidates | None, reread: Quads | None = None
    ) -> tuple[CardCandidates, _SmallImage]:
        """Return the candidates, and the small picture with which the next frame is compared."""
        if before is None or small.shape != self._small.shape:
            return self._scanner.detect_cards(bgr), small
        changed, light = changed_pixels(self._small, small)
        factor = small.shape[1] / bgr.shape[1]
        if reread is not None:
            changed |= fill_quads(reread * factor, changed.shape)
        if not changed.any():
            return before, self._small
        if changed.mean() > MOST:
            return self._scanner.detect_cards(bgr), small
        left, top, width, height = cv2.boundingRect(changed.astype(np.uint8))
        part = (left, top, left + width, top + height)
        candidates = self._scanner.update_cards(
            bgr,
            before,
            lambda quads: _changed_quads(quads * factor, changed),
            tuple(round(edge / factor) for edge in part),
        )
        # Unchanged pixels keep the picture and light of their reading, so that slow changes add up to a difference.
        return candidates, np.where(changed[..., None], small / light, self._small).astype(np.float32)


def changed_pixels(before: _SmallImage, now: _SmallImage) -> tuple[NDArray[np.bool_], _SmallImage]:
    """Return where two small pictures (h x w x 3, 0-255) differ (h x w), and the ratio of their light (h x w x 1)."""
    light = _light_field(before, now)
    if light.min() < 1 / BRIGHTNESS_FACTOR or light.max() > BRIGHTNESS_FACTOR:
        return np.ones(now.shape[:2], np.bool_), np.ones_like(light)
    darkest = np.minimum(before * light, 255)
    # Saturated pixels may have been brighter than recorded.
    brightest = np.where(before > 255 - MIN_DIFFERENCE, 255, darkest)
    difference = np.maximum(np.maximum(darkest - now, now - brightest), 0)
    differs = cv2.blur(difference, (3, 3)).reshape(now.shape).max(axis=2) > MIN_DIFFERENCE
    return np.asarray(cv2.dilate(differs.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0, np.bool_), light


def _light_field(before: _SmallImage, now: _SmallImage) -> _SmallImage:
    """Return the ratio of light between two pictures: exp of a plane, fitted robustly to the pixels it explains."""
    height, width = now.shape[:2]
    reference, current = (
        cv2.cvtColor(picture[::4, ::4], cv2.COLOR_BGR2GRAY) + FLOOR for picture in (before, now)
    )
    values = np.log(current / reference)
    rows, columns = (np.linspace(-1, 1, side, dtype=np.float32) for side in values.shape)
    terms = np.stack(np.broadcast_arrays(np.float32(1), columns, rows[:, None]), axis=-1).reshape(-1, 3)
    values = values.ravel()
    plane = np.array((np.median(values), 0, 0), np.float32)
    for _ in range(3):
        inliers = np.abs(values - terms @ plane) < FLICKER
        if inliers.mean() < 1 - MOST:
            break
        normal = terms[inliers].T @ terms[inliers]
        plane = np.linalg.solve(
            normal + 1e-3 * np.eye(3, dtype=np.float32), terms[inliers].T @ values[inliers]
        )
    rows, columns = (np.linspace(-1, 1, side, dtype=np.float32) for side in (height, width))
    column_ratio, row_ratio = np.exp(plane[0] + plane[1] * columns), np.exp(plane[2] * rows)
    return np.asarray((row_ratio[:, None] * column_ratio)[..., None], np.float32)


def _changed_quads(quads: Quads, changed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of n quads (n x 4 x 2 px) contain changed pixels; quads outside the picture count as changed."""
    changed_quads = np.ones(len(quads), np.bool_)
    for index, quad in enumerate(quads):
        low = np.floor(quad.min(axis=0)).astype(int).clip(0)
        high = np.ceil(quad.max(axis=0)).astype(int) + 1
        part = changed[low[1] : max(high[1], 0), low[0] : max(high[0], 0)]
        if part.size:
            changed_quads[index] = bool((part & fill_quads((quad - low)[None], part.shape)).any())
    return changed_quads


def _small(bgr: Image) -> _SmallImage:
    return np.asarray(resized_to(bgr, SMALL), np.float32)
