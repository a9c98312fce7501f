"""The base class of simulated devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from companion.hanafuda.errors import BadRequestError, quote


class SimulatedDevice:
    """A simulated device without a port. All times are in s."""

    actions: ClassVar[Mapping[str, str]] = {}
    """The actions of a user: the form of the command, and a description."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        """Received bytes that are not processed yet."""
        self._pending_output = b""
        """Bytes that `tick` sends."""

    def plugged(self, now: float) -> bytes:
        """Start after power-up, without buffered bytes; return the bytes that the device sends."""
        self._buffer.clear()
        return b""

    def feed(self, data: bytes, now: float) -> bytes:
        """Process bytes from the host; return the answer."""
        return b""

    def tick(self, now: float) -> bytes:
        """Return the bytes that the device sends unasked by ``now``; called about fifty times per second."""
        output, self._pending_output = self._pending_output, b""
        return output

    def act(self, *words: str) -> None:
        """Carry out an action in one of the forms in `actions`. Raises `BadRequestError` for any other."""
        raise BadRequestError(
            f"this device does not support {quote(' '.join(words))}; it supports: {', '.join(self.actions) or '-'}"
        )

    def shows(self) -> tuple[str, ...]:
        """Return the rows on its display; empty if it has none."""
        return ()
