"""Readers of tags, simulated."""

from __future__ import annotations

from typing import Final

from hardware.parsing import xor_of
from hardware.simulators.plug import SimulatedDevice

__all__ = ["SimulatedRdm6300"]

_REPEAT_S: Final = 0.065


class SimulatedRdm6300(SimulatedDevice):
    """An RDM6300 with at most one tag upon it, by its ten hex digits."""

    def __init__(self, tag: str | None = None) -> None:
        self.tag = tag
        self._next = 0.0

    def tick(self, now: float) -> bytes:
        """Tell the tag again and again."""
        if self.tag is None or now < self._next:
            return b""
        self._next = now + _REPEAT_S
        check = xor_of(bytes.fromhex(self.tag))
        return b"\x02" + f"{self.tag}{check:02X}".encode("ascii") + b"\x03"
