"""A card whose place is in doubt lies as its neighbours do: in a row, a fan, a pile of captures.

Where a card is half covered, its own edges hardly tell where it lies; the cards beside it, of which one is sure, do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.decks.deck_naming import CardPosteriors
from vision.geometry.table_plane import points_in_quads
from vision.networks.card_arrays import concatenate_cards
from vision.networks.crops import MASK_SIZE, REFINER_MARGIN, Quads, crop_to_picture, map_points
from vision.networks.detector import card_widths
from vision.networks.recognizer import Recognitions
from vision.networks.refiner import RefinedCards, visible_at
from vision.occlusion.visible_overlap import VisibilityCanvas

__all__ = ["confirm_faint", "over_assigned", "overlapping_pairs", "place_beside_neighbors"]

Points = NDArray[np.float32]

#: Cards whose middles are nearer than this, in card widths, are told to lie in one place, which no two do.
_ONE_PLACE: Final = 0.15
#: Neighbours asked, at most, and how far from the point what they show of themselves may be, in card widths.
_MOST: Final = 3
_FAR: Final = 2.2
#: A cell that shows this much shows the card.
_SHOWS: Final = 0.5
#: A card put beside its neighbours shows this much of itself, of which no more than this share is another's.
_LEAST_SHARE: Final = 0.1
_CLAIMED: Final = 0.4
#: Of a place where something faint was found, at least this share is not taken by sure cards.
_LEFT: Final = 0.35
#: What it hides of itself lies under others or out of the picture, but for this share of the card.
_BARE: Final = 0.6
#: And it is named at least this surely: what was dropped, or is told twice (of .8, .9 and .95 the first gave more wrong names, the
#: last fewer right ones); and what was found alone and had some other name, or none.
_SURE: Final = 0.9
_LIKELY: Final = 0.7
#: Its odds must be this many times what they were where the card was found.
_BETTER: Final = 7.0


def overlapping_pairs(refined: RefinedCards) -> NDArray[np.bool_]:
    """Return which of n cards are told to lie where another does: of the two at least one lies elsewhere."""
    if len(refined.quads) < 2:
        return np.zeros(len(refined.quads), np.bool_)
    middles = refined.quads.mean(axis=1)
    away = np.linalg.norm(middles[:, None] - middles, axis=2)
    np.fill_diagonal(away, np.inf)
    return np.asarray(away.min(axis=1) < _ONE_PLACE * np.median(card_widths(refined.quads)), np.bool_)


def over_assigned(posteriors: CardPosteriors) -> NDArray[np.bool_]:
    """Return which of n cards are taken for one that more of them are taken for than a deck has.

    One of them is another card, and may show a neighbour's face because it was put in its place.
    """
    best = posteriors.posterior.argmax(axis=1)
    have = np.array([len(cards) for cards in posteriors.classes] + [len(best)] * 2)
    return np.asarray((np.bincount(best, minlength=len(have)) > have)[best], np.bool_)


RefineFunction = Callable[[Quads, Points], RefinedCards]
"""Looks at quads (n x 4 x 2 px) closely, given a point on each (n x 2 px)."""
RecognizeFunction = Callable[[RefinedCards], tuple[Recognitions, CardPosteriors]]
"""Reads what was looked at: what the recogniser says, and what is believed of it as a card of the deck that lies there."""
PlacedCards = tuple[NDArray[np.intp], RefinedCards, Recognitions]
"""Which finds were put somewhere, how they look there, and what they are."""


def place_beside_neighbors(
    points: Points,
    places: Mapping[int, Quads],
    likely: NDArray[np.float64],
    sure: RefinedCards,
    size: tuple[int, int],
    look: RefineFunction,
    read: RecognizeFunction,
) -> PlacedCards | None:
    """Return which of k cards in doubt lie as a neighbour does, or after all in their own place; None for none.

    ``points`` (k x 2 px): where each was seen; ``places``: of some of them (0 to k - 1) the place where it may lie itself (4 x 2 px);
    ``likely`` (k, 0-1): its best name so far, 0 where none counts; ``sure``: the cards there is no doubt of; ``size``: the
    picture's width and height, px.
    """
    hidden = np.flatnonzero(~_shown_by(sure, points))
    owners, quads = _proposals(points, hidden, places, sure)
    return _plainly_read(points, owners, quads, likely, sure, size, look, read)


def confirm_faint(
    points: Points,
    quads: Quads,
    sure: RefinedCards,
    size: tuple[int, int],
    look: RefineFunction,
    read: RecognizeFunction,
) -> PlacedCards | None:
    """Return which of k faint finds are cards where they were found; None for none.

    ``points`` (k x 2 px) and ``quads`` (k x 4 x 2 px): where each was seen and would lie; ``sure`` and ``size`` as above.
    """
    owners = np.flatnonzero(~_shown_by(sure, points))
    owners = owners[_left_of(quads[owners], sure, size) > _LEFT]
    return _plainly_read(points, owners, quads[owners], np.zeros(len(points)), sure, size, look, read)


def _plainly_read(
    points: Points,
    owners: NDArray[np.intp],
    quads: Quads,
    likely: NDArray[np.float64],
    sure: RefinedCards,
    size: tuple[int, int],
    look: RefineFunction,
    read: RecognizeFunction,
) -> PlacedCards | None:
    """Return which finds (of ``points`` and ``likely``) are plainly read in one of the places (m x 4 x 2 px) that are theirs
    (``owners``, m) and leave to the ``sure`` cards what these show.
    """
    if not len(owners):
        return None
    looked = look(quads, points[owners])
    named, posteriors = read(looked)
    now = posteriors.posterior[:, :-1].max(axis=1)
    now[(visible_at(looked, points[owners]) <= _SHOWS) | (looked.visible < _LEAST_SHARE)] = 0
    least = np.where(likely[owners] > 0, _LIKELY, _SURE)
    now[now * (1 - likely[owners]) < _BETTER * likely[owners] * (1 - now)] = 0
    count = len(sure.quads)
    canvas = VisibilityCanvas(concatenate_cards(sure, looked))
    painted = canvas.taken(range(count), size)
    chosen: list[int] = []
    for index in map(int, np.argsort(-now, kind="stable")):
        if now[index] < least[index] or owners[index] in owners[chosen]:
            continue
        box, part = canvas.part(count + index)
        its_box, place = canvas.whole(count + index)
        shows = canvas.empty()
        shows[box] = part
        bare = place & ~painted[its_box] & ~shows[its_box]
        if (part & painted[box]).sum() < _CLAIMED * part.sum() and bare.sum() <= _BARE * place.sum():
            painted[box] |= part
            chosen.append(index)
    best = np.array(chosen, np.intp)
    return (owners[best], looked.take(best), named.take(best)) if chosen else None


def _left_of(quads: Quads, sure: RefinedCards, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the share of each of k places (k x 4 x 2 px) that lies in the picture and shows no sure card (k, 0-1)."""
    count = len(sure.quads)
    nothing = np.zeros((len(quads), *MASK_SIZE[::-1]), np.float32)
    canvas = VisibilityCanvas(
        concatenate_cards(sure, RefinedCards(quads, np.zeros(len(quads), np.float32), nothing, quads))
    )
    painted = canvas.taken(range(count), size)
    left = np.zeros(len(quads))
    for row in range(len(quads)):
        box, place = canvas.whole(count + row)
        left[row] = (place & ~painted[box]).sum() / max(int(place.sum()), 1)
    return left


def _shown_by(sure: RefinedCards, points: Points) -> NDArray[np.bool_]:
    """Return at which of ``points`` (k x 2 px) a sure card shows: what is seen there was only found twice."""
    rows, cards = np.nonzero(points_in_quads(points.astype(np.float64), sure.quads.astype(np.float64)))
    shown = np.zeros(len(points), np.bool_)
    shown[rows[visible_at(sure.take(cards), points[rows]) > _SHOWS]] = True
    return shown


def _proposals(
    points: Points, cards: NDArray[np.intp], places: Mapping[int, Quads], sure: RefinedCards
) -> tuple[NDArray[np.intp], Quads]:
    """Return places (m x 4 x 2 px) where ``cards`` may lie that are seen at ``points`` (k x 2 px), and which of them each is for (m).

    Their own of ``places`` come first; then each neighbour's place is moved so that it shows there what it shows of itself, on the same side and on the other one.
    """
    middles, centres = _seen_middles(sure), sure.quads.mean(axis=1)
    near = _FAR * float(np.median(card_widths(sure.quads))) if len(centres) else 0.0
    owners = [owner for owner in cards.tolist() if owner in places]
    quads = [places[owner] for owner in owners]
    for owner in cards.tolist():
        away = np.linalg.norm(middles - points[owner], axis=1)
        for index in np.argsort(away, kind="stable")[:_MOST]:
            if away[index] < near:
                beside = middles[index] - centres[index]
                for centre in (points[owner] - beside, points[owner] + beside):
                    owners.append(owner)
                    quads.append(sure.quads[index] - centres[index] + centre)
    return np.array(owners, np.intp), np.array(quads, np.float32).reshape(-1, 4, 2)


def _seen_middles(cards: RefinedCards) -> Points:
    """Return the middle of what shows of each of n cards (n x 2 px)."""
    shown = np.where(cards.masks > _SHOWS, cards.masks, 1e-6)
    columns, rows = np.arange(MASK_SIZE[0]) + 0.5, np.arange(MASK_SIZE[1]) + 0.5
    x, y = (shown.sum(axis=1) * columns).sum(axis=1), (shown.sum(axis=2) * rows).sum(axis=1)
    middles = np.stack((x, y), axis=1) / shown.sum(axis=(1, 2))[:, None]
    return map_points(
        crop_to_picture(cards.windows, MASK_SIZE, REFINER_MARGIN), middles[:, None].astype(np.float32)
    )[:, 0]
