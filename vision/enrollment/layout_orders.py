"""Layout orders: the usual orders in which people lay out a whole deck, and detection of the one that the cards follow.

The user is not asked for the order. Each usual order is tried; how closely the cards adhere to it is estimated from the cards
themselves and determines the weight of the order when the cards are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import DECKS as PACKS
from vision.enrollment.card_grid import Cell
from vision.pictures.crops import Floats

#: Candidate levels of adherence, as pairs of probabilities: that a card is in its own cell, and that it is in another cell
#: of its flower, suit, or rank. The first pair means no order at all.
_ADHERENCE: Final = ((0.0, 0.0), (0.0, 0.5), (0.0, 0.9), (0.3, 0.4), (0.6, 0.3), (0.9, 0.05), (0.97, 0.02))
#: Minimum gain in log likelihood over no order for accepting an order.
_MIN_GAIN: Final = 3.0
#: Probability that a card has no id (a joker, a maker's card).
_UNLISTED_PROBABILITY: Final = 0.01
#: Mean information per card (nats) below which the pictures are considered uninformative.
_MIN_INFORMATION: Final = 0.02


@dataclass(frozen=True, eq=False)
class LayoutOrder:
    """The order in which n cards are laid out.

    ``prior``: probability of each card of the pack in each position (n x cards), rows sum to 1. ``nameless``: probability that
    a card has no id (n). ``description``: description for the user. ``by_sight``: whether the likelihoods support the order. ``is_known``:
    whether the pictures are informative; if not, the most usual order is assumed.
    """

    prior: Floats
    nameless: Floats
    description: str
    by_sight: bool
    is_known: bool = True


def best_order(pack: str, likelihood: Floats, cells: Sequence[Cell | None]) -> LayoutOrder:
    """Return the order of n cards, given the likelihood of each card for each position.

    ``likelihood``: n x cards of the pack, each row up to a constant factor. ``cells``: the cell of each card, None
    beside the grid. Selects the model (order and adherence) with the highest marginal likelihood.
    """
    count = likelihood.shape[1]
    likelihood = likelihood / likelihood.sum(axis=1, keepdims=True)
    # Groups: the cards of a flower, of a suit, or of a rank with copies.
    groups = np.array([str(card.month) if pack == "kabufuda" else card.flower for card in PACKS[pack]])
    mates = groups[:, None] == groups
    mates = mates / mates.sum(axis=1, keepdims=True)
    placed = np.array([cell is not None for cell in cells], np.bool_)
    best = (-np.inf, _ADHERENCE[0], np.full(len(cells), -1), "")
    most_usual: tuple[NDArray[np.intp], str] | None = None
    for description, expected in _orders(pack, cells):
        most_usual = most_usual or (expected, description)
        known = placed & (expected >= 0)
        rows = np.flatnonzero(known)
        exact = likelihood[rows, expected[rows]]
        same_group = (likelihood[rows] * mates[expected[rows]]).sum(axis=1)
        for own, near in _ADHERENCE:
            score = float(np.log(own * exact + near * same_group + (1 - own - near) / count).sum())
            score += float(np.log(1 / count)) * (len(cells) - len(rows))
            if score > best[0] + 1e-9:
                best = (score, (own, near), expected, description)
    no_order_score = float(np.log(1 / count)) * len(cells)
    if best[0] >= no_order_score + _MIN_GAIN:
        return LayoutOrder(*_prior(best[2], placed, best[1], mates), best[3], True)
    entropy = float(-(likelihood * np.log(np.maximum(likelihood, 1e-12))).sum(axis=1).mean())
    if np.log(count) - entropy > _MIN_INFORMATION or most_usual is None:
        flat = np.full((len(cells), count), 1 / count)
        return LayoutOrder(flat, np.full(len(cells), _UNLISTED_PROBABILITY), "in no recognized order", False)
    return LayoutOrder(
        *_prior(most_usual[0], placed, _ADHERENCE[-1], mates), most_usual[1], False, is_known=False
    )


def _prior(
    expected: NDArray[np.intp], placed: NDArray[np.bool_], adherence: tuple[float, float], mates: Floats
) -> tuple[Floats, Floats]:
    """Return the prior probability of each card at each position (n x cards), and the probability that the card at a
    position has no id (n).
    """
    own, near = adherence
    count = len(mates)
    prior = np.full((len(expected), count), (1 - own - near) / count)
    rows = np.flatnonzero(expected >= 0)
    prior[rows] += near * mates[expected[rows]]
    prior[rows, expected[rows]] += own
    # Cards beside the grid are those that the order leaves out, if any; cells after the last card hold cards without an id.
    unused = np.setdiff1d(np.arange(count), expected)
    prior[expected < 0] = 1 / count
    if len(unused):
        prior[np.ix_(~placed, unused)] = 1 / len(unused)
    nameless = np.where(
        expected >= 0,
        _UNLISTED_PROBABILITY,
        np.where(placed, 1 - _UNLISTED_PROBABILITY, 0.2 if len(unused) else 0.5),
    )
    return prior, nameless


def _orders(pack: str, cells: Sequence[Cell | None]) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield the usual orders, most usual first, as a description and the index of the expected card of each cell (-1:
    no card).
    """
    occupied = [cell for cell in cells if cell is not None]
    rows = 1 + max((row for row, _ in occupied), default=0)
    columns = 1 + max((column for _, column in occupied), default=0)
    yielded: set[bytes] = set()
    candidates = [
        (rank, name, sequence, *direction)
        for name, together, sequence in _sequences(pack)
        for rank, direction in enumerate(_directions(rows, columns, together))
    ]
    # Sorted so that of two descriptions of the same order the simpler one comes first.
    for _, name, sequence, direction, along, mirror_x, mirror_y in sorted(
        candidates, key=lambda each: each[0]
    ):
        expected = np.full(len(cells), -1, np.intp)
        for number, cell in enumerate(cells):
            if cell is None:
                continue
            row = rows - 1 - cell[0] if mirror_y else cell[0]
            column = columns - 1 - cell[1] if mirror_x else cell[1]
            position = row * columns + column if along else column * rows + row
            expected[number] = sequence[position] if position < len(sequence) else -1
        key = expected.tobytes()
        if key not in yielded:
            yielded.add(key)
            yield f"{name}, {direction}", expected


def _directions(rows: int, columns: int, together: int) -> list[tuple[str, bool, bool, bool]]:
    """Return the directions in which the cells of a grid may be counted, most usual first.

    Each is a description, and whether it counts along rows, from right to left, and upward. ``together``: number of cards that
    belong together (a flower, a suit); directions in which they fill whole rows or columns come first.
    """
    directions = []
    for mirror_y, mirror_x, along in product((False, True), (False, True), (False, True)):
        side, down = ("right to left", "left to right")[not mirror_x], ("upwards", "downwards")[not mirror_y]
        description = f"row by row, {side}" if along else f"column by column, {side}"
        directions.append(
            (description if not mirror_y else f"{description}, {down}", along, mirror_x, mirror_y)
        )
    in_rows = columns == together or rows != together
    return sorted(directions, key=lambda direction: direction[1] != in_rows)


def _sequences(pack: str) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Yield the usual sequences of a pack: a description, the number of cards that belong together, and the indices of
    the cards.
    """
    count = len(PACKS[pack])
    groups = np.arange(count // 4 * 4).reshape(-1, 4)
    if pack == "hanafuda":
        yield "month by month", 4, tuple(groups.ravel().tolist())
        yield "month by month, chaff first", 4, tuple(groups[:, ::-1].ravel().tolist())
    elif pack == "kabufuda":
        # Some boxes have more than ten ranks; cards after the tenth rank have no id.
        yield "rank by rank", 4, tuple(groups.ravel().tolist())
        yield "rank by rank, the printed copy last", 4, tuple(groups[:, ::-1].ravel().tolist())
    else:
        suits = [PACKS[pack][12 * suit].flower for suit in range(4)]
        for order in permutations(range(4)):
            order_text = ", ".join(suits[suit] for suit in order)
            by_suit = np.arange(48).reshape(4, 12)[list(order)]
            rest = tuple(range(48, count))  # the onifuda
            yield f"suit by suit ({order_text})", 12, (*by_suit.ravel().tolist(), *rest)
            yield f"rank by rank ({order_text})", 4, (*by_suit.T.ravel().tolist(), *rest)
