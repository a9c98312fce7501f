"""Drawn decks for the tests, and a recognizer without a network: its embedding is the reduced picture itself."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np

from companion.hanafuda.cards import DECKS
from hanafuda_training.render.deck_art import random_face
from vision.decks.card_prototypes import whole_picture
from vision.decks.deck_profile import DeckProfile, make_profile
from vision.networks.class_ids import BACK, CLASS_COUNT, UNKNOWN
from vision.networks.recognizer import EMBEDDING, Recognitions
from vision.pictures.crops import Image

WIDTH, HEIGHT = 64, 96


class PixelRecognizer:
    """A recognizer whose embedding is a random projection of the visible pixels without their mean; it classifies every card as unknown."""

    def __init__(self, fingerprint: str = "pixels", seed: int = 0) -> None:
        self.fingerprint = fingerprint
        self._matrix = np.random.default_rng(seed).normal(size=(8 * 12 * 3, EMBEDDING))

    def infer(self, crops: Image) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        vectors = []
        for crop in crops:
            small = cv2.resize(crop, (8, 12), interpolation=cv2.INTER_AREA).astype(float)
            weight = small[..., 3:] / 255
            mean = (small[..., :3] * weight).sum(axis=(0, 1)) / max(float(weight.sum()), 1e-6)
            vectors.append(((small[..., :3] - mean) * weight).ravel() @ self._matrix)
        embeddings = np.array(vectors).reshape(-1, EMBEDDING)
        embeddings /= np.maximum(np.linalg.norm(embeddings, axis=1, keepdims=True), 1e-6)
        logits = np.zeros((len(crops), CLASS_COUNT))
        logits[:, UNKNOWN] = 6
        return logits, np.zeros(len(crops)), embeddings.astype(np.float32)


@cache
def drawn(seed: int, count: int) -> Image:
    """Return ``count`` invented faces as upright crops (96 x 64 x 3), read-only because tests share them."""
    rng = np.random.default_rng(seed)
    faces: list[Image] = []
    while len(faces) < count:
        picture = whole_picture(random_face(rng).art[2])
        inside = picture[8:-8, 6:-6].astype(int)
        # Omit faces that are plain or symmetric under a half turn.
        if inside.std() > 40 and np.abs(inside - inside[::-1, ::-1]).mean() > 30:
            faces.append(picture)
    pictures = np.stack(faces)
    pictures.flags.writeable = False
    return pictures


@cache
def a_deck(
    seed: int = 1, pack: str = "mekurifuda", count: int = 12, recognizer: PixelRecognizer | None = None
) -> DeckProfile:
    """Return the profile of a drawn deck, which tests share: the first ``count`` cards of ``pack``."""
    cards = [card.id for card in DECKS[pack][:count]]
    return make_profile("drawn", pack, drawn(seed, count), cards, recognizer or PixelRecognizer())


def seen(crops: Image, recognizer: PixelRecognizer | None = None) -> Recognitions:
    """Return the result of the pixel recognizer for ``crops`` (n x 96 x 64 x 4): all unknown and upright."""
    posterior = np.full((len(crops), CLASS_COUNT), 0.001)
    posterior[:, UNKNOWN] = 0.96
    embeddings = (recognizer or PixelRecognizer()).infer(crops)[2]
    return Recognitions(posterior, posterior, np.ones(len(crops), np.bool_), embeddings, crops)


def face_down(named: Recognitions) -> Recognitions:
    """Return the same recognitions with the class back."""
    posterior = np.full_like(named.posterior, 0.0005)
    posterior[:, BACK] = 0.98
    return replace(named, own=posterior, posterior=posterior)


def uncovered(pictures: Image) -> Image:
    """Return pictures (n x 96 x 64 x 3) as completely visible crops."""
    whole = np.full((*pictures.shape[:3], 1), 255, np.uint8)
    return np.concatenate((pictures, whole), axis=3)


def half_covered(pictures: Image, over: Image, rows: slice) -> Image:
    """Return pictures as crops of which only ``rows`` are visible; ``over`` covers the rest."""
    crops = np.zeros((*pictures.shape[:3], 4), np.uint8)
    crops[..., :3] = over
    crops[:, rows, :, :3] = pictures[:, rows]
    crops[:, rows, :, 3] = 255
    return crops
