"""Phones as cameras: the newest picture of each table's phone, passed on as motion JPEG to the process that watches the table."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from api.live.cameras import SILENT_S
from api.live.streams import MessageStream
from companion.hanafuda.errors import ConflictError, NotFoundError
from companion.hanafuda.messages import Message

PHONE: Final = "phone"
"""The `source` of the camera's status if it is a phone."""
BOUNDARY: Final = "frame"
"""The boundary of the multipart response."""
LEFT_S: Final = 120.0
"""A phone that has sent nothing for this long, s, has left: the process that watches it is ended. It takes a few seconds to start again
when the phone comes back, so after a longer call nothing else is lost."""


def camera_watches() -> ConflictError:
    """Return the error for a second camera at a table."""
    return ConflictError("camera-watches", Message("problem-camera-watches"))


def no_picture() -> NotFoundError:
    """Return the error for a table whose camera has sent no picture."""
    return NotFoundError("no-picture-yet", Message("problem-no-picture-yet"))


class PhoneVideo(MessageStream):
    """The pictures of a phone as motion JPEG; the newest one wins."""

    def __init__(self, newest: bytes | None) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._next: bytes | None = newest
        self._ended = False

    def put(self, jpeg: bytes) -> None:
        """Pass on a picture, which replaces one that was not taken yet."""
        with self._lock:
            self._next = jpeg
        self._notify()

    def take(self) -> bytes | None:
        """Return the newest picture with its header, or None if it was taken already. Raises `EOFError` at the end."""
        with self._lock:
            if self._ended:
                raise EOFError
            jpeg, self._next = self._next, None
        if jpeg is None:
            return None
        head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
        return head.encode() + jpeg + b"\r\n"

    def close(self) -> None:
        """End the stream; may be called more than once."""
        self._ended = True
        self._notify()


def _dismiss_nobody() -> None:
    """End no process: none was started here."""


@dataclass(slots=True)
class _Phone:
    """The phone that is the camera of a table."""

    sender: str | None
    """The id of its pairing."""
    heard_at: float
    """s on the clock."""
    newest: bytes | None = None
    """Its newest picture, JPEG."""
    video: PhoneVideo | None = None
    """The stream of the process that watches the table."""
    dismiss: Callable[[], None] = _dismiss_nobody
    """Ends that process if it was started here."""


class PhoneCameras:
    """The phones that are cameras, by the id of their table. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.watch: Callable[[str], Callable[[], None]] = lambda _: lambda: None
        """Starts a process that watches a table, given by id, and returns what ends it; called at the first picture. Set by the program
        that runs the server."""
        self._lock = threading.Lock()
        self._phones: dict[str, _Phone] = {}

    def receive(self, table_id: str, sender: str | None, jpeg: bytes | None) -> bool:
        """Pass on a picture of a table, None for the last one again; return whether there was one before.

        Raises `ConflictError` if another phone than ``sender`` (the id of its pairing) is the table's camera.
        """
        now = self._clock()
        with self._lock:
            phone = self._phones.setdefault(table_id, _Phone(sender, now))
            if phone.sender != sender and now - phone.heard_at <= SILENT_S:
                raise camera_watches()
            phone.sender, phone.heard_at = sender, now
            known = phone.newest is not None
            phone.newest = jpeg or phone.newest
            video, newest = phone.video, phone.newest
        if not known and jpeg is not None:
            phone.dismiss = self.watch(table_id)
        if video is not None and newest is not None:
            video.put(newest)
        return known

    def video(self, table_id: str, *, elsewhere: bool = False) -> PhoneVideo:
        """Return the pictures of a table's phone from the newest one on, or the next one if the phone is silent; a stream that was
        returned before ends. ``elsewhere``: for a process that was not started here, which takes the place of the one that was.

        Raises `NotFoundError` before there is one.
        """
        now = self._clock()
        dismiss = _dismiss_nobody
        with self._lock:
            phone = self._phones.get(table_id)
            if phone is None or phone.newest is None:
                raise no_picture()
            if elsewhere:
                dismiss, phone.dismiss = phone.dismiss, _dismiss_nobody
            is_silent = now - phone.heard_at > SILENT_S
            before, phone.video = phone.video, PhoneVideo(None if is_silent else phone.newest)
            video = phone.video
        dismiss()
        if before is not None:
            before.close()
        return video

    def move(self, table_id: str, following: str) -> None:
        """Go on with the pictures at the next table."""
        with self._lock:
            if table_id in self._phones:
                self._phones[following] = self._phones.pop(table_id)

    def dismiss_left(self) -> None:
        """End what watches the phones that have left; when one comes back, its next picture is a first one."""
        now = self._clock()
        with self._lock:
            left = {name: each for name, each in self._phones.items() if now - each.heard_at > LEFT_S}
            for name in left:
                del self._phones[name]
        for each in left.values():
            each.dismiss()
            if each.video is not None:
                each.video.close()

    def close(self) -> None:
        """End all streams."""
        with self._lock:
            videos = [each.video for each in self._phones.values() if each.video is not None]
        for each in videos:
            each.close()
