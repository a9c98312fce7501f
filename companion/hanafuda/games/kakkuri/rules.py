"""Kakkuri's house rules: every option with its default, meaning and source.

The preset `kakkuri` follows FudaWiki's text to the letter, `kakkuri-porges` the text that it was made from
(games.porg.es), which differs in four places. Payments are counted in shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...messages import Message
from ...rules.options import choice, flag, section_texts, whole
from ...rules.record import Rules

__all__ = ["KakkuriRules"]


def _shares(default: int, source: str, low: int = 0) -> Any:
    return whole(default, "paying", source, {} if low else {0: "nothing"}, "shares", high=100, low=low)


@dataclass(frozen=True)
class KakkuriRules(Rules):
    """One table's house rules for Kakkuri."""

    game: ClassVar[str] = "kakkuri"
    title: ClassVar[Message] = Message("game-kakkuri")
    endless: ClassVar[Mapping[str, Any]] = {"rounds": 0, "stakes": 0}
    sections: ClassVar[Mapping[str, Message]] = section_texts("table", "play", "sets", "box", "paying")
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
        "mekurifuda", "table", "FudaWiki, Kakkuri, Equipment"
    )
    players: Literal["7_or_8", "5_to_8", "2_to_8"] = choice(
        "7_or_8", "table", "7_or_8: FudaWiki; 5_to_8: gamefarm.jp; 2_to_8: games.porg.es"
    )
    dropout_dealer: Literal["drops_out", "redeal"] = choice("drops_out", "table", "Hanafuda Companion")
    swap: bool = flag(True, "table", "FudaWiki, Kakkuri, Swapping")
    deal_pass: bool = flag(False, "table", "gamefarm.jp")
    rounds: int = whole(0, "table", "Hanafuda Companion", {0: "no-limit"}, "rounds", high=120)

    must_play: Literal["first", "none"] = choice("first", "play", "first: FudaWiki; none: games.porg.es")
    fold: Literal["off", "before_first_card"] = choice("off", "play", "games.porg.es, Kusaba")

    wild: Literal["any_follows", "chosen_rank"] = choice(
        "any_follows", "sets", "any_follows: FudaWiki; chosen_rank: games.porg.es"
    )
    wild_in_sets: Literal["own_number", "joker"] = choice(
        "own_number", "sets", "own_number: FudaWiki; joker: games.porg.es"
    )
    four_is_two_pairs: bool = flag(True, "sets", "Hanafuda Companion")

    all_pass: Literal["excluding_self", "including_self"] = choice(
        "excluding_self", "box", "including_self: games.porg.es"
    )
    reopen: Literal["forced", "optional"] = choice(
        "forced", "box", "forced: FudaWiki; optional: games.porg.es"
    )
    box_empty: Literal["recycle", "void"] = choice("recycle", "box", "Hanafuda Companion")

    win_shares: int = _shares(1, "FudaWiki, Kakkuri, Winning", low=1)
    guri_shares: int = _shares(2, "FudaWiki, Kakkuri, Guri", low=1)
    lucky_shares: int = _shares(3, "FudaWiki, Kakkuri, Lucky Hand", low=1)
    pass_penalty: int = _shares(1, "1: FudaWiki; 0: games.porg.es")
    fold_stake: int = _shares(1, "games.porg.es")
    stakes: int = whole(20, "paying", "Kusaba, gamefarm.jp", {0: "no-limit"}, "shares", high=1000)

    @property
    def fewest_players(self) -> int:
        """The minimum number of players; the maximum is eight."""
        return int(self.players[0])
