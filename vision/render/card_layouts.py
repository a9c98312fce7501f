"""How people lay cards: scattered, in rows, fanned, stacked, heaped, or one upon its match (all in mm)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vision.render.deck_art import CARD_MM
from vision.render.scene_factors import TRAINED, Factors

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card lies: centre in mm, turn in radians, face-down or not. Later places lie on top.

    ``z`` mm of its centre above the table, ``lean`` its rise (mm a mm) along its width and height. ``layers`` > 1 is
    a squared stack of as many cards, of which only the uppermost is a card to find.
    """

    x: float
    y: float
    turn: float
    face_down: bool = False
    z: float = 0.0
    lean: tuple[float, float] = (0.0, 0.0)
    layers: int = 1


def _turned(x: float, y: float, turn: float, along: float, across: float) -> tuple[float, float]:
    """Move (``along`` the card's width, ``across`` along its height) in the card's own frame."""
    cos, sin = np.cos(turn), np.sin(turn)
    return float(x + cos * along - sin * across), float(y + sin * along + cos * across)


def _flip(rng: Rng, chance: float) -> float:
    return np.pi if rng.random() < chance else 0.0


def _fan(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """A fan, cascade or row of captures: 2-16 cards, 6-50 mm apart, along the card's width or height."""
    count = int(rng.integers(2, 17))
    kind = rng.random()
    step = rng.uniform(6, 12) if kind < 0.4 else rng.uniform(12, 24) if kind < 0.8 else rng.uniform(24, 50)
    sideways = rng.random() < 0.65
    order = 1 if rng.random() < 0.6 else -1
    loose = rng.uniform(0.2, 2.5)
    upside = rng.random() * 0.2
    down = rng.random() < 0.06
    places = []
    for index in range(count):
        offset = (index - count / 2) * step * order
        along, across = (offset, rng.normal(0, loose)) if sideways else (rng.normal(0, loose), offset)
        at = _turned(x, y, turn, along, across)
        places.append(Place(*at, turn + rng.normal(0, 0.02 * loose) + _flip(rng, upside), bool(down)))
    return places


def _arc(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """A hand held or laid as an arc: 4-14 cards turned about a point below them."""
    count = int(rng.integers(4, 15))
    radius = rng.uniform(45, 140)
    spread = min(rng.uniform(6, 20) / radius, 2.4 / count)  # radians a card; no wider than a hand fans
    order = 1 if rng.random() < 0.7 else -1
    down = bool(rng.random() < 0.2)
    places = []
    for index in range(count):
        angle = (index - (count - 1) / 2) * spread * order + rng.normal(0, 0.1 * spread)
        reach = radius + rng.normal(0, 1.5)
        at = _turned(x, y, turn, np.sin(angle) * reach, radius - np.cos(angle) * reach)
        places.append(Place(*at, turn + angle, down))
    return places


def _captures(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """What a player has taken: two to five rows by kind, side by side, each a cascade of its own length and step."""
    rows = int(rng.integers(2, 6))
    sideways = rng.random() < 0.7
    size = (33.0, 54.0) if sideways else (54.0, 33.0)
    gap = rng.uniform(-14, 18)
    below = rng.random() < 0.4  # rows under one another, not beside
    loose = rng.uniform(0.2, 2.0)
    order = 1 if rng.random() < 0.65 else -1
    start = 0.0
    places = []
    for _ in range(rows):
        count, step = int(rng.integers(1, 11)), rng.uniform(6, 24)
        first = 0.0 if below else start
        for index in range(count):
            offset = first + (index if order > 0 else count - 1 - index) * step
            cross = (start if below else 0.0) + rng.normal(0, loose)
            along, across = (offset, cross) if sideways else (cross, offset)
            at = _turned(x, y, turn, along + rng.normal(0, 0.3 * loose), across)
            places.append(Place(*at, turn + rng.normal(0, 0.02 * loose) + _flip(rng, 0.04)))
        start += (size[1] + gap) if below else (count - 1) * step + size[0] + max(2.0, gap)
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
        for _ in range(rng.integers(4, 31))
    ]


def _pile(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """A squared pile, ±4 mm and ±8°, face up or down: captures not spread."""
    down = bool(rng.random() < 0.5)
    return [
        Place(x + rng.normal(0, 2), y + rng.normal(0, 2), turn + rng.normal(0, 0.07), down)
        for _ in range(rng.integers(1, 6))
    ]


def _stack(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """The stock, mostly face down, or captures face up: a squared stack of 6-40, now and then a card on it, askew."""
    down = bool(rng.random() < 0.8)
    places = [Place(x, y, turn + rng.normal(0, 0.02), down, layers=int(rng.integers(6, 41)))]
    if rng.random() < 0.15:  # the card just turned, or a sloppy top
        at = _turned(x, y, turn, rng.normal(0, 9), rng.normal(0, 12))
        places.append(Place(*at, turn + rng.normal(0, 0.2), bool(rng.random() < 0.4)))
    if rng.random() < 0.2:  # two stacks side by side
        at = _turned(x, y, turn, rng.uniform(36, 70), rng.normal(0, 10))
        places.append(
            Place(*at, turn + rng.normal(0, 0.1), bool(rng.random() < 0.6), layers=int(rng.integers(2, 25)))
        )
    return places


def _face_down(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """Cards dealt face down: a row or two, apart or overlapping."""
    count, rows = int(rng.integers(1, 9)), int(rng.integers(1, 3))
    step = rng.uniform(8, 30) if rng.random() < 0.5 else rng.uniform(33.5, 48)
    gap = rng.uniform(54.5, 75)
    loose = rng.uniform(0.1, 3)
    return [
        Place(
            *_turned(
                x, y, turn, (i - count / 2) * step + rng.normal(0, loose), row * gap + rng.normal(0, loose)
            ),
            turn + rng.normal(0, 0.02 * loose),
            bool(rng.random() < 0.95),
        )
        for row in range(rows)
        for i in range(count)
    ]


def _match(rng: Rng, x: float, y: float, turn: float) -> list[Place]:
    """A played card on its match: any share covered, along or across; sometimes two or three on one."""
    places = [Place(x, y, turn + _flip(rng, 0.4))]
    for _ in range(1 if rng.random() < 0.8 else int(rng.integers(2, 4))):
        over = _turned(x, y, turn, rng.normal(0, 14), rng.normal(0, 20))
        places.append(Place(*over, turn + rng.normal(0, 0.25) + _flip(rng, 0.4)))
    return places


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


_GROUPS: Final[tuple[tuple[Callable[[Rng, float, float, float], list[Place]], float, str], ...]] = (
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
#: Share of its size over which a card still rests on another one, mm between their centres.
_REACH: Final = 46.0


def settle(rng: Rng, places: list[Place], thickness: float, strength: float = 1.0) -> list[Place]:
    """Let each card rest on those below it: higher the more they overlap, and leaning a little; heaps lean most."""
    settled: list[Place] = []
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
            z += abs(along) * CARD_MM[0] / 2 + abs(across) * CARD_MM[1] / 2  # no corner below what it lies on
        tops[number] = z + thickness * place.layers
        settled.append(replace(place, z=z, lean=lean))
    return settled


def lay_cards(rng: Rng, extent: tuple[float, float], limit: int, factors: Factors = TRAINED) -> list[Place]:
    """Lay up to ``limit`` cards within about ``extent`` (mm, full width and height, centred on the origin)."""
    weights = np.array([weight * (getattr(factors, name) if name else 1) for _, weight, name in _GROUPS])
    weights /= weights.sum()
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
