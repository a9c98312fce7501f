"""Neighbor context: a card with an uncertain position is probably placed like its neighbors: in a row, fan, or
captured pile.

The own edges of a half-covered card hardly determine its position; confident neighbors do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.geometry.table_plane import points_in_quads
from vision.networks.detector import card_widths
from vision.networks.recognizer import Recognitions
from vision.networks.refiner import RefinedCards, visible_at
from vision.occlusion.visible_overlap import VisibilityCanvas
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, crop_to_picture, map_points

Points = NDArray[np.float32]

#: Cards whose centers are nearer than this (card widths) have the same position, which is impossible.
_SAME_POSITION: Final = 0.15
#: Maximum number of neighbors tried, and the maximum distance of their visible centers, card widths.
_MAX_NEIGHBORS: Final = 3
_MAX_NEIGHBOR_DISTANCE: Final = 2.2
#: Mask value from which a cell is visible.
_VISIBLE_CELL: Final = 0.5
#: Requirements for a card placed beside its neighbors: minimum visible fraction, and the maximum fraction of
#: its visible part that belongs to other cards.
_MIN_VISIBLE: Final = 0.1
_MAX_TAKEN: Final = 0.4
#: Minimum fraction of a faint detection's area that is not taken by confident cards.
_MIN_FREE: Final = 0.35
#: Maximum fraction of its area that is hidden without another card on it or the picture's border.
_MAX_UNCOVERED: Final = 0.6
#: Minimum probability of its name for a detection that was dropped or has the same position as another (of
#: .8, .9, and .95, the first gave more wrong names, the last fewer right ones), and for one that had another
#: name or none.
_MIN_CONFIDENCE: Final = 0.9
_MIN_CONFIDENCE_RENAMED: Final = 0.7
#: Minimum ratio of the odds of its name at the new position to those at the old one.
_MIN_ODDS_RATIO: Final = 7.0


def overlapping_pairs(refined: RefinedCards) -> NDArray[np.bool_]:
    """Return which of n cards have the same position as another card; at least one of the two is
    misplaced.
    """
    if len(refined.quads) < 2:
        return np.zeros(len(refined.quads), np.bool_)
    middles = refined.quads.mean(axis=1)
    away = np.linalg.norm(middles[:, None] - middles, axis=2)
    np.fill_diagonal(away, np.inf)
    return np.asarray(away.min(axis=1) < _SAME_POSITION * np.median(card_widths(refined.quads)), np.bool_)


def over_assigned(named: Recognitions) -> NDArray[np.bool_]:
    """Return which of n cards have a best name that more cards have than the deck contains.

    One of them is another card, which may show a neighbor's face because of a wrong position.
    """
    best = named.posterior.argmax(axis=1)
    have = np.array([len(cards) for cards in named.classes] + [len(best)] * 2)
    return np.asarray((np.bincount(best, minlength=len(have)) > have)[best], np.bool_)


#: Refines quads (n x 4 x 2 px), given a point on the visible part of each (n x 2 px).
RefineFunction = Callable[[Quads, Points], RefinedCards]
#: Recognizes refined cards: the recognizer's output, and the same with names in the current deck.
RecognizeFunction = Callable[[RefinedCards], tuple[Recognitions, Recognitions]]
#: Indices of the detections that were placed, and these cards refined and recognized.
PlacedCards = tuple[NDArray[np.intp], RefinedCards, Recognitions]


def place_beside_neighbors(
    points: Points,
    own_positions: Mapping[int, Quads],
    probability: NDArray[np.float64],
    confident: RefinedCards,
    size: tuple[int, int],
    refine: RefineFunction,
    recognize: RecognizeFunction,
) -> PlacedCards | None:
    """Return which of k uncertain cards can be placed like a neighbor, or at their own position after all;
    None for none.

    ``points`` (k x 2 px): where each card was detected. ``own_positions``: alternative own positions (4 x 2 px) of
    some cards, by index. ``probability`` (k, 0-1): the probability of its best name so far, 0 if invalid.
    ``confident``: confident cards. ``size``: width and height of the picture, px.
    """
    hidden = np.flatnonzero(~_on_visible_part(confident, points))
    owners, quads = _candidate_positions(points, hidden, own_positions, confident)
    return _confident_placements(points, owners, quads, probability, confident, size, refine, recognize)


def confirm_faint(
    points: Points,
    quads: Quads,
    confident: RefinedCards,
    size: tuple[int, int],
    refine: RefineFunction,
    recognize: RecognizeFunction,
) -> PlacedCards | None:
    """Return which of k faint detections are recognized as cards at their own position; None for none.

    ``points`` (k x 2 px) and ``quads`` (k x 4 x 2 px): detected points and positions. ``confident``, ``size``: see
    `place_beside_neighbors`.
    """
    owners = np.flatnonzero(~_on_visible_part(confident, points))
    owners = owners[_free_fraction(quads[owners], confident, size) > _MIN_FREE]
    return _confident_placements(
        points, owners, quads[owners], np.zeros(len(points)), confident, size, refine, recognize
    )


def _confident_placements(
    points: Points,
    owners: NDArray[np.intp],
    quads: Quads,
    probability: NDArray[np.float64],
    confident: RefinedCards,
    size: tuple[int, int],
    refine: RefineFunction,
    recognize: RecognizeFunction,
) -> PlacedCards | None:
    """Return the detections that are recognized with confidence at one of their candidate positions
    (``quads``, m x 4 x 2 px, of the detections ``owners``, m) without taking visible parts of confident
    cards.
    """
    if not len(owners):
        return None
    refined = refine(quads, points[owners])
    recognized, named = recognize(refined)
    new_probability = named.posterior[:, :-1].max(axis=1)
    new_probability[
        (visible_at(refined, points[owners]) <= _VISIBLE_CELL) | (refined.visible < _MIN_VISIBLE)
    ] = 0
    threshold = np.where(probability[owners] > 0, _MIN_CONFIDENCE_RENAMED, _MIN_CONFIDENCE)
    new_probability[
        new_probability * (1 - probability[owners])
        < _MIN_ODDS_RATIO * probability[owners] * (1 - new_probability)
    ] = 0
    count = len(confident.quads)
    canvas = VisibilityCanvas(confident.beside(refined))
    painted = canvas.taken(range(count), size)
    chosen: list[int] = []
    for index in map(int, np.argsort(-new_probability, kind="stable")):
        if new_probability[index] < threshold[index] or owners[index] in owners[chosen]:
            continue
        box, part = canvas.part(count + index)
        area_box, area = canvas.whole(count + index)
        visible_part = canvas.empty()
        visible_part[box] = part
        uncovered = area & ~painted[area_box] & ~visible_part[area_box]
        if (
            part & painted[box]
        ).sum() < _MAX_TAKEN * part.sum() and uncovered.sum() <= _MAX_UNCOVERED * area.sum():
            painted[box] |= part
            chosen.append(index)
    best = np.array(chosen, np.intp)
    return (owners[best], refined.take(best), recognized.take(best)) if chosen else None


def _free_fraction(quads: Quads, confident: RefinedCards, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the fraction of each of k positions (k x 4 x 2 px) that is inside the picture and shows no
    confident card (k, 0-1).
    """
    count = len(confident.quads)
    nothing = np.zeros((len(quads), *MASK_SIZE[::-1]), np.float32)
    canvas = VisibilityCanvas(
        confident.beside(RefinedCards(quads, np.zeros(len(quads), np.float32), nothing, quads))
    )
    painted = canvas.taken(range(count), size)
    left = np.zeros(len(quads))
    for row in range(len(quads)):
        box, place = canvas.whole(count + row)
        left[row] = (place & ~painted[box]).sum() / max(int(place.sum()), 1)
    return left


def _on_visible_part(confident: RefinedCards, points: Points) -> NDArray[np.bool_]:
    """Return which of ``points`` (k x 2 px) lie on the visible part of a confident card, so that their
    detections are duplicates.
    """
    rows, cards = np.nonzero(points_in_quads(points.astype(np.float64), confident.quads.astype(np.float64)))
    on_visible = np.zeros(len(points), np.bool_)
    on_visible[rows[visible_at(confident.take(cards), points[rows]) > _VISIBLE_CELL]] = True
    return on_visible


def _candidate_positions(
    points: Points, cards: NDArray[np.intp], own_positions: Mapping[int, Quads], confident: RefinedCards
) -> tuple[NDArray[np.intp], Quads]:
    """Return candidate positions (m x 4 x 2 px) for ``cards`` and the card that each is for (m).

    The cards' own ``own_positions`` come first. Then the quad of each near neighbor is moved so that its visible
    part is at the detected point, on the same side and on the opposite side.
    """
    middles, centers = _visible_centers(confident), confident.quads.mean(axis=1)
    near = _MAX_NEIGHBOR_DISTANCE * float(np.median(card_widths(confident.quads))) if len(centers) else 0.0
    owners = [owner for owner in cards.tolist() if owner in own_positions]
    quads = [own_positions[owner] for owner in owners]
    for owner in cards.tolist():
        away = np.linalg.norm(middles - points[owner], axis=1)
        for index in np.argsort(away, kind="stable")[:_MAX_NEIGHBORS]:
            if away[index] < near:
                beside = middles[index] - centers[index]
                for center in (points[owner] - beside, points[owner] + beside):
                    owners.append(owner)
                    quads.append(confident.quads[index] - centers[index] + center)
    return np.array(owners, np.intp), np.array(quads, np.float32).reshape(-1, 4, 2)


def _visible_centers(cards: RefinedCards) -> Points:
    """Return the center of the visible part of each card (n x 2 px)."""
    visible = np.where(cards.masks > _VISIBLE_CELL, cards.masks, 1e-6)
    columns, rows = np.arange(MASK_SIZE[0]) + 0.5, np.arange(MASK_SIZE[1]) + 0.5
    x, y = (visible.sum(axis=1) * columns).sum(axis=1), (visible.sum(axis=2) * rows).sum(axis=1)
    middles = np.stack((x, y), axis=1) / visible.sum(axis=(1, 2))[:, None]
    return map_points(
        crop_to_picture(cards.windows, MASK_SIZE, REFINER_MARGIN), middles[:, None].astype(np.float32)
    )[:, 0]
