"""Health checks: whether the log can be written and the cameras and devices work. They check the disk, not the cache."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request

from api.access.identity import who
from api.context import camera_summaries, context
from api.languages import request_language
from api.monitoring.health_schemas import HealthOut, ReadinessOut, ServerHealthOut
from api.monitoring.log_monitor import current_notices
from companion.store import LogReadError, Store

__all__ = ["blueprint"]

_STARTED: Final = time.monotonic()

blueprint = APIBlueprint("health", __name__, tag="Tables")


@blueprint.get("/api/tables/<table_id>/health")
@blueprint.output(HealthOut)
@blueprint.doc(responses={404: "No such table"})
def health(table_id: str) -> Response:
    """Return the newest stored event of a table, whether the log is writable, and the state of the camera and its worker."""
    log = context().store
    newest, fault = log.tables.newest(table_id), log.fault()
    age = datetime.now(UTC) - datetime.fromisoformat(newest.time)
    camera = context().cameras.status_of(table_id)
    response = jsonify(
        log={
            "seq": newest.seq,
            "saved": newest.time,
            "age": round(age.total_seconds(), 1),
            "fault": None if fault is None else str(fault),
        },
        camera=camera["state"],
        worker=camera["worker"],
    )
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/api/health")
@blueprint.output(ServerHealthOut)
def server_health() -> Response:
    """Return the health of the server, its log, cameras and devices, and current notices. Always responds with 200."""
    log, notices = context().store, context().notices
    fault, written, client = log.fault(), log.written, who()
    status = "ok" if fault is None else "fault"
    if not client.paired and context().settings.read == "paired":
        return jsonify(status=status)  # enough for load balancers
    response = jsonify(
        status=status,
        version=version("hanafuda-companion"),
        uptime=round(time.monotonic() - _STARTED, 1),
        log={
            "fault": None if fault is None else fault.reason,
            "age": None if written is None else round(time.monotonic() - written, 1),
        },
        notices=[each.to_dict(request_language()) for each in current_notices(log, notices)],
        cameras=_camera_states() if client.paired else None,
        devices=_device_states() if client.paired else None,
        photographs=None if fault is not None else _queue_state(log),
        may_dismiss=client.role == "host",
    )
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/api/ready")
@blueprint.output(ReadinessOut)
@blueprint.doc(responses={503: "Send requests to another process"})
def readiness() -> Response:
    """Return whether a load balancer should send requests to this process: 200 or 503.

    Not while the log cannot be used, and not from the moment on at which the process begins to end.
    """
    status = context().readiness.check(request.remote_addr or "")
    response = jsonify(status=status)
    if status != "ready":
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.delete("/api/health/notices/<notice_id>")
@blueprint.output({}, status_code=204)
@blueprint.doc(responses={403: "Not the host"})
def dismiss(notice_id: str) -> tuple[str, int]:
    """Dismiss a notice for all users."""
    context().notices.dismiss(notice_id)
    return "", HTTPStatus.NO_CONTENT


def _queue_state(log: Store) -> dict[str, int] | None:
    """Return how many photographs and scan workers there are; None without a queue, and while it cannot be read."""
    if (queue := log.scan_queue) is None:
        return None
    try:
        return {"waiting": queue.waiting(), "workers": queue.workers()}
    except LogReadError:
        return None


def _camera_states() -> list[dict[str, Any]]:
    return [{"table": table, **each} for table, each in sorted(camera_summaries(context()).items())]


def _device_states() -> list[dict[str, Any]]:
    devices, states = context().devices, []
    for device in devices.all:
        report = devices.report_of(device.name)
        status = report.status if report is not None and devices.running else None
        state = "off" if not device.on else "unknown" if status is None else status.state
        states.append(
            {
                "name": device.name,
                "state": state,
                "last_seen": status and status.last_seen_s,
                "fault": status.fault.code if status and status.fault else None,
            }
        )
    return states
