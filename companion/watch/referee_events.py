"""The events of referees: moves, questions and their choices, notices, and the resolution of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, TypeAlias

from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move, Round
from companion.hanafuda.table_model import TableProblem
from companion.table import Table
from companion.table.events import Event, NewEvent

AnyRound: TypeAlias = Round[Any, Any, Any]


def moved(move: Move, confidence: float, frame: str | None) -> NewEvent:
    """Return the event of a move."""
    return NewEvent("moved", {"player": move.player, "words": list(move.words())}, confidence, frame)


def deal_after(
    before: AnyRound, closing: Move | None, table: Table, frame: str | None
) -> tuple[list[NewEvent], int | None, int | None] | None:
    """Return what a deal implies for the round ``before`` it: the events that end that round by a ``closing`` move, and the dealer
    (None if unknown) and month of the new one; None if that round has not ended.
    """
    events, ended = [], before.copy()
    if closing is not None:
        ended.push(closing)
        events.append(moved(closing, 0.9, frame))
    if (outcome := ended.outcome()) is None:
        return None
    month = getattr(table.game, "month", None)
    if isinstance(last := ended.situation().get("month"), int):
        month = last % 12 + 1 if outcome.counts else last
    return events, outcome.next_dealer if outcome.counts or table.dealer_known else None, month


def unchecked_move(move: Move) -> NewEvent:
    """Return a move event that applies even if the move is illegal, because something before it was missed."""
    return NewEvent("moved", {"player": move.player, "words": list(move.words()), "unchecked": True})


def asked(
    message: Message, choices: Sequence[dict[str, Any]], probability: float, frame: str | None
) -> NewEvent:
    """Return a question with its `choice` objects; ``probability`` is that of the likeliest one."""
    data = {"text": message.to_dict(), "choices": choices, "picture": frame or None}
    return NewEvent("asked", data, round(probability, 3), frame)


def choice(words: Sequence[Message], probability: float, events: Iterable[NewEvent]) -> dict[str, Any]:
    """Return one choice of a question, whose ``words`` become a list, with the events that it causes."""
    message = reduce(lambda start, then: Message("list-middle", {"start": start, "next": then}), words)
    event_data = [{"kind": event.kind, "data": dict(event.data)} for event in events]
    return {"says": message.to_dict(), "p": round(probability, 3), "events": event_data}


def notice(
    found: TableProblem, table: Table, before: str | None, frame: str | None, *, answers: bool = False
) -> list[NewEvent]:
    """Return the events that report a problem in place of earlier ones; none if it is already open. ``answers``: whether it answers the
    open questions, which are settled then; otherwise they stay open."""
    if any(
        event.data["code"] == found.code and tuple(event.data["cards"]) == tuple(found.cards)
        for event in _problems(table)
    ):
        return []
    settled = settle(table) if answers else [_settled(event) for event in _problems(table)]
    return [*settled, NewEvent("noticed", problem(found, before, frame), 0.9, frame)]


def problem(found: TableProblem, before: str | None, frame: str | None) -> dict[str, Any]:
    """Return the data of a ``noticed`` event."""
    return {
        "code": found.code,
        "message": found.text.to_dict(),
        "pictures": {"before": before or None, "after": frame or None},
        "cards": list(found.cards),
    }


def settle(table: Table, *, reported: bool = False) -> list[NewEvent]:
    """Return the events that settle the problems and questions raised by observations.

    Questions about past events stay open unless ``reported``, because they do not block the game.
    """
    questions = (event for event in _questions(table) if reported or not only_corrects(event))
    return [_settled(event) for event in (*_problems(table), *questions)]


def _settled(event: Event) -> NewEvent:
    return NewEvent("settled", {"of": event.seq})


def waiting(table: Table) -> bool:
    """Return whether a question raised by an observation is open and blocks the game until it is answered."""
    return any(not only_corrects(event) for event in _questions(table))


def only_corrects(asked: Event) -> bool:
    """Return whether a question is about past events: its answers correct or confirm them."""
    return all(each["kind"] == "corrected" for choice in asked.data["choices"] for each in choice["events"])


def _problems(table: Table) -> list[Event]:
    return [event for event in table.open_problems if event.kind == "noticed" and is_from_vision(event)]


def _questions(table: Table) -> list[Event]:
    return [event for event in table.open_questions if is_from_vision(event)]


def is_from_vision(event: Event) -> bool:
    """Return whether an observation of the camera or of card readers led to an event."""
    return event.source in {"camera", "scanner"}
