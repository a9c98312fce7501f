"""One log line for each request that changes something or fails; reading leaves no trace in the log.

Of the failed requests of clients that are not paired, only some are logged if there are many; `omitted` counts the others.

Paths are logged without their query, and bodies never, so that neither invitations nor notes reach the log.
"""

from __future__ import annotations

import logging
import threading
import time
from http import HTTPStatus
from typing import Final

from apiflask import APIFlask
from flask import Response, g, request

__all__ = ["register"]

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
#: What the worker processes send about once a second: only their failures are of interest.
_ROUTINE: Final = frozenset(
    {"tables_watch.look", "tables_watch.report", "devices.report", "scans_table.scans"}
)

_LOGGER: Final = logging.getLogger("api.requests")
_BURST: Final = 20
_PER_S: Final = 2.0


class _Refusals:
    """Which failed requests of unpaired clients are logged: 20 at once, then 2 a second.

    A client that sends hundreds a second would otherwise slow everybody down by writes to the disk, and push all older lines out
    of the log.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left = float(_BURST)
        self._at = time.monotonic()
        self._omitted = 0

    def write(self) -> int | None:
        """Return None where this one is not to be logged, else how many were omitted before it."""
        with self._lock:
            now = time.monotonic()
            self._left = min(_BURST, self._left + _PER_S * (now - self._at))
            self._at = now
            if self._left < 1:
                self._omitted += 1
                return None
            self._left -= 1
            omitted, self._omitted = self._omitted, 0
            return omitted


_REFUSALS: Final = _Refusals()


def register(app: APIFlask) -> None:
    """Log the requests of an application."""
    app.before_request(_start_clock)
    app.after_request(_log)


def _start_clock() -> None:
    g.started = time.perf_counter()


def _log(response: Response) -> Response:
    failed = response.status_code >= HTTPStatus.BAD_REQUEST
    routine = request.method in _READING or request.endpoint in _ROUTINE
    if failed or not routine:
        identity = g.get("who")
        omitted = 0
        if failed and not (identity and identity.paired):
            written = _REFUSALS.write()
            if written is None:
                return response
            omitted = written
        _LOGGER.info(
            "request",
            extra={
                "method": request.method,
                "path": request.path,
                "status": response.status_code,
                "ms": round((time.perf_counter() - g.get("started", time.perf_counter())) * 1e3, 1),
                "address": request.remote_addr,
                "role": identity.role if identity else None,
                **({"omitted": omitted} if omitted else {}),
            },
        )
    return response
