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
from hardware.driver import How

__all__ = ["Outbox", "Outcome", "Press", "Scanned"]

#: Waits before a server that is away is tried again, s: the first, doubled up to the longest.
_FIRST_WAIT_S: Final = 0.25
_LONGEST_WAIT_S: Final = 3.0
#: A press that has waited for longer is no command any more: a koi-koi half a minute late would be wrong.
_TOO_LATE_S: Final = 10.0
#: What waits for a server that is away; the oldest gives way. Two packs laid down and picked up twenty times.
_MOST: Final = 4000
#: Scans that go together.
_TOGETHER: Final = 64
#: Answers that another token, not another press, would change.
_NOT_LET_IN: Final = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class Press:
    """A button's meaning at a table."""

    device: str
    table: str | None
    """As configured; None: the newest."""
    at: float
    """s, of `time.monotonic`."""
    key: str
    seat: int | None
    button: str
    how: How
    told: str
    """What the device calls the button."""


@dataclass(frozen=True, slots=True)
class Scanned:
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
class Outcome:
    """What became of a press or a scan."""

    how: Literal["done", "refused", "late"]
    says: str = ""
    """Why not."""


class Outbox:
    """A thread that sends what is put in. ``answered`` is called there, once for each."""

    def __init__(
        self,
        client: Client,
        table: Callable[[str | None], str | None],
        answered: Callable[[Press | Scanned, Outcome], None],
        say: Callable[[str | None], None],
    ) -> None:
        """``table``: the id of the table that a configuration names, None where there is none; `AwayError` while nobody knows.

        ``say``: is told what is wrong, and None when it is well again.
        """
        self._client, self._table, self._answered, self._say = client, table, answered, say
        self._news = threading.Condition()
        self._waiting: deque[Press | Scanned] = deque()
        self._closed = False
        self._again = False
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
        self._thread.start()

    def put(self, told: Press | Scanned) -> None:
        """Send it when its turn comes; from any thread, at once."""
        with self._news:
            lost = self._waiting.popleft() if len(self._waiting) >= _MOST else None
            self._waiting.append(told)
            self._news.notify()
        if lost is not None:
            self._answered(lost, Outcome("late", "too much waits for a server that is away"))

    def try_again(self) -> None:
        """The server is back: wait no longer."""
        with self._news:
            self._again = True
            self._news.notify()

    def close(self) -> None:
        """End; what could not be sent until now is lost."""
        with self._news:
            self._closed = True
            self._news.notify()
        self._thread.join()

    @property
    def alive(self) -> bool:
        """Whether its thread runs."""
        return self._thread.is_alive()

    def __len__(self) -> int:
        return len(self._waiting)

    def _run(self) -> None:
        try:
            while batch := self._next():
                self._deliver(batch)
        finally:
            self._client.close()

    def _next(self) -> list[Press | Scanned]:
        """Wait for what is oldest, and take it with the scans of the same reader behind it; nothing: it is closed."""
        with self._news:
            self._news.wait_for(lambda: self._waiting or self._closed)
            if self._closed:
                return []
            batch = [self._waiting.popleft()]
            while self._waiting and len(batch) < _TOGETHER and _go_together(batch[0], self._waiting[0]):
                batch.append(self._waiting.popleft())
            return batch

    def _deliver(self, batch: list[Press | Scanned]) -> None:
        """Send until there is an answer."""
        wait = _FIRST_WAIT_S
        while not self._closed:
            if _is_late(batch[0]):
                self._answer(batch, Outcome("late"))
                return
            try:
                outcome = self._send(batch)
            except AwayError as error:
                self._say(str(error))
                self._pause(wait)
                wait = min(2 * wait, _LONGEST_WAIT_S)
            except RefusedError as error:
                if error.status not in _NOT_LET_IN:
                    self._answer(batch, Outcome("refused", str(error)))
                    return
                self._say(str(error))
                self._pause(_LONGEST_WAIT_S)
            else:
                self._say(None)
                self._answer(batch, outcome)
                return

    def _send(self, batch: list[Press | Scanned]) -> Outcome:
        first = batch[0]
        table = self._table(first.table)
        if table is None:
            return Outcome("refused", "there is no table: open one first")
        document: dict[str, Any] = {"seat": first.seat, "key": first.key}
        if isinstance(first, Press):
            document |= {"button": first.button, "how": first.how, "device": first.device}
            document["ago_ms"] = _ago_ms(first)
            self._client.call("POST", f"/api/tables/{table}/presses", document)
            return Outcome("done")
        scans = [{**each.scan, "ago_ms": _ago_ms(each)} for each in batch if isinstance(each, Scanned)]
        document |= {"device": first.device, "place": first.place, "scans": scans}
        self._client.call("POST", f"/api/tables/{table}/scans", document)
        return Outcome("done")

    def _answer(self, batch: list[Press | Scanned], outcome: Outcome) -> None:
        for each in batch:
            self._answered(each, outcome)

    def _pause(self, wait: float) -> None:
        """Wait; presses that become too late meanwhile are told at once, not when the server is back."""
        until = time.monotonic() + wait * random.uniform(0.7, 1.3)
        while not self._closed and (left := until - time.monotonic()) > 0:
            with self._news:
                self._news.wait_for(lambda: self._closed or self._again, min(left, 0.5))
                again, self._again = self._again, False
                late = [each for each in self._waiting if _is_late(each)]
                if late:
                    self._waiting = deque(each for each in self._waiting if not _is_late(each))
            self._answer(late, Outcome("late"))
            if again:
                return


def _go_together(one: Press | Scanned, other: Press | Scanned) -> bool:
    return (
        isinstance(one, Scanned)
        and isinstance(other, Scanned)
        and (one.device, one.table, one.seat, one.place)
        == (other.device, other.table, other.seat, other.place)
    )


def _ago_ms(told: Press | Scanned) -> int:
    return round(1000 * max(0.0, time.monotonic() - told.at))


def _is_late(told: Press | Scanned) -> bool:
    return isinstance(told, Press) and time.monotonic() - told.at > _TOO_LATE_S
