"""Schemas of the health of the server and of a table; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.schemas import ResponseSchema

__all__ = ["CameraWorkerOut", "HealthOut", "LogHealthOut", "NoticeOut", "ServerHealthOut"]


class CameraWorkerOut(ResponseSchema):
    """The process that watches a table, if the server runs it."""

    state: Annotated[
        Literal["running", "waiting", "ended"], Field(description="`waiting`: to be started again.")
    ]
    restarts: int
    code: Annotated[int | None, Field(description="What it ended with last.")]
    again_in: Annotated[float | None, Field(description="When it will be started again, s.")]
    hangs: Annotated[int, Field(description="How often it was killed because it stopped reporting.")]


class SavedOut(ResponseSchema):
    """The state of the log for one table."""

    seq: Annotated[int, Field(description="The newest event of the table that is on the disk.")]
    saved: Annotated[str, Field(description="When that was stored.")]
    age: Annotated[float, Field(description="Since then, s.")]
    fault: Annotated[
        str | None,
        Field(description="Why nothing can be stored, null where it can; tried, at most every 5 s."),
    ]


class HealthOut(ResponseSchema):
    """The health of a table: its log, camera, and worker process."""

    log: SavedOut
    camera: Annotated[str, Field(description="Its state, as `GET /api/tables/{id}/camera` tells it.")]
    worker: CameraWorkerOut | None


class LogHealthOut(ResponseSchema):
    """Whether the log is writable."""

    fault: Annotated[
        str | None,
        Field(description="Why not: busy, damaged, failed, full, read-only or replaced. Null: it can."),
    ]
    age: Annotated[float | None, Field(description="Since something was written last, s; null: not yet.")]


class NoticeOut(ResponseSchema):
    """A notice about the log for all users; ``message`` is in the language of the request."""

    id: Annotated[str | None, Field(description="What a host dismisses it by; null while its cause lasts.")]
    code: str
    params: dict[str, Any]
    time: str | None
    message: str


class CameraHealthOut(ResponseSchema):
    """The health of one table's camera."""

    table: str
    state: str
    age: Annotated[float | None, Field(description="Since it reported, s.")]
    frame_age: Annotated[float | None, Field(description="Age of its newest frame, s.")]
    worker: CameraWorkerOut | None


class DeviceHealthOut(ResponseSchema):
    """The health of one device."""

    name: str
    state: Annotated[
        str, Field(description="`off`, `unknown` (nothing reports), or what the driver reports.")
    ]
    last_seen: Annotated[float | None, Field(description="Since something came from it, s.")]
    fault: Annotated[str | None, Field(description="A stable word for what is wrong.")]


class ServerHealthOut(ResponseSchema):
    """The health of the server and its log. Unpaired phones get only `status` if reading is restricted."""

    status: Literal["ok", "fault"]
    version: str | None = None
    uptime: Annotated[float | None, Field(description="Since the program was started, s.")] = None
    log: LogHealthOut | None = None
    notices: list[NoticeOut] | None = None
    cameras: Annotated[
        list[CameraHealthOut] | None, Field(description="Only for paired phones and machines.")
    ] = None
    devices: Annotated[
        list[DeviceHealthOut] | None, Field(description="Only for paired phones and machines.")
    ] = None
    may_dismiss: Annotated[bool | None, Field(description="Whether you may dismiss notices.")] = None
