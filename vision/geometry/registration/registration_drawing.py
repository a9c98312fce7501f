"""Draws a registration over its picture, to check at a glance where the table is assumed to be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import cv2
import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from companion.hanafuda.cards import CARD_MM
from vision.geometry.fitting import Floats
from vision.geometry.registration.printed_mat import Rect
from vision.geometry.registration.table_registration import Registration
from vision.geometry.registration.view_quality import GOOD_CARD_PX, MIN_CARD_PX, ViewQuality
from vision.pictures.crops import Image

_GOOD: Final = (90, 205, 60)
_FAIR: Final = (40, 170, 255)
_POOR: Final = (60, 60, 235)
_GRID: Final = (200, 150, 40)
_DARK: Final = (28, 24, 22)
#: Grid spacing, mm.
_STEP: Final = 50.0
#: Points per drawn line, so that lines follow the lens distortion.
_POINTS: Final = 24


def draw_registration(
    bgr: Image, registration: Registration, detected: Mapping[int, Floats], quality: ViewQuality
) -> Image:
    """Return the picture with grid, markers (``detected``: 4 x 2 px by id), and card-sized outlines,
    and a line of values below.

    Detected markers are green, missing ones red. Card outlines are green if cards are large enough, orange if
    just sufficient, red if too small.
    """
    drawn = bgr.copy()
    thick = max(1, round(max(drawn.shape[:2]) / 900))
    veil = drawn.copy()
    table = registration.table
    for x in np.arange(table.left, table.right + 1, _STEP):
        _line(veil, registration, (x, table.top), (x, table.bottom), _GRID, thick)
    for y in np.arange(table.top, table.bottom + 1, _STEP):
        _line(veil, registration, (table.left, y), (table.right, y), _GRID, thick)
    cv2.addWeighted(veil, 0.6, drawn, 0.4, 0, drawn)
    _rect(drawn, registration, table, _GRID, 3 * thick)
    labels: list[tuple[str, tuple[float, float], tuple[int, int, int]]] = []
    for place in _sample_cards(registration):
        outline = registration.to_px(place.corners)
        width = float(np.linalg.norm(outline[1] - outline[0]) + np.linalg.norm(outline[2] - outline[3])) / 2
        color = _POOR if width < MIN_CARD_PX else _FAIR if width < 0.75 * GOOD_CARD_PX else _GOOD
        _closed(drawn, outline, color, 2 * thick)
        center = outline.mean(axis=0)
        labels.append((f"{width:.0f} px", (float(center[0]), float(center[1])), color))
    first = min(registration.markers, default=0)
    for number, quad in registration.markers.items():
        there = detected.get(number)
        outline = registration.to_px(quad) if there is None else there
        color = _POOR if there is None else _GOOD
        _closed(drawn, outline, color, 3 * thick)
        center = outline.mean(axis=0)
        labels.append((str(number - first + 1), (float(center[0]), float(center[1])), color))
    return _with_text(drawn, labels, _values_text(registration, quality))


def _values_text(registration: Registration, quality: ViewQuality) -> str:
    values = [
        f"card {registration.card_px[0]:.0f} px, smallest {registration.card_px[1]:.0f} px",
        f"tilt {registration.tilt:.0f}°",
    ]
    if registration.residual is not None:
        values.append(f"fits within {registration.residual:.2f} mm")
    if quality.blur is not None:
        values.append(f"edges {quality.blur:.1f} mm")
    if quality.white is not None:
        values.append(f"white {100 * quality.white / 255:.0f} %")
    values.append(f"table {registration.table.width:.0f} x {registration.table.height:.0f} mm")
    return "   ·   ".join(values)


def _sample_cards(registration: Registration) -> list[Rect]:
    """Return rectangles for card-sized outlines in a 3 x 3 grid over the table, as far as they are in the
    picture.
    """
    table = registration.table
    places = []
    for y in (0.2, 0.5, 0.8):
        for x in (0.2, 0.5, 0.8):
            middle = (table.left + x * table.width, table.top + y * table.height)
            place = Rect(middle[0] - CARD_MM[0] / 2, middle[1] - CARD_MM[1] / 2, *CARD_MM)
            corners = registration.to_px(place.corners)
            if ((corners >= 0) & (corners < registration.lens.size)).all():
                places.append(place)
    return places


def _line(
    drawn: Image,
    registration: Registration,
    start: tuple[float, float],
    end: tuple[float, float],
    color: tuple[int, int, int],
    thickness: int,
) -> None:
    fraction = np.linspace(0, 1, _POINTS)[:, None]
    points = registration.to_px(np.array(start) * (1 - fraction) + np.array(end) * fraction)
    cv2.polylines(drawn, [_fixed(points)], False, color, thickness, cv2.LINE_AA, 4)


def _rect(
    drawn: Image, registration: Registration, rect: Rect, color: tuple[int, int, int], thickness: int
) -> None:
    corners = rect.corners
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        _line(drawn, registration, (start[0], start[1]), (end[0], end[1]), color, thickness)


def _closed(drawn: Image, points: Floats, color: tuple[int, int, int], thickness: int) -> None:
    # A dark line under each colored one keeps it visible on any table.
    cv2.polylines(drawn, [_fixed(points)], True, _DARK, thickness + 2, cv2.LINE_AA, 4)
    cv2.polylines(drawn, [_fixed(points)], True, color, thickness, cv2.LINE_AA, 4)


def _fixed(points: Floats) -> np.ndarray:
    """Return points in OpenCV's fixed-point format with four fractional bits."""
    return np.asarray(np.round(np.clip(points, -1e4, 1e5) * 16), np.int32)


def _with_text(
    drawn: Image, labels: list[tuple[str, tuple[float, float], tuple[int, int, int]]], figures: str
) -> Image:
    """Draw the labels over the picture, and the values on a band below it."""
    height, width = drawn.shape[:2]
    size = max(13, round(min(height, width) / 42))
    band = round(2.4 * size)
    framed = cv2.copyMakeBorder(drawn, 0, band, 0, 0, cv2.BORDER_CONSTANT, value=_DARK)
    picture = Pillow.fromarray(cv2.cvtColor(framed, cv2.COLOR_BGR2RGB))
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size)
    for text, (x, y), color in labels:
        left, top, right, bottom = pen.textbbox((x, y), text, font=font, anchor="mm")
        pen.rounded_rectangle(
            (left - size // 3, top - size // 4, right + size // 3, bottom + size // 4),
            size // 4,
            fill=_DARK[::-1],
        )
        pen.text((x, y), text, font=font, anchor="mm", fill=color[::-1])
    while size > 9 and pen.textlength(figures, font=font) > width - 2 * size:
        size -= 1
        font = ImageFont.load_default(size)
    pen.text((width / 2, height + band / 2), figures, font=font, anchor="mm", fill=(235, 232, 225))
    return np.asarray(cv2.cvtColor(np.asarray(picture), cv2.COLOR_RGB2BGR), np.uint8)
