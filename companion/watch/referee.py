"""Reports what the engine believes as events of a table: deals, turns, corrections, questions and problems.

The log of the table is what people see; the beam may believe something else. A turn is reported once everything up to it is certain
enough, and corrected when the beam turns over. What people enter binds the beam.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any, Final

from companion.hanafuda.card_messages import card_list, cards_of_bits
from companion.hanafuda.cards import BACK, first_of, to_bits
from companion.hanafuda.fishing import Call, FishingRound
from companion.hanafuda.fishing.camera import FishingTable
from companion.hanafuda.fishing.captures import bit_of, ids_of
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move
from companion.hanafuda.rules import Rules
from companion.observations import POSTED, STOCK, Observation
from companion.referee.message_parts import message_sequence
from companion.referee.referee_events import (
    RefereeProblem,
    asked,
    choice,
    is_from_vision,
    moved,
    notice,
    settle,
)
from companion.table import Table
from companion.table.events import NewEvent
from companion.table.live_round import LiveRound
from companion.table.revisions import revision
from companion.watch.beam import Beam, Belief, Hypothesis, PlayedTurn
from companion.watch.order import Arrivals, likelier_order
from companion.watch.problems import SeenTable, problem_of

_REPORTED: Final = 0.97
"""Probability from which a deal or a turn is reported."""
_DEAL_REPORTED: Final = 0.9
"""Probability from which a deal is reported: eight cards, each read with a probability of 0.98, have 0.85 together."""
_SAME_ROUND: Final = 5
"""A deal with as many cards of the deal in the log is the same one, read otherwise."""
_PATIENCE_S: Final = 1.5
"""How long a table must remain doubtful before a problem is reported, s."""
_ASKED_AFTER_S: Final = 4.0
"""How long a turn must remain doubtful before the players are asked, s."""
_PEEKED: Final = 0.8
"""Probability from which a card beside the draw pile has been looked at."""
_MAX_CHOICES: Final = 4
_MIN_CHOICE: Final = 0.02
"""Probability from which an answer is offered."""


class BeamReferee:
    """Watches one table of a game."""

    def __init__(self, rules: Rules, players: int) -> None:
        camera = GAMES[rules.game].camera
        assert camera is not None, "the game can be watched"
        assert camera.table is not None
        self.model = camera.table(rules, players)
        self.players = players
        self._beam = Beam(self.model)
        self._arrivals = Arrivals() if isinstance(self.model, FishingTable) else None
        self._read = 0
        """The number of the newest event of the table that the beam knows."""
        self._doubtful_since: float | None = None
        """Time of the first of the successive observations that show something else than the log, s."""
        self._peeked: str | None = None
        """A card of the draw pile that was shown."""
        self._frame: str | None = None
        """The last picture that showed what the log says."""

    def see(self, observation: Observation, table: Table) -> list[NewEvent]:
        """Return the events that explain an observation; none if nothing happened or if it is too early to say."""
        self._read_log(table)
        self._beam.see(observation, self._dealers(table))
        belief = self._beam.belief()
        if self._arrivals is not None:
            if belief.best.dealt is not None:
                self._arrivals = self._arrivals.in_round(belief.best.dealt.field)
            self._arrivals.see(observation)
        events = self._report(belief, observation, table)
        if events:
            self._doubtful_since, self._peeked, self._frame = None, None, observation.frame
            events += settle(table, reported=True)
        else:
            events = self._doubt(belief, observation, table)
        return events

    def close(self, table: Table) -> list[NewEvent]:
        """Return what the end of the observations implies: an open koi-koi decision counts as a stop."""
        stop = _stop(table.round)
        return [] if stop is None else [moved(stop, 0.8, self._frame)]

    def rescan(self, observation: Observation, table: Table) -> list[NewEvent]:
        """Return the events that set the table to what an observation shows; none without a round."""
        played = table.round
        if not isinstance(played, FishingRound):
            return []
        seen = SeenTable(observation, played, self.model.placement(self.model.committed(played)))
        field, *captured = seen.placed()
        data = {"field": field, "captured": captured, "to_move": played.to_move or 1}
        self._beam = Beam(self.model)
        return [*settle(table, reported=True), NewEvent("set", data, 0.9, observation.frame)]

    # --- the log

    def _read_log(self, table: Table) -> None:
        """Bind the beam to what people have entered since the last observation."""
        new = table.events[self._read :]
        if self._read == 0 or not all(map(is_from_vision, new)):
            self._bind(table)
        self._read = table.seq

    def _bind(self, table: Table) -> None:
        """Bind the beam to the current round of the log."""
        played = table.round
        if played is None or played.outcome() is not None or table.result_reported:
            return
        turns, rest = self.model.turns(played.moves)
        turn: PlayedTurn | None = None
        for moves, state in zip(turns, self._states(played, len(turns)), strict=True):
            turn = PlayedTurn(turn, moves, self.model.key(moves), turn.depth + 1 if turn else 1, state)
        dealt = self.model.start(to_bits(played.deal.field), played.dealer)
        logged = Hypothesis(self.model.committed(played), 0.0, turn, rest, dealt)
        self._beam.bind(logged, () if table.dealer_known else range(1, self.players + 1))

    def _states(self, played: Any, count: int) -> list[Any]:
        """Return the states in which the first ``count`` turns of a round began."""
        earlier, states = played.copy(), dict[int, Any]()
        while True:
            complete, begun = self.model.turns(earlier.moves)
            if not begun:
                states[len(complete)] = self.model.committed(earlier)
            if not earlier.moves:
                return [states[number] for number in range(count)]
            earlier.pop()

    def _dealers(self, table: Table) -> Mapping[int, float]:
        """Return the probability of each player to deal the next round."""
        match = table.game
        if match.outcomes and table.dealer_known:
            return {match.dealer: 1.0}
        return dict.fromkeys(range(1, self.players + 1), 1 / self.players)

    # --- reports

    def _report(self, belief: Belief, observation: Observation, table: Table) -> list[NewEvent]:
        """Return the events of what is certain and not in the log yet."""
        best, played, frame = belief.best, table.round, observation.frame
        if best.state is None:
            return []
        if played is None or not self._is_logged(best, played):
            return self._report_deal(belief, frame, table)
        if played.outcome() is not None or table.result_reported:
            return []
        logged, begun = self.model.turns(played.moves)
        turns = [turn for turn, p in belief.turns if p >= _REPORTED]
        same = 0
        while same < min(len(logged), len(turns)) and self.model.key(logged[same]) == turns[same].key:
            same += 1
        if same < len(logged):
            return self._revise(same, turns, belief, frame, table) if same < len(turns) else []
        return self._turns(played.copy(), turns[same:], begun, belief, frame, table)

    def _report_deal(self, belief: Belief, frame: str, table: Table) -> list[NewEvent]:
        """Return the events of a deal that is not in the log yet, or is there with other cards."""
        if belief.dealt < _DEAL_REPORTED or self.model.unread(belief.best.dealt):
            return []
        if table.round is not None and self._is_read_otherwise(belief.best, table):
            return self._correct_deal(belief, frame, table) if belief.dealt >= _REPORTED else []
        return self._deal(belief, frame, table)

    def _is_logged(self, best: Hypothesis, played: Any) -> bool:
        """Return whether a round of the log has the deal of a hypothesis, whoever dealt."""
        dealt = self.model.start(to_bits(played.deal.field), played.dealer)
        return self._beam.same_deal(best.dealt, dealt)

    def _is_read_otherwise(self, best: Hypothesis, table: Table) -> bool:
        """Return whether a hypothesis has the deal of the current round, with a few other cards."""
        played = table.round
        if played is None or played.outcome() is not None or table.result_reported:
            return False
        cards = Counter(map(first_of, self.model.dealt_cards(best.dealt)))
        return (cards & Counter(map(first_of, played.deal.field))).total() >= _SAME_ROUND

    def _correct_deal(self, belief: Belief, frame: str | None, table: Table) -> list[NewEvent]:
        """Return the events that correct the deal and the turns after it; none if a person reported the deal."""
        assert table.live is not None
        dealt = table.live.items[0]
        if not is_from_vision(dealt.reported):
            return []
        field = list(self.model.dealt_cards(belief.best.dealt))
        deal = {**dealt.data, "deal": {**dealt.data["deal"], "field": field}}
        corrected = NewEvent(
            "corrected", {"of": dealt.seq, "kind": "dealt", "data": deal}, round(belief.dealt, 3), frame
        )
        played = table.live.round
        situation = played.situation()
        again = type(played)(
            played.rules, replace(played.deal, field=tuple(field)), dealer=played.dealer, **situation
        )
        turns = [turn for turn, p in belief.turns if p >= _REPORTED]
        return [corrected, *_revised(table.live, self._turns(again, turns, (), belief, frame, table))]

    def _deal(self, belief: Belief, frame: str, table: Table) -> list[NewEvent]:
        """Return the events of a new deal; an open decision of the round before counts as a stop."""
        events = []
        dealer, month = None, getattr(table.game, "month", None)
        before = table.round
        if before is not None and not table.result_reported:
            ended = before.copy()
            if (call := _stop(ended)) is not None:
                ended.push(call)
                events.append(moved(call, 0.9, frame))
            outcome = ended.outcome()
            if outcome is None:
                return self._ask_new_deal(belief, frame, table)
            dealer = outcome.next_dealer if outcome.counts or table.dealer_known else None
            if isinstance(last := ended.situation().get("month"), int):
                month = last % 12 + 1 if outcome.counts else last
        return [*events, self._dealt(belief, dealer, month, frame)]

    def _dealt(self, belief: Belief, dealer: int | None, month: int | None, frame: str) -> NewEvent:
        field = list(self.model.dealt_cards(belief.best.dealt))
        data = {"deal": {"field": field}, "dealer": dealer, "month": month}
        return NewEvent("dealt", data, round(belief.dealt, 3), frame)

    def _ask_new_deal(self, belief: Belief, frame: str, table: Table) -> list[NewEvent]:
        """Ask whether a round was given up for a new deal."""
        if any(event.data["text"].get("code") == "question-new-deal" for event in table.open_questions):
            return []
        cards = self.model.dealt_cards(belief.best.dealt)
        month = getattr(table.game, "month", None)
        events = [NewEvent("abandoned", {}), self._dealt(belief, None, month, frame)]
        message = Message("choice-new-deal", {"cards": cards_of_bits(to_bits(cards))})
        yes = choice(message, belief.dealt, events)
        return [asked(Message("question-new-deal"), [yes], belief.dealt, frame)]

    def _turns(
        self,
        played: Any,
        turns: Sequence[PlayedTurn],
        begun: Sequence[Move],
        belief: Belief,
        frame: str | None,
        table: Table,
    ) -> list[NewEvent]:
        """Return the events of turns that follow a round of the log, of which ``begun`` moves are there already."""
        events: list[NewEvent] = []
        if not turns:
            return events
        if turns[0].depth == 1 and not table.dealer_known:
            played = self._as_dealt(played, belief.best, table)
            events.append(NewEvent("began", {"dealer": played.dealer}))
        probability = dict(
            zip([turn.depth for turn, _ in belief.turns], [p for _, p in belief.turns], strict=True)
        )
        for turn in turns:
            reported: list[NewEvent] = []
            moves, order = self._ordered(turn) if not begun else (turn.moves, None)
            for move in moves[len(begun) :]:
                for each in (*played.inferred_moves(move), move):
                    if played.outcome() is not None:
                        return [*events, *reported]  # the table is being cleared
                    if played.check(each):
                        return events  # the players are told once the table remains like this
                    played.push(each)
                    reported.append(moved(each, probability[turn.depth], frame))
            if order is not None and reported:
                reported[-1] = replace(reported[-1], data={**reported[-1].data, "order": round(order, 3)})
            events += reported
            begun = ()
        return events

    def _ordered(self, turn: PlayedTurn) -> tuple[Sequence[Move], float | None]:
        """Return the moves of a turn in their likelier order, and its probability; None if the game has no such order."""
        if self._arrivals is None or len(turn.moves) != 2:
            return turn.moves, None
        return likelier_order(turn, self._arrivals)

    def _revise(
        self, same: int, turns: Sequence[PlayedTurn], belief: Belief, frame: str | None, table: Table
    ) -> list[NewEvent]:
        """Return the events that correct the turns of the log after the first ``same`` ones."""
        assert table.live is not None
        played = table.live.round.copy()
        while played.moves:
            played.pop()
        return _revised(table.live, self._turns(played, turns, (), belief, frame, table))

    # --- doubts

    def _doubt(self, belief: Belief, observation: Observation, table: Table) -> list[NewEvent]:
        """Wait while a table is doubtful, then ask or report a problem; settle both when it is as the log says."""
        played = table.round
        if not isinstance(played, FishingRound) or played.outcome() is not None or table.result_reported:
            self._doubtful_since = None
            return []
        best = belief.best
        logged = self.model.committed(played)
        seen = SeenTable(observation, played, self.model.placement(logged))
        if not seen.differs and seen.unread is None:
            settled = settle(table)
            peeked = self._take_peeked(table, observation.frame)
            self._doubtful_since, self._frame = None, observation.frame
            return [*settled, *peeked]
        self._watch_stock(observation, seen)
        explained = (
            best.state is not None
            and not SeenTable(observation, played, self.model.placement(best.state)).differs
        )
        broken = self._broken_rule(best, played, table) if explained else None
        under_way = bool(best.moves) or best.state == logged
        if explained and broken is None and seen.unread is None and under_way:
            self._doubtful_since = None
            return []
        if self._doubtful_since is None:
            self._doubtful_since = observation.time
        waited = inf if POSTED in observation.notes else observation.time - self._doubtful_since
        undecided = explained and broken is None and seen.unread is None
        if waited < (_ASKED_AFTER_S if undecided else _PATIENCE_S):
            return []
        question = self._question(belief, observation.frame, table) if undecided else None
        if question is not None:
            return question
        problem = broken or problem_of(seen)
        return [] if problem is None else notice(problem, table, self._frame, observation.frame)

    def _watch_stock(self, observation: Observation, seen: SeenTable) -> None:
        """Remember a hidden card that is shown at the draw pile."""
        for card in observation.cards:
            name, p = card.likely[0] if card.likely else (BACK, 0.0)
            is_peeked = card.zone == STOCK and card.visible > 0 and p > _PEEKED and name != BACK
            if is_peeked and bit_of(name) & seen.hidden:
                self._peeked = name

    def _take_peeked(self, table: Table, frame: str) -> list[NewEvent]:
        """Return the problem that somebody looked at a card of the draw pile, once it is hidden again."""
        card, self._peeked = self._peeked, None
        if card is None:
            return []
        message = Message("notice-card-peeked", {"cards": card_list([card])})
        return notice(RefereeProblem("card-peeked", message, (card,)), table, self._frame, frame)

    def _broken_rule(self, best: Hypothesis, played: Any, table: Table) -> RefereeProblem | None:
        """Return the rule that the next moves of a hypothesis break; None if they are legal."""
        logged, begun = self.model.turns(played.moves)
        moves = [
            *(move for turn in best.turns[len(logged) :] for move in turn.moves),
            *best.moves,
        ][len(begun) :]
        after = self._as_dealt(played, best, table)
        for move in moves:
            if after.outcome() is not None:
                return None
            for each in (*after.inferred_moves(move), move):
                if problems := after.check(each):
                    cards = ids_of(sum(map(bit_of, (move.card, *move.takes))))
                    return RefereeProblem(problems[0].code, problems[0].text, cards)
                after.push(each)
        return None

    def _as_dealt(self, played: Any, best: Hypothesis, table: Table) -> Any:
        """Return a copy of the round of the log; if nobody has said who dealt, by the dealer of a hypothesis."""
        dealer = best.dealt.dealer
        if table.dealer_known or dealer == played.dealer or played.moves:
            return played.copy()
        return type(played)(played.rules, played.deal, dealer=dealer, **played.situation())

    def _question(self, belief: Belief, frame: str, table: Table) -> list[NewEvent] | None:
        """Ask which turn was made; None if no turn explains the table, and nothing if the players are asked already."""
        played = table.round
        assert played is not None
        logged, _ = self.model.turns(played.moves)
        found = self._beam.next_turns(logged)
        options = [(turn, p) for turn, p in found if p >= _MIN_CHOICE]
        if sum(p for _, p in options) < 0.5:
            return None
        if any(event.kind == "asked" for event in table.open_questions):
            return []
        choices = []
        for turn, p in options[:_MAX_CHOICES]:
            events = self._turns(played.copy(), [turn], (), replace(belief, turns=[(turn, p)]), None, table)
            if events:
                words = message_sequence([move.message() for move in turn.moves])
                choices.append(choice(words, p, [replace(event, confidence=1.0) for event in events]))
        if len(choices) < 2:
            return None
        return [
            asked(
                Message("question-which-turn", {"player": player_message(options[0][0].moves[0].player)}),
                choices,
                options[0][1],
                frame,
            )
        ]


def _revised(live: LiveRound, events: Sequence[NewEvent]) -> list[NewEvent]:
    """Return the events after which a round of the log has the moves of some events; the others come first."""
    moves = [event for event in events if event.kind == "moved"]
    return [*(event for event in events if event.kind != "moved"), *revision(live, moves)]


def _stop(played: Any) -> Move | None:
    """Return the stop that must have been called if a round did not go on, or None."""
    if not isinstance(played, FishingRound):
        return None
    return next((call for call in played.calls() if isinstance(call, Call) and call.name == "stop"), None)
