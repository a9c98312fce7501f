"""The referee of the fishing games: explains successive observations, from the deal to the end of the round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import dist, log
from typing import Any

from companion.hanafuda.card_messages import cards_of_bits
from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.families.fishing import Draw, FishingMove, FishingRound
from companion.hanafuda.families.fishing.captures import DECK
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.rules import Rules
from companion.observations import POSTED, Observation
from companion.referee import deal_detection, table_problems
from companion.referee.card_likelihoods import (
    FIELD,
    FIRST_OF,
    LOOKALIKES,
    STOCK,
    DetectedCard,
    Fit,
    Spot,
    fit,
)
from companion.referee.card_order import landed_together
from companion.referee.expected_cards import Position, indices
from companion.referee.hypothesis_ranking import (
    MIN_MISMATCH_SCORE,
    MIN_MISMATCH_SCORE_TWO_TURNS,
    RankedHypothesis,
    Ranking,
    cards_apart,
    mismatch_score,
    rank,
)
from companion.referee.interface import CommittedTable
from companion.referee.message_parts import fishing_move_message, message_sequence
from companion.referee.observation_history import CardAppearance, Memory
from companion.referee.referee_events import RefereeProblem, choice, moved, notice, settle, waiting
from companion.referee.starting_states import (
    MoveHypothesis,
    Start,
    committed,
    corrected_inferences,
    corrected_starts,
    undecided,
)
from companion.referee.turn_hypotheses import Explanation, cards_of, clues_of, one_turn, two_turns
from companion.table.events import NewEvent

__all__ = ["FishingReferee"]

_REPORT_AT_ONCE = 0.97
"""Minimum probability of a hypothesis to be reported at the first observation."""
_REPORT_LATER = 0.95
"""Minimum probability to be reported if an earlier observation was ambiguous."""
_PATIENCE = 3
"""Number of successive ambiguous or unexplained observations after which the players are asked, or a problem is
reported."""
_MAX_CHOICES = 4
"""Maximum number of answers offered for a question."""
_MAX_HYPOTHESES = 6
"""Maximum number of hypotheses kept while a turn is ambiguous."""
_CORRECT_AFTER = 2
"""Number of successive observations that must contradict the committed state before it is corrected."""
_ORDER_CONFIDENCE = 0.9
"""Confidence required in which card came from the hand when that changes the game."""
_RECORD_ORDER_CONFIDENCE = 0.8
"""Order confidence required when the score is unaffected, both with and without the prior for what players usually do.
In 1,444 turns of rendered rounds, this asked about 28, including the 4 that were reported in the wrong order."""
_TOO_EARLY = 0.8
"""If the probability that nothing happened, or that a turn is under way, is above this, no other hypothesis is kept."""
_MIN_PROBABILITY = 1e-3
"""Minimum probability of the other order of two cards."""
_MIN_GAIN, _MIN_CLEAR_GAIN = 1.5, 3.0
"""By how much (log) another card must explain an observation better than a card that was only inferred: on a table on
which nothing else has happened, and on any other."""
_CLEARED_FRACTION = 0.25
"""If a smaller fraction of the open cards of a finished round is detected, the cards are being gathered up."""
_BESIDE_STOCK_MM = 90.0
"""Within this distance from the draw pile, a face-up card is a draw-pile card that someone looked at."""


class FishingReferee:
    """Explains observations of a table with a fishing game (see `companion.referee.interface.Referee`)."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules, self.players = rules, players
        self._memory = Memory()
        self._ambiguous = 0
        """Number of successive observations for which no hypothesis was likely enough."""
        self._unexplained = 0
        """Number of successive observations that no hypothesis explains."""
        self._uncertain_deal: tuple[deal_detection.Field, Observation] | None = None
        """A deal that could not be read with confidence yet, and its observation."""
        self._anomalous = 0
        """Number of successive observations with a surplus or missing card and no move."""
        self._contradicted = 0
        """Number of successive observations that contradict the committed state, or show that a move was taken back."""
        self._hypotheses: list[MoveHypothesis] = []
        """The hypotheses about what happened since the committed state, while it is ambiguous."""
        self._hypotheses_from: object = None
        """Identifies the committed state that `_hypotheses` start from (see `_state_key`)."""
        self._peeked: int | None = None
        """Index of a hidden card that was detected beside the draw pile."""

    def see(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the events that explain the change since the committed state; empty if nothing happened or it is too
        early to decide."""
        detections = self._memory.read(observation)
        if "camera-moved" in observation.notes:
            self._memory.positions.clear()
        played = table.round
        if not isinstance(played, FishingRound):
            return self._see_deal(detections, observation, table)
        if not played.moves:
            self._memory.forget_round()
        position = Position(played, self._memory.detected_in_piles)
        base = fit(detections, position.spots)
        if deal_detection.is_new_deal(detections, position):
            return self._see_new_deal(detections, base, position, observation, table)
        better = corrected_inferences(position, detections, base, table, self._memory)
        if _is_clean(base, position) and not base.misplaced and better and better[0][0] > _MIN_GAIN:
            return self._replace_inferred(better[0][1], observation)
        if _is_clean(base, position) and not base.misread and not base.misplaced:
            return self._see_committed(base, position, observation, table)
        if self._is_being_cleared(base, position):
            return []
        return self._see_turn(detections, base, position, observation, table, better)

    def close(self, table: CommittedTable) -> list[NewEvent]:
        """Return the events implied by the end of the session: an open koi-koi decision counts as a stop."""
        if isinstance(table.round, FishingRound) and (call := deal_detection.stop(table.round)) is not None:
            return [moved(call, 0.8, self._memory.frame)]
        return []

    def rescan(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the events that set the table to what the observation shows, whatever was committed before.

        Empty if there is no round.
        """
        if not isinstance(table.round, FishingRound):
            return []
        detections = self._memory.read(observation)
        position = Position(table.round, self._memory.detected_in_piles)
        base = fit(detections, position.spots)
        zones: dict[int, set[int]] = {FIELD: set(), 1: set(), 2: set()}
        for index, spot in position.spots.items():
            # A card hidden in a pile is still there; a card missing from the field is not.
            if index in base.matched or spot.zone != FIELD:
                match = base.matched.get(index)
                zones[match.zone if match and match.zone >= FIELD else spot.zone].add(index)
        for detection in base.extra:
            if (
                detection.zone >= FIELD
                and detection.top is not None
                and detection.log_probability(detection.top) > log(0.5)
            ):
                cards = set[int]().union(*zones.values())
                zones[detection.zone].update(
                    [index for index in LOOKALIKES[detection.top] if index not in cards][:1]
                )
        ids = {zone: [HANAFUDA[index].id for index in sorted(cards)] for zone, cards in zones.items()}
        data = {"field": ids[0], "captured": [ids[1], ids[2]], "to_move": position.player or 1}
        self._reset_doubts()
        return [*settle(table, reported=True), NewEvent("set", data, 0.9, observation.frame)]

    # --- deals

    def _see_deal(
        self, detections: Sequence[DetectedCard], observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Handle an observation while a deal is expected: report the deal once it can be read."""
        field = deal_detection.field_of(detections)
        if self._uncertain_deal is not None:
            dealt = indices(self._uncertain_deal[0].readings[0][0])
            self._memory.record_transient_detections(observation, DECK & ~sum(1 << index for index in dealt))
        if (field is None or not field.readings) and self._uncertain_deal is not None and not waiting(table):
            # The first card was played before the deal could be read with confidence.
            (deal_field, deal_observation), self._uncertain_deal = self._uncertain_deal, None
            return [deal_detection.question(deal_field, deal_observation, table)]
        if (
            field
            and field.readings
            and (field.confident or (self._ambiguous and deal_detection.confident_enough(detections)))
        ):
            self._reset_doubts()
            cards, probability = field.readings[0]
            placed = {index: Spot(FIELD) for index in indices(cards)}
            self._memory.commit(observation, fit(detections, placed).matched, placed)
            return [
                *settle(table, reported=True),
                *deal_detection.reported(cards, observation, table, probability),
            ]
        return self._see_no_deal(field, observation, table)

    def _see_no_deal(
        self, field: deal_detection.Field | None, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Handle a table without a readable deal: wait, then ask or report the problem."""
        if field is not None and field.readings:
            self._uncertain_deal = field, observation
        if (field is None and table.round is not None) or (field is not None and field.count == 0):
            return []
        self._ambiguous += _observations_worth(observation)
        if self._ambiguous < _PATIENCE or waiting(table):
            return []
        if field is None:
            return self._report_problem(
                table_problems.TableProblem("deal-missed", Message("notice-deal-missed")), observation, table
            )
        if field.readings:
            return [deal_detection.question(field, observation, table)]
        if field.count >= 5:
            message = Message("notice-deal-count", {"count": field.count})
            return self._report_problem(
                table_problems.TableProblem("deal-count", message), observation, table
            )
        return []

    def _see_new_deal(
        self,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        """Handle a new deal during a round: report it if the round can be over, otherwise ask whether the round was
        abandoned."""
        if position.phase == "over" or deal_detection.stop(position.round) is not None:
            return self._see_deal(detections, observation, table)
        self._ambiguous += _observations_worth(observation)
        field = deal_detection.field_of(detections)
        if self._ambiguous < _PATIENCE or waiting(table) or field is None or not field.readings:
            return []
        cards, probability = field.readings[0]
        events = [NewEvent("abandoned", {}), *deal_detection.reported(cards, observation, table, probability)]
        yes = choice(
            Message("choice-new-deal", {"cards": cards_of_bits(to_bits(cards))}), probability, events
        )
        data = {
            "text": Message("question-new-deal").to_dict(),
            "choices": [yes],
            "picture": observation.frame,
        }
        return [NewEvent("asked", data, round(probability, 3), observation.frame)]

    def _is_being_cleared(self, base: Fit, position: Position) -> bool:
        """Return whether the cards of a finished round are being gathered up."""
        over = position.phase == "over" or deal_detection.stop(position.round) is not None
        detected = sum(index in base.matched for index in position.spots)
        return over and detected < _CLEARED_FRACTION * len(position.spots)

    def _replace_inferred(self, start: Start, observation: Observation) -> list[NewEvent]:
        """Return the corrections that replace inferred cards with those that are now detected."""
        self._contradicted += _observations_worth(observation)
        if self._contradicted < _CORRECT_AFTER:
            return []
        self._contradicted = 0
        return [replace(event, evidence=observation.frame) for event in start.events]

    # --- turns

    def _see_turn(
        self,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
        better: Sequence[tuple[float, Start]],
    ) -> list[NewEvent]:
        """Explain an observation that differs from the committed state."""
        self._memory.record_transient_detections(observation, position.hidden)
        clues = clues_of(detections, base, position, self._memory.appeared)
        self._memory.record_appeared((index, detection) for index, detection in clues.confident.items())
        self._memory.record_uncertain(
            detections, {card: p for card, p in clues.detected.items() if card not in clues.confident}
        )
        self._watch_stock(detections, position)
        starts = committed(position, table, self._memory)
        open_hypotheses = undecided(self._hypotheses if self._hypotheses_from == _state_key(position) else ())
        clearly_better = [start for gain, start in better if gain > _MIN_CLEAR_GAIN]
        explanations = list(self._explanations((*starts, *open_hypotheses, *clearly_better), detections))
        ranking = rank(explanations, detections, self._memory)
        if (
            ranking.best is None
            or mismatch_score(ranking.best.best) < MIN_MISMATCH_SCORE
            or base.misread
            or base.misplaced
        ):
            others = [start for gain, start in better if gain <= _MIN_CLEAR_GAIN]
            corrected = (*corrected_starts(position, base, table, self._memory), *others)
            all_explanations = [
                *explanations,
                *two_turns(position, clues),
                *self._explanations(corrected, detections),
            ]
            ranking = rank(all_explanations, detections, self._memory)
        best = ranking.best
        if best is None or mismatch_score(best.best) < (
            MIN_MISMATCH_SCORE if best.best.whole_turns == 1 else MIN_MISMATCH_SCORE_TWO_TURNS
        ):
            return self._see_unexplained(detections, base, position, observation, table)
        self._unexplained = 0
        if best.best.events or best.best.whole_turns > 1:
            self._contradicted += _observations_worth(observation)
            if self._contradicted < _CORRECT_AFTER:
                return []
        else:
            self._contradicted = 0
            if not best.moves and best.probability > _TOO_EARLY:
                return self._wait(best, detections, base, position, observation, table)
        return self._decide(ranking, best, position, observation, table)

    def _decide(
        self,
        ranking: Ranking,
        best: RankedHypothesis,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        """Report the most likely hypothesis if it is likely enough, otherwise ask."""
        if best.probability >= _REPORT_AT_ONCE or (self._ambiguous and best.probability >= _REPORT_LATER):
            if min(best.order_confidence, best.visual_order_confidence) < self._required_order_confidence(
                best
            ):
                return self._ask_order(ranking, position, observation, table)
            return self._report(best, observation, table)
        common = ranking.common
        if common is None or common.probability < _REPORT_AT_ONCE:
            return self._ask(ranking, position, observation, table)
        # The turn after it has resolved an ambiguous turn, which can be reported now.
        return self._report(common, observation, table)

    def _ask_order(
        self, ranking: Ranking, position: Position, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Ask which of two cards came from the hand.

        If the answer changes only the record, the game is not held up: the more likely order is reported and can be
        corrected.
        """
        likely, *others = _both_orders(ranking.hypotheses[0])
        other_moves = others[0].moves if others else ()
        same_steps = [(type(move), move.player) for move in likely.moves] == [
            (type(move), move.player) for move in other_moves
        ]
        if likely.order_matters or not same_steps:
            return self._ask(ranking, position, observation, table, orders=True)
        events = self._report(ranking.hypotheses[0], observation, table)
        preceding = sum(event.kind != "settled" for event in events) - len(likely.moves)
        first_seq = table.events[-1].seq + 1 + preceding
        corrections = [
            NewEvent("corrected", {"of": seq, "kind": "moved", "data": _correction_data(move)})
            for seq, (reported, move) in enumerate(zip(likely.moves, other_moves, strict=True), first_seq)
            if move != reported
        ]
        choices = [
            choice(
                message_sequence([fishing_move_message(move) for move in likely.moves]),
                likely.probability,
                (),
            ),
            choice(
                message_sequence([fishing_move_message(move) for move in other_moves]),
                others[0].probability,
                corrections,
            ),
        ]
        message = Message(
            "question-which-order", {"player": player_message(likely.moves[-1].player)}
        ).to_dict()
        data = {"text": message, "choices": choices, "picture": observation.frame}
        return [*events, NewEvent("asked", data, round(likely.probability, 3), observation.frame)]

    def _required_order_confidence(self, hypothesis: RankedHypothesis) -> float:
        """Return the confidence required in which card came from the hand.

        It is 0 if the camera cannot have seen the order and the order does not change the game.
        """
        if hypothesis.order_matters:
            return _ORDER_CONFIDENCE
        assert hypothesis.best.fitted is not None
        unobservable = not self._memory.watched or landed_together(
            hypothesis.moves, self._memory, hypothesis.best.fitted
        )
        return 0.0 if unobservable or len(cards_of(hypothesis.moves)) != 2 else _RECORD_ORDER_CONFIDENCE

    def _explanations(
        self, starts: Iterable[Start], detections: Sequence[DetectedCard]
    ) -> Iterator[Explanation]:
        """Yield the explanations that start from each of the given positions: without another move, and with one
        turn."""
        for start in starts:
            position = start.position
            base = fit(detections, position.spots)
            origin = start.origin or position
            ordered = len(cards_of(start.moves))
            yield Explanation(
                origin, start.moves, position.spots, (), start.prior, ordered=ordered, events=start.events
            )
            for explanation in one_turn(
                position, clues_of(detections, base, position, self._memory.appeared)
            ):
                explanation.events, explanation.prior = start.events, explanation.prior + start.prior
                explanation.position, explanation.moves = origin, (*start.moves, *explanation.moves)
                explanation.completed_cards = explanation.ordered = len(cards_of(start.moves))
                yield explanation

    def _report(
        self, hypothesis: RankedHypothesis, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Return the events of a hypothesis, and commit its cards to memory."""
        confidence = round(hypothesis.probability * hypothesis.order_confidence, 3)
        assert hypothesis.best.fitted is not None
        # A card in the wrong pile is still there: that problem stays open.
        resolved = settle(table, but="card-moved" if hypothesis.best.fitted.misplaced else "", reported=True)
        events = [
            replace(event, confidence=confidence, evidence=observation.frame)
            for event in hypothesis.best.events
        ]
        played = hypothesis.best.position.round
        if _reveals_dealer(hypothesis, table):
            events.append(NewEvent("began", {"dealer": played.dealer}, confidence, observation.frame))
        events += [moved(move, confidence, observation.frame) for move in hypothesis.moves]
        matched, started = _committed_cards(hypothesis, self._memory.appeared)
        self._memory.commit(observation, matched, hypothesis.best.placed, started)
        self._reset_doubts()
        # Questions refer to the moves by the sequence numbers that they will get, so events that may be omitted come
        # last.
        return [*events, *resolved]

    def _see_committed(
        self, base: Fit, position: Position, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Handle an observation that shows the committed state: resolve open problems, and report a card that was
        peeked at."""
        events = []
        if self._peeked is not None:
            bits = 1 << self._peeked
            self._peeked = None
            events = self._report_problem(
                table_problems.TableProblem(
                    "card-peeked", Message("notice-card-peeked", {"cards": cards_of_bits(bits)}), bits
                ),
                observation,
                table,
            )
        self._reset_doubts()
        resolved = settle(table)
        self._memory.commit(observation, base.matched, position.spots)
        return [*resolved, *events]

    # --- doubts

    def _wait(
        self,
        best: RankedHypothesis,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        """Wait, because nothing happened or a turn is under way. Report an anomaly that persists."""
        if best.best.moves:
            # Both cards are on the table, but one is not beside the card that it must capture.
            misplaced = isinstance(best.best.moves[-1], Draw) and cards_apart(best.best, self._memory)
            self._anomalous = self._anomalous + _observations_worth(observation) if misplaced else 0
            if self._anomalous < _PATIENCE:
                return []
            return self._report_problem(
                table_problems.table_problem(detections, base, position), observation, table
            )
        if self._peeked is not None and not base.extra:
            return self._see_committed(base, position, observation, table)
        self._anomalous += _observations_worth(observation)
        clean = _is_clean(base, position) and not base.misplaced
        problem = None if clean else _minor_problem(detections, base, position)
        if not clean and problem is None:
            self._anomalous = 0
        if self._anomalous < _PATIENCE:
            return []
        if problem is not None:
            return self._report_problem(problem, observation, table)
        # The recognizer keeps reading a card as another one: identify it by its track key from now on.
        return self._see_committed(base, position, observation, table)

    def _see_unexplained(
        self,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        """Wait, then report what is wrong with a table that no hypothesis explains."""
        self._unexplained += _observations_worth(observation)
        if self._unexplained < _PATIENCE:
            return []
        problem = table_problems.unread(base) or table_problems.table_problem(detections, base, position)
        return self._report_problem(problem, observation, table)

    def _ask(
        self,
        ranking: Ranking,
        position: Position,
        observation: Observation,
        table: CommittedTable,
        *,
        orders: bool = False,
    ) -> list[NewEvent]:
        """Keep the likely hypotheses, and ask the players if further observations did not decide.

        `orders` asks only for the order of the cards of the most likely hypothesis, which no further observation can
        decide.
        """
        self._ambiguous += _observations_worth(observation)
        hypotheses = _both_orders(ranking.hypotheses[0]) if orders else ranking.hypotheses
        candidates = [
            hypothesis
            for hypothesis in hypotheses[:_MAX_HYPOTHESES]
            if hypothesis.moves and not hypothesis.best.events
        ]
        self._hypotheses = [
            MoveHypothesis(hypothesis.best.position, hypothesis.moves, hypothesis.prior)
            for hypothesis in candidates
        ]
        self._hypotheses_from = _state_key(position)
        if candidates and (fitted := candidates[0].best.fitted) is not None:
            self._memory.unexplained |= {
                detection.key: detection.since for detection in fitted.extra if detection.zone > FIELD
            }
        # Further observations cannot decide the order of two cards.
        if self._ambiguous < (1 if orders else _PATIENCE) or waiting(table):
            return []
        choices = []
        for hypothesis in hypotheses[:_MAX_CHOICES]:
            events = self._choice_events(hypothesis, table)
            messages = [Message("choice-correction")] if hypothesis.best.events else []
            messages += [fishing_move_message(move) for move in hypothesis.moves] or (
                [] if events else [Message("choice-nothing")]
            )
            choices.append(choice(message_sequence(messages), hypothesis.probability, events))
        player = next(
            (move.player for hypothesis in hypotheses[:_MAX_CHOICES] for move in hypothesis.moves), 1
        )
        data = {
            "text": Message("question-which-turn", {"player": player_message(player)}).to_dict(),
            "choices": choices,
            "picture": observation.frame,
        }
        return [NewEvent("asked", data, round(ranking.hypotheses[0].probability, 3), observation.frame)]

    def _choice_events(self, hypothesis: RankedHypothesis, table: CommittedTable) -> list[NewEvent]:
        """Return the events that follow if a player chooses this hypothesis."""
        events = list(hypothesis.best.events)
        if _reveals_dealer(hypothesis, table):
            events.append(NewEvent("began", {"dealer": hypothesis.best.position.round.dealer}))
        return [*events, *(moved(move, hypothesis.probability, None) for move in hypothesis.moves)]

    def _report_problem(
        self, table_problem: table_problems.TableProblem, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Report a problem once, replacing the problems reported before."""
        problem = RefereeProblem(table_problem.code, table_problem.message, table_problem.ids)
        return notice(problem, table, self._memory.frame, observation.frame)

    def _reset_doubts(self) -> None:
        """Reset the counters of ambiguous and unexplained observations."""
        self._uncertain_deal = None
        self._ambiguous = self._unexplained = self._anomalous = self._contradicted = 0

    def _watch_stock(self, detections: Sequence[DetectedCard], position: Position) -> None:
        """Remember a hidden card that is shown beside the draw pile."""
        stock = self._memory.stock
        for detection in detections:
            is_near = detection.zone == STOCK or (
                detection.zone < FIELD and stock is not None and dist(detection.at, stock) < _BESIDE_STOCK_MM
            )
            if is_near and detection.top is not None and detection.log_probability(detection.top) > log(0.8):
                hidden = [i for i in range(48) if FIRST_OF[i] == detection.top and position.hidden >> i & 1]
                if hidden:
                    self._peeked = hidden[0]


def _observations_worth(observation: Observation) -> int:
    """Return the number of observations that one counts for: a posted photograph is the only one of its table."""
    return _PATIENCE if POSTED in observation.notes else 1


def _both_orders(hypothesis: RankedHypothesis) -> tuple[RankedHypothesis, ...]:
    """Return a hypothesis with its cards in both orders, most likely first; only itself if there is no other order."""
    likely = replace(hypothesis, probability=hypothesis.probability * hypothesis.order_confidence)
    if not hypothesis.other_order:
        return (likely,)
    probability = max(_MIN_PROBABILITY, hypothesis.probability - likely.probability)
    prior = hypothesis.prior + log(probability / likely.probability)
    return likely, replace(hypothesis, moves=hypothesis.other_order, probability=probability, prior=prior)


def _committed_cards(
    hypothesis: RankedHypothesis, appeared: Mapping[int, CardAppearance]
) -> tuple[Mapping[int, DetectedCard], Mapping[int, CardAppearance] | None]:
    """Return the detections that show the table after the reported moves, and the appearances of the remaining new
    cards.

    The second part is None unless another turn has begun already.
    """
    assert hypothesis.best.fitted is not None
    matched = hypothesis.best.fitted.matched
    if len(cards_of(hypothesis.moves)) == len(cards_of(hypothesis.best.moves)):
        return matched, None
    played = hypothesis.best.position.round.copy()
    for move in hypothesis.moves:
        played.push(move, unchecked=True)
    reported = Position(played)
    committed_detections = {
        index: detection
        for index, detection in matched.items()
        if (spot := reported.spots.get(index)) is not None and spot.zone == hypothesis.best.placed[index].zone
    }
    return committed_detections, {
        index: appearance for index, appearance in appeared.items() if reported.hidden >> index & 1
    }


def _is_clean(base: Fit, position: Position) -> bool:
    """Return whether the field is exactly as committed and nothing else is detected. Cards hidden in piles are
    allowed."""
    return not base.extra and not any(position.field >> index & 1 for index in base.missed)


def _minor_problem(
    detections: Sequence[DetectedCard], base: Fit, position: Position
) -> table_problems.TableProblem | None:
    """Return the problem of a table on which nothing has happened, or None if it may be a miss of the recognizer."""
    problem = table_problems.unread(base)
    if problem is None and base.misplaced:
        problem = table_problems.table_problem(detections, base, position)
    return problem or table_problems.not_detected(base, position)


def _state_key(position: Position) -> object:
    """Return a key that identifies a committed state."""
    return position.round.dealer, position.round.moves, position.field, position.piles


def _correction_data(move: FishingMove) -> dict[str, Any]:
    """Return the data of a move event for the correction of one of two moves.

    It is not checked against the rules, because the other correction is not applied yet.
    """
    return {"player": move.player, "words": list(move.words()), "unchecked": True}


def _reveals_dealer(hypothesis: RankedHypothesis, table: CommittedTable) -> bool:
    """Return whether the first turn shows who dealt and the dealer was unknown or assumed to be the other player."""
    played = hypothesis.best.position.round
    if not hypothesis.moves or played.moves or hypothesis.best.events or table.round is None:
        return False
    return played.dealer != table.round.dealer or not table.dealer_known
