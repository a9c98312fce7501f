"""Delivers presses and scans to the server in order, exactly once, and keeps them while the server is unreachable."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import quote

from companion.hanafuda.messages import Message
from companion.net.client import AwayError, Client, RefusedError
from companion.net.retries import Backoff, varied
from hardware.driver import PressKind

#: First and longest wait before a retry, s.
_FIRST_WAIT_S: Final = 0.25
_MAX_WAIT_S: Final = 3.0
#: A press older than this is dropped, s: a call that arrives half a minute late would be wrong.
_EXPIRY_S: Final = 10.0
#: Capacity of the queue; beyond it the oldest item is dropped. Enough for scanning two decks twenty times.
_CAPACITY: Final = 4000
#: Maximum number of scans in one request.
_BATCH_SIZE: Final = 64
_STOP_S: Final = 1.0
#: HTTP statuses of a missing or wrong token.
_UNAUTHORIZED: Final = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A press of a button."""

    device: str
    table: str | None
    """The configured table; None: the newest."""
    at: float
    """Time of the press, s of `time.monotonic`."""
    key: str
    seat: int | None
    button: str
    how: PressKind
    raw_button: str
    """The name that the driver uses for the button."""


@dataclass(frozen=True, slots=True)
class ScanReading:
    """A reading of a tag or code."""

    device: str
    table: str | None
    at: float
    key: str
    seat: int | None
    place: str | None
    scan: Mapping[str, Any]
    """``uid`` or ``text``, ``present``, and ``rssi`` (dBm) if the reader measures it."""


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """The result of delivering a press or a scan."""

    result: Literal["done", "refused", "late"]
    says: Message | None = None
    """The reason if it was not accepted."""
    answer: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The server's answer; the problem document (RFC 9457) of a refusal."""


class Outbox:
    """A thread that sends queued items; it calls ``delivered`` once for each."""

    def __init__(
        self,
        client: Client,
        table: Callable[[str | None], str | None],
        delivered: Callable[[ButtonPress | ScanReading, DeliveryOutcome], None],
        report_fault: Callable[[Message | None], None],
    ) -> None:
        """``table``: returns the current table id for a configured one, None if there is no table; raises `AwayError` while unknown.

        ``report_fault``: called with an error, and with None when the error is over.
        """
        self._client, self._table, self._delivered, self._report_fault = (
            client,
            table,
            delivered,
            report_fault,
        )
        self._changed = threading.Condition()
        self._queue: deque[ButtonPress | ScanReading] = deque()
        self._closed = False
        self._retry_now = False
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
        self._thread.start()

    def put(self, item: ButtonPress | ScanReading) -> None:
        """Queue an item, from any thread; does not block."""
        with self._changed:
            dropped = self._queue.popleft() if len(self._queue) >= _CAPACITY else None
            self._queue.append(item)
            self._changed.notify()
        if dropped is not None:
            self._delivered(dropped, DeliveryOutcome("late", Message("devices-queue-full")))

    def retry_now(self) -> None:
        """Retry at once because the server is reachable again."""
        with self._changed:
            self._retry_now = True
            self._changed.notify()

    def close(self) -> None:
        """Stop; unsent items are lost. A request in progress is waited for, but not longer than `_STOP_S`."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(_STOP_S)

    @property
    def alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()

    def __len__(self) -> int:
        return len(self._queue)

    def _run(self) -> None:
        while batch := self._next():
            self._deliver(batch)

    def _next(self) -> list[ButtonPress | ScanReading]:
        """Wait for the oldest item and take it with the following scans of the same reader; empty when closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            if self._closed:
                return []
            batch = [self._queue.popleft()]
            while self._queue and len(batch) < _BATCH_SIZE and _same_batch(batch[0], self._queue[0]):
                batch.append(self._queue.popleft())
            return batch

    def _deliver(self, batch: list[ButtonPress | ScanReading]) -> None:
        """Send until the server answers."""
        backoff = Backoff(_FIRST_WAIT_S, _MAX_WAIT_S)
        while not self._closed:
            if _is_late(batch[0]):
                self._report_outcome(batch, DeliveryOutcome("late"))
                return
            try:
                outcome = self._send(batch)
            except AwayError as error:
                self._report_fault(error.message)
                self._pause(backoff.next())
            except RefusedError as error:
                if error.status not in _UNAUTHORIZED:
                    self._report_outcome(batch, DeliveryOutcome("refused", error.message, error.problem))
                    return
                self._report_fault(error.message)
                self._pause(varied(_MAX_WAIT_S))
            else:
                self._report_fault(None)
                self._report_outcome(batch, outcome)
                return

    def _send(self, batch: list[ButtonPress | ScanReading]) -> DeliveryOutcome:
        first = batch[0]
        table = self._table(first.table)
        if table is None:
            return DeliveryOutcome("refused", Message("devices-no-table"))
        document: dict[str, Any] = {"device": first.device, "seat": first.seat, "key": first.key}
        if isinstance(first, ButtonPress):
            document |= {"button": first.button, "how": first.how, "ago_ms": _age_ms(first)}
        else:
            document["place"] = first.place
            document["scans"] = [
                {**each.scan, "ago_ms": _age_ms(each)} for each in batch if isinstance(each, ScanReading)
            ]
        what = "presses" if isinstance(first, ButtonPress) else "scans"
        answer = self._client.call("POST", f"/api/tables/{quote(table, safe='')}/{what}", document)
        return DeliveryOutcome("done", answer=answer)

    def _report_outcome(self, batch: list[ButtonPress | ScanReading], outcome: DeliveryOutcome) -> None:
        for each in batch:
            self._delivered(each, outcome)

    def _pause(self, wait: float) -> None:
        """Wait; presses that expire meanwhile are reported at once."""
        until = time.monotonic() + wait
        while not self._closed and (remaining := until - time.monotonic()) > 0:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._retry_now, min(remaining, 0.5))
                retry, self._retry_now = self._retry_now, False
                late = [each for each in self._queue if _is_late(each)]
                if late:
                    self._queue = deque(each for each in self._queue if not _is_late(each))
            self._report_outcome(late, DeliveryOutcome("late"))
            if retry:
                return


def _same_batch(one: ButtonPress | ScanReading, other: ButtonPress | ScanReading) -> bool:
    return (
        isinstance(one, ScanReading)
        and isinstance(other, ScanReading)
        and (one.device, one.table, one.seat, one.place)
        == (other.device, other.table, other.seat, other.place)
    )


def _age_ms(item: ButtonPress | ScanReading) -> int:
    return round(1000 * max(0.0, time.monotonic() - item.at))


def _is_late(item: ButtonPress | ScanReading) -> bool:
    return isinstance(item, ButtonPress) and time.monotonic() - item.at > _EXPIRY_S
