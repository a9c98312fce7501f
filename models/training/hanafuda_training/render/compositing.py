"""Compositing of flat sheets, blocks and shadows into a picture."""

from __future__ import annotations

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Quad = NDArray[np.float64]
Rng = np.random.Generator


def blend(box: Image, color: MatLike, alpha: MatLike) -> None:
    """Blend the BGR image ``color`` into ``box`` with ``alpha`` (uint8), in place."""
    weight = cv2.merge((alpha, alpha, alpha))
    box[:] = cv2.add(
        cv2.multiply(box, cv2.bitwise_not(weight), scale=1 / 255),
        cv2.multiply(np.ascontiguousarray(color), weight, scale=1 / 255),
    )


def tint(box: Image, color: tuple[int, int, int], alpha: MatLike) -> None:
    """Blend one BGR color into ``box`` with ``alpha`` (uint8), in place."""
    weight = cv2.merge((alpha, alpha, alpha))
    curve = (np.arange(256)[:, None] / 255 * np.array(color)).round().astype(np.uint8).reshape(256, 1, 3)
    box[:] = cv2.add(cv2.multiply(box, cv2.bitwise_not(weight), scale=1 / 255), cv2.LUT(weight, curve))


def darken(box: Image, amount: MatLike) -> None:
    """Darken ``box`` by ``amount`` (uint8, 255 is black), in place."""
    keep = cv2.bitwise_not(amount)
    box[:] = cv2.multiply(box, cv2.merge((keep, keep, keep)), scale=1 / 255)


def bounds(points: NDArray[np.float64], shape: tuple[int, ...], pad: int = 1) -> tuple[slice, slice] | None:
    """Return the slices of a picture of ``shape`` around ``points`` (n x 2 px), or None if they are outside it."""
    low = np.maximum(np.floor(points.min(axis=0)).astype(int) - pad, 0)
    high = np.minimum(np.ceil(points.max(axis=0)).astype(int) + pad + 1, (shape[1], shape[0]))
    if (high - low < 2).any():
        return None
    return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))


def warp_sheet(image: Image, ids: Image, sheet: MatLike, quad: Quad, number: int) -> None:
    """Warp ``sheet`` (BGR or BGRA) onto ``quad`` (px, clockwise from its top left), in place, and set ``ids`` there to ``number``."""
    box = bounds(quad, ids.shape)
    if box is None:
        return
    rows, columns = sheet.shape[:2]
    source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32) - np.float32(0.5)
    target = (quad - (box[1].start, box[0].start)).astype(np.float32)
    size = (box[1].stop - box[1].start, box[0].stop - box[0].start)
    warp = cv2.getPerspectiveTransform(source, target - np.float32(0.5))
    warped = cv2.warpPerspective(sheet, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    alpha = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(alpha, (target * 16 - 8).round().astype(np.int32), 255, cv2.LINE_AA, 4)
    if sheet.shape[2] == 4:
        alpha = np.asarray(cv2.min(alpha, warped[..., 3]), np.uint8)
    blend(image[box], warped[..., :3], alpha)
    ids[box][alpha > 127] = number


def draw_shadow(image: Image, outline: Quad, offset: Quad, strength: float, blur: int) -> None:
    """Draw the shadow of a block with base ``outline`` (n x 2 px), displaced by ``offset`` px, in place."""
    points = np.concatenate((outline, outline + offset))
    box = bounds(points, image.shape, blur + 1)
    if box is None:
        return
    hull = cv2.convexHull((points - (box[1].start, box[0].start)).astype(np.int32))
    mask = np.zeros(image[box].shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, hull, int(255 * strength))
    darken(image[box], cv2.blur(mask, (2 * blur + 1, 2 * blur + 1)))


def draw_sides(
    rng: Rng, image: Image, ids: Image, base: Quad, lid: Quad, strip: MatLike, shadow: Quad, number: int
) -> None:
    """Draw the sides of a block that face the camera, in place.

    ``base`` and ``lid`` are 4 x 2 px, clockwise; ``strip`` is the texture of a side, its first row lowest; ``shadow`` is
    the direction (x, y) of shadows: sides facing it are darker.
    """
    away = shadow / max(float(np.linalg.norm(shadow)), 1e-6)
    for first in range(4):
        second = (first + 1) % 4
        side = np.array([base[second], base[first], lid[first], lid[second]])
        # Visible sides have the opposite orientation to the lid; the others are hidden.
        if cv2.contourArea(side.astype(np.float32), oriented=True) >= 0:
            continue
        outward = lid[second] - lid[first]
        outward = np.array([outward[1], -outward[0]]) / max(float(np.linalg.norm(outward)), 1e-6)
        gain = float(0.8 - 0.3 * outward @ away) * rng.uniform(0.85, 1.1)
        rise = max(2, round(float(np.linalg.norm(side[3] - side[0]))))
        small = cv2.resize(strip, (strip.shape[1], min(strip.shape[0], rise)), interpolation=cv2.INTER_AREA)
        warp_sheet(image, ids, cv2.convertScaleAbs(small, alpha=gain), side, number)
