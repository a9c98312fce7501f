"""Ranking of hypotheses: every explanation of an observation, weighted against all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import dist, exp, log

from companion.hanafuda.fishing import FishingMove
from companion.referee.card_likelihoods import FIELD, FIRST_OF, DetectedCard, fit
from companion.referee.card_order import order_score
from companion.referee.expected_cards import Position, indices, indices_of_bits, round_after
from companion.referee.observation_history import Memory
from companion.referee.turn_hypotheses import Explanation, cards_of, legal

_MAX_EXAMINED = 60
"""Number of the most likely explanations that are examined in detail."""
_MAX_DEFICIT = 14.0
"""Explanations whose log-probability is lower than that of the best legal one by more than this are not examined."""
_MAX_ORDER_DEFICIT = log(20)
"""The same for the orders of cards that are compared with the most likely one."""

_APART = -2.0
"""A card that captures is laid down away from the cards that it captures. The constants below are log-likelihoods,
too."""
_BESIDE_MM = 38.0
"""Up to this distance between their centers, a card is beside another one."""
_NOT_PLAYED = -10.0
"""A card that was open in an earlier observation was not played."""
_OTHER_HAND = -5.0
"""A card came while only the hand of the other player was over the table. The seats of hands were correct in 11 of 11
turns of a recorded round, but both players may reach in."""
_ON_CARD = -3.0
"""A card that captures nothing is laid on another one."""
_ON_CARD_MM = 22.0
"""Up to this distance between their centers, a card is on another one."""
_ON_OTHER_CARD = -2.0
"""A card captured other cards than those on which it was laid; it may touch a neighbor."""

_NOT_DETECTED = -2.5
"""A card that captured is still on the field but has no detection, although nothing can cover it yet."""
_MOVED_UNOBSERVED = -5.0
"""A card that no observation has shown yet was moved out of its pile. More likely, it was another card that was
captured."""
_WEAK_DETECTION_GAIN = 25.0
"""How much more likely a card has come if it was detected in motion with confidence 1, but only once or badly (a weak
detection)."""
_INTO_PILE = -2.5
"""A card of the field was moved to a pile without being captured."""

MIN_MISMATCH_SCORE = -7.5
"""Minimum `mismatch_score` of an explanation that counts: a lower one is worse than two missed cards of the field."""
MIN_MISMATCH_SCORE_TWO_TURNS = -3.5
"""The same for two turns without an observation between them, which can be made to fit many wrong tables."""


@dataclass(frozen=True, slots=True)
class RankedHypothesis:
    """A ranked hypothesis: an explanation, together with all those that report the same apart from the order of the
    cards."""

    best: Explanation
    moves: tuple[FishingMove, ...]
    """The moves to report, including the calls that must have been made; empty while it is too early to report any."""
    probability: float
    """Probability among all hypotheses."""
    order_confidence: float
    """Probability that the hand card and the drawn card are told apart correctly."""
    visual_order_confidence: float
    """The same from observations only. The log of a game must not be a guess from what players usually do."""
    order_matters: bool
    """Whether another order of the cards changes the game: other points, or another decision."""
    prior: float
    """Log-probability of the best explanation without the fit to this observation: the prior for the next
    observation."""
    other_order: tuple[FishingMove, ...] = ()
    """The same moves with the cards in the most likely other order; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All hypotheses, most likely first."""

    hypotheses: tuple[RankedHypothesis, ...]
    common: RankedHypothesis | None = None
    """The most likely completed part before the last turn, if hypotheses begin with something that has not been
    reported yet."""

    @property
    def best(self) -> RankedHypothesis | None:
        """The most likely hypothesis, or None."""
        return self.hypotheses[0] if self.hypotheses else None


_Reported = tuple[Explanation, tuple[FishingMove, ...]]
"""An explanation and the moves of it that can be reported."""
_Groups = dict[object, list[_Reported]]
"""Explanations by their outcome."""


def mismatch_score(explanation: Explanation) -> float:
    """Return the log-likelihood of the parts of a fit that count against its explanation.

    Leaves out cards without a detection in captured piles, because piles hide cards. Leaves out misreadings of cards
    that are committed, or were clearly detected before they were captured, because they affect every explanation alike.
    """
    fitted = explanation.fitted
    assert fitted is not None
    return fitted.score - fitted.hidden_in_piles - fitted.reread_score - explanation.earlier_reading_score


def rank(explanations: Iterable[Explanation], detections: Sequence[DetectedCard], memory: Memory) -> Ranking:
    """Fit explanations to an observation, drop those that break the rules, and rank the rest."""
    visible_keys = {detection.key for detection in detections if detection.visible > 0}
    # Cards that are still detected are left to the fit, which considers all their names.
    earlier = Counter(
        FIRST_OF[card] for card, appearance in memory.appeared.items() if appearance.key not in visible_keys
    )
    candidates = list(explanations)
    for explanation in candidates:
        if explanation.fitted is None:  # otherwise a smaller set was already ranked for this observation
            _score(explanation, detections, earlier, memory)
    candidates.sort(key=lambda explanation: -explanation.score)
    groups: _Groups = {}
    started: _Groups = {}
    for explanation, moves in _likely_legal(candidates):
        _score_order(explanation, memory)
        earlier_moves = _moves_up_to(moves, explanation.completed_cards)
        reported = moves if _is_complete(explanation, moves) else earlier_moves
        groups.setdefault(_outcome_key(explanation, reported), []).append((explanation, reported))
        if explanation.completed_cards or explanation.events:
            key = _outcome_key(explanation, earlier_moves)
            started.setdefault(key, []).append((explanation, earlier_moves))
    hypotheses = tuple(_ranked(groups))
    common = next(iter(_ranked(started)), None)
    if common is not None:
        started_probability = sum(
            hypothesis.probability
            for hypothesis in hypotheses
            if hypothesis.best.completed_cards or hypothesis.best.events
        )
        common = replace(common, probability=common.probability * started_probability)
    return Ranking(hypotheses, common)


def _score(
    explanation: Explanation, detections: Sequence[DetectedCard], earlier: Counter[int], memory: Memory
) -> None:
    """Fit an explanation to an observation. `earlier` are the cards that only earlier observations showed."""
    explanation.fitted = fit(detections, explanation.placed)
    # Count look-alikes: one may have come while the other is beside or under it.
    new = Counter(FIRST_OF[card] for card in explanation.placed if card not in explanation.position.spots)
    explanation.placement_score = (
        _APART * len(cards_apart(explanation, memory))
        + _ON_CARD * _count_on_cards(explanation, memory)
        + _NOT_PLAYED * (earlier - new).total()
        + sum(log(1 + _WEAK_DETECTION_GAIN * memory.weak_detections.get(card, 0.0) ** 2) for card in new)
        + _ON_OTHER_CARD * _count_on_other_cards(explanation, memory)
        + _NOT_DETECTED * _count_not_detected(explanation)
        + _MOVED_UNOBSERVED * _count_moved_unobserved(explanation, memory)
        + _INTO_PILE * _count_moved_into_piles(explanation, memory)
        + _OTHER_HAND * _count_other_hand(explanation, memory)
    )
    explanation.earlier_reading_score = _misread_known_cards(explanation, memory)


def _likely_legal(ranked: Sequence[Explanation]) -> Iterator[_Reported]:
    """Yield the likely explanations that the rules allow, each with its moves including the implied calls."""
    min_score = float("-inf")
    for explanation in ranked[:_MAX_EXAMINED]:
        if explanation.score < min_score:
            return
        if (moves := legal(explanation.position.round, explanation.moves)) is not None:
            min_score = max(min_score, explanation.score - _MAX_DEFICIT)
            yield explanation, moves


def _score_order(explanation: Explanation, memory: Memory) -> None:
    """Add the likelihood of the order of the cards to the score of an explanation."""
    assert explanation.fitted is not None
    new_cards = cards_of(explanation.moves)[explanation.ordered :]
    order = order_score(new_cards, explanation.position, memory, explanation.fitted)
    explanation.order, explanation.order_prior = order.score, order.score - order.visual


def cards_apart(explanation: Explanation, memory: Memory) -> list[int]:
    """Return the cards that captured, according to the explanation, but are not beside the cards that they captured."""
    assert explanation.fitted is not None
    apart = []
    for bit, takes in () if explanation.in_hand else explanation.pending_captures:
        card = bit.bit_length() - 1
        own = explanation.fitted.matched.get(card)
        positions = [
            other.at if (other := explanation.fitted.matched.get(index)) else memory.positions.get(index)
            for index in indices_of_bits(takes)
        ]
        if own and all(at is not None and dist(own.at, at) > _BESIDE_MM for at in positions):
            apart.append(card)
    return apart


def _count_on_other_cards(explanation: Explanation, memory: Memory) -> int:
    """Return the number of capturing cards that were detected on other cards of the field and on none of those they
    captured."""
    assert explanation.fitted is not None
    count = 0
    for move in cards_of(explanation.moves):
        (card,) = indices([move.card])
        below = memory.cards_below(explanation.fitted.matched.get(card))
        count += bool(move.takes) and bool(below) and below.isdisjoint(indices(move.takes))
    return count


def _misread_known_cards(explanation: Explanation, memory: Memory) -> float:
    """Return the part of the score due to cards in captured piles that are misread now.

    Only counts cards that an earlier observation showed clearly.
    """
    assert explanation.fitted is not None
    return sum(
        detection.floor * detection.weight
        for index, detection in explanation.fitted.matched.items()
        if detection.zone > FIELD
        and detection.committed_card != index
        and detection.log_probability(FIRST_OF[index]) <= detection.floor
        and (index in memory.appeared or index in memory.detected)
    )


def _count_not_detected(explanation: Explanation) -> int:
    """Return the number of cards that captured and should still be on the field, but have no detection."""
    assert explanation.fitted is not None
    pending = () if explanation.in_hand else explanation.pending_captures
    return sum(bit.bit_length() - 1 in explanation.fitted.missed for bit, _ in pending)


def _count_moved_unobserved(explanation: Explanation, memory: Memory) -> int:
    """Return the number of cards detected elsewhere that no observation has shown in their captured piles."""
    assert explanation.fitted is not None
    return sum(
        detection.zone >= FIELD
        and detection.visible > 0
        and detection.zone != spot.zone
        and spot.zone > FIELD
        for index, detection in explanation.fitted.matched.items()
        if (spot := explanation.position.spots.get(index))
        and index not in memory.detected
        and index not in memory.appeared
    )


def _count_moved_into_piles(explanation: Explanation, memory: Memory) -> int:
    """Return the number of cards detected in a pile since the table was committed that should still be on the field."""
    assert explanation.fitted is not None
    return sum(
        detection.zone > FIELD and detection.visible > 0 and detection.since > memory.time
        for index, detection in explanation.fitted.matched.items()
        if explanation.placed[index].zone == FIELD and not explanation.placed[index].covered
    )


def _count_other_hand(explanation: Explanation, memory: Memory) -> int:
    """Return the number of cards that came when only the other player's hand was detected."""
    assert explanation.fitted is not None
    count = 0
    for move in cards_of(explanation.moves):
        (card,) = indices([move.card])
        appearance = memory.appearance_of(card, explanation.fitted.matched.get(card))
        count += appearance is not None and bool(appearance.hands) and move.player not in appearance.hands
    return count


def _count_on_cards(explanation: Explanation, memory: Memory) -> int:
    """Return the number of cards without a capture that are where another card of the field is, or was.

    Cards that the other player captured in the turn before are ignored if an observation showed that turn: their
    positions are free.
    """
    assert explanation.fitted is not None
    on_field = {
        index: detection.at
        for index, detection in explanation.fitted.matched.items()
        if detection.zone == FIELD
    }
    others = {index for index, spot in explanation.position.spots.items() if spot.zone == FIELD}
    count = 0
    taken: dict[int, list[int]] = {1: [], 2: []}
    for move in cards_of(explanation.moves):
        (card,) = indices([move.card])
        own = on_field.get(card)
        if not move.takes and own is not None:
            removed = taken[3 - move.player] if explanation.whole_turns == 1 else ()
            positions = (
                on_field.get(index) or memory.positions.get(index) for index in others.difference(removed)
            )
            count += any(at is not None and dist(own, at) < _ON_CARD_MM for at in positions)
        taken[move.player] += indices(move.takes)
    return count


def _moves_up_to(moves: tuple[FishingMove, ...], cards: int) -> tuple[FishingMove, ...]:
    """Return the moves up to a number of cards, with the calls between them; empty if there are fewer cards."""
    count = 0
    for end, move in enumerate(moves):
        if count == cards:
            return moves[:end]
        count += hasattr(move, "card")
    return moves if count == cards else ()


def _is_complete(explanation: Explanation, moves: tuple[FishingMove, ...]) -> bool:
    """Return whether nothing is left to do in the last turn, except perhaps a decision."""
    if explanation.pending_captures:
        return False
    pending = round_after(explanation.position.round, moves).pending_decision()
    return pending is None or pending.code != "draw-missing"


def _outcome_key(explanation: Explanation, reported: tuple[FishingMove, ...]) -> object:
    """Return a key shared by all explanations with the same outcome: the zones of the cards after the reported moves,
    whoever played which card."""
    first = tuple((event.kind, str(event.data)) for event in explanation.events)
    if not reported:
        return first
    played = round_after(explanation.position.round, reported)
    # Exchanging look-alikes changes nothing in the game.
    zones = tuple(
        tuple(sorted(FIRST_OF[index] for index in indices(cards)))
        for cards in (played.field, played.captured(1), played.captured(2))
    )
    return first, zones, len(reported)


def _ranked(groups: _Groups) -> list[RankedHypothesis]:
    """Turn groups of explanations with the same outcome into hypotheses, most likely first."""
    best_score = max((each.score for group in groups.values() for each, _ in group), default=0.0)
    masses = {key: sum(exp(each.score - best_score) for each, _ in group) for key, group in groups.items()}
    total = sum(masses.values())
    return [
        _hypothesis_of(group, masses[key] / total)
        for key, group in sorted(groups.items(), key=lambda item: -masses[item[0]])
    ]


def _hypothesis_of(group: Sequence[_Reported], probability: float) -> RankedHypothesis:
    """Return the hypothesis of explanations that differ only in the order of the cards."""
    best, moves = max(group, key=lambda each: each[0].score)
    order = _card_moves_key(moves)
    same_order = [_card_moves_key(reported) == order for _, reported in group]
    others = [each for each, is_same in zip(group, same_order, strict=True) if not is_same]
    likely_states = {
        _game_state_key(each.position, reported)
        for each, reported in group
        if each.score > best.score - _MAX_ORDER_DEFICIT
        and each.position.round.dealer == best.position.round.dealer
    }
    return RankedHypothesis(
        best,
        moves,
        probability,
        _fraction([exp(each.score - best.score) for each, _ in group], same_order),
        _fraction([exp(each.score - each.order_prior - best.score) for each, _ in group], same_order),
        len(likely_states) > 1,
        best.prior + best.order,
        max(others, key=lambda each: each[0].score)[1] if others else (),
    )


def _fraction(weights: Sequence[float], included: Sequence[bool]) -> float:
    """Return the included part of a total weight (0-1)."""
    return sum(compress(weights, included)) / sum(weights)


def _card_moves_key(moves: tuple[FishingMove, ...]) -> object:
    """Return the card moves with look-alikes replaced by the first of them."""
    return [
        (move.player, type(move), *(FIRST_OF[index] for index in indices((move.card, *move.takes))))
        for move in cards_of(moves)
    ]


def _game_state_key(position: Position, moves: tuple[FishingMove, ...]) -> object:
    """Return the state of the game after moves, regardless of which card was in which hand."""
    played = round_after(position.round, moves)
    pending = played.pending_decision()
    return (
        played.to_move,
        pending.code if pending else None,
        played.yaku(1),
        played.yaku(2),
        played.outcome() is None,
    )
