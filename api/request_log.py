"""One log line for each request that changes something or fails; reading leaves no trace in the log.

Paths are logged without their query, and bodies never, so that neither invitations nor notes reach the log.
"""

from __future__ import annotations

import logging
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
        _LOGGER.info(
            "request",
            extra={
                "method": request.method,
                "path": request.path,
                "status": response.status_code,
                "ms": round((time.perf_counter() - g.get("started", time.perf_counter())) * 1e3, 1),
                "address": request.remote_addr,
                "role": identity.role if identity else None,
            },
        )
    return response
