"""From stored scenes to cards beside pictures of their deck: what the matcher learns from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decks.card_prototypes import whole_picture
from vision.lab.training.crop_data import Crops, as_seen, disturb, no_cards, shown, some_cards, spoilt, tinted
from vision.lab.training.detect_scenes import Finds
from vision.networks.crops import RECOGNIZER_MARGIN, RECOGNIZER_SIZE, Image, Pyramid, rotate_half_turn
from vision.render.deck_art import Deck
from vision.render.scenes import Scene

Rng = np.random.Generator
Example = tuple[NDArray[np.generic], ...]

#: Pictures offered with each crop.
OFFERED: Final = 4
#: How often none of them is the card, for another near one is offered in its place; for they are of another deck; and how often
#: a scene is followed by a blank slip.
_MISSING: Final = 0.12
_ANOTHER_DECK: Final = 0.07
_BLANKS: Final = 0.08
#: Of cards of other decks there are many, and they are soon learned.
_TAKEN: Final = 0.5
#: How often one of the offered is the very card with a detail of another place, or of another card, laid over: a pip more or
#: less, in every style.
_EDITED: Final = 0.35
#: How often the light has taken most of a crop's contrast.
_WASHED_OUT: Final = 0.15


class MatcherCrops(Crops):
    """Yields a crop and its mask (4 x 96 x 64 uint8), the pictures offered (OFFERED x 3 x 96 x 64 uint8), and which of them shows
    the same card (int64; OFFERED where none does).
    """

    def __init__(self, folder: Path, decks: Sequence[Deck], batch: int, seed: int) -> None:
        """Take scenes from ``folder``; ``decks`` are those that they were composed from."""
        super().__init__(folder, batch, seed)
        self._pictures, self._identities, self._nearest = [], [], []
        self._shown: dict[int, list[tuple[int, int]]] = {}
        for number, deck in enumerate(decks):
            pictures = np.stack([whole_picture(face.art[2]) for face in deck.faces])
            identities = np.array([face.identity for face in deck.faces])
            self._pictures.append(pictures)
            self._identities.append(identities)
            self._nearest.append(_nearest(pictures, identities))
            for place, identity in enumerate(identities):
                self._shown.setdefault(int(identity), []).append((number, place))

    def examples(self, rng: Rng, scene: Scene, finds: Finds) -> Iterator[Example]:
        """Yield cards at slightly wrong quads with slightly wrong masks, from either end, and quads that show none."""
        pyramid = Pyramid(scene.image)
        for index in some_cards(rng, scene, 0.12):
            own = self._shown.get(int(scene.identities[index]))
            stranger = own is None or bool(rng.random() < _ANOTHER_DECK)
            if stranger and rng.random() > _TAKEN:
                continue
            deck, card = self._any(rng) if stranger or not own else own[int(rng.integers(len(own)))]
            if stranger and self._identities[deck][card] == scene.identities[index]:
                continue
            quad = disturb(
                rng, scene.quads[index], float(rng.choice((0.01, 0.03, 0.06), p=(0.35, 0.5, 0.15)))
            )
            end = 1 if rng.random() < 0.5 else -1
            if end < 0:
                quad = rotate_half_turn(quad)
            mask = shown(scene, index, quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            cut = pyramid.cut(quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            if rng.random() < 0.3:
                cut = tinted(rng, cut)
            if rng.random() < _WASHED_OUT:
                kept = rng.uniform(0.15, 0.6)
                cut = (cut * kept + 255 * (1 - kept) * rng.uniform(0.7, 1)).clip(0, 255).astype(np.uint8)
            crop = np.concatenate((as_seen(rng, cut), spoilt(rng, mask)[None]))
            yield self._listed(rng, crop, deck, card, end, stranger=stranger)
        for nothing in no_cards(rng, pyramid, scene, finds, _BLANKS):
            mask = np.full(RECOGNIZER_SIZE[::-1], 255, np.uint8)
            if rng.random() < 0.3:
                mask = spoilt(rng, mask)
            crop = np.concatenate((as_seen(rng, nothing), mask[None]))
            yield self._listed(rng, crop, *self._any(rng), 1, stranger=True)

    def _any(self, rng: Rng) -> tuple[int, int]:
        """Return some card: its deck, and its place there."""
        deck = int(rng.integers(len(self._pictures)))
        return deck, self._any_of(rng, deck)

    def _listed(
        self, rng: Rng, crop: NDArray[np.uint8], deck: int, card: int, end: int, *, stranger: bool
    ) -> Example:
        """Return ``crop`` with pictures of a deck, a card's and those most like it; a ``stranger`` is none of them."""
        near, pictures = self._nearest[deck][card], self._pictures[deck]
        others = int((self._identities[deck] != self._identities[deck][card]).sum())
        offered = [pictures[card][::end, ::end]]
        while len(offered) < OFFERED:
            among = (3, 8, others)[int(rng.choice(3, p=(0.55, 0.25, 0.2)))]
            other = pictures[near[int(rng.integers(max(1, min(among, others))))]]
            its_end = end if rng.random() < 0.8 else -end
            offered.append(other[::its_end, ::its_end])
        if rng.random() < _EDITED and (edited := self._edited(rng, deck, card)) is not None:
            offered[1] = edited[::end, ::end]
        missing = not stranger and bool(rng.random() < _MISSING)
        if missing:
            offered[0] = pictures[near[int(rng.integers(max(1, min(6, others))))]][::end, ::end]
        order = rng.permutation(OFFERED)
        answer = OFFERED if stranger or missing else int(np.flatnonzero(order == 0)[0])
        beside = _photographed(rng, [offered[place] for place in order])
        if rng.random() < 0.3:  # decks that nobody has: in a mirror, and in other inks
            crop, beside = crop[..., ::-1], beside[..., ::-1]
        if rng.random() < 0.3:
            inks = rng.permutation(3)
            crop, beside = np.concatenate((crop[inks], crop[3:])), beside[:, inks]
        return np.ascontiguousarray(crop), np.ascontiguousarray(beside), np.array(answer, np.int64)

    def _edited(self, rng: Rng, deck: int, card: int) -> Image | None:
        """Return a card's picture with a detail changed, or None where this try changed hardly anything."""
        picture: Image = self._pictures[deck][card].copy()
        other = picture if rng.random() < 0.6 else self._pictures[deck][self._any_of(rng, deck)]
        height, width = int(rng.integers(10, 34)), int(rng.integers(8, 26))
        rows, columns = rng.integers(6, 90 - height, 2), rng.integers(5, 59 - width, 2)
        detail = other[rows[1] : rows[1] + height, columns[1] : columns[1] + width]
        place = picture[rows[0] : rows[0] + height, columns[0] : columns[0] + width]
        if np.abs(detail.astype(int) - place).mean() < 12:
            return None
        place[:] = detail.copy()
        return picture

    def _any_of(self, rng: Rng, deck: int) -> int:
        return int(rng.integers(len(self._pictures[deck])))


def _nearest(pictures: Image, identities: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each picture the others of its deck, the most like it first, and what looks the same last (n x n)."""
    small = np.stack(
        [cv2.resize(picture, (16, 24), interpolation=cv2.INTER_AREA) for picture in pictures]
    ).astype(np.float32)
    flat = (small - small.mean(axis=(1, 2), keepdims=True)).reshape(len(small), -1)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True) + 1e-6
    alike = np.where(identities[:, None] == identities, -np.inf, flat @ flat.T)
    return np.argsort(-alike, axis=1)


def _photographed(rng: Rng, pictures: Sequence[Image]) -> NDArray[np.uint8]:
    """Return pictures as one camera and one light show them (n x 3 x 96 x 64): a deck is learnt at one sitting."""
    gains = rng.uniform(0.7, 1.15) * rng.uniform(0.92, 1.08, 3)
    ramp = np.clip(np.arange(256)[:, None] * gains + rng.uniform(-10, 20), 0, 255).astype(np.uint8)
    blur = float(rng.uniform(0.3, 1)) if rng.random() < 0.5 else 0.0
    move = np.array(((1, 0, rng.normal(0, 0.5)), (0, 1, rng.normal(0, 0.5))), np.float32)
    taken = []
    for picture in pictures:
        lit = cv2.LUT(np.ascontiguousarray(picture), ramp.reshape(256, 1, 3))
        lit = cv2.GaussianBlur(lit, (0, 0), blur) if blur else lit
        taken.append(
            cv2.warpAffine(lit, move, RECOGNIZER_SIZE, borderMode=cv2.BORDER_REPLICATE).transpose(2, 0, 1)
        )
    return np.asarray(taken, np.uint8)
