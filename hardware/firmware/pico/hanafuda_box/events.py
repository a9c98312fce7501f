"""What the box has to tell: one event at a time, again and again until the host confirms it."""

from .lines import line_of

_AGAIN_MS = 100
_WAITING = 32
_NUMBERS = 999


class Events:
    """The events that the host has not confirmed, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._number = 0
        self._last = 0
        self._sent_at: int | None = None
        self.open = False
        """Whether the host knows which box this is since when: before, it would take number 1 for what it has had."""

    def tell(self, word: str, *args: object) -> None:
        """Put an event behind the others; of too many the oldest is given up."""
        self._last = self._last % _NUMBERS + 1
        self._waiting.append(line_of(self._last, word, *args))
        if len(self._waiting) > _WAITING:
            self._waiting.pop(0)
            self._sent_at = None

    def none(self) -> bool:
        """Return whether the host has had them all."""
        return not self._waiting

    def confirmed(self, number: bytes) -> None:
        """Take note that a line has arrived."""
        if self._sent_at is not None and self._waiting and self._waiting[0].startswith(number + b" "):
            self._waiting.pop(0)
            self._sent_at = None

    def again(self) -> None:
        """Send what is not confirmed at once: the host has come."""
        self._sent_at = None

    def due(self, now: int) -> bytes:
        """Return the line to send now, or nothing."""
        if (
            not self.open
            or not self._waiting
            or (self._sent_at is not None and now - self._sent_at < _AGAIN_MS)
        ):
            return b""
        self._sent_at = now
        return self._waiting[0]
