"""The moves a person can report in Kekoro."""

from __future__ import annotations

from ...description import Entry

__all__ = ["ENTRY"]

ENTRY = Entry(
    field=8,
    # ("call", "stop") leaves the victory undeclared: the opposite of what the button of that name says.
    buttons={"koi-koi": (("call", "stop"),), "stop": (("call", "win"),), "pass": (("call", "stop"),)},
)
