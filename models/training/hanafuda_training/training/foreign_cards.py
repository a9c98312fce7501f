"""Draws crops of cards that are not hanafuda, to be taught as unknown: writing, pips, framed drawings, photographs, cloth."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pictures.crops import RECOGNIZER_SIZE, Image

Rng = np.random.Generator
_Ink = tuple[float, float, float]

#: Size, px, at which they are drawn: twice that of a crop.
_WIDTH: Final = 2 * RECOGNIZER_SIZE[0]
_HEIGHT: Final = 2 * RECOGNIZER_SIZE[1]
_RED: Final = (20.0, 20.0, 200.0)
_BLACK: Final = (20.0, 20.0, 20.0)
#: Bits of the fraction of a pixel in OpenCV's drawing functions, for strokes thinner than their steps.
_SHIFT: Final = 3


def foreign_card(rng: Rng) -> Image:
    """Return a crop (H x W x 3 of `RECOGNIZER_SIZE`) of a drawn card of another kind, at a slightly wrong place and partly covered."""
    paper = rng.uniform(200, 255, 3) if rng.random() < 0.85 else rng.uniform(40, 255, 3)
    sheet = np.tile(paper, (_HEIGHT, _WIDTH, 1)).astype(np.uint8)
    kind = rng.choice(5, p=(0.34, 0.2, 0.24, 0.14, 0.08))
    if kind == 0:
        _writing(rng, sheet)
    elif kind == 1:
        _pips(rng, sheet)
    elif kind == 2:
        _drawing(rng, sheet)
    else:
        sheet = _photograph(rng, paper) if kind == 3 else _cloth(rng)
    if rng.random() < 0.45:
        inset = int(rng.integers(1, 14))
        ink = _ink(rng) if rng.random() < 0.5 else _any_color(rng)
        corner = (_WIDTH - inset, _HEIGHT - inset)
        cv2.rectangle(sheet, (inset, inset), corner, ink, int(rng.integers(1, 9)))
    if rng.random() < 0.5:
        middle = (_WIDTH / 2, _HEIGHT / 2)
        turned = cv2.getRotationMatrix2D(middle, float(rng.normal(0, 3)), float(rng.uniform(0.8, 1.25)))
        matrix = np.asarray(turned, np.float64)
        matrix[:, 2] += rng.normal(0, 6, 2)
        sheet = np.asarray(
            cv2.warpAffine(
                sheet,
                matrix,
                (_WIDTH, _HEIGHT),
                borderMode=cv2.BORDER_CONSTANT,
                borderValue=_any_color(rng),
            ),
            np.uint8,
        )
    if rng.random() < 0.25:  # something lies on a part of it
        at = rng.uniform((0, 0), (_WIDTH, _HEIGHT))
        cv2.fillPoly(sheet, [(at + rng.normal(0, 60, (3, 2))).astype(np.int32)], _any_color(rng))
    crop = cv2.resize(sheet, RECOGNIZER_SIZE, interpolation=cv2.INTER_AREA)
    if rng.random() < 0.5:
        crop = cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.3, 1.2)))
    return np.asarray(crop, np.uint8)


def _any_color(rng: Rng) -> _Ink:
    blue, green, red = rng.uniform(0, 255, 3)
    return float(blue), float(green), float(red)


def _ink(rng: Rng) -> _Ink:
    """Return a dark color (75 %) or any but the lightest."""
    blue, green, red = rng.uniform(0, 60, 3) if rng.random() < 0.75 else rng.uniform(0, 200, 3)
    return float(blue), float(green), float(red)


def _stroke(rng: Rng, sheet: Image, at: tuple[float, float], size: float, ink: _Ink, thickness: int) -> None:
    """Draw a curved stroke of a brush (a quadratic Bézier curve) within ``size`` px around ``at``, in place."""
    start, bend, end = np.array(at) + rng.uniform(-0.5, 0.5, (3, 2)) * size
    t = np.linspace(0, 1, 9)[:, None]
    curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * bend + t * t * end
    points = (curve * 2**_SHIFT).round().astype(np.int32)
    cv2.polylines(sheet, [points], False, ink, thickness, cv2.LINE_AA, _SHIFT)


def _writing(rng: Rng, sheet: Image) -> None:
    """Write columns, or lines, of invented characters of one to five strokes, sometimes beside a figure, as on poem cards."""
    size, ink = float(rng.uniform(8, 34)), _ink(rng)
    thickness = max(1, int(size * rng.uniform(0.06, 0.16)))
    columns = max(1, int(rng.uniform(0.2, 1) * _WIDTH * 0.85 / (size * 1.25)))
    left, downward = rng.uniform(0.1, 0.3) * _WIDTH, rng.random() < 0.8
    for column in range(columns):
        length = (_HEIGHT if downward else _WIDTH) * 0.85 / (size * 1.1)
        for number in range(int(rng.uniform(0.3, 1) * length)):
            along = size * (0.5 + 1.1 * number)
            if downward:
                at = (left + column * size * 1.3, 0.08 * _HEIGHT + along)
            else:
                at = (0.08 * _WIDTH + along, 0.1 * _HEIGHT + column * size * 1.35)
            for _ in range(int(rng.integers(1, 6))):
                _stroke(rng, sheet, at, 0.95 * size, ink, thickness)
    if rng.random() < 0.3:
        figure = rng.uniform((0.3 * _WIDTH, 0.5 * _HEIGHT), (0.7 * _WIDTH, 0.85 * _HEIGHT))
        for _ in range(int(rng.integers(3, 8))):
            box = (
                (figure + rng.normal(0, 10, 2)).tolist(),
                rng.uniform(8, 46, 2).tolist(),
                float(rng.uniform(0, 180)),
            )
            cv2.ellipse(sheet, box, _any_color(rng), -1, cv2.LINE_AA)


def _pips(rng: Rng, sheet: Image) -> None:
    """Draw one to ten pips and two smaller ones in the corners, as on western cards."""
    ink = _RED if rng.random() < 0.5 else _BLACK
    if rng.random() < 0.25:
        ink = _ink(rng)
    count, size, suit = int(rng.integers(1, 11)), float(rng.uniform(7, 16)), int(rng.integers(4))
    columns = (0.5,) if count < 4 else (0.3, 0.7)
    rows = -(-count // len(columns))
    places = [
        (x * _WIDTH, _HEIGHT * (0.18 + 0.64 * (row + 0.5) / rows), size)
        for x in columns
        for row in range(rows)
    ]
    for x, y, radius in (
        *places,
        (0.1 * _WIDTH, 0.14 * _HEIGHT, size / 2),
        (0.9 * _WIDTH, 0.86 * _HEIGHT, size / 2),
    ):
        _pip(sheet, (x, y), radius if y < _HEIGHT / 2 else -radius, suit, ink)


def _pip(sheet: Image, at: tuple[float, float], size: float, suit: int, ink: _Ink) -> None:
    """Draw a pip of ``size`` px, upside down if that is negative: a diamond, a heart, or like a spade or a club, in place."""
    (x, y), radius = at, abs(size)
    if suit == 0:
        corners = [(x, y - 1.3 * radius), (x + radius, y), (x, y + 1.3 * radius), (x - radius, y)]
        cv2.fillPoly(sheet, [np.array(corners, np.int32)], ink, cv2.LINE_AA)
        return
    for side in (-0.5, 0.5):
        place = (int(x + side * radius), int(y))
        cv2.circle(sheet, place, max(1, int(0.55 * radius)), ink, -1, cv2.LINE_AA)
    tip = (x, y + (1.4 if suit == 1 else -1.4) * size)
    corners = [(x - radius, y + 0.2 * size), (x + radius, y + 0.2 * size), tip]
    cv2.fillPoly(sheet, [np.array(corners, np.int32)], ink, cv2.LINE_AA)
    if suit > 1:
        foot = (int(x), int(y + 1.3 * size))
        cv2.line(sheet, (int(x), int(y)), foot, ink, max(1, int(0.3 * radius)), cv2.LINE_AA)


def _drawing(rng: Rng, sheet: Image) -> None:
    """Draw a picture of random shapes, often with a caption, as on tarot cards."""
    for _ in range(int(rng.integers(4, 18))):
        at = rng.uniform((0.1 * _WIDTH, 0.08 * _HEIGHT), (0.9 * _WIDTH, 0.92 * _HEIGHT))
        ink, shape, extent = _any_color(rng), int(rng.integers(4)), rng.uniform(6, 60, 2)
        if shape == 0:
            box = (at.tolist(), extent.tolist(), float(rng.uniform(0, 180)))
            cv2.ellipse(sheet, box, ink, -1 if rng.random() < 0.6 else 2, cv2.LINE_AA)
        elif shape == 1:
            corners = at + rng.normal(0, extent.mean() / 2, (int(rng.integers(3, 7)), 2))
            cv2.fillPoly(sheet, [corners.astype(np.int32)], ink, cv2.LINE_AA)
        elif shape == 2:
            first, second = ((at + half).astype(int).tolist() for half in (-extent / 2, extent / 2))
            cv2.rectangle(sheet, first, second, ink, -1 if rng.random() < 0.5 else 2)
        else:
            for _ in range(4):
                place = (float(at[0]), float(at[1]))
                _stroke(rng, sheet, place, float(extent.mean()), ink, int(rng.integers(1, 4)))
    if rng.random() < 0.5:
        for number in range(int(rng.integers(3, 9))):
            _stroke(rng, sheet, (0.25 * _WIDTH + 9 * number, 0.94 * _HEIGHT), 9, _BLACK, 1)


def _photograph(rng: Rng, paper: NDArray[np.float64]) -> Image:
    """Return noise of several scales, smooth as a photograph is."""
    blobs = np.zeros((_HEIGHT, _WIDTH, 3))
    for cells in (2, 4, 8, 16, 40):
        field = rng.normal(0, 1, (cells * 3 // 2, cells, 3)).astype(np.float32)
        blobs += cv2.resize(field, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_CUBIC) * cells**-0.7
    return np.asarray(np.clip(0.6 * paper + blobs * rng.uniform(40, 90), 0, 255), np.uint8)


def _cloth(rng: Rng) -> Image:
    """Return stripes or checks of one color."""
    periods, depth = rng.uniform(4, 40, 2), rng.uniform(10, 60)
    columns, rows = (np.arange(length) for length in (_WIDTH, _HEIGHT))
    pattern = np.tile(np.sign(np.sin(columns / periods[0] * 2 * np.pi)) * depth, (_HEIGHT, 1))
    if rng.random() < 0.6:
        pattern += np.sign(np.sin(rows / periods[1] * 2 * np.pi))[:, None] * depth
    colored = rng.uniform(30, 230, 3) + pattern[..., None] * rng.uniform(-1, 1, 3)
    return np.asarray(np.clip(colored, 0, 255), np.uint8)
