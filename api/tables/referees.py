"""The referees of the live tables, and the pictures of what they saw last.

A referee is made when a table is first looked at, and anew where the rules are others, after a restart, and after one that
failed: what it must know of the past is the table's.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from companion.driver import RefereeReport
from companion.observations import Observation
from companion.readers import Scan, ScannedTable
from companion.referee import Referee, referee_for
from companion.store import LogWriteError, PictureStore
from companion.table import Table
from companion.table.events import NewEvent, Source

__all__ = ["Referees"]

_JPEG: Final = "image/jpeg"
#: Pictures of looks that are kept in memory in case one becomes the `before` or `after` of something; 4 MB each at most.
_RECENT: Final = 4
#: Tables that are watched at once.
_MOST: Final = 32


@dataclass(slots=True)
class _Seat:
    """A table's referee, its newest look, and the newest pictures by their hash."""

    rules: str
    referee: Referee
    newest: Observation | None = None
    arrived: float = 0.0
    """When that came, s of the clock."""
    pictures: OrderedDict[str, bytes] = field(default_factory=OrderedDict)


class Referees:
    """By table. Whoever calls for a table holds its lock."""

    def __init__(self, evidence: PictureStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._evidence, self._clock = evidence, clock
        self._seats: dict[str, _Seat] = {}
        self._scanned: dict[str, ScannedTable] = {}
        """What the readers of a table have told outlives its referee."""

    def see(
        self, table_id: str, look: Observation, picture: bytes | None, table: Table, source: Source
    ) -> RefereeReport:
        """Show an observation to the referee. A picture that one of its events names is stored before the report is returned.

        ``picture`` is a JPEG; the look is called by its hash from then on.
        """
        seat = self._seat(table_id, table)
        if picture is not None:
            look = replace(look, frame=hashlib.sha256(picture).hexdigest())
            seat.pictures[look.frame] = picture
            seat.pictures.move_to_end(look.frame)
            while len(seat.pictures) > _RECENT:
                seat.pictures.popitem(last=False)
        seat.newest, seat.arrived = look, self._clock()
        scanned = self._scanned.get(table_id)
        if scanned is None:
            events = self._asked(table_id, seat, lambda: seat.referee.see(look, table))
            return RefereeReport(events, source, look.changed)
        before = scanned.newest
        events = self._asked(table_id, seat, lambda: scanned.camera(look, seat.arrived, table))
        seat.newest = scanned.newest or look
        return RefereeReport(events, source, _is_changed(before, scanned.newest))

    # --- readers

    def hear(self, table_id: str, scans: Sequence[Scan], table: Table) -> None:
        """Take in what readers told, times on the clock; the referee is shown it by `tick`."""
        seat = self._seat(table_id, table)
        scanned = self._scanned.get(table_id)
        if scanned is None:
            scanned = self._scanned[table_id] = ScannedTable(table.rules, seat.referee)
            if seat.newest is not None:
                scanned.follow(seat.newest, seat.arrived)
        self._asked(table_id, seat, lambda: scanned.hear(scans, table))

    def due(self, table_id: str) -> float | None:
        """Return when `tick` is to be called, s of the clock; None where no reader has told anything that waits."""
        scanned = self._scanned.get(table_id)
        return None if scanned is None else scanned.due()

    def tick(self, table_id: str, table: Table, *, watching: bool, moving: bool) -> RefereeReport:
        """Show the readers' scans to the referee; ``watching``, ``moving``: the state of the table's camera."""
        seat, scanned = self._seat(table_id, table), self._scanned[table_id]
        before = scanned.newest
        events = self._asked(
            table_id, seat, lambda: scanned.tick(self._clock(), table, watching=watching, moving=moving)
        )
        if scanned.newest is not None:
            seat.newest = scanned.newest
        source: Source = "camera" if scanned.by_camera else "scanner"
        return RefereeReport(events, source, _is_changed(before, scanned.newest))

    def move(self, table_id: str, following: str) -> None:
        """Let a table's readers be those of the next table from now on; what they told last is shown there again."""
        if (scanned := self._scanned.pop(table_id, None)) is not None:
            self._scanned[following] = scanned
            scanned.once_more(self._clock())

    def rescan(self, table_id: str, table: Table) -> list[NewEvent] | None:
        """Return the event that takes the newest look as the truth; None where there was none since the start."""
        seat = self._seat(table_id, table)
        newest = seat.newest
        if newest is None:
            return None
        return self._asked(table_id, seat, lambda: seat.referee.rescan(newest, table))

    def close(self, table_id: str, table: Table, source: Source) -> RefereeReport:
        """Return what the end of the observations implies; nothing for a table without observations."""
        seat = self._seats.get(table_id)
        events = [] if seat is None else self._asked(table_id, seat, lambda: seat.referee.close(table))
        return RefereeReport(events, source)

    def forget(self, table_id: str) -> None:
        """Let a table's referee begin anew: what it said did not come to be."""
        self._seats.pop(table_id, None)

    def _seat(self, table_id: str, table: Table) -> _Seat:
        seat = self._seats.pop(table_id, None)
        if seat is None or seat.rules != table.rules.hash:
            seat = _Seat(table.rules.hash, referee_for(table.rules, table.game.players))
            if (scanned := self._scanned.get(table_id)) is not None:
                scanned.referee = seat.referee
        self._seats[table_id] = seat  # the last one used comes last
        while len(self._seats) > _MOST:
            oldest = next(iter(self._seats))
            self.forget(oldest)
            self._scanned.pop(oldest, None)
        return seat

    def _asked(
        self, table_id: str, seat: _Seat, ask: Callable[[], Sequence[NewEvent] | None]
    ) -> list[NewEvent]:
        try:
            said = list(ask() or ())
            for name in {name for event in said for name in _pictures(event)}:
                if name in seat.pictures:
                    self._evidence.put(seat.pictures[name], _JPEG)
        except Exception as error:
            self.forget(table_id)  # what it remembers may be half changed
            if isinstance(error, OSError):
                raise LogWriteError(f"the picture of a look could not be kept ({error.strerror})") from error
            raise
        return said


def _is_changed(before: Observation | None, newest: Observation | None) -> bool:
    """Return whether the referee was shown a new observation, and it differs from the one before."""
    return newest is not None and newest is not before and newest.changed


def _pictures(event: NewEvent) -> Iterator[str]:
    """Yield the names of the pictures that an event shows."""
    told: list[Any] = [event.evidence, event.data.get("picture")]
    pictures = event.data.get("pictures")
    if isinstance(pictures, dict):
        told += pictures.values()
    yield from (name for name in told if isinstance(name, str))
