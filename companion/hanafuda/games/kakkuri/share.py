"""Kakkuri rules in share codes. Lines and bases are permanent: see `companion.hanafuda.rules.share_table`."""

from __future__ import annotations

from ...rules.share_table import Choice, Number, ShareTable

__all__ = ["SHARE"]

SHARE = ShareTable(
    "A",
    (
        Choice("deck", "mekurifuda", ("mekurifuda", "hanafuda", "western")),
        Choice("players", "7_or_8", ("7_or_8", "5_to_8", "2_to_8")),
        Choice("dropout_dealer", "drops_out", ("drops_out", "redeal")),
        Choice("swap", True, (True, False)),
        Choice("deal_pass", False, (True, False)),
        Number("rounds", 0, 7),
        Choice("must_play", "first", ("first", "none")),
        Choice("fold", "off", ("off", "before_first_card")),
        Choice("wild", "any_follows", ("any_follows", "chosen_rank")),
        Choice("wild_in_sets", "own_number", ("own_number", "joker")),
        Choice("four_is_two_pairs", True, (True, False)),
        Choice("all_pass", "excluding_self", ("excluding_self", "including_self")),
        Choice("reopen", "forced", ("forced", "optional")),
        Choice("box_empty", "recycle", ("recycle", "void")),
        Number("win_shares", 1, 7),
        Number("guri_shares", 2, 7),
        Number("lucky_shares", 3, 7),
        Number("pass_penalty", 1, 7),
        Number("fold_stake", 1, 7),
        Number("stakes", 20, 10),
    ),
    (
        {},
        {
            "players": "2_to_8",
            "must_play": "none",
            "fold": "before_first_card",
            "wild": "chosen_rank",
            "wild_in_sets": "joker",
            "all_pass": "including_self",
            "reopen": "optional",
            "pass_penalty": 0,
        },
    ),
)
