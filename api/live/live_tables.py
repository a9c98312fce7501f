"""Live tables: an in-memory cache of the event log that serializes writes and notifies followers.

Every write takes the same route: the table validates the events, the log stores them, and the streams publish them. If the
log refuses, the table is dropped and rebuilt from the log, so nobody sees anything that isn't on the disk.

Other processes may write to the same log (`Signals.alone` is false then). The log is the truth: a table is brought up to date before
it is displayed or changed, and what others appended is published like the process's own events. If another process appends first,
the events are validated again after its events.

All output is limited to what an audience may know (`companion.table.hidden`); the default is the public view.
"""

from __future__ import annotations

import json
import operator
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from weakref import WeakValueDictionary

from cachetools import TTLCache

from api.live.live_table import LiveTable, StateJson, TableChange, dumped
from api.live.streams import Hub, message
from companion.hanafuda.errors import BadRequestError, ConflictError, NotFoundError, quote
from companion.hanafuda.messages import Message, Param
from companion.hanafuda.rules import Rules
from companion.names import THIS_MACHINE
from companion.store import OutOfStepError
from companion.store.store import Store
from companion.store.timestamps import iso_utc, now_utc
from companion.table import Table
from companion.table.audiences import PUBLIC, Audience, matches
from companion.table.events import Event, NewEvent, Source

__all__ = ["LiveTables", "TableChange", "dumped", "undoing"]

_EVENT_ID: Final = re.compile("[0-9]{1,15}")
#: A client that missed more events than this gets a snapshot instead: a page gains nothing from so many events at once.
_MAX_MISSED: Final = 200
#: Maximum number of tables in memory (an evening takes about 2 MB), and the time after which an unused one is dropped, s.
MAX_FOLDED: Final = 256
UNUSED_S: Final = 900.0
#: How often events are validated again because another process has appended first; one of them succeeds each time.
_MAX_ATTEMPTS: Final = 100
#: A page that reconnects this soon after its evening went on at another table, s, gets that table again: it may have missed it.
_RECONNECTS_WITHIN_S: Final = 60.0
#: After a restart, an unfinished evening continues if its last event is at most this many hours old.
_RESUME_WITHIN_H: Final = 12


EventsFor = Callable[[Table], Sequence[NewEvent]]
"""Returns the events to append to the current table, as the audience knows it."""
Check = Callable[[Table, Sequence[NewEvent]], None]
"""Raises an error if the sender may not report these events; receives the table including its hidden cards."""


def _allow(table: Table, events: Sequence[NewEvent]) -> None:
    """Allow all events."""


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
        self._signals = log.signals
        self._hub = hub
        self._lock = threading.Lock()
        self._entries: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        """The tables that are in use or were used lately: nobody gets a second lock for a table that is in use."""
        self._recent: TTLCache[str, LiveTable] = TTLCache(MAX_FOLDED, UNUSED_S)
        self._published: dict[str, int] = {}
        """By table id, the number of the last event that the followers of the table have."""
        self._move_seats = move_seats

    # --- reading

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
            return entry.result(table_id, audience)

    def message(self, table_id: str, kind: str, audience: Audience = PUBLIC) -> bytes:
        """Return a stream message with the state of a table; ``kind`` is ``snapshot`` or ``resync``."""
        now = self.now(table_id, audience)
        return message(kind, f'{{"seq":{now.seq},"state":{now.state}}}', now.seq)

    def first_message(self, table_id: str, last_event_id: str | None, audience: Audience = PUBLIC) -> bytes:
        """Return the first message of a stream: the events that a reconnecting client missed, otherwise a snapshot."""
        with self._locked(table_id) as entry:
            table = entry.audiences.known(audience)
            known = int(match[0]) if (match := _EVENT_ID.fullmatch(last_event_id or "")) else -1
            moved = self._missed_move(table_id) if known >= 0 else b""
            if not 0 < known <= table.seq <= known + _MAX_MISSED:
                return self.message(table_id, "snapshot", audience) + moved
            missed, state = dumped(table.events[known:]), entry.state(audience).text
            change = f'{{"seq":{table.seq},"events":{missed},"state":{state}}}'
            return message("change", change, table.seq) + moved

    def _missed_move(self, table_id: str) -> bytes:
        """Return the message `next` if a page may have missed it because it was reconnecting, else nothing."""
        following = self._log.tables.following(table_id)
        if following is None:
            return b""
        with self.at(following) as table:
            opened = datetime.fromisoformat(table.events[0].time)
        # Not later: somebody who looks at an old table again would be sent to the new one.
        recent = abs(datetime.now(UTC) - opened) < timedelta(seconds=_RECONNECTS_WITHIN_S)
        return _moved_message(following) if recent else b""

    def alternatives(self, table_id: str, seq: int, audience: Audience = PUBLIC) -> list[dict[str, Any]]:
        """Return the alternatives to an event. Raises `NotFoundError` for an unknown number."""
        with self.at(table_id, audience) as table:
            if not 1 <= seq <= table.seq:
                values: dict[str, Param] = {"seq": str(seq), "newest": str(table.seq)}
                raise NotFoundError("no-such-event", Message("problem-no-such-event", values))
            return [_alternative(each) for each in table.alternatives(seq)]

    def newest(self, table_id: str) -> str:
        """Return the table at which this table's evening continues: the table itself unless a next game was opened."""
        while (following := self._log.tables.following(table_id)) is not None:
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
        Table.open(opened, actor=actor, source=source, time=now_utc())  # validates the data
        return self.now(self._log.tables.create(opened, actor=actor, source=source))

    def unfinished(self, *, rules: Rules, players: Sequence[str], deck: str | None) -> str | None:
        """Return the newest table with the same players, rules and deck, or None.

        Also None if its game is over or its last event is more than 12 hours old.
        """
        oldest = iso_utc(datetime.now(UTC) - timedelta(hours=_RESUME_WITHIN_H))
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
            if (known := self._log.tables.following(table_id)) is not None:
                return known
            opened = {key: event for key, event in table.opened.items() if key != "id"}
            opened |= {"players": list(table.names.given), "player_ids": list(table.names.ids)}
            if not any(each is not None for each in table.names.ids):
                del opened["player_ids"]
            opened |= {"rules": table.next_rules.to_dict(), "rules_name": table.next_rules.name}
            opened.setdefault("night", table_id)
            event = NewEvent("opened", opened)
            following = self._log.tables.create(event, actor=THIS_MACHINE, source="program", after=table_id)
            self._move_on(table_id, following)
        return following

    def follow_with(self, table_id: str, following: str) -> None:
        """Let a table's evening go on at another table: its pages open that one, and its players keep their seats."""
        self._log.tables.follow(table_id, following)
        self._move_on(table_id, following)

    def _move_on(self, table_id: str, following: str) -> None:
        self._move_seats(table_id, following)
        self._hub.publish(table_id, _moved_message(following))

    def report(
        self,
        table_id: str,
        new: Sequence[NewEvent] | EventsFor,
        *,
        actor: str,
        source: Source,
        audience: Audience = PUBLIC,
        check: Check = _allow,
        expect: int | None = None,
        key: str | None = None,
    ) -> TableChange:
        """Append events to a table, all or none: validate them, write them to the log, and publish them to followers.

        ``new`` may be a function that returns them for the current table, such as `undoing`. An ``answered`` event also adds the
        events of the chosen answer.

        ``audience`` is the sender's: errors and the result reveal no more than they may know. ``check`` raises an error if
        they may not report the events. ``expect`` is the newest event number that the sender knows. ``key`` makes the
        request idempotent: repeating it returns the events that the first request added.

        Raises `OutOfStepError`, `BadRequestError`, or `LogWriteError`.
        """
        for _ in range(_MAX_ATTEMPTS):
            with self._locked(table_id) as entry:
                if key is not None and (stored := self._log.tables.with_key(table_id, key)) is not None:
                    if not callable(new) and new and not _same_event(new[0], stored[0]):
                        raise BadRequestError(
                            f"the key {quote(key)} was used for something else: take a new one"
                        )
                    self._catch_up(table_id, entry)
                    events = entry.audiences.known(audience).events[stored[0].seq - 1 : stored[-1].seq]
                    return entry.result(table_id, audience, events)
                known = entry.audiences.known(audience)
                wanted = new(known) if callable(new) else new
                check(entry.audiences.whole, wanted)
                after = known.seq
                if expect is not None and expect != after:
                    raise OutOfStepError(expect, after)
                if not wanted:
                    return entry.result(table_id, audience)
                states_before = self._followed_states(table_id, entry)
                appended = entry.audiences.append(
                    audience, wanted, actor=actor, source=source, time=now_utc()
                )
                try:
                    # Render before writing: the log keeps events forever, so one that cannot be rendered must not get there.
                    entry.audiences.whole.view()
                    result = entry.result(table_id, audience, entry.audiences.known(audience).events[after:])
                    changes = entry.changes(states_before, after)
                    with suppress(OutOfStepError):
                        if self._log.tables.append(table_id, appended, key=key) == appended:
                            self._publish(table_id, entry, changes)
                            self._signals.send("table", table_id)
                            return result
                    entry.drop()  # another process was first, perhaps with the same request
                except BaseException:
                    entry.drop()  # it contains events that the log does not have
                    raise
        raise OutOfStepError(after, after)

    # --- in memory

    @contextmanager
    def _locked(self, table_id: str) -> Iterator[LiveTable]:
        """Lock a table and bring it up to date, unless the thread uses it already."""
        with self._lock:
            entry = self._entries.setdefault(table_id, LiveTable())
        with entry.lock:
            if not entry.folded or not (entry.depth or self._signals.alone):
                self._catch_up(table_id, entry)
            with self._lock:
                self._recent[table_id] = entry
            entry.depth += 1
            try:
                yield entry
            finally:
                entry.depth -= 1

    def catch_up(self) -> None:
        """Bring the tables that have followers up to date if other processes have appended to them."""
        newest = self._log.tables.newest_numbers(list(self._hub.tables()))
        for table_id, seq in newest.items():
            if seq > self._published.get(table_id, 0):
                with self._locked(table_id):
                    pass

    def _catch_up(self, table_id: str, entry: LiveTable) -> None:
        """Load a table, or what other processes have appended to it; its followers get the events that they do not have."""
        if entry.folded:
            newer = self._log.tables.load(table_id, entry.audiences.whole.seq)
        else:
            events = self._log.tables.load(table_id)
            known = self._published.get(table_id, len(events))
            entry.keep(Table.of(events[:known]))
            self._published[table_id] = entry.audiences.whole.seq
            newer = events[known:]
        if not newer:
            return
        after = entry.audiences.whole.seq
        try:
            states_before = self._followed_states(table_id, entry)
            entry.audiences.whole.extend(newer)
            changes = entry.changes(states_before, after)
        except BaseException:
            entry.drop()  # it may be half updated
            raise
        self._publish(table_id, entry, changes)

    def _followed_states(self, table_id: str, entry: LiveTable) -> dict[Audience, StateJson]:
        """Return the current states of the audiences that have followers."""
        return {each: entry.state(each) for each in self._hub.audiences(table_id)}

    def _publish(self, table_id: str, entry: LiveTable, changes: Mapping[Audience, bytes]) -> None:
        self._hub.publish_to(table_id, changes)
        self._published[table_id] = entry.audiences.whole.seq


def _moved_message(following: str) -> bytes:
    return message("next", json.dumps({"table": following}))


def undoing(table: Table) -> Sequence[NewEvent]:
    """Return the event that undoes the last change. Raises `ConflictError` if there is nothing to undo."""
    target = table.undo_target()
    if target is None:
        raise ConflictError("nothing-to-undo", Message("problem-nothing-to-undo"))
    return [NewEvent("undone", {"of": target.seq})]


def _same_event(new: NewEvent, event: Event) -> bool:
    same = matches if event.kind in {"moved", "corrected"} else operator.eq
    return new.kind == event.kind and bool(same(dict(new.data), dict(event.data)))


def _alternative(alternative: Mapping[str, Any]) -> dict[str, Any]:
    """Return an alternative to an event with its probability, as the API represents it."""
    event = alternative["event"]["data"]
    return {"says": alternative["says"], "p": alternative["p"], "kind": event["kind"], "data": event["data"]}
