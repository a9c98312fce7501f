"""The demo's host: what stays open at its table is settled as a person there would, so that no visitor finds it stuck."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from api.monitoring.periodic import Periodic
from api.tables.live_tables import LiveTables
from api.tables.referees import Referees
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.round import IllegalMoveError
from companion.store import LogWriteError
from companion.table import Table
from companion.table.events import NewEvent

__all__ = ["DemoHost"]

_EVERY_S: Final = 1.0
_ANSWERED_S: Final = 5.0
"""How long a visitor sees a question before it is answered."""
_DIFFERS_S: Final = 25.0
"""How long a problem stands, in one form or another, before the table is taken as it lies: turns settle most by themselves."""


class DemoHost(Periodic):
    """Looks after a demo's table, and the tables at which its evenings go on, while it is entered."""

    def __init__(
        self,
        tables: LiveTables,
        referees: Referees,
        table_id: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("demo host", _EVERY_S)
        self._tables, self._referees, self._table_id, self._clock = tables, referees, table_id, clock
        self._asked: tuple[int, float] = (0, 0.0)  # the question that stands, and since when, s
        self._differs: float | None = None

    def step(self) -> None:
        """Answer a question that has stood long enough, or take the table as it lies where a problem has."""
        table_id = self._tables.newest(self._table_id)
        with self._tables.at(table_id) as table:
            for new in self._due(table_id, table):
                with suppress(BadRequestError, IllegalMoveError, LogWriteError):
                    self._tables.tell(table_id, new, actor="the demo", source="program")
                    break

    def _due(self, table_id: str, table: Table) -> Iterator[list[NewEvent]]:
        """Yield what is to be told now, and what instead where that cannot be."""
        now = self._clock()
        question = next(iter(table.open_questions), None)
        if question is None or question.seq != self._asked[0]:
            self._asked = (question.seq if question else 0, now)
        elif now - self._asked[1] >= _ANSWERED_S:
            yield [NewEvent("answered", {"of": question.seq, "choice": 0})]
            yield [NewEvent("settled", {"of": question.seq})]
        playing = table.round is not None and table.round.outcome() is None
        if not (playing and table.open_problems):
            self._differs = None
        elif self._differs is None:
            self._differs = now
        elif now - self._differs >= _DIFFERS_S:
            self._differs = None
            yield self._referees.rescan(table_id, table) or []
