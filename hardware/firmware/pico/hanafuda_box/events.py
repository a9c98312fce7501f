"""The queue of events for the host: one event at a time is sent, and repeated until the host confirms it."""

from .lines import line_of

#: Interval at which an unconfirmed event is repeated, ms.
_REPEAT_MS = 100
_MAX_EVENTS = 32
#: Events are numbered from 1 to this, then from 1 again.
_MAX_NUMBER = 999


class Events:
    """The unconfirmed events, oldest first."""

    def __init__(self) -> None:
        self._unconfirmed: list[bytes] = []
        self._last = 0
        self._sent_at: int | None = None
        self.open = False
        """Whether the host has confirmed the banner of this start: before, it could take event 1 for one that it already has."""

    def send(self, word: str, *args: object) -> None:
        """Append an event; if there are too many, the oldest is dropped."""
        self._last = self._last % _MAX_NUMBER + 1
        self._unconfirmed.append(line_of(self._last, word, *args))
        if len(self._unconfirmed) > _MAX_EVENTS:
            self._unconfirmed.pop(0)
            self._sent_at = None

    def none(self) -> bool:
        """Return whether all events are confirmed."""
        return not self._unconfirmed

    def confirmed(self, number: bytes) -> None:
        """Remove the oldest event if it was sent and has this number."""
        if self._sent_at is not None and self._unconfirmed and self._unconfirmed[0].startswith(number + b" "):
            self._unconfirmed.pop(0)
            self._sent_at = None

    def again(self) -> None:
        """Send the oldest event again without waiting, after the host has connected."""
        self._sent_at = None

    def due(self, now: int) -> bytes:
        """Return the line to send now, empty if there is none."""
        if (
            not self.open
            or not self._unconfirmed
            or (self._sent_at is not None and now - self._sent_at < _REPEAT_MS)
        ):
            return b""
        self._sent_at = now
        return self._unconfirmed[0]
