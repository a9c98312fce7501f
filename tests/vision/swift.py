"""The eyes of a watched table as most machines have them, on whatever machine the tests run: int8, one thread."""

from __future__ import annotations

import pytest

from vision import sessions
from vision.forms import Form
from vision.scanner import Scanner


def swift_scanner() -> Scanner:
    """Return a scanner whose int8 networks were taken for the fastest, without timing them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "fastest", lambda _, network, __: Form(f"{network}-int8.onnx", 1))
        return Scanner(swift=True)
