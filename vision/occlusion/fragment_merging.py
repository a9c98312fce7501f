"""Pieces of cards: what shows whole and is shorter than a card, as some faces fall in two halves for the detector.

On a table that is measured a card's size is known, and in a photograph the cards that are sure tell it. Where a find is too
short, a whole card is laid along each of its edges in turn; the one that a close look finds to show all over, and to be a card
of the deck, is the card that the piece is of.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.decks.deck_choice import KnownDecks
from vision.geometry.registration.table_registration import CARD_MM
from vision.geometry.table_coordinates import TableCoordinates, expected_sizes
from vision.networks.crops import Image, Quads
from vision.photograph.read_cards import CardCandidates

__all__ = ["find_fragments", "merge_fragments"]

Floats = NDArray[np.float64]

#: A find of which this much shows is a piece where its longer side is shorter than this share of a card's.
_SHOWS: Final = 0.6
_SHORT: Final = 0.8
#: How the length of a card changes across a picture is told by so many that are sure, and as long as most of them to this
#: factor's logarithm.
_MANY: Final = 5
_ALIKE: Final = 0.26
#: A whole card shows this much of itself where it lies, is this surely one card of the deck, and on both sides as long as a card
#: to this share.
_WHOLE: Final = 0.9
_SURE: Final = 0.95
_AS_LONG: Final = 0.15
#: What lies nearer to a whole card's middle than this, mm, is a piece of it.
_NEAR: Final = 20.0


class PositionReader(Protocol):
    """What looks at places of a picture and names what lies there: a `Scanner`."""

    decks: KnownDecks

    def recognize_at(self, bgr: Image, quads: Quads) -> CardCandidates:
        """Look closely at places where cards should lie."""
        ...


def find_fragments(quads: Quads, visible: NDArray[np.float32], sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of n finds (``quads`` n x 4 x 2 px) show whole and are too short for a card of this picture.

    ``sure`` (n): which are surely cards. None is where too few are to tell how long a card is at each place.
    """
    length, shown = _length(quads), visible > _SHOWS
    plain = sure & shown
    if plain.any():
        plain &= np.abs(np.log(length / np.median(length[plain]))) < _ALIKE
    if plain.sum() < _MANY:
        return np.zeros(len(quads), np.bool_)
    return np.asarray(shown & (length < _SHORT * expected_sizes(quads, length, plain)), np.bool_)


def merge_fragments(
    bgr: Image, seen: CardCandidates, scanner: PositionReader, deck: str, measure: TableCoordinates
) -> CardCandidates:
    """Return what is ``seen`` in ``bgr`` (H x W x 3 uint8) with whole cards in the place of their pieces: the very same object where
    there are none.

    ``deck`` is the one that lies there.
    """
    quads = measure.to_mm(seen.quads)
    shown = seen.visible > _SHOWS
    pieces = np.flatnonzero(shown & (_length(quads) < _SHORT * CARD_MM[1]))
    # Where most are too short it is the measure that is wrong.
    if not len(pieces) or 2 * len(pieces) > np.count_nonzero(shown):
        return seen
    places = np.concatenate([_along(quads[piece]) for piece in pieces])
    looked = scanner.recognize_at(bgr, measure.to_px(places).astype(np.float32))
    _, posteriors = scanner.decks.believe(looked.recognized, looked.visible, deck)
    sure = posteriors.posterior[:, :-2].max(axis=1)
    there = measure.to_mm(looked.quads)
    long = _long_sides(there)
    whole = (
        (looked.visible > _WHOLE) & (sure > _SURE) & (np.abs(long / CARD_MM[1] - 1) < _AS_LONG).all(axis=1)
    )
    at = there.mean(axis=1)
    chosen = list[int]()
    for each in np.where(whole, sure, 0.0).reshape(-1, 4).argmax(axis=1) + 4 * np.arange(len(pieces)):
        if whole[each] and all(np.linalg.norm(at[each] - at[other]) > _NEAR for other in chosen):
            chosen.append(int(each))
    if not chosen:
        return seen
    far = np.linalg.norm(quads.mean(axis=1)[:, None] - at[chosen], axis=2).min(axis=1)
    kept = np.setdiff1d(np.arange(len(quads)), pieces[far[pieces] < _NEAR])
    return seen.take(kept).beside(looked.take(np.array(chosen)))


def _length(quads: NDArray[np.floating[Any]]) -> Floats:
    """Return the length of each quad (n x 4 x 2), in its unit."""
    return np.asarray(_long_sides(quads).mean(axis=1), np.float64)


def _long_sides(quads: NDArray[np.floating[Any]]) -> Floats:
    """Return the two longer sides (n x 2) of each quad (n x 4 x 2), in its unit, those that face each other."""
    sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    pairs = np.stack((sides[:, ::2], sides[:, 1::2]), axis=1)
    return np.asarray(pairs[np.arange(len(pairs)), pairs.mean(axis=2).argmax(axis=1)], np.float64)


def _along(piece: Floats) -> Floats:
    """Return whole cards (4 x 4 x 2 mm), one along each edge of a piece (4 x 2 mm) and on over it."""
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
