"""Schemas of the health of the server and of a table; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.schemas import ResponseSchema

__all__ = ["CameraWorkerOut", "HealthOut", "LogHealthOut", "NoticeOut", "ReadinessOut", "ServerHealthOut"]


class CameraWorkerOut(ResponseSchema):
    """The process that watches a table, if the server runs it."""

    state: Annotated[
        Literal["running", "waiting", "ended"], Field(description="`waiting`: it will be restarted.")
    ]
    restarts: int
    code: Annotated[int | None, Field(description="Its last exit code.")]
    again_in: Annotated[float | None, Field(description="Time until its restart, s.")]
    hangs: Annotated[
        int, Field(description="The number of times that it was killed because it stopped reporting.")
    ]


class SavedOut(ResponseSchema):
    """The state of the log for one table."""

    seq: Annotated[int, Field(description="The newest stored event of the table.")]
    saved: Annotated[str, Field(description="When it was stored.")]
    age: Annotated[float, Field(description="Time since then, s.")]
    fault: Annotated[
        str | None,
        Field(description="Why nothing can be stored; null if it can. Checked at most every 5 s."),
    ]


class HealthOut(ResponseSchema):
    """The health of a table: its log, camera, and worker process."""

    log: SavedOut
    camera: Annotated[str, Field(description="Its state, as in `GET /api/tables/{id}/camera`.")]
    worker: CameraWorkerOut | None


class ReadinessOut(ResponseSchema):
    """Whether a load balancer should send requests to this process."""

    status: Annotated[
        Literal["ready", "draining", "fault"],
        Field(description="`draining`: the process is ending; `fault`: its log cannot be used."),
    ]


class LogHealthOut(ResponseSchema):
    """Whether the log is writable."""

    fault: Annotated[
        str | None,
        Field(
            description="Why not: busy, damaged, failed, full, read-only or replaced. Null: it is writable."
        ),
    ]
    age: Annotated[float | None, Field(description="Time since the last write, s; null: none yet.")]


class NoticeOut(ResponseSchema):
    """A notice about the log for all users; ``message`` is in the language of the request."""

    id: Annotated[str | None, Field(description="The id for dismissing it; null while its cause persists.")]
    code: str
    params: dict[str, Any]
    time: str | None
    message: str


class CameraHealthOut(ResponseSchema):
    """The health of one table's camera."""

    table: str
    state: str
    age: Annotated[float | None, Field(description="Time since its last report, s.")]
    frame_age: Annotated[float | None, Field(description="Age of its newest frame, s.")]
    worker: CameraWorkerOut | None


class DeviceHealthOut(ResponseSchema):
    """The health of one device."""

    name: str
    state: Annotated[
        str, Field(description="`off`, `unknown` (nothing reports), or what the driver reports.")
    ]
    last_seen: Annotated[float | None, Field(description="Time since its last data, s.")]
    fault: Annotated[str | None, Field(description="A stable code for the fault.")]


class PhotographsHealthOut(ResponseSchema):
    """The photographs that wait to be read by scan workers, on all machines."""

    waiting: int
    workers: Annotated[
        int,
        Field(
            description="The number of scan workers that run. While it is 0, the photographs are only kept."
        ),
    ]


class ServerHealthOut(ResponseSchema):
    """The health of the server and its log. Unpaired phones get only `status` if reading is restricted."""

    status: Literal["ok", "fault"]
    version: str | None = None
    uptime: Annotated[float | None, Field(description="Time since the program was started, s.")] = None
    log: LogHealthOut | None = None
    notices: list[NoticeOut] | None = None
    cameras: Annotated[
        list[CameraHealthOut] | None, Field(description="Only for paired phones and machines.")
    ] = None
    devices: Annotated[
        list[DeviceHealthOut] | None, Field(description="Only for paired phones and machines.")
    ] = None
    photographs: Annotated[
        PhotographsHealthOut | None, Field(description="Null if the server reads all photographs itself.")
    ] = None
    may_dismiss: Annotated[bool | None, Field(description="Whether the sender may dismiss notices.")] = None
