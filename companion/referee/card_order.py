"""Evidence for which of two cards came from the hand and which from the draw pile, where the rules allow both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, dist, exp, log, log1p, radians
from typing import NamedTuple

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import Draw, FishingMove, Play
from companion.observations import HandEvent
from companion.referee.card_likelihoods import FIELD, DetectedCard, Fit
from companion.referee.expected_cards import Position, indices
from companion.referee.observation_history import CardAppearance, Memory

_SEPARATE_OBSERVATIONS = 3.0
"""Half the log-odds that a card was played before the other one because it was in an earlier observation, or is
directly below the other one. The constants below are half log-odds, too."""
_LANDED_FIRST = 2.0
"""A card landed first within one observation."""
_PILE_ORDER = 0.8
"""Order of the cards in a captured pile."""
_DETECTED_NEAR_STOCK = 2.0
"""A card detected in motion near the draw pile was drawn. Measured on rendered rounds: of 459 cards first detected at
the draw pile that landed elsewhere 454 were drawn, of 317 first detected on the way from there 316."""
_REACH_BEFORE_STOCK = 2.0
"""A hand was nearer to a card before it reached to the draw pile."""
_ONE_REACH = 0.1
"""A hand was nearer to a card and none was seen at the draw pile; or, against that card, after a hand was at the draw
pile."""
_READING_ORDER = 0.1
"""Free positions on the field are filled from the left."""

# If only one of the two cards captures, it is far more often the hand card. Fitted by logistic regression to 7,878
# turns in 785 rounds between people (recorded rounds of an online game): right in 84 % of 2,362 such turns in the other
# half.
_CAPTURES = 1.0
_CAPTURES_AT_END = -1.25
"""Change of `_CAPTURES` toward the end of the round, when the hand has less to choose from."""
_LAYS_CHAFF, _LAYS_OTHER = -0.2, -0.55

_NEAR_MM, _FAR_MM = 35.0, 60.0
_NEARER_MM = 25.0
_FROM_STOCK_MM = 40.0
_CLEAR_MM = 25.0
_STRAIGHT = cos(radians(20))
_SAME_TIME_S = 0.4
_TWO_CARDS_S = 0.6


class Order(NamedTuple):
    """Log-probabilities that the hand and the draw pile supplied these cards in this order, relative to even odds."""

    score: float
    """From observations and from what players usually do."""
    visual: float
    """From observations only."""


def order_score(moves: Sequence[FishingMove], position: Position, memory: Memory, fitted: Fit) -> Order:
    """Return the evidence that, in each turn, the card of the play came from the hand and the card of the draw from the
    draw pile."""
    score = visual = 0.0
    cards = [move for move in moves if isinstance(move, Play | Draw)]
    for play, draw in pairwise(cards):
        if isinstance(play, Play) and isinstance(draw, Draw):
            seen_log_odds = _visual_log_odds(play, draw, memory, fitted)
            prior_log_odds = _prior_log_odds(play, position) - _prior_log_odds(draw, position)
            score += log(2) - log1p(exp(-2 * (seen_log_odds + prior_log_odds)))
            visual += log(2) - log1p(exp(-2 * seen_log_odds))
    return Order(score, visual)


def landed_together(moves: Sequence[FishingMove], memory: Memory, fitted: Fit) -> bool:
    """Return whether all cards of a turn came within 0.4 s, that is between two pictures: their order cannot have been
    seen."""
    cards = indices([move.card for move in moves if isinstance(move, Play | Draw)])
    appearances = [memory.appearance_of(card, fitted.matched.get(card)) for card in cards]
    times = [
        appearance.since
        for appearance in appearances
        if appearance is not None and appearance.since is not None
    ]
    return bool(times) and len(times) == len(cards) and max(times) - min(times) <= _SAME_TIME_S


def _visual_log_odds(play: Play, draw: Draw, memory: Memory, fitted: Fit) -> float:
    """Return half the log-odds, from observations, that one card was played and the other drawn rather than the
    reverse."""
    (play_card,), (draw_card,) = indices([play.card]), indices([draw.card])
    play_detection, draw_detection = fitted.matched.get(play_card), fitted.matched.get(draw_card)
    play_appearance, draw_appearance = (
        memory.appearance_of(play_card, play_detection),
        memory.appearance_of(draw_card, draw_detection),
    )
    hand_events = memory.hands_before(
        appearance.observation for appearance in (play_appearance, draw_appearance) if appearance
    )
    at_stock, turned_up = memory.at_stock(hand_events), 0
    timing = _SEPARATE_OBSERVATIONS * (
        _order_in_layers(play_detection, draw_detection)
        or _order_of_observations(play_appearance, draw_appearance)
    )
    if not timing:
        turned_up = _detected_near_stock(
            draw, draw_appearance, memory, draw_detection
        ) - _detected_near_stock(play, play_appearance, memory, play_detection)
        play_time, draw_time = (
            _came_by(play, play_appearance, memory),
            _came_by(draw, draw_appearance, memory),
        )
        timing = _LANDED_FIRST * (
            _captured_cards_waited(draw, draw_time, play_time, memory)
            - _captured_cards_waited(play, play_time, draw_time, memory)
        )
        stock_order = _order_at_stock(draw, draw_appearance, at_stock, memory) - _order_at_stock(
            play, play_appearance, at_stock, memory
        )
        timing += _LANDED_FIRST * max(-1, min(1, stock_order))
        landing = (
            0.0
            if timing
            else _landing_log_odds(play_appearance, draw_appearance)
            - _landing_log_odds(draw_appearance, play_appearance)
        )
        # While a hand carries the drawn card, it may hide a card that landed before: ignore times that contradict the
        # motion.
        timing += landing if landing * turned_up >= 0 else 0.0
    timing = timing or _hand_log_odds(
        _landing_position(play_appearance, play, memory),
        _landing_position(draw_appearance, draw, memory),
        hand_events,
        at_stock,
    )
    score = timing + _DETECTED_NEAR_STOCK * turned_up + _pile_log_odds(play, draw, memory, fitted)
    return score + _reading_order_log_odds(play_card, draw_card, fitted)


def _order_in_layers(own: DetectedCard | None, other: DetectedCard | None) -> int:
    """Return 1 if one card of the field is directly below the other, -1 if directly above it, else 0."""
    if own is None or other is None or not own.zone == other.zone == FIELD:
        return 0
    return (own.key in other.on) or -(other.key in own.on)


def _order_of_observations(own: CardAppearance | None, other: CardAppearance | None) -> int:
    """Return 1 if a card appeared in an earlier observation than the other, -1 if in a later one, else 0."""
    if own is None or other is None:
        return 0
    return (own.observation < other.observation) - (own.observation > other.observation)


def _came_by(move: Play | Draw, appearance: CardAppearance | None, memory: Memory) -> float | None:
    """Return the time (s) by which a card had come, or None.

    That is when it was detected, or when the cards that it captured were detected in a pile.
    """
    times = [] if appearance is None or appearance.since is None else [appearance.since]
    if (taken := memory.first_capture_time(indices(move.takes))) is not None:
        times.append(taken)
    return min(times, default=None)


def _landing_log_odds(first: CardAppearance | None, second: CardAppearance | None) -> float:
    """Return the evidence that the first of two cards landed first, 0 if it did not or if that is unknown."""
    if first is None or second is None or first.since is None or second.since is None:
        return 0.0
    if second.since - first.since <= _SAME_TIME_S:
        return 0.0
    # If only the later card is in a pile already, its time may be that of the capture: weaker evidence.
    return _PILE_ORDER if second.at is None and first.at is not None else _LANDED_FIRST


def _captured_cards_waited(move: Play | Draw, own: float | None, other: float | None, memory: Memory) -> bool:
    """Return whether the cards that a card captured were still uncovered when the other card landed.

    `own` and `other` are the latest times (s) at which the card and the other card can have come. This gives the order
    even for a card that has not been detected since because others cover it. If the card came clearly later, the
    captured cards need to be uncovered only until 0.6 s before the other card landed: nobody plays, draws and lays down
    two cards between two pictures.
    """
    if other is None or not move.takes:
        return False
    clearly_later = own is None or own > other + _SAME_TIME_S
    return memory.last_uncovered_time(indices(move.takes)) >= other - (_TWO_CARDS_S if clearly_later else 0.0)


def _order_at_stock(
    move: Play | Draw, appearance: CardAppearance | None, at_stock: float | None, memory: Memory
) -> int:
    """Return 1 if a card landed after a hand was at the draw pile (at `at_stock`, s), -1 if before, 0 if unknown."""
    if at_stock is None:
        return 0
    if move.takes and memory.last_uncovered_time(indices(move.takes)) >= at_stock:
        return 1
    return (
        -1 if appearance is not None and appearance.since is not None and appearance.since <= at_stock else 0
    )


def _detected_near_stock(
    move: Play | Draw, appearance: CardAppearance | None, memory: Memory, detection: DetectedCard | None
) -> bool:
    """Return whether a card was detected in motion at the draw pile, or on its way from there, and landed elsewhere.

    Such a card was drawn. It need not have come first: a hand may have hidden for a while a card laid down before.
    """
    if appearance is None or memory.stock is None or (start := appearance.transient_at) is None:
        return False
    positions = [memory.positions[card] for card in indices(move.takes) if card in memory.positions]
    if detection is not None and detection.zone == FIELD:
        positions.append(detection.at)
    if not positions:
        return False
    nearest = min(positions, key=lambda at: dist(at, start))
    if memory.is_at_stock(start):
        return dist(nearest, start) > _FROM_STOCK_MM
    return _is_between(start, memory.stock, nearest)


def _is_between(at: tuple[float, float], start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Return whether a position (mm) is on the straight way from `start` to `end`, and clear of `end`."""
    remaining, total = dist(at, end), dist(start, end)
    if not _CLEAR_MM < remaining < total:
        return False
    cosine = ((at[0] - end[0]) * (start[0] - end[0]) + (at[1] - end[1]) * (start[1] - end[1])) / (
        remaining * total
    )
    return cosine > _STRAIGHT


def _prior_log_odds(move: Play | Draw, position: Position) -> float:
    """Return half the log-odds that a card came from the hand, from recorded games."""
    if move.takes:
        return _CAPTURES + _CAPTURES_AT_END * position.progress
    (index,) = indices([move.card])
    return _LAYS_CHAFF if HANAFUDA[index].kind == "chaff" else _LAYS_OTHER


def _landing_position(
    appearance: CardAppearance | None, move: Play | Draw, memory: Memory
) -> tuple[float, float] | None:
    """Return where a card landed (mm): where it was first detected, or where a card that it captured was; None if
    unknown."""
    if appearance is not None and appearance.at is not None:
        return appearance.at
    return next((memory.positions[card] for card in indices(move.takes) if card in memory.positions), None)


def _hand_log_odds(
    own_position: tuple[float, float] | None,
    other_position: tuple[float, float] | None,
    hand_events: Sequence[HandEvent],
    at_stock: float | None,
) -> float:
    """Return the evidence from hand positions.

    The player reaches to the draw pile between the two cards, so the card handled before that was played.
    """
    if own_position is None or other_position is None or not hand_events:
        return 0.0

    def nearer(hand_events: Sequence[HandEvent]) -> int:
        own_distance = min((dist(hand_event.at, own_position) for hand_event in hand_events), default=0.0)
        other_distance = min((dist(hand_event.at, other_position) for hand_event in hand_events), default=0.0)
        return (own_distance + _NEARER_MM < other_distance) - (other_distance + _NEARER_MM < own_distance)

    if at_stock is None:
        return _ONE_REACH * nearer(hand_events)
    before = nearer([hand_event for hand_event in hand_events if hand_event.time < at_stock])
    after = nearer([hand_event for hand_event in hand_events if hand_event.time > at_stock])
    return _REACH_BEFORE_STOCK * before - _ONE_REACH * after


def _pile_log_odds(play: Play, draw: Draw, memory: Memory, fitted: Fit) -> float:
    """Return the evidence from the captured pile.

    Cards captured later are on top of cards captured before, or farther along the fan.
    """
    if not (play.takes and draw.takes) or play.card in draw.takes:
        return 0.0
    play_detections = [
        fitted.matched[card] for card in indices([play.card, *play.takes]) if card in fitted.matched
    ]
    draw_detections = [
        fitted.matched[card] for card in indices([draw.card, *draw.takes]) if card in fitted.matched
    ]
    votes = sum(
        _compare_in_pile(own, other, fitted, memory) for own in play_detections for other in draw_detections
    )
    return _PILE_ORDER * ((votes > 0) - (votes < 0))


def _compare_in_pile(own: DetectedCard, other: DetectedCard, fitted: Fit, memory: Memory) -> int:
    """Return 1 if `other` was laid down after `own`, -1 if before, 0 if unknown."""
    if own.zone != other.zone or own.zone == FIELD:
        return 0
    if own.key in other.on or other.key in own.on:
        return 1 if own.key in other.on else -1
    if dist(own.at, other.at) > _FAR_MM:
        return 0
    earlier = _earlier_neighbors(own, other, fitted, memory)
    if earlier:
        nearest = min(
            earlier, key=lambda detection: min(dist(detection.at, own.at), dist(detection.at, other.at))
        )
        return 1 if dist(nearest.at, own.at) < dist(nearest.at, other.at) else -1
    if abs(own.visible - other.visible) > 0.2:
        return 1 if own.visible < other.visible else -1
    return 0


def _earlier_neighbors(
    own: DetectedCard, other: DetectedCard, fitted: Fit, memory: Memory
) -> list[DetectedCard]:
    """Return the detections near `own` of cards that were in this pile before."""
    return [
        detection
        for card, detection in fitted.matched.items()
        if detection.zone == own.zone
        and detection.committed_card == card
        and card in memory.positions
        and detection not in (own, other)
        and dist(detection.at, memory.positions[card]) < _NEAR_MM
        and dist(detection.at, own.at) < 4 * _NEAR_MM
    ]


def _reading_order_log_odds(first: int, second: int, fitted: Fit) -> float:
    """Return the weak evidence from the positions of two cards laid on the field.

    The free position farther left is filled first, then the upper one.
    """
    own, other = fitted.matched.get(first), fitted.matched.get(second)
    if own is None or other is None:
        return 0.0
    if abs(own.at[0] - other.at[0]) > _NEAR_MM / 2:
        return _READING_ORDER if own.at[0] < other.at[0] else -_READING_ORDER
    return _READING_ORDER if own.at[1] < other.at[1] else -_READING_ORDER
