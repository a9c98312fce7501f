"""Composed scenes: cards of known pose and class on a table, with lighting and lens, drawn with OpenCV.

`hanafuda_training.render.scene_factors` names what varies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.camera import (
    SceneCamera,
    distort_image,
    distort_points,
    random_camera,
    random_distortion,
)
from hanafuda_training.render.card_drawing import CardPose, DeckPrint, draw_card, print_face, random_print
from hanafuda_training.render.card_layouts import CardPlacement, random_layout, stack_heights
from hanafuda_training.render.card_stacks import draw_stack
from hanafuda_training.render.deck_art import Deck, Face, random_back, random_face
from hanafuda_training.render.distractors import WESTERN_ID, add_distractors, draw_mat
from hanafuda_training.render.hand_drawing import FOREIGN_ID, add_hand
from hanafuda_training.render.lighting import apply_lighting
from hanafuda_training.render.scene_factors import TRAINING_FACTORS, NamedGenerators, SceneFactors
from hanafuda_training.render.sensor import simulate_sensor
from hanafuda_training.render.tabletops import draw_tabletop
from vision.networks.class_ids import UNKNOWN

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Value in the id map for the table and the objects under the cards.
TABLE_ID: Final = 0
MAX_CARDS: Final = 48
_CORNERS: Final = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


@dataclass(frozen=True)
class Scene:
    """A picture with ground truth.

    ``image`` is H x W x 3 uint8 BGR. ``ids`` is H x W uint8: 0 for the table, k + 1 for card k, 255 for a hand or another object on
    top. ``quads`` is n x 4 x 2 float32 px, clockwise from the card's own top left, ``class_ids`` n uint8 (`vision.networks.class_ids`),
    ``identities`` n int32 (`hanafuda_training.render.deck_art.Face`).
    """

    image: Image
    ids: Image
    quads: NDArray[np.float32]
    class_ids: NDArray[np.uint8]
    identities: NDArray[np.int32]


def visible_fractions(ids: Image, quads: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the visible fraction (0-1) of each card: its pixels in ``ids`` divided by the area of its quad."""
    counts = np.bincount(ids.ravel(), minlength=256)[1 : len(quads) + 1]
    areas = np.array([cv2.contourArea(np.ascontiguousarray(quad)) for quad in quads], np.float32).reshape(-1)
    return np.clip(counts / np.maximum(areas, 1), 0, 1).astype(np.float32)


@dataclass(frozen=True)
class SceneAssets:
    """Decks, their probabilities, and table textures from which scenes are composed."""

    decks: Sequence[Deck]
    weights: NDArray[np.float64]
    tables: Sequence[Image]


def family_weights(decks: Sequence[Deck], traditional: Sequence[str] = ("nintendo",)) -> NDArray[np.float64]:
    """Return the probability of each deck.

    Every family has the same probability, ``traditional`` ones four times as much, decks that are not hanafuda less than half.
    """
    sizes: dict[str, int] = {}
    for deck in decks:
        sizes[deck.family] = sizes.get(deck.family, 0) + 1
    weights = [
        (4.0 if d.family in traditional else 1.0 if d.hanafuda else 0.4) / sizes[d.family] for d in decks
    ]
    return np.array(weights) / sum(weights)


def _card_px(rng: Rng) -> float:
    """Return a random card width in px: often near 52, the size to which the scanner scales, otherwise 18-240."""
    kind = rng.random()
    if kind < 0.4:
        return float(np.exp(rng.normal(np.log(52), 0.2)))
    if kind < 0.8:
        return float(np.exp(rng.uniform(np.log(28), np.log(100))))
    return float(rng.uniform(18, 28) if kind < 0.88 else rng.uniform(100, 240))


def _is_outside(quad: NDArray[np.float64], width: int, height: int) -> bool:
    return bool((quad.max(axis=0) < 2).any() or (quad.min(axis=0) > (width - 2, height - 2)).any())


def draw_cards(
    rng: Rng,
    image: Image,
    ids: Image,
    camera: SceneCamera,
    deck_print: DeckPrint,
    cards: Iterable[tuple[Face, CardPlacement]],
    factors: SceneFactors = TRAINING_FACTORS,
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.int32]]:
    """Draw ``cards`` into ``image`` and ``ids``, in place, the last on top; return quads, class ids and identities as in `Scene`.

    Cards outside the picture are left out.
    """
    height, width = ids.shape
    quads: list[NDArray[np.float64]] = []
    faces_drawn: list[Face] = []
    for face, place in cards:
        local = _CORNERS * deck_print.size
        cos, sin = np.cos(place.turn), np.sin(place.turn)
        flat = local @ np.array([[cos, sin], [-sin, cos]]) + (place.x, place.y)
        corners = np.column_stack((flat, place.z + local @ place.lean))
        dice, chance = NamedGenerators(rng), rng.uniform(0, (1, 4, 1, 1, 1))
        if place.layers > 1:
            below = camera.project(corners)
            if below is None or _is_outside(below, width, height):
                continue
            height_above = (place.layers - 1) * deck_print.thickness
            askew = draw_stack(
                dice.of("stacks"), image, ids, camera, corners, place.layers - 1, face, deck_print
            )
            corners += np.array([*askew, height_above])
        gap = 0.0 if place.layers > 1 else place.z
        lower, quad = (
            camera.project(corners),
            camera.project(corners + np.array((0, 0, deck_print.thickness))),
        )
        if quad is None or lower is None or _is_outside(quad, width, height):
            continue
        span = float(np.linalg.norm(quad[1] - quad[0]))
        is_curled = place.layers == 1 and chance[0] < 0.15 * factors.curl
        bow = _shift(camera, corners, quad, deck_print.thickness + chance[1]) if is_curled else None
        art = print_face(
            dice, face, deck_print, span, factors.sheen if chance[2] < 0.3 * factors.sheen else 0.0
        )
        drop = (lower - quad).mean(axis=0) * (1 + min(gap, 4.0) / deck_print.thickness * 0.3)
        gain = 0.85 + 0.27 * float(chance[4]) if chance[3] < 0.25 else 1.0
        pose = CardPose(quad, span / deck_print.size[0], drop, min(gap, 4.0), bow, gain)
        draw_card(image, ids, art, pose, len(quads) + 1, deck_print)
        quads.append(quad)
        faces_drawn.append(face)
    class_ids, identities = [face.class_id for face in faces_drawn], [face.identity for face in faces_drawn]
    return (
        np.array(quads, np.float32).reshape(-1, 4, 2),
        np.array(class_ids, np.uint8),
        np.array(identities, np.int32),
    )


def _shift(
    camera: SceneCamera, corners: NDArray[np.float64], quad: NDArray[np.float64], height: float
) -> NDArray[np.float64] | None:
    """Return how far a card's corners (mm) are from ``quad`` (px) in the picture if raised by ``height`` mm, px."""
    raised = camera.project(corners + np.array((0, 0, height)))
    return None if raised is None else (raised - quad).mean(axis=0)


def photograph(rng: Rng, image: Image, card_px: float, factors: SceneFactors = TRAINING_FACTORS) -> Image:
    """Light a table with cards about ``card_px`` wide and apply the camera's imaging effects."""
    dice = NamedGenerators(rng)
    return simulate_sensor(dice, factors, apply_lighting(dice, factors, image, card_px))


def _add_hand_at(
    rng: Rng, image: Image, ids: Image, camera: SceneCamera, tip: NDArray[np.float64], angle: float
) -> None:
    """Draw a hand with its fingertips at ``tip`` (mm) and the arm in direction ``angle`` (radians), in place."""
    arm = np.array([(0.0, 0.0, 0.0), (np.cos(angle), np.sin(angle), 0.0)])
    arm_px = camera.project(arm + np.array([*tip, 0.0]))
    if arm_px is None:
        return
    direction = arm_px[1] - arm_px[0]
    px_per_mm = float(np.linalg.norm(direction))
    add_hand(rng, image, ids, arm_px[0], np.arctan2(direction[1], direction[0]), px_per_mm)


def compose_scene(
    rng: Rng,
    props: SceneAssets,
    width: int = 448,
    height: int = 336,
    factors: SceneFactors = TRAINING_FACTORS,
) -> Scene:
    """Compose a scene of ``width`` x ``height`` px with up to 48 cards of one deck, occasionally with cards of others."""
    dice = NamedGenerators(rng)
    base = dice.of("scene")
    card_px = _card_px(base)
    camera = random_camera(dice.of("tilt"), width, height, card_px, factors.tilt)
    image = draw_tabletop(dice.of("table"), props.tables, camera, (width, height), factors.cloths)
    ids = np.full((height, width), TABLE_ID, np.uint8)
    deck = props.decks[base.choice(len(props.decks), p=props.weights)]
    faces: list[Face] = list(deck.faces)
    base.shuffle(faces)
    if base.random() < 0.14:
        faces = [random_face(base) for _ in range(8)] * 6
    extent = (width * CARD_MM[0] / card_px, height * CARD_MM[0] / card_px)
    backs, mats, distractors = dice.of("backs"), dice.of("mats"), dice.of("decoys")
    deck_print, back = random_print(dice.of("print"), factors), random_back(backs)
    if backs.random() < 0.2 * factors.backs:
        image = _match_brightness(backs, image, back)
    if mats.random() < 0.07 * factors.mats:
        draw_mat(mats, image, ids, camera, extent)
    western: list[NDArray[np.float64]] = []
    if distractors.random() < 0.7 * factors.distractors:
        western = add_distractors(distractors, image, ids, camera, extent, faces, TABLE_ID)
    limit = MAX_CARDS if card_px < 70 else 32
    layout = dice.of("layout")
    places: list[CardPlacement] = []
    if layout.random() > 0.03:
        places = random_layout(layout, extent, limit, factors)
        places = stack_heights(dice.of("lean"), places, deck_print.thickness, factors.lean)
    hands = dice.of("hands")
    has_hand = hands.random() < 0.24 * factors.hands
    tip, angle = hands.uniform(-0.45, 0.45, 2) * extent, hands.uniform(0, 2 * np.pi)
    if has_hand and hands.random() < 0.4:
        places.append(_card_in_hand(hands, tip, angle))
    strays = dice.of("strays")
    cards: list[tuple[Face, CardPlacement]] = []
    for number, place in enumerate(places):
        face = faces[number % len(faces)] if strays.random() > 0.02 else random_face(strays)
        cards.append((back if place.face_down else face, place))
    quads, class_ids, identities = draw_cards(
        dice.of("cards"), image, ids, camera, deck_print, cards, factors
    )
    quads, class_ids, identities = with_western(ids, western, quads, class_ids, identities)
    if distractors.random() < 0.1 * factors.distractors:
        add_distractors(distractors, image, ids, camera, extent, faces, FOREIGN_ID)
    if has_hand:
        _add_hand_at(hands, image, ids, camera, tip, angle)
    distortion = random_distortion(dice.of("lens"), factors.lens)
    image, ids = distort_image(image, ids, distortion)
    quads = distort_points(quads, distortion, width, height)
    return Scene(
        photograph(dice.of("photograph"), image, card_px, factors), ids, quads, class_ids, identities
    )


def with_western(
    ids: Image,
    western: Sequence[NDArray[np.float64]],
    quads: NDArray[np.float32],
    class_ids: NDArray[np.uint8],
    identities: NDArray[np.int32],
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.int32]]:
    """Return ``quads``, ``class_ids`` and ``identities`` extended by ``western`` cards (4 x 2 px each); renumber ``ids`` in place.

    Western cards are of the class unknown, but they are cards: the detector must report them.
    """
    for number in range(len(western)):
        ids[ids == WESTERN_ID + number] = len(quads) + number + 1
    more = len(western)
    return (
        np.concatenate((quads, np.array(western, np.float32).reshape(-1, 4, 2))),
        np.concatenate((class_ids, np.full(more, UNKNOWN, np.uint8))),
        np.concatenate((identities, np.full(more, -1, np.int32))),
    )


def _card_in_hand(rng: Rng, tip: NDArray[np.float64], angle: float) -> CardPlacement:
    """Return a card held by fingers at ``tip`` (mm), with the arm in direction ``angle`` (radians)."""
    along = np.array((np.cos(angle), np.sin(angle)))
    x, y = tip - along * rng.uniform(-12, 22) + rng.normal(0, 5, 2)
    turn = angle + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.3)
    lean = rng.normal(0, 0.15, 2)
    return CardPlacement(
        float(x), float(y), float(turn), bool(rng.random() < 0.2), rng.uniform(8, 60), (lean[0], lean[1])
    )


def _match_brightness(rng: Rng, image: Image, back: Face) -> Image:
    """Return the table with nearly the brightness of a card back, so that backs hardly stand out."""
    level = float(np.mean(back.art[0])) * rng.uniform(0.7, 1.6) + rng.uniform(-8, 12)
    gain = min(1.5, max(5.0, level) / max(1.0, float(np.mean(image))))
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), np.uint8)
