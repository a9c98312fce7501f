"""Replaces fragments by whole cards: detections that are fully visible but shorter than a card.

The detector splits some card faces into two halves. The size of a card is known on a measured table and
follows from the confident cards of a photograph. For a detection that is too short, a whole card is tried
along each of its edges; the position that is fully visible and recognized as one card of the deck replaces
the fragment.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from vision.decks.deck_choice import KnownDecks
from vision.geometry.plane_fit import expected_sizes
from vision.geometry.registration.registration_methods import MIN_CARDS
from vision.geometry.registration.table_registration import Registration
from vision.networks.read_cards import CardCandidates
from vision.pictures.crops import Floats, Image, Quads

#: Minimum visible fraction of a fragment.
_FRAGMENT_MIN_VISIBLE: Final = 0.6
#: Length below which a detection is a fragment, as a fraction of a card's length.
_FRAGMENT_MAX_LENGTH: Final = 0.8
#: Maximum deviation of a reference card's length from their median (logarithm of the ratio).
_MAX_LENGTH_SPREAD: Final = 0.26
#: Requirements for a whole card: minimum visible fraction, minimum probability of its name, and maximum
#: relative deviation of both long edges from a card's length.
_MIN_VISIBLE: Final = 0.9
_MIN_CONFIDENCE: Final = 0.95
_MAX_LENGTH_ERROR: Final = 0.15
#: Detections whose center is nearer than this to a whole card's center, mm, are fragments of it.
_FRAGMENT_RADIUS_MM: Final = 20.0


class PositionReader(Protocol):
    """Recognizes the cards at given positions of a picture; implemented by `Scanner`."""

    decks: KnownDecks

    def recognize_at(self, bgr: Image, quads: Quads) -> CardCandidates:
        """Refine and recognize the cards at ``quads`` (n x 4 x 2 px)."""
        ...


def find_fragments(
    quads: Quads, visible: NDArray[np.float32], confident: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which detections (n) are too short for a card of this picture although they are fully
    visible.

    ``quads``: n x 4 x 2 px. ``visible``: visible fractions (n, 0-1). ``confident`` (n): which are confidently
    cards. Returns no fragments if there are too few confident cards to predict a card's length.
    """
    length, fully_visible = _length(quads), visible > _FRAGMENT_MIN_VISIBLE
    reference = confident & fully_visible
    if reference.any():
        reference &= np.abs(np.log(length / np.median(length[reference]))) < _MAX_LENGTH_SPREAD
    if reference.sum() < MIN_CARDS:
        return np.zeros(len(quads), np.bool_)
    return np.asarray(
        fully_visible & (length < _FRAGMENT_MAX_LENGTH * expected_sizes(quads, length, reference)), np.bool_
    )


def merge_fragments(
    bgr: Image, candidates: CardCandidates, scanner: PositionReader, deck: str, table: Registration
) -> CardCandidates:
    """Replace fragments among the candidates ``candidates`` in ``bgr`` (H x W x 3 uint8) by whole cards.

    ``deck`` is the deck being used, ``table`` the mapping of the picture. Returns ``candidates`` itself if nothing changes.
    """
    quads = table.to_mm(candidates.quads)
    fully_visible = candidates.visible > _FRAGMENT_MIN_VISIBLE
    fragments = np.flatnonzero(fully_visible & (_length(quads) < _FRAGMENT_MAX_LENGTH * CARD_MM[1]))
    # If most detections are too short, the scale of the table is wrong.
    if not len(fragments) or 2 * len(fragments) > np.count_nonzero(fully_visible):
        return candidates
    positions = np.concatenate([_cards_along_edges(quads[fragment]) for fragment in fragments])
    tried = scanner.recognize_at(bgr, table.to_px(positions).astype(np.float32))
    _, named = scanner.decks.classify(tried.recognized, tried.visible, deck)
    confidence = named.posterior[:, :-2].max(axis=1)
    quads_mm = table.to_mm(tried.quads)
    long_edges = _long_sides(quads_mm)
    whole = (
        (tried.visible > _MIN_VISIBLE)
        & (confidence > _MIN_CONFIDENCE)
        & (np.abs(long_edges / CARD_MM[1] - 1) < _MAX_LENGTH_ERROR).all(axis=1)
    )
    centers = quads_mm.mean(axis=1)
    chosen = list[int]()
    for position in np.where(whole, confidence, 0.0).reshape(-1, 4).argmax(axis=1) + 4 * np.arange(
        len(fragments)
    ):
        if whole[position] and all(
            np.linalg.norm(centers[position] - centers[other]) > _FRAGMENT_RADIUS_MM for other in chosen
        ):
            chosen.append(int(position))
    if not chosen:
        return candidates
    distance = np.linalg.norm(quads.mean(axis=1)[:, None] - centers[chosen], axis=2).min(axis=1)
    kept = np.setdiff1d(np.arange(len(quads)), fragments[distance[fragments] < _FRAGMENT_RADIUS_MM])
    return candidates.take(kept).beside(tried.take(np.array(chosen)))


def _length(quads: NDArray[np.floating[Any]]) -> Floats:
    """Return the length of each quad (n x 4 x 2), in the quads' unit."""
    return np.asarray(_long_sides(quads).mean(axis=1), np.float64)


def _long_sides(quads: NDArray[np.floating[Any]]) -> Floats:
    """Return the two longer opposite sides (n x 2) of each quad (n x 4 x 2), in the quads' unit."""
    sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    pairs = np.stack((sides[:, ::2], sides[:, 1::2]), axis=1)
    return np.asarray(pairs[np.arange(len(pairs)), pairs.mean(axis=2).argmax(axis=1)], np.float64)


def _cards_along_edges(piece: Floats) -> Floats:
    """Return four whole cards (4 x 4 x 2 mm), one along each edge of ``piece`` (4 x 2 mm) and covering it."""
    cards = []
    for edge in range(4):
        one, other, *far = np.roll(piece, -edge, axis=0)
        across = (other - one) / np.linalg.norm(other - one)
        down = np.array((-across[1], across[0]))
        down = down if (np.mean(far, axis=0) - one) @ down > 0 else -down
        middle, half = (one + other) / 2, across * CARD_MM[0] / 2
        top = np.stack((middle - half, middle + half))
        cards.append(np.concatenate((top, top[::-1] + down * CARD_MM[1])))
    return np.array(cards)
