"""Device faults: a code for programs, and a message for the person at the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from companion.hanafuda.messages import Message, Param
from companion.messages import render, render_all

FaultCode = Literal[
    "not-plugged",
    "port-in-use",
    "forbidden",
    "no-such",
    "unreachable",
    "connection-lost",
    "no-answer",
    "wrong-device",
    "stalled",
    "refused",
    "paper-out",
    "cover-open",
    "offline",
    "broken",
    "stuck",
    "no-usb",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a device or its port."""

    code: FaultCode
    message: Message

    @classmethod
    def of(cls, code: FaultCode, where: str, **values: Param) -> Fault:
        """Return a fault at the port ``where``; ``values`` fill the other variables of its message."""
        return cls(code, Message(f"device-fault-{code}", {"where": where, **values}))

    def __str__(self) -> str:
        """Return the message in English."""
        return render(self.message)

    def to_dict(self) -> dict[str, Any]:
        """Return the fault for JSON: its code, and the message in each language."""
        return {"code": self.code, "says": render_all(self.message)}


class PortError(OSError):
    """Raised when a port cannot be opened or its connection is lost; `fault` has the reason."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(str(fault))
