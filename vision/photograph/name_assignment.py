"""Name assignment: each card of a deck exists once, a second pack is rare, and no name is better than a wrong name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.class_ids import HANAFUDA_CLASSES
from vision.networks.probability_calibration import Calibration
from vision.photograph.assignment import optimal_assignment
from vision.pictures.crops import Floats

#: Card ids by class: cards that look alike share a class. A posterior has one column per class, then back and
#: unknown.
CardClasses = Sequence[Sequence[str]]
Names = list[tuple[str | None, float]]

#: Names less probable than this are never assigned, so that false positives displace no card.
_MIN_PROBABILITY: Final = 0.02
_FLOOR: Final = 1e-6
#: Prior probability of a card whose class is assigned as often as the deck has it: one of a second pack, or a picture of a card. Of
#: 16 such cards in 14 composed pictures .01 named 9, .03 13, .1 and more 15; up to .3, none of 416 other cards was one.
_SURPLUS: Final = 0.1
#: Minimum probability of back or unknown, before the assignment, for reporting a back. Below it, a detection
#: that resembles a card assigned elsewhere is more likely a duplicate of that card.
_MIN_BACK_OR_UNKNOWN: Final = 0.25


def assign_names(
    posterior: Floats,
    visible: NDArray[np.float32],
    classes: CardClasses = HANAFUDA_CLASSES,
    *,
    calibration: Calibration,
) -> tuple[Names, Floats]:
    """Give each card a name and its probability, None where uncertain. An id is given twice only to cards that
    are that card so clearly that they come from two packs (`_SURPLUS`).

    Also returns the posteriors (n x (len(classes) + 2)) after the assignment: the probability of a class goes
    down in the rows of other cards when confident cards use all its ids. Cards that look alike are several
    columns of one class; backs and unknown objects are unlimited. The assignment maximizes the joint
    probability. A name is kept if its probability, and the probability derived from its margin (the
    additional cost of the best assignment without it), reach the threshold of ``calibration`` for the card's
    visible fraction ``visible`` (n, 0-1).
    """
    if not len(posterior):
        return [], posterior
    back = len(classes)
    chosen, margin = _optimal_assignment(posterior, classes)
    confidence = np.where(chosen >= 0, 1 / (1 + np.exp(-margin)), 0.0)
    posterior_after = _posterior_after(posterior, chosen, confidence, classes)
    thresholds = calibration.thresholds(visible)
    unused_ids = [cycle(cards) for cards in classes]
    names: Names = []
    for row, class_id in enumerate(chosen):
        probability = (
            min(float(posterior_after[row, class_id]), float(confidence[row])) if class_id >= 0 else 0.0
        )
        no_face = float(posterior_after[row, back:].sum())
        if class_id >= 0 and probability >= thresholds[row]:
            names.append((next(unused_ids[class_id]), probability))
        elif (
            no_face >= thresholds[row]
            and posterior_after[row, back] >= calibration.back
            and posterior[row, back:].sum() >= _MIN_BACK_OR_UNKNOWN
        ):
            names.append(("back", no_face))
        else:
            names.append((None, float(posterior_after[row].max())))
    return names, posterior_after


def alternatives(
    row: Floats, classes: CardClasses = HANAFUDA_CLASSES, max_count: int = 5
) -> tuple[tuple[str, float], ...]:
    """Return the most probable card ids of one posterior with their probabilities, the first id of each
    class; ``"back"`` included.
    """
    back, unknown = len(classes), len(classes) + 1
    order = [int(class_id) for class_id in np.argsort(-row) if class_id != unknown][:max_count]
    return tuple(
        (classes[class_id][0] if class_id != back else "back", float(row[class_id]))
        for class_id in order
        if row[class_id] > 1e-3
    )


def _optimal_assignment(posterior: Floats, classes: CardClasses) -> tuple[NDArray[np.intp], Floats]:
    """Return the class of each card in the most probable assignment (-1 for none) and the margins of the
    assigned cards.

    The cost of leaving a card unnamed is the probability of everything else: a back, unknown, and names that are not allowed.
    """
    count = len(posterior)
    faces = posterior[:, : len(classes)]
    sizes = np.array([len(cards) for cards in classes])
    surplus = np.maximum((faces > 0.5).sum(axis=0) - sizes, 0)
    # Where even the clear cards of a class are too many, no doubtful one is of it.
    allowed = faces >= np.where(surplus > 0, 0.5, _MIN_PROBABILITY)
    every = np.arange(len(classes))
    class_of_column = np.concatenate((np.repeat(every, sizes), np.repeat(every, surplus)))
    cost = np.full((count, len(class_of_column) + count), np.inf)
    with np.errstate(divide="ignore"):
        cost[:, : len(class_of_column)] = np.where(allowed, -np.log(faces), np.inf)[:, class_of_column]
    cost[:, sizes.sum() : len(class_of_column)] -= np.log(_SURPLUS)
    rest = 1 - np.where(allowed, faces, 0).sum(axis=1)
    cost[np.arange(count), len(class_of_column) + np.arange(count)] = -np.log(np.maximum(rest, _FLOOR))
    columns = optimal_assignment(cost)[1]
    owners = np.concatenate((class_of_column, np.full(count, -1)))
    return owners[columns], assignment_margins(cost, columns, owners)


def assignment_margins(cost: Floats, columns: NDArray[np.intp], owners: NDArray[np.intp]) -> Floats:
    """Return for each row the additional cost of the best assignment in which the row has no column
    equivalent to its own.

    ``cost``: n x m, inf where forbidden. ``columns`` (n): the best assignment. Columns with equal ``owners``
    (m) are equivalent. A column need not be used. Every other assignment differs from the best one by cycles
    in the graph of possible moves between rows (or to a free column), so the margin is the row's cheapest
    cycle; all of them follow from the shortest paths between all rows (Floyd-Warshall), in O(n^3).
    """
    count = len(cost)
    every = np.arange(count)
    own = cost[every, columns]
    # Node `count` is the pool of free columns: a row may move there, and anyone's column may join it.
    step = np.full((count + 1, count + 1), np.inf)
    step[:count, :count] = cost[:, columns] - own[:, None]
    free = np.ones(cost.shape[1], np.bool_)
    free[columns] = False
    to_free = np.where(free, cost, np.inf)
    step[:count, count] = to_free.min(axis=1, initial=np.inf) - own
    step[count, :] = 0
    first = step[:count].copy()
    alike = owners[columns][:, None] == owners
    first[:, :count][alike[:, columns]] = np.inf
    first[:, count] = np.where(alike, np.inf, to_free).min(axis=1, initial=np.inf) - own
    for through in range(count + 1):
        np.minimum(step, step[:, through, None] + step[through], out=step)
    return np.asarray((first + step[:, :count].T).min(axis=1), np.float64)


def _posterior_after(
    posterior: Floats, chosen: NDArray[np.intp], confidence: Floats, classes: CardClasses
) -> Floats:
    after = posterior.copy()
    for class_id in np.unique(chosen[chosen >= 0]):
        takers = chosen == class_id
        if takers.sum() >= len(classes[class_id]):
            after[~takers, class_id] *= 1 - float(confidence[takers].prod())
    return np.asarray(after / np.maximum(after.sum(axis=1, keepdims=True), _FLOOR), np.float64)
