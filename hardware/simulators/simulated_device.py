"""What a simulated device is: what it says, without a port."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from companion.hanafuda.errors import BadRequestError, shown

__all__ = ["SimulatedDevice"]


class SimulatedDevice:
    """What a device says, without a port. Times are s."""

    actions: ClassVar[Mapping[str, str]] = {}
    """What a person can do to it: the form of the words, and what it does."""

    def plugged(self, now: float) -> bytes:
        """Return what it says when it gets power."""
        return b""

    def feed(self, data: bytes, now: float) -> bytes:
        """Return what it answers to what the host wrote."""
        return b""

    def tick(self, now: float) -> bytes:
        """Return what it says by itself by now; called some fifty times a second."""
        return b""

    def act(self, *words: str) -> None:
        """Do what a person would do to it, in the words of `actions`; `BadRequestError` for others."""
        forms = ", ".join(self.actions) or "nothing"
        raise BadRequestError(f"{shown(' '.join(words))} cannot be done to this device; it knows: {forms}")

    def shows(self) -> tuple[str, ...]:
        """Return the rows that its display shows, where it has one."""
        return ()
