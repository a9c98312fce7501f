"""The loop from observations to tables, the same for the server and for `companion watch`.

For each observation the driver asks the table's referee what happened and appends the referee's events to the table. It also
decides what a referee cannot:

- Events that the table refuses become a notice, and the referee starts from scratch.
- A deal after the end of a game opens a table for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.table_model import TableProblem
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.referee_events import notice, only_corrects

Observe = Callable[[str, Table], Sequence[NewEvent]]
"""Passes the current observation to the referee of a table, given by id and state, and returns its events."""


class TableHost(Protocol):
    """Where tables are kept: `api.live.watching.TableDriver`, or the single table of `companion watch`."""

    def at(self, table_id: str, /) -> AbstractContextManager[Table]:
        """Lock a table and return its state without secret information."""

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append events to a table, all or none. Raises `BadRequestError` or `IllegalMoveError` for events that it refuses."""

    def open_next(self, table_id: str, /) -> str:
        """Open a table for the next game of the same players, which the cameras and readers observe from now on, and return its id."""

    def forget(self, table_id: str, /) -> None:
        """Discard the referee of a table: the next one starts from what the table knows."""


class Driver:
    """Runs observations through referees into tables."""

    def __init__(self, tables: TableHost) -> None:
        self._tables = tables

    def step(self, table_id: str, observe: Observe, *, actor: str, source: Source) -> tuple[str, list[Event]]:
        """Process one observation, and return the events that it added and their table: a new one if a deal began the next game."""
        with self._tables.at(table_id) as table:
            events, game_over = self._store(table_id, observe(table_id, table), actor, source)
        return self._start_next(table_id, observe, actor, source) if game_over else (table_id, events)

    def answer_open_questions(self, table_id: str, *, actor: str) -> list[Event]:
        """Give every open question its likeliest answer."""
        with self._tables.at(table_id) as table:
            answers = [
                answer
                for question in table.open_questions
                if (answer := _likeliest_answer(question)) is not None
            ]
        return [event for answer in answers for event in self._submit(table_id, [answer], actor, "program")]

    def finish(self, table_id: str, close: Observe, *, actor: str, source: Source) -> list[Event]:
        """Store the referee's conclusions at the end of the observations; ``close`` asks the referee."""
        with self._tables.at(table_id) as table:
            return self._submit(table_id, close(table_id, table), actor, source)

    def _store(
        self, table_id: str, new: Sequence[NewEvent], actor: str, source: Source
    ) -> tuple[list[Event], bool]:
        """Append events; if their deal belongs to the next game, append what precedes the deal and return True."""
        ending, dealing = _split_at_deal(new)
        events = self._submit(table_id, ending, actor, source)
        if dealing:
            with self._tables.at(table_id) as table:
                game_over = table.game.outcome() is not None
            if game_over:
                self._tables.forget(table_id)
                return events, True
            events += self._submit(table_id, dealing, actor, source)
        return events, False

    def _start_next(
        self, table_id: str, observe: Observe, actor: str, source: Source
    ) -> tuple[str, list[Event]]:
        """Open the next game's table and show its referee the same observation."""
        following = self._tables.open_next(table_id)
        with self._tables.at(following) as table:
            return following, self._submit(following, observe(following, table), actor, source)

    def _submit(self, table_id: str, events: Sequence[NewEvent], actor: str, source: Source) -> list[Event]:
        """Append events. If the table refuses them, reset the referee and append a notice instead."""
        if not events:
            return []
        try:
            return list(self._tables.submit(table_id, events, actor=actor, source=source))
        except (IllegalMoveError, BadRequestError) as error:
            self._tables.forget(table_id)
            with self._tables.at(table_id) as table:
                noticed = notice(_refusal(error), table, None, events[-1].evidence)
            return list(self._tables.submit(table_id, noticed, actor=actor, source=source)) if noticed else []
        except BaseException:
            self._tables.forget(table_id)
            raise


def _split_at_deal(events: Sequence[NewEvent]) -> tuple[Sequence[NewEvent], Sequence[NewEvent]]:
    """Return the moves that ended a round, and the rest from the deal on.

    A referee infers from a deal that the round before was stopped, which may end the game.
    """
    event_types = [event.kind for event in events]
    deal = event_types.index("dealt") if "dealt" in event_types else len(events)
    split = deal if "moved" in event_types[:deal] else 0
    return (events[:split], events[split:]) if deal < len(events) else (events, ())


def _likeliest_answer(question: Event) -> NewEvent | None:
    """Return the likeliest answer that has events; None for a question about a move that is already stored."""
    if only_corrects(question):
        return None
    choices = question.data["choices"]
    chosen = next((number for number, choice in enumerate(choices) if choice["events"]), 0)
    answer = {"of": question.seq, "choice": chosen}
    return NewEvent("answered", answer, float(choices[chosen]["p"]), question.evidence)


def _refusal(error: IllegalMoveError | BadRequestError) -> TableProblem:
    """Return the problem to show for events that a table refused."""
    if isinstance(error, IllegalMoveError):
        first = error.problems[0]
        return TableProblem(first.code, first.text)
    return TableProblem("table-differs", Message("notice-observation-refused"))
