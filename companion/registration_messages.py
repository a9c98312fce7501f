"""Messages for the results of registering a table with the camera and checking its registration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.hanafuda.messages import Message

__all__ = ["registration_message"]

#: Codes of `vision.geometry.registration.registration_findings` whose value is displayed with one decimal.
_ONE_DECIMAL: Final = frozenset(("cards-disagree", "blurred", "uneven", "steady", "moved-little"))


def registration_message(code: str, figures: Mapping[str, float | str]) -> Message:
    """Return the message of a finding, its numbers rounded for display."""
    digits = 1 if code in _ONE_DECIMAL else 0
    values = {
        name: f"{value:.{digits}f}" if isinstance(value, float) else value for name, value in figures.items()
    }
    return Message(f"registration-{code}", values)
