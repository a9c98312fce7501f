"""Outlines and labels of cards and markers, drawn so that they are visible on any picture."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.files import write_output
from vision.pictures.crops import Image

Color = tuple[int, int, int]
#: Left, top, right, and bottom of a label, px.
Box = tuple[int, int, int, int]

GREEN: Final = (80, 220, 90)
ORANGE: Final = (40, 140, 255)
FONT: Final = cv2.FONT_HERSHEY_SIMPLEX
_DARK: Final = (24, 24, 24)
_EXTENSIONS: Final = frozenset((".jpg", ".jpeg", ".png", ".webp"))


def pixels(points: NDArray[np.floating[Any]]) -> NDArray[np.int32]:
    """Return points (n x 2 px) for OpenCV's drawing functions; those far outside of any picture are moved nearer."""
    return np.asarray(np.round(np.clip(points, -1e5, 1e5)), np.int32)


def draw_outline(drawn: Image, corners: NDArray[np.floating[Any]], color: Color, thickness: int) -> None:
    """Draw a closed outline (n x 2 px) with a dark line under the colored one."""
    for line_color, width in ((_DARK, thickness + 2), (color, thickness)):
        cv2.polylines(drawn, [pixels(corners)], True, line_color, width, cv2.LINE_AA)


def draw_label(
    drawn: Image,
    text: str,
    centers: Iterable[tuple[float, float]],
    scale: float,
    color: Color,
    taken: list[Box],
) -> None:
    """Draw a label at the first of its possible ``centers`` (px) where it hides none of the labels in ``taken``, or at the first of all;
    add its box to ``taken``. ``scale``: size of the text relative to the font's."""
    thickness = max(1, round(scale * 1.6))
    (width, height), baseline = cv2.getTextSize(text, FONT, scale, thickness)
    margin = thickness + 2
    size = (width + 2 * margin, height + baseline + 2 * margin)
    boxes = [_box_inside(drawn.shape, x, y, size) for x, y in centers]
    box = next((box for box in boxes if not any(_overlap(box, other) for other in taken)), boxes[0])
    left, top, right, bottom = box
    cv2.rectangle(drawn, (left, top), (right, bottom), _DARK, cv2.FILLED)
    origin = (left + margin, top + margin + height)
    cv2.putText(drawn, text, origin, FONT, scale, color, thickness, cv2.LINE_AA)
    taken.append(box)


def _box_inside(shape: tuple[int, ...], x: float, y: float, size: tuple[int, int]) -> Box:
    """Return the box of ``size`` px around a point, moved inside the picture."""
    left = max(0, min(round(x - size[0] / 2), shape[1] - size[0]))
    top = max(0, min(round(y - size[1] / 2), shape[0] - size[1]))
    return left, top, left + size[0], top + size[1]


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def write_picture(path: Path, bgr: Image) -> None:
    """Write a picture (H x W x 3 uint8 BGR) in the format of the file's extension, JPEG for any other extension.

    Raises `OSError` if the file cannot be written.
    """
    extension = path.suffix.lower()
    encoded = cv2.imencode(extension if extension in _EXTENSIONS else ".jpg", bgr)[1]
    write_output(path, encoded.tobytes())
