"""Random card layouts as players make them: rows, fans, stacks, heaps, matches, scattered cards (in mm)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.scene_factors import TRAINING_FACTORS, SceneFactors

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class CardPlacement:
    """Position of a card: center (mm), ``turn`` (radians), face up or down. Later cards are on top.

    ``z`` is the height of its center above the table (mm), ``lean`` its slope along its width and height. With ``layers`` > 1 it is
    a squared stack of which only the top card is a target.
    """

    x: float
    y: float
    turn: float
    face_down: bool = False
    z: float = 0.0
    lean: tuple[float, float] = (0.0, 0.0)
    layers: int = 1


def _offset(x: float, y: float, turn: float, along: float, across: float) -> tuple[float, float]:
    """Return (x, y) moved by ``along`` the card's width and ``across`` along its height, in mm."""
    cos, sin = np.cos(turn), np.sin(turn)
    return float(x + cos * along - sin * across), float(y + sin * along + cos * across)


def _flip(rng: Rng, chance: float) -> float:
    return np.pi if rng.random() < chance else 0.0


def _fan(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    """Return a fan, cascade or row: 2-16 cards, 6-50 mm apart, along the card's width or height."""
    count = int(rng.integers(2, 17))
    density = rng.random()
    step = (
        rng.uniform(6, 12) if density < 0.4 else rng.uniform(12, 24) if density < 0.8 else rng.uniform(24, 50)
    )
    sideways = rng.random() < 0.65
    direction = 1 if rng.random() < 0.6 else -1
    jitter = rng.uniform(0.2, 2.5)
    flipped = rng.random() * 0.2
    face_down = rng.random() < 0.06
    places = []
    for index in range(count):
        offset = (index - count / 2) * step * direction
        along, across = (offset, rng.normal(0, jitter)) if sideways else (rng.normal(0, jitter), offset)
        at = _offset(x, y, turn, along, across)
        places.append(
            CardPlacement(*at, turn + rng.normal(0, 0.02 * jitter) + _flip(rng, flipped), bool(face_down))
        )
    return places


def _arc(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    """Return a hand of 4-14 cards as an arc around a point below them."""
    count = int(rng.integers(4, 15))
    radius = rng.uniform(45, 140)
    spread = min(rng.uniform(6, 20) / radius, 2.4 / count)  # radians for each card; at most 2.4 in total
    direction = 1 if rng.random() < 0.7 else -1
    face_down = bool(rng.random() < 0.2)
    places = []
    for index in range(count):
        angle = (index - (count - 1) / 2) * spread * direction + rng.normal(0, 0.1 * spread)
        reach = radius + rng.normal(0, 1.5)
        at = _offset(x, y, turn, np.sin(angle) * reach, radius - np.cos(angle) * reach)
        places.append(CardPlacement(*at, turn + angle, face_down))
    return places


def _captures(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    """Return captured cards: two to five rows, each a cascade of its own length and step."""
    rows = int(rng.integers(2, 6))
    sideways = rng.random() < 0.7
    size = (33.0, 54.0) if sideways else (54.0, 33.0)
    gap = rng.uniform(-14, 18)
    below = rng.random() < 0.4  # rows below one another instead of side by side
    jitter = rng.uniform(0.2, 2.0)
    direction = 1 if rng.random() < 0.65 else -1
    start = 0.0
    places = []
    for _ in range(rows):
        count, step = int(rng.integers(1, 11)), rng.uniform(6, 24)
        first = 0.0 if below else start
        for index in range(count):
            offset = first + (index if direction > 0 else count - 1 - index) * step
            cross = (start if below else 0.0) + rng.normal(0, jitter)
            along, across = (offset, cross) if sideways else (cross, offset)
            at = _offset(x, y, turn, along + rng.normal(0, 0.3 * jitter), across)
            places.append(CardPlacement(*at, turn + rng.normal(0, 0.02 * jitter) + _flip(rng, 0.04)))
        start += (size[1] + gap) if below else (count - 1) * step + size[0] + max(2.0, gap)
    return places


def _grid(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    columns, rows = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    gap_x, gap_y = 33 + rng.uniform(0, 20), 54 + rng.uniform(0, 20)
    jitter = rng.uniform(0, 4)
    places = []
    for row in range(rows):
        for column in range(columns):
            along = (column - columns / 2) * gap_x + rng.normal(0, jitter)
            across = (row - rows / 2) * gap_y + rng.normal(0, jitter)
            at = _offset(x, y, turn, along, across)
            places.append(CardPlacement(*at, turn + rng.normal(0, 0.02 * jitter) + _flip(rng, 0.3)))
    return places


def _heap(rng: Rng, x: float, y: float, _turn: float) -> list[CardPlacement]:
    """Return a heap of cards at random angles."""
    spread = rng.uniform(20, 75)
    return [
        CardPlacement(
            x + rng.normal(0, spread),
            y + rng.normal(0, spread),
            rng.uniform(0, 2 * np.pi),
            bool(rng.random() < 0.05),
        )
        for _ in range(rng.integers(4, 31))
    ]


def _pile(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    """Return a squared pile, ±4 mm and ±8°, face up or down."""
    face_down = bool(rng.random() < 0.5)
    return [
        CardPlacement(x + rng.normal(0, 2), y + rng.normal(0, 2), turn + rng.normal(0, 0.07), face_down)
        for _ in range(rng.integers(1, 6))
    ]


def _stack(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    """Return a draw pile or captured stack of 6-40 cards, sometimes with a loose card on top or a second stack."""
    face_down = bool(rng.random() < 0.8)
    places = [CardPlacement(x, y, turn + rng.normal(0, 0.02), face_down, layers=int(rng.integers(6, 41)))]
    if rng.random() < 0.15:  # the card just drawn, or a badly squared top
        at = _offset(x, y, turn, rng.normal(0, 9), rng.normal(0, 12))
        places.append(CardPlacement(*at, turn + rng.normal(0, 0.2), bool(rng.random() < 0.4)))
    if rng.random() < 0.2:  # two stacks side by side
        at = _offset(x, y, turn, rng.uniform(36, 70), rng.normal(0, 10))
        places.append(
            CardPlacement(
                *at, turn + rng.normal(0, 0.1), bool(rng.random() < 0.6), layers=int(rng.integers(2, 25))
            )
        )
    return places


def _face_down(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    """Return one or two rows of face-down cards, separate or overlapping."""
    count, rows = int(rng.integers(1, 9)), int(rng.integers(1, 3))
    step = rng.uniform(8, 30) if rng.random() < 0.5 else rng.uniform(33.5, 48)
    gap = rng.uniform(54.5, 75)
    jitter = rng.uniform(0.1, 3)
    return [
        CardPlacement(
            *_offset(
                x, y, turn, (i - count / 2) * step + rng.normal(0, jitter), row * gap + rng.normal(0, jitter)
            ),
            turn + rng.normal(0, 0.02 * jitter),
            bool(rng.random() < 0.95),
        )
        for row in range(rows)
        for i in range(count)
    ]


def _match(rng: Rng, x: float, y: float, turn: float) -> list[CardPlacement]:
    """Return a played card on its match, covering any part of it; sometimes two or three on one."""
    places = [CardPlacement(x, y, turn + _flip(rng, 0.4))]
    for _ in range(1 if rng.random() < 0.8 else int(rng.integers(2, 4))):
        over = _offset(x, y, turn, rng.normal(0, 14), rng.normal(0, 20))
        places.append(CardPlacement(*over, turn + rng.normal(0, 0.25) + _flip(rng, 0.4)))
    return places


def _scatter(rng: Rng, x: float, y: float, _turn: float) -> list[CardPlacement]:
    spread = rng.uniform(60, 160)
    places: list[CardPlacement] = []
    for _ in range(rng.integers(1, 12)):
        for _ in range(6):  # a few attempts to find a free position
            at = (x + rng.normal(0, spread), y + rng.normal(0, spread))
            if all(np.hypot(at[0] - p.x, at[1] - p.y) > 50 for p in places):
                places.append(CardPlacement(*at, rng.uniform(0, 2 * np.pi), bool(rng.random() < 0.06)))
                break
    return places


_GROUPS: Final[tuple[tuple[Callable[[Rng, float, float, float], list[CardPlacement]], float, str], ...]] = (
    (_fan, 0.28, "cascades"),
    (_arc, 0.07, "cascades"),
    (_captures, 0.12, "captures"),
    (_grid, 0.14, ""),
    (_heap, 0.14, "heaps"),
    (_pile, 0.05, ""),
    (_stack, 0.12, "stacks"),
    (_face_down, 0.07, "backs"),
    (_match, 0.1, ""),
    (_scatter, 0.12, ""),
)
#: Distance between centers (mm) up to which a card rests on another one.
_REACH: Final = 46.0


def stack_heights(
    rng: Rng, places: list[CardPlacement], thickness: float, strength: float = 1.0
) -> list[CardPlacement]:
    """Return the places with heights: a card rests on those below it, higher the more they overlap, and tilted a little."""
    resting: list[CardPlacement] = []
    spots = np.array([(place.x, place.y) for place in places]).reshape(-1, 2)
    tops = np.zeros(len(places))
    for number, place in enumerate(places):
        below = np.hypot(*(spots[:number] - spots[number]).T)
        rest = np.clip(1 - below / _REACH, 0, 1) * tops[:number]
        z = strength * float(rest.max()) if number else 0.0
        lean = (0.0, 0.0)
        if z > 0.5 * thickness and strength:
            along, across = rng.normal(0, 0.035 * strength, 2)
            lean = (float(along), float(across))
            z += abs(along) * CARD_MM[0] / 2 + abs(across) * CARD_MM[1] / 2  # no corner below the surface
        tops[number] = z + thickness * place.layers
        resting.append(replace(place, z=z, lean=lean))
    return resting


def random_layout(
    rng: Rng, extent: tuple[float, float], limit: int, factors: SceneFactors = TRAINING_FACTORS
) -> list[CardPlacement]:
    """Return up to ``limit`` cards within about ``extent`` (width and height in mm, centered on the origin)."""
    weights = np.array([weight * (getattr(factors, name) if name else 1) for _, weight, name in _GROUPS])
    weights /= weights.sum()
    turn = rng.uniform(0, 2 * np.pi)  # most groups share one orientation
    target = int(min(limit, 1 + rng.exponential(18)))
    places: list[CardPlacement] = []
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
        group_places = group(rng, float(x), float(y), float(side))
        distances = [np.hypot(a.x - b.x, a.y - b.y) for a in group_places for b in places]
        if distances and min(distances) < 45 and rng.random() < 0.8:
            continue  # groups mostly do not overlap
        places += group_places
    return places[:limit]
