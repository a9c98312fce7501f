"""What is laid on the table of a rendered scene: a fishing game, captures, cards on their match, a heap.

All in mm: x to the right, y away from the camera's foot, turns in radians against the clock seen from above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.render.deck_art import CARD_MM, Face

Rng = np.random.Generator
#: The least and the most that a captured card lies on from the one under it, mm.
Step = tuple[float, float]
CLOSE: Final[Step] = (9, 12)


@dataclass(frozen=True, slots=True)
class Laid:
    """A card as somebody lays it: the side that shows, its centre in mm, its turn, and the zone it belongs to."""

    face: Face
    x: float
    y: float
    turn: float
    zone: str


def _cascade(
    rng: Rng, faces: Iterator[Face], count: int, at: tuple[float, float], turn: float, zone: str, steps: Step
) -> list[Laid]:
    """Lay captures to the right of ``at`` (the first card's centre), each a step on, over the one before it."""
    step, loose = rng.uniform(*steps), rng.uniform(0.3, 1.2)
    cards = []
    for number in range(count):
        along, across = number * step + rng.normal(0, loose), rng.normal(0, loose)
        x = at[0] + np.cos(turn) * along - np.sin(turn) * across
        y = at[1] + np.sin(turn) * along + np.cos(turn) * across
        cards.append(Laid(next(faces), float(x), float(y), turn + float(rng.normal(0, 0.03 * loose)), zone))
    return cards


def _captures(
    rng: Rng,
    faces: Iterator[Face],
    counts: list[int],
    at: tuple[float, float],
    turn: float,
    zone: str,
    steps: Step,
) -> list[Laid]:
    """Lay a player's cascades side by side: lights, animals, ribbons and chaff."""
    wide = (steps[0] + 2 * steps[1]) / 3
    cards: list[Laid] = []
    along = 0.0
    for count in counts:
        if not count:
            continue
        start = (at[0] + np.cos(turn) * along, at[1] + np.sin(turn) * along)
        cards += _cascade(rng, faces, count, (float(start[0]), float(start[1])), turn, zone, steps)
        along += wide * (count - 1) + CARD_MM[0] + rng.uniform(6, 20)
    return cards


def _field(rng: Rng, faces: Iterator[Face], columns: int) -> list[Laid]:
    """Lay the field: two rows with room between the cards, sometimes a card on the one it takes."""
    gap, loose = rng.uniform(40, 50), rng.uniform(0.5, 2.5)
    cards = []
    for row in (-1, 1):
        for column in range(columns):
            x = (column - (columns - 1) / 2) * gap + rng.normal(0, loose)
            y = row * rng.uniform(31, 34) + rng.normal(0, loose)
            cards.append(Laid(next(faces), x, y, _either_end(rng, 0.04 * loose), "field"))
    if rng.random() < 0.5:
        under = cards[int(rng.integers(len(cards)))]
        cards.append(_on(rng, next(faces), under))
    return cards


def _either_end(rng: Rng, loose: float, chance: float = 0.3) -> float:
    return float(rng.normal(0, loose) + (np.pi if rng.random() < chance else 0))


def _on(rng: Rng, face: Face, under: Laid) -> Laid:
    """Lay a played card on its match: off by a third of a card or so, and a little askew."""
    angle, way = rng.uniform(0, 2 * np.pi), rng.uniform(10, 24)
    x, y = under.x + np.cos(angle) * way, under.y + np.sin(angle) * way * 1.4
    return Laid(face, float(x), float(y), under.turn + _either_end(rng, 0.2), under.zone)


def _stock(rng: Rng, back: Face, count: int, at: tuple[float, float], turn: float) -> list[Laid]:
    """Put down a squared stock of face-down cards."""
    return [
        Laid(
            back,
            float(at[0] + rng.normal(0, 0.5)),
            float(at[1] + rng.normal(0, 0.5)),
            float(turn + rng.normal(0, 0.012)),
            "stock",
        )
        for _ in range(count)
    ]


def table(rng: Rng, faces: Iterator[Face], back: Face, steps: Step) -> list[Laid]:
    """Lay a fishing game: field, stock of 10-24, and what both players have captured, 14-37 faces in all."""
    columns = int(rng.integers(3, 6))
    side = 1 if rng.random() < 0.5 else -1
    cards = _field(rng, faces, columns)
    cards += _stock(
        rng,
        back,
        int(rng.integers(10, 25)),
        (side * (columns * 24 + rng.uniform(36, 60)), rng.uniform(-20, 20)),
        float(rng.normal(0, 0.06)),
    )
    for player, (away, turn) in enumerate(((-1, 0.0), (1, np.pi)), start=1):
        counts = [int(rng.integers(low, high)) for low, high in ((0, 3), (1, 4), (1, 4), (2, 6))]
        start = (away * (150 + rng.uniform(-20, 20)), away * (115 + rng.uniform(0, 15)))
        cards += _captures(
            rng, faces, counts, start, turn + float(rng.normal(0, 0.04)), f"captured-{player}", steps
        )
    return cards


def captures(rng: Rng, faces: Iterator[Face], _back: Face, steps: Step) -> list[Laid]:
    """Lay one player's captures in two or three lines of two cascades, 8-30 cards."""
    cards: list[Laid] = []
    turn = float(rng.normal(0, 0.05))
    for line in range(int(rng.integers(2, 4))):
        counts = [int(rng.integers(2, 6)) for _ in range(2)]
        at = (float(rng.uniform(-90, -70)), 70.0 - 66 * line)
        cards += _captures(rng, faces, counts, at, turn, "captured-1", steps)
    return cards


def matches(rng: Rng, faces: Iterator[Face], back: Face, _steps: Step) -> list[Laid]:
    """Lay four to eight cards with a played one on each, a few of them with a drawn one on top, and the stock."""
    columns = int(rng.integers(2, 5))
    under = [
        Laid(
            next(faces),
            float((column - (columns - 1) / 2) * 78 + rng.normal(0, 4)),
            float(row * 52 + rng.normal(0, 4)),
            _either_end(rng, 0.1),
            "field",
        )
        for row in (-1, 1)
        for column in range(columns)
    ]
    played = [_on(rng, next(faces), card) for card in under]
    drawn = [_on(rng, next(faces), card) for card in played if rng.random() < 0.3]
    at = (columns * 39 + rng.uniform(25, 45), rng.uniform(-30, 30))
    return [*under, *played, *drawn, *_stock(rng, back, int(rng.integers(10, 25)), at, rng.normal(0, 0.1))]


def heap(rng: Rng, faces: Iterator[Face], back: Face, _steps: Step) -> list[Laid]:
    """Throw 14-26 cards on a heap, any way round, a few of them face down."""
    count, reach = int(rng.integers(14, 27)), rng.uniform(55, 85)
    cards = []
    for _ in range(count):
        angle, way = rng.uniform(0, 2 * np.pi), reach * np.sqrt(rng.uniform(0, 1))
        face = back if rng.random() < 0.06 else next(faces)
        x, y = 1.4 * way * np.cos(angle), way * np.sin(angle)
        cards.append(Laid(face, float(x), float(y), float(rng.uniform(0, 2 * np.pi)), "heap"))
    return cards


GAMES: Final[dict[str, Callable[[Rng, Iterator[Face], Face, Step], list[Laid]]]] = {
    "table": table,
    "captures": captures,
    "matches": matches,
    "heap": heap,
}
