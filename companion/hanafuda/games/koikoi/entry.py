"""What a person can report of Koi-Koi."""

from __future__ import annotations

from companion.hanafuda.description import Entry

__all__ = ["ENTRY"]

ENTRY = Entry(field=8, buttons={"koi-koi": (("call", "koikoi"),), "stop": (("call", "stop"),)})
