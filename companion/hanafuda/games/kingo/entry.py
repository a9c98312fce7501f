"""The moves a person can report in Kingo, in both forms."""

from __future__ import annotations

from companion.hanafuda.description import Entry
from companion.hanafuda.round import HIDDEN

__all__ = ["ENTRY"]

ENTRY = Entry(
    one_tap=True,
    buttons={
        "koi-koi": (("draw", HIDDEN),),
        "stop": (("pass",),),
        "long stop": (("bareta",),),
        "pass": (("pass",),),
    },
)
