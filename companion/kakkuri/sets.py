"""Triplets, pairs and three pairs: which cards make a set, and whether a hand can be all pairs (A10 to A12)."""

from __future__ import annotations

from companion.kakkuri.cards import RANKS, Pack
from companion.rules.kakkuri import KakkuriRules

__all__ = ["all_pairs", "jokers", "set_rank"]


def jokers(rules: KakkuriRules, pack: Pack) -> int:
    """Return the cards that count as any number in a set (A12)."""
    return pack.wild if rules.wild_in_sets == "joker" else 0


def set_rank(rules: KakkuriRules, pack: Pack, cards: int) -> int | None:
    """Return the number of a pair or triplet; 0 where jokers alone leave it open, None where it is no set."""
    plain = cards & ~jokers(rules, pack)
    if not plain:
        return 0
    rank = pack.ranks[plain.bit_length() - 1]
    return None if plain & ~pack.by_rank[rank] else rank


def all_pairs(rules: KakkuriRules, pack: Pack, known: int, hidden: int, possible: int) -> bool:
    """Return whether a hand is all pairs, `hidden` of its cards being some of the `possible` ones.

    Whether four of a number are two pairs is the option `four_is_two_pairs`.
    """
    wild = jokers(rules, pack)
    most = 4 if rules.four_is_two_pairs else 2
    # reach[odd]: how many hidden cards (as bits) can leave so many numbers without a partner, which a joker may be.
    reach = [1] + [0] * ((known | possible) & wild).bit_count()
    for rank in RANKS:
        cards = pack.by_rank[rank] & ~wild
        held, free = (known & cards).bit_count(), (possible & cards).bit_count()
        after = [0] * len(reach)
        for more in range(min(free, most - held) + 1):
            odd = (held + more) % 2
            for before in range(len(reach) - odd):
                after[before + odd] |= reach[before] << more
        if not any(after):
            return False
        reach = after
    held, free = (known & wild).bit_count(), (possible & wild).bit_count()
    # Jokers that are no partners make a pair themselves.
    return any(
        reach[odd] >> (hidden - more) & 1
        for more in range(min(free, hidden) + 1)
        for odd in range(held + more, -1, -2)
    )
