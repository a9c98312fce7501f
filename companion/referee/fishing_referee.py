"""The referee of the fishing games: explains successive observations, from the deal to the end of the round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import dist, log

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import Draw, FishingMove, FishingRound
from companion.hanafuda.fishing.captures import DECK
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules
from companion.observations import POSTED, Observation
from companion.referee import deal_detection, table_problems
from companion.referee.card_likelihoods import (
    FIELD,
    LOOKALIKES,
    STOCK,
    DetectedCard,
    Fit,
    Spot,
    fit,
)
from companion.referee.card_order import landed_together
from companion.referee.expected_cards import Position, indices, round_after
from companion.referee.fishing_questions import both_orders, order_question, turn_events, turn_question
from companion.referee.hypothesis_ranking import (
    MIN_MISMATCH_SCORE,
    MIN_MISMATCH_SCORE_TWO_TURNS,
    RankedHypothesis,
    Ranking,
    cards_apart,
    mismatch_score,
    rank,
)
from companion.referee.observation_history import CardAppearance, Memory
from companion.referee.starting_states import (
    MoveHypothesis,
    Start,
    committed,
    corrected_inferences,
    corrected_starts,
    undecided,
)
from companion.referee.turn_hypotheses import Clues, Explanation, cards_of, clues_of, one_turn, two_turns
from companion.table.events import NewEvent
from companion.watch.interface import CommittedTable
from companion.watch.referee_events import RefereeProblem, moved, notice, settle, waiting

_REPORT_AT_ONCE = 0.97
"""Minimum probability of a hypothesis to be reported at the first observation."""
_REPORT_LATER = 0.95
"""Minimum probability to be reported if an earlier observation was ambiguous."""
_PATIENCE = 3
"""Number of successive ambiguous or unexplained observations after which the players are asked, or a problem is
reported."""
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
_MIN_GAIN, _MIN_CLEAR_GAIN = 1.5, 3.0
"""By how much (log) another card must explain an observation better than a card that was only inferred: on a table on
which nothing else has happened, and on any other."""
_CLEARED_FRACTION = 0.25
"""If a smaller fraction of the open cards of a finished round is detected, the cards are being gathered up."""
_BESIDE_STOCK_MM = 90.0
"""Within this distance from the draw pile, a face-up card is a draw-pile card that someone looked at."""


class FishingReferee:
    """Explains observations of a table with a fishing game (see `companion.watch.interface.Referee`)."""

    in_doubt = True
    """Card readers show the table again in any case: what must last to count is remembered here."""

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
        ids = _zones_to_set(base, position)
        data = {"field": ids[FIELD], "captured": [ids[1], ids[2]], "to_move": position.player or 1}
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
        # The cards of a round whose result was reported may still be on the table.
        old_cards = table.result_reported and (field is None or not field.readings)
        if old_cards or (field is None and table.round is not None) or (field and field.count == 0):
            return []
        self._ambiguous += _observations_worth(observation)
        if self._ambiguous < _PATIENCE or waiting(table):
            return []
        if field is None:
            return self._report_problem(
                RefereeProblem("deal-missed", Message("notice-deal-missed")), observation, table
            )
        if field.readings:
            return [deal_detection.question(field, observation, table)]
        if field.count >= 5:
            message = Message("notice-deal-count", {"count": field.count})
            return self._report_problem(RefereeProblem("deal-count", message), observation, table)
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
        if field is None or not field.readings:
            return []
        self._uncertain_deal = field, observation
        if self._ambiguous < _PATIENCE or waiting(table):
            return []
        return [deal_detection.abandon_question(field, observation, table)]

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
        self._memory.record_appeared(clues.confident.items())
        self._memory.record_uncertain(detections, clues.detected.keys() - clues.confident.keys())
        self._watch_stock(detections, position)
        ranking = self._rank(detections, base, position, clues, table, better)
        best = ranking.best
        if best is None or not _explains(best):
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

    def _rank(
        self,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        clues: Clues,
        table: CommittedTable,
        better: Sequence[tuple[float, Start]],
    ) -> Ranking:
        """Rank what may have happened.

        Errors of the committed table, and two turns without an observation between them, are tried only if one turn
        does not explain the observation well.
        """
        open_hypotheses = self._hypotheses if self._hypotheses_from == _state_key(position) else ()
        starts = (
            *committed(position, table, self._memory),
            *undecided(open_hypotheses),
            *(start for gain, start in better if gain > _MIN_CLEAR_GAIN),
        )
        explanations = list(self._explanations(starts, detections))
        ranking = rank(explanations, detections, self._memory)
        explained = ranking.best is not None and mismatch_score(ranking.best.best) >= MIN_MISMATCH_SCORE
        if explained and not base.misread and not base.misplaced:
            return ranking
        corrected = (
            *corrected_starts(position, base, table, self._memory),
            *(start for gain, start in better if gain <= _MIN_CLEAR_GAIN),
        )
        explanations += two_turns(position, clues)
        explanations += self._explanations(corrected, detections)
        return rank(explanations, detections, self._memory)

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
        likely, *others = both_orders(ranking.hypotheses[0])
        if likely.order_matters or not others or not _same_steps(likely.moves, others[0].moves):
            return self._ask(ranking, position, observation, table, orders=True)
        events = self._report(ranking.hypotheses[0], observation, table)
        preceding = sum(event.kind != "settled" for event in events) - len(likely.moves)
        first_seq = table.events[-1].seq + 1 + preceding
        return [*events, order_question(likely, others[0], first_seq, observation.frame)]

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
        assert hypothesis.best.fitted is not None
        # A card in the wrong pile is still there: that problem stays open.
        resolved = settle(table, but="card-moved" if hypothesis.best.fitted.misplaced else "", reported=True)
        confidence = hypothesis.probability * hypothesis.order_confidence
        events = turn_events(hypothesis, table, confidence, observation.frame)
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
            ids = (HANAFUDA[self._peeked].id,)
            self._peeked = None
            events = self._report_problem(
                RefereeProblem("card-peeked", Message("notice-card-peeked", {"cards": card_list(ids)}), ids),
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
        if self._unexplained < _PATIENCE or deal_detection.asks_for_new_deal(table):
            return []
        if self._uncertain_deal is not None and not waiting(table):
            # The first card was played before it was certain that there is a new deal.
            (field, deal_observation), self._uncertain_deal = self._uncertain_deal, None
            return [deal_detection.abandon_question(field, deal_observation, table)]
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
        hypotheses = both_orders(ranking.hypotheses[0]) if orders else ranking.hypotheses
        self._keep(hypotheses[:_MAX_HYPOTHESES], position)
        # Further observations cannot decide the order of two cards.
        if self._ambiguous < (1 if orders else _PATIENCE) or waiting(table):
            return []
        return [turn_question(hypotheses, ranking.hypotheses[0].probability, table, observation.frame)]

    def _keep(self, hypotheses: Sequence[RankedHypothesis], position: Position) -> None:
        """Keep hypotheses with moves as starting points for the next observation."""
        candidates = [each for each in hypotheses if each.moves and not each.best.events]
        self._hypotheses = [
            MoveHypothesis(hypothesis.best.position, hypothesis.moves, hypothesis.prior)
            for hypothesis in candidates
        ]
        self._hypotheses_from = _state_key(position)
        if candidates and (fitted := candidates[0].best.fitted) is not None:
            self._memory.unexplained |= {
                detection.key: detection.since for detection in fitted.extra if detection.zone > FIELD
            }

    def _report_problem(
        self, problem: RefereeProblem, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Report a problem once, replacing the problems reported before."""
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
                hidden = [index for index in LOOKALIKES[detection.top] if position.hidden >> index & 1]
                if hidden:
                    self._peeked = hidden[0]


def _observations_worth(observation: Observation) -> int:
    """Return the number of observations that one counts for: a posted photograph is the only one of its table."""
    return _PATIENCE if POSTED in observation.notes else 1


def _explains(hypothesis: RankedHypothesis) -> bool:
    """Return whether a hypothesis fits the observation well enough."""
    one_turn_only = hypothesis.best.whole_turns == 1
    min_score = MIN_MISMATCH_SCORE if one_turn_only else MIN_MISMATCH_SCORE_TWO_TURNS
    return mismatch_score(hypothesis.best) >= min_score


def _same_steps(moves: Sequence[FishingMove], others: Sequence[FishingMove]) -> bool:
    """Return whether moves differ only in their cards."""
    return [(type(move), move.player) for move in moves] == [(type(move), move.player) for move in others]


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
    reported = Position(round_after(hypothesis.best.position.round, hypothesis.moves))
    committed_detections = {
        index: detection
        for index, detection in matched.items()
        if (spot := reported.spots.get(index)) is not None and spot.zone == hypothesis.best.placed[index].zone
    }
    return committed_detections, {
        index: appearance for index, appearance in appeared.items() if reported.hidden >> index & 1
    }


def _zones_to_set(base: Fit, position: Position) -> dict[int, list[str]]:
    """Return the ids of the cards on the field and in the piles, by zone, as an observation shows them."""
    zones: dict[int, set[int]] = {FIELD: set(), 1: set(), 2: set()}
    for index, spot in position.spots.items():
        # A card hidden in a pile is still there; a card missing from the field is not.
        if index in base.matched or spot.zone != FIELD:
            match = base.matched.get(index)
            zones[match.zone if match and match.zone >= FIELD else spot.zone].add(index)
    for detection in base.extra:
        if detection.zone >= FIELD and detection.top is not None and detection.is_named:
            placed = set[int]().union(*zones.values())
            free = [index for index in LOOKALIKES[detection.top] if index not in placed]
            zones[detection.zone].update(free[:1])
    return {zone: [HANAFUDA[index].id for index in sorted(cards)] for zone, cards in zones.items()}


def _is_clean(base: Fit, position: Position) -> bool:
    """Return whether the field is exactly as committed and nothing else is detected. Cards hidden in piles are
    allowed."""
    return not base.extra and not any(position.field >> index & 1 for index in base.missed)


def _minor_problem(
    detections: Sequence[DetectedCard], base: Fit, position: Position
) -> RefereeProblem | None:
    """Return the problem of a table on which nothing has happened, or None if it may be a miss of the recognizer."""
    problem = table_problems.unread(base)
    if problem is None and base.misplaced:
        problem = table_problems.table_problem(detections, base, position)
    return problem or table_problems.not_detected(base, position)


def _state_key(position: Position) -> object:
    """Return a key that identifies a committed state."""
    return position.round.dealer, position.round.moves, position.field, position.piles
