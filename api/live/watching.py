"""The referees of the live tables: what cameras and card readers observe becomes events of tables.

The proxy sends everything about a table to one process (docs/festival.md). When a process ends or the proxy changes its mind,
another one referees the table from then on, with a referee that starts from the log. Events are appended only right after those
that the referee has processed; if others came first, the referee is discarded with everything it remembers."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

from api.live.cameras import Cameras
from api.live.live_tables import LiveTables
from companion.driver import Driver, Observe, RefereeReport
from companion.hanafuda.messages import Message
from companion.observations import Observation
from companion.readers import ReaderReport, ScannedTable
from companion.referee import Referee, referee_for
from companion.store import LogWriteError, OutOfStepError, PictureStore
from companion.table import Table
from companion.table.events import Event, NewEvent, Source

_JPEG: Final = "image/jpeg"
#: Pictures kept in memory per table, in case an event refers to one as its `before` or `after`; at most 4 MB each.
_MAX_PICTURES: Final = 4
#: Maximum number of tables with a referee in memory; each takes about 1 MB with its pictures.
_MAX_REFEREES: Final = 128


@dataclass(slots=True)
class _TableReferee:
    """A table's referee, its newest observation, and its newest pictures by SHA-256 hash."""

    rules: str
    referee: Referee
    newest: Observation | None = None
    arrived: float = 0.0
    """When the newest observation arrived, s on the clock."""
    pictures: OrderedDict[str, bytes] = field(default_factory=OrderedDict)


class Referees:
    """The referees by table id. Callers must hold the table's lock."""

    def __init__(self, evidence: PictureStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._evidence, self._clock = evidence, clock
        self._entries: dict[str, _TableReferee] = {}
        self._scanned: dict[str, ScannedTable] = {}
        """By table id; the readers' scans outlive the table's referee."""
        self._processed: dict[str, int] = {}
        """The number of the newest event of a table when it was last refereed here."""

    def begin(self, table_id: str, table: Table) -> None:
        """Begin to referee a table.

        What is in memory is discarded if another process has refereed the table since.
        """
        processed = self._processed.get(table_id, table.seq)
        if any(map(of_referee, table.events[processed:])):
            self._entries.pop(table_id, None)
            self._scanned.pop(table_id, None)
        self._processed[table_id] = table.seq

    def appended(self, table_id: str, seq: int) -> None:
        """Remember that the events of a table up to ``seq`` are known here."""
        self._processed[table_id] = seq

    def tables(self) -> set[str]:
        """Return the ids of the tables that are refereed here."""
        return {*self._entries}

    def see(
        self, table_id: str, observation: Observation, picture: bytes | None, table: Table, source: Source
    ) -> RefereeReport:
        """Pass an observation to the referee and return its report.

        ``picture`` is a JPEG; its hash becomes the observation's ``frame``. Pictures that the reported events refer to are
        stored first. Raises `LogWriteError` if that fails.
        """
        entry = self._entry(table_id, table)
        if picture is not None:
            observation = replace(observation, frame=hashlib.sha256(picture).hexdigest())
            entry.pictures[observation.frame] = picture
            entry.pictures.move_to_end(observation.frame)
            while len(entry.pictures) > _MAX_PICTURES:
                entry.pictures.popitem(last=False)
        entry.newest, entry.arrived = observation, self._clock()
        scanned = self._scanned.get(table_id)
        if scanned is None:
            events = self._events_of(table_id, entry, lambda: entry.referee.see(observation, table))
            return RefereeReport(events, source, observation.changed)
        before = scanned.newest
        events = self._events_of(table_id, entry, lambda: scanned.camera(observation, entry.arrived, table))
        entry.newest = scanned.newest or observation
        return RefereeReport(events, source, _is_changed(before, scanned.newest))

    # --- readers

    def process(self, table_id: str, scans: Sequence[ReaderReport], table: Table) -> None:
        """Add scans from readers, with times on the clock; `tick` passes them to the referee."""
        entry = self._entry(table_id, table)
        scanned = self._scanned.get(table_id)
        if scanned is None:
            scanned = self._scanned[table_id] = ScannedTable(table.rules, entry.referee)
            if entry.newest is not None:
                scanned.follow(entry.newest, entry.arrived)
        self._events_of(table_id, entry, lambda: scanned.process(scans, table))

    def due(self, table_id: str) -> float | None:
        """Return when `tick` must be called, s on the clock, or None if no scans are pending."""
        scanned = self._scanned.get(table_id)
        return None if scanned is None else scanned.due()

    def tick(self, table_id: str, table: Table, *, watching: bool, moving: bool) -> RefereeReport:
        """Pass pending scans to the referee.

        ``watching``: a camera sees the table; ``moving``: it sees hands in motion.
        """
        entry, scanned = self._entry(table_id, table), self._scanned.get(table_id)
        if scanned is None:  # discarded by `begin` after they were scheduled
            return RefereeReport([], "scanner")
        before = scanned.newest
        events = self._events_of(
            table_id, entry, lambda: scanned.tick(self._clock(), table, watching=watching, moving=moving)
        )
        if scanned.newest is not None:
            entry.newest = scanned.newest
        source: Source = "camera" if scanned.by_camera else "scanner"
        return RefereeReport(events, source, _is_changed(before, scanned.newest))

    def move(self, table_id: str, following: str) -> None:
        """Move a table's readers to the next table and process their last scans there again."""
        if (scanned := self._scanned.pop(table_id, None)) is not None:
            self._scanned[following] = scanned
            scanned.once_more(self._clock())

    def rescan(self, table_id: str, table: Table) -> list[NewEvent] | None:
        """Return the events that reset the table to the newest observation, or None without one since the start."""
        entry = self._entry(table_id, table)
        newest = entry.newest
        if newest is None:
            return None
        return self._events_of(table_id, entry, lambda: entry.referee.rescan(newest, table))

    def close(self, table_id: str, table: Table, source: Source) -> RefereeReport:
        """Return what the end of the observations implies; nothing for a table without observations."""
        entry = self._entries.get(table_id)
        events = [] if entry is None else self._events_of(table_id, entry, lambda: entry.referee.close(table))
        return RefereeReport(events, source)

    def forget(self, table_id: str) -> None:
        """Discard a table's referee, so the next one starts from the table's state; for example after its events were refused."""
        self._entries.pop(table_id, None)

    def _entry(self, table_id: str, table: Table) -> _TableReferee:
        entry = self._entries.pop(table_id, None)
        if entry is None or entry.rules != table.rules.hash:
            entry = _TableReferee(table.rules.hash, referee_for(table.rules, table.game.players))
            if (scanned := self._scanned.get(table_id)) is not None:
                scanned.referee = entry.referee
        self._entries[table_id] = entry  # the most recently used one is last
        while len(self._entries) > _MAX_REFEREES:
            oldest = next(iter(self._entries))
            self.forget(oldest)
            self._scanned.pop(oldest, None)
            self._processed.pop(oldest, None)
        return entry

    def _events_of(
        self, table_id: str, entry: _TableReferee, ask: Callable[[], Sequence[NewEvent] | None]
    ) -> list[NewEvent]:
        try:
            events = list(ask() or ())
            for name in {name for event in events for name in _pictures(event)}:
                if name in entry.pictures:
                    self._evidence.put(entry.pictures[name], _JPEG)
        except Exception as error:
            self.forget(table_id)  # its state may be half updated
            if isinstance(error, OSError):
                raise LogWriteError(
                    Message("picture-not-written", {"reason": error.strerror or ""})
                ) from error
            raise
        return events


def of_referee(event: Event) -> bool:
    """Return whether a referee has appended an event."""
    return event.source in {"camera", "scanner"}


def _is_changed(before: Observation | None, newest: Observation | None) -> bool:
    """Return whether the referee has a new observation, and it differs from the one before."""
    return newest is not None and newest is not before and newest.changed


def _pictures(event: NewEvent) -> Iterator[str]:
    """Yield the names of the pictures that an event refers to."""
    names: list[Any] = [event.evidence, event.data.get("picture")]
    pictures = event.data.get("pictures")
    if isinstance(pictures, dict):
        names += pictures.values()
    yield from (name for name in names if isinstance(name, str))


_ATTEMPTS: Final = 20
"""How often a step is repeated because somebody else changed the table while the referee was thinking; each takes some ms."""

_Result = TypeVar("_Result")


class _TableChangedError(Exception):
    """Raised if events were added to a table after the referee saw it."""

    def __init__(self, error: OutOfStepError, *, by_referee: bool) -> None:
        """``by_referee``: another process's referee added events."""
        self.error, self.by_referee = error, by_referee


class _StepTables:
    """The tables as the referee sees them in one step; implements `companion.driver.TableHost`."""

    def __init__(self, tables: LiveTables, referees: Referees) -> None:
        self._tables, self._referees = tables, referees
        self._processed: dict[str, int] = {}
        """The number of the newest event that the referee knows, by table id."""

    @contextmanager
    def at(self, table_id: str) -> Iterator[Table]:
        """Lock a table and yield it, with a referee that knows all its events."""
        with self._tables.at(table_id) as table:
            self._referees.begin(table_id, table)
            self._processed[table_id] = table.seq
            yield table

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append a referee's events and return their public form. Raises `_TableChangedError` if others came first."""
        processed = self._processed[table_id]
        try:
            result = self._tables.report(table_id, events, actor=actor, source=source, expect=processed)
        except OutOfStepError as error:
            with self._tables.at(table_id) as table:
                by_referee = any(map(of_referee, table.events[processed:]))
            raise _TableChangedError(error, by_referee=by_referee) from error
        self._processed[table_id] = result.seq
        self._referees.appended(table_id, result.seq)
        return result.events

    def open_next(self, table_id: str) -> str:
        """Open a table for the next game of the same players and return its id."""
        return self._tables.open_next(table_id)


class TableDriver:
    """Runs observations through referees into tables, as `companion.driver.Driver` does."""

    def __init__(self, tables: LiveTables, referees: Referees, move: Callable[[str, str], None]) -> None:
        """``move`` moves the cameras and readers of a table to the next one."""
        self._move, self._referees = move, referees
        self._step_tables = partial(_StepTables, tables, referees)

    def at(self, table_id: str) -> AbstractContextManager[Table]:
        """Lock a table whose referee or readers are used, and yield it."""
        return self._step_tables().at(table_id)

    def step(
        self, table_id: str, observe: Observe, *, actor: str, attempts: int = 1
    ) -> tuple[str, list[Event]]:
        """Process one observation; see `companion.driver.Driver.step`."""
        none: tuple[str, list[Event]] = table_id, []
        return self._repeated(
            lambda driver: driver.step(table_id, observe, actor=actor, attempts=attempts), none
        )

    def finish(self, table_id: str, close: Observe, *, actor: str) -> list[Event]:
        """Store the referee's conclusions at the end of the observations; see `companion.driver.Driver.finish`."""
        return self._repeated(lambda driver: driver.finish(table_id, close, actor=actor), [])

    def hand_over(self, table_id: str, following: str) -> None:
        """Let the cameras and readers of a table observe the next one."""
        with self.at(following):
            self._move(table_id, following)

    def _repeated(self, do: Callable[[Driver], _Result], dropped: _Result) -> _Result:
        """Call ``do`` with a driver, and again with a new referee if others changed the table meanwhile.

        An observation that was overtaken by another process's referee is dropped, and ``dropped`` returned: it may be old.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            driver = Driver(self._step_tables(), forget=self._referees.forget, move=self.hand_over)
            try:
                return do(driver)
            except _TableChangedError as changed:
                if changed.by_referee:
                    return dropped
                if attempt == _ATTEMPTS:
                    raise changed.error from None
        raise AssertionError


WATCHING: Final = frozenset({"watching", "hands"})
"""States of a camera that can see the table."""

_HANDS_MOVING: Final = "hands"
_MAX_KEYS: Final = 1024

_LOGGER: Final = logging.getLogger(__name__)


class Readers:
    """Receives the scans of all tables' readers and passes them to the referees when they are due."""

    def __init__(
        self,
        referees: Referees,
        cameras: Cameras,
        driver: TableDriver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._referees, self._cameras, self._driver = referees, cameras, driver
        self._clock = clock
        self._schedule_changed = threading.Condition()
        self._due: dict[str, float] = {}
        self._actors: dict[str, str] = {}
        self._running: threading.Thread | None = None
        self._closed = False
        self._keys: OrderedDict[tuple[str, str], None] = OrderedDict()

    def process(self, table_id: str, scans: Sequence[ReaderReport], *, actor: str, key: str | None) -> None:
        """Add a reader's scans, with times on the clock. A request with a known ``key`` is ignored.

        Raises `companion.store.NoSuchTableError`, and `companion.referee.NoRefereeError` for a game without a referee.
        """
        with self._driver.at(table_id) as table:
            if key is not None and (table_id, key) in self._keys:
                return
            self._referees.process(table_id, scans, table)
            self._actors[table_id] = actor
            if key is not None:
                self._keys[table_id, key] = None
                while len(self._keys) > _MAX_KEYS:
                    self._keys.popitem(last=False)
            self.schedule(table_id)

    def schedule(self, table_id: str) -> None:
        """Schedule the next processing of a table's scans, if any are pending."""
        due = self._referees.due(table_id)
        with self._schedule_changed:
            if due is None:
                self._due.pop(table_id, None)
                return
            self._due[table_id] = due
            if self._running is None and not self._closed:
                self._running = threading.Thread(target=self._run, name="readers", daemon=True)
                self._running.start()
            self._schedule_changed.notify()

    def close(self) -> None:
        """Stop, and wait for the scans being processed, so that the log can be closed afterwards."""
        with self._schedule_changed:
            self._closed, running = True, self._running
            self._schedule_changed.notify()
        if running is not None:
            running.join()

    def _run(self) -> None:
        while (table_id := self._next_due()) is not None:
            try:
                self._process(table_id)
            except Exception:
                _LOGGER.exception("the scans of the readers at table %s could not be processed", table_id)

    def _next_due(self) -> str | None:
        """Wait for the next due table and return its id; None if nothing is pending or the feed was closed."""
        with self._schedule_changed:
            while self._due and not self._closed:
                table_id, due = min(self._due.items(), key=lambda each: each[1])
                remaining_s = due - self._clock()
                if remaining_s <= 0:
                    del self._due[table_id]
                    return table_id
                self._schedule_changed.wait(remaining_s)
            self._running = None
            return None

    def _process(self, table_id: str) -> None:
        state = self._cameras.status_of(table_id)["state"]

        def observe(watched: str, table: Table) -> RefereeReport:
            return self._referees.tick(
                watched, table, watching=state in WATCHING, moving=state == _HANDS_MOVING
            )

        actor = self._actors.get(table_id, "readers")
        following, _ = self._driver.step(table_id, observe, actor=actor)
        if following != table_id:
            self._actors[following] = self._actors.pop(table_id, actor)
        self.schedule(following)
