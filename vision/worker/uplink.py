"""Background sending to a server that may be offline; only the newest data is kept, and watching never waits."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, TextIO

from companion.messages import error_text
from companion.net.client import AwayError, RefusedError
from companion.net.retries import Backoff, varied
from companion.observations import Observation
from vision.worker.client import TableClient

#: Wait before an unreachable server is tried again, s: the first, and the longest.
_FIRST_WAIT_S: Final = 0.5
_MAX_WAIT_S: Final = 10.0
#: How long a refused event is retried, s: the table may not have the observation it belongs to yet.
_EVENT_TIMEOUT_S: Final = 20.0
#: HTTP statuses that a new token could change but not a new observation.
_TOKEN_STATUSES: Final = frozenset({401, 403, 404})


class Uplink:
    """A thread that sends observations and camera states. Data that was not sent in time is merged into or replaced by newer data."""

    def __init__(
        self, client: TableClient, *, first_wait: float = _FIRST_WAIT_S, err: TextIO = sys.stderr
    ) -> None:
        self._client, self._first_wait, self._err = client, first_wait, err
        self._condition = threading.Condition()
        self._unsent: tuple[Observation, bytes] | None = None
        self._report: tuple[Mapping[str, Any], bytes | None] | None = None
        self._events: deque[tuple[Mapping[str, Any], float]] = deque()
        self._layout: dict[str, Any] | None = None
        self._layout_changed = False
        self._revision: int | None = None
        self._closed = threading.Event()
        self._fault: str | None = None
        self._thread = threading.Thread(target=self._run, name="uplink", daemon=True)
        self._thread.start()

    def send_observation(self, observation: Observation, jpeg: bytes) -> None:
        """Send an observation in the background, merged with the one before if that was not sent yet."""
        with self._condition:
            if self._unsent is not None:
                observation = self._unsent[0].merged_with(observation)
            self._unsent = observation, jpeg
            self._condition.notify()

    def send_event(self, event: Mapping[str, Any]) -> None:
        """Send an event after the next observation or camera state; a refused one is retried for `_EVENT_TIMEOUT_S`."""
        with self._condition:
            self._events.append((event, time.monotonic() + _EVENT_TIMEOUT_S))

    def send_camera_state(self, state: Mapping[str, Any], jpeg: bytes | None) -> None:
        """Send the state of the camera, with a small JPEG if there is one, in the background."""
        with self._condition:
            self._report = state, jpeg
            self._condition.notify()

    def new_layout(self) -> tuple[dict[str, Any] | None] | None:
        """Return the layout in a 1-tuple (it may be None, the default) if it changed since the last call, else None."""
        with self._condition:
            changed, self._layout_changed = self._layout_changed, False
            return (self._layout,) if changed else None

    def close(self, wait: float = 2.0) -> None:
        """Send what is left, for at most ``wait`` s, and stop."""
        with self._condition:
            self._closed.set()
            self._condition.notify()
        self._thread.join(wait)

    def _run(self) -> None:
        backoff = Backoff(self._first_wait, _MAX_WAIT_S)
        while True:
            with self._condition:
                while not (self._unsent or self._report or self._closed.is_set()):
                    self._condition.wait()
                observation, self._unsent = self._unsent, None
                report, self._report = (None, self._report) if observation else (self._report, None)
            if observation is None and report is None:
                return
            try:
                if observation:
                    self._client.send_observation(*observation)
                elif report:
                    self._update_layout(self._client.send_camera_state(*report))
                self._send_events()
            except RefusedError as error:
                self._print_fault(error_text(error))
                if error.status in _TOKEN_STATUSES:
                    self._closed.wait(_MAX_WAIT_S)
            except AwayError as error:
                self._print_fault(error_text(error))
                self._restore_unsent(observation)
                self._restore_report(report)
                # A server that says when it will be ready is there: another process is just taking over the table.
                if error.retry_after_s is None:
                    pause = backoff.next()
                else:
                    backoff.reset()
                    pause = varied(min(error.retry_after_s, _MAX_WAIT_S))
                if self._closed.wait(pause):
                    return
            else:
                backoff.reset()
                self._print_fault(None)

    def _send_events(self) -> None:
        """Send the first event; a refused one waits for the next observation or camera state."""
        if not self._events:
            return
        event, until = self._events[0]
        try:
            self._client.send_event(event)
        except RefusedError:
            if time.monotonic() < until:
                return
        self._events.popleft()

    def _restore_unsent(self, observation: tuple[Observation, bytes] | None) -> None:
        """Put an unsent observation back, merged with one that arrived meanwhile."""
        with self._condition:
            newer, self._unsent = self._unsent, observation
            if newer and observation:
                self.send_observation(*newer)
            elif newer:
                self._unsent = newer

    def _restore_report(self, report: tuple[Mapping[str, Any], bytes | None] | None) -> None:
        """Put back a camera state that was not sent, unless there is a newer one: the last one tells the referee of the end."""
        with self._condition:
            if self._report is None:
                self._report = report

    def _update_layout(self, revision: int) -> None:
        if revision == self._revision:
            return
        layout = self._client.layout()
        with self._condition:
            self._layout, self._layout_changed, self._revision = layout, True, revision

    def _print_fault(self, fault: str | None) -> None:
        """Print a fault once, and once that it is over."""
        if fault == self._fault:
            return
        print(f"companion watch: {fault or 'the server responds again'}", file=self._err, flush=True)
        self._fault = fault
