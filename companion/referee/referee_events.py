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
    """A problem with what the table shows."""

    code: str
    message: Message
    cards: tuple[str, ...] = ()


def moved(move: Move, confidence: float, frame: str | None) -> NewEvent:
    """Return the event of a move."""
    return NewEvent("moved", {"player": move.player, "words": list(move.words())}, confidence, frame)


def choice(says: Message, probability: float, events: Iterable[NewEvent]) -> dict[str, Any]:
    """Return an answer of a question, with what follows from it."""
    reported = [{"kind": event.kind, "data": dict(event.data)} for event in events]
    return {"says": says.to_dict(), "p": round(probability, 3), "events": reported}


def notice(
    found: RefereeProblem, table: CommittedTable, before: str | None, frame: str | None
) -> list[NewEvent]:
    """Tell a problem once, in the place of what the eyes raised before."""
    if any(
        event.data["code"] == found.code and tuple(event.data["cards"]) == found.cards
        for event in _problems(table)
    ):
        return []
    return [*settle(table), NewEvent("noticed", problem(found, before, frame), 0.9, frame)]


def problem(found: RefereeProblem, before: str | None, frame: str | None) -> dict[str, Any]:
    """Return what an event tells of a problem."""
    return {
        "code": found.code,
        "message": found.message.to_dict(),
        "pictures": {"before": before, "after": frame},
        "cards": list(found.cards),
    }


def settle(table: CommittedTable, *, but: str = "", reported: bool = False) -> list[NewEvent]:
    """Return that the problems and questions which looks raised are done with, problems of the code ``but`` left out.

    Questions about what was told already stay open, for they hold up nothing, but if ``reported``.
    """
    done = (event for event in _problems(table) if event.data["code"] != but)
    asked = (event for event in _questions(table) if reported or not only_corrects(event))
    return [NewEvent("settled", {"of": event.seq}) for event in (*done, *asked)]


def waiting(table: CommittedTable) -> bool:
    """Return whether a question that a look raised is open, and the game is held up until somebody knows."""
    return any(not only_corrects(event) for event in _questions(table))


def only_corrects(asked: Event) -> bool:
    """Return whether a question is about what was told already: its answers correct that, or leave it."""
    return all(each["kind"] == "corrected" for choice in asked.data["choices"] for each in choice["events"])


def _problems(table: CommittedTable) -> list[Event]:
    return [event for event in table.open_problems if event.kind == "noticed" and _seen(event)]


def _questions(table: CommittedTable) -> list[Event]:
    return [event for event in table.open_questions if _seen(event)]


def _seen(event: Event) -> bool:
    return event.source in {"camera", "scanner"}
