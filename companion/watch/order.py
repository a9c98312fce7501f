"""An estimate of which of a turn's two cards came from the hand and which from the draw pile, where the rules allow both.

The beam knows the cards and captures of a turn; their order has an estimate of its own, because other evidence decides it. One
logistic model weighs everything. Each feature is the difference between what one card and the other show, so that exchanging them
changes the sign, and two cards of which nothing is known have even odds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import dist, exp, isnan
from typing import Any, Final, NamedTuple

from companion.hanafuda.cards import BACK, CARD_MM, HANAFUDA, first_of
from companion.hanafuda.fishing.camera import FaceUpState, exchanged
from companion.hanafuda.fishing.captures import ids_of
from companion.observations import FIELD, STOCK, HandEvent, Observation, TrackedCard
from companion.watch.beam import PlayedTurn
from companion.watch.evidence import UNREAD
from companion.watch.parameters import PARAMETERS

__all__ = ["WEIGHTS", "Arrivals", "Features", "features", "likelier_order", "order_probability"]

Point = tuple[float, float]

_CHAFF: Final = {card.id for card in HANAFUDA if card.kind == "chaff"}


class Features(NamedTuple):
    """What suggests that a play and a draw came in this order: positive for it, negative against it, 0 if it says nothing."""

    observation: float
    """The play was in an earlier observation: the table rested in between."""
    apart: float
    """The play had come when the draw was still absent."""
    sooner: float
    """The play was detected up to a second sooner, about the shortest time to the draw. A hand may have hidden the first card."""
    piled: float
    """The same if one of them was first detected in a captured pile, where it may have come long after it was laid down."""
    stacked: float
    """The draw lies on the play."""
    turned_up: float
    """The draw was detected at the draw pile, or on the way from there, before it came to its place."""
    stock: float
    """A hand was at the draw pile after the play had come, or before the draw had."""
    captures: float
    """Only the play captures: players choose a hand card that captures if they can; the drawn card is chance."""
    captures_late: float
    """The same times the number of plays before it: a smaller hand leaves less to choose from."""
    chaff: float
    """Neither captures, and only the play is chaff: players lay down what costs least."""


WEIGHTS: Final = Features(**PARAMETERS.order)
"""Log-odds for each feature: the last three are fitted to rounds between people, the others to composed rounds."""


class _Arrival(NamedTuple):
    """A card that came to a place, or was detected in motion."""

    observation: int
    """Number of the observation."""
    key: int | None
    """Its track, None in motion."""
    absent: float | None
    """It came after this, s; None if unknown."""
    since: float
    """It came by this, s."""
    timed: bool
    """Whether it came soon before ``since``: a card first detected at rest came at an unknown time before."""
    zone: str
    at: Point


class _Coming(NamedTuple):
    """How a card of a turn came."""

    first: _Arrival
    """Of it, or of a card that it captured, to a pile."""
    absent: float
    """It came after this, s; -1 if unknown."""
    in_pile: bool
    """Whether it was first detected in a captured pile."""
    keys: frozenset[int | None]
    """Its tracks, None in motion."""
    moving: Sequence[Point]
    """Where it was detected in motion."""
    goals: Sequence[Point]
    """Where it was laid: at its place on the field, or on cards that it captured."""


@dataclass(slots=True)
class Arrivals:
    """When and where cards arrived in a round, and what the hands did."""

    missed: int = 0
    """The number of turns of the round before the first observation."""
    dealt: int = 0
    """The field cards of the deal, 0 if unknown."""
    stock: Point | None = None
    """The position of the draw pile."""
    hands: list[tuple[int, HandEvent]] = field(default_factory=list)
    """Each with the number of its observation."""
    below: dict[int, set[int]] = field(default_factory=dict)
    """The tracks that each track was on while it lay on the field."""
    _observations: int = 0
    _time: float = -1.0
    _latest: dict[int, _Arrival] = field(default_factory=dict)
    """By track."""
    _born: dict[int, float] = field(default_factory=dict)
    """By track, the time by which it first came, s."""
    _by_card: dict[str, list[_Arrival]] = field(default_factory=dict)
    """Of look-alikes the first."""
    _untouched: dict[tuple[int, int | None], float] = field(default_factory=dict)
    """By observation and track."""

    def in_round(self, dealt: int) -> Arrivals:
        """Return the arrivals in a round in which these field cards seem to have been dealt: none yet if most are others than before."""
        is_next = 2 * (dealt & self.dealt).bit_count() < self.dealt.bit_count()
        arrivals = Arrivals() if is_next else self
        arrivals.dealt = dealt
        return arrivals

    def see(self, observation: Observation) -> None:
        """Remember what came since the observation before."""
        self._observations += 1
        number = self._observations
        for each in observation.transient_detections:
            absent = each.absent if _tells_absence(each.zone, each.at) else None
            arrival = _Arrival(number, None, absent, each.since, True, each.zone, each.at)
            self._by_card.setdefault(first_of(each.likeliest[0]), []).append(arrival)
        for card in sorted(observation.cards, key=lambda each: -each.key):
            if card.zone == STOCK:
                self.stock = card.at  # a face-down card elsewhere came later than the draw pile
            elif card.visible > 0:
                self._see_card(card, observation.time)
        self._untouched |= {(number, key): time for key, time in observation.untouched}
        self.hands += [(number, hand) for hand in observation.hand_events]
        self._time = observation.time

    def _see_card(self, card: TrackedCard, time: float) -> None:
        last = self._latest.get(card.key)
        if last is None or last.zone != card.zone or card.since > max(last.since, self._time):
            timed = card.absent is not None or card.since < time
            absent = card.absent if _tells_absence(card.zone, card.at) else None
            last = _Arrival(self._observations, card.key, absent, card.since, timed, card.zone, card.at)
            self._latest[card.key] = last
            self._born.setdefault(card.key, card.since)
        if card.zone == FIELD:
            self.below.setdefault(card.key, set()).update(card.on)
        for name in _names(card):
            if last not in self._by_card.setdefault(name, []):
                self._by_card[name].append(last)

    def coming(self, turn: PlayedTurn) -> Mapping[str, _Coming]:
        """Return how the cards of a turn came, by id, without those that no observation showed."""
        turns = [turn]
        while (earlier := turns[-1].before) is not None and earlier.depth > self.missed:
            turns.append(earlier)
        began = self._lay_by(turns[-1].state)
        last, now = dict[str, float](), dict[str, list[_Arrival]]()
        for each in reversed(turns):
            began = max(began, min((arrivals[0].since for arrivals in now.values()), default=began))
            now = {}
            table = each.state.field | each.state.piles[0] | each.state.piles[1]
            known = set(map(first_of, ids_of(table)))
            for card in {first_of(move.card) for move in each.moves}:
                after = max(began, last.get(card, began))
                if arrivals := self._first(card, after, again=card in known):
                    now[card], last[card] = arrivals, arrivals[-1].since
        ways = {
            move.card: self._how(now.get(first_of(move.card), []), move.takes, began) for move in turn.moves
        }
        return {card: way for card, way in ways.items() if way is not None}

    def _lay_by(self, first: FaceUpState) -> float:
        """Return the time by which the cards of the deal had come, or those that lay there when the observations began, s; -1 if unknown."""
        cards = first.field | first.piles[0] | first.piles[1]
        last = 1 if self.missed else self._observations
        arrivals = [self._first(first_of(card), -1.0)[:1] for card in ids_of(cards)]
        times = sorted(each.since for found in arrivals for each in found if each.observation <= last)
        return times[-2] if len(times) > 1 else -1.0  # one of them may have been read late

    def _first(self, card: str, after: float, *, again: bool = False) -> list[_Arrival]:
        """Return the arrivals of a card after a time (s), of the first observation that shows any; sorted by time.

        ``again``: its look-alike was there before, and may have been detected in motion.
        """
        arrivals = [each for each in self._by_card.get(card, ()) if each.since > after]
        # An older track shows a look-alike that was moved, or a card laid exactly on another.
        new = [each for each in arrivals if each.key is None or self._born[each.key] > after] or arrivals
        tracked = [each for each in new if each.key is not None]
        first = min((each.observation for each in tracked * again or new), default=0)
        return sorted((each for each in new if each.observation == first), key=lambda each: each.since)

    def _how(self, arrivals: Sequence[_Arrival], takes: Sequence[str], began: float) -> _Coming | None:
        """Return how a card came: after the cards that it captures were last untouched, and before one of them came to a pile."""
        seen, goals = [*arrivals], [each for each in arrivals if each.zone == FIELD and each.key is not None]
        for card in takes:
            places = [each for each in self._by_card.get(first_of(card), ()) if each.key is not None]
            laid = max(
                (each for each in places if each.zone == FIELD), key=lambda each: each.since, default=None
            )
            if laid is not None:
                goals.append(laid)
                seen += [each for each in places if each.since > began and _is_piled(each)]
        if not seen:
            return None
        first = min(seen, key=lambda each: (each.observation, each.since))
        absent = [each.absent for each in arrivals if each.absent is not None]
        absent += [self._untouched.get((first.observation, each.key), -1.0) for each in goals]
        return _Coming(
            first,
            max(absent, default=-1.0),
            all(_is_piled(each) for each in seen if each.observation == first.observation),
            frozenset(each.key for each in arrivals),
            [each.at for each in arrivals if each.key is None],
            [each.at for each in goals],
        )


def likelier_order(turn: PlayedTurn, arrivals: Arrivals) -> tuple[Sequence[Any], float]:
    """Return the moves of a turn in the likelier of the orders that the rules allow, and its probability, 1 if they allow only one."""
    other = exchanged(turn.state, turn.moves)
    if other is None:
        return turn.moves, 1.0
    probability = order_probability(turn, arrivals)
    return (turn.moves, probability) if probability >= 0.5 else (other, 1 - probability)


def order_probability(turn: PlayedTurn, arrivals: Arrivals) -> float:
    """Return the probability that the cards of a turn came in the order of its moves, if the rules allow the other one, too."""
    log_odds = sum(weight * value for weight, value in zip(WEIGHTS, features(turn, arrivals), strict=True))
    return 1 / (1 + exp(-log_odds))


def features(turn: PlayedTurn, arrivals: Arrivals) -> Features:
    """Return what suggests that the cards of a turn came in the order of its moves."""
    play, draw = turn.moves
    captures = bool(play.takes) - bool(draw.takes)
    chaff = 0 if play.takes or draw.takes else (play.card in _CHAFF) - (draw.card in _CHAFF)
    habits = captures, captures * turn.state.plays, chaff
    coming = arrivals.coming(turn)
    if len(coming) < 2:
        return Features(0, 0, 0, 0, 0, 0, 0, *habits)
    return Features._make([*_differences(coming[play.card], coming[draw.card], arrivals), *habits])


def _differences(play: _Coming, draw: _Coming, arrivals: Arrivals) -> Iterator[float]:
    """Yield the features from `Features.observation` to `Features.stock`."""
    own, other = play.first, draw.first
    # A card that is first detected in a pile may have been covered there for a while.
    yield (own.observation < other.observation and not draw.in_pile) - (
        other.observation < own.observation and not play.in_pile
    )
    yield (own.since <= draw.absent) - (other.since <= play.absent)
    is_timed = own.timed and other.timed and own.observation == other.observation
    sooner = _clipped(other.since - own.since) if is_timed else 0.0
    is_piled = play.in_pile or draw.in_pile
    yield sooner * (not is_piled)
    yield sooner * is_piled
    yield _is_on(draw, play, arrivals) - _is_on(play, draw, arrivals)
    yield _is_turned_up(draw, arrivals.stock) - _is_turned_up(play, arrivals.stock)
    hands = [hand for number, hand in arrivals.hands if number in {own.observation, other.observation}]
    at_stock = [each.time for each in hands if arrivals.stock and _is_at(each.at, arrivals.stock)]
    stock = 0
    for time in at_stock[:1]:
        stock = (own.timed and own.since <= time) - (other.timed and other.since <= time)
        stock += (draw.absent >= time) - (play.absent >= time)
    yield _clipped(stock)


def _is_at(at: Point, stock: Point) -> bool:
    """Return whether a hand or a card in motion is at the draw pile."""
    return dist(at, stock) < CARD_MM[1]


def _clipped(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _tells_absence(zone: str, at: Point) -> bool:
    """Return whether a card that was absent from its place was not elsewhere on the table: on the field, or for readers, which know no
    places."""
    return zone == FIELD or isnan(at[0])


def _is_piled(arrival: _Arrival) -> bool:
    return arrival.zone.startswith("captured")


def _is_on(upper: _Coming, lower: _Coming, arrivals: Arrivals) -> bool:
    return any(lower.keys & arrivals.below.get(key, set()) for key in upper.keys if key is not None)


def _is_turned_up(coming: _Coming, stock: Point | None) -> bool:
    """Return whether a card was detected at the draw pile or on the straight way from there, and laid elsewhere."""
    if stock is None or not coming.moving or not coming.goals:
        return False
    at = coming.moving[0]
    goal = min(coming.goals, key=lambda each: dist(each, at))
    detour = dist(stock, at) + dist(at, goal) - dist(stock, goal)
    return dist(at, goal) > CARD_MM[1] / 2 and (_is_at(at, stock) or detour < CARD_MM[0] / 2)


def _names(card: TrackedCard) -> list[str]:
    """Return the cards that a track may show, of look-alikes the first."""
    return [first_of(name) for name, probability in card.likely if probability > UNREAD and name != BACK]
