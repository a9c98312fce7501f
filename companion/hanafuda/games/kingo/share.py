"""Kingo rules in share codes. Lines and bases are permanent: see `companion.hanafuda.rules.share_table`."""

from __future__ import annotations

from ...rules.share_table import Choice, Number, ShareTable

__all__ = ["BANK_SHARE", "SHARE"]

SHARE = ShareTable(
    "N",
    (
        Choice("deck", "hanafuda", ("hanafuda", "kabufuda")),
        Choice("hands", "hidden", ("hidden", "face_up")),
        Choice("min_draws", 1, (1, 0)),
        Choice("draw_at_fifteen", "barred", ("barred", "allowed")),
        Number("wager", 1, 10),
        Choice("remainder", "whole", ("whole", "one_each")),
        Choice("dealer_order", "dealer_last", ("dealer_last", "dealer_first")),
        Choice("both_teyaku", "winner", ("winner", "product")),
        Number("stones", 20, 10),
        Choice("debt", "out", ("out", "allow")),
        Number("rounds", 12, 7),
    ),
    ({},),
)

BANK_SHARE = ShareTable(
    "B",
    (
        Choice("deck", "hanafuda", ("hanafuda", "kabufuda")),
        Choice("hands", "hidden", ("hidden", "face_up")),
        Choice("dealer_discards", True, (True, False)),
        Choice("october_redeal", "own", ("own", "all")),
        Choice("tsun_min", 12, (11, 12, 13)),
        Choice("dealer_tsun_min", "same", ("same", "none", 11, 12, 13)),
        Choice("kingo", True, (True, False)),
        Choice("arashi", True, (True, False)),
        Choice("goshita_gomai", True, (True, False)),
        Choice("ittan_juuroku", True, (True, False)),
        Choice("shippin", True, (True, False)),
        Choice("kuppin", True, (True, False)),
        Choice("shigoro", True, (True, False)),
        Choice("goppin", True, (True, False)),
        Number("wager_limit", 10, 10),
        Choice("dealer_multiplier", False, (True, False)),
        Choice("equal_ittan", "tie", ("tie", "dealer_wins")),
        Number("tera_zen", 0, 7),
        Number("stones", 20, 10),
        Choice("debt", "out", ("out", "allow")),
        Number("rounds", 12, 7),
        Choice("rotate", "stays", ("stays", "winner", "right")),
    ),
    ({},),
)
