"""Sending to a server that may be away: only the newest counts, and nothing here ever stops the watching."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, TextIO

from companion.observations import Observation
from vision.worker.client import AwayError, RefusedError, TableClient

__all__ = ["Uplink"]

#: Waits before a server that is away is tried again, s: the first, doubled up to the longest.
_FIRST_WAIT_S: Final = 0.5
_LONGEST_WAIT_S: Final = 10.0
#: How long the table may take to see what an event is about, s.
_EVENT_S: Final = 20.0
#: Answers that another token, not another look, would change.
_NOT_LET_IN: Final = frozenset({401, 403, 404})


class Uplink:
    """A thread that sends looks and reports in the background. What was not sent in time gives way to what is newer."""

    def __init__(
        self, client: TableClient, *, first_wait: float = _FIRST_WAIT_S, err: TextIO = sys.stderr
    ) -> None:
        self._client, self._first_wait, self._err = client, first_wait, err
        self._news = threading.Condition()
        self._look: tuple[Observation, bytes] | None = None
        self._report: tuple[Mapping[str, Any], bytes | None] | None = None
        self._events: deque[tuple[Mapping[str, Any], float]] = deque()
        self._layout: dict[str, Any] | None = None
        self._layout_came = False
        self._revision: int | None = None
        self._closed = threading.Event()
        self._trouble: str | None = None
        self._thread = threading.Thread(target=self._run, name="uplink", daemon=True)
        self._thread.start()

    def look(self, look: Observation, jpeg: bytes) -> None:
        """Send an observation in the background, merged with the one before if that was not sent yet."""
        with self._news:
            if self._look is not None:
                look = self._look[0].merged_with(look)
            self._look = look, jpeg
            self._news.notify()

    def tell(self, event: Mapping[str, Any]) -> None:
        """Send something that happened, after the next look or report; what the table will not have yet is tried for a while."""
        with self._news:
            self._events.append((event, time.monotonic() + _EVENT_S))

    def report(self, state: Mapping[str, Any], jpeg: bytes | None) -> None:
        """Send how the camera is as soon as may be."""
        with self._news:
            self._report = state, jpeg
            self._news.notify()

    def new_layout(self) -> tuple[dict[str, Any] | None] | None:
        """Return the table's layout (in a tuple: it may be None, the default) if it has changed since this was asked."""
        with self._news:
            came, self._layout_came = self._layout_came, False
            return (self._layout,) if came else None

    def close(self, wait: float = 2.0) -> None:
        """Send what is left if that can be done within ``wait`` s, and end."""
        with self._news:
            self._closed.set()
            self._news.notify()
        self._thread.join(wait)

    def _run(self) -> None:
        wait = self._first_wait
        while True:
            with self._news:
                while not (self._look or self._report or self._closed.is_set()):
                    self._news.wait()
                look, self._look = self._look, None
                report, self._report = (None, self._report) if look else (self._report, None)
            if look is None and report is None:
                return
            try:
                if look:
                    self._client.look(*look)
                elif report:
                    self._follow_layout(self._client.report(*report))
                self._tell_events()
            except RefusedError as error:
                self._say(str(error))
                if error.status in _NOT_LET_IN:
                    self._closed.wait(_LONGEST_WAIT_S)
            except AwayError as error:
                self._say(str(error))
                self._keep(look)
                if self._closed.wait(wait * random.uniform(0.7, 1.3)):
                    return
                wait = min(2 * wait, _LONGEST_WAIT_S)
            else:
                wait = self._first_wait
                self._say(None)

    def _tell_events(self) -> None:
        """Send the first event; one that is refused waits for the next look or report."""
        if not self._events:
            return
        event, until = self._events[0]
        try:
            self._client.tell(event)
        except RefusedError:
            if time.monotonic() < until:
                return
        self._events.popleft()

    def _keep(self, look: tuple[Observation, bytes] | None) -> None:
        """Put an unsent look back; one that came meanwhile takes over what it told."""
        with self._news:
            newer, self._look = self._look, look
            if newer and look:
                self.look(*newer)
            elif newer:
                self._look = newer

    def _follow_layout(self, revision: int) -> None:
        if revision == self._revision:
            return
        layout = self._client.layout()
        with self._news:
            self._layout, self._layout_came, self._revision = layout, True, revision

    def _say(self, trouble: str | None) -> None:
        """Tell a trouble once, and once that it is over."""
        if trouble == self._trouble:
            return
        print(f"companion watch: {trouble or 'the server has answered again'}", file=self._err, flush=True)
        self._trouble = trouble
