"""What happens at real tables besides the game: players tidy up, rest an arm, switch a lamp, bump into the camera.

Each disturbance takes a stage, a round record and the number (from 0) of the turn before which it happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import card
from companion.observations import FIELD, captured_zone
from hanafuda_training.rounds.fishing import lay, stow
from hanafuda_training.rounds.stage import DEAL, Arrangement, Disturb, Moment, PlacedCard, Spot, Stage
from hanafuda_training.rounds.table_positions import side

__all__ = ["ANYWHERE", "COVERS", "FISHING", "Disturbances", "take_back"]

#: How long an arm rests over the table, s, short times as likely as long ones by their logarithm.
_ARM_S: Final = (3.0, 20.0)
#: Where an arm rests or an object is laid down: half the width and depth of the area, mm.
_REACH: Final[Spot] = (150.0, 60.0)
#: Positions without cards, mm as player 1 sees them with the draw pile on the left.
_FREE_POSITIONS: Final[tuple[Spot, ...]] = ((270.0, -10.0), (250.0, 30.0), (-255.0, 20.0), (-250.0, -40.0))
#: Standard deviation of a nudge, mm and degrees, and the largest number of cards that it moves.
_NUDGE: Final = (9.0, 8.0)
_NUDGED: Final = 4
#: How many turns a field card stays unread at most.
_UNREAD_TURNS: Final = 6


def tidy(stage: Stage, record: Mapping[str, Any], number: int) -> Iterator[Moment]:
    """The player to move lays his captured cards out anew."""
    seat = record["turns"][number]["player"]
    cards = [pose.card for pose in stage.cards if pose.zone == captured_zone(seat)]
    if not cards:
        return
    others: tuple[Arrangement, ...] = ("groups", "pairs", "row")
    yield from stage.reach(seat, stage.find(cards[0]).at, "tidy")
    stage.take(cards)
    stage.loose.pop(seat, None)
    stage.tidied[seat] = others[int(stage.rng.integers(len(others)))]
    yield from stow(stage, seat, cards)
    yield from stage.rest("tidied", stage.manner.rest)


def nudge(stage: Stage, record: Mapping[str, Any], number: int) -> Iterator[Moment]:
    """A sleeve or a hand shifts a few neighboring cards."""
    seat = record["turns"][number]["player"]
    loose = [pose for pose in stage.cards if pose.zone not in {"", "stock"}]
    if not loose:
        return
    first = loose[int(stage.rng.integers(len(loose)))]
    nearest = sorted(loose, key=lambda pose: abs(pose.x - first.x) + abs(pose.y - first.y))
    yield from stage.reach(seat, first.at, "nudge")
    mm, degrees = _NUDGE
    x, y = stage.rng.normal(0, mm, 2)
    for pose in nearest[: int(stage.rng.integers(1, _NUDGED + 1))]:
        turn = pose.turn + float(stage.rng.normal(0, degrees))
        own_x, own_y = stage.rng.normal(0, mm / 4, 2)
        moved = replace(pose, x=pose.x + float(x + own_x), y=pose.y + float(y + own_y), turn=turn)
        stage.cards[stage.cards.index(pose)] = moved
    yield from stage.rest("nudged", stage.manner.rest)


def takeback(stage: Stage, record: Mapping[str, Any], number: int) -> Iterator[Moment]:
    """The player to move plays a card, takes it back, and plays another."""
    turn = record["turns"][number]
    seat = turn["player"]
    gone = {each["play"] for each in record["turns"][: number + 1]}
    hand = [each for each in record["deal"]["hands"][str(seat)] if each not in gone]
    if hand:
        stage.turn += 1
        yield from take_back(stage, seat, hand[int(stage.rng.integers(len(hand)))], stage.manner.rest)
        stage.turn -= 1


def take_back(stage: Stage, seat: int, first: str, rest: float) -> Iterator[Moment]:
    """Play a hand card, leave it on the table for ``rest`` s, and take it back."""
    month = card(first).month
    captured = [pose.card for pose in stage.cards if pose.zone == FIELD and card(pose.card).month == month]
    yield from lay(stage, seat, first, captured, "reach")
    yield from stage.rest("played", rest)
    position = stage.find(first).at
    yield from stage.reach(seat, position, "takeback")
    stage.take([first])
    yield from stage.reach(seat, (position[0], 260.0 * side(seat)), "takeback", [first])
    yield from stage.rest("taken-back", rest)


def arm(stage: Stage, record: Mapping[str, Any], number: int) -> Iterator[Moment]:
    """The player to move rests an arm on the table."""
    seat = record["turns"][number]["player"]
    x, y = stage.rng.uniform(-1, 1, 2) * _REACH
    yield from stage.reach(seat, (float(x), float(y)), "arm")
    yield from stage.hold(seat, "arm-rests", float(np.exp(stage.rng.uniform(*np.log(_ARM_S)))))


def lamp(stage: Stage, _record: Mapping[str, Any], _number: int) -> Iterator[Moment]:
    """A lamp is switched on or off."""
    stage.lamp += 1
    yield from stage.rest("lamp", stage.manner.rest)


def bump(stage: Stage, _record: Mapping[str, Any], _number: int) -> Iterator[Moment]:
    """The camera is bumped."""
    stage.view += 1
    yield from stage.rest("bumped", stage.manner.rest)


def put_object(stage: Stage, record: Mapping[str, Any], number: int) -> Iterator[Moment]:
    """The player to move lays down a phone or a cup, or takes it away."""
    seat = record["turns"][number]["player"]
    placed = next((pose for pose in stage.cards if pose.card in {"phone", "cup"}), None)
    if placed is not None:
        yield from stage.reach(seat, placed.at, "thing")
        stage.cards.remove(placed)
    else:
        x, y = _FREE_POSITIONS[int(stage.rng.integers(len(_FREE_POSITIONS)))]
        name, turn = str(stage.rng.choice(("phone", "cup"))), float(stage.rng.uniform(0, 180))
        yield from stage.reach(seat, (x, y), "thing")
        stage.cards.insert(0, PlacedCard(name, -stage.manner.stock_side * x, y, turn, ""))
    yield from stage.rest("object", stage.manner.rest)


def face_down(stage: Stage, record: Mapping[str, Any], number: int) -> Iterator[Moment]:
    """The player to move lays the hand card face down by mistake and turns it up."""
    stage.turned_over = record["turns"][number]["play"]
    yield from ()


def hurry(stage: Stage, _record: Mapping[str, Any], _number: int) -> Iterator[Moment]:
    """The next player does not wait: two turns are over before the table is at rest."""
    stage.hurried = True
    yield from ()


ANYWHERE: Final[Mapping[str, Disturb]] = {
    "arm": arm,
    "lamp": lamp,
    "bump": bump,
    "object": put_object,
    "nudge": nudge,
}
"""Disturbances of every game."""
FISHING: Final[Mapping[str, Disturb]] = {
    **ANYWHERE,
    "tidy": tidy,
    "takeback": takeback,
    "face-down": face_down,
    "hurry": hurry,
}
"""Disturbances of fishing games."""
COVERS: Final = ("unread-glare", "unread-covered", "unread-face-down")
"""How a field card of the deal can be unread."""


@dataclass
class Disturbances:
    """The disturbances of one round, a `Disturb`.

    ``before``: names by the number of the turn before which they happen. ``unread``: how a field card of the deal is
    unread (one of `COVERS`), if one is; it can be read again when it is captured, or after some turns.
    """

    before: Mapping[int, str]
    unread: str | None = None
    _card: str | None = field(default=None, init=False)
    _cover: PlacedCard | None = field(default=None, init=False)
    _until: int = field(default=0, init=False)

    def __call__(self, stage: Stage, record: Mapping[str, Any], number: int) -> Iterator[Moment]:
        """Let happen what happens before a turn."""
        if number == DEAL:
            if self.unread is not None:
                self._hide(stage)
            return
        turn = record["turns"][number]
        captured = (*turn.get("captured", ()), *turn.get("draw_captured", ()))
        if self._card is not None and (number >= self._until or self._card in captured):
            yield from self._uncover(stage, turn["player"])
        if number in self.before:
            yield from FISHING[self.before[number]](stage, record, number)

    def _hide(self, stage: Stage) -> None:
        placed = [pose for pose in stage.cards if pose.zone == FIELD]
        hidden = placed[int(stage.rng.integers(len(placed)))]
        self._card, self._until = hidden.card, int(stage.rng.integers(1, _UNREAD_TURNS + 1))
        if self.unread == "unread-face-down":
            stage.cards[stage.cards.index(hidden)] = replace(hidden, face_down=True)
        else:
            name = "glare" if self.unread == "unread-glare" else "note"
            self._cover = PlacedCard(name, *hidden.at, float(stage.rng.uniform(0, 90)), "")
            stage.cards.append(self._cover)

    def _uncover(self, stage: Stage, seat: int) -> Iterator[Moment]:
        assert self._card is not None
        yield from stage.reach(seat, stage.find(self._card).at, "uncover")
        if self._cover is not None:
            stage.cards.remove(self._cover)
        else:
            hidden = stage.find(self._card)
            stage.cards[stage.cards.index(hidden)] = replace(hidden, face_down=False)
        self._card = None
        yield from stage.rest("uncovered", stage.manner.rest)
