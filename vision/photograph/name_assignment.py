"""Deciding on names: each card of a deck exists once, and a wrong name is worse than none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.networks.class_ids import HANAFUDA_CLASSES
from vision.networks.probability_calibration import Calibration

__all__ = ["CardClasses", "alternatives", "assign_names", "assignment_margins", "names_only"]

CardClasses = Sequence[Sequence[str]]
"""Card ids that look alike, kind by kind. In a posterior the kinds come first, then a back, then a stranger."""
Floats = NDArray[np.float64]
Names = list[tuple[str | None, float]]

#: A name believed less than this is never given, so that a find that is no card pushes no card aside.
_LEAST: Final = 0.02
_FLOOR: Final = 1e-6
#: A back looks a little like one by itself: what would be a card that another find surely is, is that card seen twice sooner than a back.
_LIKE_A_BACK: Final = 0.25


def names_only(
    posterior: Floats,
    visible: NDArray[np.float32],
    classes: CardClasses = HANAFUDA_CLASSES,
    *,
    calibration: Calibration,
) -> Names:
    """Return the names alone that `assign_names` gives."""
    return assign_names(posterior, visible, classes, calibration=calibration)[0]


def assign_names(
    posterior: Floats,
    visible: NDArray[np.float32],
    classes: CardClasses = HANAFUDA_CLASSES,
    *,
    calibration: Calibration,
) -> tuple[Names, Floats]:
    """Give each card a name and its probability, no card twice, None where unsure; and return what remains of ``posterior``
    (n x (len(kinds) + 2)) after that: what others have surely taken goes down in each row.

    ``posterior`` n x (len(kinds) + 2), the last two a back and a stranger; ``shares`` visible, n. Cards that look alike
    are as many places of one kind; backs and strangers may be as many as they like. Names are given so that all
    together are likeliest. One is kept where its probability, and that of the margin by which the best names without it
    cost more, reach the threshold that ``calibration`` has for so much of a card.
    """
    if not len(posterior):
        return [], posterior
    back = len(classes)
    chosen, margin = _choose(posterior, classes)
    sure = np.where(chosen >= 0, 1 / (1 + np.exp(-margin)), 0.0)
    after = _remaining(posterior, chosen, sure, classes)
    thresholds = calibration.thresholds(visible)
    places = [iter(cards) for cards in classes]
    names: Names = []
    for row, class_id in enumerate(chosen):
        told = min(float(after[row, class_id]), float(sure[row])) if class_id >= 0 else 0.0
        no_face = float(after[row, back:].sum())
        if class_id >= 0 and told >= thresholds[row]:
            names.append((next(places[class_id]), told))
        elif (
            no_face >= thresholds[row]
            and after[row, back] >= calibration.back
            and posterior[row, back:].sum() >= _LIKE_A_BACK
        ):
            names.append(("back", no_face))
        else:
            names.append((None, float(after[row].max())))
    return names, after


def alternatives(
    row: Floats, classes: CardClasses = HANAFUDA_CLASSES, most: int = 5
) -> tuple[tuple[str, float], ...]:
    """Return the likeliest card ids of one card's posterior, look-alikes by their first, ``"back"`` included."""
    back, unknown = len(classes), len(classes) + 1
    order = [int(class_id) for class_id in np.argsort(-row) if class_id != unknown][:most]
    return tuple(
        (classes[class_id][0] if class_id != back else "back", float(row[class_id]))
        for class_id in order
        if row[class_id] > 1e-3
    )


def _choose(posterior: Floats, classes: CardClasses) -> tuple[NDArray[np.intp], Floats]:
    """Return the kind of each card in the likeliest assignment, -1 for none, and the margins of those with one.

    The price of being left without a name is what the row believes of everything else: of a back, of a stranger, and of
    all names too unlikely to be given.
    """
    count = len(posterior)
    kind_of = np.repeat(np.arange(len(classes)), [len(cards) for cards in classes])
    faces = posterior[:, : len(classes)]
    listed = faces >= _LEAST
    cost = np.full((count, len(kind_of) + count), np.inf)
    with np.errstate(divide="ignore"):
        cost[:, : len(kind_of)] = np.where(listed, -np.log(faces), np.inf)[:, kind_of]
    rest = 1 - np.where(listed, faces, 0).sum(axis=1)
    cost[np.arange(count), len(kind_of) + np.arange(count)] = -np.log(np.maximum(rest, _FLOOR))
    columns = linear_sum_assignment(cost)[1]
    owners = np.concatenate((kind_of, np.full(count, -1)))
    return owners[columns], assignment_margins(cost, columns, owners)


def assignment_margins(cost: Floats, columns: NDArray[np.intp], owners: NDArray[np.intp]) -> Floats:
    """Return how much more the best assignment costs in which row i may have no column that is alike to the one it has.

    ``cost`` n x m, inf where forbidden; ``columns`` (n) the best assignment; columns with equal ``owners`` (m) are alike.
    A column need not be taken. Every assignment without the edge differs from the best by a cycle through the row in
    the graph of who could move to whose place (or a free one); so the margin is that row's cheapest cycle, and all
    of them come from the shortest paths between all rows (Floyd-Warshall), O(n^3) for all rows together.
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


def _remaining(posterior: Floats, chosen: NDArray[np.intp], sure: Floats, classes: CardClasses) -> Floats:
    after = posterior.copy()
    for class_id in np.unique(chosen[chosen >= 0]):
        takers = chosen == class_id
        if takers.sum() == len(classes[class_id]):
            after[~takers, class_id] *= 1 - float(sure[takers].prod())
    return np.asarray(after / np.maximum(after.sum(axis=1, keepdims=True), _FLOOR), np.float64)
