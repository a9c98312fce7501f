"""Composed scenes: cards of known place and name on a table, under light, through a lens.

Everything is drawn with OpenCV, a card only within
its own box, so that a core composes some 60 scenes a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from vision.kinds import BACK
from vision.training.art import CARD_MM, Deck, Face, random_back, random_colour, random_face
from vision.training.layouts import Place, lay_cards
from vision.training.tables import add_decoys, lay_table

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Id map values: table, and things that lie over cards but are none (hands, sleeves).
TABLE_ID: Final = 0
FOREIGN_ID: Final = 255
MAX_CARDS: Final = 40


@dataclass(frozen=True)
class Scene:
    """A picture with its truth.

    ``image`` H x W x 3 uint8 BGR; ``ids`` H x W uint8: 0 table, k + 1 card k, 255 a hand or another thing on top;
    ``quads`` n x 4 x 2 float32 px, clockwise from the card's own top left; ``kinds`` n uint8 (``vision.kinds``);
    ``identities`` n int32 (``art.Face.identity``).
    """

    image: Image
    ids: Image
    quads: NDArray[np.float32]
    kinds: NDArray[np.uint8]
    identities: NDArray[np.int32]


def shares(ids: Image, quads: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the visible share (0-1) of each card: its pixels in ``ids`` over its quad's area."""
    counts = np.bincount(ids.ravel(), minlength=256)[1 : len(quads) + 1]
    areas = np.array([cv2.contourArea(np.ascontiguousarray(quad)) for quad in quads], np.float32).reshape(-1)
    return np.clip(counts / np.maximum(areas, 1), 0, 1).astype(np.float32)


@dataclass(frozen=True)
class Props:
    """What scenes are made of: decks, the chance of each, and table textures."""

    decks: Sequence[Deck]
    weights: NDArray[np.float64]
    tables: Sequence[Image]


def family_weights(decks: Sequence[Deck], traditional: Sequence[str] = ("nintendo",)) -> NDArray[np.float64]:
    """Give every family the same chance, ``traditional`` ones four times it, packs that are no hanafuda half."""
    sizes: dict[str, int] = {}
    for deck in decks:
        sizes[deck.family] = sizes.get(deck.family, 0) + 1
    share = [
        (4.0 if d.family in traditional else 1.0 if d.hanafuda else 0.4) / sizes[d.family] for d in decks
    ]
    return np.array(share) / sum(share)


def look_down(rng: Rng, width: int, height: int, card_px: float) -> NDArray[np.float64]:
    """Return the 3 x 3 map from table mm to image px that makes a card at the centre ``card_px`` wide."""
    focal = width * rng.uniform(1.0, 4.0) / (2 * np.tan(np.radians(rng.uniform(50, 88)) / 2))
    tilt = np.radians(abs(rng.normal(0, 22))) if rng.random() < 0.8 else 0.0
    tilt = min(tilt, np.radians(52))
    lean, roll = rng.uniform(0, 2 * np.pi, 2)
    axis = np.array([np.cos(lean), np.sin(lean), 0]) * tilt
    rotation = cv2.Rodrigues(axis)[0] @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
    distance = focal * CARD_MM[0] / card_px
    shift = np.array([0, 0, distance])
    intrinsics = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    return np.asarray(intrinsics @ np.column_stack((rotation[:, 0], rotation[:, 1], shift)), np.float64)


def _project(camera: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Map n x 2 mm to px; None where a point lies too near or behind the camera."""
    mapped = np.column_stack((points, np.ones(len(points)))) @ camera.T
    if mapped[:, 2].min() < 0.3 * camera[2, 2]:
        return None
    return np.asarray(mapped[:, :2] / mapped[:, 2:], np.float64)


@dataclass(frozen=True)
class Print:
    """How this scene's copy of a deck looks: colours, frame, corners, thickness."""

    colour: NDArray[np.float32]
    curve: Image
    frame: tuple[int, int, int] | None
    frame_share: float
    inset: float
    corner: float
    size: tuple[float, float]
    edge: tuple[int, int, int]
    shadow: float
    shadow_shift: tuple[float, float]


def make_print(rng: Rng) -> Print:
    """Draw how this scene's copy of a deck is printed and worn."""
    saturation = rng.uniform(0.6, 1.35)
    grey = np.full((3, 3), 1 / 3)
    hue = np.radians(rng.uniform(-9, 9))
    turn = cv2.Rodrigues(np.array([1.0, 1.0, 1.0]) / np.sqrt(3) * hue)[0]
    colour = turn @ (saturation * np.eye(3) + (1 - saturation) * grey)
    colour *= rng.uniform(0.88, 1.08, 3)[:, None] * rng.uniform(0.75, 1.05)
    gamma = np.exp(rng.normal(0, 0.2))
    black = rng.uniform(0, 45) if rng.random() < 0.5 else 0.0  # printed black is grey under a lamp
    curve = black + (255 - black) * (np.arange(256) / 255) ** gamma
    frames = [(20, 18, 18), (25, 40, 90), (30, 30, 190), (235, 240, 240), (45, 70, 110)]
    framed = rng.random() < 0.35
    direction = rng.uniform(0, 2 * np.pi)
    reach = rng.uniform(0.3, 2.5)
    return Print(
        colour=np.column_stack((colour, rng.uniform(-8, 12, 3))).astype(np.float32),
        curve=np.clip(curve, 0, 255).astype(np.uint8),
        frame=frames[rng.integers(5)] if framed else None,
        frame_share=rng.uniform(0.03, 0.11),
        inset=rng.uniform(0.0, 0.06),
        corner=rng.uniform(0.02, 0.12),
        size=(CARD_MM[0] + rng.uniform(-2, 2), CARD_MM[1] + rng.uniform(-2.5, 2.5)),
        edge=random_colour(rng, 150, 250) if rng.random() < 0.6 else random_colour(rng, 0, 90),
        shadow=rng.uniform(0.25, 0.8) if rng.random() < 0.85 else 0.0,
        shadow_shift=(float(np.cos(direction) * reach), float(np.sin(direction) * reach)),
    )


def _printed(face: Face, look: Print, width: float) -> Image:
    """Return the face as BGRA art of this scene's print, alpha 0 outside the rounded corners."""
    art = face.at(width)
    height, span = art.shape[:2]
    if look.frame is not None and face.kind != BACK:
        cut, border = round(span * look.inset), max(1, round(span * look.frame_share))
        inner = cv2.resize(
            art[cut : height - cut, cut : span - cut],
            (span - 2 * border, height - 2 * border),
            interpolation=cv2.INTER_AREA,
        )
        art = np.asarray(
            cv2.copyMakeBorder(inner, border, border, border, border, cv2.BORDER_CONSTANT, value=look.frame),
            np.uint8,
        )
    art = np.asarray(cv2.transform(cv2.LUT(art, look.curve), look.colour), np.uint8)
    alpha = np.zeros((height, span), np.uint8)
    radius = max(1, round(span * look.corner))
    cv2.rectangle(alpha, (radius, 0), (span - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (span - 1, height - 1 - radius), 255, -1)
    for x in (radius, span - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(alpha, (x, y), radius, 255, -1)
    return np.dstack((art, alpha))


def _paste(
    rng: Rng, image: Image, ids: Image, art: Image, quad: NDArray[np.float64], number: int, look: Print
) -> None:
    """Draw one card with its shadow and edge into ``image`` and ``ids``, in place, only within its own box."""
    height, width = ids.shape
    scale = float(np.linalg.norm(quad[1] - quad[0])) / CARD_MM[0]
    pad = int(np.ceil(4 * scale)) + 2
    low = np.floor(quad.min(axis=0)).astype(int) - pad
    high = np.ceil(quad.max(axis=0)).astype(int) + pad + 1
    left, top = max(low[0], 0), max(low[1], 0)
    right, bottom = min(high[0], width), min(high[1], height)
    if right - left < 2 or bottom - top < 2:
        return
    size = (int(right - left), int(bottom - top))
    target = (quad - (left, top)).astype(np.float32)
    rows, columns = art.shape[:2]
    source = np.array(
        [(-0.5, -0.5), (columns - 0.5, -0.5), (columns - 0.5, rows - 0.5), (-0.5, rows - 0.5)], np.float32
    )
    warped = cv2.warpPerspective(
        art, cv2.getPerspectiveTransform(source, target - 0.5), size, flags=cv2.INTER_LINEAR
    )
    alpha = warped[..., 3]
    box = image[top:bottom, left:right]
    if look.shadow:
        shift = np.array(
            [[1, 0, look.shadow_shift[0] * scale], [0, 1, look.shadow_shift[1] * scale]], np.float32
        )
        dark = cv2.warpAffine(alpha, shift, size)
        blur = max(1, int(scale * 1.2)) * 2 + 1
        dark = cv2.blur(dark, (blur, blur))
        keep = (255 - look.shadow * dark).astype(np.uint8)
        box[:] = cv2.multiply(box, cv2.merge((keep, keep, keep)), scale=1 / 255)
        rim = cv2.warpAffine(
            alpha,
            np.array(
                [[1, 0, 0.35 * look.shadow_shift[0] * scale], [0, 1, 0.35 * look.shadow_shift[1] * scale]],
                np.float32,
            ),
            size,
        )
        _blend(box, np.broadcast_to(np.array(look.edge, np.uint8), box.shape), rim)
    colour = warped[..., :3]
    if rng.random() < 0.25:  # this card leans a little more or less into the light
        colour = cv2.convertScaleAbs(colour, alpha=float(rng.uniform(0.85, 1.12)))
    if rng.random() < 0.2:
        alpha = cv2.blur(alpha, (3, 3))
    _blend(box, colour, alpha)
    ids[top:bottom, left:right][alpha > 127] = number


def _blend(box: Image, colour: MatLike, alpha: MatLike) -> None:
    weight = cv2.merge((alpha, alpha, alpha))
    box[:] = cv2.add(
        cv2.multiply(box, cv2.bitwise_not(weight), scale=1 / 255),
        cv2.multiply(np.ascontiguousarray(colour), weight, scale=1 / 255),
    )


def _add_hand(rng: Rng, image: Image, ids: Image, card_px: float) -> None:
    """Draw a hand or sleeve reaching in from an edge: fingers as thick rounded strokes of skin."""
    height, width = ids.shape
    mm = card_px / CARD_MM[0]
    tip = rng.uniform((0.1 * width, 0.1 * height), (0.9 * width, 0.9 * height))
    angle = rng.uniform(0, 2 * np.pi)
    direction = np.array((np.cos(angle), np.sin(angle)))
    side = np.array((-direction[1], direction[0]))
    skin = np.array(
        [(120, 160, 215), (95, 130, 190), (60, 85, 130), (150, 185, 235)][rng.integers(4)]
    ) * rng.uniform(0.7, 1.1)
    mask = np.zeros((height, width), np.uint8)
    palm = tip + direction * 75 * mm
    for finger in range(-2, 3):
        start = (
            tip
            + side * finger * 15 * mm * rng.uniform(0.7, 1.3)
            + direction * abs(finger) * rng.uniform(4, 14) * mm
        )
        cv2.line(
            mask,
            start.astype(int).tolist(),
            palm.astype(int).tolist(),
            255,
            max(2, int(16 * mm)),
            cv2.LINE_AA,
        )
    cv2.circle(mask, palm.astype(int).tolist(), max(2, int(42 * mm)), 255, -1)
    shade = cv2.resize(
        rng.normal(1, 0.09, (max(2, height // 40), max(2, width // 40))).astype(np.float32),
        (width, height),
        interpolation=cv2.INTER_CUBIC,
    )
    sleeve = np.zeros_like(mask)
    cv2.line(
        sleeve,
        (palm + direction * 50 * mm).astype(int).tolist(),
        (palm + direction * 600 * mm).astype(int).tolist(),
        255,
        max(3, int(85 * mm)),
    )
    ground = cv2.GaussianBlur(np.maximum(mask, sleeve), (0, 0), max(1.0, 5 * mm))
    image[:] = cv2.multiply(image, cv2.merge([255 - (ground * 0.45).astype(np.uint8)] * 3), scale=1 / 255)
    _blend(image, np.clip(skin * shade[..., None], 0, 255).astype(np.uint8), mask)
    _blend(image, np.clip(np.asarray(random_colour(rng)) * shade[..., None], 0, 255).astype(np.uint8), sleeve)
    ids[(mask > 127) | (sleeve > 127)] = FOREIGN_ID


def _light(rng: Rng, image: Image, card_px: float) -> Image:
    """Light the scene: gradients, coloured lamps, soft and straight-edged shadows, glare; worked at 1/8 size."""
    height, width = image.shape[:2]
    rows, columns = height // 8 + 1, width // 8 + 1
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    field = np.ones((rows, columns, 3), np.float32)
    for _ in range(rng.integers(1, 4)):
        angle = rng.uniform(0, 2 * np.pi)
        ramp = np.cos(angle) * (xs / columns - 0.5) + np.sin(angle) * (ys / rows - 0.5)
        warm = np.array([rng.uniform(0.75, 1.1), 1.0, rng.uniform(0.95, 1.2)], np.float32)
        field += (rng.uniform(0, 0.9) * ramp)[..., None] * warm
    for _ in range(rng.poisson(0.6)):  # shadows of heads, hands, boxes
        mask = np.zeros((rows, columns), np.float32)
        if rng.random() < 0.5:
            points = (
                rng.normal(0, columns * 0.3, (rng.integers(3, 6), 2)) + rng.uniform((0, 0), (columns, rows))
            ).astype(np.int32)
            cv2.fillPoly(mask, [points], 1.0)
        else:
            at = (int(rng.integers(columns)), int(rng.integers(rows)))
            cv2.ellipse(
                mask,
                at,
                (int(rng.integers(4, columns)), int(rng.integers(4, rows))),
                float(rng.uniform(0, 180)),
                0,
                360,
                1.0,
                -1,
            )
        if rng.random() < 0.7:
            mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.5, 6))), np.float32)
        field *= 1 - rng.uniform(0.15, 0.6) * mask[..., None]
    field *= rng.uniform(0.85, 1.15, 3).astype(np.float32) * np.float32(np.exp(rng.normal(0.03, 0.25)))
    lit = image * cv2.resize(np.clip(field, 0.06, 3), (width, height), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.33:
        glare = np.zeros((height // 2, width // 2), np.float32)
        for _ in range(rng.integers(1, 4)):
            at = (int(rng.integers(width // 2)), int(rng.integers(height // 2)))
            axes = np.maximum(1, card_px / 33 / 2 * rng.uniform(5, 60, 2) / 2).astype(int)
            cv2.ellipse(
                glare,
                at,
                (int(axes[0]), int(axes[1])),
                float(rng.uniform(0, 180)),
                0,
                360,
                float(rng.uniform(0.2, 0.9)),
                -1,
            )
        glare = cv2.GaussianBlur(glare, (0, 0), max(0.5, card_px / 33 * float(rng.uniform(0.5, 6))))
        lit += 255 * cv2.resize(glare, (width, height))[..., None]
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


def _sensor(rng: Rng, image: Image) -> Image:
    """Photograph the scene: defocus, motion, low resolution, contrast, noise, sharpening (JPEG comes on storing)."""
    height, width = image.shape[:2]
    if rng.random() < 0.25:
        factor = rng.uniform(0.5, 0.95)
        small = cv2.resize(image, (int(width * factor), int(height * factor)), interpolation=cv2.INTER_AREA)
        image = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    if rng.random() < 0.5:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.3, 1.5))), np.uint8)
    if rng.random() < 0.1:
        length = int(rng.integers(2, 7))
        kernel = np.zeros((7, 7), np.float32)
        step = np.array((np.cos(angle := rng.uniform(0, np.pi)), np.sin(angle))) * length / 2
        cv2.line(
            kernel, (3 - step).round().astype(int).tolist(), (3 + step).round().astype(int).tolist(), 1.0
        )
        image = np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)
    gamma, gain, lift = np.exp(rng.normal(0, 0.18)), rng.uniform(0.85, 1.25), rng.uniform(-12, 14)
    curve = np.clip(((np.arange(256) / 255) ** gamma * gain * 255) + lift, 0, 255).astype(np.uint8)
    image = np.asarray(cv2.LUT(image, curve), np.uint8)
    if rng.random() < 0.25:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        amount = float(rng.uniform(0.3, 1.5))
        image = np.asarray(cv2.addWeighted(image, 1 + amount, soft, -amount, 0), np.uint8)
    if rng.random() < 0.7:
        noise = np.empty((height, width, 3), np.int16)
        cv2.setRNGSeed(int(rng.integers(2**31)))
        cv2.randn(noise, np.zeros(3), np.full(3, rng.uniform(0.5, 9)))
        image = np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)
    return image


def _card_px(rng: Rng) -> float:
    """Draw a card width in px: mostly 28-100, sometimes smaller or filling the picture."""
    kind = rng.random()
    if kind < 0.8:
        return float(np.exp(rng.uniform(np.log(28), np.log(100))))
    return float(rng.uniform(18, 28) if kind < 0.88 else rng.uniform(100, 240))


def lay(
    rng: Rng, image: Image, camera: NDArray[np.float64], look: Print, cards: Iterable[tuple[Face, Place]]
) -> tuple[Image, NDArray[np.float32], NDArray[np.uint8], NDArray[np.int32]]:
    """Draw ``cards`` into ``image``, in place, the last on top; return id map, quads, kinds, identities as in ``Scene``.

    ``camera`` maps table mm to px. Cards outside the picture are left out.
    """
    height, width = image.shape[:2]
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(look.size) / 2
    ids = np.zeros((height, width), np.uint8)
    quads: list[NDArray[np.float64]] = []
    shown: list[Face] = []
    for face, place in cards:
        cos, sin = np.cos(place.turn), np.sin(place.turn)
        quad = _project(camera, corners @ np.array([[cos, sin], [-sin, cos]]) + (place.x, place.y))
        if quad is None or (quad.max(axis=0) < 2).any() or (quad.min(axis=0) > (width - 2, height - 2)).any():
            continue
        art = _printed(face, look, float(np.linalg.norm(quad[1] - quad[0])))
        _paste(rng, image, ids, art, quad, len(quads) + 1, look)
        quads.append(quad)
        shown.append(face)
    kinds, identities = [face.kind for face in shown], [face.identity for face in shown]
    return (
        ids,
        np.array(quads, np.float32).reshape(-1, 4, 2),
        np.array(kinds, np.uint8),
        np.array(identities, np.int32),
    )


def photograph(rng: Rng, image: Image, card_px: float) -> Image:
    """Light a laid-out table whose cards are about ``card_px`` wide, and take its picture."""
    return _sensor(rng, _light(rng, image, card_px))


def compose(rng: Rng, props: Props, width: int = 448, height: int = 336) -> Scene:
    """Compose one scene of ``width`` x ``height`` px: up to 40 cards of one deck (sometimes with strays)."""
    card_px = _card_px(rng)
    camera = look_down(rng, width, height, card_px)
    image = lay_table(rng, props.tables, width, height)
    deck = props.decks[rng.choice(len(props.decks), p=props.weights)]
    faces: list[Face] = list(deck.faces)
    rng.shuffle(faces)  # type: ignore[arg-type]  # numpy shuffles any mutable sequence in place
    if rng.random() < 0.12:
        faces = [random_face(rng) for _ in range(8)] * 6
    if rng.random() < 0.7:
        add_decoys(rng, image, faces, card_px)
    look, back = make_print(rng), random_back(rng)
    span = CARD_MM[0] / card_px
    limit = MAX_CARDS if card_px < 60 else 24
    places: list[Place] = [] if rng.random() < 0.03 else lay_cards(rng, (width * span, height * span), limit)
    cards: list[tuple[Face, Place]] = []
    for number, place in enumerate(places):
        face = faces[number % len(faces)] if rng.random() > 0.02 else random_face(rng)
        cards.append((back if place.face_down else face, place))
    ids, quads, kinds, identities = lay(rng, image, camera, look, cards)
    if rng.random() < 0.15:
        _add_hand(rng, image, ids, card_px)
    return Scene(photograph(rng, image, card_px), ids, quads, kinds, identities)
