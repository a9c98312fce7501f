"""The tables of the log while they are live: each folded once, told to one at a time, and everybody who follows it told at once.

One way in: what is told goes to the table (which refuses what cannot be), then to the log, then to the streams. Where the log
refuses, the table is folded from it again, so that nobody is shown what is not on the disk.

What goes out is what an audience may know (`companion.table.hidden_cards`): without another audience, what everybody may.
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
from typing import Any, ClassVar, Final

from api.live.changes import cut
from api.live.streams import Hub, message
from companion.hanafuda.errors import BadRequestError, shown
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
    "Told",
    "dumped",
]

_EVENT_ID: Final = re.compile("[0-9]{1,15}")
#: A client that missed more than this gets a snapshot: its page has nothing to gain from so many events at once.
_MOST_MISSED: Final = 200
#: Tables that are kept in memory, and for how long nobody may ask for one, s; an evening takes about 2 MB.
_MOST_FOLDED: Final = 32
_UNUSED_S: Final = 900.0
#: An evening that was broken off goes on after a restart within so many hours.
_SAME_DAY_H: Final = 12


class NoSuchEventError(BadRequestError):
    """The table has no event of that number."""

    code: ClassVar[str] = "no-such-event"


class NothingToUndoError(BadRequestError):
    """Nothing has happened that could be taken back."""

    code: ClassVar[str] = "nothing-to-undo"


@dataclass(frozen=True, slots=True)
class Told:
    """How a table stands, and what came to it."""

    table: str
    seq: int
    state: str
    """The view, JSON."""
    events: Sequence[Event] = ()
    """The new events, as the audience may know them."""


Check = Callable[[Table, Sequence[NewEvent]], None]
"""Raises an error if whoever reports events at a table may not; it is given the table with its hidden cards."""


def _allow(table: Table, events: Sequence[NewEvent]) -> None:
    """Let everything be reported."""


class _Held:
    """One table in memory, not there until it is folded from the log, and the right to tell it something."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.used = 0.0
        """When it was asked for last, s of the monotonic clock."""
        self._audiences: Audiences | None = None
        self._views: dict[int, tuple[int, str]] = {}

    @property
    def folded(self) -> bool:
        """Whether it is in memory."""
        return self._audiences is not None

    @property
    def audiences(self) -> Audiences:
        """The table as each audience may know it."""
        assert self._audiences is not None, "the table is in memory"
        return self._audiences

    def keep(self, table: Table) -> None:
        """Keep a table in memory."""
        self._audiences, self._views = Audiences(table), {}

    def drop(self) -> None:
        """Let the table be folded from the log again when it is next asked for."""
        self._audiences, self._views = None, {}

    def view(self, audience: Audience) -> str:
        """Return the view of the table for an audience, as JSON: one string for all who may know the same."""
        table = self.audiences.known(audience)
        seq, view = self._views.get(id(table), (-1, ""))
        if seq != table.seq:
            view = _json(table.view())
            self._views[id(table)] = table.seq, view
        return view


class LiveTables:
    """The tables of a log, for all threads."""

    def __init__(
        self,
        log: Store,
        hub: Hub,
        move_seats: Callable[[str, str], None] = lambda table, following: None,
    ) -> None:
        """``move_seats`` is called when the evening goes on at another table: with its id and the next one's."""
        self._log = log
        self._hub = hub
        self._held: dict[str, _Held] = {}
        self._lock = threading.Lock()
        self._next: dict[str, str] = {}
        self._move_seats = move_seats

    # --- reading

    def summaries(self) -> list[dict[str, Any]]:
        """Return what the lobby shows of each table, the one where something happened last first."""
        return [_summary(each) for each in self._log.tables.list()]

    @contextmanager
    def at(self, table_id: str, audience: Audience = PUBLIC) -> Iterator[Table]:
        """Hold a table so that nothing happens there meanwhile; `NoSuchTableError` where there is none.

        It is the table as an audience may know it, until something is told to it.
        """
        with self._held_at(table_id) as held:
            yield held.audiences.known(audience)

    def now(self, table_id: str, audience: Audience = PUBLIC) -> Told:
        """Return how a table stands."""
        with self._held_at(table_id) as held:
            return Told(table_id, held.audiences.known(audience).seq, held.view(audience))

    def message(self, table_id: str, kind: str, audience: Audience = PUBLIC) -> bytes:
        """Return a stream's message of how a table stands: a ``snapshot`` or a ``resync``."""
        now = self.now(table_id, audience)
        return message(kind, f'{{"seq":{now.seq},"state":{now.state}}}', now.seq)

    def first_message(self, table_id: str, last_event_id: str | None, audience: Audience = PUBLIC) -> bytes:
        """Return what a stream begins with: what a client has missed that comes back, else a snapshot."""
        with self._held_at(table_id) as held:
            table = held.audiences.known(audience)
            known = int(found[0]) if (found := _EVENT_ID.fullmatch(last_event_id or "")) else -1
            if not 0 < known <= table.seq <= known + _MOST_MISSED:
                return self.message(table_id, "snapshot", audience)
            missed, state = dumped(table.events[known:]), held.view(audience)
            return message("change", f'{{"seq":{table.seq},"events":{missed},"state":{state}}}', table.seq)

    def moves(self, table_id: str, audience: Audience = PUBLIC) -> tuple[int, list[tuple[Move, Message]]]:
        """Return the number of the newest event, and the legal moves after it with a sentence for each."""
        with self.at(table_id, audience) as table:
            return table.seq, table.legal_moves()

    def alternatives(self, table_id: str, seq: int, audience: Audience = PUBLIC) -> list[dict[str, Any]]:
        """Return what may have happened instead of an event; `NoSuchEventError` where there is none."""
        with self.at(table_id, audience) as table:
            if not 1 <= seq <= table.seq:
                raise NoSuchEventError(f"this table has no event {seq}: the newest one is {table.seq}")
            return [_instead(each) for each in table.alternatives(seq)]

    def records(self, table_id: str, audience: Audience = PUBLIC) -> list[dict[str, Any]]:
        """Return the records of the rounds, the one at hand last."""
        with self.at(table_id, audience) as table:
            return [table.record(number) for number in range(1, table.round_number + 1)]

    def newest(self, table_id: str) -> str:
        """Return the table at which the evening goes on since the game of this one was over: itself where it is not."""
        while (following := self._next.get(table_id)) is not None:
            table_id = following
        return table_id

    # --- telling

    def open(
        self,
        *,
        name: str | None,
        rules: Rules,
        players: Sequence[str],
        deck: str | None,
        actor: str,
        source: Source,
    ) -> Told:
        """Open a table, durably."""
        data = {
            "name": name,
            "game": rules.game,
            "rules": rules.to_dict(),
            "rules_name": rules.name,
            "players": list(players),
            "deck": deck,
        }
        opened = NewEvent("opened", data)
        Table.open(opened, actor=actor, source=source, time=_now())  # refuses what opens none
        return self.now(self._log.tables.create(opened, actor=actor, source=source))

    def unfinished(self, *, rules: Rules, players: Sequence[str], deck: str | None) -> str | None:
        """Return the newest table opened for the same players and rules, None where its game is over or of another day."""
        today = _iso(datetime.now(UTC) - timedelta(hours=_SAME_DAY_H))
        for each in self._log.tables.list():
            told = each.opened.data
            same = (told.get("rules"), told.get("players"), told.get("deck")) == (
                rules.to_dict(),
                list(players),
                deck,
            )
            if same and each.time > today:
                with self.at(each.id) as table:
                    return None if table.game.outcome() else each.id
        return None

    def open_next(self, table_id: str) -> str:
        """Open a table for the next game of the same players, lead there who follows this one, and return its id."""
        with self.at(table_id) as table:
            if table_id in self._next:
                return self._next[table_id]
            opened = {key: told for key, told in table.opened.items() if key != "id"}
            opened["players"] = list(table.names.given)
            told = NewEvent("opened", opened)
            following = self._log.tables.create(told, actor="this machine", source="program")
            self._next[table_id] = following
            self._move_seats(table_id, following)
            self._hub.publish(table_id, message("next", json.dumps({"table": following})))
        return following

    def tell(
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
    ) -> Told:
        """Take what happened, all of it or nothing: to the log, then to everybody who follows.

        An answer to a question brings the events of its choice along. What was told under this ``key`` before is answered as
        then. ``audience``: whoever tells it; refusals and the answer give away no more than they may know.
        ``check`` raises an error if they may not report the events. Raises `OutOfStepError`, `BadRequestError`, or `LogWriteError`.
        """
        with self._held_at(table_id) as held:
            known = held.audiences.known(audience)
            if key is not None and (before := self._log.tables.with_key(table_id, key)) is not None:
                if new and not _alike(new[0], before[0]):
                    raise BadRequestError(f"the key {shown(key)} was used for something else: take a new one")
                return _told(table_id, held, audience, known.events[before[0].seq - 1 : before[-1].seq])
            check(held.audiences.whole, new)
            if expect is not None and expect != known.seq:
                raise OutOfStepError(expect, known.seq)
            if not new:
                return _told(table_id, held, audience)
            after = known.seq
            was = {each: held.audiences.known(each).view() for each in self._hub.audiences(table_id)}
            events = held.audiences.append(audience, new, actor=actor, source=source, time=_now())
            try:
                # First what everybody is to see of it: what cannot be shown is not to be in the log for ever.
                held.audiences.whole.view()
                told = _told(table_id, held, audience, held.audiences.known(audience).events[after:])
                changes = _changes(held, was, after)
                self._log.tables.append(table_id, events, key=key)
            except BaseException:
                held.drop()  # it holds what the log does not
                raise
            self._hub.publish_to(table_id, changes)
            return told

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append events for everybody, and return them as everybody may know them; see `companion.driver.TableHost`."""
        return self.tell(table_id, events, actor=actor, source=source).events

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
    ) -> Told:
        """Take back what `Table.undo_target` names; `NothingToUndoError` where nothing can be."""
        with self.at(table_id) as table:
            undone: list[NewEvent] = []
            if key is None or self._log.tables.with_key(table_id, key) is None:
                target = table.undo_target()
                if target is None:
                    raise NothingToUndoError("nothing has happened at this table that could be taken back")
                undone = [NewEvent("undone", {"of": target.seq})]
            return self.tell(
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
    ) -> Told:
        """Take what something means at the table as it stands; under a ``key`` told before, what it meant then."""
        with self.at(table_id, audience) as table:
            again = key is not None and self._log.tables.with_key(table_id, key) is not None
            new = () if again else meant(table)
            return self.tell(
                table_id, new, actor=actor, source=source, audience=audience, check=check, key=key
            )

    # --- in memory

    @contextmanager
    def _held_at(self, table_id: str) -> Iterator[_Held]:
        with self._lock:
            held = self._held.setdefault(table_id, _Held())
        with held.lock:
            held.used = time.monotonic()
            if not held.folded:
                try:
                    held.keep(Table.of(self._log.tables.load(table_id)))
                except NoSuchTableError:
                    with self._lock:
                        self._held.pop(table_id, None)  # whoever asks for tables at random fills no memory
                    raise
                self._let_go_but(held)
            yield held

    def _let_go_but(self, asked_for: _Held) -> None:
        """Keep in memory the tables that are in use; another one is folded from the log again when it is asked for."""
        with self._lock:
            folded = [held for held in self._held.values() if held.folded]
        newest = sorted(folded, key=lambda held: held.used, reverse=True)[:_MOST_FOLDED]
        since = time.monotonic() - _UNUSED_S
        used = [held for held in newest if held.used > since or held is asked_for]
        for held in folded:
            if held not in used and held.lock.acquire(blocking=False):
                held.drop()
                held.lock.release()


def _told(table_id: str, held: _Held, audience: Audience, events: Sequence[Event] = ()) -> Told:
    return Told(table_id, held.audiences.known(audience).seq, held.view(audience), events)


def _changes(held: _Held, was: Mapping[Audience, Mapping[str, Any]], after: int) -> dict[Audience, bytes]:
    """Return the message of a change for each audience; ``was``: the views after event ``after``."""
    made: dict[tuple[int, int], bytes] = {}
    changes: dict[Audience, bytes] = {}
    for audience, before in was.items():
        table = held.audiences.known(audience)
        alike = id(before), id(table)
        if alike not in made:
            kept, rest = cut(before, table.view())
            events = dumped(table.events[after:])
            change = f'{{"seq":{table.seq},"after":{after},"events":{events},"from":{_json(kept)},"state":{_json(rest)}}}'
            made[alike] = message("change", change, table.seq)
        changes[audience] = made[alike]
    return changes


def _alike(new: NewEvent, event: Event) -> bool:
    same = matches if event.kind in {"moved", "corrected"} else operator.eq
    return new.kind == event.kind and bool(same(dict(new.data), dict(event.data)))


def _instead(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a correction would put in an event's place, and how likely that is."""
    instead = told["event"]["data"]
    return {"says": told["says"], "p": told["p"], "kind": instead["kind"], "data": instead["data"]}


def _summary(told: TableSummary) -> dict[str, Any]:
    opened = told.opened.data
    rules = resolve(opened["rules"], opened["game"])
    return {
        "id": told.id,
        "seq": told.seq,
        "name": opened.get("name"),
        "game": rules.game,
        "rules": {"name": opened.get("rules_name") or rules.name, "hash": rules.hash},
        "deck": opened.get("deck"),
        "players": list(opened["players"]),
        "time": told.opened.time,
        "last": told.time,
    }


def dumped(events: Sequence[Event]) -> str:
    """Return events as a JSON list."""
    return _json([event.to_json() for event in events])


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _now() -> str:
    return _iso(datetime.now(UTC))


def _iso(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
