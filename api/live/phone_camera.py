"""Phones as cameras: the newest picture of each table's phone, passed on as motion JPEG to the process that watches the table."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from api.live.cameras import SILENT_S
from companion.hanafuda.errors import ConflictError, NotFoundError
from companion.hanafuda.messages import Message

PHONE: Final = "phone"
"""The `source` of the camera's status if it is a phone."""
BOUNDARY: Final = "frame"
"""The boundary of the multipart response."""


def camera_watches() -> ConflictError:
    """Return the error for a second camera at a table."""
    return ConflictError("camera-watches", Message("problem-camera-watches"))


def no_picture() -> NotFoundError:
    """Return the error for a table whose camera has sent no picture."""
    return NotFoundError("no-picture-yet", Message("problem-no-picture-yet"))


class PhoneVideo:
    """The pictures of a phone as the messages of a stream (`api.serving.connection.StreamSource`); the newest one wins.

    Iterating blocks until the next picture; it is for servers that cannot keep a response open without a thread, as Flask's test client.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: bytes | None = None
        self._taken = False
        self._ended = False
        self._notify: Callable[[], None] = lambda: None

    def put(self, jpeg: bytes | None) -> None:
        """Pass on a picture; None: the last one again, because nothing has changed in it."""
        with self._lock:
            if jpeg is not None:
                self._newest = jpeg
            self._taken = False
        self._notify()

    def on_change(self, notify: Callable[[], None]) -> None:
        """Have ``notify`` called, by any thread, whenever there may be more to take."""
        self._notify = notify

    def take(self) -> bytes | None:
        """Return the newest picture with its header, or None if it was taken already. Raises `EOFError` at the end."""
        with self._lock:
            if self._ended:
                raise EOFError
            if self._newest is None or self._taken:
                return None
            self._taken = True
            head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(self._newest)}\r\n\r\n"
            return head.encode() + self._newest + b"\r\n"

    def resync(self) -> bytes:
        """Return nothing: no picture is ever missing, because only the newest one counts."""
        return b""

    def close(self) -> None:
        """End the stream; may be called more than once."""
        self._ended = True
        self._notify()

    def __iter__(self) -> Iterator[bytes]:
        changed = threading.Event()
        self.on_change(changed.set)
        while True:
            changed.clear()
            try:
                data = self.take()
            except EOFError:
                return
            if data is None:
                changed.wait()
            else:
                yield data


class PhoneCameras:
    """The phones that are cameras, and the streams of those who watch their tables. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.watch: Callable[[str], None] = lambda _: None
        """Starts to watch a table; called with its id at the first picture. Set by the program that runs the server."""
        self._lock = threading.Lock()
        self._newest: dict[str, bytes] = {}
        self._senders: dict[str, tuple[str | None, float]] = {}
        """The phone of each table, and when it was last heard, s on the clock."""
        self._videos: dict[str, PhoneVideo] = {}

    def receive(self, table_id: str, sender: str | None, jpeg: bytes | None) -> bool:
        """Pass on a picture of a table, None for the last one again; return whether there was one before.

        Raises `ConflictError` if another phone than ``sender`` (the id of its pairing) is the table's camera.
        """
        now = self._clock()
        with self._lock:
            camera, heard_at = self._senders.get(table_id, (sender, now))
            if camera != sender and now - heard_at <= SILENT_S:
                raise camera_watches()
            self._senders[table_id] = sender, now
            known = table_id in self._newest
            if jpeg is not None:
                self._newest[table_id] = jpeg
            video = self._videos.get(table_id)
        if not known and jpeg is not None:
            self.watch(table_id)
        if video is not None:
            video.put(jpeg)
        return known

    def video(self, table_id: str) -> PhoneVideo:
        """Return the pictures of a table's phone from the newest one on; a stream that was returned before ends.

        Raises `NotFoundError` before there is one.
        """
        video = PhoneVideo()
        with self._lock:
            if table_id not in self._newest:
                raise no_picture()
            video.put(self._newest[table_id])
            before, self._videos[table_id] = self._videos.get(table_id), video
        if before is not None:
            before.close()
        return video

    def move(self, table_id: str, following: str) -> None:
        """Go on with the pictures at the next table."""
        with self._lock:
            if table_id in self._newest:
                self._newest[following] = self._newest.pop(table_id)
            if table_id in self._senders:
                self._senders[following] = self._senders.pop(table_id)
            if table_id in self._videos:
                self._videos[following] = self._videos.pop(table_id)

    def close(self) -> None:
        """End all streams."""
        with self._lock:
            videos = list(self._videos.values())
        for each in videos:
            each.close()
