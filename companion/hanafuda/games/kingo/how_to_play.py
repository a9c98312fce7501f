"""Both forms of Kingo in the words of a player."""

from __future__ import annotations

from ...description import Chapter, Example
from ...messages import Message, yaku_message
from .hands import POT_RANKS, RANKS, AnyKingoRules, Rank, deck_of
from .phrases import stone_count
from .rules import KingoBankRules, KingoRules

__all__ = ["how_to_play", "how_to_play_bank"]

_EXAMPLES = {"arashi": (8, 8, 8), "goshita-gomai": (1, 2, 3, 4, 5), "ittan-juuroku": (6, 10)}
"""Months of a hand for each teyaku that does not name them."""


def how_to_play(rules: KingoRules) -> tuple[Chapter, ...]:
    """Return the rules of the form for the pot under a table's house rules."""
    return (
        Chapter(Message("how-goal"), (Message("how-kingo-goal"),)),
        _deal(rules, Message("how-kingo-deal", {"stones": stone_count(rules.wager)}), "hands"),
        Chapter(
            Message("how-turn"),
            (Message("how-kingo-turn"), Message("how-kingo-bareta")),
            options=("min_draws", "draw_at_fifteen"),
        ),
        Chapter(
            Message("how-showdown"),
            (Message("how-kingo-showdown"), Message("how-kingo-all-bareta")),
            options=("remainder",),
        ),
        Chapter(
            Message("how-teyaku"),
            (Message("how-kingo-teyaku"),),
            tuple(_example(rank, rules) for rank in POT_RANKS if rank.teyaku),
            ("both_teyaku",),
        ),
        _end(),
    )


def how_to_play_bank(rules: KingoBankRules) -> tuple[Chapter, ...]:
    """Return the rules of the form against a banker under a table's house rules."""
    played = [rank for rank in RANKS if rank.teyaku and getattr(rules, rank.option)]
    return (
        Chapter(Message("how-goal"), (Message("how-kingo-bank-goal"),)),
        _deal(
            rules,
            Message("how-kingo-bank-deal", {"stones": stone_count(rules.wager_limit)}),
            "hands",
            "dealer_discards",
            "october_redeal",
        ),
        Chapter(
            Message("how-turn"),
            (Message("how-kingo-bank-turn"), Message("how-kingo-bank-bareta")),
            options=("tsun_min", "dealer_tsun_min"),
        ),
        Chapter(
            Message("how-showdown"),
            (Message("how-kingo-bank-showdown"),),
            options=("dealer_multiplier", "equal_ittan", "tera_zen"),
        ),
        Chapter(Message("how-teyaku"), (), tuple(_example(rank, rules) for rank in played)),
        _end("rotate"),
    )


def _deal(rules: AnyKingoRules, text: Message, *options: str) -> Chapter:
    values = Message("how-kingo-hanafuda" if rules.deck == "hanafuda" else "how-kingo-kabufuda")
    return Chapter(Message("how-deal"), (text, values), options=options)


def _end(*options: str) -> Chapter:
    return Chapter(Message("how-end"), options=("rounds", "stones", "debt", *options))


def _example(rank: Rank, rules: AnyKingoRules) -> Example:
    """Return a teyaku with cards that make it, and who may have it."""
    deck = deck_of(rules.deck)
    cards: list[str] = []
    for month in rank.months or _EXAMPLES[rank.slug]:
        cards.append(next(each for each, value in deck.items() if value == month and each not in cards))
    text = rank.takes
    if isinstance(rules, KingoBankRules) and len(rank.holders) == 1:
        text = Message(f"how-kingo-bank-{rank.holders[0]}", {"hand": text})
    worth = Message("how-times", {"times": rank.times}) if rank.times > 1 else None
    return Example(yaku_message(rank.slug), tuple(cards), worth, text)
