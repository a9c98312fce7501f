"""The networks that most machines use for watching a table, on every machine that runs the tests: int8, one thread."""

from __future__ import annotations

import pytest

from vision.networks import onnx_sessions
from vision.networks.network_variants import NetworkVariant
from vision.photograph.scanner import Scanner


def take_int8(patch: pytest.MonkeyPatch) -> None:
    """Choose the int8 variants as the fastest, without timing them."""
    patch.setattr(
        onnx_sessions, "fastest_variant", lambda _, network, __: NetworkVariant(f"{network}-int8.onnx", 1)
    )


def swift_scanner() -> Scanner:
    """Return a scanner of int8 networks."""
    with pytest.MonkeyPatch.context() as patch:
        take_int8(patch)
        return Scanner(fast=True)
