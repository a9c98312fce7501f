"""The base class of simulated devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from companion.hanafuda.errors import BadRequestError, quote

__all__ = ["SimulatedDevice"]


class SimulatedDevice:
    """A simulated device without a port. All times are in s."""

    actions: ClassVar[Mapping[str, str]] = {}
    """The actions of a user: the form of the command, and a description."""

    def plugged(self, now: float) -> bytes:
        """Start after power-up; return the bytes that the device sends."""
        return b""

    def feed(self, data: bytes, now: float) -> bytes:
        """Process bytes from the host; return the answer."""
        return b""

    def tick(self, now: float) -> bytes:
        """Return the bytes that the device sends unasked by ``now``; called about fifty times per second."""
        return b""

    def act(self, *words: str) -> None:
        """Carry out an action in one of the forms in `actions`. Raises `BadRequestError` for any other."""
        forms = ", ".join(self.actions) or "nothing"
        raise BadRequestError(f"this device does not support {quote(' '.join(words))}; it supports: {forms}")

    def shows(self) -> tuple[str, ...]:
        """Return the rows on its display; empty if it has none."""
        return ()
