"""The host of the demo: resolves open questions and problems at its table as a person would, so the demo never gets stuck."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from api.monitoring.periodic import Periodic
from api.services.live_tables import LiveTables
from api.services.referees import Referees
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.round import IllegalMoveError
from companion.store import LogWriteError
from companion.table import Table
from companion.table.events import NewEvent

__all__ = ["DemoHost"]

_INTERVAL_S: Final = 1.0
_ANSWER_AFTER_S: Final = 5.0
"""How long a question stays visible before it is answered, s."""
_RESCAN_AFTER_S: Final = 25.0
"""How long problems stay open before the table is rescanned, s; most are resolved by the following turns."""


class DemoHost(Periodic):
    """Watches the demo's table, and the tables at which its evenings continue, while the context manager is active."""

    def __init__(
        self,
        tables: LiveTables,
        referees: Referees,
        table_id: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("demo host", _INTERVAL_S)
        self._tables, self._referees, self._table_id, self._clock = tables, referees, table_id, clock
        self._open_question: tuple[int, float] = (
            0,
            0.0,
        )  # the number of the open question (0: none) and the time it was first seen, s
        self._problem_since: float | None = None

    def step(self) -> None:
        """Answer a question, or rescan the table, if a question or a problem has been open long enough."""
        table_id = self._tables.newest(self._table_id)
        with self._tables.at(table_id) as table:
            for events in self._due(table_id, table):
                with suppress(BadRequestError, IllegalMoveError, LogWriteError):
                    self._tables.report(table_id, events, actor="the demo", source="program")
                    break

    def _due(self, table_id: str, table: Table) -> Iterator[list[NewEvent]]:
        """Yield the event lists to try now, in order; each is tried only if those before it were refused."""
        now = self._clock()
        question = next(iter(table.open_questions), None)
        if question is None or question.seq != self._open_question[0]:
            self._open_question = (question.seq if question else 0, now)
        elif now - self._open_question[1] >= _ANSWER_AFTER_S:
            yield [NewEvent("answered", {"of": question.seq, "choice": 0})]
            yield [NewEvent("settled", {"of": question.seq})]
        playing = table.round is not None and table.round.outcome() is None
        if not (playing and table.open_problems):
            self._problem_since = None
        elif self._problem_since is None:
            self._problem_since = now
        elif now - self._problem_since >= _RESCAN_AFTER_S:
            self._problem_since = None
            yield self._referees.rescan(table_id, table) or []
