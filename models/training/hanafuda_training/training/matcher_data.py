"""Makes training samples for the matcher from stored scenes: a crop of a card beside pictures of a deck."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.deck_art import Deck
from hanafuda_training.render.scenes import Scene
from hanafuda_training.training.crop_data import (
    Crops,
    as_seen,
    disturb,
    no_cards,
    some_cards,
    spoilt,
    tinted,
    visible_mask,
)
from hanafuda_training.training.detect_scenes import SceneDetections
from vision.decks.card_prototypes import whole_picture
from vision.pictures.crops import RECOGNIZER_MARGIN, RECOGNIZER_SIZE, Image, Pyramid, rotate_half_turn

Rng = np.random.Generator
Example = tuple[NDArray[np.generic], ...]

#: Number of candidate pictures for each crop.
OFFERED: Final = 4
#: Probability that none of them is the card, because a similar one replaces it, or because they are of another deck;
#: and probability that a scene is followed by a blank slip.
_MISSING: Final = 0.12
_ANOTHER_DECK: Final = 0.07
_BLANKS: Final = 0.08
#: Probability of using a card of another deck: there are many, and they are learned quickly.
_OTHER_DECK_RATE: Final = 0.5
#: Probability that one candidate is the card with a detail pasted from elsewhere or from another card: one pip more or
#: less, in any style.
_EDITED: Final = 0.35
#: Probability that light removes most of the contrast of a crop.
_WASHED_OUT: Final = 0.15


class MatcherCrops(Crops):
    """Yields a crop with its mask (4 x 96 x 64 uint8), the candidate pictures (OFFERED x 3 x 96 x 64 uint8),
    and the index of the one that shows the same card (int64; OFFERED if none does).
    """

    def __init__(self, folder: Path, decks: Sequence[Deck], batch: int, seed: int) -> None:
        """Use the scenes in ``folder``, which were composed from ``decks``."""
        super().__init__(folder, batch, seed)
        self._pictures, self._identities, self._nearest = [], [], []
        self._faces: dict[int, list[tuple[int, int]]] = {}
        for number, deck in enumerate(decks):
            pictures = np.stack([whole_picture(face.art[2]) for face in deck.faces])
            identities = np.array([face.identity for face in deck.faces])
            self._pictures.append(pictures)
            self._identities.append(identities)
            self._nearest.append(_nearest(pictures, identities))
            for index, identity in enumerate(identities):
                self._faces.setdefault(int(identity), []).append((number, index))

    def examples(self, rng: Rng, scene: Scene, detections: SceneDetections) -> Iterator[Example]:
        """Yield cards at slightly wrong quads with slightly wrong masks, in either orientation, and quads
        without a card.
        """
        pyramid = Pyramid(scene.image)
        for index in some_cards(rng, scene, 0.12):
            own = self._faces.get(int(scene.identities[index]))
            unmatched = own is None or bool(rng.random() < _ANOTHER_DECK)
            if unmatched and rng.random() > _OTHER_DECK_RATE:
                continue
            deck, card = self._random_card(rng) if unmatched or not own else own[int(rng.integers(len(own)))]
            if unmatched and self._identities[deck][card] == scene.identities[index]:
                continue
            quad = disturb(
                rng, scene.quads[index], float(rng.choice((0.01, 0.03, 0.06), p=(0.35, 0.5, 0.15)))
            )
            end = 1 if rng.random() < 0.5 else -1
            if end < 0:
                quad = rotate_half_turn(quad)
            mask = visible_mask(scene, index, quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            cut = pyramid.cut(quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            if rng.random() < 0.3:
                cut = tinted(rng, cut)
            if rng.random() < _WASHED_OUT:
                contrast = rng.uniform(0.15, 0.6)
                cut = (
                    (cut * contrast + 255 * (1 - contrast) * rng.uniform(0.7, 1))
                    .clip(0, 255)
                    .astype(np.uint8)
                )
            crop = np.concatenate((as_seen(rng, cut), spoilt(rng, mask)[None]))
            yield self._sample(rng, crop, deck, card, end, unmatched=unmatched)
        for empty in no_cards(rng, pyramid, scene, detections, _BLANKS):
            mask = np.full(RECOGNIZER_SIZE[::-1], 255, np.uint8)
            if rng.random() < 0.3:
                mask = spoilt(rng, mask)
            crop = np.concatenate((as_seen(rng, empty), mask[None]))
            yield self._sample(rng, crop, *self._random_card(rng), 1, unmatched=True)

    def _random_card(self, rng: Rng) -> tuple[int, int]:
        """Return a random card: deck index and index in the deck."""
        deck = int(rng.integers(len(self._pictures)))
        return deck, self._random_index(rng, deck)

    def _sample(
        self, rng: Rng, crop: NDArray[np.uint8], deck: int, card: int, end: int, *, unmatched: bool
    ) -> Example:
        """Return ``crop`` with candidate pictures of a deck: that of the card and similar ones. With
        ``unmatched``, none of them shows the crop.
        """
        similar, pictures = self._nearest[deck][card], self._pictures[deck]
        others = int((self._identities[deck] != self._identities[deck][card]).sum())
        candidates = [pictures[card][::end, ::end]]
        while len(candidates) < OFFERED:
            choices = (3, 8, others)[int(rng.choice(3, p=(0.55, 0.25, 0.2)))]
            other = pictures[similar[int(rng.integers(max(1, min(choices, others))))]]
            other_end = end if rng.random() < 0.8 else -end
            candidates.append(other[::other_end, ::other_end])
        if rng.random() < _EDITED and (edited := self._edited(rng, deck, card)) is not None:
            candidates[1] = edited[::end, ::end]
        missing = not unmatched and bool(rng.random() < _MISSING)
        if missing:
            candidates[0] = pictures[similar[int(rng.integers(max(1, min(6, others))))]][::end, ::end]
        order = rng.permutation(OFFERED)
        answer = OFFERED if unmatched or missing else int(np.flatnonzero(order == 0)[0])
        photographs = _photographed(rng, [candidates[index] for index in order])
        if rng.random() < 0.3:  # new decks: mirrored, and with permuted colors
            crop, photographs = crop[..., ::-1], photographs[..., ::-1]
        if rng.random() < 0.3:
            inks = rng.permutation(3)
            crop, photographs = np.concatenate((crop[inks], crop[3:])), photographs[:, inks]
        return np.ascontiguousarray(crop), np.ascontiguousarray(photographs), np.array(answer, np.int64)

    def _edited(self, rng: Rng, deck: int, card: int) -> Image | None:
        """Return a card's picture with a changed detail, or None if the change would hardly be visible."""
        picture: Image = self._pictures[deck][card].copy()
        other = picture if rng.random() < 0.6 else self._pictures[deck][self._random_index(rng, deck)]
        height, width = int(rng.integers(10, 34)), int(rng.integers(8, 26))
        rows, columns = rng.integers(6, 90 - height, 2), rng.integers(5, 59 - width, 2)
        detail = other[rows[1] : rows[1] + height, columns[1] : columns[1] + width]
        target = picture[rows[0] : rows[0] + height, columns[0] : columns[0] + width]
        if np.abs(detail.astype(int) - target).mean() < 12:
            return None
        target[:] = detail.copy()
        return picture

    def _random_index(self, rng: Rng, deck: int) -> int:
        return int(rng.integers(len(self._pictures[deck])))


def _nearest(pictures: Image, identities: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each picture the others of its deck, the most similar first and identical ones last (n x n)."""
    small = np.stack(
        [cv2.resize(picture, (16, 24), interpolation=cv2.INTER_AREA) for picture in pictures]
    ).astype(np.float32)
    flat = (small - small.mean(axis=(1, 2), keepdims=True)).reshape(len(small), -1)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True) + 1e-6
    similarity = np.where(identities[:, None] == identities, -np.inf, flat @ flat.T)
    return np.argsort(-similarity, axis=1)


def _photographed(rng: Rng, pictures: Sequence[Image]) -> NDArray[np.uint8]:
    """Return pictures as photographed by one camera in one light (n x 3 x 96 x 64): a deck is enrolled in one
    session.
    """
    gains = rng.uniform(0.7, 1.15) * rng.uniform(0.92, 1.08, 3)
    ramp = np.clip(np.arange(256)[:, None] * gains + rng.uniform(-10, 20), 0, 255).astype(np.uint8)
    blur = float(rng.uniform(0.3, 1)) if rng.random() < 0.5 else 0.0
    shift = np.array(((1, 0, rng.normal(0, 0.5)), (0, 1, rng.normal(0, 0.5))), np.float32)
    photographed = []
    for picture in pictures:
        lit = cv2.LUT(np.ascontiguousarray(picture), ramp.reshape(256, 1, 3))
        lit = cv2.GaussianBlur(lit, (0, 0), blur) if blur else lit
        photographed.append(
            cv2.warpAffine(lit, shift, RECOGNIZER_SIZE, borderMode=cv2.BORDER_REPLICATE).transpose(2, 0, 1)
        )
    return np.asarray(photographed, np.uint8)
