"""Live tables: an in-memory cache of the event log that serializes writes and notifies followers.

Every write takes the same route: the table validates the events, the log stores them, and the streams publish them. If the
log refuses, the table is dropped and rebuilt from the log, so nobody sees anything that isn't on the disk.

All output is limited to what an audience may know (`companion.table.hidden_cards`); the default is the public view.
"""

from __future__ import annotations

import json
import operator
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from api.live.changes import StateJson, to_json
from api.live.streams import Hub, message
from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move
from companion.hanafuda.rules import Rules, resolve
from companion.store import NoSuchTableError, OutOfStepError, Store, TableSummary
from companion.table import Table
from companion.table.audiences import Audiences
from companion.table.events import Event, NewEvent, Source
from companion.table.hidden_cards import PUBLIC, Audience, matches

__all__ = [
    "LiveTables",
    "NoSuchEventError",
    "NothingToUndoError",
    "TableChange",
    "dumped",
]

_EVENT_ID: Final = re.compile("[0-9]{1,15}")
#: A client that missed more events than this gets a snapshot instead: a page gains nothing from so many events at once.
_MAX_MISSED: Final = 200
#: Maximum number of tables in memory (an evening takes about 2 MB), and the time after which an unused one is dropped, s.
_MOST_FOLDED: Final = 32
_UNUSED_S: Final = 900.0
#: After a restart, an unfinished evening continues if its last event is at most this many hours old.
_RESUME_WITHIN_H: Final = 12


class NoSuchEventError(BadRequestError):
    """Raised if the table has no event with the requested number."""

    code = "no-such-event"


class NothingToUndoError(BadRequestError):
    """Raised if there is nothing to undo."""

    code = "nothing-to-undo"


@dataclass(frozen=True, slots=True)
class TableChange:
    """The state of a table, and the events that a request added."""

    table: str
    seq: int
    state: str
    """The view of the table, as JSON."""
    events: Sequence[Event] = ()
    """The new events, limited to what the audience may know."""


Check = Callable[[Table, Sequence[NewEvent]], None]
"""Raises an error if the sender may not report these events; receives the table including its hidden cards."""


def _allow(table: Table, events: Sequence[NewEvent]) -> None:
    """Allow all events."""


class _LiveTable:
    """A table in the cache, with the lock that serializes access to it; empty until the table is loaded from the log."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.used = 0.0
        """Time of the last access, s on the monotonic clock."""
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

    def state(self, audience: Audience) -> StateJson:
        """Return the view of the table for an audience, cached per version of the table that audiences share."""
        table = self.audiences.known(audience)
        seq, state = self._states.get(id(table), (-1, None))
        if state is None or seq != table.seq:
            state = StateJson(table.view(), state)
            self._states[id(table)] = table.seq, state
        return state


class LiveTables:
    """The live tables of a log. Thread-safe."""

    def __init__(
        self,
        log: Store,
        hub: Hub,
        move_seats: Callable[[str, str], None] = lambda table, following: None,
    ) -> None:
        """``move_seats`` is called with the old and the new table id when an evening continues at another table."""
        self._log = log
        self._hub = hub
        self._entries: dict[str, _LiveTable] = {}
        self._lock = threading.Lock()
        self._next: dict[str, str] = {}
        self._move_seats = move_seats

    # --- reading

    def summaries(self) -> list[dict[str, Any]]:
        """Return the lobby's summary of each table, most recently active first."""
        deleted = self._log.nights.deleted()
        return [_summary(each) for each in self._log.tables.list() if each.id not in deleted]

    @contextmanager
    def at(self, table_id: str, audience: Audience = PUBLIC) -> Iterator[Table]:
        """Lock a table and yield it as an audience may know it; valid until events are appended.

        Raises `NoSuchTableError` for an unknown id.
        """
        with self._locked(table_id) as entry:
            yield entry.audiences.known(audience)

    def now(self, table_id: str, audience: Audience = PUBLIC) -> TableChange:
        """Return the current state of a table."""
        with self._locked(table_id) as entry:
            return _result(table_id, entry, audience)

    def message(self, table_id: str, kind: str, audience: Audience = PUBLIC) -> bytes:
        """Return a stream message with the state of a table; ``kind`` is ``snapshot`` or ``resync``."""
        now = self.now(table_id, audience)
        return message(kind, f'{{"seq":{now.seq},"state":{now.state}}}', now.seq)

    def first_message(self, table_id: str, last_event_id: str | None, audience: Audience = PUBLIC) -> bytes:
        """Return the first message of a stream: the events that a reconnecting client missed, otherwise a snapshot."""
        with self._locked(table_id) as entry:
            table = entry.audiences.known(audience)
            known = int(match[0]) if (match := _EVENT_ID.fullmatch(last_event_id or "")) else -1
            if not 0 < known <= table.seq <= known + _MAX_MISSED:
                return self.message(table_id, "snapshot", audience)
            missed, state = dumped(table.events[known:]), entry.state(audience).text()
            return message("change", f'{{"seq":{table.seq},"events":{missed},"state":{state}}}', table.seq)

    def moves(self, table_id: str, audience: Audience = PUBLIC) -> tuple[int, list[tuple[Move, Message]]]:
        """Return the number of the newest event and the legal moves after it, each with a description."""
        with self.at(table_id, audience) as table:
            return table.seq, table.legal_moves()

    def alternatives(self, table_id: str, seq: int, audience: Audience = PUBLIC) -> list[dict[str, Any]]:
        """Return the alternatives to an event. Raises `NoSuchEventError` for an unknown number."""
        with self.at(table_id, audience) as table:
            if not 1 <= seq <= table.seq:
                raise NoSuchEventError(
                    Message("problem-no-such-event", {"seq": str(seq), "newest": str(table.seq)})
                )
            return [_alternative(each) for each in table.alternatives(seq)]

    def records(self, table_id: str, audience: Audience = PUBLIC) -> list[dict[str, Any]]:
        """Return the records of all rounds, the current one last."""
        with self.at(table_id, audience) as table:
            return [table.record(number) for number in range(1, table.round_number + 1)]

    def newest(self, table_id: str) -> str:
        """Return the table at which this table's evening continues: the table itself unless a next game was opened."""
        while (following := self._next.get(table_id)) is not None:
            table_id = following
        return table_id

    # --- writing

    def open(
        self,
        *,
        name: str | None,
        rules: Rules,
        players: Sequence[str],
        deck: str | None,
        actor: str,
        source: Source,
        night: str | None = None,
        player_ids: Sequence[str | None] = (),
    ) -> TableChange:
        """Open a table and store it in the log; with ``night`` as another game of that night.

        ``player_ids``: for each player the id, "" for a guest, None if the name is the id, as for all if empty.

        Raises `BadRequestError` for invalid data.
        """
        data: dict[str, Any] = {
            "name": name,
            "game": rules.game,
            "rules": rules.to_dict(),
            "rules_name": rules.name,
            "players": list(players),
            "deck": deck,
        }
        if night is not None:
            data["night"] = night
        if any(each is not None for each in player_ids):
            data["player_ids"] = list(player_ids)
        opened = NewEvent("opened", data)
        Table.open(opened, actor=actor, source=source, time=_now())  # validates the data
        return self.now(self._log.tables.create(opened, actor=actor, source=source))

    def unfinished(self, *, rules: Rules, players: Sequence[str], deck: str | None) -> str | None:
        """Return the newest table with the same players, rules and deck, or None.

        Also None if its game is over or its last event is more than 12 hours old.
        """
        oldest = _iso(datetime.now(UTC) - timedelta(hours=_RESUME_WITHIN_H))
        for each in self._log.tables.list():
            opened = each.opened.data
            same = (opened.get("rules"), opened.get("players"), opened.get("deck")) == (
                rules.to_dict(),
                list(players),
                deck,
            )
            if same and each.time > oldest:
                with self.at(each.id) as table:
                    return None if table.game.outcome() or table.status != "open" else each.id
        return None

    def open_next(self, table_id: str) -> str:
        """Open a table for the next game of the same players, redirect this table's followers to it, and return its id.

        Calling it again returns the same id.
        """
        with self.at(table_id) as table:
            if table_id in self._next:
                return self._next[table_id]
            opened = {key: event for key, event in table.opened.items() if key != "id"}
            opened |= {"players": list(table.names.given), "player_ids": list(table.names.ids)}
            if not any(each is not None for each in table.names.ids):
                del opened["player_ids"]
            opened |= {"rules": table.next_rules.to_dict(), "rules_name": table.next_rules.name}
            opened.setdefault("night", table_id)
            event = NewEvent("opened", opened)
            following = self._log.tables.create(event, actor="this machine", source="program")
            self.follow_with(table_id, following)
        return following

    def follow_with(self, table_id: str, following: str) -> None:
        """Let a table's evening go on at another table: its pages open that one, and its players keep their seats."""
        self._next[table_id] = following
        self._move_seats(table_id, following)
        self._hub.publish(table_id, message("next", json.dumps({"table": following})))

    def report(
        self,
        table_id: str,
        new: Sequence[NewEvent],
        *,
        actor: str,
        source: Source,
        audience: Audience = PUBLIC,
        check: Check = _allow,
        expect: int | None = None,
        key: str | None = None,
    ) -> TableChange:
        """Append events to a table, all or none: validate them, write them to the log, and publish them to followers.

        An ``answered`` event also adds the events of the chosen answer.

        ``audience`` is the sender's: errors and the result reveal no more than they may know. ``check`` raises an error if
        they may not report the events. ``expect`` is the newest event number that the sender knows. ``key`` makes the
        request idempotent: repeating it returns the events that the first request added.

        Raises `OutOfStepError`, `BadRequestError`, or `LogWriteError`.
        """
        with self._locked(table_id) as entry:
            known = entry.audiences.known(audience)
            if key is not None and (before := self._log.tables.with_key(table_id, key)) is not None:
                if new and not _same_event(new[0], before[0]):
                    raise BadRequestError(f"the key {quote(key)} was used for something else: take a new one")
                return _result(table_id, entry, audience, known.events[before[0].seq - 1 : before[-1].seq])
            check(entry.audiences.whole, new)
            if expect is not None and expect != known.seq:
                raise OutOfStepError(expect, known.seq)
            if not new:
                return _result(table_id, entry, audience)
            after = known.seq
            states_before = {each: entry.state(each) for each in self._hub.audiences(table_id)}
            events = entry.audiences.append(audience, new, actor=actor, source=source, time=_now())
            try:
                # Render before writing: the log keeps events forever, so one that cannot be rendered must not get there.
                entry.audiences.whole.view()
                result = _result(table_id, entry, audience, entry.audiences.known(audience).events[after:])
                changes = _changes(entry, states_before, after)
                self._log.tables.append(table_id, events, key=key)
            except BaseException:
                entry.drop()  # it contains events that the log does not have
                raise
            self._hub.publish_to(table_id, changes)
            return result

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append events and return their public form; implements `companion.driver.TableHost`."""
        return self.report(table_id, events, actor=actor, source=source).events

    def undo(
        self,
        table_id: str,
        *,
        actor: str,
        source: Source,
        expect: int | None,
        key: str | None,
        audience: Audience = PUBLIC,
        check: Check = _allow,
    ) -> TableChange:
        """Undo the event that `Table.undo_target` returns. Raises `NothingToUndoError` if there is none."""
        with self.at(table_id) as table:
            undone: list[NewEvent] = []
            if key is None or self._log.tables.with_key(table_id, key) is None:
                target = table.undo_target()
                if target is None:
                    raise NothingToUndoError(Message("problem-nothing-to-undo"))
                undone = [NewEvent("undone", {"of": target.seq})]
            return self.report(
                table_id,
                undone,
                actor=actor,
                source=source,
                audience=audience,
                check=check,
                expect=expect if undone else None,
                key=key,
            )

    def react(
        self,
        table_id: str,
        meant: Callable[[Table], Sequence[NewEvent]],
        *,
        actor: str,
        source: Source,
        key: str | None,
        audience: Audience = PUBLIC,
        check: Check = _allow,
    ) -> TableChange:
        """Append the events that ``meant`` returns for the current table; with a known ``key``, return the earlier result."""
        with self.at(table_id, audience) as table:
            repeated = key is not None and self._log.tables.with_key(table_id, key) is not None
            new = () if repeated else meant(table)
            return self.report(
                table_id, new, actor=actor, source=source, audience=audience, check=check, key=key
            )

    # --- in memory

    @contextmanager
    def _locked(self, table_id: str) -> Iterator[_LiveTable]:
        with self._lock:
            entry = self._entries.setdefault(table_id, _LiveTable())
        with entry.lock:
            entry.used = time.monotonic()
            if not entry.folded:
                try:
                    entry.keep(Table.of(self._log.tables.load(table_id)))
                except NoSuchTableError:
                    with self._lock:
                        self._entries.pop(table_id, None)  # requests for random ids must not fill the memory
                    raise
                self._evict_unused(entry)
            yield entry

    def _evict_unused(self, asked_for: _LiveTable) -> None:
        """Drop the tables that were not used lately, except the one just requested."""
        with self._lock:
            folded = [entry for entry in self._entries.values() if entry.folded]
        newest = sorted(folded, key=lambda entry: entry.used, reverse=True)[:_MOST_FOLDED]
        since = time.monotonic() - _UNUSED_S
        used = [entry for entry in newest if entry.used > since or entry is asked_for]
        for entry in folded:
            if entry not in used and entry.lock.acquire(blocking=False):
                entry.drop()
                entry.lock.release()


def _result(
    table_id: str, entry: _LiveTable, audience: Audience, events: Sequence[Event] = ()
) -> TableChange:
    return TableChange(table_id, entry.audiences.known(audience).seq, entry.state(audience).text(), events)


def _changes(
    entry: _LiveTable, states_before: Mapping[Audience, StateJson], after: int
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


def _same_event(new: NewEvent, event: Event) -> bool:
    same = matches if event.kind in {"moved", "corrected"} else operator.eq
    return new.kind == event.kind and bool(same(dict(new.data), dict(event.data)))


def _alternative(alternative: Mapping[str, Any]) -> dict[str, Any]:
    """Return an alternative to an event with its probability, as the API represents it."""
    event = alternative["event"]["data"]
    return {"says": alternative["says"], "p": alternative["p"], "kind": event["kind"], "data": event["data"]}


def _summary(table: TableSummary) -> dict[str, Any]:
    opened = table.opened.data
    rules = resolve(opened["rules"], opened["game"])
    return {
        "id": table.id,
        "seq": table.seq,
        "name": opened.get("name"),
        "game": rules.game,
        "rules": {"name": opened.get("rules_name") or rules.name, "hash": rules.hash},
        "deck": opened.get("deck"),
        "players": list(opened["players"]),
        "time": table.opened.time,
        "last": table.time,
    }


def dumped(events: Sequence[Event]) -> str:
    """Return events as a JSON list."""
    return to_json([event.to_json() for event in events])


def _now() -> str:
    return _iso(datetime.now(UTC))


def _iso(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
