"""One live table in memory: its views as JSON, and the messages for its followers after a change."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any

from api.live.streams import message
from companion.table import Table
from companion.table.audiences import Audience, Audiences
from companion.table.events import Event


class StateJson:
    """A view of a table, serialized once for answers and streams."""

    def __init__(self, view: Mapping[str, Any], before: StateJson | None = None) -> None:
        """Lines of the history that are the same objects in ``before`` are not serialized again."""
        known = {} if before is None else before._lines
        rest, night = dict(view), dict(view["night"])
        del rest["night"]
        self._history = rest.pop("history")  # keeps the objects alive whose ids are keys
        self._lines: dict[int, str] = {
            id(line): known.get(id(line)) or to_json(line) for line in self._history
        }
        self._lists = {
            "history": list(self._lines.values()),
            "trail": [to_json(each) for each in rest.pop("trail")],
            "rounds": [to_json(each) for each in night.pop("rounds")],
        }
        self._rest, self._night = to_json(rest), to_json(night)

    def unchanged(self, before: StateJson) -> dict[str, int]:
        """Return the length of the prefix of ``history``, ``trail`` and ``rounds`` that is the same in ``before``."""
        return {
            name: [*map(eq, items, before._lists[name]), False].index(False)
            for name, items in self._lists.items()
        }

    def text(self, start: Mapping[str, int] | None = None) -> str:
        """Return the view as JSON, each list only from its index in ``start`` on."""
        history, trail, rounds = (
            ",".join(items[start[name] if start else 0 :]) for name, items in self._lists.items()
        )
        lists = f'"history":[{history}],"trail":[{trail}]'
        return f'{self._rest[:-1]},{lists},"night":{self._night[:-1]},"rounds":[{rounds}]}}}}'


def to_json(value: object) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class TableChange:
    """The state of a table, and the events that a request added."""

    table: str
    seq: int
    state: str
    """The view of the table, as JSON."""
    events: Sequence[Event] = ()
    """The new events, limited to what the audience may know."""


class LiveTable:
    """A table in the cache, with the lock that serializes access to it; empty until the table is loaded from the log."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.depth = 0
        """How often the thread that holds the lock has entered it."""
        self.used = 0.0
        """Time of the last access, s on the monotonic clock."""
        self.published = 0
        """The number of the last event that the followers of the table have; 0 if it was never loaded."""
        self._audiences: Audiences | None = None
        self._states: dict[int, tuple[int, StateJson]] = {}

    @property
    def folded(self) -> bool:
        """Whether the table is loaded."""
        return self._audiences is not None

    @property
    def audiences(self) -> Audiences:
        """The table as each audience may know it. The table must be loaded."""
        assert self._audiences is not None, "the table is in memory"
        return self._audiences

    def keep(self, table: Table) -> None:
        """Store a loaded table."""
        self._audiences, self._states = Audiences(table), {}

    def drop(self) -> None:
        """Drop the table; the next access loads it from the log again."""
        self._audiences, self._states = None, {}

    def take_back(self, seq: int) -> None:
        """Remove the events after ``seq``, which the log does not have."""
        table = self.audiences.whole
        table.replace(table.events[:seq])
        self.keep(table)

    def state(self, audience: Audience) -> StateJson:
        """Return the view of the table for an audience, cached per version of the table that audiences share."""
        table = self.audiences.known(audience)
        seq, state = self._states.get(id(table), (-1, None))
        if state is None or seq != table.seq:
            state = StateJson(table.view(), state)
            self._states[id(table)] = table.seq, state
        return state


def result_of(
    table_id: str, entry: LiveTable, audience: Audience, events: Sequence[Event] = ()
) -> TableChange:
    """Return the state of a table for an audience, and the events that a request added."""
    return TableChange(table_id, entry.audiences.known(audience).seq, entry.state(audience).text(), events)


def changes_of(
    entry: LiveTable, states_before: Mapping[Audience, StateJson], after: int
) -> dict[Audience, bytes]:
    """Return the ``change`` message for each audience; ``states_before`` contains their states after event ``after``."""
    messages: dict[tuple[int, int], bytes] = {}
    changes: dict[Audience, bytes] = {}
    for audience, before in states_before.items():
        table, state = entry.audiences.known(audience), entry.state(audience)
        pair = id(before), id(state)
        if pair not in messages:
            unchanged = state.unchanged(before)
            events = dumped(table.events[after:])
            change = f'{{"seq":{table.seq},"after":{after},"events":{events},"from":{to_json(unchanged)},"state":{state.text(unchanged)}}}'
            messages[pair] = message("change", change, table.seq)
        changes[audience] = messages[pair]
    return changes


def dumped(events: Sequence[Event]) -> str:
    """Return events as a JSON list."""
    return to_json([event.to_json() for event in events])
