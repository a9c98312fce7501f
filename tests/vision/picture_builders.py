"""Pictures for the tests, rendered from our own card faces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np

from hanafuda_training.render.camera import random_camera
from hanafuda_training.render.card_drawing import random_print
from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.deck_art import Face, make_face, random_back
from hanafuda_training.render.rasterize import rasterize
from hanafuda_training.render.scene_factors import SceneFactors
from hanafuda_training.render.scenes import Scene, draw_cards, photograph
from hanafuda_training.render.tabletops import draw_tabletop, random_textures
from vision.networks.class_ids import CLASS_OF

#: Our own faces in their original colors.
_OWN_INKS = SceneFactors(inks=0, fields=0, mirrors=0)


@cache
def face(card: str) -> Face:
    """Return our own face of ``card``."""
    return make_face(rasterize(card), CLASS_OF[card])


def table_with(
    cards: Sequence[tuple[str, CardPlacement]],
    seed: int,
    card_px: float = 60,
    size: tuple[int, int] = (1280, 720),
) -> Scene:
    """Render ``cards`` (or ``"back"``) on a drawn table; places are in mm from the center of the picture."""
    return table_of(
        [(None if card == "back" else face(card), place) for card, place in cards], seed, card_px, size
    )


def table_of(
    cards: Sequence[tuple[Face | None, CardPlacement]],
    seed: int,
    card_px: float = 60,
    size: tuple[int, int] = (1280, 720),
) -> Scene:
    """Render faces, or backs (None), as `table_with`."""
    rng = np.random.default_rng(seed)
    camera = random_camera(rng, *size, card_px)
    image = draw_tabletop(rng, random_textures(rng, 2), camera, size)
    ids = np.zeros(image.shape[:2], np.uint8)
    faces = [(front or random_back(rng), place) for front, place in cards]
    quads, kinds, identities = draw_cards(rng, image, ids, camera, random_print(rng, _OWN_INKS), faces)
    return Scene(photograph(rng, image, card_px), ids, quads, kinds, identities)


def row(cards: Sequence[str], step: float, y: float = 0.0) -> list[tuple[str, CardPlacement]]:
    """Return a row of cards, ``step`` mm apart."""
    start = -step * (len(cards) - 1) / 2
    return [(card, CardPlacement(start + step * number, y, 0.0)) for number, card in enumerate(cards)]


def jpeg(image: np.ndarray, quality: int = 92) -> bytes:
    """Return ``image`` as JPEG bytes."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
