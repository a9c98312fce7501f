"""Black and white ornaments of the score receipt: the moon over a hill of susuki, a seal and a crest."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw

__all__ = ["crest", "moon_and_susuki", "seal_background"]

#: Supersampling factor: drawings are scaled down before they become black and white.
_SUPERSAMPLING: Final = 4
_BLACK, _WHITE = 0, 255
Point = tuple[float, float]


def moon_and_susuki(width: int) -> Image.Image:
    """Return the banner, ``width`` x about 0.4 ``width`` px, in the style of the August card."""
    height = round(width * 0.4)
    big = Image.new("L", (width * _SUPERSAMPLING, height * _SUPERSAMPLING), _WHITE)
    pen = ImageDraw.Draw(big)
    w, h = big.size
    unit = w / 100
    _sky(pen, w, h, unit)
    moon = (66 * unit, 15.5 * unit, 10.5 * unit)
    pen.ellipse(_box(*moon), fill=_WHITE, outline=_BLACK, width=round(0.5 * unit))
    for x, y, size in ((25, 8, 4.2), (33.5, 12, 3.4), (40, 8.5, 2.8)):
        _goose(pen, x * unit, y * unit, size * unit)
    hill = [(x * unit, _hill(x) * unit) for x in range(-1, 102)]
    pen.polygon([*hill, (w, h), (0, h)], fill=_BLACK)
    dice = random.Random(8)
    for _ in range(46):
        x = dice.uniform(2, 98)
        _blade(
            pen,
            (x * unit, (_hill(x) + 2) * unit),
            dice.uniform(6, 12) * unit,
            dice.uniform(-0.5, 0.7),
            unit,
            _BLACK,
        )
    for _ in range(38):
        x = dice.uniform(0, 100)
        root = (x * unit, (_hill(x) + dice.uniform(6, 16)) * unit)
        _blade(pen, root, dice.uniform(4, 8) * unit, dice.uniform(-0.5, 0.7), unit, _WHITE)
    return _downscaled(big, (width, height))


def crest(size: int) -> Image.Image:
    """Return a plum blossom crest, ``size`` px square."""
    side = size * _SUPERSAMPLING
    big = Image.new("L", (side, side), _WHITE)
    pen = ImageDraw.Draw(big)
    middle, petal = side / 2, side * 0.235
    for turn in range(5):
        angle = math.tau * turn / 5 - math.pi / 2
        x, y = middle + side * 0.255 * math.cos(angle), middle + side * 0.255 * math.sin(angle)
        pen.ellipse(_box(x, y, petal), fill=_BLACK)
    pen.ellipse(_box(middle, middle, side * 0.2), fill=_WHITE)
    for turn in range(5):
        angle = math.tau * turn / 5 - math.pi / 2
        end = (middle + side * 0.3 * math.cos(angle), middle + side * 0.3 * math.sin(angle))
        pen.line([(middle, middle), end], fill=_WHITE, width=round(side * 0.03))
        pen.ellipse(_box(*end, side * 0.035), fill=_WHITE)
    pen.ellipse(_box(middle, middle, side * 0.075), fill=_BLACK)
    return _downscaled(big, (size, size))


def seal_background(size: int) -> Image.Image:
    """Return an empty seal, ``size`` px square: black, with a worn edge like a stone seal's."""
    side = size * _SUPERSAMPLING
    big = Image.new("L", (side, side), _WHITE)
    pen = ImageDraw.Draw(big)
    edge = side * 0.04
    pen.rounded_rectangle((edge, edge, side - edge, side - edge), radius=side * 0.16, fill=_BLACK)
    inner = side * 0.1
    pen.rounded_rectangle(
        (inner, inner, side - inner, side - inner),
        radius=side * 0.11,
        outline=_WHITE,
        width=round(side * 0.02),
    )
    dice = random.Random(3)
    for _ in range(26):
        along, across = dice.uniform(0, side), dice.choice((edge, side - edge))
        x, y = (along, across) if dice.random() < 0.5 else (across, along)
        pen.ellipse(_box(x, y, dice.uniform(0.005, 0.02) * side), fill=_WHITE)
    return _downscaled(big, (size, size))


def _sky(pen: ImageDraw.ImageDraw, w: float, h: float, unit: float) -> None:
    """Draw thin lines that get closer toward the hill, like the shading of a woodblock print."""
    y = 1.2 * unit
    pen.rectangle((0, 0, w, round(0.5 * unit)), fill=_BLACK)
    gap = 4.4
    while y < h:
        pen.line([(0, y), (w, y)], fill=_BLACK, width=max(1, round(0.26 * unit)))
        y += gap * unit
        gap = max(1.3, gap * 0.9)


def _hill(x: float) -> float:
    """Return the y of the hill's edge at ``x``, both in hundredths of the width."""
    return 27.5 - 5.5 * math.sin(math.pi * (x + 12) / 105) + 1.1 * math.sin(x / 7)


def _blade(pen: ImageDraw.ImageDraw, root: Point, length: float, lean: float, unit: float, ink: int) -> None:
    """Draw a stalk of susuki grass with its ear, bent by the wind."""
    x, y = root
    stalk = [(x + lean * length * t * t, y - length * t) for t in (0, 0.25, 0.5, 0.75, 1)]
    pen.line(stalk, fill=ink, width=max(1, round(0.32 * unit)), joint="curve")
    tip_x, tip_y = stalk[-1]
    direction = math.copysign(1, lean or 1)
    for n in range(5):
        start = (tip_x - direction * 0.05 * n * unit, tip_y + n * 0.5 * unit)
        end = (start[0] + direction * (1.5 + 0.12 * n) * unit, start[1] + (0.9 + 0.25 * n) * unit)
        pen.line([start, end], fill=ink, width=max(1, round(0.24 * unit)))


def _goose(pen: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    """Draw a goose in flight: two wings and a neck."""
    thick = max(1, round(size * 0.2))
    wings: Sequence[Point] = ((x - size, y - size * 0.45), (x - size * 0.3, y - size * 0.28), (x, y), (x + size * 0.35, y - size * 0.5), (x + size, y - size * 0.72))  # fmt: skip
    pen.line(wings, fill=_BLACK, width=thick, joint="curve")
    pen.line(
        [(x - size * 0.25, y - size * 0.12), (x + size * 0.5, y + size * 0.22)],
        fill=_BLACK,
        width=round(thick * 1.3),
    )


def _box(x: float, y: float, radius: float) -> tuple[float, float, float, float]:
    return (x - radius, y - radius, x + radius, y + radius)


def _downscaled(big: Image.Image, size: tuple[int, int]) -> Image.Image:
    return big.resize(size, Image.Resampling.BOX)
