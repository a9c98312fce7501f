"""The referees of the live tables: what cameras and card readers observe becomes events of tables.

The proxy sends everything about a table to one process (docs/festival.md). When a process ends or the proxy changes its mind,
another one referees the table from then on, with a referee that starts from the log. Events are appended only right after those
that the referee has processed; if others came first, the referee is discarded with everything it remembers."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, TypeVar

from cachetools import LRUCache

from api.live.cameras import WATCHING, Cameras
from api.live.live_tables import LiveTables
from companion.driver import Driver
from companion.hanafuda.messages import Message
from companion.observations import Observation
from companion.readers import ReaderReport, ScannedTable
from companion.store import LogWriteError, OutOfStepError
from companion.store.pictures import PictureStore
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.referee import Referee
from companion.watch.referee_events import is_from_vision

_JPEG: Final = "image/jpeg"
#: Pictures kept in memory per table, in case an event refers to one as its `before` or `after`; at most 4 MB each.
_MAX_PICTURES: Final = 4
#: Maximum number of tables with a referee in memory; each takes about 1 MB with its pictures.
_MAX_REFEREES: Final = 128
_MAX_KEYS: Final = 64
"""Requests of a table's readers that are recognized if they are repeated."""
_RESTARTED_S: Final = 1.0
"""A camera whose time goes back by more than this, s, was restarted."""
_ATTEMPTS: Final = 20
"""How often a step is repeated because somebody else changed the table while the referee was thinking; each takes some ms."""

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")


class WatchedTable:
    """The referee of a table, and what it gets from the camera and the readers. Callers must hold the table's lock."""

    def __init__(self, evidence: PictureStore, clock: Callable[[], float]) -> None:
        self._evidence, self._clock = evidence, clock
        self.processed: int | None = None
        """The number of the newest event that the referee knows; None before the first one."""
        self.reader = "readers"
        """The device that reported the last scans."""
        self.keys: LRUCache[str, None] = LRUCache(_MAX_KEYS)
        """The keys of the last requests with scans."""
        self.timer: threading.Timer | None = None
        """Passes pending scans to the referee."""
        self._rules = ""
        self._referee: Referee | None = None
        self._delay, self._camera_time = float("inf"), float("-inf")
        """The clock's time minus the camera's, s, and the time of its last observation."""
        self._pictures: LRUCache[str, bytes] = LRUCache(_MAX_PICTURES)
        """The newest pictures by SHA-256 hash."""
        self._readers = ScannedTable()
        """The readers' scans, which outlive the referee, and the newest observation."""

    @property
    def refereed(self) -> bool:
        """Whether there is a referee."""
        return self._referee is not None

    def begin(self, table: Table) -> None:
        """Begin to referee the table. What is in memory is discarded if another process has refereed it since."""
        if self.processed is not None and any(map(is_from_vision, table.events[self.processed :])):
            self.forget()
            self._readers = ScannedTable()
        self.processed = table.seq

    def forget(self) -> None:
        """Discard the referee, so the next one starts from the table's state; for example after its events were refused."""
        self._referee = None
        self._pictures.clear()

    def see(self, observation: Observation, picture: bytes | None, table: Table) -> list[NewEvent]:
        """Pass an observation to the referee and return its events.

        ``picture`` is a JPEG; its hash becomes the observation's ``frame``. Pictures that the reported events refer to are
        stored first. Raises `LogWriteError` if that fails.
        """
        referee = self._referee_of(table)
        if picture is not None:
            observation = replace(observation, frame=hashlib.sha256(picture).hexdigest())
            self._pictures[observation.frame] = picture
        seen = self._on_clock(observation)
        return self._events_of(lambda: self._readers.see(seen, table, referee))

    def _on_clock(self, observation: Observation) -> Observation:
        """Return an observation with times on the clock. A camera that was restarted counts its time from the beginning."""
        delay = self._clock() - observation.time
        if observation.time < self._camera_time - _RESTARTED_S:
            self._delay = max(delay, self._camera_time + self._delay - observation.time)
        elif self._readers.board.cards or self._camera_time == float("-inf"):
            self._delay = min(self._delay, delay)  # the picture that was delivered soonest is the latest
        self._camera_time = observation.time
        return observation.later(self._delay)

    def rescan(self, table: Table) -> list[NewEvent] | None:
        """Return the events that reset the table to the newest observation, or None without one since the start."""
        referee, newest = self._referee_of(table), self._readers.newest
        if newest is None:
            return None
        return self._events_of(lambda: referee.rescan(newest[0], table, newest[1]))

    def close(self, table: Table) -> list[NewEvent]:
        """Return what the end of the observations implies; nothing for a table without observations."""
        referee = self._referee
        return [] if referee is None else self._events_of(lambda: referee.close(table))

    # --- readers

    def process(self, scans: Sequence[ReaderReport], table: Table) -> None:
        """Add scans from readers, with times on the clock; `tick` passes them to the referee."""
        self._referee_of(table)
        self._readers.process(scans, table)

    def due(self) -> float | None:
        """Return when `tick` must be called, s on the clock, or None if no scans are pending."""
        return self._readers.due

    def tick(self, table: Table, *, watching: bool) -> list[NewEvent]:
        """Pass what the readers know to the referee. ``watching``: a camera sees the table."""
        referee, readers = self._referee_of(table), self._readers
        return self._events_of(lambda: readers.tick(self._clock(), table, referee, watching=watching))

    def take_readers(self, other: WatchedTable) -> None:
        """Take over the readers of the table before, and process their last scans here again."""
        self._readers, other._readers = other._readers, ScannedTable()
        self._readers.hand.once_more()
        self.reader = other.reader

    def _referee_of(self, table: Table) -> Referee:
        if self._referee is None or self._rules != table.rules.hash:
            self.forget()
            self._rules, self._referee = table.rules.hash, Referee(table.rules, table.game.players)
        return self._referee

    def _events_of(self, ask: Callable[[], Sequence[NewEvent] | None]) -> list[NewEvent]:
        try:
            events = list(ask() or ())
            for name in {name for event in events for name in _pictures(event)}:
                if name in self._pictures:
                    self._evidence.put(self._pictures[name], _JPEG)
        except Exception as error:
            self.forget()  # its state may be half updated
            if isinstance(error, OSError):
                raise LogWriteError(Message("problem-not-saved", {"reason": error.strerror or ""})) from error
            raise
        return events


def _pictures(event: NewEvent) -> Iterator[str]:
    """Yield the names of the pictures that an event refers to."""
    names: list[Any] = [event.evidence, event.data.get("picture")]
    pictures = event.data.get("pictures")
    if isinstance(pictures, dict):
        names += pictures.values()
    yield from (name for name in names if isinstance(name, str))


class _OvertakenError(Exception):
    """Raised if another process's referee has added events to a table after this one saw it."""


class TableDriver:
    """Runs what cameras and readers observe through referees into tables; a `companion.driver.TableHost`. Thread-safe."""

    def __init__(
        self,
        tables: LiveTables,
        cameras: Cameras,
        evidence: PictureStore,
        move_camera: Callable[[str, str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``move_camera`` moves the camera of a table to the next one."""
        self._tables, self._cameras, self._move_camera = tables, cameras, move_camera
        self._evidence, self._clock = evidence, clock
        self._driver = Driver(self)
        self._lock = threading.Lock()
        self._watched: LRUCache[str, WatchedTable] = LRUCache(_MAX_REFEREES)
        self._ticking = threading.Lock()
        self._closed = False

    def watched(self, table_id: str) -> WatchedTable:
        """Return what is known of a table that is watched; lock it with `at` first."""
        with self._lock:
            if table_id not in self._watched:
                self._watched[table_id] = WatchedTable(self._evidence, self._clock)
            return self._watched[table_id]

    def refereed(self) -> set[str]:
        """Return the ids of the tables that are refereed here."""
        with self._lock:
            return {table_id for table_id, each in self._watched.items() if each.refereed}

    # --- the tables as the referee sees them

    @contextmanager
    def at(self, table_id: str) -> Iterator[Table]:
        """Lock a table and yield it, with a referee that knows all its events."""
        with self._tables.at(table_id) as table:
            self.watched(table_id).begin(table)
            yield table

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append a referee's events and return their public form.

        Raises `OutOfStepError` if somebody else changed the table first, `_OvertakenError` if it was another referee.
        """
        watched = self.watched(table_id)
        assert watched.processed is not None, "the table was locked with `at`"
        try:
            result = self._tables.report(
                table_id, events, actor=actor, source=source, expect=watched.processed
            )
        except OutOfStepError:
            with self._tables.at(table_id) as table:
                if any(map(is_from_vision, table.events[watched.processed :])):
                    raise _OvertakenError from None
            raise
        watched.processed = result.seq
        return result.events

    def open_next(self, table_id: str) -> str:
        """Open a table for the next game of the same players, hand the cameras and readers over to it, and return its id."""
        following = self._tables.open_next(table_id)
        self.hand_over(table_id, following)
        return following

    def hand_over(self, table_id: str, following: str) -> None:
        """Let the cameras and readers of a table observe the next one."""
        with self.at(following):
            self._move_camera(table_id, following)
            self.watched(following).take_readers(self.watched(table_id))

    def forget(self, table_id: str) -> None:
        """Discard the referee of a table, for example after its events were refused."""
        self.watched(table_id).forget()

    # --- what is observed

    def observe(
        self,
        table_id: str,
        observation: Observation,
        picture: bytes | None,
        *,
        actor: str,
        source: Source,
    ) -> tuple[str, list[Event]]:
        """Process an observation and return its table, perhaps the next one, and the events."""

        def see(watched: str, table: Table) -> list[NewEvent]:
            return self.watched(watched).see(observation, picture, table)

        none: tuple[str, list[Event]] = table_id, []
        following, events = self._repeated(
            lambda: self._driver.step(table_id, see, actor=actor, source=source), none
        )
        self._schedule(following)
        return following, events

    def finish(self, table_id: str, *, actor: str, source: Source) -> list[Event]:
        """Store what the end of the observations of a table implies."""

        def close(watched: str, table: Table) -> list[NewEvent]:
            return self.watched(watched).close(table)

        return self._repeated(lambda: self._driver.finish(table_id, close, actor=actor, source=source), [])

    def _repeated(self, do: Callable[[], _Result], dropped: _Result) -> _Result:
        """Call ``do``, and again with a new referee if others changed the table meanwhile.

        An observation that was overtaken by another process's referee is dropped, and ``dropped`` returned: it may be old.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return do()
            except _OvertakenError:
                return dropped
            except OutOfStepError:
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError

    # --- readers

    def process(self, table_id: str, scans: Sequence[ReaderReport], *, actor: str, key: str | None) -> None:
        """Add a reader's scans, with times on the clock. A request with a known ``key`` is ignored.

        The referee gets them in a thread when the readers are quiet. Raises `companion.store.NoSuchTableError`, and
        `companion.watch.referee.NoRefereeError` for a game without a referee.
        """
        with self.at(table_id) as table:
            watched = self.watched(table_id)
            if key is not None and key in watched.keys:
                return
            watched.process(scans, table)
            watched.reader = actor
            if key is not None:
                watched.keys[key] = None
            self._schedule(table_id)

    def due(self, table_id: str) -> bool:
        """Return whether scans of a table's readers are pending."""
        return self.watched(table_id).due() is not None

    def close(self) -> None:
        """Stop, and wait for the scans being processed, so that the log can be closed afterwards."""
        self._closed = True
        with self._ticking, self._lock:
            for each in self._watched.values():
                if each.timer is not None:
                    each.timer.cancel()

    def _schedule(self, table_id: str) -> None:
        """Schedule the next processing of a table's scans, if any are pending."""
        watched = self.watched(table_id)
        due = watched.due()
        with self._lock:
            if watched.timer is not None:
                watched.timer.cancel()
                watched.timer = None
            if due is not None and not self._closed:
                watched.timer = threading.Timer(max(0.0, due - self._clock()), self._tick, [table_id])
                watched.timer.name, watched.timer.daemon = "readers", True
                watched.timer.start()

    def _tick(self, table_id: str) -> None:
        """Pass the pending scans of a table to its referee."""
        state = self._cameras.status_of(table_id)["state"]

        def tick(watched: str, table: Table) -> list[NewEvent]:
            return self.watched(watched).tick(table, watching=state in WATCHING)

        with self._ticking:
            if self._closed:
                return
            try:
                actor = self.watched(table_id).reader
                none: tuple[str, list[Event]] = table_id, []
                following, _ = self._repeated(
                    lambda: self._driver.step(table_id, tick, actor=actor, source="scanner"), none
                )
                self._schedule(following)
            except Exception:
                _log.exception("the scans of the readers at table %s could not be processed", table_id)
