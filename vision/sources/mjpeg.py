"""Motion JPEG over HTTP, as phone apps and small cameras send it: one JPEG after another in an endless response.

OpenCV would decode every frame at full size, a third of a core at 1080p and 30 frames/s; here frames stay undecoded.
"""

from __future__ import annotations

from base64 import b64encode
from http.client import HTTPException, HTTPResponse
from typing import Final
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from companion.redaction import redacted
from vision.sources.frames import SourceError

#: Timeout for the response and for each read, s.
_TIMEOUT_S: Final = 5.0
_MAX_FRAME_BYTES: Final = 20 * 2**20
_START, _END = b"\xff\xd8\xff", b"\xff\xd9"
#: Bytes that follow a complete JPEG: the next boundary or padding. The end mark of an embedded thumbnail is not followed by these.
_AFTER_FRAME: Final = frozenset((b"\r\n", b"--", b"\n-", b"\0\0"))
#: Bytes of end mark and follow-up that may be split between two reads.
_OVERLAP: Final = 4


class MotionJpegCapture:
    """An open motion JPEG response; implements `vision.sources.live_source.Capture`."""

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        self._buffer = b""
        self._jpeg = b""

    def grab(self) -> bool:
        """Read up to the end of the next JPEG; return False at the end of the stream. Raises `OSError` on a timeout."""
        start, searched = -1, 0
        while True:
            if start < 0 and (start := self._buffer.find(_START)) < 0:
                self._buffer = self._buffer[-2:]
            elif start >= 0 and (end := self._find_end(max(start + 3, searched - _OVERLAP))) >= 0:
                self._jpeg, self._buffer = self._buffer[start:end], self._buffer[end:]
                return True
            searched = len(self._buffer)
            data = self._response.read1(1 << 16)
            if not data:
                return False
            self._buffer += data
            if len(self._buffer) > _MAX_FRAME_BYTES:
                raise SourceError(f"the camera sent a frame larger than {_MAX_FRAME_BYTES // 2**20} MB")

    def _find_end(self, start: int) -> int:
        """Return the index after the JPEG's end mark, searched from ``start``; -1 if it has not arrived yet."""
        while (mark := self._buffer.find(_END, start)) >= 0:
            following = self._buffer[mark + 2 : mark + 4]
            if len(following) < 2:
                return -1
            if following in _AFTER_FRAME:
                return mark + 2
            start = mark + 2
        return -1

    def retrieve(self) -> bytes:
        """Return the JPEG that was grabbed last."""
        return self._jpeg

    def release(self) -> None:
        """Close the connection."""
        self._response.close()


def open_motion_jpeg(url: str, token: str | None = None) -> MotionJpegCapture | None:
    """Open a motion JPEG stream (``http://name:password@...`` is supported); return None if the response is something else.

    ``token`` is sent as a bearer token. Raises `SourceError` if there is no response.
    """
    parts = urlsplit(url)
    request = Request(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))
    if parts.username is not None:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        request.add_header("Authorization", f"Basic {b64encode(credentials.encode()).decode()}")
    elif token is not None:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        response: HTTPResponse = urlopen(request, timeout=_TIMEOUT_S)
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise no_stream_error(url, str(getattr(error, "reason", None) or error)) from None
    if response.headers.get_content_maintype() == "multipart":
        return MotionJpegCapture(response)
    response.close()
    return None


def no_stream_error(url: str, reason: str | None = None) -> SourceError:
    """Return the error for an address that delivers no pictures."""
    problem = f"no pictures arrive from {redacted(url)}" + (f" ({reason})" if reason else "")
    return SourceError(
        f"{problem}: check the address, that the camera or the phone's app is running, and that it is in the same network"
    )
