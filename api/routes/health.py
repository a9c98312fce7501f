"""Health checks: whether the log can be written and the cameras and devices work. They check the disk, not the cache."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from typing import Final

from flask import Response, jsonify, request

from api.access.who import who
from api.context import camera_summaries, context
from api.languages import request_language
from api.models.devices import (
    CameraHealthOut,
    DeviceHealthOut,
    HealthOut,
    LogHealthOut,
    NoticeOut,
    PhotographsHealthOut,
    ReadinessOut,
    SavedOut,
    ServerHealthOut,
)
from api.monitoring.background import current_notices
from api.routing import Routes
from companion.messages import error_text
from companion.store import LogReadError, Store

_STARTED: Final = time.monotonic()

blueprint = Routes("health", __name__, tag="Tables")


@blueprint.get("/api/tables/<table_id>/health")
def health(table_id: str) -> HealthOut:
    """Return the newest stored event of a table, whether the log is writable, and the state of the camera and its worker."""
    log = context().store
    newest, fault = log.tables.newest(table_id), log.fault()
    age = datetime.now(UTC) - datetime.fromisoformat(newest.time)
    camera = context().cameras.status_of(table_id)
    saved = SavedOut(
        seq=newest.seq,
        saved=newest.time,
        age=max(0.0, round(age.total_seconds(), 1)),
        fault=None if fault is None else error_text(fault, request_language()),
    )
    return HealthOut(log=saved, camera=camera["state"], worker=camera["worker"])


@blueprint.get("/api/health")
def server_health() -> Response | ServerHealthOut:
    """Return the health of the server, its log, cameras and devices, and current notices. Always responds with 200."""
    log, client = context().store, who()
    fault, written = log.fault(), log.database.written
    answer = ServerHealthOut(status="ok" if fault is None else "fault")
    if not client.paired and context().settings.read == "paired":
        return jsonify(status=answer.status)  # enough for load balancers
    answer.version = version("hanafuda-companion")
    answer.uptime = round(time.monotonic() - _STARTED, 1)
    answer.log = LogHealthOut(
        fault=None if fault is None else fault.reason,
        age=None if written is None else round(time.monotonic() - written, 1),
    )
    notices = current_notices(log, context().notices)
    answer.notices = [NoticeOut(**each.to_dict(request_language())) for each in notices]
    answer.cameras = _camera_states() if client.paired else None
    answer.devices = _device_states() if client.paired else None
    answer.photographs = None if fault is not None else _queue_state(log)
    answer.may_dismiss = client.role == "host"
    return answer


@blueprint.get("/api/ready", refusals={503: "Send requests to another process"})
def readiness() -> tuple[ReadinessOut, int]:
    """Return whether a load balancer should send requests to this process: 200 or 503.

    Not while the log cannot be used, and not from the moment on at which the process begins to end.
    """
    status = context().readiness.check(request.remote_addr or "")
    code = HTTPStatus.OK if status == "ready" else HTTPStatus.SERVICE_UNAVAILABLE
    return ReadinessOut(status=status), code


@blueprint.delete("/api/health/notices/<notice_id>")
def dismiss(notice_id: str) -> None:
    """Dismiss a notice for all users."""
    context().notices.dismiss(notice_id)


def _queue_state(log: Store) -> PhotographsHealthOut | None:
    """Return how many photographs and scan workers there are; None without a queue, and while it cannot be read."""
    if (queue := log.scan_queue) is None:
        return None
    try:
        return PhotographsHealthOut(waiting=queue.waiting(), workers=queue.workers())
    except LogReadError:
        return None


def _camera_states() -> list[CameraHealthOut]:
    return [
        CameraHealthOut(table=table, **each) for table, each in sorted(camera_summaries(context()).items())
    ]


def _device_states() -> list[DeviceHealthOut]:
    devices, states = context().devices, []
    for device in devices.all:
        report = devices.report_of(device.name)
        status = report.status if report is not None and devices.running else None
        states.append(
            DeviceHealthOut(
                name=device.name,
                state="off" if not device.on else "unknown" if status is None else status.state,
                last_seen=None if status is None else status.last_seen_s,
                fault=status.fault.code if status and status.fault else None,
            )
        )
    return states
