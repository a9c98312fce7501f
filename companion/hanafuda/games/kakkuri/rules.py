"""Kakkuri's house rules: every option with its default, meaning and source.

The preset `kakkuri` follows FudaWiki's text to the letter, `kakkuri-porges` the text that it was made from
(games.porg.es), which differs in four places. Payments are counted in shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import choice, flag, whole
from ...rules.record import Contradiction, Rules

__all__ = ["KakkuriRules"]

_SECTIONS = {
    "table": Message("rule-kakkuri-section-table"),
    "play": Message("rule-kakkuri-section-play"),
    "sets": Message("rule-kakkuri-section-sets"),
    "box": Message("rule-kakkuri-section-box"),
    "paying": Message("rule-kakkuri-section-paying"),
}


def _shares(default: int, code: str, source: str, low: int = 0) -> Any:
    return whole(default, "paying", code, source, () if low else (0,), "shares", high=100, low=low)


@dataclass(frozen=True)
class KakkuriRules(Rules):
    """One table's house rules for Kakkuri."""

    game: ClassVar[str] = "kakkuri"
    title: ClassVar[Message] = Message("game-kakkuri")
    sections: ClassVar[Mapping[str, Message]] = _SECTIONS
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]] = {
        "kakkuri": (
            Message("preset-kakkuri-text"),
            {},
        ),
        "kakkuri-porges": (
            Message("preset-kakkuri-porges-text"),
            {
                "players": "2_to_8",
                "must_play": "none",
                "fold": "before_first_card",
                "wild": "chosen_rank",
                "wild_in_sets": "joker",
                "reopen": "optional",
                "all_pass": "including_self",
                "pass_penalty": 0,
            },
        ),
    }

    deck: Literal["mekurifuda", "hanafuda", "western"] = choice(
        "mekurifuda",
        "table",
        "rule-kakkuri-deck",
        "FudaWiki, Kakkuri, Equipment",
        ("mekurifuda", "hanafuda", "western"),
    )
    players: Literal["7_or_8", "5_to_8", "2_to_8"] = choice(
        "7_or_8",
        "table",
        "rule-kakkuri-players",
        "7_or_8: FudaWiki; 5_to_8: gamefarm.jp; 2_to_8: games.porg.es",
        ("7_or_8", "5_to_8", "2_to_8"),
    )
    dropout_dealer: Literal["drops_out", "redeal"] = choice(
        "drops_out",
        "table",
        "rule-kakkuri-dropout-dealer",
        "Hanafuda Companion",
        ("drops_out", "redeal"),
    )
    swap: bool = flag(
        True,
        "table",
        "rule-kakkuri-swap",
        "FudaWiki, Kakkuri, Swapping",
    )
    deal_pass: bool = flag(
        False,
        "table",
        "rule-kakkuri-deal-pass",
        "gamefarm.jp",
    )
    rounds: int = whole(
        0,
        "table",
        "rule-kakkuri-rounds",
        "Hanafuda Companion",
        (0,),
        "rounds",
        high=120,
    )

    must_play: Literal["first", "none"] = choice(
        "first",
        "play",
        "rule-kakkuri-must-play",
        "first: FudaWiki; none: games.porg.es",
        ("first", "none"),
    )
    fold: Literal["off", "before_first_card"] = choice(
        "off",
        "play",
        "rule-kakkuri-fold",
        "games.porg.es, Kusaba",
        ("off", "before_first_card"),
    )

    wild: Literal["any_follows", "chosen_rank"] = choice(
        "any_follows",
        "sets",
        "rule-kakkuri-wild",
        "any_follows: FudaWiki; chosen_rank: games.porg.es",
        ("any_follows", "chosen_rank"),
    )
    wild_in_sets: Literal["own_number", "joker"] = choice(
        "own_number",
        "sets",
        "rule-kakkuri-wild-in-sets",
        "own_number: FudaWiki; joker: games.porg.es",
        ("own_number", "joker"),
    )
    four_is_two_pairs: bool = flag(
        True,
        "sets",
        "rule-kakkuri-four-is-two-pairs",
        "Hanafuda Companion",
    )

    all_pass: Literal["excluding_self", "including_self"] = choice(
        "excluding_self",
        "box",
        "rule-kakkuri-all-pass",
        "including_self: games.porg.es",
        ("excluding_self", "including_self"),
    )
    reopen: Literal["forced", "optional"] = choice(
        "forced",
        "box",
        "rule-kakkuri-reopen",
        "forced: FudaWiki; optional: games.porg.es",
        ("forced", "optional"),
    )
    box_empty: Literal["recycle", "void"] = choice(
        "recycle",
        "box",
        "rule-kakkuri-box-empty",
        "Hanafuda Companion",
        ("recycle", "void"),
    )

    win_shares: int = _shares(
        1,
        "rule-kakkuri-win-shares",
        "FudaWiki, Kakkuri, Winning",
        low=1,
    )
    guri_shares: int = _shares(
        2,
        "rule-kakkuri-guri-shares",
        "FudaWiki, Kakkuri, Guri",
        low=1,
    )
    lucky_shares: int = _shares(
        3,
        "rule-kakkuri-lucky-shares",
        "FudaWiki, Kakkuri, Lucky Hand",
        low=1,
    )
    pass_penalty: int = _shares(
        1,
        "rule-kakkuri-pass-penalty",
        "1: FudaWiki; 0: games.porg.es",
    )
    fold_stake: int = _shares(1, "rule-kakkuri-fold-stake", "games.porg.es")
    stakes: int = whole(
        20,
        "paying",
        "rule-kakkuri-stakes",
        "Kusaba, gamefarm.jp",
        (0,),
        "shares",
        high=1000,
    )

    @property
    def fewest_players(self) -> int:
        """The minimum number of players; the maximum is eight."""
        return int(self.players[0])

    def contradictions(self) -> list[Contradiction]:
        """Reject rules with which a game never ends."""
        if self.rounds == 0 and self.stakes == 0:
            return [Contradiction(("rounds", "stakes"), Message("kakkuri-rules-endless"))]
        return []
