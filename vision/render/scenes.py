"""Composed scenes: cards of known place and name on a table, under light, through a lens.

Everything is drawn with OpenCV, a card only within its own box. What varies is named in ``factors``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.class_ids import UNKNOWN
from vision.render.camera import Camera, bend_image, bend_points, draw_bend, look_down
from vision.render.card_drawing import Lying, Print, make_print, paste, printed
from vision.render.card_layouts import Place, lay_cards, settle
from vision.render.card_stacks import draw_stack
from vision.render.deck_art import CARD_MM, Deck, Face, random_back, random_face
from vision.render.distractors import WESTERN_ID, add_decoys, lay_mat
from vision.render.hand_drawing import FOREIGN_ID, add_hand
from vision.render.lighting import light
from vision.render.scene_factors import TRAINED, Dice, Factors
from vision.render.sensor import expose
from vision.render.tabletops import lay_table

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Id map value of the table and what lies on it under the cards.
TABLE_ID: Final = 0
MAX_CARDS: Final = 48
_CORNERS: Final = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


@dataclass(frozen=True)
class Scene:
    """A picture with its truth.

    ``image`` H x W x 3 uint8 BGR; ``ids`` H x W uint8: 0 table, k + 1 card k, 255 a hand or another thing on top;
    ``quads`` n x 4 x 2 float32 px, clockwise from the card's own top left; ``kinds`` n uint8 (``vision.networks.class_ids``);
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


def _card_px(rng: Rng) -> float:
    """Draw a card width in px: often near 52, to which the scanner brings cards, else 28-100 or smaller or larger."""
    kind = rng.random()
    if kind < 0.4:
        return float(np.exp(rng.normal(np.log(52), 0.2)))
    if kind < 0.8:
        return float(np.exp(rng.uniform(np.log(28), np.log(100))))
    return float(rng.uniform(18, 28) if kind < 0.88 else rng.uniform(100, 240))


def _outside(quad: NDArray[np.float64], width: int, height: int) -> bool:
    return bool((quad.max(axis=0) < 2).any() or (quad.min(axis=0) > (width - 2, height - 2)).any())


def lay(
    rng: Rng,
    image: Image,
    ids: Image,
    camera: Camera,
    look: Print,
    cards: Iterable[tuple[Face, Place]],
    factors: Factors = TRAINED,
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.int32]]:
    """Draw ``cards`` into ``image`` and ``ids``, in place, the last on top; return quads, kinds, identities.

    All as in ``Scene``. Cards outside the picture are left out.
    """
    height, width = ids.shape
    quads: list[NDArray[np.float64]] = []
    shown: list[Face] = []
    for face, place in cards:
        local = _CORNERS * look.size
        cos, sin = np.cos(place.turn), np.sin(place.turn)
        flat = local @ np.array([[cos, sin], [-sin, cos]]) + (place.x, place.y)
        corners = np.column_stack((flat, place.z + local @ place.lean))
        dice, chance = Dice(rng), rng.uniform(0, (1, 4, 1, 1, 1))
        if place.layers > 1:
            below = camera.project(corners)
            if below is None or _outside(below, width, height):
                continue
            rise = (place.layers - 1) * look.thickness
            askew = draw_stack(dice.of("stacks"), image, ids, camera, corners, place.layers - 1, face, look)
            corners += np.array([*askew, rise])
        gap = 0.0 if place.layers > 1 else place.z
        lower, quad = camera.project(corners), camera.project(corners + np.array((0, 0, look.thickness)))
        if quad is None or lower is None or _outside(quad, width, height):
            continue
        span = float(np.linalg.norm(quad[1] - quad[0]))
        bow = None
        if place.layers == 1 and chance[0] < 0.15 * factors.curl:
            high = camera.project(corners + np.array((0, 0, look.thickness + chance[1])))
            bow = None if high is None else (high - quad).mean(axis=0)
        art = printed(dice, face, look, span, factors.sheen if chance[2] < 0.3 * factors.sheen else 0.0)
        drop = (lower - quad).mean(axis=0) * (1 + min(gap, 4.0) / look.thickness * 0.3)
        gain = 0.85 + 0.27 * float(chance[4]) if chance[3] < 0.25 else 1.0
        lying = Lying(quad, span / look.size[0], drop, min(gap, 4.0), bow, gain)
        paste(image, ids, art, lying, len(quads) + 1, look)
        quads.append(quad)
        shown.append(face)
    kinds, identities = [face.kind for face in shown], [face.identity for face in shown]
    return (
        np.array(quads, np.float32).reshape(-1, 4, 2),
        np.array(kinds, np.uint8),
        np.array(identities, np.int32),
    )


def photograph(rng: Rng, image: Image, card_px: float, factors: Factors = TRAINED) -> Image:
    """Light a laid-out table whose cards are about ``card_px`` wide, and take its picture."""
    dice = Dice(rng)
    return expose(dice, factors, light(dice, factors, image, card_px))


def compose(rng: Rng, props: Props, width: int = 448, height: int = 336, factors: Factors = TRAINED) -> Scene:
    """Compose one scene of ``width`` x ``height`` px: up to 48 cards of one deck (sometimes with strays)."""
    dice = Dice(rng)
    base = dice.of("scene")
    card_px = _card_px(base)
    camera = look_down(dice.of("tilt"), width, height, card_px, factors.tilt)
    image = lay_table(dice.of("table"), props.tables, camera, (width, height), factors.cloths)
    ids = np.full((height, width), TABLE_ID, np.uint8)
    deck = props.decks[base.choice(len(props.decks), p=props.weights)]
    faces: list[Face] = list(deck.faces)
    base.shuffle(faces)
    if base.random() < 0.14:
        faces = [random_face(base) for _ in range(8)] * 6
    extent = (width * CARD_MM[0] / card_px, height * CARD_MM[0] / card_px)
    backs, mats, decoys = dice.of("backs"), dice.of("mats"), dice.of("decoys")
    look, back = make_print(dice.of("print"), factors), random_back(backs)
    if backs.random() < 0.2 * factors.backs:
        image = _darkened_like(backs, image, back)
    if mats.random() < 0.07 * factors.mats:
        lay_mat(mats, image, ids, camera, extent)
    western: list[NDArray[np.float64]] = []
    if decoys.random() < 0.7 * factors.decoys:
        western = add_decoys(decoys, image, ids, camera, extent, faces, TABLE_ID)
    limit = MAX_CARDS if card_px < 70 else 32
    layout = dice.of("layout")
    places: list[Place] = []
    if layout.random() > 0.03:
        places = lay_cards(layout, extent, limit, factors)
        places = settle(dice.of("lean"), places, look.thickness, factors.lean)
    hands = dice.of("hands")
    reaching = hands.random() < 0.24 * factors.hands
    tip, angle = hands.uniform(-0.45, 0.45, 2) * extent, hands.uniform(0, 2 * np.pi)
    if reaching and hands.random() < 0.4:
        places.append(_held(hands, tip, angle))
    strays = dice.of("strays")
    cards: list[tuple[Face, Place]] = []
    for number, place in enumerate(places):
        face = faces[number % len(faces)] if strays.random() > 0.02 else random_face(strays)
        cards.append((back if place.face_down else face, place))
    quads, kinds, identities = lay(dice.of("cards"), image, ids, camera, look, cards, factors)
    quads, kinds, identities = with_western(ids, western, quads, kinds, identities)
    if decoys.random() < 0.1 * factors.decoys:
        add_decoys(decoys, image, ids, camera, extent, faces, FOREIGN_ID)
    if reaching:
        arm = np.array([(0.0, 0.0, 0.0), (np.cos(angle), np.sin(angle), 0.0)])
        seen = camera.project(arm + np.array([*tip, 0.0]))
        if seen is not None:
            way = seen[1] - seen[0]
            add_hand(hands, image, ids, seen[0], np.arctan2(way[1], way[0]), float(np.linalg.norm(way)))
    bend = draw_bend(dice.of("lens"), factors.lens)
    image, ids = bend_image(image, ids, bend)
    quads = bend_points(quads, bend, width, height)
    return Scene(photograph(dice.of("photograph"), image, card_px, factors), ids, quads, kinds, identities)


def with_western(
    ids: Image,
    western: Sequence[NDArray[np.float64]],
    quads: NDArray[np.float32],
    kinds: NDArray[np.uint8],
    identities: NDArray[np.int32],
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.int32]]:
    """Return ``quads``, ``kinds`` and ``identities`` with those of ``western`` cards (4 x 2 px each), renumbered in ``ids``, in place.

    They are strangers, but cards: who has laid one there wants to be told.
    """
    for number in range(len(western)):
        ids[ids == WESTERN_ID + number] = len(quads) + number + 1
    more = len(western)
    return (
        np.concatenate((quads, np.array(western, np.float32).reshape(-1, 4, 2))),
        np.concatenate((kinds, np.full(more, UNKNOWN, np.uint8))),
        np.concatenate((identities, np.full(more, -1, np.int32))),
    )


def _held(rng: Rng, tip: NDArray[np.float64], angle: float) -> Place:
    """Return a card held in fingers whose tips are at ``tip`` mm, the arm coming from ``angle`` radians."""
    along = np.array((np.cos(angle), np.sin(angle)))
    x, y = tip - along * rng.uniform(-12, 22) + rng.normal(0, 5, 2)
    turn = angle + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.3)
    lean = rng.normal(0, 0.15, 2)
    return Place(
        float(x), float(y), float(turn), bool(rng.random() < 0.2), rng.uniform(8, 60), (lean[0], lean[1])
    )


def _darkened_like(rng: Rng, image: Image, back: Face) -> Image:
    """Return the table nearly as dark as a card's back, so that the one is hardly seen on the other."""
    level = float(np.mean(back.art[0])) * rng.uniform(0.7, 1.6) + rng.uniform(-8, 12)
    gain = min(1.5, max(5.0, level) / max(1.0, float(np.mean(image))))
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), np.uint8)
