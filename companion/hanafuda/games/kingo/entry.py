"""The moves a person can report in Kingo, in both forms."""

from __future__ import annotations

from ...description import Entry
from ...messages import Message
from ...round import HIDDEN

__all__ = ["ENTRY"]

ENTRY = Entry(
    one_tap=True,
    words={"draw": Message("live-word-draw-to-hand")},
    buttons={
        "koi-koi": (("draw", HIDDEN),),
        "stop": (("pass",),),
        "long stop": (("bareta",),),
        "pass": (("pass",),),
    },
)
