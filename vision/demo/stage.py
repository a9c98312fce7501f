"""What lies on the demo's table and what hands do to it, as a sequence of moments that a renderer can draw.

All in mm on the table, as `companion.observations` has it: x to the right, y towards the lower edge of the picture, the
middle of the table at the origin. Seat 1 sits below, seat 2 above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

__all__ = ["Hand", "Lying", "Manner", "Moment", "Spot", "Stage", "bearing", "facing"]

Rng: TypeAlias = np.random.Generator
Spot: TypeAlias = tuple[float, float]

#: How far from the table's middle a hand is out of sight, mm: to the side, and up or down.
_AWAY: Final = (470.0, 300.0)


@dataclass(frozen=True, slots=True)
class Lying:
    """A card (or ``back``) whose middle lies at x, y, its upper end turned clockwise by ``turn`` degrees from the top.

    ``paper``, ``phone`` and ``western`` (a card of another pack) lie there in the same way, in no zone. ``layers`` > 1 is a squared stack of as many cards; ``lift`` mm under it where it is held.
    """

    card: str
    x: float
    y: float
    turn: float
    zone: str
    layers: int = 1
    lift: float = 0.0

    @property
    def at(self) -> Spot:
        """Its middle, mm."""
        return self.x, self.y


@dataclass(frozen=True, slots=True)
class Hand:
    """The hand of the player at ``seat``, its fingertips moving from ``start`` to ``end``, mm; ``holding`` cards.

    ``bearing`` as the function.
    """

    seat: int
    bearing: float
    start: Spot
    end: Spot
    holding: tuple[str, ...] = ()

    def tip(self, share: float) -> Spot:
        """Return where the fingertips are after a ``share`` (0-1) of the moment: hands start and stop gently."""
        eased = share * share * (3 - 2 * share)
        return (
            self.start[0] + (self.end[0] - self.start[0]) * eased,
            self.start[1] + (self.end[1] - self.start[1]) * eased,
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """A stretch of time in which only a hand moves: ``cards`` lowest first, ``turn`` from 1 (0: the deal).

    ``view`` and ``lamp`` count how often the camera was knocked and the light switched.
    """

    what: str
    seconds: float
    turn: int
    cards: tuple[Lying, ...]
    hand: Hand | None = None
    view: int = 0
    lamp: int = 0
    said: tuple[int, str] | None = None
    """What a player says as the moment begins: his seat, and the word of a call."""

    @property
    def settled(self) -> bool:
        """Whether no hand is over the table."""
        return self.hand is None


@dataclass(frozen=True, slots=True)
class Manner:
    """How the players at a table handle their cards.

    ``reach`` s a movement of the hand takes; ``rest`` s the hands are away after a turn, ``think`` s longer where there
    is something to decide; ``pause`` s they are away
    between the card played and the card drawn, 0 where the hand goes straight to the stock; ``mm`` and ``degrees`` how
    untidily cards are laid (standard deviations); ``collect``: captured cards are taken in ``each`` by itself, ``both``
    together at the end of the turn, or ``late``: dropped in front of the player and sorted at his next turn;
    ``step`` mm from card to card in what was captured: small ones cover each other;
    ``rearrange``: the chance that a player pushes one of his piles elsewhere after a turn.
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

    @classmethod
    def drawn(cls, rng: Rng, mess: float) -> Manner:
        """Return somebody's way to play; ``mess`` 0 is tidy, 1 quick and careless."""
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
    """The table while a script runs: verbs change it and yield the moments that show how."""

    rng: Rng
    manner: Manner
    players: int = 2
    turn: int = 0
    cards: list[Lying] = field(default_factory=list)
    view: int = 0
    lamp: int = 0
    loose: dict[int, list[str]] = field(default_factory=dict)
    """What a player captured and has not put away yet, a list a seat."""
    pushed: dict[tuple[int, str], Spot] = field(default_factory=dict)
    """How far a player has pushed his row of a kind, mm as he sees it."""
    _tips: dict[int, Spot] = field(default_factory=dict)

    def _moment(
        self, what: str, seconds: float, hand: Hand | None = None, said: tuple[int, str] | None = None
    ) -> Moment:
        cards = tuple(self.cards)
        return Moment(what, seconds, self.turn, cards, hand, self.view, self.lamp, said)

    def say(self, seat: int, said: str) -> Iterator[Moment]:
        """Let a player think and then say what he has decided, no hand over the table."""
        yield from self.rest("settled", self.manner.rest + self.manner.think)
        yield self._moment("settled", 0.5 * self.manner.rest, said=(seat, said))

    def rest(self, what: str, seconds: float) -> Iterator[Moment]:
        """Leave the table as it is, no hand over it; a hand still there is withdrawn first."""
        for seat in tuple(self._tips):
            yield from self.withdraw(seat)
        yield self._moment(what, seconds)

    def reach(self, seat: int, to: Spot, what: str, holding: Iterable[str] = ()) -> Iterator[Moment]:
        """Move the hand of ``seat`` to a place; it comes from his side where it was not over the table."""
        for other in tuple(self._tips):
            if other != seat:
                yield from self.withdraw(other)
        start = self._tips.get(seat, self._home(seat, to))
        way = float(np.hypot(to[0] - start[0], to[1] - start[1]))
        seconds = self.manner.reach * (0.35 + 0.65 * min(1.0, way / 250)) * self.rng.uniform(0.85, 1.15)
        self._tips[seat] = to
        yield self._moment(what, float(seconds), Hand(seat, self._bearing(seat), start, to, tuple(holding)))

    def withdraw(self, seat: int) -> Iterator[Moment]:
        """Take the hand of ``seat`` away from the table."""
        tip = self._tips.pop(seat)
        seconds = self.manner.reach * 0.7
        yield self._moment("withdraw", seconds, Hand(seat, self._bearing(seat), tip, self._home(seat, tip)))

    def _bearing(self, seat: int) -> float:
        return bearing(seat, self.players)

    def _home(self, seat: int, tip: Spot) -> Spot:
        """Return where the hand of a seat is out of sight when it reaches for ``tip``."""
        across, down = np.cos(self._bearing(seat)), np.sin(self._bearing(seat))
        away = min(_AWAY[0] / max(abs(across), 1e-6), _AWAY[1] / max(abs(down), 1e-6))
        beside = -tip[0] * down + tip[1] * across
        return (
            float(across * away - 0.6 * beside * down),
            float(down * away + 0.6 * beside * across),
        )

    def find(self, card: str) -> Lying:
        """Return where a card lies; `KeyError` where it is not on the table."""
        for lying in self.cards:
            if lying.card == card:
                return lying
        raise KeyError(card)

    def thin(self, stock: Lying) -> None:
        """Take the top card off a stock."""
        rest = [replace(stock, layers=stock.layers - 1)] if stock.layers > 1 else []
        at = self.cards.index(stock)
        self.cards[at : at + 1] = rest

    def put(self, lying: Lying) -> Lying:
        """Lay a card on top of all, as neatly as these players do; return how it lies."""
        mm, degrees = self.manner.mm, self.manner.degrees
        x, y = self.rng.normal(0, mm, 2)
        laid = replace(
            lying,
            x=lying.x + float(x),
            y=lying.y + float(y),
            turn=lying.turn + float(self.rng.normal(0, degrees)),
        )
        self.cards.append(laid)
        return laid

    def take(self, cards: Sequence[str]) -> list[Lying]:
        """Take cards up; return how they lay."""
        taken = [self.find(card) for card in cards]
        self.cards = [lying for lying in self.cards if lying not in taken]
        return taken


def bearing(seat: int, players: int) -> float:
    """Return in which direction a player sits as seen from the table's middle, radians clockwise from the right.

    Seat 1 is below; the next sits to his right, and so on counter-clockwise.
    """
    return float(np.pi / 2 - 2 * np.pi * (seat - 1) / players)


def facing(seat: int, players: int) -> float:
    """Return how a card lies that faces a player, degrees clockwise from the top."""
    return float(np.degrees(bearing(seat, players))) - 90.0
