"""Whether what happens at a table is really kept, and watched: asked of the log on the disk, not of what is in memory."""

from __future__ import annotations

from datetime import UTC, datetime

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.context import context
from api.table_schemas import HealthOut

__all__ = ["blueprint"]

blueprint = APIBlueprint("health", __name__, tag="Tables")


@blueprint.get("/api/tables/<table_id>/health")
@blueprint.output(HealthOut)
@blueprint.doc(responses={404: "No such table"})
def health(table_id: str) -> Response:
    """Tell what of a table the log has, whether it can be written, and how the camera and its worker are."""
    log = context().log
    newest, fault = log.tables.newest(table_id), log.fault()
    age = datetime.now(UTC) - datetime.fromisoformat(newest.time)
    camera = context().cameras.told(table_id)
    response = jsonify(
        log={
            "seq": newest.seq,
            "saved": newest.time,
            "age": round(age.total_seconds(), 1),
            "trouble": None if fault is None else str(fault),
        },
        camera=camera["state"],
        worker=camera["worker"],
    )
    response.headers["Cache-Control"] = "no-store"
    return response
