"""The referee of the fishing games: one look after another, from the deal to the end of the round."""

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
from companion.referee.card_likelihoods import FIELD, FIRST_OF, STOCK, TWINS, DetectedCard, Fit, Spot, fit
from companion.referee.card_order import came_together
from companion.referee.expected_cards import Position, indices
from companion.referee.hypothesis_ranking import POOR, POOR_OF_TWO, Verdict, Weighed, loss, lying_apart, weigh
from companion.referee.interface import CommittedTable
from companion.referee.message_parts import fishing_move_message, message_sequence
from companion.referee.observation_history import CardAppearance, Memory
from companion.referee.referee_events import RefereeProblem, choice, moved, notice, settle, waiting
from companion.referee.starting_states import (
    MoveHypothesis,
    Start,
    committed,
    guessed_wrongly,
    put_right,
    undecided,
)
from companion.referee.turn_hypotheses import Explanation, cards_of, clues_of, one_turn, two_turns
from companion.table.events import NewEvent

__all__ = ["FishingReferee"]

_AT_ONCE = 0.97
"""What is so likely is told at the first look."""
_AGAIN = 0.95
"""What is so likely at a second look is told then."""
_PATIENCE = 3
"""So many looks in a row without an answer, and the players are asked, or told of the problem."""
_CHOICES = 4
_WAYS_KEPT = 6
_MENDED_AFTER = 2
"""So many looks in a row must show that what was agreed on is not so."""
_ORDER_ASKED = 0.9
"""So sure it must be which card came from the hand where that changes the game."""
_ORDER_OPEN = 0.8
"""And so sure where it changes nothing but the record, with and without what players are wont to do. Of 1,444 turns of rendered
rounds 28 were asked about by this, among them the 4 that were told in the wrong order."""
_EARLY = 0.8
"""So likely it must be that nothing happened, or that a turn is under way, not to keep in mind what else may have happened."""
_LEAST = 1e-3
_BETTER, _CLEARLY = 1.5, 3.0
"""By so much (log) another card must explain a look better than one that was inferred: on a table on which nothing else has
happened, and on any."""
_GONE = 0.25
"""With fewer of the open cards than this in sight the round is being gathered up."""
_BESIDE_STOCK_MM = 90.0


class FishingReferee:
    """Explains looks at a table of a fishing game."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules, self.players = rules, players
        self._memory = Memory()
        self._undecided = 0
        """Looks in a row that two explanations fit about as well."""
        self._unexplained = 0
        """Looks in a row that nothing explains."""
        self._read_deal: tuple[deal_detection.Field, Observation] | None = None
        """A deal that nobody could be sure of yet, and the look that showed it."""
        self._strange = 0
        """Looks in a row with a card too many or too few that changes nothing."""
        self._mending = 0
        """Looks in a row by which something that was agreed on is not so, or is taken back."""
        self._hypotheses: list[MoveHypothesis] = []
        """What may have happened since the agreed table, where looks could not tell."""
        self._hypotheses_from: object = None
        """The agreed table that they start from."""
        self._peeked: int | None = None
        """A hidden card that was seen beside the stock."""

    def see(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return what must have happened since the last agreed state, nothing where nothing did or it is too early."""
        detections = self._memory.read(observation)
        if "camera-moved" in observation.notes:
            self._memory.places.clear()
        played = table.round
        if not isinstance(played, FishingRound):
            return self._dealt(detections, observation, table)
        if not played.moves:
            self._memory.dealt()
        position = Position(played, self._memory.taken_up)
        base = fit(detections, position.spots)
        if deal_detection.is_new_deal(detections, position):
            return self._dealt_again(detections, base, position, observation, table)
        better = guessed_wrongly(position, detections, base, table, self._memory)
        if _is_clean(base, position) and not base.astray and better and better[0][0] > _BETTER:
            return self._guess_again(better[0][1], observation)
        if _is_clean(base, position) and not base.misread and not base.astray:
            return self._as_committed(base, position, observation, table)
        if self._gathered(base, position):
            return []
        return self._turn(detections, base, position, observation, table, better)

    def close(self, table: CommittedTable) -> list[NewEvent]:
        """Return what the end of the watching tells: a decision that is still open was a stop."""
        if isinstance(table.round, FishingRound) and (call := deal_detection.stop(table.round)) is not None:
            return [moved(call, 0.8, self._memory.frame)]
        return []

    def rescan(self, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        """Return the event that takes the table as it lies, whatever was agreed before; nothing without a round."""
        if not isinstance(table.round, FishingRound):
            return []
        detections = self._memory.read(observation)
        position = Position(table.round, self._memory.taken_up)
        base = fit(detections, position.spots)
        zones: dict[int, set[int]] = {FIELD: set(), 1: set(), 2: set()}
        for index, spot in position.spots.items():
            # What a pile hides is still there; what is gone from the field is not.
            if index in base.matched or spot.zone != FIELD:
                seen = base.matched.get(index)
                zones[seen.zone if seen and seen.zone >= FIELD else spot.zone].add(index)
        for found in base.extra:
            if found.zone >= FIELD and found.top is not None and found.says(found.top) > log(0.5):
                lying = set[int]().union(*zones.values())
                zones[found.zone].update([index for index in TWINS[found.top] if index not in lying][:1])
        ids = {zone: [HANAFUDA[index].id for index in sorted(lying)] for zone, lying in zones.items()}
        data = {"field": ids[0], "captured": [ids[1], ids[2]], "to_move": position.player or 1}
        self._forget_doubts()
        return [*settle(table, reported=True), NewEvent("set", data, 0.9, observation.frame)]

    # --- deals

    def _dealt(
        self, detections: Sequence[DetectedCard], observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        field = deal_detection.field_of(detections)
        if self._read_deal is not None:
            dealt = indices(self._read_deal[0].readings[0][0])
            self._memory.note_transient_detections(observation, DECK & ~sum(1 << index for index in dealt))
        if (field is None or not field.readings) and self._read_deal is not None and not waiting(table):
            # The first card was played before anybody was sure of those that were dealt.
            (doubtful, then), self._read_deal = self._read_deal, None
            return [deal_detection.question(doubtful, then, table)]
        if (
            field
            and field.readings
            and (field.confident or (self._undecided and deal_detection.confident_enough(detections)))
        ):
            self._forget_doubts()
            cards, probability = field.readings[0]
            placed = {index: Spot(FIELD) for index in indices(cards)}
            self._memory.agree(observation, fit(detections, placed).matched, placed)
            return [
                *settle(table, reported=True),
                *deal_detection.reported(cards, observation, table, probability),
            ]
        return self._not_dealt(field, observation, table)

    def _not_dealt(
        self, field: deal_detection.Field | None, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Wait, and ask or tell what is wrong where a table goes on to lie as no deal does."""
        if field is not None and field.readings:
            self._read_deal = field, observation
        if (field is None and table.round is not None) or (field is not None and field.count == 0):
            return []
        self._undecided += _worth(observation)
        if self._undecided < _PATIENCE or waiting(table):
            return []
        if field is None:
            return self._notice(
                table_problems.TableProblem("deal-missed", Message("notice-deal-missed")), observation, table
            )
        if field.readings:
            return [deal_detection.question(field, observation, table)]
        if field.count >= 5:
            said = Message("notice-deal-count", {"count": field.count})
            return self._notice(table_problems.TableProblem("deal-count", said), observation, table)
        return []

    def _dealt_again(
        self,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        if position.phase == "over" or deal_detection.stop(position.round) is not None:
            return self._dealt(detections, observation, table)
        self._undecided += _worth(observation)
        field = deal_detection.field_of(detections)
        if self._undecided < _PATIENCE or waiting(table) or field is None or not field.readings:
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

    def _gathered(self, base: Fit, position: Position) -> bool:
        """Return whether a finished round is being taken off the table."""
        over = position.phase == "over" or deal_detection.stop(position.round) is not None
        seen = sum(index in base.matched for index in position.spots)
        return over and seen < _GONE * len(position.spots)

    def _guess_again(self, start: Start, observation: Observation) -> list[NewEvent]:
        """Exchange what was only inferred for what begins to come to light."""
        self._mending += _worth(observation)
        if self._mending < _MENDED_AFTER:
            return []
        self._mending = 0
        return [replace(event, evidence=observation.frame) for event in start.events]

    # --- turns

    def _turn(
        self,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
        better: Sequence[tuple[float, Start]],
    ) -> list[NewEvent]:
        self._memory.note_transient_detections(observation, position.hidden)
        clues = clues_of(detections, base, position, self._memory.appeared)
        self._memory.note((index, found) for index, found in clues.confident.items())
        self._memory.note_doubtful(
            detections, {card: p for card, p in clues.seen.items() if card not in clues.confident}
        )
        self._watch_stock(detections, position)
        starts = committed(position, table, self._memory)
        open_hypotheses = undecided(self._hypotheses if self._hypotheses_from == _mark(position) else ())
        clearly = [start for gain, start in better if gain > _CLEARLY]
        near = list(self._explanations((*starts, *open_hypotheses, *clearly), detections))
        verdict = weigh(near, detections, self._memory)
        if verdict.best is None or loss(verdict.best.best) < POOR or base.misread or base.astray:
            others = [start for gain, start in better if gain <= _CLEARLY]
            far = (*put_right(position, base, table, self._memory), *others)
            more = [*near, *two_turns(position, clues), *self._explanations(far, detections)]
            verdict = weigh(more, detections, self._memory)
        best = verdict.best
        if best is None or loss(best.best) < (POOR if best.best.whole_turns == 1 else POOR_OF_TWO):
            return self._nothing_explains(detections, base, position, observation, table)
        self._unexplained = 0
        if best.best.events or best.best.whole_turns > 1:
            self._mending += _worth(observation)
            if self._mending < _MENDED_AFTER:
                return []
        else:
            self._mending = 0
            if not best.moves and best.probability > _EARLY:
                return self._too_early(best, detections, base, position, observation, table)
        return self._decide(verdict, best, position, observation, table)

    def _decide(
        self,
        verdict: Verdict,
        best: Weighed,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        """Tell what happened, or ask."""
        if best.probability >= _AT_ONCE or (self._undecided and best.probability >= _AGAIN):
            if min(best.order_confidence, best.visual_order_confidence) < self._sure_enough(best):
                return self._doubt_order(verdict, position, observation, table)
            return self._tell(best, observation, table)
        common = verdict.common
        if common is None or common.probability < _AT_ONCE:
            return self._ask(verdict, position, observation, table)
        # A turn that nobody was sure of is told by what came after it.
        return self._tell(common, observation, table)

    def _doubt_order(
        self, verdict: Verdict, position: Position, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Ask which of two cards came from the hand.

        Where it changes nothing but the record, the game is not held up: the likelier order is told, and can be corrected.
        """
        likely, *others = _orders(verdict.hypotheses[0])
        turned = others[0].moves if others else ()
        same_steps = [(type(move), move.player) for move in likely.moves] == [
            (type(move), move.player) for move in turned
        ]
        if likely.order_matters or not same_steps:
            return self._ask(verdict, position, observation, table, orders=True)
        events = self._tell(verdict.hypotheses[0], observation, table)
        before = sum(event.kind != "settled" for event in events) - len(likely.moves)
        first = table.events[-1].seq + 1 + before
        corrections = [
            NewEvent("corrected", {"of": seq, "kind": "moved", "data": _data_of(move)})
            for seq, (reported, move) in enumerate(zip(likely.moves, turned, strict=True), first)
            if move != reported
        ]
        choices = [
            choice(
                message_sequence([fishing_move_message(move) for move in likely.moves]),
                likely.probability,
                (),
            ),
            choice(
                message_sequence([fishing_move_message(move) for move in turned]),
                others[0].probability,
                corrections,
            ),
        ]
        said = Message("question-which-order", {"player": player_message(likely.moves[-1].player)}).to_dict()
        data = {"text": said, "choices": choices, "picture": observation.frame}
        return [*events, NewEvent("asked", data, round(likely.probability, 3), observation.frame)]

    def _sure_enough(self, hypothesis: Weighed) -> float:
        """Return how sure it must be which card came from the hand; 0 where nobody can have seen it and it changes nothing."""
        if hypothesis.order_matters:
            return _ORDER_ASKED
        assert hypothesis.best.fitted is not None
        blind = not self._memory.watched or came_together(
            hypothesis.moves, self._memory, hypothesis.best.fitted
        )
        return 0.0 if blind or len(cards_of(hypothesis.moves)) != 2 else _ORDER_OPEN

    def _explanations(
        self, starts: Iterable[Start], detections: Sequence[DetectedCard]
    ) -> Iterator[Explanation]:
        for start in starts:
            position = start.position
            base = fit(detections, position.spots)
            first = start.origin or position
            ordered = len(cards_of(start.moves))
            yield Explanation(
                first, start.moves, position.spots, (), start.prior, ordered=ordered, events=start.events
            )
            for found in one_turn(position, clues_of(detections, base, position, self._memory.appeared)):
                found.events, found.prior = start.events, found.prior + start.prior
                found.position, found.moves = first, (*start.moves, *found.moves)
                found.settled = found.ordered = len(cards_of(start.moves))
                yield found

    def _tell(self, hypothesis: Weighed, observation: Observation, table: CommittedTable) -> list[NewEvent]:
        confidence = round(hypothesis.probability * hypothesis.order_confidence, 3)
        assert hypothesis.best.fitted is not None
        # A card that lies in another pile than it was captured to lies there still.
        settled = settle(table, but="card-moved" if hypothesis.best.fitted.astray else "", reported=True)
        events = [
            replace(event, confidence=confidence, evidence=observation.frame)
            for event in hypothesis.best.events
        ]
        played = hypothesis.best.position.round
        if _tells_dealer(hypothesis, table):
            events.append(NewEvent("began", {"dealer": played.dealer}, confidence, observation.frame))
        events += [moved(move, confidence, observation.frame) for move in hypothesis.moves]
        matched, started = _committed_by(hypothesis, self._memory.appeared)
        self._memory.agree(observation, matched, hypothesis.best.placed, started)
        self._forget_doubts()
        # A question may name the moves by the numbers that the log will give them: what may be left out comes last.
        return [*events, *settled]

    def _as_committed(
        self, base: Fit, position: Position, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        events = []
        if self._peeked is not None:
            bits = 1 << self._peeked
            self._peeked = None
            events = self._notice(
                table_problems.TableProblem(
                    "card-peeked", Message("notice-card-peeked", {"cards": cards_of_bits(bits)}), bits
                ),
                observation,
                table,
            )
        self._forget_doubts()
        settled = settle(table)
        self._memory.agree(observation, base.matched, position.spots)
        return [*settled, *events]

    # --- doubts

    def _too_early(
        self,
        best: Weighed,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        """Wait: nothing happened, or a turn is under way. What stays strange for long is told."""
        if best.best.moves:
            # Both cards lie there, and one does not lie by what it must take.
            refused = isinstance(best.best.moves[-1], Draw) and lying_apart(best.best, self._memory)
            self._strange = self._strange + _worth(observation) if refused else 0
            if self._strange < _PATIENCE:
                return []
            return self._notice(table_problems.table_problem(detections, base, position), observation, table)
        if self._peeked is not None and not base.extra:
            return self._as_committed(base, position, observation, table)
        self._strange += _worth(observation)
        clean = _is_clean(base, position) and not base.astray
        found = None if clean else _blemish(detections, base, position)
        if not clean and found is None:
            self._strange = 0
        if self._strange < _PATIENCE:
            return []
        if found is not None:
            return self._notice(found, observation, table)
        # The eyes go on taking a card for another one: from now on it is known by its key.
        return self._as_committed(base, position, observation, table)

    def _nothing_explains(
        self,
        detections: Sequence[DetectedCard],
        base: Fit,
        position: Position,
        observation: Observation,
        table: CommittedTable,
    ) -> list[NewEvent]:
        self._unexplained += _worth(observation)
        if self._unexplained < _PATIENCE:
            return []
        found = table_problems.unread(base) or table_problems.table_problem(detections, base, position)
        return self._notice(found, observation, table)

    def _ask(
        self,
        verdict: Verdict,
        position: Position,
        observation: Observation,
        table: CommittedTable,
        *,
        orders: bool = False,
    ) -> list[NewEvent]:
        """Ask which of the likely things happened, once other looks have not told."""
        self._undecided += _worth(observation)
        hypotheses = _orders(verdict.hypotheses[0]) if orders else verdict.hypotheses
        reported = [
            hypothesis
            for hypothesis in hypotheses[:_WAYS_KEPT]
            if hypothesis.moves and not hypothesis.best.events
        ]
        self._hypotheses = [
            MoveHypothesis(hypothesis.best.position, hypothesis.moves, hypothesis.prior)
            for hypothesis in reported
        ]
        self._hypotheses_from = _mark(position)
        if reported and (fitted := reported[0].best.fitted) is not None:
            self._memory.odd |= {found.key: found.since for found in fitted.extra if found.zone > FIELD}
        # In which order two cards came no other look at them will tell.
        if self._undecided < (1 if orders else _PATIENCE) or waiting(table):
            return []
        choices = []
        for hypothesis in hypotheses[:_CHOICES]:
            events = self._choice(hypothesis, table)
            says = [Message("choice-correction")] if hypothesis.best.events else []
            says += [fishing_move_message(move) for move in hypothesis.moves] or (
                [] if events else [Message("choice-nothing")]
            )
            choices.append(choice(message_sequence(says), hypothesis.probability, events))
        player = next((move.player for hypothesis in hypotheses[:_CHOICES] for move in hypothesis.moves), 1)
        data = {
            "text": Message("question-which-turn", {"player": player_message(player)}).to_dict(),
            "choices": choices,
            "picture": observation.frame,
        }
        return [NewEvent("asked", data, round(verdict.hypotheses[0].probability, 3), observation.frame)]

    def _choice(self, hypothesis: Weighed, table: CommittedTable) -> list[NewEvent]:
        events = list(hypothesis.best.events)
        if _tells_dealer(hypothesis, table):
            events.append(NewEvent("began", {"dealer": hypothesis.best.position.round.dealer}))
        return [*events, *(moved(move, hypothesis.probability, None) for move in hypothesis.moves)]

    def _notice(
        self, found: table_problems.TableProblem, observation: Observation, table: CommittedTable
    ) -> list[NewEvent]:
        """Tell a problem once, in the place of what was told before about the same table."""
        raised = RefereeProblem(found.code, found.message, found.ids)
        return notice(raised, table, self._memory.frame, observation.frame)

    def _forget_doubts(self) -> None:
        self._read_deal = None
        self._undecided = self._unexplained = self._strange = self._mending = 0

    def _watch_stock(self, detections: Sequence[DetectedCard], position: Position) -> None:
        """Keep in mind a hidden card that is shown beside the stock."""
        stock = self._memory.stock
        for found in detections:
            near = found.zone == STOCK or (
                found.zone < FIELD and stock is not None and dist(found.at, stock) < _BESIDE_STOCK_MM
            )
            if near and found.top is not None and found.says(found.top) > log(0.8):
                hidden = [i for i in range(48) if FIRST_OF[i] == found.top and position.hidden >> i & 1]
                if hidden:
                    self._peeked = hidden[0]


def _worth(observation: Observation) -> int:
    """Return for how many looks one counts: to a picture that somebody took there will be no other."""
    return _PATIENCE if POSTED in observation.notes else 1


def _orders(hypothesis: Weighed) -> tuple[Weighed, ...]:
    """Return what happened with its cards in both orders."""
    likely = replace(hypothesis, probability=hypothesis.probability * hypothesis.order_confidence)
    if not hypothesis.other_order:
        return (likely,)
    probability = max(_LEAST, hypothesis.probability - likely.probability)
    prior = hypothesis.prior + log(probability / likely.probability)
    return likely, replace(hypothesis, moves=hypothesis.other_order, probability=probability, prior=prior)


def _committed_by(
    hypothesis: Weighed, appeared: Mapping[int, CardAppearance]
) -> tuple[Mapping[int, DetectedCard], Mapping[int, CardAppearance] | None]:
    """Return the finds that show the table as it is told, and of a turn that has begun since, when its cards came."""
    assert hypothesis.best.fitted is not None
    matched = hypothesis.best.fitted.matched
    if len(cards_of(hypothesis.moves)) == len(cards_of(hypothesis.best.moves)):
        return matched, None
    played = hypothesis.best.position.round.copy()
    for move in hypothesis.moves:
        played.push(move, as_told=True)
    reported = Position(played)
    lying = {
        index: found
        for index, found in matched.items()
        if (spot := reported.spots.get(index)) is not None and spot.zone == hypothesis.best.placed[index].zone
    }
    return lying, {index: seen for index, seen in appeared.items() if reported.hidden >> index & 1}


def _is_clean(base: Fit, position: Position) -> bool:
    """Return whether the field lies as agreed, and nothing besides; piles may hide cards."""
    return not base.extra and not any(position.field >> index & 1 for index in base.missed)


def _blemish(
    detections: Sequence[DetectedCard], base: Fit, position: Position
) -> table_problems.TableProblem | None:
    """Return what is wrong with a table on which nothing has happened, None for what the eyes may have missed."""
    found = table_problems.unread(base)
    if found is None and base.astray:
        found = table_problems.table_problem(detections, base, position)
    return found or table_problems.not_seen(base, position)


def _mark(position: Position) -> object:
    """Return what tells an agreed table from others."""
    return position.round.dealer, position.round.moves, position.field, position.piles


def _data_of(move: FishingMove) -> dict[str, Any]:
    """Return a move as an event holds it; what corrects one of two is not to be checked before the other is."""
    return {"player": move.player, "words": list(move.words()), "as_told": True}


def _tells_dealer(hypothesis: Weighed, table: CommittedTable) -> bool:
    """Return whether the first turn shows who dealt, and nobody knew it, or somebody else was thought to deal_detection."""
    played = hypothesis.best.position.round
    if not hypothesis.moves or played.moves or hypothesis.best.events or table.round is None:
        return False
    return played.dealer != table.round.dealer or not table.dealer_known
