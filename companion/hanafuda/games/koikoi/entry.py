"""What a person can report of Koi-Koi."""

from __future__ import annotations

from ...description import Entry, SpokenCall

__all__ = ["ENTRY"]

ENTRY = Entry(
    field=8,
    buttons={"koi-koi": (("call", "koikoi"),), "stop": (("call", "stop"),)},
    calls=(SpokenCall(word="koikoi", ja="こいこい", goes_on=True), SpokenCall(word="stop", ja="勝負")),
)
