"""What cards lie on: wood, felt, stone, straw, cloths with printed patterns, print."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.camera import Camera
from vision.render.deck_art import random_colour

Image = NDArray[np.uint8]
Rng = np.random.Generator

_SIZE = 640  # px, side of a stored table texture


def _clouds(rng: Rng, cells: int, stretch: float = 1.0) -> NDArray[np.float32]:
    """Return smooth noise, _SIZE x _SIZE, mean about 0, with ``cells`` cells a side."""
    grid = rng.normal(0, 1, (max(2, cells), max(2, int(cells * stretch)))).astype(np.float32)
    return np.asarray(cv2.resize(grid, (_SIZE, _SIZE), interpolation=cv2.INTER_CUBIC), np.float32)


def _tinted(base: tuple[int, int, int], *layers: tuple[NDArray[np.float32], float]) -> Image:
    image = np.empty((_SIZE, _SIZE, 3), np.float32)
    image[:] = base
    for layer, strength in layers:
        image += layer[..., None] * strength
    return np.clip(image, 0, 255).astype(np.uint8)


def _wood(rng: Rng) -> Image:
    base = [(50, 95, 160), (60, 120, 190), (35, 60, 95), (90, 140, 180), (25, 40, 60)][rng.integers(5)]
    rings = np.sin(
        _clouds(rng, 3, 0.7) * rng.uniform(4, 14) + np.linspace(0, rng.uniform(5, 60), _SIZE)[:, None]
    )
    grain = _clouds(rng, 300, 0.05)
    return _tinted(base, (rings.astype(np.float32), rng.uniform(3, 18)), (grain, rng.uniform(3, 12)))


def _felt(rng: Rng) -> Image:
    base = [(60, 110, 40), (40, 40, 130), (120, 60, 30), (60, 60, 60), (110, 140, 130)][rng.integers(5)]
    return _tinted(base, (_clouds(rng, 400), rng.uniform(3, 12)), (_clouds(rng, 5), rng.uniform(0, 8)))


def _plain(rng: Rng) -> Image:
    level = int(rng.choice((30, 60, 110, 160, 200, 235)))
    base = tuple(int(np.clip(level + d, 0, 255)) for d in rng.integers(-14, 15, 3))
    return _tinted(
        (base[0], base[1], base[2]),
        (_clouds(rng, 4), rng.uniform(0, 10)),
        (_clouds(rng, 200), rng.uniform(0, 4)),
    )


def _marble(rng: Rng) -> Image:
    veins = np.abs(_clouds(rng, 6) + 0.5 * _clouds(rng, 18) + 0.25 * _clouds(rng, 50))
    veins = np.exp(-veins * rng.uniform(3, 9)).astype(np.float32)
    base = random_colour(rng, 170) if rng.random() < 0.7 else random_colour(rng, 20, 80)
    return _tinted(base, (veins, rng.uniform(-90, 60)), (_clouds(rng, 8), rng.uniform(2, 12)))


def _tatami(rng: Rng) -> Image:
    period = rng.uniform(3, 9)
    weave = np.sin(np.arange(_SIZE) * 2 * np.pi / period)[:, None] * np.ones((1, _SIZE))
    return _tinted(
        (110, 160, 170),
        (weave.astype(np.float32), rng.uniform(4, 16)),
        (_clouds(rng, 250), rng.uniform(2, 8)),
    )


def _checks(rng: Rng) -> Image:
    period = rng.uniform(14, 90)
    along = (np.arange(_SIZE) / period).astype(int) % 2
    one, two = random_colour(rng), random_colour(rng, 150)
    style = rng.integers(3)
    mask = along[:, None] ^ along[None, :] if style == 0 else (along[:, None] + along[None, :]) / 2
    if style == 2:
        mask = np.broadcast_to(along[:, None], (_SIZE, _SIZE))
    image = np.asarray(one) * mask[..., None] + np.asarray(two) * (1 - mask[..., None])
    return np.asarray(np.clip(image + _clouds(rng, 300)[..., None] * 5, 0, 255), np.uint8)


def _flowered(rng: Rng) -> Image:
    """A printed cloth: many small shapes, the pattern most easily taken for cards."""
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = random_colour(rng)
    colours = [random_colour(rng) for _ in range(4)]
    size = rng.uniform(4, 30)
    for _ in range(int(rng.integers(60, 400))):
        centre = (int(rng.integers(_SIZE)), int(rng.integers(_SIZE)))
        colour = colours[rng.integers(4)]
        kind = rng.integers(3)
        extent = max(2, int(size * rng.uniform(0.5, 1.5)))
        if kind == 0:
            cv2.circle(image, centre, extent, colour, -1 if rng.random() < 0.6 else 2)
        elif kind == 1:
            cv2.ellipse(
                image, centre, (extent, max(1, extent // 3)), float(rng.uniform(0, 180)), 0, 360, colour, -1
            )
        else:
            points = (rng.normal(0, extent, (5, 2)) + centre).astype(np.int32)
            cv2.fillPoly(image, [points], colour)
    return image


def _lattice(rng: Rng) -> Image:
    """A printed pattern: one small motif again and again, as on seigaiha cloth, wrapping paper or tiles."""
    side = int(np.exp(rng.uniform(np.log(12), np.log(90))))
    ground, ink, other = random_colour(rng), random_colour(rng), random_colour(rng)
    tile = np.empty((4 * side, 4 * side, 3), np.uint8)
    tile[:] = ground
    middle = (2 * side, 2 * side)
    if rng.random() < 0.35:  # waves: rings within rings
        for radius in np.linspace(2 * side, 0.3 * side, int(rng.integers(3, 7))):
            cv2.circle(
                tile,
                middle,
                max(1, int(radius)),
                ink,
                max(1, int(side * rng.uniform(0.1, 0.35))),
                cv2.LINE_AA,
            )
    else:
        for _ in range(rng.integers(1, 7)):
            colour = ink if rng.random() < 0.6 else other
            at = (rng.uniform(0.5, 3.5, 2) * side).astype(int).tolist()
            thickness = -1 if rng.random() < 0.4 else max(1, int(side * rng.uniform(0.05, 0.4)))
            kind = rng.integers(4)
            if kind == 0:
                cv2.circle(tile, at, int(side * rng.uniform(0.2, 1.6)), colour, thickness, cv2.LINE_AA)
            elif kind == 1:
                axes = (side * rng.uniform(0.2, 1.8, 2)).astype(int).tolist()
                cv2.ellipse(
                    tile,
                    at,
                    axes,
                    float(rng.uniform(0, 180)),
                    0,
                    float(rng.uniform(120, 361)),
                    colour,
                    thickness,
                    cv2.LINE_AA,
                )
            elif kind == 2:
                points = (rng.uniform(0, 4, (rng.integers(3, 7), 2)) * side).astype(np.int32)
                cv2.polylines(
                    tile, [points], bool(rng.random() < 0.5), colour, max(1, abs(thickness)), cv2.LINE_AA
                )
            else:
                letter = chr(int(rng.integers(65, 91)))
                cv2.putText(
                    tile,
                    letter,
                    at,
                    cv2.FONT_HERSHEY_COMPLEX,
                    side / 12,
                    colour,
                    max(1, side // 8),
                    cv2.LINE_AA,
                )
    tile = np.asarray(cv2.resize(tile, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    rows = []
    shift = int(rng.choice((0, side // 2)))
    for row in range(-(-_SIZE // side)):
        line = np.tile(tile, (1, -(-_SIZE // side) + 1, 1))
        rows.append(np.roll(line, shift * (row % 2), axis=1)[:, :_SIZE])
    image = np.concatenate(rows)[:_SIZE].astype(np.float32) + _clouds(rng, 300)[..., None] * rng.uniform(0, 6)
    return np.clip(image, 0, 255).astype(np.uint8)


def _scales(rng: Rng) -> Image:
    """Seigaiha: rows of overlapping scales of rings, the pattern of waves."""
    radius = int(rng.integers(14, 60))
    colours = [random_colour(rng), random_colour(rng)]
    rings = np.linspace(radius, radius * 0.2, int(rng.integers(3, 7))).astype(int)
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = colours[0]
    for row, y in enumerate(range(-radius, _SIZE + radius, max(4, radius // 2))):
        for x in range((row % 2) * radius - radius, _SIZE + radius, 2 * radius):
            for ring, extent in enumerate(rings.tolist()):
                cv2.circle(image, (x, y), extent, colours[ring % 2], -1, cv2.LINE_AA)
    return image


def _stars(rng: Rng) -> Image:
    """Asanoha and its like: a net of straight lines through the points of a triangular grid."""
    side = float(rng.uniform(18, 80))
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = random_colour(rng)
    ink, width = random_colour(rng), int(rng.integers(1, 4))
    rise = side * np.sqrt(3) / 2
    for row in range(int(_SIZE / rise) + 2):
        for column in range(int(_SIZE / side) + 2):
            at = np.array(((column - row % 2 / 2) * side, row * rise))
            for angle in np.radians(range(0, 360, 60)):
                far = at + side * np.array((np.cos(angle), np.sin(angle)))
                mid = at + side / np.sqrt(3) * np.array(
                    (np.cos(angle + np.pi / 6), np.sin(angle + np.pi / 6))
                )
                for end in (far, mid):
                    cv2.line(
                        image, at.astype(int).tolist(), end.astype(int).tolist(), ink, width, cv2.LINE_AA
                    )
    return image


def _panels(rng: Rng) -> Image:
    """A patchwork, a placemat or a cloth printed with rows of rectangles, some of a card's shape."""
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = random_colour(rng)
    colours = [random_colour(rng, 0, 90) if rng.random() < 0.4 else random_colour(rng) for _ in range(3)]
    short = float(np.exp(rng.uniform(np.log(14), np.log(90))))
    sides = np.array((short, short * rng.uniform(1.2, 2.2)))[:: rng.choice((-1, 1))]
    pitch = sides * rng.uniform(1.1, 2.0, 2)
    shift, framed = rng.choice((0.0, 0.5)), int(rng.integers(0, 3))
    for row in range(int(_SIZE / pitch[1]) + 1):
        for column in range(int(_SIZE / pitch[0]) + 1):
            corner = (np.array((column + shift * (row % 2), row)) * pitch).astype(int)
            ends = corner.tolist(), (corner + sides.astype(int)).tolist()
            cv2.rectangle(image, *ends, colours[int(rng.integers(2))], -1)
            if framed:
                cv2.rectangle(image, *ends, colours[2], framed)
    return np.asarray(np.clip(image + _clouds(rng, 300)[..., None] * rng.uniform(0, 6), 0, 255), np.uint8)


def _print_page(rng: Rng) -> Image:
    """A newspaper or a rule book: lines of small print and a picture or two."""
    image = np.full((_SIZE, _SIZE, 3), int(rng.integers(190, 250)), np.uint8)
    height = int(rng.integers(7, 22))
    for y in range(height, _SIZE, int(height * 1.5)):
        for x in range(0, _SIZE, 160):
            text = "".join(chr(int(code)) for code in rng.integers(97, 123, 24))
            cv2.putText(
                image, text, (x + 4, y), cv2.FONT_HERSHEY_SIMPLEX, height / 32, (40, 40, 40), 1, cv2.LINE_AA
            )
    for _ in range(rng.integers(0, 4)):
        corner = rng.integers(0, _SIZE, 2)
        cv2.rectangle(
            image,
            corner.tolist(),
            (corner + rng.integers(30, 220, 2)).tolist(),
            random_colour(rng),
            -1 if rng.random() < 0.7 else 2,
        )
    return image


def _scrambled(rng: Rng) -> Image:
    """Broad-band coloured noise, like a wreath, a carpet or foliage."""
    image = np.zeros((_SIZE, _SIZE, 3), np.float32)
    image[:] = random_colour(rng, 30, 220)
    for cells in (12, 40, 120):
        for channel in range(3):
            image[..., channel] += _clouds(rng, cells) * rng.uniform(5, 35)
    return np.clip(image, 0, 255).astype(np.uint8)


_MAKERS: Sequence[tuple[Callable[[Rng], Image], float]] = (
    (_wood, 0.2),
    (_felt, 0.14),
    (_plain, 0.16),
    (_marble, 0.08),
    (_tatami, 0.06),
    (_checks, 0.07),
    (_flowered, 0.06),
    (_scrambled, 0.05),
    (_panels, 0.05),
    (_lattice, 0.09),
    (_scales, 0.03),
    (_stars, 0.02),
    (_print_page, 0.05),
)


#: How many of the makers are surfaces that people play on as they are: wood, felt, one colour.
_QUIET = 3


def make_tables(rng: Rng, count: int, quiet: bool = False) -> list[Image]:
    """Draw ``count`` table textures, 640 x 640 BGR; ``quiet`` ones have no pattern."""
    makers = _MAKERS[:_QUIET] if quiet else _MAKERS
    weights = np.array([weight for _, weight in makers])
    picks = rng.choice(len(makers), count, p=weights / weights.sum())
    return [makers[pick][0](rng) for pick in picks]


def lay_table(
    rng: Rng,
    tables: Sequence[Image],
    camera: Camera,
    size: tuple[int, int],
    strength: float = 1.0,
) -> Image:
    """Cut a turned, scaled and tinted piece of a random table as ``camera`` sees it, ``size`` (width, height) px, BGR.

    ``strength`` scales the contrast of its pattern: 0 leaves a plain colour.
    """
    table = tables[int(rng.integers(len(tables)))]
    # Texture px to mm on the table, about one texture px to 0.5-2.7 px in the picture's middle.
    scale = camera.mm_per_px() * float(np.exp(rng.uniform(-0.7, 1.0)))
    turn = cv2.getRotationMatrix2D((_SIZE / 2, _SIZE / 2), float(rng.uniform(0, 360)), scale)
    middle = np.array([(0, 0, _SIZE / 2), (0, 0, _SIZE / 2)])
    view = camera.matrix[:, [0, 1, 3]] @ np.vstack((turn - middle, (0, 0, 1)))
    image = cv2.warpPerspective(table, view, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    mean = np.array(cv2.mean(image)[:3])
    gain = rng.uniform(0.8, 1.2, 3) * rng.uniform(0.7, 1.15)
    shades = mean + (np.arange(256)[:, None] - mean) * strength
    curve = np.clip(shades * gain, 0, 255).astype(np.uint8).reshape(256, 1, 3)
    return np.asarray(cv2.LUT(image, curve), np.uint8)
