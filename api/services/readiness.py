"""Whether this process should get requests, for load balancers: not while its log is unusable, nor while it is ending."""

from __future__ import annotations

import threading
import time
from typing import Final, Literal

from companion.store.store import Store

_RECENT_S: Final = 10.0
"""A load balancer asks every few seconds; one that has not asked for this long, s, is not waited for."""
_MAX_WAIT_S: Final = 10.0
"""How long a process that is ending waits for the load balancers to learn it, s."""
_MAX_BALANCERS: Final = 64
"""Addresses that are remembered; anybody may ask."""


class Readiness:
    """Answers load balancers, and remembers which of them know that the process is ending."""

    def __init__(self, log: Store) -> None:
        self._log = log
        self._changed = threading.Condition()
        self._draining = False
        self._waits_for: dict[str, float] = {}
        """When each load balancer that does not know yet that the process is ending asked last, by address."""

    def check(self, balancer: str) -> Literal["ready", "draining", "fault"]:
        """Return whether the process is ready, ending, or cannot use its log; ``balancer`` is the address that asks."""
        with self._changed:
            if self._draining:
                self._waits_for.pop(balancer, None)
                self._changed.notify_all()
                return "draining"
            self._waits_for.pop(balancer, None)
            self._waits_for[balancer] = time.monotonic()
            if len(self._waits_for) > _MAX_BALANCERS:
                del self._waits_for[next(iter(self._waits_for))]  # the one that asked least recently
        return "ready" if self._log.fault() is None else "fault"

    @property
    def ready(self) -> bool:
        """Whether the process is neither ending nor without a usable log."""
        return not self._draining and self._log.fault() is None

    def drain(self) -> None:
        """Be no longer ready; return when the load balancers that ask regularly know it, or after ten seconds."""
        with self._changed:
            self._draining = True
            oldest = time.monotonic() - _RECENT_S
            self._waits_for = {each: at for each, at in self._waits_for.items() if at > oldest}
            self._changed.wait_for(lambda: not self._waits_for, _MAX_WAIT_S)
