"""Distractors on the table that are not cards of the game: papers, boxes, phones, cups, coins, western cards, a printed mat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from hanafuda_training.render.camera import SceneCamera
from hanafuda_training.render.compositing import Quad, bounds, draw_shadow, draw_sides, warp_sheet
from hanafuda_training.render.deck_art import Face, random_color

Image = NDArray[np.uint8]
Rng = np.random.Generator
Color = tuple[int, int, int]

#: Value in the id map for the first western card; further ones follow.
WESTERN_ID: Final = 200
#: Value in the id map for plain objects of a card's shape: they cannot be distinguished from blank backs.
CARD_LIKE_ID: Final = 254

_INK: Final = (45, 40, 40)
_FONTS: Final = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX)
_DICTIONARIES: Final = (
    cv2.aruco.DICT_4X4_50,
    cv2.aruco.DICT_4X4_50,
    cv2.aruco.DICT_5X5_50,
    cv2.aruco.DICT_6X6_50,
)


@dataclass(frozen=True)
class Distractor:
    """An object on the table.

    ``sheet`` is its upper side (BGR or BGRA), ``width``, ``depth`` and ``height`` are in mm. ``card``: it is a card of another
    game. ``plain``: nothing is printed on it.
    """

    sheet: MatLike
    width: float
    depth: float
    height: float = 0.0
    card: bool = False
    plain: bool = False

    @property
    def is_card_like(self) -> bool:
        """Whether it could be a card back: plain, and with about the proportions of a card (0.6)."""
        return self.plain and 0.5 < min(self.width, self.depth) / max(self.width, self.depth) < 0.74


def _blank(width: float, depth: float, color: Color) -> Image:
    """Return a plain sheet for ``width`` x ``depth`` mm, 256 px along its longer side."""
    unit = 256 / max(width, depth)
    sheet = np.empty((max(8, round(depth * unit)), max(8, round(width * unit)), 3), np.uint8)
    sheet[:] = color
    return sheet


def _muted_color(rng: Rng) -> Color:
    """Return a random color, usually muted."""
    color = np.array(random_color(rng), np.float64)
    gray = color.mean()
    blue, green, red = (gray + (color - gray) * (0.35 if rng.random() < 0.6 else 1.0)).astype(int)
    return int(blue), int(green), int(red)


def _light_color(rng: Rng) -> Color:
    level = int(rng.integers(150, 250))
    blue, green, red = np.clip(level + rng.integers(-8, 9, 3), 0, 255)
    return int(blue), int(green), int(red)


def _with_rounded_corners(sheet: MatLike, radius: int) -> MatLike:
    """Return ``sheet`` with rounded corners, as BGRA."""
    height, width = sheet.shape[:2]
    alpha = np.zeros((height, width), np.uint8)
    radius = min(radius, height // 2 - 1, width // 2 - 1)
    cv2.rectangle(alpha, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(alpha, (x, y), radius, 255, -1)
    return cv2.merge((*cv2.split(sheet), alpha))


def _random_letters(rng: Rng, count: int) -> str:
    return "".join(chr(int(code)) for code in rng.integers(65, 123, count))


def _paper(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    """Return a sheet of paper, blank or written on."""
    width, depth = rng.uniform(60, 300, 2)
    sheet = _blank(width, depth, _light_color(rng))
    if rng.random() < 0.6:
        pitch = int(rng.integers(8, 26))
        for y in range(pitch, sheet.shape[0], pitch):
            if rng.random() < 0.85:
                text = _random_letters(rng, int(rng.integers(3, 30)))
                cv2.putText(sheet, text, (10, y), _FONTS[rng.integers(3)], pitch / 40, _INK, 1, cv2.LINE_AA)
    return Distractor(sheet, width, depth, 0.3)


def _pad(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    """Return a score pad: a ruled grid with numbers."""
    width, depth = rng.uniform(70, 150), rng.uniform(90, 210)
    sheet = _blank(width, depth, _light_color(rng))
    rows, columns = int(rng.integers(4, 14)), int(rng.integers(2, 6))
    line = random_color(rng, 60, 200)
    height, span = sheet.shape[:2]
    for row in range(rows + 1):
        y = row * (height - 1) // rows
        cv2.line(sheet, (0, y), (span, y), line, 1)
        for column in range(columns):
            if rng.random() < 0.5:
                at = (column * span // columns + 4, y - 4)
                cv2.putText(
                    sheet, str(rng.integers(0, 99)), at, _FONTS[rng.integers(3)], 0.4, _INK, 1, cv2.LINE_AA
                )
    for column in range(columns):
        x = column * (span - 1) // columns
        cv2.line(sheet, (x, 0), (x, height), line, 1)
    return Distractor(sheet, width, depth, float(rng.choice((0.3, 6.0))))


def _phone(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    """Return a phone or tablet with its screen on or off."""
    width = rng.uniform(62, 85) if rng.random() < 0.8 else rng.uniform(130, 200)
    depth = width * rng.uniform(1.4, 2.2)
    sheet = _blank(width, depth, random_color(rng, 0, 60) if rng.random() < 0.7 else _muted_color(rng))
    height, span = sheet.shape[:2]
    edge = int(span * rng.uniform(0.02, 0.08))
    screen = _muted_color(rng) if rng.random() < 0.5 else (12, 10, 10)
    cv2.rectangle(sheet, (edge, 2 * edge), (span - edge, height - 2 * edge), screen, -1)
    if screen != (12, 10, 10):
        for _ in range(rng.integers(2, 12)):
            corner = rng.uniform((edge, edge), (span - edge, height - edge)).astype(int)
            far = corner + rng.integers(8, 60, 2)
            cv2.rectangle(sheet, corner.tolist(), far.tolist(), _muted_color(rng), -1)
    else:  # a reflection on the dark screen
        points = np.array([(0, 0), (span * rng.uniform(0.2, 0.9), 0), (0, height * rng.uniform(0.3, 0.9))])
        cv2.fillPoly(sheet, [points.astype(np.int32)], random_color(rng, 40, 110))
    return Distractor(_with_rounded_corners(sheet, int(span * rng.uniform(0.04, 0.16))), width, depth, 8.0)


def _box(rng: Rng, faces: Sequence[Face]) -> Distractor:
    """Return a box, tin or book: plain, striped, lettered, or printed with card art like the box of a deck."""
    width, depth = rng.uniform(40, 90), rng.uniform(50, 160)
    sheet = _blank(width, depth, _muted_color(rng))
    height, span = sheet.shape[:2]
    if rng.random() < 0.55:
        pieces = []
        for _ in range(rng.integers(1, 4)):
            art = faces[int(rng.integers(len(faces)))].art[2]
            first = int(rng.integers(0, 90))
            pieces.append(art[:, first : first + int(rng.integers(24, 80))])
        printed = cv2.resize(np.hstack(pieces), (span, height), interpolation=cv2.INTER_AREA)
        fraction = rng.uniform(0.4, 1.0)
        sheet[: int(height * fraction)] = printed[: int(height * fraction)]
        if rng.random() < 0.5:
            sheet = np.rot90(sheet).copy()
            width, depth = depth, width
            height, span = sheet.shape[:2]
    for _ in range(rng.integers(0, 4)):
        y = int(rng.integers(height))
        cv2.rectangle(sheet, (0, y), (span, y + int(rng.integers(2, 50))), _muted_color(rng), -1)
    for _ in range(rng.integers(0, 3)):
        at = (int(rng.integers(0, span // 2)), int(rng.integers(10, height)))
        size = float(rng.uniform(0.4, 2.0))
        text = _random_letters(rng, int(rng.integers(2, 9)))
        cv2.putText(
            sheet,
            text,
            at,
            _FONTS[rng.integers(3)],
            size,
            _muted_color(rng),
            max(1, int(size * 2)),
            cv2.LINE_AA,
        )
    return Distractor(sheet, width, depth, rng.uniform(4, 45), plain=bool((sheet == sheet[0, 0]).all()))


def _disc(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    """Return a coin, chip, lid, plate or cup seen from above."""
    size = float(np.exp(rng.uniform(np.log(16), np.log(110))))
    sheet = np.zeros((128, 128, 4), np.uint8)
    metal = rng.random() < 0.4
    base = rng.uniform(90, 220) * np.array((0.75, 0.95, 1.0) if metal else (1, 1, 1)) + rng.normal(0, 12, 3)
    outer = base if metal or rng.random() < 0.4 else np.array(_muted_color(rng))
    radius = 62.0
    for _ in range(rng.integers(1, 6)):
        color = np.clip(outer * rng.uniform(0.7, 1.2), 0, 255).astype(int).tolist()
        cv2.circle(sheet, (64, 64), int(radius), (*color, 255), -1, cv2.LINE_AA)
        radius *= rng.uniform(0.6, 0.95)
        if not metal and rng.random() < 0.4:
            outer = np.array(_muted_color(rng))
    if rng.random() < 0.35:
        ink = np.clip(outer * 0.6, 0, 255).astype(int).tolist()
        cv2.putText(sheet, str(rng.integers(1, 500)), (34, 76), _FONTS[1], 1.0, (*ink, 255), 2, cv2.LINE_AA)
    return Distractor(sheet, size, size)


def _western(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    """Return a western playing card, about 1.8 times as wide as a hanafuda."""
    width, depth = rng.uniform(56, 64), rng.uniform(86, 90)
    paper = random_color(rng, 225)
    sheet = _blank(width, depth, paper)
    height, span = sheet.shape[:2]
    if rng.random() < 0.35:  # the back
        color = _muted_color(rng)
        cv2.rectangle(sheet, (10, 10), (span - 11, height - 11), color, -1)
        step = int(rng.integers(6, 16))
        for offset in range(-height, span, step):
            cv2.line(sheet, (offset, 10), (offset + height, height), paper, 1)
            cv2.line(sheet, (offset + height, 10), (offset, height), paper, 1)
        cv2.rectangle(sheet, (0, 0), (span - 1, height - 1), paper, 18)
    else:
        ink = (30, 25, 25) if rng.random() < 0.5 else (35, 30, 205)
        rank = "A23456789JQK"[rng.integers(12)]
        count = int(rank) if rank.isdigit() else 1
        for index in range(count):
            x = span // 2 if count < 4 else (span * 3 // 10, span * 7 // 10)[index % 2]
            y = (
                height // 2
                if count == 1
                else int(height * (0.18 + 0.64 * (index // 2) / max(1, (count - 1) // 2)))
            )
            _pip(sheet, (x, y), 17 if count > 1 else 34, ink, int(rng.integers(4)))
        if rank in "JQK":
            for _ in range(8):
                points = rng.uniform((span * 0.2, height * 0.15), (span * 0.8, height * 0.85), (4, 2))
                cv2.fillPoly(sheet, [points.astype(np.int32)], _muted_color(rng))
        for _ in range(2):
            cv2.putText(sheet, rank, (8, 34), _FONTS[1], 1.0, ink, 2, cv2.LINE_AA)
            _pip(sheet, (18, 52), 9, ink, 0)
            sheet = np.ascontiguousarray(sheet[::-1, ::-1])
    return Distractor(_with_rounded_corners(sheet, 12), width, depth, 0.3, card=True)


def _pip(sheet: Image, at: tuple[int, int], size: int, ink: Color, suit: int) -> None:
    x, y = at
    if suit == 0:
        points = np.array([(x, y - size), (x + size * 0.7, y), (x, y + size), (x - size * 0.7, y)])
        cv2.fillPoly(sheet, [points.astype(np.int32)], ink)
        return
    for offset in ((-0.45, -0.2), (0.45, -0.2), *(((0.0, -0.75),) if suit == 2 else ())):
        cv2.circle(
            sheet, (int(x + offset[0] * size), int(y + offset[1] * size)), size // 2, ink, -1, cv2.LINE_AA
        )
    tip = size if suit != 3 else -size
    points = np.array([(x - size * 0.9, y), (x + size * 0.9, y), (x, y + tip)])
    cv2.fillPoly(sheet, [points.astype(np.int32)], ink)


def _ruler(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    width, depth = rng.uniform(150, 310), rng.uniform(18, 38)
    sheet = _blank(width, depth, _light_color(rng) if rng.random() < 0.6 else _muted_color(rng))
    unit = 256 / width
    for tick in range(int(width)):
        long = 0.5 if tick % 10 == 0 else 0.35 if tick % 5 == 0 else 0.2
        x = int(tick * unit)
        cv2.line(sheet, (x, 0), (x, int(sheet.shape[0] * long)), _INK, 1)
    return Distractor(sheet, width, depth, 1.0)


def _pen(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    width, depth = rng.uniform(110, 190), rng.uniform(6, 12)
    sheet = _blank(width, depth, _muted_color(rng))
    cut = int(rng.integers(20, 120))
    sheet[:, :cut] = _muted_color(rng)
    sheet[: sheet.shape[0] // 3] = np.clip(sheet[: sheet.shape[0] // 3].astype(int) + 50, 0, 255)
    return Distractor(sheet, width, depth, 4.0)


def _wreath(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    """Return a wreath, plant or bowl: a ring or heap of small leaves and berries."""
    sheet = np.zeros((192, 192, 4), np.uint8)
    hues = [_muted_color(rng) for _ in range(4)]
    ring, spread = rng.uniform(0, 62), rng.uniform(8, 22)
    count = int(rng.integers(60, 220))
    angles, radii = rng.uniform(0, 2 * np.pi, count), rng.normal(ring, spread, count)
    xs, ys = 96 + np.cos(angles) * radii, 96 + np.sin(angles) * radii
    sizes = rng.uniform(3, 13, count)
    for x, y, angle, extent in zip(xs.tolist(), ys.tolist(), angles.tolist(), sizes.tolist(), strict=True):
        color = (
            np.clip(np.array(hues[int(extent) % 4]) * (0.6 + extent % 1 * 0.7), 0, 255).astype(int).tolist()
        )
        axes = (int(extent), max(1, int(extent * 0.4))) if extent > 5 else (int(extent), int(extent))
        cv2.ellipse(
            sheet, (int(x), int(y)), axes, float(np.degrees(angle) + extent * 40), 0, 360, (*color, 255), -1
        )
    size = rng.uniform(60, 330)
    return Distractor(sheet, size, size)


def _note(rng: Rng, _faces: Sequence[Face]) -> Distractor:
    """Return a plain rectangle: a sticky note, coaster, tile or token."""
    width, depth = rng.uniform(20, 110, 2)
    return Distractor(
        _blank(width, depth, _muted_color(rng)), width, depth, float(rng.choice((0.0, 0.0, 4.0))), plain=True
    )


_MAKERS: Final[tuple[tuple[Callable[[Rng, Sequence[Face]], Distractor], float], ...]] = (
    (_paper, 0.13),
    (_pad, 0.07),
    (_phone, 0.11),
    (_box, 0.2),
    (_disc, 0.14),
    (_western, 0.1),
    (_ruler, 0.04),
    (_pen, 0.06),
    (_wreath, 0.08),
    (_note, 0.07),
)
#: Objects that the demo requests by name.
MAKERS_BY_NAME: Final[Mapping[str, Callable[[Rng, Sequence[Face]], Distractor]]] = {
    "cup": _disc,
    "note": _note,
    "phone": _phone,
    "western": _western,
}
#: Objects that people put on top of cards.
_SMALL_OBJECTS: Final = (_disc, _pen, _phone, _note)


def add_distractors(
    rng: Rng,
    image: Image,
    ids: Image,
    camera: SceneCamera,
    extent: tuple[float, float],
    faces: Sequence[Face],
    number: int,
) -> list[Quad]:
    """Draw a few random objects on the table, in place; return the quads (4 x 2 px) of western cards.

    ``ids`` become ``number`` there, except `WESTERN_ID` and following for western cards and `CARD_LIKE_ID` for card-like objects.
    ``extent`` is the visible table (mm); boxes may show art of ``faces``. If ``number`` is not the table's, small objects are drawn,
    on top of the cards.
    """
    weights = np.array([weight for _, weight in _MAKERS])
    western: list[Quad] = []
    for _ in range(1 + rng.poisson(1.5) if number == 0 else int(rng.integers(1, 3))):
        maker = (
            _MAKERS[rng.choice(len(_MAKERS), p=weights / weights.sum())][0]
            if number == 0
            else _SMALL_OBJECTS[rng.integers(4)]
        )
        item = maker(rng, faces)
        x, y = rng.uniform(-0.55, 0.55, 2) * extent
        for _ in range(int(rng.integers(2, 6)) if maker in (_western, _disc) and rng.random() < 0.3 else 1):
            at, turn = (float(x), float(y)), rng.uniform(0, 2 * np.pi)
            id_value = number
            if item.card:
                id_value = WESTERN_ID + len(western)
            elif item.is_card_like and number == 0:
                id_value = CARD_LIKE_ID
            quad = draw_distractor(rng, image, ids, camera, item, at, turn, id_value)
            if item.card and quad is not None:
                western.append(quad)
            x, y = x + rng.normal(0, 0.5 * item.width), y + rng.normal(0, 0.4 * item.width)
    if rng.random() < 0.15 and number == 0:
        _draw_cable(rng, image, camera, extent)
    return western


def _draw_cable(rng: Rng, image: Image, camera: SceneCamera, extent: tuple[float, float]) -> None:
    points = np.cumsum(rng.normal(0, 30, (8, 2)), axis=0) + rng.uniform(-0.5, 0.5, 2) * extent
    path = camera.project(np.column_stack((points, np.zeros(8))))
    if path is not None:
        width = max(1, int(rng.uniform(1, 6) / camera.mm_per_px()))
        cv2.polylines(image, [path.astype(np.int32)], False, _muted_color(rng), width, cv2.LINE_AA)


def draw_distractor(
    rng: Rng,
    image: Image,
    ids: Image,
    camera: SceneCamera,
    item: Distractor,
    at: tuple[float, float],
    turn: float,
    number: int,
) -> Quad | None:
    """Draw an object at ``at`` (mm), turned by ``turn`` radians, in place.

    Returns its upper side (4 x 2 px), or None if it is outside the picture.
    """
    half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (item.width / 2, item.depth / 2)
    cos, sin = np.cos(turn), np.sin(turn)
    flat = half @ np.array([[cos, sin], [-sin, cos]]) + at
    base = camera.project(np.column_stack((flat, np.zeros(4))))
    lid = camera.project(np.column_stack((flat, np.full(4, item.height))))
    if base is None or lid is None or bounds(np.concatenate((base, lid)), ids.shape) is None:
        return None
    shadow = rng.normal(0, 1, 2)
    scale = 1 / camera.mm_per_px()
    if item.height:
        draw_shadow(
            image, base, shadow * (1 + 0.4 * item.height) * scale, rng.uniform(0.1, 0.6), max(1, int(scale))
        )
    if item.height > 2:
        # The sides have the color of the upper side's rim.
        color = item.sheet[-2, item.sheet.shape[1] // 2, :3].astype(np.float32) * rng.uniform(0.5, 1.0)
        strip = np.broadcast_to(color.astype(np.uint8), (8, 8, 3))
        draw_sides(rng, image, ids, base, lid, strip, shadow, number)
    warp_sheet(image, ids, item.sheet, lid, number)
    return lid


def draw_mat(rng: Rng, image: Image, ids: Image, camera: SceneCamera, extent: tuple[float, float]) -> None:
    """Draw a printed mat or single ArUco markers under the cards, in place."""
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARIES[rng.integers(len(_DICTIONARIES))])
    markers = [
        cv2.aruco.generateImageMarker(dictionary, int(number), 8 * int(rng.integers(4, 7)))
        for number in rng.choice(50, 4, replace=False)
    ]
    turn = rng.uniform(0, 2 * np.pi)
    if rng.random() < 0.35:  # separate markers, one at each corner
        for marker, corner in zip(markers, ((-1, -1), (1, -1), (1, 1), (-1, 1)), strict=True):
            paper = cv2.copyMakeBorder(marker, 8, 8, 8, 8, cv2.BORDER_CONSTANT, value=245)
            side = rng.uniform(25, 70)
            at = np.array(corner) * extent * rng.uniform(0.2, 0.5, 2)
            item = Distractor(cv2.cvtColor(paper, cv2.COLOR_GRAY2BGR), side, side, 0.2)
            draw_distractor(
                rng, image, ids, camera, item, (float(at[0]), float(at[1])), turn + rng.normal(0, 0.1), 0
            )
        return
    width, depth = (420.0, 297.0) if rng.random() < 0.5 else (rng.uniform(240, 640), rng.uniform(200, 480))
    sheet = np.empty((round(384 * depth / width), 384, 3), np.uint8)
    sheet[:] = random_color(rng, 235) if rng.random() < 0.6 else _muted_color(rng)
    height = sheet.shape[0]
    inset = int(rng.integers(2, 14))
    for number, marker in enumerate(markers):
        side = marker.shape[0] + 8
        x = inset if number % 2 == 0 else 384 - inset - side
        y = inset if number < 2 else height - inset - side
        sheet[y : y + side, x : x + side] = 250
        sheet[y + 4 : y + side - 4, x + 4 : x + side - 4] = marker[..., None]
    for fraction in rng.uniform(0.25, 0.75, int(rng.integers(0, 5))):  # white patches for white balance
        x, side = int(384 * fraction), int(rng.integers(8, 24))
        y = inset if rng.random() < 0.5 else height - inset - side
        sheet[y : y + side, x : x + side] = (250, 250, 250)
    line = _muted_color(rng)
    for _ in range(rng.integers(0, 9)):  # outlined zones for field, draw pile and captures
        x, y = int(rng.integers(60, 330)), int(rng.integers(60, max(61, height - 60)))
        span, drop = (30, 49) if rng.random() < 0.6 else rng.integers(20, 160, 2).tolist()
        cv2.rectangle(sheet, (x, y), (x + span, y + drop), line, int(rng.integers(1, 3)))
    # A mat is mostly larger than the picture; one of its markers is in view.
    cos, sin = np.cos(turn), np.sin(turn)
    marker_at = np.array((width / 2 - 30, depth / 2 - 30)) * rng.choice((-1, 1), 2)
    at = rng.uniform(-0.42, 0.42, 2) * extent - marker_at @ np.array([[cos, sin], [-sin, cos]])
    draw_distractor(
        rng, image, ids, camera, Distractor(sheet, width, depth, 0.2), (float(at[0]), float(at[1])), turn, 0
    )
