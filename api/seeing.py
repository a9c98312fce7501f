"""What eyes tell a table: the referee's words to the log and the streams, and on to the next game where the last one is over."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from api.camera import Cameras
from api.layouts import Layouts
from api.live_tables import LiveTables, Told
from api.referees import Referees
from companion.table import Table
from companion.table.events import NewEvent, Source

__all__ = ["Seeing", "Show"]

Show = Callable[[str, Table], Sequence[NewEvent]]
"""Shows a table's referee what there is to see, and returns what he says to it."""


class Seeing:
    """Shows the referees of the tables what there is to see, and tells everybody what they say."""

    def __init__(self, tables: LiveTables, referees: Referees, cameras: Cameras, layouts: Layouts) -> None:
        self._tables, self._referees, self._cameras, self._layouts = tables, referees, cameras, layouts

    def shown(
        self, table_id: str, show: Show, *, actor: str, source: Callable[[], Source], looks: int = 1
    ) -> Told:
        """Tell a table what its referee says; ``looks``: how often he is shown it if he says nothing."""
        with self._tables.at(
            table_id
        ) as table:  # looks come one after the other; a phone's event waits its turn
            for _ in range(looks):
                if said := show(table_id, table):
                    break
            kinds = [event.kind for event in said]
            deal = kinds.index("dealt") if "dealt" in kinds else len(said)
            # A deal can tell what ended the round before it, a stop; the game may be over with that.
            ended = said[:deal] if deal < len(said) and "moved" in kinds[:deal] else []
            before = self._told(table_id, ended, actor, source())
            with self._tables.at(table_id) as after:
                over = after.game.outcome() is not None
            if not over or deal == len(said):
                told = self._told(table_id, said[len(ended) :], actor, source())
                return replace(told, events=_joined(before.events, told.events))
            self._referees.forget(table_id)
        # The game is over, and cards are dealt again: the next one begins.
        following = self._tables.open_next(table_id)
        self._layouts.put(following, self._layouts.get(table_id))  # the camera stands where it stood
        self._cameras.move(table_id, following)
        self._referees.move(table_id, following)
        with self._tables.at(following) as table:
            return self._told(following, show(following, table), actor, source())

    def _told(self, table_id: str, said: Sequence[NewEvent], actor: str, source: Source) -> Told:
        """Tell a table what its referee said; what does not come to be the referee is not to remember."""
        try:
            return self._tables.tell(table_id, said, actor=actor, source=source)
        except BaseException:
            self._referees.forget(table_id)
            raise


def _joined(one: str, other: str) -> str:
    """Return two JSON lists as one."""
    return json.dumps([*json.loads(one), *json.loads(other)], ensure_ascii=False)
