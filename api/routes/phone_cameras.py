"""A phone as the camera of a table: its pictures, and their stream for the process that watches the table."""

from __future__ import annotations

import json
from typing import Annotated

from apiflask.fields import UploadFile
from flask import Response, request
from pydantic import Field

from api.access.who import who
from api.context import context
from api.live.cameras import WATCHING
from api.live.phone_camera import BOUNDARY, PHONE, camera_watches, no_picture
from api.models.base import Strict
from api.routes.cameras import CameraOut, jpeg_of
from api.routes.tables import json_response
from api.routing import MediaType, Routes
from api.serving.connection import CONNECTION


class FrameIn(Strict):
    """A picture of a phone that is the camera of a table."""

    frame: Annotated[
        UploadFile | None,
        Field(description="The picture, JPEG of at most 4 MB; left out if nothing in it has changed."),
    ] = None


blueprint = Routes("phone_cameras", __name__, tag="Cameras")


@blueprint.post(
    "/api/tables/<table_id>/camera/frame",
    refusals={404: "No picture was sent before: send one", 409: "Another camera watches this table"},
)
def frame(table_id: str, files_data: FrameIn) -> Annotated[Response, CameraOut]:
    """Send the newest picture of a phone that is the table's camera, and return the camera's status. The first one starts to watch the table.

    It is passed on to the process that watches the table, and replaced by the next one; nothing of it is stored here.
    """
    table_id = context().tables.newest(table_id)
    jpeg = jpeg_of(files_data.frame)
    status = context().cameras.status_of(table_id)
    if status["state"] in WATCHING and status["source"] != PHONE:
        raise camera_watches()
    if not context().phone_cameras.receive(table_id, who().id, jpeg) and jpeg is None:
        raise no_picture()
    return json_response(json.dumps(status))


@blueprint.get("/api/tables/<table_id>/camera/video")
def video(table_id: str) -> Annotated[Response, MediaType("multipart/x-mixed-replace", "Motion JPEG")]:
    """Return the pictures of the phone that is the table's camera as motion JPEG, for the process that watches the table.

    One that this server did not start takes the place of the one that it did.
    """
    table_id = context().tables.newest(table_id)
    mimetype = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
    if request.method == "HEAD":
        return Response(content_type=mimetype)
    client = who()
    is_own = client.paired and client.expires is None
    pictures = context().phone_cameras.video(table_id, elsewhere=not is_own)
    connection = request.environ.get(CONNECTION)  # absent in Flask's test client
    if connection is None:
        return Response(pictures, content_type=mimetype)
    connection.keep_open(pictures)
    return Response(iter([b""]), content_type=mimetype)  # without a length
