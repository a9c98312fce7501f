"""Motifs that several flowers share: leaves, sprays, ribbons and their writing, clouds, speckles."""

import math
import random
from collections.abc import Callable, Iterable, Sequence

from companion.faces.draw.canvas import (
    RED,
    Point,
    along,
    at,
    bezier,
    blob,
    brush,
    circle,
    curve,
    layer,
    line,
    paint,
    polar,
    xy,
)

Frond = Callable[[float, float, float, float], str]


def leaf(x: float, y: float, length: float, turn: float, fat: float = 0.24) -> str:
    """A leaf pointed at both ends, growing from (x, y)."""
    out, half = length, fat * length * 1.33
    shape = [
        (0.0, 0.0),
        (out * 0.25, -half),
        (out * 0.65, -half),
        (out, 0),
        (out * 0.65, half),
        (out * 0.25, half),
        (0, 0),
    ]
    return bezier(at(shape, x, y, 1, turn), True)


def drop(x: float, y: float, length: float, turn: float, fat: float = 0.3) -> str:
    """A petal that starts in a point at (x, y) and ends round."""
    out, half = length, fat * length * 1.33
    shape = [
        (0.0, 0.0),
        (out * 0.3, -half),
        (out, -half * 1.1),
        (out, 0),
        (out, half * 1.1),
        (out * 0.3, half),
        (0, 0),
    ]
    return bezier(at(shape, x, y, 1, turn), True)


def sprays(
    stems: Iterable[Sequence[Point]],
    color: str,
    part: Frond,
    *,
    length: float,
    spacing: float,
    spread: float,
    start: float,
) -> str:
    """Draw stems with leaves or petals in pairs along them, spread to both sides, and one at the tip."""
    lines = ""
    parts = []
    for stem in stems:
        lines += curve(stem)
        for x, y, turn in along(stem, spacing, start):
            if math.dist((x, y), stem[-1]) < spacing * 0.6:
                continue  # only one leaf at the tip
            for side in (-spread, spread):
                parts.append(part(*polar(x, y, length * 0.3, turn + side), length, turn + side))
        (ax, ay), (bx, by) = stem[-2:]
        parts.append(part(bx, by, length, math.degrees(math.atan2(by - ay, bx - ax))))
    return brush(lines, 3.5) + layer(parts, color, 3)


def blade(points: Sequence[Point], width: float, end: float = 0) -> str:
    """A long shape along a line, tapering from `width` at its foot to `end`: grass, feathers, limbs."""
    left, right = [], []
    for index, (x, y) in enumerate(points):
        (ax, ay), (bx, by) = points[max(index - 1, 0)], points[min(index + 1, len(points) - 1)]
        turn = math.degrees(math.atan2(by - ay, bx - ax))
        half = (width - (width - end) * (index / (len(points) - 1)) ** 1.5) / 2
        left.append(polar(x, y, half, turn - 90))
        right.append(polar(x, y, half, turn + 90))
    return curve([left[0], *left, left[-1], right[-1], *reversed(right), right[0]], True)


def cloud(lobes: Sequence[tuple[float, float, float]]) -> str:
    """A red cloud of round lobes (x, y, radius), each with a curl inside."""
    curls = ""
    for x, y, radius in lobes:
        arc = [polar(x, y, radius * (0.72 - 0.09 * step), 200 + step * 62) for step in range(6)]
        curls += curve(arc)
    return blob("".join(circle(*lobe) for lobe in lobes), RED, 3) + brush(curls, 3)


def speckles(seed: int) -> str:
    """The dotted background of ribbons."""
    chance = random.Random(seed)
    dots = ""
    for row in range(22):
        for column in range(11):
            x = 22 + column * 28 + (row % 2) * 14 + chance.uniform(-7, 7)
            y = 24 + row * 24 + chance.uniform(-7, 7)
            dots += f"M{round(x)} {round(y)}h0"
    return brush(dots, 6)


_KANA = {
    "あ": ("20,24 50,23 78,18", "46,6 43,40 50,84", "68,38 54,68 30,86 18,72 32,52 60,46 82,60 78,82 56,94"),
    # the old cursive form of か, which looks like の and gives the ribbon its usual misreading
    "か": ("54,22 42,62 26,78 14,62 24,34 52,18 80,34 84,60 60,90",),
    "よ": ("52,6 52,50 50,78 34,92 20,82 36,70 60,78 82,94", "54,34 80,28"),
    "ろ": ("24,14 66,12 44,36 16,62 48,48 76,56 76,80 40,96",),
    "し": ("38,4 34,50 38,84 58,94 88,70",),
    "み": ("22,18 52,14 38,46 18,76 10,60 30,52 60,62 90,76", "72,34 68,64 50,94"),
    "の": ("54,24 42,64 24,80 14,62 26,32 54,20 80,34 84,62 58,92",),
}


def ribbon(x: float, y: float, color: str, lean: int = 1, writing: str = "") -> str:
    """A poetry ribbon with its top left corner at (x, y); its foot sways right (lean 1) or left (-1)."""
    width, length = 86.0, 332.0

    def edge(offset: float, down: float) -> Point:
        sway = lean * 108 * down**1.7
        tilt = lean * 12 * down**2 * offset / width
        return x + offset + sway, y + length * down - tilt

    steps = [0, 0.25, 0.5, 0.75, 1]
    left = [edge(0, step) for step in steps]
    right = [edge(width, step) for step in reversed(steps)]
    outline = curve([left[0], *left, left[-1], right[0], *right, right[-1]], True)
    strokes = ""
    for index, kana in enumerate(writing):
        middle = edge(width / 2, (index + 0.53) / len(writing))
        for stroke in _KANA[kana]:
            strokes += curve(at([(px - 50, py - 50) for px, py in xy(stroke)], *middle, 0.58))
    return paint(outline, color, 4) + (brush(strokes, 6) if writing else "")


def veins(x: float, y: float, length: float, turns: Sequence[float]) -> str:
    """Straight veins from one point."""
    return "".join(line([(x, y), polar(x, y, length, turn)]) for turn in turns)
