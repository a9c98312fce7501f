"""Drawing primitives: colors, paths, and shapes.

A drawing is a string of SVG elements. Shapes are path data (`d` attributes) in the card's own units, tenths
of a millimeter, 330 wide and 540 high; shapes of one color join into one element by adding the strings.
Angles are in degrees, 0 to the right and 90 down the page. Numbers are written as whole units, relative to
the point before, so that a face stays a few kilobytes.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

Point = tuple[float, float]

WIDTH, HEIGHT = 330, 540
BORDER = 14

PAPER = "#fffdf7"
INK = "#0d0b0a"
COAL = "#262422"  # leaves, hills and wood: a black in which the inked veins still show
RED = "#e5331f"
YELLOW = "#fbdc3f"
PURPLE = "#433062"
BLUE = "#3b9fcf"
ORANGE = "#ef8a35"
PINK = "#f390a4"
GREEN = "#3f9a4a"


def xy(text: str) -> list[Point]:
    """Parse points from text such as "10,20 30,40!"; an exclamation mark makes a corner."""
    points: list[Point] = []
    for pair in text.split():
        x, y = pair.rstrip("!").split(",")
        points += [(float(x), float(y))] * (2 if pair.endswith("!") else 1)
    return points


def polar(x: float, y: float, distance: float, turn: float) -> Point:
    """Return the point that far from (x, y) in the direction of turn."""
    return x + distance * math.cos(math.radians(turn)), y + distance * math.sin(math.radians(turn))


def at(points: Iterable[Point], x: float, y: float, size: float = 1, turn: float = 0) -> list[Point]:
    """Place a motif drawn around (0, 0) at (x, y), scaled and rotated."""
    cos, sin = size * math.cos(math.radians(turn)), size * math.sin(math.radians(turn))
    return [(x + px * cos - py * sin, y + px * sin + py * cos) for px, py in points]


def mirrored(points: Iterable[Point]) -> list[Point]:
    """Flip a motif drawn around (0, 0) left to right."""
    return [(-x, y) for x, y in points]


def _numbers(values: Iterable[int]) -> str:
    text = "".join(f"{value}" if value < 0 else f" {value}" for value in values)
    return text.lstrip(" ")


def _whole(value: float) -> int:
    """Round so that the result does not depend on the last bits of a sine, which differ between machines."""
    return round(round(value, 6))


def _relative(letter: str, start: Point, groups: Iterable[Sequence[Point]], close: bool) -> str:
    """Write path data: each group of points is one segment, relative to the end of the one before."""
    x, y = _whole(start[0]), _whole(start[1])
    moved = _numbers([x, y])
    numbers: list[int] = []
    for group in groups:
        for px, py in group:
            numbers += [_whole(px) - x, _whole(py) - y]
        x, y = _whole(group[-1][0]), _whole(group[-1][1])
    return f"M{moved}{letter}{_numbers(numbers)}{'z' if close else ''}"


def line(points: Sequence[Point], close: bool = False) -> str:
    """Return a path of straight lines through the points."""
    return _relative("l", points[0], [[point] for point in points[1:]], close)


def curve(points: Sequence[Point], close: bool = False) -> str:
    """Return a smooth path through the points (Catmull-Rom); a point given twice in a row is a corner."""
    path = [*points, points[0]] if close and points[0] != points[-1] else list(points)
    before = path[-2] if close and points[0] != points[-1] else path[0]
    after = path[1] if close and points[0] != points[-1] else path[-1]
    ring = [before, *path, after]
    segments = []
    for a, b, c, d in zip(ring, ring[1:], ring[2:], ring[3:], strict=False):
        if b != c:
            first = (b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6)
            second = (c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6)
            if a == b:  # after a corner, start in the direction of the curve, not straight ahead
                first = ((b[0] + second[0]) / 2, (b[1] + second[1]) / 2)
            if c == d:
                second = ((c[0] + first[0]) / 2, (c[1] + first[1]) / 2)
            segments.append((first, second, c))
    return _relative("c", path[0], segments, close)


def bezier(points: Sequence[Point], close: bool = False) -> str:
    """Return a path of cubic Bézier segments: a start, then two control points and an end for each."""
    return _relative("c", points[0], [points[i : i + 3] for i in range(1, len(points), 3)], close)


def circle(x: float, y: float, radius: float) -> str:
    """Return the path of a circle."""
    return ellipse(x, y, radius, radius)


def ellipse(x: float, y: float, rx: float, ry: float) -> str:
    """Return the path of an axis-parallel ellipse."""
    a, b, left, top = _whole(rx), _whole(ry), _whole(x - rx), _whole(y)
    return f"M{left} {top}a{a} {b} 0 1 0 {2 * a} 0a{a} {b} 0 1 0-{2 * a} 0z"


def along(points: Sequence[Point], spacing: float, start: float = 0) -> list[tuple[float, float, float]]:
    """Return (x, y, direction) every `spacing` units along a polyline, from `start` on."""
    found = []
    due = start
    for (ax, ay), (bx, by) in pairwise(points):
        length = math.hypot(bx - ax, by - ay)
        turn = math.degrees(math.atan2(by - ay, bx - ax))
        while due <= length and length:
            found.append((ax + (bx - ax) * due / length, ay + (by - ay) * due / length, turn))
            due += spacing
        due -= length
    return found


def paint(d: str, fill: str, ink: float = 0) -> str:
    """Fill a shape, with an inked outline of that width."""
    outline = f' stroke="{INK}" stroke-width="{ink:g}"' if ink else ""
    return f'<path fill="{fill}"{outline} d="{d}"/>'


def layer(shapes: Iterable[str], fill: str, ink: float) -> str:
    """Fill overlapping shapes one after the other, each with its outline, like scales or leaves."""
    paths = "".join(f'<path d="{d}"/>' for d in shapes)
    return f'<g fill="{fill}" stroke="{INK}" stroke-width="{ink:g}">{paths}</g>'


def brush(d: str, width: float, color: str = INK) -> str:
    """Stroke a path with a round brush."""
    return f'<path fill="none" stroke="{color}" stroke-width="{width:g}" d="{d}"/>'


def blob(d: str, fill: str, ink: float = 4) -> str:
    """Paint overlapping shapes as one mass: outlined together, with no lines inside."""
    return paint(d, fill, ink * 2) + paint(d, fill)


def card(*elements: str, background: str = PAPER) -> str:
    """Put a drawing on a card with a dark border and round corners; the drawing is clipped to it."""
    width, height = WIDTH - 2 * BORDER, HEIGHT - 2 * BORDER
    box = f'x="{BORDER}" y="{BORDER}" width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="{INK}"/>'
        f'<svg {box} viewBox="{BORDER} {BORDER} {width} {height}"'
        ' stroke-linecap="round" stroke-linejoin="round">'
        f'<rect {box} fill="{background}"/>' + "\n" + "\n".join(elements) + "\n</svg></svg>\n"
    )
