"""How a round goes on whose table does not show what happened, whatever was missed: the players are asked."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from companion.hanafuda.messages import Message
from companion.hanafuda.table_model import TableModel, TableProblem
from companion.observations import Observation
from companion.table import Table
from companion.table.events import NewEvent
from companion.watch.evidence import deck_of
from companion.watch.problems import unknown_card
from companion.watch.referee_events import (
    asked,
    choice,
    notice,
    settle,
    unchecked_move,
)
from companion.watch.seats import Seats

__all__ = ["resumed"]


def resumed(
    observation: Observation, table: Table, model: TableModel[Any], seats: Seats | None, before: str | None
) -> list[NewEvent]:
    """Return the events that ask how the round goes on, or, if cards were removed, undo what was reported last; none without a round.

    ``seats``: what is known of who acted; None if the order of turns tells it, and there is nothing to ask. ``before``: the last picture
    that showed what the log says.
    """
    played, zone = table.round, model.zones[0]
    pile = [each for each in observation.cards if each.zone == zone]
    if played is None or played.outcome() is not None or seats is None:
        return []
    top = max(pile, key=lambda each: each.visible, default=None)
    if top is None or top.card is None or top.card not in model.deck:
        return notice(unknown_card(zone), table, before, observation.frame)
    if (found := model.resume(top.card, played)) is None:
        return _undone_to(top.card, observation, table, model, before)
    (text, answers), moves = found
    laid = seats.laid(1 << list(model.deck).index(top.card))
    weights = [_weight_of(each, laid) for each in moves]
    choices = [
        choice(words, weight / sum(weights), map(unchecked_move, each))
        for words, each, weight in zip(answers, moves, weights, strict=True)
    ]
    choices.sort(key=lambda each: -float(each["p"]))
    return [*settle(table), asked(text, choices, choices[0]["p"], observation.frame)]


def _weight_of(moves: Sequence[Any], laid: Sequence[float]) -> float:
    """Return how likely moves are by who laid the card on top; any other move counts as possible or not."""
    return prod(laid[each.player - 1] if len(each.words()) > 1 else 0.5 for each in moves)


def _undone_to(
    top: str, observation: Observation, table: Table, model: TableModel[Any], before: str | None
) -> list[NewEvent]:
    """Undo what was reported last if the card that is uncovered now lay there before; else people must correct the log."""
    target, played = table.undo_target(), table.round
    if target is not None and played is not None:
        earlier = played.copy()
        for _ in [each for each in table.events if each.group == target.group and each.kind == "moved"]:
            earlier.pop()
        placement = model.placement(model.committed(earlier))
        uncovered = placement.zones[0] & ~placement.covered
        deck = deck_of(tuple(model.deck))
        if any(each & uncovered for each in deck.lookalikes(1 << deck.index[top])):
            undone = NewEvent("undone", {"of": target.seq}, 0.9, observation.frame)
            return [*settle(table), undone]  # with the events that were reported with it
    problem = TableProblem("correct-by-hand", Message("notice-correct-by-hand"))
    return notice(problem, table, before, observation.frame)
