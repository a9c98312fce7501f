"""Kekoro rules in share codes. Lines and bases are permanent: see `companion.hanafuda.rules.share_table`."""

from __future__ import annotations

from ...rules.share_table import Choice, Number, ShareTable

__all__ = ["SHARE"]

SHARE = ShareTable(
    "E",
    (
        Choice("values", "printed", ("printed", "kusaba")),
        Number("yaku_points", 30, 10),
        Choice("yaku_source", "fudawiki", ("fudawiki", "1921")),
        Number("lead_to_win", 3, 5),
        Choice("declare", "automatic", ("automatic", "optional")),
        Choice("judge", "turn", ("turn", "any_time")),
        Choice("field_four", "redeal", ("redeal", "play_on")),
        Choice("dealer_after_tie", "stays", ("stays", "passes")),
        Number("lead_points", 90, 10),
    ),
    ({},),
)
