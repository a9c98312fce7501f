"""What limits, turns and streams need of a client's connection; `api.serving.channel.Channel` is one."""

from __future__ import annotations

from typing import Protocol


class ClientConnection(Protocol):
    """A client's connection. Only the server's loop calls its methods, except `wake`."""

    client: str
    """The key of the client (`companion.net.addresses.client_key`)."""
    places: int
    """How many of its requests are among the unpaired ones being handled."""
    waiting_since: float
    """Since when it has waited for its client, s on the monotonic clock."""

    @property
    def has_priority(self) -> bool:
        """Whether its requests have priority."""

    @property
    def eviction_rank(self) -> int | None:
        """The order in which connections are closed if there is no room; None while it does not wait for its client."""

    @property
    def has_room(self) -> bool:
        """Whether more can be written now."""

    def handle_close(self) -> None:
        """Close it."""

    def wake(self) -> None:
        """Have the loop look at it; callable from any thread."""

    def ask_worker(self) -> None:
        """Have a worker thread call `OpenStream.resync`."""

    def write_now(self, data: bytes) -> None:
        """Send data."""

    def end_stream(self, last: bytes) -> None:
        """Send the end of the stream."""
