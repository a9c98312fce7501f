"""The English text of a message as an event stores it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.hanafuda.messages import Message
from companion.messages import render

__all__ = ["english"]


def english(message: Mapping[str, Any]) -> str:
    """Return the text of a stored message, with players as numbers."""
    return render(Message.from_dict(message))
