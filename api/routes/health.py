"""Health checks: whether the log can be written and the cameras and devices work. They check the disk, not the cache."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from typing import Annotated, Any, Final, Literal

from flask import Response, jsonify, request
from pydantic import Field

from api.access.who import who
from api.context import camera_summaries, context
from api.languages import request_language
from api.models.base import Answer, CameraWorkerOut
from api.monitoring.background import current_notices
from api.routing import Routes
from companion.messages import error_text
from companion.store import LogReadError
from companion.store.store import Store

_STARTED: Final = time.monotonic()


class SavedOut(Answer):
    """The state of the log for one table."""

    seq: Annotated[int, Field(description="The newest stored event of the table.")]
    saved: Annotated[str, Field(description="When it was stored.")]
    age: Annotated[float, Field(description="Time since then, s.")]
    fault: Annotated[str | None, Field(description="Why nothing can be stored, checked at most every 5 s.")]


class HealthOut(Answer):
    """The health of a table: its log, camera, and worker process."""

    log: SavedOut
    camera: Annotated[str, Field(description="Its state, as in `GET /api/tables/{id}/camera`.")]
    worker: CameraWorkerOut | None


class ReadinessOut(Answer):
    """Whether a load balancer should send requests to this process."""

    status: Annotated[
        Literal["ready", "draining", "fault"],
        Field(description="`draining`: the process is ending; `fault`: its log cannot be used."),
    ]


class LogHealthOut(Answer):
    """Whether the log is writable."""

    fault: Annotated[
        str | None,
        Field(
            description="Why not: busy, damaged, failed, full, read-only or replaced. Null: it is writable."
        ),
    ]
    age: Annotated[float | None, Field(description="Time since the last write, s; null: none yet.")]


class NoticeOut(Answer):
    """A notice about the log for all users; ``message`` is in the language of the request."""

    id: Annotated[str | None, Field(description="The id for dismissing it; null while its cause persists.")]
    code: str
    params: dict[str, Any]
    time: str | None
    message: str


class CameraHealthOut(Answer):
    """The health of one table's camera."""

    table: str
    state: str
    age: Annotated[float | None, Field(description="Time since its last report, s.")]
    frame_age: Annotated[float | None, Field(description="Age of its newest frame, s.")]
    worker: CameraWorkerOut | None


class DeviceHealthOut(Answer):
    """The health of one device."""

    name: str
    state: Annotated[str, Field(description="`off`, `unknown` (no report), or what the driver reports.")]
    last_seen: Annotated[float | None, Field(description="Time since its last data, s.")]
    fault: Annotated[str | None, Field(description="A stable code for the fault.")]


class PhotographsHealthOut(Answer):
    """The photographs that wait to be read by scan workers, on all machines."""

    waiting: int
    workers: Annotated[
        int,
        Field(
            description="The number of scan workers that run. While it is 0, the photographs are only kept."
        ),
    ]


class ServerHealthOut(Answer):
    """The health of the server and its log. Unpaired phones get only `status` if reading is restricted."""

    status: Literal["ok", "fault"]
    version: str | None = None
    uptime: Annotated[float | None, Field(description="Time since the program was started, s.")] = None
    log: LogHealthOut | None = None
    notices: list[NoticeOut] | None = None
    cameras: Annotated[list[CameraHealthOut] | None, Field(description="Only for paired senders.")] = None
    devices: Annotated[list[DeviceHealthOut] | None, Field(description="Only for paired senders.")] = None
    photographs: Annotated[
        PhotographsHealthOut | None, Field(description="Null if the server reads all photographs itself.")
    ] = None
    may_dismiss: Annotated[bool | None, Field(description="Whether the sender may dismiss notices.")] = None


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
