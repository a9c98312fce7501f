"""Triplets, pairs and three pairs: which cards make a set, and whether a hand can be all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from .cards import PACKS, RANKS, Pack, places
from .rules import KakkuriRules

__all__ = ["all_pairs", "is_three_pairs", "jokers", "pairings", "set_rank"]


def jokers(rules: KakkuriRules, pack: Pack) -> int:
    """Return the cards that count as any number in a set."""
    return pack.wild if rules.wild_in_sets == "joker" else 0


def set_rank(rules: KakkuriRules, pack: Pack, cards: int) -> int | None:
    """Return the number of a pair or triplet; 0 if it is only jokers, None if it is not a set."""
    plain = cards & ~jokers(rules, pack)
    if not plain:
        return 0
    rank = pack.ranks[plain.bit_length() - 1]
    return None if plain & ~pack.by_rank[rank] else rank


def all_pairs(rules: KakkuriRules, pack: Pack, known: int, hidden: int, possible: int) -> bool:
    """Return whether a hand is all pairs, `hidden` of its cards being some of the `possible` ones."""
    return any(True for _ in pairings(rules, pack, known, hidden, possible))


def is_three_pairs(rules: KakkuriRules, pack: Pack, hand: int) -> bool:
    """Return whether a known hand is all pairs."""
    return _is_all_pairs(pack.name, jokers(rules, pack), 4 if rules.four_is_two_pairs else 2, hand)


@lru_cache(maxsize=1 << 14)
def _is_all_pairs(pack: str, wild: int, max_alike: int, hand: int) -> bool:
    plain = hand & ~wild
    counts = [(plain & cards).bit_count() for cards in PACKS[pack].by_rank]
    odd, spare = sum(count % 2 for count in counts), (hand & wild).bit_count()
    return max(counts) <= max_alike and odd <= spare and (spare - odd) % 2 == 0


def pairings(rules: KakkuriRules, pack: Pack, known: int, hidden: int, possible: int) -> Iterator[int]:
    """Yield the sets of hidden cards with which a hand is all pairs.

    Cards of one number are equivalent, except jokers: only the first in deck order is yielded. Whether four of a number
    are two pairs is the option `four_is_two_pairs`.
    """
    wild = jokers(rules, pack)
    max_alike = 4 if rules.four_is_two_pairs else 2
    known_jokers, free_jokers = (known & wild).bit_count(), list(places(possible & wild))
    # For each number: the count of known cards and the sets of 0, 1, 2, ... hidden ones that may be added.
    additions: list[tuple[int, list[int]]] = []
    for rank in RANKS:
        cards = pack.by_rank[rank] & ~wild
        count = (known & cards).bit_count()
        if count > max_alike:
            return iter(())
        sets = [0]
        for place in list(places(possible & cards))[: max_alike - count]:
            sets.append(sets[-1] | 1 << place)
        additions.append((count, sets))
    # For each number, the most cards that it and the later numbers can still take.
    room = [len(free_jokers)]
    for _, sets in reversed(additions):
        room.append(room[-1] + len(sets) - 1)
    room.reverse()

    def choose(number: int, left: int, lone: int, chosen: int) -> Iterator[int]:
        """Yield the rest of a hand from a number on; `lone` numbers before it need a joker as a partner."""
        if left > room[number] or lone > known_jokers + len(free_jokers):
            return
        if number == len(additions):
            # The remaining jokers pair with each other.
            if lone <= known_jokers + left and (known_jokers + left - lone) % 2 == 0:
                for added in combinations(free_jokers, left):
                    yield chosen | sum(1 << place for place in added)
            return
        count, sets = additions[number]
        for more in range(min(len(sets) - 1, left), -1, -1):
            yield from choose(number + 1, left - more, lone + (count + more) % 2, chosen | sets[more])

    return choose(0, hidden, 0, 0)
