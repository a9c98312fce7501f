"""A response that stays open: the server's loop writes its messages, so a silent stream occupies no thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from api.serving.connection import ClientConnection

HEARTBEAT_S: Final = 12.0
"""Maximum silence of a stream, s; then a comment is sent, which also reveals that a phone has left."""
_HEARTBEAT: Final = b": still here\n\n"
_LAST_CHUNK: Final = b"0\r\n\r\n"


class StreamSource(Protocol):
    """The messages of a stream, as the application provides them."""

    def take(self) -> bytes | None:
        """Return the next message, or None if there is none yet; must not block.

        Raises `OverflowError` once after messages were dropped, `EOFError` at the end of the stream.
        """

    def resync(self) -> bytes:
        """Return the message that replaces dropped ones; may block."""

    def on_change(self, notify: Callable[[], None]) -> None:
        """Have ``notify`` called, by any thread, whenever there may be more to take."""

    def close(self) -> None:
        """Release the source; may be called more than once."""


class OpenStream:
    """Writes a source's messages to a connection. Only the loop calls its methods, except `resync`."""

    def __init__(self, channel: ClientConnection, source: StreamSource, *, chunked: bool) -> None:
        self._channel, self._source, self._chunked = channel, source, chunked
        self._written_at = time.monotonic()
        self._resyncing = False
        self._snapshot: bytes | None = None
        source.on_change(channel.wake)

    def send_waiting(self) -> None:
        """Write the waiting messages, as many as the client accepts, or a heartbeat if it is time for one.

        The others wait in the source until the loop can write again. If it has dropped some, a worker gets their replacement.
        """
        channel = self._channel
        while not self._resyncing and channel.has_room:
            try:
                data = self._next()
            except OverflowError:
                self._resyncing = True
                channel.ask_worker()
                return
            except EOFError:
                channel.end_stream(_LAST_CHUNK if self._chunked else b"")
                return
            if data is None:
                return
            self._written_at = time.monotonic()
            channel.write_now(b"%X\r\n%b\r\n" % (len(data), data) if self._chunked else data)

    def is_silent(self, now: float) -> bool:
        """Return whether a heartbeat is due at a time of `time.monotonic`."""
        return now - self._written_at >= HEARTBEAT_S

    def resync(self) -> None:
        """Get the replacement of dropped messages. Called by a worker."""
        self._snapshot = self._source.resync()
        self._resyncing = False

    def close(self) -> None:
        """Release the source."""
        self._source.close()

    def _next(self) -> bytes | None:
        snapshot, self._snapshot = self._snapshot, None
        if snapshot is not None:
            return snapshot
        data = self._source.take()
        if data is None and self.is_silent(time.monotonic()):
            return _HEARTBEAT
        return data
