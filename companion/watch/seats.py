"""Who laid a card: where arms reached over the table, and which way the card points; and whether the stock was touched.

Players sit around the table. Each has a usual offset from the seat, of the arm and of the cards, which is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import dist, exp, hypot, log, pi, radians, sqrt
from typing import Final

from companion.hanafuda.cards import CARD_MM, single_bits
from companion.observations import STOCK, HandEvent, Observation, TrackedCard
from companion.watch.evidence import WHOLE, Deck
from companion.watch.parameters import Parameters

_ARM_DELAY_S: Final = 0.5
"""Maximum delay between a card and the detection of its arm, s."""
_STOCK_MOVED_MM: Final = 0.3
"""The stock moves by more than this if a card is taken from it."""
_MOVED_MM: Final = 1.5
"""A card has moved if its center or its corners have by more than this; one that lies still is detected within 0.4 mm."""


@dataclass(slots=True)
class _SeatOffsets:
    """Each player's usual offset from the seat, fractions of a full turn, learned from what the player did."""

    over_players: float
    each_time: float
    """Standard deviations of the players' usual offsets, and of single actions around them."""
    sums: dict[int, float] = field(default_factory=dict)
    counts: dict[int, float] = field(default_factory=dict)

    def learn(self, seat: int, offset: float, weight: float = 1.0) -> None:
        self.sums[seat] = self.sums.get(seat, 0.0) + weight * offset
        self.counts[seat] = self.counts.get(seat, 0.0) + weight

    def density(self, seat: int, offset: float) -> float:
        """Return the probability density of an offset (-0.5 to 0.5) for a player; it integrates to 1 over a full turn."""
        variance = 1 / (1 / self.over_players**2 + self.counts.get(seat, 0.0) / self.each_time**2)
        usual = self.sums.get(seat, 0.0) / self.each_time**2 * variance
        spread = sqrt(variance + self.each_time**2)
        return exp(-(((offset - usual) / spread) ** 2) / 2) / (spread * sqrt(2 * pi))


@dataclass(frozen=True, slots=True)
class _LaidCard:
    """What was seen when a card came."""

    time: float
    """s; -1 if unknown."""
    arms: Sequence[HandEvent]
    towards: float | None
    still: bool = False
    """Whether the card already lay there in the same pose, so that only its look-alike can have come, exactly onto it."""


class Seats:
    """The evidence of one table about who acted."""

    def __init__(self, seats: int, deck: Deck, parameters: Parameters) -> None:
        self._seats, self._deck = seats, deck
        self._parameters = parameters
        self._arm = _SeatOffsets(parameters.over_players, parameters.of_arms)
        self._card = _SeatOffsets(parameters.over_players, parameters.of_cards)
        self._trust, self._cards = 1 - parameters.squared_up, 1.0
        """The share of the cards that lie as their players faced, and the number of cards that it is known from."""
        self._tracks: dict[int, TrackedCard] = {}
        """The cards of the observations before, by track."""
        self._stock: tuple[float, float] | None = None
        self._touched: bool | None = None
        self._arrivals: dict[int, _LaidCard] = {}
        """By card (the first of look-alikes), in this observation."""
        self._before: dict[int, _LaidCard] = {}
        """By card, when it last came in this or an earlier observation."""
        self._rest: Sequence[HandEvent] = ()
        """The arms that belong to no new track."""
        self._memo: dict[int, list[float]] = {}
        self._drawn: dict[int, float] = {}
        self.changed = False
        """Whether a card may have been laid on its look-alike since the observation before."""
        self.came = 0
        """Number of cards that came since the observation before, or look so."""
        self.last: int | None = None
        """The track of the card that came last."""

    def see(self, observation: Observation, zone: str) -> None:
        """Remember what happened at a zone since the observation before."""
        self._memo.clear()
        self._drawn.clear()
        self._see_stock(observation)
        self._arrivals = {}
        cards = [card for card in observation.cards if card.zone == zone]
        arms = observation.hand_events
        now = max((arm.time for arm in arms), default=observation.time)
        # A card that lay under others, or was moved, may be the look-alike of what the track was.
        again = {card.key for card in cards if self._is_again(card)}
        came = [
            (now if card.key in again else card.since, card)
            for card in cards
            if card.key in again or card.key not in self._tracks
        ]
        came.sort(key=lambda each: each[0])
        rest, previous = list(arms), -1.0
        for number, (time, card) in enumerate(came):
            following = came[number + 1][0] if number + 1 < len(came) else time + 2 * _ARM_DELAY_S
            latest = max(time, min(time + _ARM_DELAY_S, following - _ARM_DELAY_S))
            own = [arm for arm in arms if previous < arm.time <= latest][-3:]
            rest = [arm for arm in rest if arm not in own]
            self._arrive(card, _LaidCard(time, own, card.towards))
            previous = time
        self._rest = rest
        for card in cards:
            if card.key in self._tracks and card.key not in again and card.visible > WHOLE:
                self._arrive(card, _LaidCard(-1.0, rest, card.towards, still=True))
        # What looks like a strip at the edge of the pile may be none.
        whole = [card.key for _, card in came if card.visible > WHOLE]
        self.came = len(whole)
        self.changed = bool(rest or again)
        is_scanner = observation.source == "scanner"  # the tracks of card readers are negative
        others = {key: card for key, card in self._tracks.items() if (key < 0) != is_scanner}
        self._tracks = others | {card.key: card for card in cards}
        if whole:
            self.last = whole[-1]

    def _is_again(self, card: TrackedCard) -> bool:
        before = self._tracks.get(card.key)
        if before is None or card.visible <= WHOLE:
            return False
        return before.visible <= WHOLE or _moved(before, card)

    def _arrive(self, card: TrackedCard, arrival: _LaidCard) -> None:
        names = [name for name, _ in card.likely]
        # Only of its likeliest name can a card be that lies there already.
        for name in names[:1] if card.key in self._tracks else names:
            if (index := self._deck.index.get(name)) is not None:
                first = self._deck.first[index]
                known = self._arrivals.get(first)
                if known is None or known.still:
                    self._arrivals[first] = arrival
                if not arrival.still:
                    self._before[first] = arrival

    def _see_stock(self, observation: Observation) -> None:
        stock = next((card.at for card in observation.cards if card.zone == STOCK), None)
        self._touched = None
        if stock is not None and self._stock is not None and "camera-moved" not in observation.notes:
            self._touched = dist(stock, self._stock) > _STOCK_MOVED_MM
        self._stock = stock or self._stock

    def acted(self, seat: int, cards: int, below: int) -> float:
        """Return the log-likelihood of arms, directions and times if a player laid cards onto others, relative to the player whom they
        fit best."""
        if (known := self._memo.get(cards)) is None:
            arrival = self._arrival(cards)
            fits = [
                self._arms(each, arrival.arms) + self._directions(each, arrival.towards)
                for each in range(1, self._seats + 1)
            ]
            change = log(self._parameters.rare) if arrival.still else 0.0
            known = self._memo[cards] = [each - max(fits) + change for each in fits]
        early = below and 0 < self._arrival(cards).time < self._arrival(below).time
        return known[seat - 1] + (log(self._parameters.rare) if early else 0.0)

    def laid(self, cards: int) -> list[float]:
        """Return the probability of each player to have laid cards that lie on the table already."""
        arrival = self._first(cards, self._before) or _LaidCard(-1.0, (), None)
        weights = [
            exp(self._arms(each, arrival.arms) + self._directions(each, arrival.towards))
            for each in range(1, self._seats + 1)
        ]
        return [each / sum(weights) for each in weights]

    def drawn(self, cards: int, from_stock: bool) -> float:
        """Return the log-likelihood of what happened at the stock if cards came from there or from a hand, relative to the one that it
        fits best."""
        if (ratio := self._drawn.get(cards)) is None:
            arms = self._arrival(cards).arms
            known = self._parameters
            ratio = 0.0
            if self._touched is not None:
                ratio = _ratio(known.touched, known.untouched, self._touched)
            if arms and self._stock is not None:
                near = any(dist(arm.at, self._stock) < CARD_MM[1] for arm in arms)
                ratio += _ratio(known.reached, known.untouched, near)
            self._drawn[cards] = ratio
        return min(ratio, 0.0) if from_stock else min(-ratio, 0.0)

    def learn(self, seat: int, cards: int) -> None:
        """Learn from cards that a player laid."""
        arrival = self._first(cards, self._before)
        if arrival is None:
            return
        for arm in arrival.arms:
            if arm.around is not None:
                self._arm.learn(seat, self._offset(arm.around, seat))
        if arrival.towards is not None:
            offset = self._offset(arrival.towards, seat)
            p = self._p_facing(seat, offset) * self._trust
            p /= p + 1 - self._trust
            self._cards += 1
            self._trust += (p - self._trust) / self._cards
            self._card.learn(seat, (offset + 0.25) % 0.5 - 0.25, p)

    def _arrival(self, cards: int) -> _LaidCard:
        return self._first(cards, self._arrivals) or _LaidCard(-1.0, self._rest, None)

    def _first(self, cards: int, laid: Mapping[int, _LaidCard]) -> _LaidCard | None:
        firsts = (self._deck.first[bit.bit_length() - 1] for bit in single_bits(cards))
        return next((found for first in firsts if (found := laid.get(first)) is not None), None)

    def _arms(self, seat: int, arms: Sequence[HandEvent]) -> float:
        logs = [weight for arm in arms if (weight := self._of_arm(seat, arm)) is not None]
        return sum(logs) / len(logs) if logs else 0.0

    def _of_arm(self, seat: int, arm: HandEvent) -> float | None:
        if arm.around is not None:
            density = self._arm.density(seat, self._offset(arm.around, seat))
            return log((1 - self._parameters.rare) * density + self._parameters.rare)
        if arm.seat is None:
            return None
        other = self._parameters.other_side
        p = 1 - other if arm.seat == seat else other / max(1, self._seats - 1)
        return log(p * self._seats)

    def _directions(self, seat: int, towards: float | None) -> float:
        if towards is None:
            return 0.0
        return log(self._trust * self._p_facing(seat, self._offset(towards, seat)) + 1 - self._trust)

    def _p_facing(self, seat: int, offset: float) -> float:
        upright, turned = self._card.density(seat, offset), self._card.density(seat, (offset + 1.0) % 1 - 0.5)
        return upright + self._parameters.upside_down * (turned - upright)

    def _offset(self, around: float, seat: int) -> float:
        """Return the offset of a position around the table from a player's seat, -0.5 to 0.5 of a full turn."""
        return (around - (seat - 1) / self._seats + 0.5) % 1 - 0.5


def by_sides(arms: Iterable[HandEvent], parameters: Parameters) -> Callable[[int, int, int], float]:
    """Return `TableClues.acted` where players sit on two sides: it is rare that arms are detected, but none on the side of the player
    who acts."""
    seats = {arm.seat for arm in arms if arm.seat is not None}
    log_rare = log(parameters.rare)

    def acted(seat: int, cards: int, below: int) -> float:
        return log_rare if seats and seat not in seats else 0.0

    return acted


def _ratio(p: float, otherwise: float, seen: bool) -> float:
    return log(p / otherwise) if seen else log((1 - p) / (1 - otherwise))


def _moved(one: TrackedCard, other: TrackedCard) -> bool:
    """Return whether the poses of a card differ by more than the tolerance; card readers know no positions."""
    turned = radians(abs((other.angle - one.angle + 180) % 360 - 180))
    return max(dist(one.at, other.at), turned * hypot(*CARD_MM) / 2) > _MOVED_MM
