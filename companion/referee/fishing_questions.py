"""Questions of the fishing referee: which turn was made, and in which order its two cards came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

from companion.hanafuda.fishing import FishingMove
from companion.hanafuda.messages import Message, player_message
from companion.referee.hypothesis_ranking import RankedHypothesis
from companion.table.events import NewEvent
from companion.watch.interface import CommittedTable
from companion.watch.message_parts import message_sequence
from companion.watch.referee_events import asked, choice, hypothesis_events, unchecked_move

_MAX_CHOICES = 4
"""Maximum number of answers offered for a question."""
_MIN_PROBABILITY = 1e-3
"""Minimum probability of the other order of two cards."""


def both_orders(hypothesis: RankedHypothesis) -> tuple[RankedHypothesis, ...]:
    """Return a hypothesis with its cards in both orders, most likely first; only itself if there is no other order."""
    likely = replace(hypothesis, probability=hypothesis.probability * hypothesis.order_confidence)
    if not hypothesis.other_order:
        return (likely,)
    probability = max(_MIN_PROBABILITY, hypothesis.probability - likely.probability)
    prior = hypothesis.prior + log(probability / likely.probability)
    return likely, replace(hypothesis, moves=hypothesis.other_order, probability=probability, prior=prior)


def turn_events(
    hypothesis: RankedHypothesis, table: CommittedTable, probability: float, frame: str | None
) -> list[NewEvent]:
    """Return the events of a hypothesis: corrections, the dealer if its first turn reveals it, and the moves."""
    events = [*hypothesis.best.events]
    if _reveals_dealer(hypothesis, table):
        events.append(NewEvent("began", {"dealer": hypothesis.best.position.round.dealer}))
    return hypothesis_events(events, hypothesis.moves, probability, frame)


def turn_question(
    hypotheses: Sequence[RankedHypothesis], probability: float, table: CommittedTable, frame: str | None
) -> NewEvent:
    """Ask which hypothesis is right; ``probability`` is the confidence of the question."""
    offered = hypotheses[:_MAX_CHOICES]
    choices = [
        choice(_answer(hypothesis), hypothesis.probability, turn_events(hypothesis, table, 1.0, None))
        for hypothesis in offered
    ]
    player = next((move.player for hypothesis in offered for move in hypothesis.moves), 1)
    message = Message("question-which-turn", {"player": player_message(player)})
    return asked(message, choices, probability, frame)


def _answer(hypothesis: RankedHypothesis) -> Message:
    """Return the answer that a hypothesis is right."""
    messages = [Message("choice-correction")] if hypothesis.best.events else []
    messages += [move.message() for move in hypothesis.moves]
    return message_sequence(messages or [Message("choice-nothing")])


def order_question(
    likely: RankedHypothesis, other: RankedHypothesis, first_seq: int, frame: str | None
) -> NewEvent:
    """Ask in which order two cards of a reported turn came.

    The moves of ``likely`` have the sequence numbers from ``first_seq`` on; the other order corrects them. The
    corrections are not checked against the rules, because each of them is applied before the other.
    """
    corrections = [
        NewEvent("corrected", {"of": seq, "kind": "moved", "data": unchecked_move(move).data})
        for seq, (reported, move) in enumerate(zip(likely.moves, other.moves, strict=True), first_seq)
        if move != reported
    ]
    choices = [
        choice(_moves_message(likely.moves), likely.probability, ()),
        choice(_moves_message(other.moves), other.probability, corrections),
    ]
    message = Message("question-which-order", {"player": player_message(likely.moves[-1].player)})
    return asked(message, choices, likely.probability, frame)


def _moves_message(moves: Sequence[FishingMove]) -> Message:
    return message_sequence([move.message() for move in moves])


def _reveals_dealer(hypothesis: RankedHypothesis, table: CommittedTable) -> bool:
    """Return whether the first turn shows who dealt and the dealer was unknown or assumed to be the other player."""
    played = hypothesis.best.position.round
    if not hypothesis.moves or played.moves or hypothesis.best.events or table.round is None:
        return False
    return played.dealer != table.round.dealer or not table.dealer_known
