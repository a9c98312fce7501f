"""The event loop of the server, based on epoll, kqueue, or what else the system provides.

Before each wait, waitress queries every connection for the events that it is interested in, which takes milliseconds with
thousands of connections. This loop updates and queries only connections that changed.
"""

from __future__ import annotations

import selectors
import threading
from contextlib import suppress
from typing import Any, Final

from waitress import wasyncore  # type: ignore[import-untyped]
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]

_READ: Final = selectors.EVENT_READ
_WRITE: Final = selectors.EVENT_WRITE


class Loop(dict[int, Any]):
    """A waitress socket map (file descriptor to dispatcher) with its own wait for socket events."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = selectors.DefaultSelector()
        self._watched: dict[int, int] = {}
        self._changed: set[Any] = set()
        self._lock = threading.Lock()

    def __setitem__(self, fd: int, dispatcher: Any) -> None:
        super().__setitem__(fd, dispatcher)
        self.change(dispatcher)

    def __delitem__(self, fd: int) -> None:
        super().__delitem__(fd)
        if self._watched.pop(fd, None) is not None:
            with suppress(KeyError, ValueError, OSError):
                self._selector.unregister(fd)

    def change(self, dispatcher: Any) -> bool:
        """Mark a dispatcher to be updated before the next wait; return whether it is the first one since the last wait."""
        with self._lock:
            first = not self._changed
            self._changed.add(dispatcher)
        return first

    def run_once(self, timeout: float) -> None:
        """Wait for events for at most ``timeout`` seconds, and have the dispatchers handle them."""
        with self._lock:
            changed, self._changed = self._changed, set()
        for dispatcher in changed:
            if isinstance(dispatcher, HTTPChannel):
                dispatcher.update()
            self._watch(dispatcher)
        for key, ready in self._selector.select(timeout):
            dispatcher = key.data
            if ready & _READ and self.get(key.fd) is dispatcher:
                wasyncore.read(dispatcher)
            if ready & _WRITE and self.get(key.fd) is dispatcher:
                wasyncore.write(dispatcher)
            self.change(dispatcher)

    def close(self) -> None:
        """Close the selector."""
        self._selector.close()

    def _watch(self, dispatcher: Any) -> None:
        fd: int | None = dispatcher._fileno
        if fd is None or fd not in self or self[fd] is not dispatcher:  # closed since
            return
        events = (_READ if dispatcher.readable() else 0) | (
            _WRITE if dispatcher.writable() and not dispatcher.accepting else 0
        )
        watched = self._watched.get(fd, 0)
        if events == watched:
            return
        if not events:
            del self._watched[fd]
            self._selector.unregister(fd)
            return
        if watched:
            self._selector.modify(fd, events, dispatcher)
        else:
            self._selector.register(fd, events, dispatcher)
        self._watched[fd] = events
