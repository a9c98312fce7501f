"""The events of a table that say what the engine believes: deals and turns, with their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move
from companion.hanafuda.table_model import TableModel
from companion.observations import Observation
from companion.table import Table
from companion.table.events import NewEvent
from companion.table.live_round import LiveRound
from companion.table.revisions import revision
from companion.watch.beam import Belief, PlayedTurn
from companion.watch.order import Arrivals, likelier_order
from companion.watch.referee_events import asked, choice, deal_after, is_from_vision, moved

REPORTED: Final = 0.97
"""Probability from which a turn is reported."""


class BeliefEvents:
    """Writes beliefs about one table as events, the cards of a turn in the order in which they likely came."""

    def __init__(self, model: TableModel[Any]) -> None:
        self._model = model
        self._arrivals = Arrivals() if model.turn_steps > 1 else None

    def start_late(self, turns: int) -> None:
        """Take note that a number of turns had been played before the first observation."""
        if self._arrivals is not None:
            self._arrivals = Arrivals(missed=turns)

    def see(self, observation: Observation, belief: Belief) -> None:
        """Remember when and where the cards of an observation came."""
        if self._arrivals is not None:
            if belief.best.dealt is not None:
                dealt = self._model.placement(belief.best.dealt)
                self._arrivals = self._arrivals.in_round(dealt.zones[0])
            self._arrivals.see(observation)

    def deal_and_turns(
        self, belief: Belief, frame: str, table: Table, *, answered: bool = False
    ) -> list[NewEvent]:
        """Return the events of a new deal that shows no card, and of all turns after it. ``answered``: as `turns`."""
        events, turns = self.deal(belief, frame, table), [each.turn for each in belief.turns]
        for deal in [each for each in events if each.kind == "dealt"]:
            known = deal.data["dealer"] is not None
            played = table.dealt(deal.data)
            events += self.turns(played, turns, (), belief, frame, is_dealer_known=known, answered=answered)
        return events

    def correct_deal(self, belief: Belief, frame: str | None, table: Table) -> list[NewEvent]:
        """Return the events that correct the deal and the turns after it; none if a person reported the deal."""
        assert table.live is not None
        dealt = table.live.items[0]
        if not is_from_vision(dealt.reported):
            return []
        deal = {**dealt.data, "deal": {**dealt.data["deal"], **self._model.deal(belief.best.dealt)}}
        corrected = NewEvent(
            "corrected", {"of": dealt.seq, "kind": "dealt", "data": deal}, round(belief.dealt, 3), frame
        )
        live = table.live
        again = live.context.deal(deal, live.round.dealer)
        turns = [each.turn for each in takewhile(lambda each: each.given >= REPORTED, belief.turns)]
        events = self.turns(again, turns, (), belief, frame, is_dealer_known=table.dealer_known)
        return [corrected, *_revised(live, events)]

    def deal(self, belief: Belief, frame: str, table: Table) -> list[NewEvent]:
        """Return the events of a new deal; an open decision of the round before counts as a stop."""
        before = table.round
        if before is None or table.result_reported:
            return [self._dealt(belief, None, getattr(table.game, "month", None), frame)]
        ended = deal_after(before, self._model.closing(before), table, frame)
        if ended is None:
            return self._ask_new_deal(belief, frame, table)
        events, dealer, month = ended
        return [*events, self._dealt(belief, dealer, month, frame)]

    def _dealt(self, belief: Belief, dealer: int | None, month: int | None, frame: str) -> NewEvent:
        data = {"deal": self._model.deal(belief.best.dealt), "dealer": dealer, "month": month}
        return NewEvent("dealt", data, round(belief.dealt, 3), frame)

    def _ask_new_deal(self, belief: Belief, frame: str, table: Table) -> list[NewEvent]:
        """Ask whether a round was given up for a new deal."""
        if asks_for_new_deal(table):
            return []
        month = getattr(table.game, "month", None)
        events = [NewEvent("abandoned", {}), self._dealt(belief, None, month, frame)]
        cards = self._model.deal(belief.best.dealt).get("field")
        message = (
            Message("choice-new-deal", {"cards": card_list(cards)}) if cards else Message("choice-new-round")
        )
        yes = choice([message], belief.dealt, events)
        return [asked(Message("question-new-deal"), [yes], belief.dealt, frame)]

    def turns(
        self,
        played: Any,
        turns: Sequence[PlayedTurn],
        begun: Sequence[Move],
        belief: Belief,
        frame: str | None,
        *,
        is_dealer_known: bool,
        answered: bool = False,
    ) -> list[NewEvent]:
        """Return the events of turns that follow a round of the log, of which ``begun`` moves are there already. ``answered``: whether
        somebody says that they were made, so that they belong into the log even if they are illegal."""
        events: list[NewEvent] = []
        if not turns:
            return events
        if turns[0].depth == 1 and not is_dealer_known:
            played = dealt_by(played, belief.best.dealt.dealer)
            events.append(NewEvent("began", {"dealer": played.dealer}))
        probability = {each.turn.depth: each.p for each in belief.turns}
        for turn in turns:
            reported: list[NewEvent] = []
            moves, order = self._ordered(turn) if not begun else (turn.moves, None)
            for move in moves[len(begun) :]:
                for each in (*played.inferred_moves(move), move):
                    if played.outcome() is not None:
                        return [*events, *reported]  # the table is being cleared
                    event = moved(each, probability[turn.depth], frame)
                    if played.check(each):
                        is_last = turn is belief.turns[-1].turn
                        if not answered and (is_last or not self._model.seats):
                            return events  # reported as a problem if the table remains like this
                        # What came before it was missed.
                        event = replace(event, data={**event.data, "unchecked": True})
                    played.push(each, unchecked=True)
                    reported.append(event)
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

    def revise(
        self, same: int, turns: Sequence[PlayedTurn], belief: Belief, frame: str | None, table: Table
    ) -> list[NewEvent]:
        """Return the events that correct the turns of the log after the first ``same`` ones."""
        assert table.live is not None
        played = table.live.round.copy()
        while played.moves:
            played.pop()
        named = (item for item in table.live.items if item.kind == "began" and is_from_vision(item.reported))
        is_wrong = played.dealer != belief.best.dealt.dealer and next(named, None) is not None
        known = table.dealer_known and not is_wrong
        return _revised(table.live, self.turns(played, turns, (), belief, frame, is_dealer_known=known))


def asks_for_new_deal(table: Table) -> bool:
    """Return whether the players are asked whether a round was given up; until they answer, its problems mean nothing."""
    return any(event.data["text"].get("code") == "question-new-deal" for event in table.open_questions)


def _revised(live: LiveRound, events: Sequence[NewEvent]) -> list[NewEvent]:
    """Return the events after which a round of the log has the moves of some events; the others come first."""
    moves = [event for event in events if event.kind == "moved"]
    return [*(event for event in events if event.kind != "moved"), *revision(live, moves)]


def dealt_by(played: Any, dealer: int) -> Any:
    """Return a copy of a round; if it has no moves yet, as dealt by another player."""
    if played.moves:
        return played.copy()
    return type(played)(played.rules, played.deal, dealer=dealer, **played.situation())
