"""Kakkuri in the words of a player."""

from __future__ import annotations

from ...description import Chapter, Example
from ...messages import Message
from .cards import PACKS, RANKS
from .rules import KakkuriRules

__all__ = ["how_to_play"]


def how_to_play(rules: KakkuriRules) -> tuple[Chapter, ...]:
    """Return the game's rules under a table's house rules."""
    pack = PACKS[rules.deck]
    wild = Message("how-kakkuri-wild-any" if rules.wild == "any_follows" else "how-kakkuri-wild-rank")
    lucky = Message("rule-unit-shares", {"count": rules.lucky_shares})
    numbers = tuple(
        Example(Message("text", {"en": str(rank)}), pack.cards(pack.by_rank[rank])) for rank in RANKS
    )
    return (
        Chapter(Message("how-goal"), (Message("how-kakkuri-goal"),)),
        Chapter(
            Message("how-deal"),
            (Message("how-kakkuri-deal"), Message("how-kakkuri-start")),
            (
                Example(
                    Message("kakkuri-end-lucky-hand"),
                    pack.cards(pack.lucky),
                    lucky,
                    Message("how-kakkuri-lucky"),
                ),
                Example(
                    Message("how-kakkuri-eight"),
                    pack.cards(pack.dropout),
                    text=Message("how-kakkuri-dropout"),
                ),
            ),
            ("players", "swap"),
        ),
        Chapter(
            Message("how-turn"),
            (Message("how-kakkuri-discard"), Message("how-kakkuri-same"), Message("how-kakkuri-sets")),
            (Example(Message("how-kakkuri-wild"), pack.cards(pack.wild), text=wild),),
            ("must_play", "pass_penalty", "fold", "wild_in_sets"),
        ),
        Chapter(
            Message("how-passing"),
            (Message("how-kakkuri-box"),),
            options=("all_pass", "reopen", "box_empty"),
        ),
        Chapter(
            Message("how-pay"),
            (Message("how-kakkuri-pay"),),
            options=("win_shares", "guri_shares"),
        ),
        Chapter(Message("how-end"), options=("stakes", "rounds")),
        Chapter(Message("how-kakkuri-order"), examples=numbers, options=("deck",)),
    )
