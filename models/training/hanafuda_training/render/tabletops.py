"""Random tabletop textures: wood, felt, stone, tatami, patterned cloths, printed paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.camera import SceneCamera
from hanafuda_training.render.deck_art import random_color

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Side length of a texture, px.
_SIZE = 640


def _smooth_noise(rng: Rng, cells: int, stretch: float = 1.0) -> NDArray[np.float32]:
    """Return smooth noise, _SIZE x _SIZE with mean near 0, of ``cells`` cells per side."""
    grid = rng.normal(0, 1, (max(2, cells), max(2, int(cells * stretch)))).astype(np.float32)
    return np.asarray(cv2.resize(grid, (_SIZE, _SIZE), interpolation=cv2.INTER_CUBIC), np.float32)


def _add_layers(base: tuple[int, int, int], *layers: tuple[NDArray[np.float32], float]) -> Image:
    image = np.empty((_SIZE, _SIZE, 3), np.float32)
    image[:] = base
    for layer, strength in layers:
        image += layer[..., None] * strength
    return np.clip(image, 0, 255).astype(np.uint8)


def _wood(rng: Rng) -> Image:
    base = [(50, 95, 160), (60, 120, 190), (35, 60, 95), (90, 140, 180), (25, 40, 60)][rng.integers(5)]
    rings = np.sin(
        _smooth_noise(rng, 3, 0.7) * rng.uniform(4, 14) + np.linspace(0, rng.uniform(5, 60), _SIZE)[:, None]
    )
    grain = _smooth_noise(rng, 300, 0.05)
    return _add_layers(base, (rings.astype(np.float32), rng.uniform(3, 18)), (grain, rng.uniform(3, 12)))


def _felt(rng: Rng) -> Image:
    base = [(60, 110, 40), (40, 40, 130), (120, 60, 30), (60, 60, 60), (110, 140, 130)][rng.integers(5)]
    return _add_layers(
        base, (_smooth_noise(rng, 400), rng.uniform(3, 12)), (_smooth_noise(rng, 5), rng.uniform(0, 8))
    )


def _plain(rng: Rng) -> Image:
    level = int(rng.choice((30, 60, 110, 160, 200, 235)))
    base = tuple(int(np.clip(level + d, 0, 255)) for d in rng.integers(-14, 15, 3))
    return _add_layers(
        (base[0], base[1], base[2]),
        (_smooth_noise(rng, 4), rng.uniform(0, 10)),
        (_smooth_noise(rng, 200), rng.uniform(0, 4)),
    )


def _marble(rng: Rng) -> Image:
    veins = np.abs(_smooth_noise(rng, 6) + 0.5 * _smooth_noise(rng, 18) + 0.25 * _smooth_noise(rng, 50))
    veins = np.exp(-veins * rng.uniform(3, 9)).astype(np.float32)
    base = random_color(rng, 170) if rng.random() < 0.7 else random_color(rng, 20, 80)
    return _add_layers(base, (veins, rng.uniform(-90, 60)), (_smooth_noise(rng, 8), rng.uniform(2, 12)))


def _tatami(rng: Rng) -> Image:
    period = rng.uniform(3, 9)
    weave = np.sin(np.arange(_SIZE) * 2 * np.pi / period)[:, None] * np.ones((1, _SIZE))
    return _add_layers(
        (110, 160, 170),
        (weave.astype(np.float32), rng.uniform(4, 16)),
        (_smooth_noise(rng, 250), rng.uniform(2, 8)),
    )


def _checks(rng: Rng) -> Image:
    period = rng.uniform(14, 90)
    along = (np.arange(_SIZE) / period).astype(int) % 2
    one, two = random_color(rng), random_color(rng, 150)
    style = rng.integers(3)
    mask = along[:, None] ^ along[None, :] if style == 0 else (along[:, None] + along[None, :]) / 2
    if style == 2:
        mask = np.broadcast_to(along[:, None], (_SIZE, _SIZE))
    image = np.asarray(one) * mask[..., None] + np.asarray(two) * (1 - mask[..., None])
    return np.asarray(np.clip(image + _smooth_noise(rng, 300)[..., None] * 5, 0, 255), np.uint8)


def _printed_shapes(rng: Rng) -> Image:
    """Return a printed cloth with many small shapes, the pattern most easily confused with cards."""
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = random_color(rng)
    colors = [random_color(rng) for _ in range(4)]
    size = rng.uniform(4, 30)
    for _ in range(int(rng.integers(60, 400))):
        center = (int(rng.integers(_SIZE)), int(rng.integers(_SIZE)))
        color = colors[rng.integers(4)]
        shape = rng.integers(3)
        extent = max(2, int(size * rng.uniform(0.5, 1.5)))
        if shape == 0:
            cv2.circle(image, center, extent, color, -1 if rng.random() < 0.6 else 2)
        elif shape == 1:
            cv2.ellipse(
                image, center, (extent, max(1, extent // 3)), float(rng.uniform(0, 180)), 0, 360, color, -1
            )
        else:
            points = (rng.normal(0, extent, (5, 2)) + center).astype(np.int32)
            cv2.fillPoly(image, [points], color)
    return image


def _repeated_motif(rng: Rng) -> Image:
    """Return a pattern that repeats one small motif, as on cloth, wrapping paper or tiles."""
    side = int(np.exp(rng.uniform(np.log(12), np.log(90))))
    background, ink, other = random_color(rng), random_color(rng), random_color(rng)
    tile = np.empty((4 * side, 4 * side, 3), np.uint8)
    tile[:] = background
    middle = (2 * side, 2 * side)
    if rng.random() < 0.35:  # concentric rings
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
            color = ink if rng.random() < 0.6 else other
            at = (rng.uniform(0.5, 3.5, 2) * side).astype(int).tolist()
            thickness = -1 if rng.random() < 0.4 else max(1, int(side * rng.uniform(0.05, 0.4)))
            shape = rng.integers(4)
            if shape == 0:
                cv2.circle(tile, at, int(side * rng.uniform(0.2, 1.6)), color, thickness, cv2.LINE_AA)
            elif shape == 1:
                axes = (side * rng.uniform(0.2, 1.8, 2)).astype(int).tolist()
                cv2.ellipse(
                    tile,
                    at,
                    axes,
                    float(rng.uniform(0, 180)),
                    0,
                    float(rng.uniform(120, 361)),
                    color,
                    thickness,
                    cv2.LINE_AA,
                )
            elif shape == 2:
                points = (rng.uniform(0, 4, (rng.integers(3, 7), 2)) * side).astype(np.int32)
                cv2.polylines(
                    tile, [points], bool(rng.random() < 0.5), color, max(1, abs(thickness)), cv2.LINE_AA
                )
            else:
                letter = chr(int(rng.integers(65, 91)))
                cv2.putText(
                    tile,
                    letter,
                    at,
                    cv2.FONT_HERSHEY_COMPLEX,
                    side / 12,
                    color,
                    max(1, side // 8),
                    cv2.LINE_AA,
                )
    tile = np.asarray(cv2.resize(tile, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    rows = []
    shift = int(rng.choice((0, side // 2)))
    for row in range(-(-_SIZE // side)):
        line = np.tile(tile, (1, -(-_SIZE // side) + 1, 1))
        rows.append(np.roll(line, shift * (row % 2), axis=1)[:, :_SIZE])
    image = np.concatenate(rows)[:_SIZE].astype(np.float32) + _smooth_noise(rng, 300)[
        ..., None
    ] * rng.uniform(0, 6)
    return np.clip(image, 0, 255).astype(np.uint8)


def _seigaiha(rng: Rng) -> Image:
    """Return seigaiha: rows of overlapping concentric circles (waves)."""
    radius = int(rng.integers(14, 60))
    colors = [random_color(rng), random_color(rng)]
    rings = np.linspace(radius, radius * 0.2, int(rng.integers(3, 7))).astype(int)
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = colors[0]
    for row, y in enumerate(range(-radius, _SIZE + radius, max(4, radius // 2))):
        for x in range((row % 2) * radius - radius, _SIZE + radius, 2 * radius):
            for ring, extent in enumerate(rings.tolist()):
                cv2.circle(image, (x, y), extent, colors[ring % 2], -1, cv2.LINE_AA)
    return image


def _asanoha(rng: Rng) -> Image:
    """Return asanoha: straight lines through the points of a triangular grid."""
    side = float(rng.uniform(18, 80))
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = random_color(rng)
    ink, width = random_color(rng), int(rng.integers(1, 4))
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


def _rectangles(rng: Rng) -> Image:
    """Return a patchwork or a cloth with rows of rectangles, some with the proportions of a card."""
    image = np.empty((_SIZE, _SIZE, 3), np.uint8)
    image[:] = random_color(rng)
    colors = [random_color(rng, 0, 90) if rng.random() < 0.4 else random_color(rng) for _ in range(3)]
    short = float(np.exp(rng.uniform(np.log(14), np.log(90))))
    sides = np.array((short, short * rng.uniform(1.2, 2.2)))[:: rng.choice((-1, 1))]
    pitch = sides * rng.uniform(1.1, 2.0, 2)
    shift, framed = rng.choice((0.0, 0.5)), int(rng.integers(0, 3))
    for row in range(int(_SIZE / pitch[1]) + 1):
        for column in range(int(_SIZE / pitch[0]) + 1):
            corner = (np.array((column + shift * (row % 2), row)) * pitch).astype(int)
            ends = corner.tolist(), (corner + sides.astype(int)).tolist()
            cv2.rectangle(image, *ends, colors[int(rng.integers(2))], -1)
            if framed:
                cv2.rectangle(image, *ends, colors[2], framed)
    return np.asarray(
        np.clip(image + _smooth_noise(rng, 300)[..., None] * rng.uniform(0, 6), 0, 255), np.uint8
    )


def _print_page(rng: Rng) -> Image:
    """Return a page of a newspaper: lines of small print and a few pictures."""
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
            random_color(rng),
            -1 if rng.random() < 0.7 else 2,
        )
    return image


def _carpet(rng: Rng) -> Image:
    """Return broad-band colored noise, like a carpet or foliage."""
    image = np.zeros((_SIZE, _SIZE, 3), np.float32)
    image[:] = random_color(rng, 30, 220)
    for cells in (12, 40, 120):
        for channel in range(3):
            image[..., channel] += _smooth_noise(rng, cells) * rng.uniform(5, 35)
    return np.clip(image, 0, 255).astype(np.uint8)


_MAKERS: Sequence[tuple[Callable[[Rng], Image], float]] = (
    (_wood, 0.2),
    (_felt, 0.14),
    (_plain, 0.16),
    (_marble, 0.08),
    (_tatami, 0.06),
    (_checks, 0.07),
    (_printed_shapes, 0.06),
    (_carpet, 0.05),
    (_rectangles, 0.05),
    (_repeated_motif, 0.09),
    (_seigaiha, 0.03),
    (_asanoha, 0.02),
    (_print_page, 0.05),
)


TEXTURES: Final[Mapping[str, Callable[[Rng], Image]]] = {
    maker.__name__.removeprefix("_").replace("_", "-"): maker for maker, _ in _MAKERS
}
"""The kinds of textures by name."""

#: The first makers are surfaces without a pattern: wood, felt, one color.
_UNPATTERNED = 3


def random_textures(rng: Rng, count: int, unpatterned: bool = False) -> list[Image]:
    """Return ``count`` random textures, 640 x 640 BGR; ``unpatterned`` selects wood, felt and plain colors."""
    makers = _MAKERS[:_UNPATTERNED] if unpatterned else _MAKERS
    weights = np.array([weight for _, weight in makers])
    picks = rng.choice(len(makers), count, p=weights / weights.sum())
    return [makers[pick][0](rng) for pick in picks]


def draw_tabletop(
    rng: Rng,
    tables: Sequence[Image],
    camera: SceneCamera,
    size: tuple[int, int],
    strength: float = 1.0,
) -> Image:
    """Return a random texture, rotated, scaled and tinted, as ``camera`` sees it: ``size`` (width, height) px, BGR.

    ``strength`` scales the contrast of its pattern; 0 leaves a plain color.
    """
    table = tables[int(rng.integers(len(tables)))]
    # mm per px of the texture; one texture px covers about 0.5-2.7 px at the center of the picture.
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
