"""Responses with stored pictures."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from flask import Response, request, send_file

from api.pictures.service import Pictures
from companion.store.pictures import PictureStore

_YEAR_S: Final = 365 * 24 * 3600


def stored_picture(
    pictures: Pictures, store: PictureStore, sha256: str, media_type: str, width: str | None
) -> Response | None:
    """Return a response with a stored picture, or an upright JPEG at most ``width`` px wide; None if there is no such picture.

    The response is cacheable, as neither ever changes.
    """
    etag = f"{sha256}-{width or 'stored'}"
    if width is None:
        if (data := store.read(sha256, media_type)) is None:
            return None
        response = send_file(BytesIO(data), mimetype=media_type, etag=etag)
    else:
        if store.media_type(sha256) != media_type:
            return None
        thumbnail = pictures.thumbnail(lambda: store.read(sha256, media_type) or b"", sha256, int(width))
        response = Response(thumbnail, mimetype="image/jpeg")
        response.set_etag(etag)
        response.make_conditional(request)
    response.headers["Cache-Control"] = f"private, max-age={_YEAR_S}, immutable"
    return response
