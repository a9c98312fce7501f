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
    # reach[odd]: which numbers of hidden cards (as bits) leave so many numbers without a partner.
    reach = [1, 0, 0]
    for rank in RANKS:
        cards = pack.by_rank[rank] & ~wild
        held, free = (known & cards).bit_count(), (possible & cards).bit_count()
        after = [0, 0, 0]
        for more in range(min(free, most - held) + 1):
            odd = (held + more) % 2
            for before in range(3 - odd):
                after[before + odd] |= reach[before] << more
        reach = after
    held = (known & wild).bit_count()
    for more in range(min((possible & wild).bit_count(), hidden) + 1):
        partners = held + more
        if any(reach[odd] >> (hidden - more) & 1 for odd in range(partners + 1) if (partners - odd) % 2 == 0):
            return True
    return False
