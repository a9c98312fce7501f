"""Draws a registration over its picture, to check at a glance where the table is assumed to be."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from companion.hanafuda.cards import CARD_MM
from vision.geometry.registration.printed_mat import Rect
from vision.geometry.registration.table_registration import Registration
from vision.geometry.registration.view_quality import GOOD_CARD_PX, MIN_CARD_PX, ViewQuality
from vision.pictures.crops import Floats, Image
from vision.pictures.drawing import FONT, GREEN, ORANGE, draw_label, draw_outline, pixels

_RED: Final = (60, 60, 235)
_GRID: Final = (200, 150, 40)
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
    table = registration.table
    for x in np.arange(table.left, table.right + 1, _STEP):
        _line(drawn, registration, np.array(((x, table.top), (x, table.bottom))), thick)
    for y in np.arange(table.top, table.bottom + 1, _STEP):
        _line(drawn, registration, np.array(((table.left, y), (table.right, y))), thick)
    _line(drawn, registration, table.corners[[0, 1, 2, 3, 0]], 3 * thick)
    label_scale = min(drawn.shape[:2]) / 1000
    for place in _sample_cards(registration):
        outline = registration.to_px(place.corners)
        width = float(np.linalg.norm(outline[1] - outline[0]) + np.linalg.norm(outline[2] - outline[3])) / 2
        color = _RED if width < MIN_CARD_PX else ORANGE if width < 0.75 * GOOD_CARD_PX else GREEN
        draw_outline(drawn, outline, color, 2 * thick)
        draw_label(drawn, f"{width:.0f} px", [outline.mean(axis=0).tolist()], label_scale, color, [])
    first = min(registration.markers, default=0)
    for number, quad in registration.markers.items():
        there = detected.get(number)
        outline = registration.to_px(quad) if there is None else there
        color = _RED if there is None else GREEN
        draw_outline(drawn, outline, color, 3 * thick)
        draw_label(drawn, str(number - first + 1), [outline.mean(axis=0).tolist()], label_scale, color, [])
    return _with_values(drawn, _values_text(registration, quality))


def _values_text(registration: Registration, quality: ViewQuality) -> str:
    values = [
        f"card {registration.card_px[0]:.0f} px, smallest {registration.card_px[1]:.0f} px",
        f"tilt {registration.tilt:.0f} deg",
    ]
    if registration.residual is not None:
        values.append(f"fits within {registration.residual:.2f} mm")
    if quality.blur is not None:
        values.append(f"edges {quality.blur:.1f} mm")
    if quality.white is not None:
        values.append(f"white {100 * quality.white / 255:.0f} %")
    values.append(f"table {registration.table.width:.0f} x {registration.table.height:.0f} mm")
    return "  |  ".join(values)


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
            if registration.lens.shows(registration.to_px(place.corners)).all():
                places.append(place)
    return places


def _line(drawn: Image, registration: Registration, corners: Floats, thickness: int) -> None:
    """Draw a line through ``corners`` (n x 2 mm) that follows the lens distortion."""
    steps = [np.linspace(start, end, _POINTS) for start, end in pairwise(corners)]
    cv2.polylines(
        drawn, [pixels(registration.to_px(np.concatenate(steps)))], False, _GRID, thickness, cv2.LINE_AA
    )


def _with_values(drawn: Image, values: str) -> Image:
    """Return the picture with a band of text below it."""
    height, width = drawn.shape[:2]
    scale = height / 700
    text_width = cv2.getTextSize(values, FONT, scale, 1)[0][0]
    scale *= min(1.0, 0.95 * width / text_width)
    text_height = cv2.getTextSize(values, FONT, scale, 1)[0][1]
    framed = cv2.copyMakeBorder(drawn, 0, 3 * text_height, 0, 0, cv2.BORDER_CONSTANT)
    origin = (text_height, height + 2 * text_height)
    return np.asarray(cv2.putText(framed, values, origin, FONT, scale, GREEN, 1, cv2.LINE_AA), np.uint8)
