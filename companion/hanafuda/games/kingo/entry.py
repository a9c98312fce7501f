"""The moves a person can report in Kingo, in both forms."""

from __future__ import annotations

from ...description import Entry
from ...round import HIDDEN

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
