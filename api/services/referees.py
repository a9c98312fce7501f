"""The referees of the live tables, with their newest observations and pictures.

A referee is created when a table is first observed, and again when the rules change, after a restart, and after an error.
It needs no history of its own, because the table has it.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from companion.driver import RefereeReport
from companion.hanafuda.messages import Message
from companion.observations import Observation
from companion.readers import ReaderReport, ScannedTable
from companion.referee import Referee, referee_for
from companion.store import LogWriteError, PictureStore
from companion.table import Table
from companion.table.events import Event, NewEvent, Source

__all__ = ["Referees", "of_referee"]

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
    """Return whether the referee was shown a new observation, and it differs from the one before."""
    return newest is not None and newest is not before and newest.changed


def _pictures(event: NewEvent) -> Iterator[str]:
    """Yield the names of the pictures that an event refers to."""
    names: list[Any] = [event.evidence, event.data.get("picture")]
    pictures = event.data.get("pictures")
    if isinstance(pictures, dict):
        names += pictures.values()
    yield from (name for name in names if isinstance(name, str))
