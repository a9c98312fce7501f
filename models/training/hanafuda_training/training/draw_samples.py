"""Draws the sample pictures of the first page: the project's own faces on drawn tables, photographed by a simulation.

``python -m hanafuda_training.training.draw_samples --out api/static/samples`` makes all of them, always the same.
They are meant for people, so unlike the training scenes each is arranged by hand. Lengths are mm on the
table; the table is drawn at 6 px per mm before the camera projection.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.rasterize import rasterize

Image = NDArray[np.uint8]
Plane = NDArray[np.float32]
Rng = np.random.Generator

SIZE: Final = (1600, 1200)
_QUALITY: Final = 84
#: Coding without loss that takes a little longer.
_SMALLEST: Final = [cv2.IMWRITE_JPEG_OPTIMIZE, 1, cv2.IMWRITE_JPEG_PROGRESSIVE, 1]
TABLE_MM: Final = (560, 460)
PX_PER_MM: Final = 6
CORNER_MM: Final = 1.6
ROOM_MM: Final = 14  # margin for the shadow around a card


@dataclass(frozen=True)
class SampleCard:
    """A card id (or ``back``) with its center x, y (mm) and rotation ``turn`` (degrees clockwise)."""

    card: str
    x: float
    y: float
    turn: float = 0.0


@dataclass(frozen=True)
class SampleCamera:
    """Camera pose: ``tilt``, degrees from the vertical (negative: the top of the picture is farther away);
    ``roll``, degrees; ``across``, mm of table across the picture.
    """

    tilt: float
    roll: float
    across: float


@dataclass(frozen=True)
class Light:
    """Light of the lamp: ``warmth`` (0 is daylight), ``side`` (degrees), how ``uneven`` it is, and its
    brightness.
    """

    warmth: float
    side: float
    uneven: float
    bright: float = 1.0


@dataclass(frozen=True)
class DrawnSample:
    """One sample picture."""

    name: str
    table: Callable[[Rng], Plane]
    cards: Sequence[SampleCard]
    camera: SampleCamera
    light: Light
    cup: tuple[float, float] | None = None
    fade: float = 0.0


def _noise(rng: Rng, cell_x: float, cell_y: float) -> Plane:
    """Return smooth noise over the table, -1 to 1, with blobs of about ``cell_x`` x ``cell_y`` mm."""
    width, height = (side * PX_PER_MM for side in TABLE_MM)
    cells = (max(2, round(TABLE_MM[0] / cell_x)), max(2, round(TABLE_MM[1] / cell_y)))
    coarse = rng.uniform(-1, 1, cells[::-1]).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def _mm() -> tuple[Plane, Plane]:
    """Return the x and y coordinates of every table pixel, mm."""
    ys, xs = np.mgrid[0 : TABLE_MM[1] * PX_PER_MM, 0 : TABLE_MM[0] * PX_PER_MM].astype(np.float32)
    return xs / PX_PER_MM, ys / PX_PER_MM


def _colored(bgr: tuple[float, float, float], shade: Plane) -> Plane:
    return np.asarray(np.array(bgr, np.float32) * shade[..., None], np.float32)


def wood(bgr: tuple[float, float, float]) -> Callable[[Rng], Plane]:
    """Return a function that draws boards 90 mm wide, each with its own grain."""

    def draw(rng: Rng) -> Plane:
        xs, ys = _mm()
        board = np.floor(ys / 90)
        drift = _noise(rng, 240, 30) * 9 + np.sin(board * 12.9) * 40
        rings = np.sin((ys + drift) * 0.55 + np.sin(xs / 170 + board * 3) * 2)
        shade = 1 + 0.07 * rings + 0.06 * _noise(rng, 60, 1.2) + 0.04 * np.sin(board * 5.1)
        shade *= 1 - 0.55 * np.exp(-((((ys % 90) - 45) ** 2 - 45**2) ** 2) / 900)
        return _colored(bgr, np.asarray(shade, np.float32))

    return draw


def _tatami(rng: Rng) -> Plane:
    """Draw a rush weave with the cloth edge of the mat along one side."""
    xs, ys = _mm()
    weave = (
        0.07
        * np.sin(ys * 2 * np.pi / 2.6)
        * (0.6 + 0.4 * np.sin(xs * 2 * np.pi / 11 + np.floor(ys / 2.6) * np.pi))
    )
    mat = _colored(
        (118, 176, 178),
        np.asarray(1 + weave + 0.05 * _noise(rng, 9, 2) + 0.05 * _noise(rng, 200, 90), np.float32),
    )
    edge = xs > TABLE_MM[0] - 70
    diamond = (np.abs((xs - TABLE_MM[0] + 35) % 24 - 12) + np.abs(ys % 24 - 12)) < 7
    mat[edge] = (52, 66, 38)
    mat[edge & diamond] = (70, 128, 122)
    return mat


def _waves(rng: Rng) -> Plane:
    """Draw an indigo cloth with the wave pattern seigaiha."""
    xs, ys = _mm()
    radius = 22.0
    cloth = _colored(
        (104, 58, 30), np.asarray(1 + 0.12 * _noise(rng, 1.2, 1.2) + 0.07 * _noise(rng, 120, 120), np.float32)
    )
    for row in range(int(TABLE_MM[1] / (radius / 2)) + 3):
        offset = (xs + radius * (row % 2)) % (2 * radius) - radius
        distance = np.hypot(offset, ys - row * radius / 2)
        inside = distance < radius
        line = inside & (np.abs(distance % (radius / 4) - radius / 8) < 0.8)
        cloth[inside] = np.minimum(cloth[inside], (112, 64, 36))
        cloth[line] = (196, 178, 160)
    return cloth


def _checks(rng: Rng) -> Plane:
    """Draw a red and white checked kitchen cloth."""
    xs, ys = _mm()
    amount = (((xs // 28) % 2) + ((ys // 28) % 2)) / 2
    weave = 1 + 0.05 * np.sin(xs * 7) * np.sin(ys * 7) + 0.04 * _noise(rng, 150, 150)
    red, white = np.array((62, 54, 178), np.float32), np.array((226, 232, 236), np.float32)
    return np.asarray((white + (red - white) * amount[..., None]) * weave[..., None], np.float32)


def _slate(rng: Rng) -> Plane:
    """Draw a dark stone table."""
    shade = 1 + 0.16 * _noise(rng, 40, 30) + 0.1 * _noise(rng, 9, 7) + 0.1 * _noise(rng, 1.5, 1.5)
    return _colored((70, 66, 62), np.asarray(shade, np.float32))


def _marble(rng: Rng) -> Plane:
    """Draw a pale counter with gray veins."""
    xs, ys = _mm()
    wander = _noise(rng, 70, 60) * 60 + _noise(rng, 18, 16) * 14
    vein = np.exp(-(np.abs(np.sin((xs * 0.7 + ys + wander) / 75)) * 9))
    shade = 1 - 0.3 * vein * (0.6 + 0.4 * _noise(rng, 50, 50)) + 0.03 * _noise(rng, 90, 90)
    return _colored((216, 220, 222), np.asarray(shade, np.float32))


def _placement(card: SampleCard) -> NDArray[np.float32]:
    """Return the 2 x 3 transform from face pixels (at the resolution of the table) to table pixels."""
    turn = np.radians(card.turn)
    cos, sin = np.cos(turn), np.sin(turn)
    half_width, half_height = (side * PX_PER_MM / 2 for side in CARD_MM)
    x = card.x * PX_PER_MM - cos * half_width + sin * half_height
    y = card.y * PX_PER_MM - sin * half_width - cos * half_height
    return np.array([[cos, -sin, x], [sin, cos, y]], np.float32)


def _card_shape() -> Plane:
    width, height = (round(side * PX_PER_MM) for side in CARD_MM)
    radius = round(CORNER_MM * PX_PER_MM)
    shape = np.zeros((height, width), np.float32)
    cv2.rectangle(shape, (radius, 0), (width - radius - 1, height - 1), 1.0, -1)
    cv2.rectangle(shape, (0, radius), (width - 1, height - radius - 1), 1.0, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(shape, (x, y), radius, 1.0, -1)
    return shape


def _draw_card(
    table: Plane, card: SampleCard, shape: Plane, fade: float, toward: NDArray[np.float64]
) -> None:
    """Draw one card on the table, with its shadow and the edge of the cardboard; ``toward`` is the direction
    of the light.
    """
    reach = round((CARD_MM[1] / 2 + ROOM_MM) * PX_PER_MM)
    left, top = (max(0, round(center * PX_PER_MM) - reach) for center in (card.x, card.y))
    box = table[top : top + 2 * reach, left : left + 2 * reach]
    size = (box.shape[1], box.shape[0])
    placement = _placement(card)
    placement[:, 2] -= (left, top)

    def shifted(distance: float) -> NDArray[np.float32]:
        return placement - np.column_stack((np.zeros((2, 2)), toward * distance * PX_PER_MM)).astype(
            np.float32
        )

    face = cv2.resize(rasterize(card.card, 400), shape.shape[::-1], interpolation=cv2.INTER_AREA)
    worn = face.astype(np.float32) * (1 - fade) + fade * np.array((150, 190, 205), np.float32)
    cover = cv2.warpAffine(shape, placement, size)[..., None]
    for distance, blur, depth in ((3.2, 2.0, 0.38), (0.9, 0.5, 0.5)):
        shadow = cv2.GaussianBlur(cv2.warpAffine(shape, shifted(distance), size), (0, 0), blur * PX_PER_MM)
        box *= 1 - depth * shadow[..., None] * (1 - cover)
    rim = cv2.warpAffine(shape, shifted(0.35), size)[..., None]
    box += rim * (np.array((52, 60, 66), np.float32) - box)
    box += cover * (cv2.warpAffine(worn, placement, size) - box)


def _draw_cup(table: Plane, center: tuple[float, float], toward: NDArray[np.float64]) -> None:
    """Draw a cup of green tea, seen from above."""
    xs, ys = _mm()
    x, y = center
    for reach, blur, depth in ((16.0, 9.0, 0.45), (4.0, 3.0, 0.4)):
        distance = np.hypot(xs - x + toward[0] * reach, ys - y + toward[1] * reach)
        table *= (1 - depth / (1 + np.exp((distance - 38) / blur * 2)))[..., None]
    distance = np.hypot(xs - x, ys - y)
    glaze = 1 + 0.25 * ((xs - x) * toward[0] + (ys - y) * toward[1]) / 38
    for radius, bgr in ((38.0, (150, 160, 158)), (35.5, (92, 98, 92)), (33.0, (52, 124, 112))):
        cover = np.clip((radius - distance) * PX_PER_MM, 0, 1)[..., None]
        table += cover * (np.array(bgr, np.float32) * glaze[..., None] - table)
    shine = np.exp(-(((xs - x - toward[0] * 18) / 9) ** 2 + ((ys - y - toward[1] * 18) / 5) ** 2))
    table += 90 * (shine * (distance < 33))[..., None]


def _camera(camera: SampleCamera, cards: Sequence[SampleCard], size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the 3 x 3 transform from table pixels to picture pixels; the camera looks at the mean position
    of the cards.
    """
    width, height = size
    focal = 1.15 * width
    distance = focal * camera.across / width
    axis = cv2.Rodrigues(np.array([np.radians(camera.tilt), 0, 0]))[0]
    rotation = axis @ cv2.Rodrigues(np.array([0, 0, np.radians(camera.roll)]))[0]
    inner = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    outer = inner @ np.column_stack((rotation[:, 0], rotation[:, 1], (0, 0, distance)))
    center = np.mean([(card.x, card.y) for card in cards], axis=0)
    to_mm = np.array([[1 / PX_PER_MM, 0, -center[0]], [0, 1 / PX_PER_MM, -center[1]], [0, 0, 1]])
    return np.asarray(outer @ to_mm, np.float64)


def _apply_light(rng: Rng, picture: Plane, light: Light, toward: NDArray[np.float64]) -> Image:
    """Apply the lamp, which falls off to one side, the vignetting of the lens, and the noise of the sensor."""
    height, width = picture.shape[:2]
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    xs, ys = xs / width - 0.5, ys / height - 0.5
    ramp = 1 + light.uneven * (xs * toward[0] + ys * toward[1]) * 1.4
    lens = 1 - 0.32 * (xs**2 + ys**2)
    lamp = np.array((1 - 0.42 * light.warmth, 1 - 0.13 * light.warmth, 1 + 0.08 * light.warmth), np.float32)
    lit = picture * (ramp * lens * light.bright)[..., None] * lamp
    lit = cv2.GaussianBlur(np.asarray(lit, np.float32), (0, 0), 0.7)
    noise = rng.normal(0, 2.2 / max(light.bright, 0.4), lit.shape)
    return np.asarray(np.clip(lit + noise, 0, 255), np.uint8)


def draw(sample: DrawnSample, size: tuple[int, int] = SIZE) -> Image:
    """Return the picture of a sample, BGR, of ``size`` px (width, height)."""
    rng = np.random.default_rng(list(sample.name.encode()))
    table = sample.table(rng)
    side = np.radians(sample.light.side)
    toward = np.array((np.cos(side), np.sin(side)))
    shape = _card_shape()
    for card in sample.cards:
        _draw_card(table, card, shape, sample.fade, toward)
    if sample.cup:
        _draw_cup(table, sample.cup, toward)
    picture = cv2.warpPerspective(
        cv2.GaussianBlur(table, (0, 0), 1.0),
        _camera(sample.camera, sample.cards, size),
        size,
        flags=cv2.INTER_AREA,
        borderMode=cv2.BORDER_REFLECT,
    )
    return _apply_light(rng, np.asarray(picture, np.float32), sample.light, toward)


def row_of(
    names: str, x: float, y: float, step: float, turn: float = 0.0, bend: float = 0.0
) -> list[SampleCard]:
    """Return cards in a row starting at x, y (mm): ``step`` mm apart in the direction ``turn``, each rotated
    by ``bend`` degrees more than the previous one.
    """
    along = np.radians(turn)
    return [
        SampleCard(
            name, x + i * step * float(np.cos(along)), y + i * step * float(np.sin(along)), turn + i * bend
        )
        for i, name in enumerate(names.split())
    ]


def by_hand(cards: Sequence[SampleCard], seed: int, mm: float, degrees: float) -> list[SampleCard]:
    """Return the cards with random offsets (mm) and rotations (degrees), as people place them."""
    rng = np.random.default_rng(seed)
    return [
        SampleCard(
            card.card,
            card.x + float(rng.normal(0, mm)),
            card.y + float(rng.normal(0, mm)),
            card.turn + float(rng.normal(0, degrees)),
        )
        for card in cards
    ]


SAMPLES: Final = (
    DrawnSample(
        "tatami",
        _tatami,
        by_hand(
            [
                *row_of("pine-crane cherry-curtain susuki-moon", 160, 150, 37),
                *row_of("plum-warbler peony-butterflies clover-boar maple-deer", 286, 150, 22),
                *row_of("pine-ribbon plum-ribbon cherry-ribbon wisteria-ribbon", 160, 224, 26),
                *row_of("pine-chaff-1 plum-chaff-2 iris-chaff-1 clover-chaff-2 maple-chaff-1", 286, 224, 19),
            ],
            1, 0.9, 1.6,
        ),
        SampleCamera(6, -2, 330),
        Light(0.1, 215, 0.35, 1.02),
    ),
    DrawnSample(
        "kitchen",
        wood((98, 146, 196)),
        by_hand(
            [
                *row_of("plum-chaff-1 plum-chaff-2 cherry-chaff-1 wisteria-chaff-1 wisteria-chaff-2 peony-chaff-1", 176, 168, 17, -4),
                *row_of("susuki-chaff-1 susuki-chaff-2 chrysanthemum-chaff-1 maple-chaff-2 paulownia-chaff-1 paulownia-yellow", 176, 232, 17, -3),
                *row_of("iris-bridge willow-swallow susuki-geese", 322, 160, 30, 6),
                *row_of("willow-lightning", 330, 230, 30, 84),
            ],
            2, 1.2, 2.5,
        ),
        SampleCamera(-46, 5, 340),
        Light(0.55, 305, 0.7, 1.08),
        cup=(416, 138),
    ),
    DrawnSample(
        "evening",
        _slate,
        by_hand(
            [
                SampleCard("susuki-moon", 205, 165, -14),
                SampleCard("chrysanthemum-sake", 262, 158, 9),
                SampleCard("cherry-curtain", 322, 176, -4),
                SampleCard("wisteria-cuckoo", 372, 168, 22),
                SampleCard("clover-ribbon", 196, 246, 31),
                SampleCard("susuki-chaff-1", 252, 244, -22),
                SampleCard("cherry-chaff-2", 288, 250, 6),
                SampleCard("chrysanthemum-chaff-2", 338, 250, 68),
                SampleCard("peony-ribbon", 382, 252, 14),
            ],
            3, 1.5, 3.0,
        ),
        SampleCamera(14, -8, 320),
        Light(1.0, 250, 1.0, 0.82),
        fade=0.08,
    ),
    DrawnSample(
        "picnic",
        _checks,
        by_hand(
            [
                *row_of("peony-ribbon chrysanthemum-ribbon maple-ribbon", 190, 158, 40, 3),
                *row_of("wisteria-ribbon iris-ribbon clover-ribbon willow-ribbon", 186, 238, 25, -2, 3),
                *row_of("willow-rainman paulownia-phoenix", 330, 160, 40, -5),
                *row_of("iris-chaff-2 peony-chaff-2 clover-chaff-1 paulownia-chaff-2", 318, 240, 20, 2, 4),
            ],
            4, 1.0, 2.0,
        ),
        SampleCamera(34, 3, 350),
        Light(0.0, 140, 0.3, 1.05),
        fade=0.12,
    ),
    DrawnSample(
        "heap",
        _waves,
        by_hand(
            [
                SampleCard("back", 172, 178, 12), SampleCard("back", 176, 182, -9),
                SampleCard("pine-chaff-2", 262, 186, 40), SampleCard("maple-chaff-2", 300, 210, -35),
                SampleCard("iris-ribbon", 244, 232, 80), SampleCard("plum-ribbon", 330, 180, 8),
                SampleCard("clover-chaff-1", 282, 258, -64), SampleCard("willow-swallow", 350, 236, -22),
                SampleCard("paulownia-phoenix", 276, 214, -6), SampleCard("susuki-geese", 226, 190, -28),
                SampleCard("chrysanthemum-ribbon", 320, 262, 24), SampleCard("peony-butterflies", 386, 190, 50),
                SampleCard("wisteria-chaff-2", 218, 262, 15), SampleCard("pine-crane", 376, 268, -12),
            ],
            5, 1.0, 3.0,
        ),
        SampleCamera(12, 10, 330),
        Light(0.35, 30, 0.6, 1.0),
    ),
    DrawnSample(
        "counter",
        _marble,
        by_hand(
            [
                *row_of("pine-crane cherry-curtain susuki-moon willow-rainman paulownia-phoenix", 178, 160, 41),
                *row_of("plum-warbler wisteria-cuckoo iris-bridge", 186, 236, 24, 3),
                *row_of("cherry-chaff-1 cherry-chaff-2 willow-lightning paulownia-chaff-1", 286, 236, 22, -4, 3),
            ],
            6, 1.0, 2.2,
        ),
        SampleCamera(-50, -6, 330),
        Light(0.0, 330, 0.45, 0.98),
        cup=(418, 232),
    ),
)  # fmt: skip
"""The samples in the order of the first page."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures and samples.json")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for sample in SAMPLES:
        cv2.imwrite(
            str(folder / f"{sample.name}.jpg"), draw(sample), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY, *_SMALLEST]
        )
    listed = [sample.name for sample in SAMPLES]
    text = json.dumps(listed, ensure_ascii=False, indent=2) + "\n"
    (folder / "samples.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
