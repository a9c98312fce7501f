"""One log line for each request that changes something or fails; successful reads are not logged.

The number of logged failures of unpaired clients is limited; `omitted` counts the others.

Paths are logged without query strings, and bodies never, so that neither invitations nor notes appear in the log.
"""

from __future__ import annotations

import logging
import time
from http import HTTPStatus
from typing import Final

from apiflask import APIFlask
from flask import Response, g, request

from companion.logs import LineLimit

_READ_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
#: Requests that worker processes send about once a second; only their failures are logged.
_ROUTINE: Final = frozenset(
    {"cameras.observe", "cameras.report", "phone_cameras.frame", "devices.report", "reports.scans"}
)

_LOGGER: Final = logging.getLogger("api.requests")
_BURST: Final = 20
_PER_S: Final = 2.0


_REFUSALS: Final = LineLimit(_BURST, _PER_S)
"""The limit for failed requests of unpaired clients, which may send hundreds a second."""


def register(app: APIFlask) -> None:
    """Log the requests of an application."""
    app.before_request(_start_clock)
    app.after_request(_log)


def _start_clock() -> None:
    g.started = time.perf_counter()


def _log(response: Response) -> Response:
    failed = response.status_code >= HTTPStatus.BAD_REQUEST
    routine = request.method in _READ_METHODS or request.endpoint in _ROUTINE
    if failed or not routine:
        identity = g.get("who")
        omitted = 0
        if failed and not (identity and identity.paired):
            previously_omitted = _REFUSALS.take()
            if previously_omitted is None:
                return response
            omitted = previously_omitted
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
