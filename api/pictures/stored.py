"""Responses with stored pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flask import Response, request, send_file

from api.pictures.service import Pictures

_YEAR_S: Final = 365 * 24 * 3600


def stored_picture(
    pictures: Pictures, path: Path, media_type: str, sha256: str, width: str | None
) -> Response:
    """Return a response with a stored picture, or an upright JPEG at most ``width`` px wide; cacheable, as neither ever changes."""
    etag = f"{sha256}-{width or 'stored'}"
    if width is None:
        response = send_file(path, mimetype=media_type, etag=etag)
    else:
        response = Response(pictures.thumbnail(path, sha256, int(width)), mimetype="image/jpeg")
        response.set_etag(etag)
        response.make_conditional(request)
    response.headers["Cache-Control"] = f"private, max-age={_YEAR_S}, immutable"
    return response
