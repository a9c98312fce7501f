"""What devices told, on its way to the server: in order, kept while the server is away, none lost and none twice."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from companion.net.client import AwayError, Client, RefusedError
from hardware.driver import PressKind

__all__ = ["ButtonPress", "DeliveryOutcome", "Outbox", "ScanReading"]

#: Waits before a server that is away is tried again, s: the first, doubled up to the longest.
_FIRST_WAIT_S: Final = 0.25
_MAX_WAIT_S: Final = 3.0
#: A press that has waited for longer is no command any more: a koi-koi half a minute late would be wrong.
_EXPIRY_S: Final = 10.0
#: What waits for a server that is away; the oldest gives way. Two packs laid down and picked up twenty times.
_CAPACITY: Final = 4000
#: Scans that go together.
_BATCH_SIZE: Final = 64
#: Answers that another token, not another press, would change.
_UNAUTHORIZED: Final = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A button's meaning at a table."""

    device: str
    table: str | None
    """As configured; None: the newest."""
    at: float
    """s, of `time.monotonic`."""
    key: str
    seat: int | None
    button: str
    how: PressKind
    raw_button: str
    """What the device calls the button."""


@dataclass(frozen=True, slots=True)
class ScanReading:
    """A tag or code that was read."""

    device: str
    table: str | None
    at: float
    key: str
    seat: int | None
    place: str | None
    scan: Mapping[str, Any]
    """``uid`` or ``text``, ``present``, and ``rssi`` (dBm) where the reader tells it."""


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """What became of a press or a scan."""

    result: Literal["done", "refused", "late"]
    says: str = ""
    """Why not."""


class Outbox:
    """A thread that sends what is put in. ``delivered`` is called there, once for each."""

    def __init__(
        self,
        client: Client,
        table: Callable[[str | None], str | None],
        delivered: Callable[[ButtonPress | ScanReading, DeliveryOutcome], None],
        report_fault: Callable[[str | None], None],
    ) -> None:
        """``table``: the id of the table that a configuration names, None where there is none; `AwayError` while nobody knows.

        ``report_fault``: is told what is wrong, and None when it is well again.
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
        """Send it when its turn comes; from any thread, at once."""
        with self._changed:
            lost = self._queue.popleft() if len(self._queue) >= _CAPACITY else None
            self._queue.append(item)
            self._changed.notify()
        if lost is not None:
            self._delivered(lost, DeliveryOutcome("late", "too much waits for a server that is away"))

    def retry_now(self) -> None:
        """The server is back: wait no longer."""
        with self._changed:
            self._retry_now = True
            self._changed.notify()

    def close(self) -> None:
        """End; what could not be sent until now is lost."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    @property
    def alive(self) -> bool:
        """Whether its thread runs."""
        return self._thread.is_alive()

    def __len__(self) -> int:
        return len(self._queue)

    def _run(self) -> None:
        try:
            while batch := self._next():
                self._deliver(batch)
        finally:
            self._client.close()

    def _next(self) -> list[ButtonPress | ScanReading]:
        """Wait for what is oldest, and take it with the scans of the same reader behind it; nothing: it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            if self._closed:
                return []
            batch = [self._queue.popleft()]
            while self._queue and len(batch) < _BATCH_SIZE and _same_batch(batch[0], self._queue[0]):
                batch.append(self._queue.popleft())
            return batch

    def _deliver(self, batch: list[ButtonPress | ScanReading]) -> None:
        """Send until there is an answer."""
        wait = _FIRST_WAIT_S
        while not self._closed:
            if _is_late(batch[0]):
                self._answer(batch, DeliveryOutcome("late"))
                return
            try:
                outcome = self._send(batch)
            except AwayError as error:
                self._report_fault(str(error))
                self._pause(wait)
                wait = min(2 * wait, _MAX_WAIT_S)
            except RefusedError as error:
                if error.status not in _UNAUTHORIZED:
                    self._answer(batch, DeliveryOutcome("refused", str(error)))
                    return
                self._report_fault(str(error))
                self._pause(_MAX_WAIT_S)
            else:
                self._report_fault(None)
                self._answer(batch, outcome)
                return

    def _send(self, batch: list[ButtonPress | ScanReading]) -> DeliveryOutcome:
        first = batch[0]
        table = self._table(first.table)
        if table is None:
            return DeliveryOutcome("refused", "there is no table: open one first")
        document: dict[str, Any] = {"seat": first.seat, "key": first.key}
        if isinstance(first, ButtonPress):
            document |= {"button": first.button, "how": first.how, "device": first.device}
            document["ago_ms"] = _age_ms(first)
            self._client.call("POST", f"/api/tables/{table}/presses", document)
            return DeliveryOutcome("done")
        scans = [{**each.scan, "ago_ms": _age_ms(each)} for each in batch if isinstance(each, ScanReading)]
        document |= {"device": first.device, "place": first.place, "scans": scans}
        self._client.call("POST", f"/api/tables/{table}/scans", document)
        return DeliveryOutcome("done")

    def _answer(self, batch: list[ButtonPress | ScanReading], outcome: DeliveryOutcome) -> None:
        for each in batch:
            self._delivered(each, outcome)

    def _pause(self, wait: float) -> None:
        """Wait; presses that become too late meanwhile are told at once, not when the server is back."""
        until = time.monotonic() + wait * random.uniform(0.7, 1.3)
        while not self._closed and (left := until - time.monotonic()) > 0:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._retry_now, min(left, 0.5))
                retry, self._retry_now = self._retry_now, False
                late = [each for each in self._queue if _is_late(each)]
                if late:
                    self._queue = deque(each for each in self._queue if not _is_late(each))
            self._answer(late, DeliveryOutcome("late"))
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
