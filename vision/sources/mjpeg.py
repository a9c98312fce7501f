"""Motion JPEG over HTTP, as phones and small cameras send it: JPEG after JPEG in one answer that never ends.

Read here and not by OpenCV, which decodes every frame whole, wanted or not: at 1080p and 30 frames/s a third of a core.
"""

from __future__ import annotations

from base64 import b64encode
from http.client import HTTPException, HTTPResponse
from typing import Final
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from vision.sources.frames import SourceError

__all__ = ["MotionJpeg", "no_pictures", "open_motion_jpeg", "without_password"]

#: How long the camera may take to answer, and to send on, s.
_PATIENCE_S: Final = 5.0
_MOST_BYTES: Final = 20 * 2**20
_BEGIN, _END = b"\xff\xd8\xff", b"\xff\xd9"
#: What follows a JPEG: the next boundary, or zeros that fill up. A thumbnail inside it ends with the same mark, but not so.
_AFTER: Final = frozenset((b"\r\n", b"--", b"\n-", b"\0\0"))
#: The mark and what follows it may come in two pieces.
_TAIL: Final = 4


class MotionJpeg:
    """An opened answer of JPEGs; a `vision.sources.live.Capture`."""

    def __init__(self, answer: HTTPResponse) -> None:
        self._answer = answer
        self._left = b""
        self._jpeg = b""

    def grab(self) -> bool:
        """Read on to the end of the next JPEG; False at the end of the stream, `OSError` where it stalls."""
        begin, searched = -1, 0
        while True:
            if begin < 0 and (begin := self._left.find(_BEGIN)) < 0:
                self._left = self._left[-2:]
            elif begin >= 0 and (end := self._end(max(begin + 3, searched - _TAIL))) >= 0:
                self._jpeg, self._left = self._left[begin:end], self._left[end:]
                return True
            searched = len(self._left)
            more = self._answer.read1(1 << 16)
            if not more:
                return False
            self._left += more
            if len(self._left) > _MOST_BYTES:
                raise SourceError(f"a frame of more than {_MOST_BYTES // 2**20} MB is no camera's")

    def _end(self, begin: int) -> int:
        """Return where the JPEG ends, looking from ``begin`` on; -1 where that has not come yet."""
        while (mark := self._left.find(_END, begin)) >= 0:
            rest = self._left[mark + 2 : mark + 4]
            if len(rest) < 2:
                return -1
            if rest in _AFTER:
                return mark + 2
            begin = mark + 2
        return -1

    def retrieve(self) -> bytes:
        """Return the JPEG that was read last."""
        return self._jpeg

    def release(self) -> None:
        """Close the connection."""
        self._answer.close()


def open_motion_jpeg(url: str) -> MotionJpeg | None:
    """Return the JPEGs at an address (``http://name:password@...`` too); None where something else is there, `SourceError` where nothing
    answers.
    """
    place = urlsplit(url)
    request = Request(urlunsplit(place._replace(netloc=place.netloc.rpartition("@")[2])))
    if place.username is not None:
        told = f"{unquote(place.username)}:{unquote(place.password or '')}"
        request.add_header("Authorization", f"Basic {b64encode(told.encode()).decode()}")
    try:
        answer: HTTPResponse = urlopen(request, timeout=_PATIENCE_S)
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise no_pictures(url, str(getattr(error, "reason", None) or error)) from None
    if answer.headers.get_content_maintype() == "multipart":
        return MotionJpeg(answer)
    answer.close()
    return None


def no_pictures(url: str, why: str | None = None) -> SourceError:
    """Return the error that tells that an address gives no pictures."""
    seen = f"no pictures come from {without_password(url)}" + (f" ({why})" if why else "")
    return SourceError(
        f"{seen}: is the address right, the camera or the phone's app running, and in the same network?"
    )


def without_password(url: str) -> str:
    """Return an address as it may be shown."""
    place = urlsplit(url)
    return urlunsplit(place._replace(netloc=place.netloc.rpartition("@")[2]))
