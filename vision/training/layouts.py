"""How people lay cards: scattered, in rows, fanned, stacked, heaped, or one upon its match (all in mm)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card lies on the table: centre in mm, turn in radians, face-down or not. Later places lie on top."""

    x: float
    y: float
    turn: float
    face_down: bool = False


def _turned(x: float, y: float, turn: float, along: float, across: float) -> tuple[float, float]:
    """Move (``along`` the card's width, ``across`` along its height) in the card's own frame."""
    cos, sin = np.cos(turn), np.sin(turn)
    return float(x + cos * along - sin * across), float(y + sin * along + cos * across)


def _flip(rng: Rng, chance: float) -> float:
    return np.pi if rng.random() < chance else 0.0


def _fan(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """A fan, cascade or row of captures: 2-12 cards, 6-50 mm apart, along the card's width or height."""
    count = int(rng.integers(2, 13))
    step = rng.uniform(6, 24) if rng.random() < 0.75 else rng.uniform(24, 50)
    sideways = rng.random() < 0.6
    order = 1 if rng.random() < 0.5 else -1
    bend = rng.normal(0, 0.05) if rng.random() < 0.4 else 0.0
    loose = rng.uniform(0.2, 2.5)
    upside = rng.random() * 0.2
    places = []
    for index in range(count):
        offset = (index - count / 2) * step * order
        along, across = (offset, rng.normal(0, loose)) if sideways else (rng.normal(0, loose), offset)
        at = _turned(x, y, turn + bend * index / 2, along, across)
        places.append(Place(*at, turn + bend * index + rng.normal(0, 0.02 * loose) + _flip(rng, upside)))
    return places


def _grid(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    columns, rows = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    gap_x, gap_y = 33 + rng.uniform(0, 20), 54 + rng.uniform(0, 20)
    loose = rng.uniform(0, 4)
    places = []
    for row in range(rows):
        for column in range(columns):
            along = (column - columns / 2) * gap_x + rng.normal(0, loose)
            across = (row - rows / 2) * gap_y + rng.normal(0, loose)
            at = _turned(x, y, turn, along, across)
            places.append(Place(*at, turn + rng.normal(0, 0.02 * loose) + _flip(rng, 0.3)))
    return places


def _heap(rng: Rng, x: float, y: float, _turn: float) -> list[Place]:
    """A heap: cards thrown on one another at any angle."""
    spread = rng.uniform(20, 75)
    return [
        Place(
            x + rng.normal(0, spread),
            y + rng.normal(0, spread),
            rng.uniform(0, 2 * np.pi),
            bool(rng.random() < 0.05),
        )
        for _ in range(rng.integers(4, 26))
    ]


def _pile(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """A squared pile, ±4 mm and ±8°, face up or down: the stock, or captures not spread."""
    down = bool(rng.random() < 0.6)
    return [
        Place(x + rng.normal(0, 2), y + rng.normal(0, 2), turn + rng.normal(0, 0.07), down)
        for _ in range(rng.integers(1, 6))
    ]


def _match(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """A played card on its match: 20-80 % covered."""
    over = _turned(x, y, turn, rng.normal(0, 12), rng.normal(0, 18))
    return [Place(x, y, turn + _flip(rng, 0.4)), Place(*over, turn + rng.normal(0, 0.25) + _flip(rng, 0.4))]


def _scatter(rng: Rng, x: float, y: float, _turn: float) -> list[Place]:
    spread = rng.uniform(60, 160)
    places: list[Place] = []
    for _ in range(rng.integers(1, 12)):
        for _ in range(6):  # a few tries at a place of its own
            at = (x + rng.normal(0, spread), y + rng.normal(0, spread))
            if all(np.hypot(at[0] - p.x, at[1] - p.y) > 50 for p in places):
                places.append(Place(*at, rng.uniform(0, 2 * np.pi), bool(rng.random() < 0.06)))
                break
    return places


_GROUPS = ((_fan, 0.36), (_grid, 0.16), (_heap, 0.16), (_pile, 0.08), (_match, 0.1), (_scatter, 0.14))


def lay_cards(rng: Rng, extent: tuple[float, float], limit: int) -> list[Place]:
    """Lay up to ``limit`` cards within about ``extent`` (mm, full width and height, centred on the origin)."""
    weights = np.array([weight for _, weight in _GROUPS])
    turn = rng.uniform(0, 2 * np.pi)  # most groups of a table share its directions
    target = int(min(limit, 1 + rng.exponential(18)))
    places: list[Place] = []
    tries = 0
    while len(places) < target and tries < 12:
        tries += 1
        group = _GROUPS[rng.choice(len(_GROUPS), p=weights)][0]
        x, y = rng.uniform(-0.5, 0.5, 2) * extent
        side = (
            turn + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.08)
            if rng.random() < 0.75
            else rng.uniform(0, 2 * np.pi)
        )
        laid = group(rng, float(x), float(y), float(side))
        near = [np.hypot(a.x - b.x, a.y - b.y) for a in laid for b in places]
        if near and min(near) < 45 and rng.random() < 0.8:
            continue  # groups mostly keep clear of one another
        places += laid
    return places[:limit]
