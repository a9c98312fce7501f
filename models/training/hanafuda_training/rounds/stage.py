"""The simulated table: cards and hand movements as a sequence of moments that a renderer can draw.

Coordinates are mm on the table as in `companion.observations`: x to the right, y toward the lower edge of the picture, with
the origin at the center of the table. Seat 1 is at the bottom, seat 2 at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

__all__ = [
    "DEAL",
    "Arrangement",
    "Disturb",
    "HandMovement",
    "Manner",
    "Moment",
    "PlacedCard",
    "Spot",
    "Stage",
    "bearing",
    "facing",
    "undisturbed",
]

Rng: TypeAlias = np.random.Generator
Spot: TypeAlias = tuple[float, float]
Arrangement: TypeAlias = Literal["groups", "pairs", "row", "heap"]
"""Captured cards in a row for each type, with what they were captured with, in one long row, or in a heap."""

#: Distance from the table's center at which a hand is outside the picture: horizontally and vertically, mm.
_AWAY: Final = (470.0, 300.0)
#: Rests (`Moment.what`) with the turn complete.
_BETWEEN_TURNS: Final = frozenset(
    {
        "dealt", "settled", "opened", "passed", "showdown", "end",
        "tidied", "nudged", "lamp", "bumped", "object", "uncovered",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """The pose of a card on the table.

    ``card``: a card id, ``back``, or a foreign object (``paper``, ``phone``, ``cup``, ``western``: a card of another deck;
    ``glare``: a reflection), which has no zone. ``x``, ``y``: its center, mm. ``turn``: clockwise rotation of its upper edge from the top, degrees. ``layers``: number
    of cards in a squared stack. ``lift``: height above the table of a card in a hand, mm. ``face_down``: its back is visible.
    """

    card: str
    x: float
    y: float
    turn: float
    zone: str
    layers: int = 1
    lift: float = 0.0
    face_down: bool = False

    @property
    def at(self) -> Spot:
        """The center of the card, mm."""
        return self.x, self.y


@dataclass(frozen=True, slots=True)
class HandMovement:
    """A hand movement of the player at ``seat``: the fingertips move from ``start`` to ``end`` (mm).

    ``holding``: ids of the cards in the hand. ``bearing``: direction of the seat, radians, see the function `bearing`.
    """

    seat: int
    bearing: float
    start: Spot
    end: Spot
    holding: tuple[str, ...] = ()

    def tip(self, progress: float) -> Spot:
        """Return the position of the fingertips (mm) at ``progress`` (0-1) of the moment, with smooth acceleration."""
        eased = progress * progress * (3 - 2 * progress)
        return (
            self.start[0] + (self.end[0] - self.start[0]) * eased,
            self.start[1] + (self.end[1] - self.start[1]) * eased,
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """An interval during which only a hand moves.

    ``what``: name of the action, part of the frame's file name. ``cards``: from bottom to top. ``turn``: counts from 1; 0 is
    the deal. ``view``, ``lamp``: how often the camera was moved and the lamp switched so far.
    """

    what: str
    seconds: float
    turn: int
    cards: tuple[PlacedCard, ...]
    hand: HandMovement | None = None
    view: int = 0
    lamp: int = 0
    call: tuple[int, str] | None = None
    """A call made at the start of the moment: seat and call, such as ``stop``."""

    @property
    def settled(self) -> bool:
        """Whether the table is free of hands."""
        return self.hand is None

    @property
    def is_between_turns(self) -> bool:
        """Whether the table is at rest with the turn complete."""
        return self.hand is None and self.what in _BETWEEN_TURNS


@dataclass(frozen=True, slots=True)
class Manner:
    """How the players handle their cards.

    ``reach``: duration of a hand movement, s. ``rest``: time without hands after a turn, s. ``think``: additional time before a
    decision, s. ``pause``: time without hands between the played and the drawn card, s (0: the hand goes straight to the draw
    pile). ``mm``, ``degrees``: standard deviations of card position and rotation. ``collect``: when captured cards are taken:
    ``each`` capture at once, ``both`` together at the end of the turn, or ``late``: dropped in front of the player and sorted
    on his next turn. ``step``: distance between neighboring captured cards, mm. ``rearrange``: probability that a player moves
    one of his rows after a turn. ``captured``: how each player lays out captured cards (`Arrangement`). ``stock_side``: the draw
    pile is on the left (-1) or on the right (1).
    """

    reach: float = 0.8
    rest: float = 1.6
    think: float = 0.0
    pause: float = 0.0
    mm: float = 1.5
    degrees: float = 3.0
    collect: str = "both"
    step: float = 15.0
    rearrange: float = 0.0
    captured: tuple[Arrangement, Arrangement] = ("groups", "groups")
    stock_side: Literal[-1, 1] = -1

    @classmethod
    def drawn(cls, rng: Rng, mess: float) -> Manner:
        """Return a random style; ``mess`` ranges from 0 (tidy) to 1 (fast and careless)."""
        return cls(
            reach=float(rng.uniform(0.5, 1.0)),
            rest=float(rng.uniform(1.2, 2.0)),
            pause=float(rng.choice((0.0, 0.0, 1.1))),
            mm=float(0.8 + mess * rng.uniform(0, 2.5)),
            degrees=float(1.5 + mess * rng.uniform(0, 6)),
            collect=str(rng.choice(("each", "both", "late"))),
            step=float(rng.choice((17.0, 15.0, 11.0, 4.0), p=(0.3, 0.3, 0.25, 0.15))),
            rearrange=float(mess * rng.uniform(0, 0.3)),
        )


@dataclass
class Stage:
    """The table during a simulated round: each method changes the table and yields the moments that show the change."""

    rng: Rng
    manner: Manner
    players: int = 2
    turn: int = 0
    cards: list[PlacedCard] = field(default_factory=list)
    view: int = 0
    lamp: int = 0
    loose: dict[int, list[str]] = field(default_factory=dict)
    """Captured cards that the players have not sorted yet, by seat."""
    tidied: dict[int, Arrangement] = field(default_factory=dict)
    """New arrangements of players who tidied their captured cards, by seat."""
    pushed: dict[tuple[int, str], Spot] = field(default_factory=dict)
    """Displacement of a row of captured cards by seat and card type, mm as its owner sees it."""
    hurried: bool = False
    """Whether the next player follows without a rest after the current turn."""
    turned_over: str | None = None
    """A card that is laid face down by mistake when it is played."""
    _tips: dict[int, Spot] = field(default_factory=dict)

    def _moment(
        self, what: str, seconds: float, hand: HandMovement | None = None, call: tuple[int, str] | None = None
    ) -> Moment:
        cards = tuple(self.cards)
        return Moment(what, seconds, self.turn, cards, hand, self.view, self.lamp, call)

    def say(self, seat: int, call: str) -> Iterator[Moment]:
        """Let a player think and then make a call, with no hand over the table."""
        yield from self.rest("settled", self.manner.rest + self.manner.think)
        yield self._moment("settled", 0.5 * self.manner.rest, call=(seat, call))

    def rest(self, what: str, seconds: float) -> Iterator[Moment]:
        """Withdraw any hand, then leave the table unchanged for ``seconds``."""
        for seat in tuple(self._tips):
            yield from self.withdraw(seat)
        yield self._moment(what, seconds)

    def reach(self, seat: int, to: Spot, what: str, holding: Iterable[str] = ()) -> Iterator[Moment]:
        """Move the hand of ``seat`` to a position (mm); a hand that is not over the table enters from the player's side."""
        for other in tuple(self._tips):
            if other != seat:
                yield from self.withdraw(other)
        start = self._tips.get(seat, self._home(seat, to))
        distance = float(np.hypot(to[0] - start[0], to[1] - start[1]))
        seconds = self.manner.reach * (0.35 + 0.65 * min(1.0, distance / 250)) * self.rng.uniform(0.85, 1.15)
        self._tips[seat] = to
        yield self._moment(
            what, float(seconds), HandMovement(seat, self._bearing(seat), start, to, tuple(holding))
        )

    def hold(self, seat: int, what: str, seconds: float) -> Iterator[Moment]:
        """Leave the hand of ``seat`` where it is for ``seconds``."""
        tip = self._tips[seat]
        yield self._moment(what, seconds, HandMovement(seat, self._bearing(seat), tip, tip))

    def withdraw(self, seat: int) -> Iterator[Moment]:
        """Move the hand of ``seat`` outside the picture."""
        tip = self._tips.pop(seat)
        seconds = self.manner.reach * 0.7
        yield self._moment(
            "withdraw", seconds, HandMovement(seat, self._bearing(seat), tip, self._home(seat, tip))
        )

    def _bearing(self, seat: int) -> float:
        return bearing(seat, self.players)

    def _home(self, seat: int, tip: Spot) -> Spot:
        """Return the position outside the picture from which the hand of a seat reaches ``tip``."""
        across, down = np.cos(self._bearing(seat)), np.sin(self._bearing(seat))
        distance = min(_AWAY[0] / max(abs(across), 1e-6), _AWAY[1] / max(abs(down), 1e-6))
        sideways = -tip[0] * down + tip[1] * across
        return (
            float(across * distance - 0.6 * sideways * down),
            float(down * distance + 0.6 * sideways * across),
        )

    def arrangement(self, seat: int) -> Arrangement:
        """Return how the player at ``seat`` (1 or 2) lays out captured cards now."""
        return self.tidied.get(seat, self.manner.captured[seat - 1])

    def find(self, card: str) -> PlacedCard:
        """Return a card on the table. Raises `KeyError` if the card is not on the table."""
        for placed in self.cards:
            if placed.card == card:
                return placed
        raise KeyError(card)

    def thin(self, stock: PlacedCard) -> None:
        """Remove the top card of a stack."""
        remaining = [replace(stock, layers=stock.layers - 1)] if stock.layers > 1 else []
        index = self.cards.index(stock)
        self.cards[index : index + 1] = remaining

    def put(self, pose: PlacedCard) -> PlacedCard:
        """Place a card on top of all others, with the random deviation of the players' style; return its pose."""
        mm, degrees = self.manner.mm, self.manner.degrees
        x, y = self.rng.normal(0, mm, 2)
        placed = replace(
            pose,
            x=pose.x + float(x),
            y=pose.y + float(y),
            turn=pose.turn + float(self.rng.normal(0, degrees)),
        )
        self.cards.append(placed)
        return placed

    def take(self, cards: Sequence[str]) -> list[PlacedCard]:
        """Remove cards from the table; return the poses they had."""
        taken = [self.find(card) for card in cards]
        self.cards = [placed for placed in self.cards if placed not in taken]
        return taken


Disturb: TypeAlias = Callable[[Stage, Mapping[str, Any], int], Iterator[Moment]]
"""What happens on a table besides the game before turn ``number`` (from 0) of a record, or at the end of the deal (`DEAL`)."""

DEAL: Final = -1
"""The number of a `Disturb` for the field's cards, before the table is at rest for the first time."""


def undisturbed(_stage: Stage, _record: Mapping[str, Any], _number: int) -> Iterator[Moment]:
    """Let nothing happen besides the game."""
    yield from ()


def bearing(seat: int, players: int) -> float:
    """Return the direction of a seat from the table's center, in radians clockwise from the right.

    Seat 1 is at the bottom; seats follow counter-clockwise.
    """
    return float(np.pi / 2 - 2 * np.pi * (seat - 1) / players)


def facing(seat: int, players: int) -> float:
    """Return the angle of a card that faces a player, degrees clockwise from the top."""
    return float(np.degrees(bearing(seat, players))) - 90.0
