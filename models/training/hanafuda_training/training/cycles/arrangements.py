"""Arrangements of cards in rendered scenes: a fishing game, captures, cards on the ones they match, a heap.

Coordinates are mm: x to the right, y away from the camera; rotations are radians, counterclockwise seen from
above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.deck_art import Face

Rng = np.random.Generator
#: Minimum and maximum distance of a captured card from the one below it, mm.
Step = tuple[float, float]
CLOSE: Final[Step] = (9, 12)


@dataclass(frozen=True, slots=True)
class ArrangedCard:
    """A placed card: its visible side, its center (mm), its rotation (radians), and its zone."""

    face: Face
    x: float
    y: float
    turn: float
    zone: str


def _cascade(
    rng: Rng, faces: Iterator[Face], count: int, at: tuple[float, float], turn: float, zone: str, steps: Step
) -> list[ArrangedCard]:
    """Place overlapping captures to the right of ``at`` (center of the first card), each a step further, on
    top of the previous one.
    """
    step, loose = rng.uniform(*steps), rng.uniform(0.3, 1.2)
    cards = []
    for number in range(count):
        along, across = number * step + rng.normal(0, loose), rng.normal(0, loose)
        x = at[0] + np.cos(turn) * along - np.sin(turn) * across
        y = at[1] + np.sin(turn) * along + np.cos(turn) * across
        cards.append(
            ArrangedCard(next(faces), float(x), float(y), turn + float(rng.normal(0, 0.03 * loose)), zone)
        )
    return cards


def _captures(
    rng: Rng,
    faces: Iterator[Face],
    counts: list[int],
    at: tuple[float, float],
    turn: float,
    zone: str,
    steps: Step,
) -> list[ArrangedCard]:
    """Place a player's cascades side by side: brights, animals, ribbons, and chaff."""
    mean_step = (steps[0] + 2 * steps[1]) / 3
    cards: list[ArrangedCard] = []
    along = 0.0
    for count in counts:
        if not count:
            continue
        start = (at[0] + np.cos(turn) * along, at[1] + np.sin(turn) * along)
        cards += _cascade(rng, faces, count, (float(start[0]), float(start[1])), turn, zone, steps)
        along += mean_step * (count - 1) + CARD_MM[0] + rng.uniform(6, 20)
    return cards


def _field(rng: Rng, faces: Iterator[Face], columns: int) -> list[ArrangedCard]:
    """Place the field: two rows of separate cards, sometimes with a card on the one it matches."""
    gap, loose = rng.uniform(40, 50), rng.uniform(0.5, 2.5)
    cards = []
    for row in (-1, 1):
        for column in range(columns):
            x = (column - (columns - 1) / 2) * gap + rng.normal(0, loose)
            y = row * rng.uniform(31, 34) + rng.normal(0, loose)
            cards.append(ArrangedCard(next(faces), x, y, _random_orientation(rng, 0.04 * loose), "field"))
    if rng.random() < 0.5:
        under = cards[int(rng.integers(len(cards)))]
        cards.append(_on_top_of(rng, next(faces), under))
    return cards


def _random_orientation(rng: Rng, loose: float, chance: float = 0.3) -> float:
    return float(rng.normal(0, loose) + (np.pi if rng.random() < chance else 0))


def _on_top_of(rng: Rng, face: Face, under: ArrangedCard) -> ArrangedCard:
    """Place a played card on the one it matches, shifted by about a third of a card and slightly rotated."""
    angle, distance = rng.uniform(0, 2 * np.pi), rng.uniform(10, 24)
    x, y = under.x + np.cos(angle) * distance, under.y + np.sin(angle) * distance * 1.4
    return ArrangedCard(face, float(x), float(y), under.turn + _random_orientation(rng, 0.2), under.zone)


def _draw_pile(rng: Rng, back: Face, count: int, at: tuple[float, float], turn: float) -> list[ArrangedCard]:
    """Place a squared pile of face-down cards."""
    return [
        ArrangedCard(
            back,
            float(at[0] + rng.normal(0, 0.5)),
            float(at[1] + rng.normal(0, 0.5)),
            float(turn + rng.normal(0, 0.012)),
            "stock",
        )
        for _ in range(count)
    ]


def table(rng: Rng, faces: Iterator[Face], back: Face, steps: Step) -> list[ArrangedCard]:
    """Arrange a fishing game: field, draw pile of 10-24, and the captures of both players, 14-37 faces in
    all.
    """
    columns = int(rng.integers(3, 6))
    side = 1 if rng.random() < 0.5 else -1
    cards = _field(rng, faces, columns)
    cards += _draw_pile(
        rng,
        back,
        int(rng.integers(10, 25)),
        (side * (columns * 24 + rng.uniform(36, 60)), rng.uniform(-20, 20)),
        float(rng.normal(0, 0.06)),
    )
    for player, (direction, turn) in enumerate(((-1, 0.0), (1, np.pi)), start=1):
        counts = [int(rng.integers(low, high)) for low, high in ((0, 3), (1, 4), (1, 4), (2, 6))]
        start = (direction * (150 + rng.uniform(-20, 20)), direction * (115 + rng.uniform(0, 15)))
        cards += _captures(
            rng, faces, counts, start, turn + float(rng.normal(0, 0.04)), f"captured-{player}", steps
        )
    return cards


def captures(rng: Rng, faces: Iterator[Face], _back: Face, steps: Step) -> list[ArrangedCard]:
    """Arrange one player's captures in two or three lines of two cascades, 8-30 cards."""
    cards: list[ArrangedCard] = []
    turn = float(rng.normal(0, 0.05))
    for line in range(int(rng.integers(2, 4))):
        counts = [int(rng.integers(2, 6)) for _ in range(2)]
        at = (float(rng.uniform(-90, -70)), 70.0 - 66 * line)
        cards += _captures(rng, faces, counts, at, turn, "captured-1", steps)
    return cards


def matches(rng: Rng, faces: Iterator[Face], back: Face, _steps: Step) -> list[ArrangedCard]:
    """Arrange four to eight cards with a played card on each, some with a drawn card on top, and the draw
    pile.
    """
    columns = int(rng.integers(2, 5))
    under = [
        ArrangedCard(
            next(faces),
            float((column - (columns - 1) / 2) * 78 + rng.normal(0, 4)),
            float(row * 52 + rng.normal(0, 4)),
            _random_orientation(rng, 0.1),
            "field",
        )
        for row in (-1, 1)
        for column in range(columns)
    ]
    played = [_on_top_of(rng, next(faces), card) for card in under]
    drawn = [_on_top_of(rng, next(faces), card) for card in played if rng.random() < 0.3]
    at = (columns * 39 + rng.uniform(25, 45), rng.uniform(-30, 30))
    return [
        *under,
        *played,
        *drawn,
        *_draw_pile(rng, back, int(rng.integers(10, 25)), at, rng.normal(0, 0.1)),
    ]


def heap(rng: Rng, faces: Iterator[Face], back: Face, _steps: Step) -> list[ArrangedCard]:
    """Arrange a heap of 14-26 cards in any orientation, a few of them face down."""
    count, radius = int(rng.integers(14, 27)), rng.uniform(55, 85)
    cards = []
    for _ in range(count):
        angle, distance = rng.uniform(0, 2 * np.pi), radius * np.sqrt(rng.uniform(0, 1))
        face = back if rng.random() < 0.06 else next(faces)
        x, y = 1.4 * distance * np.cos(angle), distance * np.sin(angle)
        cards.append(ArrangedCard(face, float(x), float(y), float(rng.uniform(0, 2 * np.pi)), "heap"))
    return cards


ARRANGEMENTS: Final[dict[str, Callable[[Rng, Iterator[Face], Face, Step], list[ArrangedCard]]]] = {
    "table": table,
    "captures": captures,
    "matches": matches,
    "heap": heap,
}
