"""The events of referees: moves, questions and their choices, notices, and the resolution of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move
from companion.referee.interface import CommittedTable
from companion.table.events import Event, NewEvent

__all__ = [
    "RefereeProblem",
    "choice",
    "moved",
    "notice",
    "only_corrects",
    "problem",
    "settle",
    "waiting",
]


@dataclass(frozen=True, slots=True)
class RefereeProblem:
    """A problem of the observed table."""

    code: str
    message: Message
    cards: tuple[str, ...] = ()


def moved(move: Move, confidence: float, frame: str | None) -> NewEvent:
    """Return the event of a move."""
    return NewEvent("moved", {"player": move.player, "words": list(move.words())}, confidence, frame)


def choice(message: Message, probability: float, events: Iterable[NewEvent]) -> dict[str, Any]:
    """Return one choice of a question, with the events that it causes."""
    event_data = [{"kind": event.kind, "data": dict(event.data)} for event in events]
    return {"says": message.to_dict(), "p": round(probability, 3), "events": event_data}


def notice(
    found: RefereeProblem, table: CommittedTable, before: str | None, frame: str | None
) -> list[NewEvent]:
    """Return the events that report a problem in place of earlier ones; none if it is already open."""
    if any(
        event.data["code"] == found.code and tuple(event.data["cards"]) == found.cards
        for event in _problems(table)
    ):
        return []
    return [*settle(table), NewEvent("noticed", problem(found, before, frame), 0.9, frame)]


def problem(found: RefereeProblem, before: str | None, frame: str | None) -> dict[str, Any]:
    """Return the data of a ``noticed`` event."""
    return {
        "code": found.code,
        "message": found.message.to_dict(),
        "pictures": {"before": before, "after": frame},
        "cards": list(found.cards),
    }


def settle(table: CommittedTable, *, but: str = "", reported: bool = False) -> list[NewEvent]:
    """Return the events that settle the problems and questions raised by observations, except problems with the code
    ``but``.

    Questions about past events stay open unless ``reported``, because they do not block the game.
    """
    problems = (event for event in _problems(table) if event.data["code"] != but)
    questions = (event for event in _questions(table) if reported or not only_corrects(event))
    return [NewEvent("settled", {"of": event.seq}) for event in (*problems, *questions)]


def waiting(table: CommittedTable) -> bool:
    """Return whether a question raised by an observation is open and blocks the game until it is answered."""
    return any(not only_corrects(event) for event in _questions(table))


def only_corrects(asked: Event) -> bool:
    """Return whether a question is about past events: its answers correct or confirm them."""
    return all(each["kind"] == "corrected" for choice in asked.data["choices"] for each in choice["events"])


def _problems(table: CommittedTable) -> list[Event]:
    return [event for event in table.open_problems if event.kind == "noticed" and _is_from_vision(event)]


def _questions(table: CommittedTable) -> list[Event]:
    return [event for event in table.open_questions if _is_from_vision(event)]


def _is_from_vision(event: Event) -> bool:
    return event.source in {"camera", "scanner"}
